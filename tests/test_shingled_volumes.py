"""Volumes of shingled disks: their state, when a run is steady, rebuilds, and the card."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import compiled_only
from watching import begin

from raidsim import scenario
from raidsim.assembly.shingles import media_cache
from raidsim.cards import load
from raidsim.control import Environment, Host, Load, Volume
from raidsim.control.model import BuiltSystem, build
from raidsim.explain.explain import explain
from raidsim.kernel import tables as t
from raidsim.running import run

MODEL = "seagate-st8000as0002"
CONVENTIONAL = "nl-sas-2tb"
RECORDS = 400
SMALL: dict[str, Any] = {
    "capacity.user": "4 GB", "buffer.size": "128 MiB",
    "smr.band": "4 MiB", "smr.media_cache": "0.1 GB", "smr.records": RECORDS,
}  # fmt: skip
"""Of a disk that is full after some seconds."""


def on_disk(state: str, changes: dict[str, Any] = SMALL, **keys: Any) -> Any:
    """Return a scenario of random writes to a shingled disk."""
    load = {"read": "0 %", "random": "100 %", "size": "4 KiB", "align": "4 KiB"} | keys
    return scenario.from_data(
        {
            "seed": 7,
            "host": {"model": "fujitsu-rx2540-m1"},
            "volume": [
                # Without a cache in front of it, each write shows what the log does.
                {
                    "name": "data",
                    "drive": MODEL,
                    "set": changes,
                    "state": state,
                    "disk_cache": "off",
                }
            ],
            "load": [{"volume": "data", "outstanding": 1} | load],
            "measure": {"max_time": "60 s", "precision": "5 %"},
        }
    )


def cache_of(built: BuiltSystem) -> Any:
    return built.system.world.shingles[0]


@pytest.mark.parametrize("state", ["fresh", "filled"])
def test_a_media_cache_is_empty_unless_the_volume_is_steady(state):
    assert cache_of(build(on_disk(state)))["kept"] == 0


def test_a_steady_volume_begins_with_a_full_media_cache():
    built = build(on_disk("steady", size="8 KiB"))
    cache, world = cache_of(built), built.system.world
    records = world.records[: cache["next"]]
    live = np.flatnonzero(records["live"])
    assert cache["next"] == RECORDS
    assert cache["kept"] == RECORDS - live[0]
    assert cache["used"] == cache["head"] - records["place"][live[0]]
    assert (records["length"][live] <= 8192).all()
    listed = []
    for number in np.flatnonzero(built.system.rows("bands")["first"] != t.NONE):
        n = int(world.bands["first"][number])
        while n != t.NONE:
            assert records["offset"][n] // cache["band"] == number
            listed.append(n)
            n = int(records["next"][n])
    assert sorted(listed) == live.tolist()


@pytest.mark.parametrize(("state", "before"), [("steady", 0), ("filled", 2500)])
def test_a_rewrite_takes_away_as_many_writes_as_a_band_has_in_a_full_log_and_one(state, before):
    """A band waits for its first write, and then for as many writes as the log holds.

    So a run that begins steady goes on as one that has been going on for long.
    """
    records = 4000
    built = build(on_disk(state, SMALL | {"smr.records": records}))
    begin(built)
    built.system.run(before * 10**9)
    cache = cache_of(built)
    bands = 4e9 / (4 * 2**20)
    written, rewrites = int(cache["next"]), int(cache["rewrites"])
    built.system.run((before + 300) * 10**9)
    rewritten = int(cache["rewrites"]) - rewrites
    assert rewritten > 300
    assert (int(cache["next"]) - written) / rewritten == pytest.approx(1 + records / bands, rel=0.1)


def test_reads_and_streams_leave_the_media_cache_of_a_steady_volume_empty():
    assert cache_of(build(on_disk("steady", read="100 %")))["kept"] == 0
    assert cache_of(build(on_disk("steady", random="0 %")))["kept"] == 0


def test_large_writes_fill_the_log_before_the_map():
    built = build(on_disk("steady", SMALL | {"smr.records": 100_000}, size="64 KiB"))
    cache = cache_of(built)
    assert cache["kept"] == pytest.approx(cache["media_cache"] / 65536, rel=0.01)


@compiled_only
def test_a_run_that_fills_the_media_cache_does_not_claim_to_be_steady():
    # 400 records last some four seconds; then the cliff. 40,000 last longer than the run.
    (short,) = run(on_disk("fresh")).points
    (steady,) = run(on_disk("steady")).points
    assert short.iops.mean == pytest.approx(steady.iops.mean, rel=0.2)
    (early,) = run(on_disk("fresh", SMALL | {"smr.records": 40_000})).points
    assert early.iops.mean > 5 * steady.iops.mean
    assert not early.converged
    assert any("media caches" in note for note in early.warnings)


@compiled_only
def test_a_rebuild_onto_a_shingled_disk_runs_at_the_media_rate():
    # It writes from the first byte to the last: straight to the bands.
    hours = {}
    for name, smr in (("shingled", True), ("conventional", False)):
        changes = SMALL if smr else {"capacity.user": "4 GB"}
        changes = changes | {"geometry.heads": 2, "spindle.tolerance": "0 %"}
        changes |= {"geometry.track_outer": "1 MiB", "geometry.track_inner": "1 MiB"}
        env = Environment(seed=1)
        host = Host(env, "fujitsu-rx2540-m1")
        volume = Volume(
            env, MODEL if smr else CONVENTIONAL, host, level="raid1", drives=2, spares=1,
            changes=changes | LIKE,
        )  # fmt: skip
        rebuild = volume.fail(0)
        env.run(rebuild)
        hours[name] = rebuild.seconds
    assert hours["shingled"] == pytest.approx(hours["conventional"], rel=0.05)
    assert hours["shingled"] < 2 * 4e9 / (1048576 / (60 / 7200))


def test_a_new_drive_has_an_empty_media_cache():
    env = Environment(seed=1)
    volume = Volume(
        env,
        MODEL,
        Host(env, "fujitsu-rx2540-m1"),
        level="raid1",
        drives=2,
        changes=SMALL,
        disk_cache="off",
    )
    load = volume.start(Load(read="0 %", size="4 KiB", align="4 KiB", outstanding=4))
    env.run(until=0.2)
    load.stop()
    env.run(until=0.3)
    caches = env.system.world.shingles
    held = int(caches["kept"][1])
    assert caches["kept"][0] == held > 0
    volume.fail(0)
    volume.replace(0)
    assert caches["kept"].tolist()[:2] == [0, held]
    assert (env.system.world.bands["first"][: 4 * 10**9 // (4 << 20)] == t.NONE).all()


LIKE: dict[str, Any] = {
    "link.interface": "sas", "link.time_per_byte": "500 MB/s", "command.latency": "20 us",
    "command.time": "50 us", "spindle.speed": "7200 rpm", "geometry.head_switch": "0.5 ms",
    "seek.read_single": "0.6 ms", "seek.write_single": "0.8 ms", "queue.window": 8,
    "command.queue_depth": 32, "read_ahead.segments": 8, "read_ahead.depth": "1 MiB",
    "read_ahead.minimum": "256 KiB", "capacity.physical_sector": "512 B",
    "write_cache.protected_size": "0 KiB",
}  # fmt: skip
"""What the two disks have alike in the rebuild."""


def test_the_card_of_a_shingled_drive():
    card = load(MODEL)
    assert card.has("smr.band")
    assert media_cache(card) == 25_000_000_000 // 4096 * 4096
    assert media_cache(load(CONVENTIONAL)) == 0


def test_explain_tells_of_the_log_and_of_the_rewrite_that_follows():
    found = explain(on_disk("fresh", {}), "write", 10**12 // 4096 * 4096, 4096)
    first, later = (step for step in found.steps if step.station == "disk arm")
    assert first.ends - first.begins <= 60 / 5900 + 1e-4  # the log is where the arm was: a turn
    assert (later.times, later.background) == (3, True)
    assert later.begins >= first.ends + 1  # idle_after
    assert not found.accesses
