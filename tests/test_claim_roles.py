"""Parts calibrate, wholes are predicted: which claims a fit may see was decided by rule."""

import re
from functools import cache

import pytest

from raidsim import cards
from raidsim.calibrate.parameters import free_parameters
from raidsim.calibrate.problem import claims_about
from raidsim.scenario import load
from raidsim.validate import schema
from raidsim.validate.claims import Performance
from raidsim.validate.systems import Systems

ONLY_IN_A_WHOLE = {
    "p3700.four-drives.database.512": "what the CPU that serves interrupts takes of an I/O:"
    " no single drive keeps it busy; the four drives are independent, not an array",
    "iodrive2.rx900.streaming.four": "what the slots of the RX900 S2 carry:"
    " no single drive fills them; the four drives are independent, not an array",
    "iodrive2.affinity.8kb.read-0": "what an I/O costs more on the other socket",
    "iodrive2.affinity.64kb.read-0": "how fast a drive fetches from the other socket's memory",
    "p3700.whole-drive.4kb.read-0.datasheet.1600gb": "the spare area of this capacity",
    "p3700.whole-drive.4kb.read-0.datasheet.2000gb": "the spare area of this capacity",
    "iodrive2.restore.over-785gb": "how fast the channels of this capacity take in writes",
    "iodrive-320gb.streaming.datasheet": "how fast this capacity's channels send",
    "iodrive-320gb.restore.datasheet": "how long this capacity's flash programs",
    **dict.fromkeys(
        ("md-null.raid0.read", "md-null.jbod.read"),
        "what software RAID without parity costs: nothing is printed of a single drive",
    ),
    **dict.fromkeys(
        (
            "s3700-raid0.read.4",
            "s3700-raid0.read.24",
            "s3700-raid0.write.24",
            "s3700-raid0.write.8",
        ),
        "what three adapters carry: their source was drawn to calibrate, before it was simulated",
    ),
    **dict.fromkeys(
        (
            "ssd-fio.pm1643.write.fsync",
            "ssd-fio.micron-9550-pro.read.128kb",
            "ssd-fio.micron-9550-pro.write.128kb",
            "ssd-fio.micron-9550-pro.read.4kb",
            "ssd-fio.micron-9550-pro.write.4kb",
            "ssd-fio.p5510.read.4kb",
            "ssd-fio.p5510.read.128kb",
        ),
        "single drives, whose cards differ from those of their series in capacity:"
        " their sources were drawn to calibrate, before they were simulated",
    ),
    **dict.fromkeys(
        (
            "host-fio.p3700.write.sequential.4kb.qd1",
            "host-fio.p3700.write.random.4kb.qd1",
            "host-fio.p3700.read.sequential.4kb.qd1",
            "host-fio.p3700.read.random.4kb.qd1",
        ),
        "what of a command alone is the drive's, and what the host's: no matter of capacity",
    ),
    **dict.fromkeys(
        ("ssd-fio.sn850x.write.4kb.4x32", "ssd-fio.sn850x.read.4kb.4x32"),
        "what an I/O costs a core of a personal computer: one of the computers of that class",
    ),
    "disk-fio.write.4kb": "how many cached writes large disks aim at was chosen with it known:"
    " its source was drawn to be predicted",
    "tolly.random.read.128.n5": "what a read costs a storage processor, known as a whole only",
    "tolly.random.read.128.n5.about": "the same, in words",
    "tolly.random.write.128.n5": "what a write costs it",
    "tolly.random.write.128.conventional": "what a write costs the other array's",
    **dict.fromkeys(
        (
            "tolly.boot.mean.n5",
            "tolly.boot.80s.n5",
            "tolly.boot.80s.n5.half",
            "tolly.boot.100s.n5",
            "tolly.boot.110s.n5",
            "tolly.boot.130s.n5",
        ),
        "what a machine does while it boots: one storm tells, the other is predicted",
    ),
}
"""Claims that a value is fitted to because nothing smaller in print shows it, and which value."""

DRAWN = {
    "anandtech-enterprise-2018",
    "anandtech-optane-2017",
    "bpve-baseline-2025",
    "budisc-p4510-2024",
    "ceph-diskbench-2019",
    "chung-atlas-2000",
    "diskmark-830-2014",
    "diskmark-850-evo-2015",
    "ezfio-firecuda-530-2024",
    "fio-plot-md-2019",
    "fio-plot-p420i-2019",
    "gcc-h330-raid0-2022",
    "goodcommand-sas3108-2019",
    "home-ops-mx500-2023",
    "hp-smart-array-2012",
    "jazz-disk-benchmarking-2020",
    "kangeek-p3600-2020",
    "kitguru-870-evo-2021",
    "kitguru-9100-pro-2025",
    "kitguru-exceria-plus-g4-2025",
    "kitguru-nm790-2023",
    "kitguru-nv2-2022",
    "leseb-vertex-4-2012",
    "linux-raid-bitmap-2023",
    "linux-raid-coolcold-2023",
    "linux-raid-contention-2025",
    "linux-raid-iostats-2020",
    "linux-xfs-cm7-2025",
    "livespec-bx500-sn8100-2026",
    "livespec-h730p-raid5-2026",
    "marcitland-9280-2011",
    "myce-p3700-2014",
    "n0derunner-pm863-2020",
    "nvme-pair-980-pro-2026",
    "oberstet-p3608-2017",
    "p4510-stripe-2020",
    "p5510-experiments-2026",
    "plantegg-p4510-2022",
    "pm963-btrfs-2021",
    "sgi-st373405lc-2025",
    "sn570-notes",
    "sqlio-p420i-2013",
    "storagereview-9670w-2022",
    "storagereview-cd9p-r-2026",
    "storagereview-exos-m-2025",
    "storagereview-r6060-2026",
    "thedemonium-pm983-2021",
    "thessdreview-9100-2016",
    "thessdreview-hk4e-2016",
    "thessdreview-sm843-2013",
    "thessdreview-xc100-2016",
    "tomshardware-hdd-2016",
    "tomshardware-optimus-eco-2013",
    "tomshardware-p3700-2014",
    "tomshardware-s3500-rst-2013",
    "tomshardware-x25e-9260-2009",
    "trantor-wd1600aajs-2010",
    "treeru-nvme-2025",
    "vitastor-s4510-2020",
    "wporter-pm5-md-2026",
}
"""Sources that were drawn to calibrate as wholes, before anything of them was simulated."""


