"""The table of a shingled disk: what it does, beside what follows from its card by hand."""

from __future__ import annotations

from raidsim.assembly.seeks import curve
from raidsim.assembly.surface import geometry
from raidsim.cards import load
from raidsim.cards.reference import table
from raidsim.control import Environment, Host, Load, RunningLoad, Volume
from raidsim.running import run
from raidsim.scenario import from_data

MODEL = "seagate-st8000as0002"
RANDOM = Load(read="0 %", random="100 %", size="4 KiB", align="4 KiB", outstanding=1)
STREAM = Load(read="0 %", random="0 %", size="1 MiB", outstanding=2)
STEP = 10.0  # s
STEADY = 2000.0  # s
FALLEN = 0.5  # of the speed at first: the cliff lies behind


def by_hand() -> tuple[float, float, float]:
    """Random writes a second at first and when steady, and MB/s of a stream, from the card.

    An append takes a turn, since the end of the log has just passed. A rewrite reads the record in
    the log, goes to the band, reads it and writes it, and the next append is at the log again: two
    seeks over half the stroke, and half a turn after each of three moves. Rates are means over the
    disk.
    """
    card = load(MODEL)
    shape = geometry(card)
    turn = shape.revolution / 1e9
    switches = (shape.heads - 1) * shape.track_skew + shape.cylinder_skew
    pass_time = turn + switches / shape.heads / 1e9
    rate = sum(shape.tracks) / len(shape.tracks) / pass_time
    cylinders = shape.cylinders * len(shape.tracks)
    seek = curve(card, "read", cylinders).time(cylinders // 2) / 1e9
    rewrite = 2 * card.integer("smr.band") / rate + 2 * seek + 3 * turn / 2
    return 1 / turn, 1 / rewrite, shape.tracks[0] / pass_time / 1e6


def in_the_long_run() -> tuple[float, float]:
    """Random writes for each rewrite, and a second, once every band was rewritten before."""
    card = load(MODEL)
    bands = card.number("capacity.user") / card.integer("smr.band")
    (point,) = run(from_data({
        "host": {"model": "fujitsu-rx2540-m1"},
        "volume": [{"drive": MODEL, "state": "steady", "disk_cache": "off"}],
        "load": [{"read": "0 %", "size": "4 KiB", "outstanding": 1}],
        "measure": {"precision": "2 %", "max_time": f"{4 * STEADY} s"},
    })).points  # fmt: skip
    return 1 + card.integer("smr.records") / bands, point.iops.mean


def begun(load_: Load) -> tuple[Environment, Volume, RunningLoad]:
    """A load on one shingled disk whose media cache is empty."""
    env = Environment(seed=1)
    volume = Volume(env, MODEL, Host(env, "fujitsu-rx2540-m1"), disk_cache="off")
    return env, volume, volume.start(load_)


def rate_of(env: Environment, load_: RunningLoad, seconds: float) -> float:
    """I/Os a second of a load from now on for so long."""
    env.reset_window()
    env.run(until=env.now + seconds)
    return load_.iops


def shingled() -> str:
    """Random writes before and behind the cliff, when it comes, and a stream."""
    first, steady, stream = by_hand()
    records = load(MODEL).integer("smr.records")
    env, _, writes = begun(RANDOM)
    at_first = rate_of(env, writes, STEP)
    while rate_of(env, writes, STEP) > FALLEN * at_first:
        pass
    cliff = env.now - STEP
    behind = rate_of(env, writes, STEADY)
    env, _, writes = begun(STREAM)
    env.run(until=STEP)
    streaming = rate_of(env, writes, 60.0) * 2**20 / 1e6
    writes_each, steady_state = in_the_long_run()
    rows = [
        ["random writes of 4 KiB, IO/s", "a turn each", f"{first:.0f}", f"{at_first:.0f}"],
        ["the cliff comes after, min", "records over that rate", f"{records / first / 60:.0f}",
         f"{cliff / 60:.0f}"],
        ["behind it, IO/s", "a band rewrite each", f"{steady:.1f}", f"{behind:.1f}"],
        ["after some days, IO/s", f"a band rewrite for {writes_each:.2f} of them",
         f"{1 / (1 / writes_each / steady + 1 / first):.1f}", f"{steady_state:.1f}"],
        ["sequential writes, MB/s", "media rate at the outer edge", f"{stream:.0f}",
         f"{streaming:.0f}"],
    ]  # fmt: skip
    return table(["figure", "what sets it", "by hand", "simulated"], rows)


if __name__ == "__main__":
    print(shingled())
