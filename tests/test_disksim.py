"""Disks as DiskSim describes them: read, made into cards, written again, as fast as measured."""

from pathlib import Path

import numpy as np
import pytest

from raidsim import disksim
from raidsim.assembly import hdd
from raidsim.assembly.runs import runs
from raidsim.assembly.surface import rows
from raidsim.cards import load
from raidsim.cards.loader import read_card
from raidsim.cards.surface import SPARING, Surface, Zone, data_sectors
from raidsim.disksim.parameters import Block
from raidsim.errors import InputError
from raidsim.importing.importer import import_files
from raidsim.running import run
from raidsim.scenario.scenario import load_text

DATA = Path(__file__).parent / "data"
ATLAS = DATA / "disksim" / "atlas_III.parv"
TRACE = DATA / "traces" / "disksim" / "atlas_III-3000.trace"


@pytest.fixture(scope="module")
def atlas():
    return disksim.read_disk([str(ATLAS)])


@pytest.fixture(scope="module")
def card(atlas):
    return read_card(disksim.card_text(atlas), "atlas")


def flat(block):
    """All values of a block and those within, without the name of the file of its seek curve."""
    found = {}
    for key, value in block.entries.items():
        if isinstance(value, Block):
            found[key] = (value.kind, flat(value))
        elif isinstance(value, list) and value and isinstance(value[0], Block):
            found[key] = [(one.kind, flat(one)) for one in value]
        else:
            found[key] = pytest.approx(value) if isinstance(value, float) else value
    return found


def test_the_card_holds_what_was_measured(card):
    assert card.integer("capacity.user") == 17_783_250 * 512
    assert card.number("seek.read_single") == pytest.approx(1.663e-3)
    assert card.seek_points.time("read", 11) == pytest.approx((2.352e-3 + 2.346e-3) / 2)
    assert card.number("overhead.write_hit_after_read") == pytest.approx(0.414e-3)
    assert card.number("link.time_per_byte") == pytest.approx(0.106e-3 / 512)
    assert [zone.sectors for zone in card.surface.zones] == [
        256, 252, 240, 238, 224, 208, 196, 182, 168,
    ]  # fmt: skip
    assert card.surface.zones[1].slips[:3] == (406_795, 406_796, 406_797)
    hdd.check(card)


def test_files_that_are_written_again_say_the_same(atlas, card, tmp_path):
    for name, text in disksim.files_of(card, "again").items():
        (tmp_path / name).write_text(text)
    again = disksim.read_disk([str(tmp_path / "again.diskspecs")])
    ours, theirs = flat(again.spec), flat(atlas.spec)
    # What "Number of cylinders" says twice, and the two seeks beside the curve, are kept as well.
    assert ours == theirs
    assert again.seeks == atlas.seeks
    assert again.surface == atlas.surface
    assert disksim.card_text(again).split("\n")[3:] == disksim.card_text(atlas).split("\n")[3:]


def test_a_measured_disk_takes_as_long_as_it_was_measured(card, tmp_path):
    # Root mean square distance of the two distributions, over the mean: DiskSim's own is 6.0 %.
    (tmp_path / "atlas.toml").write_text(disksim.card_text(disksim.read_disk([str(ATLAS)])))
    text = f"""
        [host]
        model = "fujitsu-rx2540-m1"
        [[volume]]
        drive = "{tmp_path / "atlas.toml"}"
        [[load]]
        trace = {{ file = "{TRACE}", replay = "gaps" }}
    """
    result = run(load_text(text, "atlas"))
    replayed = result.points[0].trace
    assert replayed.demerit < 0.060
    means = {op: one["mean"] for op, one in result.to_dict()["points"][0]["latency_ms"].items()}
    assert means["read"] == pytest.approx(9.026, rel=0.05)
    assert means["write"] == pytest.approx(1.117, rel=0.05)


# -- where sectors lie ---------------------------------------------------------------------------


