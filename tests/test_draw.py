"""`raidsim draw`: the picture has what the layout says, and nothing else."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidsim import cli
from raidsim.errors import InputError
from raidsim.report.layout_drawing import WIDTH, drawing
from raidsim.scenario import load_text

SVG = "{http://www.w3.org/2000/svg}"
SYSTEM = """
title = "Arrays & <others>"
[host]
model = "linux-xeon-e5-pair"
[[volume]]
name = "data"
level = "raid5"
drives = 4
drive = "seagate-st373455ss"
strip = "64 KiB"
[[load]]
read = "100 %"
size = "8 KiB"
outstanding = 1
"""


def picture(*changes, **options):
    return ET.fromstring(drawing(load_text(SYSTEM, overrides=list(changes)), **options))


def strips(root):
    """Rows of strips as they are seen: what is written into each, from left to right."""
    found = {}
    for text in root.iter(f"{SVG}text"):
        if text.get("class") == "strip":
            found.setdefault(float(text.get("y")), []).append((float(text.get("x")), text.text))
    return [[word for _, word in sorted(row)] for _, row in sorted(found.items())]


def kinds(root):
    return [rect.get("class") for rect in root.iter(f"{SVG}rect") if rect.get("class")]


# Left-symmetric as Linux md has it, written down by hand.
LEFT_SYMMETRIC = [
    ["0", "1", "2", "P"],
    ["4", "5", "P", "3"],
    ["8", "P", "6", "7"],
    ["P", "9", "10", "11"],
]


def test_raid_5_is_drawn_as_md_lays_it_out():
    assert strips(picture()) == LEFT_SYMMETRIC


def test_raid_6_has_two_parities_and_they_wander():
    rows = strips(picture("volume.level=raid6"))
    assert rows[0] == ["Q", "0", "1", "P"]
    assert all(row.count("P") == row.count("Q") == 1 for row in rows)


def test_copies_lie_side_by_side_and_far_ones_in_their_own_rows():
    near = strips(picture("volume.level=raid10", "volume.spread=near"))
    assert near[0] == ["0", "0", "1", "1"]
    far = strips(picture("volume.level=raid10", "volume.spread=far"))
    assert far[0] == ["0", "1", "2", "3"]
    assert far[4] == ["3", "0", "1", "2"]  # one drive on, in the other half


def test_a_failed_drive_is_lost_in_every_row_and_a_spare_holds_nothing():
    drawn = kinds(picture("volume.failed=[1]", "volume.spares=1"))
    assert drawn.count("lost") == 4 + 1  # one in the legend
    assert drawn.count("spare") == 4 + 1
    assert "q" not in drawn


def test_spans_are_named():
    root = picture("volume.level=raid50", "volume.drives=6")
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert {"span 0", "span 1"} <= set(words)


def test_text_of_a_scenario_never_becomes_markup():
    root = picture()
    assert root.find(f"{SVG}title").text == "Arrays & <others>"


@settings(max_examples=25, deadline=None)
@given(
    level=st.sampled_from(["raid0", "raid1", "raid5", "raid6", "raid10", "jbod", "raid1e"]),
    drives=st.sampled_from([4, 8, 16, 40, 100]),
    spares=st.integers(0, 2),
)
def test_nothing_is_drawn_outside_of_the_picture(level, drives, spares):
    changes = [f"volume.level={level}", f"volume.drives={drives}"]
    if level not in ("raid0", "jbod"):
        changes.append(f"volume.spares={spares}")
    root = picture(*changes, rows=3)
    assert root.get("viewBox").split()[2] == str(WIDTH)
    height = float(root.get("height"))
    for rect in root.iter(f"{SVG}rect"):
        if rect.get("x"):
            assert float(rect.get("x")) + float(rect.get("width")) <= WIDTH
            assert float(rect.get("y")) + float(rect.get("height")) <= height


def test_the_colours_of_the_legend_are_those_that_are_drawn():
    root = picture("volume.level=raid6", "volume.failed=[0]")
    sheet = root.find(f"{SVG}style").text
    for kind in set(kinds(root)) - {"unused"}:
        assert re.search(rf"--{kind}: #[0-9a-f]{{6}}", sheet), kind


@pytest.mark.parametrize(
    ("options", "wrong"), [({"rows": 0}, "--rows"), ({"volume": "daat"}, '"data"')]
)
def test_what_cannot_be_drawn_is_refused(options, wrong):
    with pytest.raises(InputError, match=wrong):
        picture(**options)


def test_the_command_writes_a_file(tmp_path, capsys):
    target = tmp_path / "array.svg"
    with pytest.raises(SystemExit) as ended:
        cli.main(["draw", "raid5-disks", "-o", str(target)])
    assert ended.value.code == 0
    assert target.read_bytes().startswith(b"<svg ")
    with pytest.raises(SystemExit) as ended:
        cli.main(["draw", "raid5-disks", "-o", str(tmp_path / "array.png")])
    assert ended.value.code == 2
    assert ".svg" in capsys.readouterr().err
