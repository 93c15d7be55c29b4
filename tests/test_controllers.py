"""Controllers: what a card says one can do, and what a volume on it is refused, with the reason."""

import re
import shlex

import pytest

from raidsim import cards
from raidsim.errors import InputError
from raidsim.layout.arrange import WORDS
from raidsim.resources import data_folder
from raidsim.running import run
from raidsim.scenario import load, load_text
from raidsim.topology.lanes import bandwidth, of_one_drive

CONTROLLERS = [card for card in cards.catalogue() if card.kind == "controller"]
SCENARIOS = sorted(data_folder("scenarios").rglob("*.toml"))
LEVELS = tuple(WORDS)
SAS_DISK = "seagate-st373455ss"
SATA_DISK = "wd-wd1600aajs"


def volume(controller, *lines, drive=SAS_DISK):
    """A scenario of one volume on a controller; ``lines`` are keys of the volume."""
    return "\n".join(
        [
            '[host]\nmodel = "fujitsu-rx300-s4"',
            f'[[controller]]\nmodel = "{controller}"',
            f'[[volume]]\ndrive = "{drive}"',
            *lines,
            '[[load]]\nread = "100 %"\nsize = "8 KiB"\noutstanding = 1',
        ]
    )


def refusals(controller, *lines, drive=SAS_DISK):
    """What is said against it, each as "key: cause; remedy"."""
    with pytest.raises(InputError) as caught:
        load_text(volume(controller, *lines, drive=drive))
    return [f"{p.key}: {p.cause}; {p.remedy}" for p in caught.value.problems]


def levels(name):
    card = cards.load(name)
    return {level for level in LEVELS if card.flag(f"levels.{level}")}


# ---- what the documents print of them


@pytest.mark.parametrize("name", ["lsi-megaraid-1064", "lsi-megaraid-1068"])
def test_the_small_controllers_of_2008_have_raid_0_1_and_1e_and_no_cache(name):
    assert levels(name) == {"jbod", "raid0", "raid1", "raid1e"}
    assert not cards.load(name).has("cache.size")


@pytest.mark.parametrize(("name", "drives"), [("lsi-megaraid-1064", 4), ("lsi-megaraid-1068", 8)])
def test_they_take_as_many_drives_as_they_have_ports(name, drives):
    card = cards.load(name)
    assert card.integer("drives.max") == card.integer("ports.lanes") == drives


@pytest.mark.parametrize("megabytes", [256, 512])
def test_the_large_controller_of_2008_has_all_levels_but_1e_and_a_cache_on_a_battery(megabytes):
    name = f"lsi-megaraid-1078-{megabytes}"
    card = cards.load(name)
    assert levels(name) == {"raid0", "raid1", "raid5", "raid6", "raid10", "raid50", "raid60"}
    assert card.integer("cache.size") == megabytes * 2**20
    assert card.word("cache.protection") == "battery"
    assert card.integer("drives.max") == 240
    assert (card["strip.smallest"], card["strip.largest"]) == (8 * 1024, 2**20)


@pytest.mark.parametrize("gigabytes", [1, 2, 4])
def test_the_controller_of_2016_has_every_level_of_its_table_and_a_cache_on_flash(gigabytes):
    name = f"cisco-12g-sas-raid-{gigabytes}gb"
    card = cards.load(name)
    assert levels(name) == {*LEVELS} - {"raid1e", "raid4"}
    assert card.integer("cache.size") == gigabytes * 2**30
    assert card.word("cache.protection") == "flash"
    assert (card["strip.smallest"], card["strip.largest"]) == (64 * 1024, 2**20)


def test_a_host_bus_adapter_passes_drives_through_and_does_nothing_else():
    assert levels("cisco-12g-sas-hba") == {"jbod"}
    assert not cards.load("cisco-12g-sas-hba").has("cache.size")


def test_embedded_raid_has_two_groups_of_four_drives():
    card = cards.load("intel-sata-raid")
    assert levels("intel-sata-raid") == {"jbod", "raid0", "raid1", "raid5", "raid10"}
    assert card.integer("drives.max") == 2 * card.integer("drives.of_volume") == 8