def places(surface, zone, heads):
    """Place of each sector of a zone, by the rules written down one sector at a time."""
    n, per_cylinder = zone.sectors, heads * zone.sectors
    whole = zone.cylinders * per_cylinder
    kind = surface.sparing
    slips = set(zone.slips)
    if kind == "tracks":
        slips = {t * n + s for t in zone.slips for s in range(n)}
    spare = set()
    unit = {"sectors-per-track": n, "sectors-per-range": per_cylinder * surface.range}.get(
        kind, per_cylinder
    )
    within = kind in ("sectors-per-track", "sectors-per-cylinder", "sectors-per-range") or (
        kind == "sectors-per-cylinder-at-front"
    )
    if kind.startswith(("sectors-per-cylinder", "sectors-per-track", "sectors-per-range")):
        for first in range(0, whole - unit + 1, unit):
            begin = first if "at-front" in kind else first + unit - zone.spares
            spare |= set(range(begin, begin + zone.spares))
    found = []
    if within:  # each unit holds as many as it would without slips, and the spares take the rest
        for first in range(0, whole, unit):
            last = min(first + unit, whole)
            data = last - first - (zone.spares if last - first == unit else 0)
            good = [p for p in range(first, last) if p not in slips]
            found += good[-data:] if "at-front" in kind else good[:data]
        found = found[zone.empty :]
    else:
        holds = [p for p in range(whole) if p not in spare]
        found = [p for p in holds[zone.empty :] if p not in slips]
    moved = dict(zone.remaps)
    if kind == "tracks":
        moved = {a * n + s: b * n + s for a, b in zone.remaps for s in range(n)}
    return [moved.get(p, p) for p in found[: data_sectors(surface, zone, heads)]]


@pytest.mark.parametrize("sparing", SPARING)
@pytest.mark.parametrize("empty", [0, 5])
@pytest.mark.parametrize("slips", [(), (3,), (2, 3, 4), (7, 8, 31)])
def test_every_sector_of_a_zone_lies_where_the_rules_put_it(sparing, empty, slips):
    heads = 2
    slips = tuple(s for s in slips if sparing != "tracks" or s < 6)
    spares = 0 if sparing in ("none", "sectors-at-end") else 3
    if sparing == "none":
        slips = ()
    if sparing == "sectors-per-track" and len(slips) > 1:
        slips = slips[:1]
    zone = Zone(0, 9, 10, empty=empty, spares=spares, slips=slips)
    surface = Surface((zone,), sparing, "no", 3)
    found = [
        run.place(number, heads, zone.sectors)
        for run in runs(surface, zone, heads)
        for number in range(run.length)
    ]
    assert len(found) == data_sectors(surface, zone, heads) == len(set(found))
    assert found == places(surface, zone, heads)


def test_a_remapped_sector_lies_elsewhere_and_nothing_else_moves():
    zone = Zone(0, 4, 10, spares=4, remaps=((12, 98), (40, 40)))
    surface = Surface((zone,), "sectors-per-zone")
    found = [
        run.place(number, 2, 10) for run in runs(surface, zone, 2) for number in range(run.length)
    ]
    assert found == [98 if p == 12 else p for p in range(96)]


@pytest.mark.parametrize(
    ("serpentine", "heads"), [("no", [0, 1, 0, 1, 0]), ("by-zone", [0, 1, 1, 0, 0])]
)
def test_a_serpentine_disk_goes_on_with_the_same_head(card, serpentine, heads):
    zone = Zone(0, 9, 10, track_skew=2, cylinder_skew=3)
    one = card.changed({"geometry.heads": 2, "capacity.user": 200 * 512})
    object.__setattr__(one, "surface", Surface((zone,), "none", serpentine))
    row = rows(one)[0]
    found = [row.place(2, track * 10 * 512) for track in range(5)]
    assert [head for _, head, _ in found] == heads
    assert [cylinder for cylinder, _, _ in found] == [0, 0, 1, 1, 2]
    sector = 1e9 / 120 / 10  # ns
    assert [angle / sector for _, _, angle in found] == pytest.approx([0, 2, 5, 7, 10])


