"""RAID by software has as many drives as Linux md starts, and not as few as controllers take."""

from __future__ import annotations

import pytest

from raidsim import scenario
from raidsim.cli import main
from raidsim.errors import InputError

ARRAY = """
[host]
model = "linux-xeon-e5-pair"
{}
[[volume]]
name = "data"
drive = "seagate-st373455ss"
{}

[[load]]
read = "0 %"
size = "8 KiB"
outstanding = 1
"""
CARD = '[[controller]]\nmodel = "lsi-megaraid-1078-512"'


def text(level: str, drives: int, more: str = "", *, card: str = "") -> str:
    return ARRAY.format(card, f'level = "{level}"\ndrives = {drives}\n{more}')


@pytest.mark.parametrize(
    ("level", "drives", "more", "words"),
    [
        ("raid6", 3, "", "RAID 6 of 3 drives is not started by Linux md; give at least 4, or"),
        ("raid60", 6, "", "RAID 60 of 6 drives is not started by Linux md; give at least 4 in"),
        ("raid60", 9, "spans = 3", "RAID 60 of 9 drives is not started by Linux md"),
        ("raid5", 2, "", "RAID 5 of 2 drives is not simulated: Linux md mirrors them; give at"),
        ("raid50", 4, "", "RAID 50 of 4 drives is not simulated: Linux md mirrors them"),
        ("raid6", 2, "", "RAID 6 of 2 drives; it needs at least 3"),
    ],
)
def test_software_refuses_too_few_drives(level: str, drives: int, more: str, words: str) -> None:
    """md: not enough configured devices (3, minimum 4)."""
    with pytest.raises(InputError) as refused:
        scenario.load_text(text(level, drives, more))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("level", "drives", "card"),
    [
        ("raid6", 3, CARD),
        ("raid60", 6, CARD),
        ("raid6", 4, ""),
        ("raid60", 8, ""),
        ("raid5", 3, ""),
    ],
)
def test_controllers_build_raid_6_of_three(level: str, drives: int, card: str) -> None:
    (volume,) = scenario.load_text(text(level, drives, card=card)).volumes
    assert (volume.level, volume.drives) == (level, drives)


@pytest.mark.parametrize("command", ["run", "check"])
def test_commands_say_it_in_a_line(command: str, tmp_path, capsys) -> None:
    file = tmp_path / "three.toml"
    file.write_text("schema = 1\n" + text("raid6", 3))
    with pytest.raises(SystemExit, match="2"):
        main([command, str(file)])
    assert "not started by Linux md" in capsys.readouterr().err
