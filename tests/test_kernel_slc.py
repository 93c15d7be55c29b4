"""An SLC cache in front of slower flash: its rates, its room, and that no byte is lost."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from conftest import compiled_only
from watching import begin

from raidsim import cards
from raidsim.assembly import ftl
from raidsim.assembly.drives import kind_of
from raidsim.control import Environment, Host, Load, Volume
from raidsim.control.model import BuiltSystem, build
from raidsim.errors import InputError
from raidsim.intervene.window import reset
from raidsim.kernel import tables as t
from raidsim.observe import wear
from raidsim.scenario import from_data

MODEL = "samsung-970-evo-plus-500gb"
CARD = cards.load(MODEL)
UNIT = 32 * 1024  # program unit: two planes of 16 KiB
DIES = 4
REGION = 192 * UNIT  # 6 MiB
SMALL = {
    "flash.channels": 2,
    "flash.dies_per_channel": 2,
    "flash.pages_per_block": 48,
    "buffer.size": "1 MiB",
    "slc.size": f"{REGION} B",
    "slc.dynamic_size": "0 B",
    "slc.idle_after": "10 ms",
}
FOLDS = {"slc.when_full": "fold"}
SLC_PROGRAM, SLC_READ = CARD.number("slc.program_time"), CARD.number("slc.read_time")
ERASE = CARD.number("flash.erase_time") / 48  # share of each program
SLC_ERASE = CARD.number("flash.erase_time") / 16  # a third of the pages
PROGRAM = CARD.number("flash.program_time") + ERASE
FOLD = SLC_READ + PROGRAM + SLC_ERASE
BURST = DIES * UNIT / SLC_PROGRAM
STEADY = DIES * UNIT / PROGRAM


@pytest.fixture(autouse=True)
def _small_map(monkeypatch: pytest.MonkeyPatch) -> None:
    """A map that is made in no time, interpreted as well."""
    monkeypatch.setattr(ftl, "TARGET_UNITS", 4096)


def built_system(
    total: int,
    drive: dict[str, Any] | None = None,
    load: dict[str, Any] | None = None,
    **volume: Any,
) -> BuiltSystem:
    """A small drive with such a cache, and a sequential write of so many bytes."""
    data = {
        "host": {"model": "fujitsu-rx2540-m1"},
        "volume": [
            {"name": "data", "drive": MODEL, "set": SMALL | (drive or {})}
            | {"state": "fresh"}
            | volume
        ],
        "load": [
            {
                "name": "copy",
                "volume": "data",
                "read": "0 %",
                "random": "0 %",
                "size": "128 KiB",
                "outstanding": 16,
                "limit": {"bytes": f"{total} B"},
            }
            | (load or {})
        ],
    }
    made = build(from_data(data))
    begin(made)
    reset(made.system)
    return made


def written(total: int, drive: dict[str, Any] | None = None, **volume: Any) -> float:
    """Time until so many bytes are acknowledged, s."""
    made = built_system(total, drive, **volume)
    made.system.run(t.NEVER, budget=-(-total // (128 * 1024)))
    return float(made.system.now) / 1e9


def rate(first: int, last: int, drive: dict[str, Any] | None = None, **volume: Any) -> float:
    """Rate of a long write between two amounts, bytes/s: what begins and ends it cancels out."""
    passed = written(last, drive, **volume) - written(first, drive, **volume)
    return (last - first) / passed


def time_of_fall(made: BuiltSystem) -> float:
    """Run until the cache has no room; when that is, s. NaN if it never happens."""
    slc = cache_of(made)
    for _ in range(1_000):
        if int(slc["held"]) + UNIT > int(slc["size"]):
            return float(made.system.now) / 1e9
        made.system.run(made.system.now + 50_000)
    return math.nan


def cache_of(made: BuiltSystem) -> Any:
    return made.system.world.slcs[0]


# -- rates ---------------------------------------------------------------------------------------


def test_a_burst_is_written_as_fast_as_the_dies_program_one_bit_a_cell():
    assert rate(REGION // 3, REGION) == pytest.approx(BURST, rel=0.02)


def test_a_burst_is_no_faster_than_the_link():
    slow = {"link.time_per_byte": "500 MB/s"}
    assert rate(REGION // 3, REGION, slow) == pytest.approx(500e6, rel=0.02)


@compiled_only
def test_after_the_fall_a_drive_that_folds_nothing_writes_as_if_it_had_no_cache():
    assert rate(2 * REGION, 3 * REGION) == pytest.approx(STEADY, rel=0.02)
    assert rate(REGION, 2 * REGION, state="steady") == pytest.approx(STEADY, rel=0.02)


def test_the_fall_comes_once_the_cache_is_full():
    assert time_of_fall(built_system(3 * REGION)) == pytest.approx(REGION / BURST, rel=0.05)


@compiled_only
def test_a_drive_whose_hosts_wait_for_room_writes_each_byte_twice():
    both = DIES * UNIT / (SLC_PROGRAM + FOLD)
    assert rate(2 * REGION, 3 * REGION, FOLDS) == pytest.approx(both, rel=0.05)


# -- room again ----------------------------------------------------------------------------------


def test_idle_time_makes_room_again_at_the_fold_rate():
    made = built_system(REGION)
    slc = cache_of(made)
    made.system.run(t.NEVER, budget=REGION // (128 * 1024))
    end = made.system.now
    made.system.run(end + 9_000_000)
    assert slc["held"] == REGION  # 10 ms must pass
    made.system.run(end + 13_000_000)
    before = int(slc["held"])
    made.system.run(end + 23_000_000)
    assert (before - int(slc["held"])) / 10e-3 == pytest.approx(DIES * UNIT / FOLD, rel=0.1)
    made.system.run(t.NEVER)
    assert slc["held"] == slc["folding"] == slc["reserved"] == 0


def test_a_command_ends_the_folding():
    made = built_system(REGION)
    slc = cache_of(made)
    made.system.run(t.NEVER, budget=REGION // (128 * 1024))
    end = made.system.now
    made.system.run(end + 14_000_000)
    made.system.world.ssds[0]["in_hand"] += 1  # a command that takes its time
    made.system.run(end + 24_000_000)
    left = int(slc["held"])
    assert 0 < left < REGION
    made.system.run(end + 60_000_000)
    assert slc["held"] == left


# -- what it holds -------------------------------------------------------------------------------


@pytest.mark.parametrize("sets", [{}, FOLDS])
def test_every_byte_is_programmed_once_and_once_more_if_it_went_through_the_cache(sets):
    total = 2 * REGION
    made = built_system(total, sets)
    made.system.run(t.NEVER)
    slc, ssd = cache_of(made), made.system.world.ssds[0]
    assert ssd["stored"] == total
    assert slc["programmed"] == slc["folded"]  # idle at the end: all of it
    assert slc["programmed"] == (total if sets else REGION)
    assert ssd["programmed"] == total + slc["folded"]
    assert ssd["buffered"] == ssd["gathered"] == slc["gathered"] == 0
    assert made.system.world.ftls[0]["written"] == total // 4096
    assert slc["taken"] == slc["mapped"] == slc["programmed"] // 4096
    assert slc["erased"] > 0
    amplification = wear.use_of(made.system, 0).write_amplification
    assert amplification == pytest.approx(1 + slc["folded"] / total)


def test_data_has_its_place_in_the_map_once_it_is_folded():
    made = built_system(REGION)
    made.system.run(t.NEVER, budget=REGION // (128 * 1024))
    table = made.system.world.ftls[0]
    assert table["written"] == 0
    made.system.run(t.NEVER)
    assert table["written"] == REGION // 4096


def test_the_state_of_a_volume_says_what_is_in_the_cache():
    held = {
        state: int(cache_of(built_system(UNIT, state=state))["held"])
        for state in ("fresh", "filled")
    }
    assert held == {"fresh": 0, "filled": 0}
    assert cache_of(built_system(UNIT, state="steady"))["held"] == REGION


@pytest.mark.parametrize(
    ("filled", "size"), [("0 %", 22e9), ("95 %", 4e9 + 25e9 / 3), ("100 %", 4e9)]
)
def test_the_dynamic_part_is_as_large_as_free_capacity_allows(filled, size):
    whole = {"slc.size": "4 GB", "slc.dynamic_size": "18 GB"}
    made = built_system(UNIT, whole, state="filled", filled=filled)
    assert cache_of(made)["size"] == pytest.approx(size, abs=UNIT)


# -- what is written over -----------------------------------------------------------------------


def over(area: int) -> dict[str, Any]:
    """A load in so many bytes."""
    return {"area": {"size": f"{area} B"}}


@compiled_only
@pytest.mark.parametrize("sets", [{}, FOLDS])
@pytest.mark.parametrize("state", ["fresh", "steady"])
def test_a_file_that_is_written_over_and_over_stays_in_the_cache(sets, state):
    """Blocks of nothing but old copies are erased, and nothing is folded, for ever."""
    times = []
    for total in (3 * REGION, 12 * REGION):
        made = built_system(total, sets, over(REGION // 4), state=state)
        made.system.run(t.NEVER, budget=total // (128 * 1024))
        times.append(float(made.system.now) / 1e9)
        assert cache_of(made)["folded"] == 0
    erased = DIES * UNIT / (SLC_PROGRAM + SLC_ERASE)
    assert 9 * REGION / (times[1] - times[0]) == pytest.approx(erased, rel=0.03)


@compiled_only
@pytest.mark.parametrize("areas", [0.25, 0.5, 1.0, 2.0])
def test_of_random_writes_the_cache_folds_what_was_not_written_anew_while_it_was_there(areas):
    """Of a units, s writes later, each is there still with a chance of (1 - 1/a)^s = exp(-s/a)."""
    random = {"random": "100 %", "size": "4 KiB"} | over(round(areas * REGION))
    made = built_system(40 * REGION, FOLDS | {"buffer.size": f"{8 * UNIT} B"}, random)
    made.system.run(t.NEVER, budget=40 * REGION // 4096)
    slc = cache_of(made)
    left = int(slc["folded"]) + int(slc["dropped"])
    there = 1 - 4 * UNIT / REGION  # at most four folds are under way
    assert left > 38 * REGION
    assert slc["folded"] / left == pytest.approx(math.exp(-there / areas), abs=0.02)


@pytest.mark.parametrize("sets", [{}, FOLDS])
def test_only_the_last_copy_of_what_was_written_over_is_folded_and_none_is_lost(sets):
    made = built_system(2 * REGION, sets, over(REGION // 2))
    made.system.run(t.NEVER)  # idle at the end
    slc = cache_of(made)
    assert slc["held"] == 0
    assert slc["taken"] == slc["mapped"] == 2 * REGION // 4096
    assert slc["folded"] == REGION // 2 == slc["programmed"] - slc["dropped"]
    assert made.system.world.ftls[0]["written"] == REGION // 2 // 4096


@compiled_only
def test_what_is_trimmed_while_it_is_in_the_cache_is_not_folded():
    """Half of what was written is trimmed at random before the cache is full for the first time."""
    trims = {"random": "100 %", "size": "4 KiB", "trim": "50 %"} | over(REGION // 8)
    made = built_system(4 * REGION, None, trims)
    made.system.run(t.NEVER)
    slc, table = cache_of(made), made.system.world.ftls[0]
    kept = int((ftl.list_of(made.system, 0, "map") >= 0).sum())
    assert slc["held"] == 0
    assert kept == table["written"]  # each once, at the end
    assert kept / (REGION // 8 // 4096) == pytest.approx(0.5, abs=0.1)


@compiled_only
def test_a_file_that_fits_into_a_full_cache_comes_to_be_all_of_what_is_in_it():
    """What was there is written anew past the cache, and has left for nothing by then."""
    made = built_system(40 * REGION, None, over(REGION // 2), state="steady")
    made.system.run(t.NEVER, budget=28 * REGION // (128 * 1024))
    begun, entered = int(made.system.now), int(cache_of(made)["programmed"])
    made.system.run(t.NEVER, budget=40 * REGION // (128 * 1024))
    passed = (int(made.system.now) - begun) / 1e9
    erased = DIES * UNIT / (SLC_PROGRAM + SLC_ERASE)
    assert 12 * REGION / passed == pytest.approx(erased, rel=0.03)
    assert int(cache_of(made)["programmed"]) - entered == pytest.approx(12 * REGION, rel=0.01)
    assert cache_of(made)["folded"] == 0


@compiled_only
def test_few_units_that_wait_for_others_to_be_folded_do_not_fill_the_ring_of_those_in_the_cache():
    """However much is written over meanwhile: every one that came in goes on, or is struck off."""
    made = built_system(100 * REGION, FOLDS, over(REGION // 2), state="steady")
    made.system.run(t.NEVER)
    slc = cache_of(made)
    assert slc["taken"] == slc["mapped"] == 100 * REGION // 4096
    assert slc["held"] == 0


def test_a_trim_costs_nothing_of_what_lies_elsewhere():
    """Of two units that share a place in the tables of the cache, the other one is trimmed."""
    env = Environment()
    host = Host(env, "fujitsu-rx2540-m1")
    data = Volume(env, MODEL, host, name="data", state="fresh", changes=SMALL)
    other = int(env.system.world.slcs[0]["units"]) * 4096
    env.run(until=data.write(0, 4096))
    env.run(until=data.write(other, UNIT - 4096))
    data.trim(other, UNIT - 4096)
    env.run(until=env.now + 1)
    assert env.system.world.slcs[0]["held"] == 0
    assert env.system.world.ftls[0]["written"] == 1


# -- power, TRIM, other drives -------------------------------------------------------------------


def half_full() -> tuple[Environment, Volume]:
    """A drive in a model, whose cache has been written half full."""
    env = Environment()
    data = Volume(
        env, MODEL, Host(env, "fujitsu-rx2540-m1"), name="data", state="fresh", changes=SMALL
    )
    half = {"bytes": f"{REGION // 2} B"}
    load = Load(read="0 %", random="0 %", size="128 KiB", outstanding=16, limit=half)
    env.run(until=data.start(load))
    return env, data


def test_a_power_cut_costs_nothing_of_what_is_in_the_cache():
    env, data = half_full()
    env.run(until=env.now + 5e-3)  # the buffer is empty
    slc = env.system.world.slcs[0]
    held = int(slc["held"])
    assert held == REGION // 2
    env.run(until=env.now + 6e-3)  # amid a fold
    assert slc["folding"] > 0
    held = int(slc["held"])
    assert env.cut_power().of("data").lost_bytes == 0
    assert (slc["held"], slc["folding"], slc["reserved"], slc["gathered"]) == (held, 0, 0, 0)
    env.run(until=env.restore_power(boot=1))
    env.run(until=data.write(0, 4096))
    env.run(until=env.now + 1)
    assert slc["held"] == 0


def test_what_was_trimmed_is_not_mapped_again():
    env, data = half_full()
    data.trim(0, data.capacity)
    env.run(until=env.now + 1)
    assert env.system.world.slcs[0]["held"] == 0
    assert env.system.world.ftls[0]["written"] == 0


@compiled_only
def test_a_drive_without_the_section_has_no_cache():
    data = {"host": {"model": "fujitsu-rx2540-m1"}, "volume": [{"drive": "intel-p3700-800gb"}]}
    system = build(
        from_data(
            data | {"load": [{"name": "load", "size": "4 KiB", "read": "0 %", "outstanding": 1}]}
        )
    ).system
    assert system.world.ssds[0]["slc"] == t.NONE
    assert system.count("slcs") == system.count("slc_units") == 0


@pytest.mark.parametrize(("sets", "key"), [({"slc.size": "16 KiB"}, "slc.size")])
def test_a_cache_that_holds_nothing_is_refused(sets, key):
    with pytest.raises(InputError, match=key):
        built_system(UNIT, sets)


def test_a_drive_of_more_mapping_units_than_numbers_of_its_cache_is_refused():
    """2^31 of 4 KiB are 8.8 TB."""
    larger = {"capacity.user": "15.36 TB"}
    with pytest.raises(InputError, match=r"mapping\.unit: makes more mapping units"):
        built_system(UNIT, larger)
    assert cache_of(built_system(UNIT, larger | {"mapping.unit": "16 KiB"}))["size"] > 0


def test_a_card_says_all_of_its_cache_or_nothing():
    values = {key: value for key, value in CARD.values.items() if key != "slc.read_time"}
    with pytest.raises(InputError, match=r"slc\.read_time: is missing"):
        kind_of(CARD).check(replace(CARD, values=values))


def test_a_window_in_which_the_cache_fills_says_that_it_is_not_steady():
    made = built_system(REGION)
    made.system.run(t.NEVER, budget=REGION // (128 * 1024))
    (words,) = wear.warnings(made.system, [0])
    assert "its SLC cache of 0.00629 GB went from 0 to 0.00" in words
    full = built_system(REGION, state="steady")
    full.system.run(t.NEVER, budget=REGION // (128 * 1024))
    assert wear.warnings(full.system, [0]) == []


# -- the data sheet ------------------------------------------------------------------------------


@compiled_only
@pytest.mark.parametrize(
    ("first", "last", "printed"), [(2, 20, 3.2e9), (26, 40, 0.9e9)], ids=["burst", "after"]
)
def test_the_970_evo_plus_writes_as_its_data_sheet_says(first, last, printed):
    whole = {name: CARD[name] for name in ("flash.channels", "flash.dies_per_channel")}
    sets = whole | {
        "flash.pages_per_block": CARD.integer("flash.pages_per_block"),
        "buffer.size": f"{CARD.integer('buffer.size')} B",
        "slc.size": "4 GB",
        "slc.dynamic_size": "18 GB",
    }
    assert rate(first * 10**9, last * 10**9, sets) == pytest.approx(printed, rel=0.02)
