# ruff: noqa: E501 - one mistake a line reads as a table
"""A [[hybrid]] in a scenario: what it says, and what is wrong in it."""

from __future__ import annotations

import pytest

from raidsim import scenario
from raidsim.errors import InputError
from raidsim.observe.inventory import hybrid_facts
from raidsim.report.findings import findings
from raidsim.result.facts import HybridFacts

TEXT = """\
[host]
model = "fujitsu-rx300-s4"
[[controller]]
name = "raid"
model = "lsi-megaraid-1078-512"
[[volume]]
name = "flash"
drive = "intel-p3700-800gb"
controller = "host"
[[volume]]
name = "disks"
drive = "seagate-st373455ss"
level = "raid5"
drives = 4
[[hybrid]]
name = "both"
front = "flash"
back = "disks"
[[load]]
read = "67 %"
size = "8 KiB"
outstanding = 1
"""


def problems_of(text: str) -> list[tuple[int | None, str | None, str]]:
    with pytest.raises(InputError) as caught:
        scenario.load_text(text, "bad.toml")
    return [(one.line, one.key, f"{one.cause}; {one.remedy}") for one in caught.value.problems]


def with_keys(keys: str) -> str:
    return TEXT.replace('back = "disks"\n', f'back = "disks"\n{keys}\n')


def test_a_load_runs_on_the_hybrid_when_nothing_else_is_left() -> None:
    loaded = scenario.load_text(TEXT)
    (hybrid,) = loaded.hybrids
    assert loaded.loads[0].volume == "both"
    assert loaded.hybrid("both") is hybrid
    assert hybrid.capacity == loaded.volume("disks").capacity // 65536 * 65536
    assert hybrid.blocks * 65536 == hybrid.capacity  # the front has more than the back
    assert hybrid.controller == "host"


def test_what_was_loaded_can_be_written_and_loaded_again() -> None:
    loaded = scenario.load_text(with_keys('warm = { size = "1 GiB" }\nbypass = "1 MiB"'))
    again = scenario.from_data(loaded.resolved())
    assert again.resolved() == loaded.resolved()
    assert again.hybrids == loaded.hybrids
    changed = scenario.load_text(TEXT, overrides=["hybrid.block=4 KiB", "hybrid.size=1 GiB"])
    assert (changed.hybrids[0].block, changed.hybrids[0].capacity) == (4096, 2**30)


def test_facts_say_what_is_in_front_of_what() -> None:
    (hybrid,) = scenario.load_text(with_keys('size = "2 GiB"\nfront_size = "1 GiB"')).hybrids
    facts = HybridFacts("both", "cache", "flash", "disks", 2**30, 2**31, 65536)
    assert hybrid_facts(hybrid) == facts


