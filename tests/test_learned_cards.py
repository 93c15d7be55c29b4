"""Cards of all that was measured: drive, controller, host; they count as compared."""

from __future__ import annotations

import pytest

from raidsim import cards, cli
from raidsim.scenario import load
from raidsim.unknowns import spread
from raidsim.unknowns.compared import left_out, uncompared, was_compared

DISK, ADAPTER = "seagate-st1200mm0088", "lsi-hba-9300-8i"
SYSTEM = f"""
[host]
model = "linux-xeon-e5-pair"
[[controller]]
model = "{ADAPTER}"
[[volume]]
drive = "{DISK}"
[[load]]
name = "reads"
read = "100 %"
size = "4 KiB"
outstanding = 16
[measure]
precision = "2 %"
min_ios = 5000
"""


def ends(arguments: list[str]) -> int:
    """The exit status of a command."""
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    return int(end.value.code or 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A disk behind an adapter, which fio has measured to be just what the cards say."""
    folder = tmp_path_factory.mktemp("measured")
    (folder / "system.toml").write_text(SYSTEM)
    assert ends(["run", str(folder / "system.toml"), "--fio", str(folder / "fio")]) == 0
    return folder


def calibrated(folder, output: str) -> None:
    (result,) = (folder / "fio").glob("*.json")
    given = ["--fio", str(result), "-o", str(folder / output)]
    assert ends(["calibrate", str(folder / "system.toml"), *given]) == 0


def test_a_drive_that_measures_as_simulated_was_compared_though_no_value_moved(folder) -> None:
    """Its card said nothing of the measurement, and its intervals stayed as wide as without."""
    assert not was_compared(cards.load(DISK))
    calibrated(folder, "mine.toml")
    assert was_compared(cards.load(str(folder / "mine.toml")))


def test_a_card_of_the_drive_alone_says_that_the_adapter_was_measured_with_it(
    folder, capsys
) -> None:
    calibrated(folder, "mine.toml")
    said = " ".join(capsys.readouterr().out.split())
    assert f"{ADAPTER} took part in the measurement: --output FOLDER writes a card" in said


def test_cards_of_drive_and_adapter_leave_no_part_that_nothing_was_compared_with(
    folder, capsys
) -> None:
    calibrated(folder, "cards")
    assert "took part" not in capsys.readouterr().out
    written = {path.name for path in (folder / "cards").iterdir()}
    assert written == {f"{DISK}-measured.toml", f"{ADAPTER}-measured.toml"}
    text = SYSTEM
    for name in (DISK, ADAPTER):
        text = text.replace(f'"{name}"', f'"./cards/{name}-measured.toml"')
    (folder / "again.toml").write_text(text)
    before, after = load(str(folder / "system.toml")), load(str(folder / "again.toml"))
    assert uncompared(before) == [DISK, ADAPTER]
    assert uncompared(after) == []
    assert left_out(after) == (spread.MODEL, spread.MODEL)


def test_a_card_is_no_file_of_another_kind(folder, capsys) -> None:
    (result,) = (folder / "fio").glob("*.json")
    given = ["--fio", str(result), "-o", str(folder / "mine.json")]
    assert ends(["calibrate", str(folder / "system.toml"), *given]) == 2
    assert ".toml" in capsys.readouterr().err
