"""What raidsim check finds in a scenario that could be run."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from raidsim import cards
from raidsim.assembly import heat
from raidsim.cards.attributes import DRIVE_KINDS
from raidsim.report.check_text import print_brief, print_checked
from raidsim.report.checked import Checked
from raidsim.report.console import ReportConsole
from raidsim.report.finding import Severity
from raidsim.report.findings import findings
from raidsim.risk.assess import assess_all
from raidsim.scenario import Scenario, load_text
from raidsim.scenario import load as load_scenario

ROOT = Path(__file__).resolve().parents[1]
SCENARIO = """
title = "Two loads"
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
drive = "intel-p3700-800gb"
[[load]]
name = "reader"
read = "100 %"
size = "8 KiB"
outstanding = [1, 8]
"""
WRITER = '[[load]]\nname = "writer"\nread = "0 %"\nsize = "8 KiB"\nrate = "1000 IO/s"\n'


def scenario(text: str = SCENARIO, *overrides: str) -> Scenario:
    return load_text(text, overrides=overrides)


def found(checked: Scenario) -> list[str]:
    """Findings, without the standing ones on values that nobody measured, or that do not add up."""
    standing = (" values are ", "flash.die_capacity")
    return [
        str(finding)
        for finding in findings(checked)
        if not any(one in str(finding) for one in standing)
    ]


def test_a_plain_scenario_has_no_findings_but_on_its_cards() -> None:
    assert found(scenario()) == []


DISK_WRITER = """
[host]
model = "linux-xeon-e5-pair"
[[volume]]
drive = "hgst-he8-8tb"
set = { "write_cache.protected_size" = "0 B" }
[[load]]
read = "0 %"
size = "4 KiB"
outstanding = 1
"""


def test_a_sata_disk_whose_write_cache_nobody_set_counts_as_switched_off_and_that_is_said() -> None:
    """SATA disks are sold with the write cache on, and its random writes are faster by far."""
    said = [text for text in found(scenario(DISK_WRITER)) if "counts as off" in text]
    assert len(said) == 1
    assert 'disk_cache = "on"' in said[0]


@pytest.mark.parametrize(
    "override",
    [
        'volume.disk_cache="off"',
        'volume.disk_cache="on"',
        "load.read=100 %",
        'volume.set.write_cache.protected_size="128 MiB"',  # writes go to a persistent cache
        "volume.drive=wd-red-plus-8tb",  # its card says that the cache is on
        "volume.drive=hp-eh0300jdyth",  # a SAS disk, which is sold with it off
    ],
)
def test_a_write_cache_that_was_set_or_makes_no_difference_is_no_finding(override: str) -> None:
    assert not any("counts as off" in text for text in found(scenario(DISK_WRITER, override)))


def test_values_that_are_assumed_or_by_default_are_named() -> None:
    checked = scenario(SCENARIO, "volume.set.buffer.size=4 MiB")
    texts = [str(finding) for finding in findings(checked)]
    assumed = next(text for text in texts if "intel-p3700-800gb: " in text and "assumed" in text)
    card = checked.volumes[0].card
    names = [name for name, source in card.sources.items() if source.source == "assumed"]
    assert f"{len(names)} of {len(card.values)} values are assumed" in assumed
    assert all(name in assumed for name in names)
    assert "buffer.size" not in assumed


def test_a_card_has_one_line_on_what_its_values_rest_on() -> None:
    lines = [one for one in findings(scenario()) if one.of_values]
    assert [one.where for one in lines] == ["model fujitsu-rx2540-m1", "model intel-p3700-800gb"]
    assert re.fullmatch(
        r"\d+ of \d+ values are assumed, \d+ are defaults for which its card has no value",
        lines[0].what,
    )


def test_brief_leaves_out_what_values_rest_on() -> None:
    checked = scenario()
    out = io.StringIO()
    console = ReportConsole(file=out)
    print_brief(Checked.of(checked, []), console)
    assert "values are" not in out.getvalue()
    print_brief(Checked.of(checked, []), console, every=True)
    assert out.getvalue().count("values are assumed") == 2


@pytest.mark.parametrize(
    ("model", "severity"),
    [("dell-perc-h730", Severity.warning), ("cisco-12g-sas-raid-1gb", None)],
)
def test_a_controller_that_borrows_all_from_another_maker_is_warned_of(
    model: str, severity: Severity | None
) -> None:
    table = f'[[controller]]\nmodel = "{model}"\n[[volume]]'
    text = SCENARIO.replace("[[volume]]", table)
    text = text.replace("intel-p3700-800gb", "seagate-st8000nm000a")
    checked = scenario(text, "volume.level=raid1", "volume.drives=2")
    borrowed = [one for one in findings(checked) if "another maker sells" in one.what]
    assert [one.severity for one in borrowed] == ([severity] if severity else [])


def test_writes_into_an_unprotected_buffer_can_be_lost() -> None:
    bare = SCENARIO.replace('800gb"', '800gb"\nset = { "buffer.protected" = false }')
    assert found(scenario(bare)) == []
    assert "a power cut loses up to 16 MiB" in found(scenario(bare + WRITER))[0]


@pytest.mark.parametrize(("workers", "risky"), [(8, False), (9, True)])
def test_a_worker_needs_a_core(workers: int, risky: bool) -> None:
    texts = found(scenario(SCENARIO, f"load.workers={workers}"))
    assert any("9 workers on 8 cores" in text for text in texts) is risky


def test_a_rate_that_the_front_end_cannot_serve_saturates() -> None:
    """One core of 2.08 us a command serves 480,000 commands a second."""
    fast = SCENARIO.replace("outstanding = [1, 8]", 'workers = 8\nrate = "62.5 kIO/s"')
    slower = '[volume.set]\n"front_end.command_time" = "2.08 us"\n[[load]]'
    fast = fast.replace("[[load]]", slower, 1)
    texts = found(scenario(fast))
    assert any("front end" in text and "104 %" in text and "saturates" in text for text in texts)


def test_a_rate_that_fills_the_link_saturates() -> None:
    large = SCENARIO.replace("outstanding = [1, 8]", 'rate = "4 kIO/s"').replace("8 KiB", "1 MiB")
    assert any("link of" in text and "saturates" in text for text in found(scenario(large)))


def test_a_rate_that_one_process_cannot_submit_saturates() -> None:
    many = SCENARIO.replace("outstanding = [1, 8]", 'rate = "300 kIO/s"')
    texts = found(scenario(many))
    assert any("submission on the host's CPU" in text for text in texts)


def test_rates_that_the_interrupts_cannot_complete_saturate() -> None:
    """One core of 4 us an I/O completes 250,000 I/Os a second of all processes."""
    many = SCENARIO.replace("outstanding = [1, 8]", 'workers = 3\nrate = "90 kIO/s"')
    slow = many.replace("[[volume]]", '[host.set]\n"complete.io_time" = "4 us"\n[[volume]]', 1)
    texts = found(scenario(slow))
    assert any("completion on the host's CPU" in text and "108 %" in text for text in texts)


def test_a_modest_rate_is_no_finding() -> None:
    assert found(scenario(SCENARIO + WRITER)) == []


def test_writing_faster_than_the_drive_is_rated_for_wears_it_out() -> None:
    """10 drive writes of 800 GB a day are 92.6 MB/s."""
    worn = WRITER.replace("1000 IO/s", "20 kIO/s")
    texts = found(scenario(SCENARIO + worn))
    assert any("17.7 times over" in text and "10 drive writes a day" in text for text in texts)


def test_a_load_that_fits_in_the_buffer_measures_the_buffer() -> None:
    small = SCENARIO.replace("100 %", "50 %", 1) + 'area = { size = "8 MiB" }\n'
    assert any("fits in the write buffer" in text for text in found(scenario(small)))


def test_requests_off_the_map_are_named() -> None:
    texts = found(scenario(SCENARIO + 'align = "512 B"\n'))
    assert any("512 B are no multiple of 4 KiB" in text for text in texts)


def test_a_rebuild_into_an_slc_cache_is_no_measure_of_the_whole() -> None:
    """A sample of 512 MiB takes a third of the time of the drive of 500 GB behind it."""
    mirror = ["volume.drive=samsung-970-evo-plus-500gb", "volume.level=raid1", "volume.drives=2"]
    words = "timed by a sample that fits in the SLC cache of a new samsung-970-evo-plus-500gb"
    assert any(words in one for one in found(scenario(SCENARIO, *mirror)))
    assert not any(words in one for one in found(scenario(SCENARIO, mirror[0])))


def test_writes_that_begin_in_an_slc_cache_have_two_rates() -> None:
    client = "volume.drive=samsung-970-evo-plus-500gb"
    words = "begins with the SLC cache of samsung-970-evo-plus-500gb empty"
    for state, said in (("filled", True), ("fresh", True), ("steady", False)):
        checked = scenario(SCENARIO, client, f"volume.state={state}", "load.read=0 %")
        assert any(words in one for one in found(checked)) == said
    ends = scenario(
        SCENARIO, client, "volume.state=fresh", "load.read=0 %", "load.limit.bytes=10 GB"
    )
    assert not any(words in one for one in found(ends))
    # What fits into it and is written over in sequence stays there; 4 GB of a full drive hold
    # 2 GiB, not 6. At random the oldest blocks keep some units that were not written anew.
    for area, random, said in (("2 GiB", 0, False), ("6 GiB", 0, True), ("2 GiB", 100, True)):
        sets = ("load.read=0 %", f"load.random={random} %", f"load.area.size={area}")
        small = scenario(SCENARIO, client, *sets, "volume.state=filled")
        assert any(words in one for one in found(small)) == said


def test_a_load_that_ends_early_is_named() -> None:
    texts = found(scenario(SCENARIO + "limit = { ios = 100 }\n"))
    assert any("ends after 100 I/Os" in text for text in texts)


def test_check_shows_hardware_loads_and_findings() -> None:
    text = io.StringIO()
    checked = scenario(SCENARIO + WRITER)
    print_checked(Checked.of(checked, assess_all(checked)), ReportConsole(text))
    shown = text.getvalue()
    for words in (
        "8 cores at 3.5 GHz",
        "Intel SSD DC P3700 800 GB, 800 GB",
        "reader: 8 KiB, 100 % read",
        "1, 8 outstanding",
        "1,000 IO/s offered",
        "touches 100 % of the volume",
        "to 1 % at 95 % confidence",
        "findings (",
    ):
        assert words in shown


ONE_DRIVE = """
[host]
model = "fujitsu-rx300-s7"
[[volume]]
drive = "{drive}"
[[load]]
read = "{read}"
size = "8 KiB"
{intensity}
"""
DRIVES = [card.name for card in cards.catalogue() if card.kind in DRIVE_KINDS]


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("intensity", ["outstanding = 1", 'rate = "50 IO/s"'])
def test_every_drive_can_be_checked_under_every_kind_of_load(drive: str, intensity: str) -> None:
    for read in ("100 %", "50 %"):
        text = ONE_DRIVE.format(drive=drive, read=read, intensity=intensity)
        said = " ".join(map(str, findings(load_text(text))))
        card = cards.load(drive)
        safe = (
            not card.flag("write_cache.enabled")
            if card.kind == "hdd"
            else card.flag("buffer.protected")
        )
        assert ("a power cut loses" in said) == (read != "100 %" and not safe)


def test_arrivals_faster_than_an_arm_can_move_are_found() -> None:
    text = ONE_DRIVE.format(drive="nl-sas-2tb", read="100 %", intensity='rate = "5000 IO/s"')
    assert any("arm of nl-sas-2tb" in str(found) for found in findings(load_text(text)))


def test_a_disk_that_does_not_say_how_many_commands_it_sorts_is_named(tmp_path: Path) -> None:
    page = (ROOT / "docs/how-to/own-drive.md").read_text(encoding="utf-8")
    (card,) = re.findall(r'```toml\n(name = "my-disk-4tb".*?)```', page, re.DOTALL)
    with_window, without = tmp_path / "my-disk-4tb.toml", tmp_path / "silent.toml"
    with_window.write_text(card, encoding="utf-8")
    silent = re.sub(r"\[queue\]\nwindow.*\nchoose_time.*\n", "", card).replace(
        "my-disk-4tb", "silent"
    )
    without.write_text(silent, encoding="utf-8")
    said = [found(scenario(SCENARIO, f"volume.drive={path}")) for path in (with_window, without)]
    assert not any("queue.window" in text for text in said[0])
    assert any("queue.window is not given, so that all 128 commands" in text for text in said[1])


def of_the_sheet(drive: str, read: str, random: str, *others: str) -> list[str]:
    """What is said of a load that the sheet of a drive prints no rate of."""
    changes = [f"volume.drive={drive}", f"load.read={read}", f"load.random={random}"]
    checked = scenario(SCENARIO, *changes, "load.size=4 KiB", *others)
    return [str(one) for one in findings(checked) if "has no printed rate of" in str(one)]


BX500 = "crucial-bx500-2tb"


@pytest.mark.parametrize(
    ("left", "words"),
    [
        ("246.4 %", "sequential-write 560 MB/s, 246 % more here"),
        ("-30 %", "sequential-write 560 MB/s, 30 % less here"),
        ("9 %", ""),
    ],
)
def test_a_card_that_a_fit_left_far_from_its_sheet_is_named(
    left: str, words: str, tmp_path: Path
) -> None:
    """A card of an 870 QVO came to 3.5 times the rate that its sheet prints after the cache."""
    path = tmp_path / "drive.toml"
    path.write_text(
        'schema = 2\nname = "drive"\nkind = "ssd"\ntitle = "A drive"\n'
        'base = "kingston-dc600m-960gb"\n'
        '[rated]\nsheet = "a sheet"\n[[rated.performance]]\nname = "sequential-write"\n'
        'value = 560\nunit = "MB/s"\nread = "0 %"\nrandom = "0 %"\nsize = "128 KiB"\n'
        f'outstanding = 32\npage = "p. 1"\n[residuals]\n"rated.sequential-write" = "{left}"\n',
        encoding="utf-8",
    )
    said = [str(one) for one in findings(scenario(SCENARIO, f"volume.drive={path}"))]
    (text,) = [one for one in said if "do not meet its own sheet" in one] or [""]
    assert words in text
    assert bool(text) == bool(words)


def test_random_ios_that_a_sheet_does_not_print_are_named() -> None:
    """A BX500 of 2 TB, of which sequential rates are printed alone, wrote 5,600 times a second."""
    assert of_the_sheet(BX500, "100 %", "0 %") == []
    assert of_the_sheet(BX500, "0 %", "0 %", "volume.state=filled") == []
    (reads,) = of_the_sheet(BX500, "100 %", "100 %")
    assert "no printed rate of random reads, which load reader does" in reads
    assert "those of intel-s4600-960gb" in reads
    (mixed,) = of_the_sheet(BX500, "70 %", "50 %")
    assert "no printed rate of random reads and random writes" in mixed


@pytest.mark.parametrize(
    "drive", ["intel-p3700-800gb", "micron-5100-eco-1920gb", "samsung-pm9a3-7680gb"]
)
def test_drives_whose_rates_are_known_elsewhere_are_not_named(drive: str) -> None:
    """From a document, from another capacity of the same drive, or from a sheet with all four."""
    for read in ("100 %", "0 %"):
        for random in ("100 %", "0 %"):
            assert of_the_sheet(drive, read, random) == []


def test_a_rate_that_may_be_on_the_sheet_is_missed_on_the_card() -> None:
    """Of the copies of the PM983's specification those of sequential I/O could not be read."""
    (writes,) = of_the_sheet("samsung-pm983-3840gb", "0 %", "0 %")
    assert "its card has no printed rate of sequential writes" in writes
    assert "are assumed" in writes