@pytest.mark.parametrize(
    ("keys", "line", "key", "words"),
    [
        ('mode = "teir"', 19, "hybrid.mode", "is not known here"),
        ("block = 5", 19, "hybrid.block", "has no unit"),
        ('size = "much"', 19, "hybrid.size", "does not start with a number"),
        ('block = "48 KiB"', 19, "hybrid.block", "a block cannot be of 48 KiB; give a power of two"),
        ('block = "2 KiB"', 19, "hybrid.block", "from 4 KiB to 64 MiB"),
        ('low = "90 %"', 19, "hybrid.low", "is more than high"),
        ('size = "1000 GB"', 19, "hybrid.size", "is more than the back has"),
        ('size = "32 KiB"', 19, "hybrid.size", "holds no block of 64 KiB"),
        ('front_size = "900 GB"', 19, "hybrid.front_size", "is more than the front has"),
        ('front_size = "32 KiB"', 19, "hybrid.front_size", "holds no block of 64 KiB"),
        ('back_offset = "96 KiB"', 19, "hybrid.back_offset", "is not at the beginning of a block"),
        ('back_offset = "500 GiB"', 19, "hybrid.back_offset", "is beyond the end of the back"),
        ('block = "8 KiB"', 19, "hybrid.block", "too many to follow"),
        ('block = "8 KiB"', 19, "hybrid.block", 'write block = "16 KiB" or more'),
        ('warm = { offset = "300 GB" }', 19, "hybrid.warm", "ends beyond the hybrid"),
        ('mode = "tier"\nwrite = "through"', 20, "hybrid.write", "this is a tier"),
        ('buffer = "back"', 19, "hybrid.buffer", "this hybrid is on the host"),
        ('controller = "rad"', 19, "hybrid.controller", "not a controller of this scenario"),
        ('colour = "red"', 19, "hybrid.colour", "unknown key"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(keys: str, line: int, key: str, words: str) -> None:
    found = problems_of(with_keys(keys))
    assert [(one[0], one[1]) for one in found] == [(line, key)]
    assert words in found[0][2]


def test_front_and_back_are_two_volumes_of_the_scenario() -> None:
    (found,) = problems_of(TEXT.replace('front = "flash"', 'front = "flsh"'))
    assert found[1] == "hybrid.front"
    assert "did you mean" in found[2]
    (found,) = problems_of(TEXT.replace('front = "flash"', 'front = "disks"'))
    assert (found[1], "is the same volume as the front" in found[2]) == ("hybrid.back", True)


def test_a_front_that_is_not_there_is_told_beside_a_wrong_controller() -> None:
    text = TEXT.replace('front = "flash"', 'front = "flsh"\ncontroller = "rad"')
    assert {one[1] for one in problems_of(text)} == {"hybrid.front", "hybrid.controller"}


def test_a_front_that_is_not_there_is_told_beside_a_controller_without_a_card() -> None:
    text = TEXT.replace('front = "flash"', 'front = "flsh"\ncontroller = "raid"')
    text = text.replace("lsi-megaraid-1078-512", "no-such-card")
    assert {"hybrid.front", "controller.model"} <= {one[1] for one in problems_of(text)}


def test_a_load_does_not_run_on_a_part_of_a_hybrid() -> None:
    (found,) = problems_of(TEXT.replace('read = "67 %"', 'volume = "disks"\nread = "67 %"'))
    assert found[1] == "load.volume"
    assert "is a part of" in found[2]


def test_a_load_stays_within_the_hybrid() -> None:
    text = with_keys('size = "1 GiB"').replace(
        'size = "8 KiB"', 'size = "8 KiB"\narea = { size = "2 GiB" }'
    )
    (found,) = problems_of(text)
    assert found[1] == "load.area"


def test_names_are_told_apart() -> None:
    (found,) = problems_of(TEXT.replace('name = "both"', 'name = "disks"'))
    assert (found[1], "is the name of a volume too" in found[2]) == ("hybrid.name", True)


def test_a_hybrid_is_not_called_as_its_controller() -> None:
    (found,) = problems_of(TEXT.replace('name = "both"', 'name = "raid"'))
    assert (found[1], "is the name of a controller too" in found[2]) == ("hybrid.name", True)


SECOND = '[[hybrid]]\nname = "more"\nfront = "other"\nback = "disks"\n'
OTHER = '[[volume]]\nname = "other"\ndrive = "intel-p3700-800gb"\ncontroller = "host"\n'


def test_two_hybrids_share_a_back_if_their_regions_do_not_overlap() -> None:
    text = with_keys('size = "1 GiB"').replace("[[hybrid]]", f"{OTHER}[[hybrid]]", 1)
    text = text.replace("[[load]]", SECOND + '@\n[[load]]\nvolume = "both"')
    apart = scenario.load_text(text.replace("@", 'back_offset = "1 GiB"'))
    assert [one.back_offset for one in apart.hybrids] == [0, 2**30]
    (found,) = problems_of(text.replace("@", 'back_offset = "1023 MiB"'))
    assert (found[1], "overlaps that of" in found[2]) == ("hybrid[1].back_offset", True)
    (found,) = problems_of(
        text.replace("@", 'back_offset = "1 GiB"').replace('"other"\nback', '"flash"\nback')
    )
    assert (found[1], "is in use by" in found[2]) == ("hybrid[1].front", True)


def test_a_storage_processor_has_its_cache_in_front_of_the_hybrid() -> None:
    text = TEXT.replace("drives = 4\n", 'drives = 4\nwrite = "back"\n')
    assert scenario.load_text(text).hybrids  # the host asks the disks through their controller
    text = text.replace('back = "disks"\n', 'back = "disks"\ncontroller = "raid"\n')
    (found,) = problems_of(text)
    assert found[1] == "hybrid.back"
    assert "give buffer there" in found[2]


def test_pcie_flash_is_on_a_controller_that_has_slots_for_it() -> None:
    text = TEXT.replace(
        'drive = "intel-p3700-800gb"\ncontroller = "host"',
        'drive = "intel-p3700-800gb"\ncontroller = "raid"',
    )
    (found,) = problems_of(text)
    assert found[1] == "volume[0].drive"
    slots = 'model = "lsi-megaraid-1078-512"\nset = { "drives.pcie" = true }'
    assert scenario.load_text(text.replace('model = "lsi-megaraid-1078-512"', slots)).hybrids


def test_a_front_that_holds_data_alone_without_redundancy_is_a_finding() -> None:
    def risks(text: str) -> list[str]:
        found = findings(scenario.load_text(text))
        return [one.what for one in found if one.where == "hybrid both"]

    (what,) = risks(TEXT)
    assert "takes up to 220.2 GB with it" in what
    assert risks(with_keys('write = "through"')) == []
    assert risks(with_keys('write = "around"')) == []
    assert risks(TEXT.replace('read = "67 %"', 'read = "100 %"')) == []
    assert len(risks(with_keys('mode = "tier"'))) == 1