def test_what_follows_in_a_stream_comes_when_the_platter_has_turned_there(card):
    """The whole disk is read in order: each byte comes at its angle, never before the last one."""
    heads, turn = 10, round(1e9 / 120)
    at = 0.0
    for row, after in zip(rows(card)[:30], rows(card)[1:31], strict=True):
        _, _, angle = row.place(heads, row.end - 1)
        _, _, begins = after.place(heads, after.first)
        at = angle + row.byte_time + row.gap
        assert abs((at - begins + turn / 2) % turn - turn / 2) < 1.0
        assert row.gap >= 0


# -- what is wrong with files --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Blocks per track = 252", "Blocks per track = many", "Blocks per track: is not a number"),
        ("Sparing scheme used = 7", "Sparing scheme used = 11", "11 is unknown; 0 to 10"),
        ("Seek type = extracted", "Seek type = magic", "magic is not read"),
        ("atlas_III.seek", "nowhere.seek", "nowhere.seek: no such file"),
        ("Block count = 17783250", "Block count = 99999999", "more than the 17,797,944"),
        ("First cylinder number = 616", "First cylinder number = 600", "after cylinder 615"),
        ("dm_layout_g1 {", "dm_layout_g4 {", "of the kind dm_layout_g4, which is not read"),
        ("Number of data surfaces = 10,", "Number of data surfaces,", "a name without ="),
    ],
)
def test_a_broken_file_is_refused_with_its_line(tmp_path, old, new, said):
    for name in ("atlas_III.diskspecs", "atlas_III.model", "atlas_III.seek"):
        text = (DATA / "disksim" / name).read_text()
        if name.endswith("model"):
            assert old in text
            text = text.replace(old, new, 1)
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        disksim.read_disk([str(tmp_path / "atlas_III.diskspecs")])
    message = str(caught.value)
    assert said in message
    assert "atlas_III.model:" in message