@pytest.mark.parametrize(
    ("name", "gigabytes", "lanes", "pcie"),
    [("lenovo-raid-940-16i-8gb", 8, 8, 16), ("broadcom-megaraid-9670w-16i", 8, 16, 32)],
)
def test_tri_mode_controllers_have_every_level_but_1e_and_take_pcie_drives(
    name, gigabytes, lanes, pcie
):
    card = cards.load(name)
    assert levels(name) == {*LEVELS} - {"raid1e", "raid4"}
    assert card.integer("cache.size") == gigabytes * 2**30
    assert card.word("cache.protection") == "flash"
    assert (card.word("link.speed"), card.integer("link.lanes")) == ("pcie-4", lanes)
    assert card.flag("drives.pcie")
    assert card.integer("drives.pcie_max") == pcie


def test_reads_that_are_one_command_each_reach_the_rate_that_is_printed():
    """3 million random reads a second (Lenovo Press LP1282): cores over the time of a command."""
    card = cards.load("lenovo-raid-940-16i-8gb")
    each = card.number("command.time") + card.number("command.device_io_time")
    assert card.integer("command.cores") / each == pytest.approx(3e6, rel=0.02)


def test_more_pcie_drives_than_it_supports_are_refused():
    lines = ('level = "raid0"', "drives = 17")
    (found,) = refusals("lenovo-raid-940-16i-8gb", *lines, drive="intel-p3700-800gb")
    assert found.startswith("volume.drives: 17 are more PCIe drives than lenovo-raid-940-16i-8gb")
    load_text(volume("lenovo-raid-940-16i-8gb", *lines))  # disks by expanders


# ---- what must hold for any of them


@pytest.mark.parametrize("card", CONTROLLERS, ids=lambda card: card.name)
def test_a_controller_does_something(card):
    assert levels(card.name)
    assert card.integer("strip.smallest") <= card.integer("strip.largest")


@pytest.mark.parametrize("card", CONTROLLERS, ids=lambda card: card.name)
def test_parity_levels_take_an_engine_that_costs_time(card):
    """A level with parity and an engine for nothing would be faster than one without."""
    has = levels(card.name)
    if has & {"raid5", "raid6", "raid50", "raid60"}:
        assert card.number("parity.time_per_byte") > 0
    if has & {"raid6", "raid60"}:
        assert card.number("parity.q_time_per_byte") > 0


@pytest.mark.parametrize(
    "card", [c for c in CONTROLLERS if c.has("cache.size")], ids=lambda card: card.name
)
def test_a_cache_is_about_as_fast_as_the_link_that_fills_it_or_faster(card):
    """A copy is a read and a write: DDR2-800 of 72 bits copies 3.3 GB/s, PCIe 2.0 x8 brings 3.7."""
    link = bandwidth(card.word("link.speed"), card.integer("link.lanes"))
    assert 1 / card.number("cache.copy_time_per_byte") > 0.9 * link
    assert card.number("cache.low_mark") < card.number("cache.high_mark")


# ---- what is refused


@pytest.mark.parametrize("controller", [card.name for card in CONTROLLERS])
@pytest.mark.parametrize("level", LEVELS)
def test_a_level_is_taken_or_refused_as_the_card_has_it(controller, level):
    sata = cards.load(controller).word("ports.speed").startswith("sata")
    lines = (f'level = "{level}"', f"drives = {2 if level == 'raid1' else 4}")
    if level in ("raid50", "raid60"):
        lines = (*lines[:1], "drives = 8", "spans = 2")
    drive = SATA_DISK if sata else SAS_DISK
    if cards.load(controller).flag(f"levels.{level}"):
        assert load_text(volume(controller, *lines, drive=drive)).volumes[0].level == level
    else:
        said = refusals(controller, *lines, drive=drive)
        assert any(s.startswith(f"volume.level: {controller} has no {level}; it has") for s in said)