def test_writes_in_a_burst_are_no_rate_of_writes_that_go_on() -> None:
    """The sheet of the 870 EVO prints what its SLC cache takes in, and no rate beyond that."""
    evo = "samsung-870-evo-1tb"
    assert of_the_sheet(evo, "100 %", "100 %") == of_the_sheet(evo, "100 %", "0 %") == []
    (writes,) = of_the_sheet(evo, "70 %", "100 %")
    assert "no printed rate of sustained random writes, which load reader does" in writes
    assert of_the_sheet(evo, "70 %", "100 %", "volume.state=filled") == []


FAST = SCENARIO.replace("intel-p3700-800gb", "samsung-pm9a3-7680gb")
OLD_SLOTS = FAST.replace("fujitsu-rx2540-m1", "linux-xeon-e5-pair")


def test_a_slot_that_is_slower_than_its_drive_is_named() -> None:
    """A drive of PCIe 4.0 in a host of 3.0, which is all that a run tells of by its figures."""
    (text,) = [one for one in found(scenario(OLD_SLOTS)) if "slot" in one]
    assert "linux-xeon-e5-pair carries 3,600 MB/s of reads" in text
    assert "samsung-pm9a3-7680gb in it 7,300" in text
    of_its_time = FAST.replace("fujitsu-rx2540-m1", "amd-epyc-9654-pair")
    assert not any("slot" in one for one in found(scenario(of_its_time)))


