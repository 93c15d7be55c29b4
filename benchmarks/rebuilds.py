"""What long sequences on disk arrays cost per event: reads in sequence, and a rebuild.

Neither may grow with the length of the run, nor beyond a few times what one disk costs. Of the
rebuild a sample of its rows is simulated; a full one takes as many times its CPU time as the
sample is part of it.
"""

from __future__ import annotations

from typing import Any

from benchmarks.drives import filled, more
from benchmarks.measuring import Settings, Tell, spend
from raidsim.control import Environment, Host, Volume
from raidsim.control.model import build
from raidsim.scenario import from_data
from raidsim.system.system import System

NAME = "rebuilds"
SERVER = "cisco-ucs-c240-m4"
DISK = "nl-sas-2tb"
BIG = {"capacity.user": "8000 GB"}
DRIVES = 8
IOS = 20_000
STRETCHES = 4  # of so many reads, one after the other
SHARE = 0.01  # of the rows of a rebuild
LEAST = 1e-5  # of them, that can be asked for


def reading(volume: dict[str, Any], outstanding: int) -> System:
    """Sequential reads of 1 MiB."""
    data = {
        "host": {"model": SERVER},
        "volume": [{"drive": DISK, **volume}],
        "load": [{"read": "100 %", "random": "0 %", "size": "1 MiB", "outstanding": outstanding}],
    }
    return filled(build(from_data(data)), outstanding)


def cost(system: System, ios: int) -> float:
    """Ns of CPU time an event over so many reads."""
    before = int(system.state["handled"])
    spent = spend(lambda: more(system, ios))
    return spent.cpu / (int(system.state["handled"]) - before) * 1e9


def rebuild(share: float) -> dict[str, float]:
    """Rebuild that share of one of eight disks of 8 TB under RAID 6, with nothing else to do."""
    env = Environment(seed=1)
    volume = Volume(
        env,
        DISK,
        Host(env, SERVER),
        name="data",
        level="raid6",
        drives=DRIVES,
        changes=BIG,
        rebuild_sample=f"{100 * share:g} %",
    )
    volume.fail(3)
    env.run(until=1e-3)
    under_way = volume.replace(3)
    env.run(until=env.now + 0.1)
    before = int(env.system.state["handled"])
    spent = spend(lambda: env.run(until=under_way))
    events = int(env.system.state["handled"]) - before
    return {
        "share": share,
        "events": events,
        "cpu": spent.cpu,
        "cpu_ns_per_event": spent.cpu / events * 1e9,
        "cpu_of_all": spent.cpu / share,
    }


def run(settings: Settings, tell: Tell) -> tuple[dict[str, Any], dict[str, float]]:
    """Measure one disk, an array of eight in stretches, and a part of a rebuild."""
    ios = settings.size(IOS, 500)
    tell("one disk")
    one = min(cost(system, ios) for system in [reading({}, 1)] for _ in range(STRETCHES))
    tell(f"RAID 5 of {DRIVES}")
    system = reading({"level": "raid5", "drives": DRIVES}, 4)
    stretches = [cost(system, ios) for _ in range(STRETCHES)]
    share = SHARE if not settings.quick else SHARE / 100
    tell(f"rebuild, {share:.2%} of its rows")
    rebuild(max(share / 100, LEAST))  # what only the end of a rebuild needs is compiled then
    found = rebuild(share)
    figures = {"disk": DISK, "one": one, "ios": ios, "stretches": stretches, "rebuild": found}
    return figures, {
        "sequential_event_of_array_to_disk": min(stretches) / one,
        "sequential_event_last_to_first_stretch": stretches[-1] / stretches[0],
        "rebuild_event_to_disk": found["cpu_ns_per_event"] / one,
    }


def lines(figures: dict[str, Any]) -> list[tuple[str, str]]:
    """Lines of the table."""
    one, stretches, found = figures["one"], figures["stretches"], figures["rebuild"]
    return [
        ("Sequential reads of one disk", f"{one:.0f} ns of CPU time an event"),
        (
            f"RAID 5 of {DRIVES} disks, {len(stretches)} times {figures['ios']:,} reads of 1 MiB",
            ", ".join(f"{each:.0f}" for each in stretches) + " ns an event",
        ),
        (
            f"Rebuild of RAID 6 of {DRIVES} disks of 8 TB, {found['share']:.2%} of its rows",
            f"{found['cpu']:.2f} s of CPU time, {found['cpu_ns_per_event']:.0f} ns an event:"
            f" {found['cpu_of_all']:.0f} s for all of it",
        ),
    ]