@pytest.mark.parametrize(
    ("controller", "lines", "message"),
    [
        (
            "lsi-megaraid-1068",
            ['level = "raid5"', "drives = 4"],
            "volume.level: lsi-megaraid-1068 has no raid5; it has jbod, raid0, raid1, raid1e",
        ),
        (
            "cisco-12g-sas-hba",
            ['level = "raid6"', "drives = 4"],
            "volume.level: cisco-12g-sas-hba has no raid6; it has jbod; for RAID by software of the"
            ' host give controller = "host", and a [[link]] to the host that its drives are behind,'
            " as wide as the adapter",
        ),
        (
            "lsi-megaraid-1068",
            ['level = "raid0"', "drives = 4", 'write = "back"'],
            'volume.write: lsi-megaraid-1068 has no cache; give write = "through"',
        ),
        (
            "lsi-megaraid-1068",
            ['level = "raid0"', "drives = 4", 'io = "cached"'],
            'volume.io: lsi-megaraid-1068 has no cache; give io = "direct"',
        ),
        (
            "cisco-12g-sas-hba",
            ['read_ahead = "ahead"'],
            'volume.read_ahead: cisco-12g-sas-hba has no cache; give read_ahead = "none"',
        ),
        (
            "lsi-megaraid-1064",
            ['level = "raid0"', "drives = 5"],
            "volume.drives: 5 are more than lsi-megaraid-1064 supports; give at most 4",
        ),
        (
            "lsi-megaraid-1068",
            ['level = "raid0"', "drives = 4", 'strip = "128 KiB"'],
            "volume.strip: lsi-megaraid-1068 has no strips of 128 KiB; give 64 KiB",
        ),
        (
            "lsi-megaraid-1078-512",
            ['level = "raid5"', "drives = 4", 'strip = "2 MiB"'],
            "volume.strip: lsi-megaraid-1078-512 has no strips of 2 MiB;"
            " give a power of two from 8 KiB to 1 MiB",
        ),
        (
            "lsi-megaraid-1078-512",
            ['level = "raid5"', "drives = 4", 'strip = "96 KiB"'],
            "volume.strip: lsi-megaraid-1078-512 has no strips of 96 KiB;"
            " give a power of two from 8 KiB to 1 MiB",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and ":" not in value else "",
)
def test_what_a_controller_lacks_is_refused_with_what_it_has(controller, lines, message):
    assert refusals(controller, *lines) == [message]


def test_sata_ports_take_no_sas_drives():
    said = refusals("intel-sata-raid", 'level = "raid1"', "drives = 2", drive=SAS_DISK)
    assert said == [
        "volume.drive: seagate-st373455ss has SAS, and intel-sata-raid has SATA ports;"
        " give a drive with SATA"
    ]


def test_sas_ports_take_sata_drives():
    text = volume("lsi-megaraid-1068", 'level = "raid1"', "drives = 2", drive=SATA_DISK)
    assert load_text(text).volumes[0].drives == 2


def test_a_volume_on_embedded_raid_stays_within_a_group_of_four():
    said = refusals("intel-sata-raid", 'level = "raid0"', "drives = 5", drive=SATA_DISK)
    assert said == [
        "volume.drives: 5 are more than a volume on intel-sata-raid can have; give at most 4"
    ]


# ---- what the comments of scenarios say can be set


def suggestions(path):
    """The ``--set`` lines in the comments of a scenario, each as its list of KEY=VALUE."""
    for line in path.read_text(encoding="utf-8").splitlines():
        found = re.search(r"(--set .*?)(  +[^-].*)?$", line) if line.startswith("#") else None
        if found:
            yield [word for word in shlex.split(found[1]) if word != "--set"]


SUGGESTED = [
    (path.stem, words)
    for path in SCENARIOS
    for words in suggestions(path)
    if "NAME" not in words[0]
]


@pytest.mark.parametrize(
    ("scenario", "overrides"), SUGGESTED, ids=lambda v: v if isinstance(v, str) else " ".join(v)
)
def test_what_a_scenario_suggests_to_set_can_be_set(scenario, overrides):
    changed = load(scenario, overrides=overrides)
    assert changed.resolved() != load(scenario).resolved()


def test_an_array_of_the_operating_system_can_be_put_on_a_controller():
    overrides = ["controller.model=cisco-12g-sas-raid-2gb"]
    changed = load("array-database", overrides=[*overrides, "volume.drive=cisco-hdd-600gb-15k"])
    assert changed.volumes[0].controller == "controller"
    with pytest.raises(InputError, match="has NVMe, and cisco-12g-sas-raid-2gb has SAS ports"):
        load("array-database", overrides=overrides)


# ---- links that drives hang on

LINKS = '[[link]]\nname = "left"\nspeed = "sas-3g"\n[[link]]\nname = "right"\nspeed = "sas-6g"'


def behind(words):
    """A scenario whose volume is behind these links, as the file words them."""
    keys = (f"behind = {words}", 'level = "raid1"', "drives = 2")
    text = volume("cisco-12g-sas-raid-1gb", *keys, drive="cisco-ssd-sas12-ep-1600gb")
    return text.replace("[[volume]]", f"{LINKS}\n[[volume]]")


def test_one_link_may_be_written_as_a_text_and_several_as_a_list():
    found = [load_text(behind(words)).volumes[0] for words in ('"right"', '["right", "left"]')]
    assert [one.behind for one in found] == [("right",), ("right", "left")]
    assert {one.controller for one in found} == {"controller"}
    # All drives of a volume are alike: they run at the speed of the slower link.
    speeds = [1 / one.card.number("link.time_per_byte") for one in found]
    assert speeds == pytest.approx([of_one_drive(speed, "sas") for speed in ("sas-6g", "sas-3g")])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            '["left", "rihgt"]',
            'volume.behind: "rihgt" is not a link of this scenario; did you mean',
        ),
        ('["left", "left"]', 'volume.behind: "left" is there twice; name each once'),
        ('["left", 7]', "volume.behind[1]: 7 is not a text"),
    ],
)
def test_links_that_are_not_there_or_there_twice_are_refused(words, message):
    with pytest.raises(InputError) as caught:
        load_text(behind(words))
    (problem,) = caught.value.problems
    assert f"{problem.key}: {problem.cause}; {problem.remedy}".startswith(message)
    assert problem.line == behind(words).splitlines().index(f"behind = {words}") + 1


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (
            ('level = "raid1"', "drives = 3"),
            "mirrors at most 2 drives under raid1; give drives = 2",
        ),
        (('level = "raid1"', "drives = 5"), 'level = "raid10" for more drives, or more copies by'),
        (
            ('level = "raid10"', "drives = 8", "copies = 4"),
            "keeps at most 2 copies under raid10; give copies = 2, or more copies by software",
        ),
    ],
)
@pytest.mark.parametrize("card", ["dell-perc-h730", "lsi-megaraid-1078-512"])
def test_a_raid_controller_mirrors_pairs(card, keys, said):
    """PERC and MegaRAID have RAID 1 of two drives, and RAID 10 of such pairs."""
    found = refusals(card, *keys, drive=SAS_DISK)
    assert len(found) == 1
    assert said in found[0]