def test_a_rate_that_fills_the_slot_of_a_drive_saturates() -> None:
    """1.2 million reads of 4 KiB are 4,915 MB/s, of 3,600 that the slot carries."""
    many = OLD_SLOTS.replace("outstanding = [1, 8]", 'workers = 8\nrate = "150 kIO/s"')
    texts = found(scenario(many.replace("8 KiB", "4 KiB")))
    assert any("137 % of the time of the link of samsung" in text for text in texts)


def test_a_host_that_takes_no_time_is_busy_with_no_pages() -> None:
    free = ("submit.io_time", "submit.page_time", "complete.io_time", "complete.page_time")
    none = [f"host.set.{name}=0 us" for name in free]
    assert not any("of memory" in one for one in found(scenario(FAST, *none)))


@pytest.mark.parametrize(
    ("drives", "size", "page", "told"),
    [
        (12, "256 KiB", "4 KiB", True),
        (12, "256 KiB", "2 MiB", False),  # huge pages, of which a read touches one
        (12, "4 KiB", "4 KiB", False),  # one page: most is the I/O itself
        (1, "256 KiB", "4 KiB", False),  # one drive, which is busy first
    ],
)
def test_a_thread_that_is_busy_with_pages_before_the_drives_are_is_told(
    drives: int, size: str, page: str, told: bool
) -> None:
    """A read of 256 KiB takes 2.4 us of a core and 4.1 us for 64 pages: 39 GB/s by one thread."""
    server = f'model = "amd-epyc-9654-pair"\nset = {{ "page.size" = "{page}" }}'
    text = FAST.replace('model = "fujitsu-rx2540-m1"', server).replace("8 KiB", size)
    level = f'level = "raid0"\nstrip = "512 KiB"\ndrives = {drives}\n' if drives > 1 else ""
    texts = found(scenario(text.replace("[[volume]]\n", "[[volume]]\n" + level)))
    assert any("of memory" in one for one in texts) == told


