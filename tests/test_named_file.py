"""Each reader of files says the same about a name that is none of a file that can be read."""

import os

import pytest

from raidsim.cards import toml_file
from raidsim.errors import InputError
from raidsim.importing.source import sources_of
from raidsim.measured import text_file
from raidsim.result import file as result_file
from raidsim.trace.stream import Source

READERS = {
    "a scenario or card": lambda path: toml_file.read_text(path, str(path)),
    "a result": result_file.read,
    "a measurement": lambda path: text_file.read_text(path, 1 << 20, "result"),
    "a trace": Source.of,
}


def refusal(read, path):
    with pytest.raises(InputError) as refused:
        read(path)
    (problem,) = refused.value.problems
    assert problem.file == str(path)
    return problem.cause


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_folder_holds_no_result_trace_or_scenario(read, tmp_path):
    assert refusal(read, tmp_path) == "is a folder"


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_name_of_no_file_is_told_from_a_link_that_leads_nowhere(read, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "missing")
    assert refusal(read, tmp_path / "missing") == "no such file"
    assert refusal(read, tmp_path / "link") == "is a link to a file that does not exist"


@pytest.mark.parametrize(
    "read", [*READERS.values(), lambda path: sources_of(str(path))], ids=[*READERS, "an inventory"]
)
def test_a_pipe_is_refused_before_anybody_waits_for_its_data(read, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert refusal(read, tmp_path / "pipe") == "is not a regular file"