def test_a_card_may_say_that_its_firmware_keeps_more_copies():
    """Adaptec and Smart Array of today mirror three drives, RAID 1 (ADM) or triple."""
    text = volume("dell-perc-h730", 'level = "raid1"', "drives = 3", drive=SAS_DISK)
    triple = text.replace(
        'model = "dell-perc-h730"', 'model = "dell-perc-h730"\nset = {"levels.copies" = 3}'
    )
    assert triple != text
    assert load_text(triple).volumes[0].failures_tolerated == 2


def test_a_drive_fails_once():
    """[0, 0] was taken for [0]: a RAID 6 that was meant to lack two drives lacked one."""
    keys = ('level = "raid6"', "drives = 4", "failed = [0, 0]")
    (said,) = refusals("lsi-megaraid-1078-512", *keys)
    assert said == "volume.failed: drive 0 is there twice; name each drive once"


# ---- what their firmware does with the read modes


@pytest.mark.parametrize(
    "name", ["dell-perc-h730", "dell-perc-h740p", "dell-perc-h755", "broadcom-megaraid-9670w-16i"]
)
def test_a_controller_of_today_set_to_read_ahead_fetches_nothing_behind_random_reads(name):
    """Two solid state drives do tens of thousands of them; a megabyte behind each left 1,036."""
    modes = {
        mode: run(
            load_text(
                f"""
                [host]
                model = "linux-xeon-e5-pair"
                [[controller]]
                model = "{name}"
                [[volume]]
                level = "raid0"
                drives = 2
                drive = "intel-s4510-480gb"
                state = "filled"
                read_ahead = "{mode}"
                [[load]]
                read = "100 %"
                size = "4 KiB"
                outstanding = 32
                [measure]
                min_ios = 2000
                precision = "10 %"
                """
            )
        ).points[0]
        for mode in ("ahead", "adaptive")
    }
    assert modes["ahead"].iops == modes["adaptive"].iops
    assert modes["ahead"].iops.mean > 30_000
