"""Which parts were compared with measurements, and what that does to intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

import raidsim
from raidsim import Scenario, cards
from raidsim.report import unknowns as words
from raidsim.report.curves import curves
from raidsim.resources import data_folder
from raidsim.scenario import load_text
from raidsim.studies.orders import deviation_of
from raidsim.studies.point_figures import Row
from raidsim.studies.unknown import Drawn
from raidsim.unknowns import compared, spread
from raidsim.unknowns.draws import Draws
from raidsim.unknowns.spread import LeftOut
from raidsim.validate import schema
from raidsim.validate.concerned import hosts_of, parts_of
from raidsim.validate.systems import Systems


def test_of_parts_that_nothing_was_compared_with_models_leave_out_more() -> None:
    """A claim is about the card, or it was fitted to measurements; a data sheet is neither."""
    compared_with = Scenario.read("drive-database").with_("volume.drive", "intel-p3700-800gb")
    assert compared.uncompared(compared_with) == []
    assert compared.left_out(compared_with) == (0.07, 0.07)
    stranger = compared_with.with_("volume.drive", "seagate-st2400mm0129")
    assert compared.uncompared(stranger) == ["seagate-st2400mm0129"]
    assert compared.left_out(stranger) == (0.40, 0.25)


def test_a_card_of_a_users_own_is_not_the_one_of_the_same_name_here(tmp_path) -> None:
    mine = tmp_path / "nl-sas-2tb.toml"
    text = cards.load("nl-sas-2tb").path.read_text(encoding="utf-8")
    mine.write_text(text, encoding="utf-8")
    assert compared.was_compared(cards.load("nl-sas-2tb"))
    assert not compared.was_compared(cards.load(str(mine)))
    figures = '[residuals]\n"fio: reads" = "2 %"\n'
    mine.write_text(f"{text}\n{figures}", encoding="utf-8")
    assert compared.was_compared(cards.load(str(mine)))


@pytest.mark.parametrize(
    ("errors", "known"),
    [
        (["-98.7 %", "-95.9 %"], False),  # a solid state drive, put down to a disk
        (["5 %", "-12 %", "300 %"], True),  # one of three is of something else
        (["28 %"], True),  # no farther off than of a drive that nobody measured
        (["35 %"], False),
    ],
)
def test_a_card_that_misses_its_measurements_is_known_no_better_by_them(errors, known, tmp_path):
    mine = tmp_path / "mine.toml"
    text = cards.load("nl-sas-2tb").path.read_text(encoding="utf-8")
    rows = "".join(f'"fio: job {n}" = "{error}"\n' for n, error in enumerate(errors))
    mine.write_text(f"{text}\n[residuals]\n{rows}", encoding="utf-8")
    assert compared.was_compared(cards.load(str(mine))) is known


def test_the_list_of_cards_that_claims_are_about_is_what_claims_say() -> None:
    listed = (data_folder("validation") / compared.LIST).read_text(encoding="utf-8")
    systems = Systems()
    found: dict[str, set[str]] = {}
    for claim in schema.load(None):
        servers = {f"server {name}" for name in hosts_of(claim, systems)}
        for name in parts_of(claim, systems) | servers:
            found.setdefault(name, set()).add(claim.document)
    rows = [line for line in listed.splitlines() if not line.startswith("#")]
    expected = {f"{name}: {' '.join(sorted(documents))}" for name, documents in found.items()}
    assert set(rows) == expected, "run: python docs/reference/generate.py"
    assert len(rows) == len(expected)


def on(drive: str, **more: object) -> Scenario:
    changes = {"volume.drive": drive, **{key.replace("__", "."): one for key, one in more.items()}}
    return Scenario.read("drive-database").with_(changes)


def test_other_hardware_made_by_a_scenario_was_not_measured() -> None:
    """A value that a card does not know may be set by somebody who does; a known one is known."""
    assert compared.uncompared(on("nl-sas-2tb", volume__set__spindle__speed="15000 rpm"))
    assert compared.uncompared(on("nl-sas-2tb", volume__set__capacity__user="20 TB"))
    chosen = Scenario.read("drive-database").with_(
        {"volume.drive": "nl-sas-2tb", "volume.set.queue.choose_time": "0.5 ms"}
    )
    assert not compared.uncompared(chosen)
    assert not compared.uncompared(on("nl-sas-2tb", volume__disk_cache="off"))


def test_a_card_that_stands_in_for_another_part_was_not_compared_with_that_part() -> None:
    own, other = on("intel-p3700-800gb"), on("intel-p3700-800gb", volume__stand_in=True)
    assert compared.stand_ins(own) == []
    assert compared.stand_ins(other) == ["intel-p3700-800gb"]
    assert compared.left_out(own) == LeftOut(spread.MODEL, spread.MODEL)
    assert compared.left_out(other) == LeftOut(spread.SLOWER, spread.UNCOMPARED)
    # The two share the error of the card: only another drive tells them apart.
    assert compared.left_out_of_ratio(own, other) == 0.0
    elsewhere = on("seagate-st3600057ss")
    assert compared.left_out_of_ratio(elsewhere, own) < compared.left_out_of_ratio(elsewhere, other)


def test_a_drive_in_another_server_than_that_of_its_claims_is_less_well_known() -> None:
    own, other = on("intel-p3700-800gb"), on("intel-p3700-800gb", host__model="windows-pc-sata")
    assert compared.measured_apart(own) == []
    assert compared.left_out(own) == LeftOut(spread.MODEL, spread.MODEL)
    assert compared.measured_apart(other) == ["windows-pc-sata", "intel-p3700-800gb"]
    assert compared.left_out(other) == LeftOut(spread.APART, spread.APART)
    # The server is in both, and says nothing of which drive is faster.
    assert compared.left_out_of_ratio(other, own) == 0.0
    stand_in = on("intel-p3700-800gb", host__stand_in=True)
    assert compared.measured_apart(stand_in) == [own.host.card.name, "intel-p3700-800gb"]


def test_parts_of_two_documents_were_not_measured_together() -> None:
    """A controller and disks that no document has in one system."""
    disks = Scenario.read("raid5-disks")
    assert compared.measured_apart(disks) == []
    other = disks.with_("volume.drive", "nl-sas-2tb")
    names = [disks.host.card.name, disks.controllers[0].card.name, "nl-sas-2tb"]
    assert sorted(compared.measured_apart(other)) == sorted(names)


def test_of_a_part_that_nothing_was_compared_with_only_that_is_said() -> None:
    assert compared.measured_apart(on("seagate-st2400mm0129", host__model="linux-pc")) == []


def test_a_drive_of_a_users_own_measurements_was_measured_in_the_users_server(tmp_path) -> None:
    mine = tmp_path / "mine.toml"
    text = cards.load("nl-sas-2tb").path.read_text(encoding="utf-8")
    mine.write_text(f'{text}\n[residuals]\n"fio: reads" = "2 %"\n', encoding="utf-8")
    assert compared.measured_apart(on(str(mine), host__model="windows-pc-sata")) == []
    assert compared.measured_apart(on(str(mine), host__stand_in=True)) == []


def test_a_host_that_a_scenario_makes_another_one_is_not_that_of_the_document() -> None:
    own = on("intel-p3700-800gb")
    slower = own.with_("host.set.cpu.cores", 2)
    assert compared.measured_apart(slower) == [own.host.card.name, "intel-p3700-800gb"]


def test_a_server_that_stands_in_counts_where_it_does_raid_itself() -> None:
    alone = on("nl-sas-2tb", host__stand_in=True)
    assert compared.stand_ins(alone) == []
    mirror = on("nl-sas-2tb", host__stand_in=True, volume__level="raid1", volume__drives=2)
    assert compared.stand_ins(mirror) == [mirror.host.card.name]


def test_the_words_beside_intervals_name_a_card_that_stands_in() -> None:
    found = raidsim.run(
        on(
            "nl-sas-2tb",
            volume__stand_in=True,
            load__outstanding=4,
            measure__min_ios=1_000,
            measure__max_ios=2_000,
        ),
        unknowns=10,
    )
    assert found.compared.stand_ins == ["nl-sas-2tb"]
    assert found.compared.uncompared == []
    (curve,) = curves(found)
    said = words.block(curve, found)
    assert said.title.endswith("; nl-sas-2tb stands in for what has no card")


def test_the_words_beside_intervals_say_that_parts_were_not_measured_together() -> None:
    few = {"load__outstanding": 4, "measure__min_ios": 1_000, "measure__max_ios": 2_000}
    found = raidsim.run(on("intel-p3700-800gb", host__model="windows-pc-sata", **few), unknowns=10)
    assert found.compared.faster == found.compared.slower == spread.APART
    (curve,) = curves(found)
    said = words.block(curve, found)
    assert said.title.endswith("; windows-pc-sata and intel-p3700-800gb were not measured together")


TWO = """
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
name = "used"
level = "single"
drive = "{used}"
[[volume]]
name = "idle"
level = "single"
drive = "{idle}"
[[load]]
volume = "used"
size = "4 KiB"
read = "100 %"
random = "100 %"
outstanding = 1
"""


def test_a_part_that_no_load_uses_does_not_count() -> None:
    known, other = "nl-sas-2tb", "seagate-st2400mm0129"
    assert compared.uncompared(load_text(TWO.format(used=known, idle=other))) == []
    assert compared.uncompared(load_text(TWO.format(used=other, idle=known))) == [other]


def test_a_users_card_counts_beside_the_one_of_its_name(tmp_path) -> None:
    mine = tmp_path / "nl-sas-2tb.toml"
    mine.write_text(cards.load("nl-sas-2tb").path.read_text(encoding="utf-8"), encoding="utf-8")
    for pair in ((mine, "nl-sas-2tb"), ("nl-sas-2tb", mine)):
        text = TWO.format(used=pair[0], idle=pair[1])
        both = load_text(
            text
            + text[text.index("[[load]]") :].replace(
                'volume = "used"', 'name = "other"\nvolume = "idle"'
            )
        )
        assert compared.uncompared(both) == ["nl-sas-2tb"]


def test_only_a_host_that_does_raid_counts() -> None:
    changes = {"host.model": "linux-pc", "volume.drives": 2}
    drives = Scenario.read("drive-database").with_({**changes, "volume.level": "jbod"})
    assert "linux-pc" not in compared.uncompared(drives)
    mirror = Scenario.read("drive-database").with_({**changes, "volume.level": "raid1"})
    assert "linux-pc" in compared.uncompared(mirror)


def test_what_two_systems_share_does_not_part_them() -> None:
    """The ratio of two systems is uncertain by the parts that only one of them has."""
    known, other = on("nl-sas-2tb"), on("seagate-st2400mm0129")
    assert compared.left_out_of_ratio(known, known.with_("load.outstanding", 2)) == 0
    assert compared.left_out_of_ratio(known, on("intel-p3700-800gb")) == pytest.approx(
        math.hypot(0.07, 0.07)
    )
    assert compared.left_out_of_ratio(known, other) == pytest.approx(math.hypot(0.07, 0.25))


def drawn(scenario: Scenario, *, saturated: bool = False) -> Drawn:
    """Draws of a scenario with one point."""
    return Drawn(Draws(10, 1), scenario, (Row(({},), (saturated,)),))


def test_no_model_leaves_anything_out_of_a_rate_that_both_loads_ask_for_and_get() -> None:
    """Two drives that carry 50 I/Os a second carry as many; how fast they answer is less sure."""
    rates = {"load.outstanding": None, "load.rate": "50 IO/s"}
    known, other = on("nl-sas-2tb"), on("seagate-st2400mm0129")
    asked = [drawn(one.with_(rates)) for one in (known, other)]
    apart = pytest.approx(compared.left_out_of_ratio(known, other))
    assert deviation_of(asked[0], 0, asked[1], 0, "iops") == 0
    assert deviation_of(asked[0], 0, asked[1], 0, "mbps") == 0
    assert deviation_of(asked[0], 0, asked[1], 0, "read latency") == apart
    assert deviation_of(drawn(known), 0, asked[1], 0, "iops") == apart
    too_high = [drawn(one.scenario, saturated=True) for one in asked]
    assert deviation_of(asked[0], 0, too_high[1], 0, "iops") == apart
    assert deviation_of(too_high[0], 0, too_high[1], 0, "mbps") == apart
    within = {"load.within": "20 ms", "load.rate": ["50 IO/s", "80 IO/s"]}
    searched = [drawn(one.scenario.with_(within)) for one in asked]
    assert deviation_of(searched[0], 0, searched[1], 0, "iops") == apart


def test_machines_that_boot_ask_for_no_rate() -> None:
    text = '[host]\nmodel = "linux-pc"\n[[volume]]\ndrive = "{}"\n[[machine]]\nreads = 10\n'
    one, other = (load_text(text.format(drive)) for drive in ("nl-sas-2tb", "intel-p3700-800gb"))
    apart = compared.left_out_of_ratio(one, other)
    assert deviation_of(drawn(one), 0, drawn(other), 0, "iops") == pytest.approx(apart) != 0


def test_the_share_ahead_of_what_is_not_known_apart() -> None:
    equal = np.array([0.9999, 1.0001, 1.0002, 0.9998])
    assert spread.share_ahead(equal) == 0.5
    ahead = np.full(10, 1.1)
    assert spread.share_ahead(ahead) == 1
    assert spread.share_ahead(ahead, 0.1) == pytest.approx(norm.cdf(math.log(1.1) / 0.1))
