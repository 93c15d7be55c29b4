"""Which claims concern a system: what was printed of its parts, and of which nothing was."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidsim import InputError
from raidsim.validate import schema, validate
from raidsim.validate.concerned import named
from raidsim.validate.select import select
from raidsim.validate.systems import Systems

pytestmark = pytest.mark.usefixtures("claims_read_once")

SYSTEM = """
[host]
model = "intel-xeon-8380-pair"
[[controller]]
model = "{controller}"
[[volume]]
level = "raid5"
drives = 4
drive = "{drive}"
{where}
[[load]]
read = "67 %"
size = "8 KiB"
outstanding = 1
"""


@pytest.fixture(scope="module")
def systems() -> Systems:
    return Systems()


def selected(
    folder: Path, systems: Systems, controller: str, drive: str, where: str = ""
) -> tuple[list[str], tuple[str, ...]]:
    path = folder / "system.toml"
    path.write_text(SYSTEM.format(controller=controller, drive=drive, where=where))
    return named(schema.load(None), ["p3700", str(path)], systems)


def test_claims_about_a_controller_concern_a_system_that_has_it(
    tmp_path: Path, systems: Systems
) -> None:
    words, untested = selected(tmp_path, systems, "lsi-megaraid-1078-512", "micron-5100-eco-1920gb")
    assert words[0] == "p3700"  # what is no file stays
    about = [word for word in words[1:] if word.startswith("modular-raid")]
    assert len(about) > 50
    assert any("5100" in word for word in words)  # the drive was measured on its own
    assert untested == ()


def test_parts_of_which_nothing_was_printed_are_named(tmp_path: Path, systems: Systems) -> None:
    unheard = ("lenovo-raid-940-16i-8gb", "seagate-st2400mm0129")
    words, untested = selected(tmp_path, systems, *unheard)
    assert words == ["p3700"]
    assert sorted(untested) == sorted(unheard)


def test_a_host_that_does_raid_itself_is_a_part(tmp_path: Path, systems: Systems) -> None:
    words, untested = selected(
        tmp_path, systems, "lsi-megaraid-1078-512", "seagate-st2400mm0129", 'controller = "host"'
    )
    assert "seagate-st2400mm0129" in untested
    assert "md-null.raid6.stripes" in words


def test_a_system_of_which_nothing_was_printed_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "system.toml"
    drive, controller = "seagate-st2400mm0129", "lenovo-raid-940-16i-8gb"
    path.write_text(SYSTEM.format(controller=controller, drive=drive, where=""))
    with pytest.raises(InputError, match=f"no claim is about {drive}, {controller}"):
        validate([str(path)])


def test_a_file_that_is_no_scenario_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "system.toml"
    path.write_text("[host]\nmodel = 3\n")
    with pytest.raises(InputError, match=r"system\.toml:2: host\.model"):
        validate([str(path)])


def test_of_many_documents_a_message_names_a_few():
    """A list of all would be longer than anybody reads."""
    with pytest.raises(InputError) as caught:
        select(schema.load(), ["nothing at all"])
    (problem,) = caught.value.problems
    assert "some of the" in problem.remedy
    assert len(str(caught.value)) < 600