@pytest.fixture(scope="module")
def claims():
    return [claim for claim in schema.load() if isinstance(claim.subject, Performance)]


@cache
def wholeness(scenario, overrides):
    """What makes a run more than one part at its base settings; empty for a part."""
    loaded = load(scenario, overrides=overrides)
    host, drives = loaded.host, [volume.card for volume in loaded.volumes]
    found = []
    if len(drives) > 1 or loaded.volumes[0].drives > 1:
        found.append("several drives")
    for card in drives:
        size = card.number("capacity.user")
        if card.base and cards.load(card.base).number("capacity.user") != size:
            found.append("another capacity than the calibration drive's")
    settings = (host.clock, host.power_plan, host.affinity)
    if settings != (host.card.number("cpu.clock"), "performance", "favourable"):
        found.append("another setting of the host")
    return ", ".join(found)


def of(claim):
    runs = claim.subject.measurements()
    return "; ".join(filter(None, (wholeness(run.scenario, run.overrides) for run in runs)))


def test_what_calibrates_is_a_part_at_its_base_settings(claims):
    calibrating = [c for c in claims if c.role == "calibration" and not c.structure]
    calibrating = [claim for claim in calibrating if claim.document not in DRAWN]
    wholes = {claim.id: of(claim) for claim in calibrating if of(claim)}
    assert {name: why for name, why in wholes.items() if name not in ONLY_IN_A_WHOLE} == {}


def test_every_claim_that_is_excepted_is_about_a_whole(claims):
    calibrating = {claim.id: claim for claim in claims if claim.role == "calibration"}
    assert [name for name in ONLY_IN_A_WHOLE if not of(calibrating[name])] == []


def test_exceptions_are_a_small_part_of_what_is_said_of_wholes(claims):
    wholes = [
        claim for claim in claims if claim.id in ONLY_IN_A_WHOLE or claim.role != "calibration"
    ]
    assert len(ONLY_IN_A_WHOLE) < 0.05 * len(wholes)


def test_what_repeats_runs_for_calibration_is_no_prediction(claims):
    """Whatever it says of them: its runs are the same systems under the same loads."""
    systems = Systems()

    def points(claim):
        for job in claim.jobs():
            for number in job.numbers or (None,):
                yield systems.meaning_of(job), number, job.latency

    fitted = {one for claim in claims if claim.role == "calibration" for one in points(claim)}
    repeating = [c.id for c in claims if c.role == "prediction" and set(points(c)) <= fitted]
    assert repeating == []


def test_no_fit_sees_what_a_choice_of_structure_was_read_off(claims):
    read_off = [claim for claim in claims if claim.structure]
    assert len(read_off) > 40
    assert {claim.role for claim in read_off} == {"calibration"}
    parameters = free_parameters(
        cards.load(name) for name in ("iodrive2-1200gb", "intel-p3700-800gb", "iodrive-640gb")
    )
    fitted = {claim.id for claim in claims_about(claims, parameters)}
    assert fitted
    assert fitted.isdisjoint(claim.id for claim in read_off)


def test_claims_that_the_notes_of_cards_name_are_calibration(claims):
    """A note says what a value was read off, calibrated or not."""
    roles = {claim.id: claim.role for claim in claims}
    for card in cards.catalogue():
        words = set(re.findall(r"[a-z0-9][a-z0-9.-]*[a-z0-9]", card.path.read_text("utf-8")))
        assert {one for one in words if roles.get(one) == "prediction"} == set(), card.name


def test_cards_name_no_prediction():
    roles = {claim.id: claim.role for claim in schema.load()}  # of the catalogue, too
    for card in cards.catalogue():
        named = [(name, one) for name, source in card.sources.items() for one in source.claims]
        named += [("residuals", one) for one in card.residuals]
        for name, one in named:
            if not one.startswith("rated."):
                assert roles.get(one) == "calibration", f"{card.name}: {name}: {one}"


def test_what_cards_rest_on_their_sheets_is_printed_there():
    for card in cards.catalogue():
        named = {
            one
            for name, source in card.sources.items()
            if name not in card.inherited
            for one in source.claims
        } | set(card.residuals)
        rated = {one.removeprefix("rated.") for one in named if one.startswith("rated.")}
        printed = set()
        if card.rated is not None:
            printed = {one.name for one in card.rated.performance} | set(card.rated.figures)
        assert rated <= printed, card.name
