"""Job files are read as fio reads them, and become loads line by line."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from command_line import status
from hypothesis import given, settings
from hypothesis import strategies as st

from raidsim.errors import InputError
from raidsim.fio.job_file import FileJob, loads_of, read_jobs
from raidsim.fio.option_words import ALIASES
from raidsim.scenario import from_data, load_text

DATA = Path(__file__).parent / "data" / "fio"
HARD = """\
; a comment
# another
[global]
ioengine=libaio
  direct=1
size=64m
bs=4k
[a]
rw=randread
iodepth=4
[b]
stonewall
rw=write
bs=64k
[global]
bs=16k
[b]
rw=randrw
fsync=8
end_fsync=1
size=${RAIDSIM_TEST_SIZE}
description=a = b ; c # d
"""


@pytest.fixture
def hard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAIDSIM_TEST_SIZE", "8m")
    path = tmp_path / "hard.fio"
    path.write_text(HARD)
    return path


def refused(text: str, tmp_path: Path, **options: int) -> str:
    path = tmp_path / "x.fio"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        loads_of(read_jobs(path), **options)
    return str(error.value).replace(f"{tmp_path}/", "")


def test_two_sections_of_one_name_are_two_jobs_and_globals_are_for_what_follows(hard):
    jobs = read_jobs(hard)
    assert [(job.name, job.group) for job in jobs] == [("a", 1), ("b", 2), ("b", 2)]
    assert [job.options["bs"] for job in jobs] == ["4k", "64k", "16k"]
    assert jobs[2].options["size"] == "8m", "from the environment"
    assert jobs[2].options["description"] == "a = b", "comments end lines too"
    assert jobs[1].places["rw"].line == 13
    assert jobs[2].places["bs"].line == 16, "where the global section says it"


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
@pytest.mark.parametrize("name", ["hard", "generated.fio"])
def test_fio_itself_reads_the_same_options(hard, name):
    path = hard if name == "hard" else DATA / name
    shown = subprocess.run(
        ["fio", "--parse-only", "--showcmd", str(path)], capture_output=True, text=True, check=True
    )
    shared: dict[str, str] = {}
    theirs: list[dict[str, str]] = []
    before: dict[str, str] = shared
    for word in shlex.split(shown.stdout)[1:]:
        option, equals, value = word.removeprefix("--").partition("=")
        if option == "name":
            theirs.append({})
            before = theirs[-1]
        else:
            before[ALIASES.get(option, option)] = value if equals else "1"
    for job, told in zip(read_jobs(path), theirs, strict=True):
        # fio shows a later [global] with the job before it.
        for option, value in told.items():
            assert job.options.get(option) == value or (name, option) == ("hard", "bs")


def test_the_jobs_of_a_phase_begin_after_those_of_the_one_before():
    found = loads_of(read_jobs(DATA / "generated.fio")).tables
    assert [(table["name"], table.get("after")) for table in found] == [
        ("database", None),
        ("sequential", "database"),
        ("hist", "sequential"),
    ]
    # Each ends as its options say; the last one is measured in its steady state.
    assert [table.get("limit") for table in found] == [
        {"ios": 600, "bytes": "134217728 B"},
        {"ios": 100, "bytes": "67108864 B"},
        None,
    ]
    scenario = {
        "host": {"model": "fujitsu-rx2540-m1"},
        "volume": [{"drive": "intel-p3700-800gb"}],
        "load": found,
    }
    assert [[load.name for load in group] for group in from_data(scenario).groups] == [
        ["database"], ["sequential"], ["hist"],
    ]  # fmt: skip


def test_a_phase_without_an_end_has_none_behind_it(tmp_path):
    path = tmp_path / "endless.fio"
    path.write_text("[a]\nrw=read\ntime_based\n[b]\nstonewall\nsize=1g\n")
    with pytest.raises(InputError, match=r"group 1 does not end \(a\); give size or runtime"):
        loads_of(read_jobs(path))


def test_one_phase_may_be_taken_alone(hard):
    assert [table["name"] for table in loads_of(read_jobs(hard), 2).tables] == ["b", "b 2"]
    with pytest.raises(InputError, match="has no group 3; give 1 to 2"):
        loads_of(read_jobs(hard), 3)


def test_what_is_not_played_is_said_with_file_and_line(hard):
    remarks = [
        str(one).replace(f"{hard.parent}/", "") for one in loads_of(read_jobs(hard), 2).remarks
    ]
    assert any(one.startswith("hard.fio:20: b: end_fsync=1: the flush") for one in remarks), remarks
    assert loads_of(read_jobs(hard), 2).tables[1]["flush_every"] == 8


def test_files_include_others_and_lines_are_theirs(tmp_path):
    (tmp_path / "inner.fio").write_text("iodepth=7\nno_such=1\n")
    outer = tmp_path / "outer.fio"
    outer.write_text("[global]\ndirect=1\nioengine=libaio\ninclude inner.fio\n[z]\nrw=read\n")
    found = loads_of(read_jobs(outer))
    assert found.tables[0]["outstanding"] == 7
    assert any("inner.fio:2: z: no_such=1" in str(one) for one in found.remarks)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no section"),
        ("bs=4k\n[a]\n", 'x.fio:1: "bs=4k" comes before the first section'),
        ("[global]\nbs=4k\n", "holds no job"),
        ("[a]\nbs=${RAIDSIM_NOT_SET}\n", "x.fio:2: the variable RAIDSIM_NOT_SET is not set"),
        ("[a]\ninclude none.fio\n", "none.fio: no such file"),
        ("[a]\ninclude x.fio\n", "an included file has sections"),
        ("[a]\n=4\n", "x.fio:2: is not a line of a job file"),
        ("[a]\nrw=read\nsize=25%\n", "x.fio:3: a: size=25%"),
        ("[a]\nrw=trimwrite\n", "x.fio:2: a: rw=trimwrite: raidsim has no trims that"),
        ("[a]\nrw=randwrit\n", "x.fio:2: a: rw=randwrit: is none of read, write"),
        ("[a]\nsize=10*1000*$mb_memory\n", "x.fio:2: a: size"),
        ("[a]\n" * 1001, "more than 1000 sections"),
        ('title = "x"\n[[load]]\nsize = "8 KiB"\n', "x.fio: is TOML"),
        ('[load]\nsize = "8 KiB"\n', "x.fio: is TOML"),
        ('[a]\nsize="8 KiB"\nbs=4k\n', "'\"8 KiB\"' is not a size"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_line(tmp_path, text, words):
    assert words in refused(text, tmp_path)


def test_shares_are_of_the_capacity_that_is_said(tmp_path):
    path = tmp_path / "x.fio"
    path.write_text("[a]\nrw=randread\nsize=25%%\nblocksize=4k\n")
    (table,) = loads_of(read_jobs(path), capacity=lambda _: 800 * 2**20).tables
    assert table["area"]["size"] == "200 MiB"


@given(st.text(alphabet=st.sampled_from("[]=;#${}ab %\n\ti1k"), max_size=60))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_or_refused(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("any") / "x.fio"
    path.write_text(text)
    try:
        jobs = read_jobs(path)
    except InputError:
        return
    assert all(isinstance(job, FileJob) for job in jobs)


# ---------------------------------------------------------------- the command


HARDWARE = """
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
drive = "intel-p3700-800gb"
"""


def test_what_the_command_writes_is_part_of_a_scenario(tmp_path, capsys):
    assert status("import", str(DATA / "generated.fio"), "--group", "1") == 0
    printed = capsys.readouterr()
    (load,) = load_text(HARDWARE + printed.out).loads
    assert (load.name, load.read, load.zipf, load.workers) == ("database", 0.67, 0.99, 2)
    assert load.outstanding == (4,)
    assert "database: without effect on the I/Os:" in printed.err
    target = tmp_path / "loads.toml"
    assert (
        status("import", str(DATA / "generated.fio"), "--group", "1", "--output", str(target)) == 0
    )
    assert tomllib.loads(target.read_text()) == tomllib.loads(printed.out)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["generated.fio", "--group", "4"], "no group 4; give 1 to 3"),
        (["generated.fio", "--group", "1", "--capacity", "800 XB"], "--capacity"),
        (["none.fio"], "no such file"),
        (["fio-2.1.4-old-units.job", "--group", "1"], "is not a size"),
    ],
)
def test_wrong_input_is_said_in_a_line(capsys, arguments, words):
    assert status("import", str(DATA / arguments[0]), *arguments[1:]) == 2
    assert words in capsys.readouterr().err