def test_a_file_that_ends_too_early_or_includes_itself_is_refused(tmp_path):
    text = (DATA / "disksim" / "atlas_III.model").read_text()
    (tmp_path / "cut.model").write_text(text[: len(text) // 2])
    with pytest.raises(InputError, match="ends within a block"):
        disksim.read_disk([str(tmp_path / "cut.model")])
    (tmp_path / "round.model").write_text("source round.model\n")
    with pytest.raises(InputError, match="includes itself"):
        disksim.read_disk([str(tmp_path / "round.model")])


def test_raidsim_import_makes_a_card_that_loads(tmp_path):
    made = import_files([str(ATLAS)])
    path = tmp_path / "atlas.toml"
    path.write_text(made.text)
    assert load(path).name == "quantum-qm39100td-sw"
    assert any("reliability.afr" in guess for guess in made.guesses)


def test_a_curve_of_ruemmler_and_wilkes_is_taken_as_it_is(tmp_path, atlas):
    """HPL-93-68: 3.24 + 0.4 sqrt(d) ms below 383 cylinders, 8.00 + 0.008 d beyond (HP C2200A)."""
    text = (DATA / "disksim" / "atlas_III.model").read_text()
    text = text.replace(
        "Seek type = extracted,",
        "Seek type = hpl,\n HPL seek equation values = [383, 3.24, 0.4, 8.00, 0.008, -1],",
    )
    (tmp_path / "hp.model").write_text(text)
    found = dict(disksim.read_disk([str(tmp_path / "hp.model")]).seeks)
    for distance in (1, 100, 382):
        assert found[distance] == pytest.approx(3.24 + 0.4 * np.sqrt(distance))
    far = max(found)
    assert found[far] == pytest.approx(8.0 + 0.008 * far)


@pytest.mark.parametrize(
    "policies",
    [
        {"Fast write level": 0, "Number of buffer segments": 1, "Read-ahead on idle hit": 1},
        {"Use separate write segment": 1, "High (read) water mark": 1.0},
        {"Allow read hits on write data": 0, "Maximum number of write segments": 3},
        {"Use separate write segment": 1, "Maximum number of write segments": 2},
        {"Buffer continuous read": 0, "Read-ahead over requested": -1},
        {"Immediate buffer read": 1, "Read any free blocks": 1},
        {"Bulk sector transfer time": 0, "Enable caching in buffer": 2},
    ],
)
def test_a_disk_of_other_policies_becomes_a_card_that_fits_together(tmp_path, policies):
    """Policies of other disks in DiskSim's validation folder, put into the files of this one."""
    for name in ("atlas_III.diskspecs", "atlas_III.model", "atlas_III.seek"):
        lines = (DATA / "disksim" / name).read_text().split("\n")
        for key, value in policies.items():
            lines = [
                f"   {key} = {value}," if line.strip().startswith(f"{key} =") else line
                for line in lines
            ]
        (tmp_path / name).write_text("\n".join(lines))
    disk = disksim.read_disk([str(tmp_path / "atlas_III.diskspecs")])
    assert {key: disk.spec.entries[key] for key in policies} == policies
    made = read_card(disksim.card_text(disk), "made")
    hdd.check(made)
    assert made.integer("buffer.size") >= 64 * 1024
    for name, text in disksim.files_of(made, "again").items():
        (tmp_path / name).write_text(text)
    again = disksim.read_disk([str(tmp_path / "again.diskspecs")])
    assert flat(again.spec) == flat(disk.spec)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('sparing = "sectors-at-end"', "sparing = [1]", "surface.sparing: [1] is unknown"),
        ('serpentine = "no"', 'serpentine = "yes"', 'surface.serpentine: "yes" is unknown'),
        ("sectors = 256", "sectors = 0.5", "surface.zone[0].sectors: 0.5 is out of range"),
        ("sectors = 256", "sektors = 256", "surface.zone[0].sektors: unknown key"),
        ("cylinders = [0, 615]", "cylinders = [615, 0]", "is not the first and the last cylinder"),
        ("cylinders = [616, 1823]", "cylinders = [600, 1823]", "begins with cylinder 600"),
        ("slips = [272037", "slips = [-1", "is not a list of whole numbers"),
        ('unit = "ms"\ndistance', 'unit = "kg"\ndistance', "seek_curve.unit: "),
        ("distance = [1, 2,", "distance = [1, 1,", "is not a list of distances that rise"),
        ("read = [1.663, ", "read = [", "has 116 times for 117 distances"),
        ("[disksim]\n", "disksim = 1\n[power2]\n", "disksim: is not a table"),
    ],
)
def test_a_mistake_in_a_measured_card_is_said_with_its_key(atlas, old, new, said):
    text = disksim.card_text(atlas)
    assert old in text
    if new.startswith("disksim"):
        text = "disksim = 1\n" + text.partition("\n[disksim]")[0]
    else:
        text = text.replace(old, new, 1)
    with pytest.raises(InputError) as caught:
        read_card(text, "card")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("slips = [272037", "slips = [99999999", "has a slip or a remap beyond its end"),
        ("empty = 128000", "empty = 99999999", "has no room for data"),
        ("value = 9105024000", "value = 99105024000", "is more than the zones hold"),
    ],
)
def test_a_measured_card_that_does_not_fit_together_is_refused(atlas, old, new, said):
    text = disksim.card_text(atlas)
    assert old in text
    card = read_card(text.replace(old, new, 1), "card")
    with pytest.raises(InputError, match=said):
        hdd.check(card)


def test_a_surface_of_more_pieces_than_the_kernel_should_hold_is_refused(atlas):
    text = disksim.card_text(atlas).replace(
        "cylinders = [7344, 8056]", "cylinders = [7344, 999999]"
    )
    text = text.replace('sparing = "sectors-at-end"', 'sparing = "sectors-per-range"')
    with pytest.raises(InputError, match="ranges, slips and remaps"):
        read_card(text, "card")