def test_the_cpu_time_of_a_driver_counts_among_what_a_process_submits() -> None:
    """The driver of an ioDrive2 takes some us of the process for each I/O, beside the system."""
    card = SCENARIO.replace("intel-p3700-800gb", "iodrive2-1200gb").replace("8 KiB", "4 KiB")
    many = card.replace("outstanding = [1, 8]", 'rate = "190 kIO/s"')
    assert any("submission on the host's CPU" in text for text in found(scenario(many)))


@pytest.mark.parametrize(
    ("write", "partitions", "together"),
    [("back", False, True), ("through", False, False), ("back", True, False)],
)
def test_workers_that_write_the_same_through_a_cache_are_named(write, partitions, together) -> None:
    """Two writers of the same blocks were carried twice what their four drives write."""
    load = ["load.read=0 %", "load.random=0 %", "load.workers=2", "load.outstanding=4"]
    load += [f"load.partitions={str(partitions).lower()}", f"volume.write={write}"]
    checked = load_scenario("p420i-fio", overrides=load)
    assert any("write in sequence to the same place" in one for one in found(checked)) == together


SEQUENTIAL = SCENARIO.replace('read = "100 %"', 'read = "100 %"\nrandom = "0 %"\nworkers = 4')


@pytest.mark.parametrize(
    ("drive", "more", "together"),
    [
        ("nl-sas-2tb", "", True),
        ("nl-sas-2tb", "partitions = true", False),
        ("intel-p3700-800gb", "", False),  # which reads ahead, and keeps nothing for others
    ],
)
def test_workers_that_read_the_same_from_a_cache_are_named(drive, more, together) -> None:
    """Four processes of fio on a disk carried 524 MB/s, where its medium gives 167."""
    text = SEQUENTIAL.replace("intel-p3700-800gb", drive).replace("[1, 8]", f"1\n{more}")
    assert any("the same place" in one for one in found(scenario(text))) == together


@pytest.mark.parametrize(
    ("ambient", "airflow", "said"),
    [
        ("35 C", "100 %", ""),
        ("35 C", "20 %", "at its most, 25 W, intel-p3700-800gb-sff comes to "),
        ("90 C", "100 %", "even idle, at 4 W, intel-p3700-800gb-sff comes to "),
    ],
)
def test_a_drive_that_throttles_in_its_air_is_told_of(
    ambient: str, airflow: str, said: str
) -> None:
    """Power times the resistance to the air, against the temperature at which throttling begins."""
    air = [f"air.ambient={ambient}", f"air.airflow={airflow}"]
    checked = scenario(SCENARIO.replace("800gb", "800gb-sff"), *air)
    told = [one for one in found(checked) if "throttles" in one]
    assert len(told) == bool(said)
    for one in told:
        assert said in one
        card, warm = checked.volumes[0].card, float(one.split(" comes to ")[1].split(" C in")[0])
        power = card.number("power.idle" if "idle" in said else "power.active")
        to_air = heat.resistance(card, checked.air.airflow)
        assert warm == pytest.approx(checked.air.ambient + power * to_air, abs=0.5)
        assert warm > card.number("throttle.light_at")
