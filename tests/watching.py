"""What a load asks for: each I/O with its time, kind, place and size, out of the kernel's tables.

`asked` lets a load run against a volume that never answers, so that all its I/Os stay in the table
of jobs. `watched` follows a system instant by instant and sees each I/O while it is in flight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.control.model import BuiltSystem, build
from raidsim.kernel import event_list
from raidsim.kernel import tables as t
from raidsim.scenario import Scenario, from_data
from raidsim.system.system import System

FOR_EVER = 2**61  # ns
IOS = np.dtype(
    [
        ("stream", "i4"),
        ("time", "i8"),  # of issue, ns
        ("op", "i4"),
        ("offset", "i8"),
        ("length", "i8"),
        ("serial", "i8"),
    ]
)


AWAKE = {"submit.wake_time": "0 us"}
"""A process that issues at once whatever it did before: each I/O is the sum of its steps."""


def scenario(
    *loads: dict[str, Any],
    seed: int = 1,
    drive: dict[str, Any] | None = None,
    host: dict[str, Any] | None = None,
    measure: dict[str, Any] | None = None,
    drives: int = 1,
    model: str = "intel-p3700-800gb",
) -> Scenario:
    """Return loads on a drive; ``drive`` and ``host`` set other values on the cards.

    With more ``drives`` the loads are on the first. As far as a load does not say otherwise,
    it reads 4 KiB at random, one at a time.
    """
    filled = []
    for number, words in enumerate(loads):
        load: dict[str, Any] = {"name": f"load {number}", "volume": "data0"}
        if not all("read" in size for size in words.get("sizes", [{}])):
            load["read"] = "100 %"
        if "sizes" not in words:
            load["size"] = "4 KiB"
        if not words.keys() & {"rate", "arrivals", "outstanding"}:
            load["outstanding"] = 1
        filled.append(load | words)
    return from_data(
        {
            "seed": seed,
            "host": {"model": "fujitsu-rx2540-m1", "set": AWAKE | (host or {})},
            "volume": [
                {
                    "name": f"data{number}",
                    "drive": model,
                    "set": drive or {},
                    "state": "filled",
                }
                for number in range(drives)
            ],
            "load": filled,
            "measure": measure or {},
        }
    )


def answers_after(built: BuiltSystem, service: int) -> None:
    """Replace host and drive: every I/O takes ``service`` ns, however many there are."""
    system = built.system
    station = system.add_station("volume", "volume", servers=t.UNLIMITED)
    step = system.add_row(
        "steps", station=station, branches=1, law=t.LAW_CONSTANT, mean=float(service)
    )
    for row in built.volumes.values():
        volume = system.world.volumes[row]
        volume["kind"] = t.VOLUME_ROUTE
        volume["first_step"] = step
        volume["steps"] = 1


def begin(built: BuiltSystem) -> None:
    """Start all streams, in the order of the loads and workers."""
    for streams in built.streams.values():
        for stream in streams:
            built.system.begin(stream)


def in_flight(built: BuiltSystem) -> NDArray[Any]:
    """Return the requests that are not back yet, in the order of their issue."""
    jobs = built.system.world.jobs
    jobs = jobs[(jobs["stage"] != t.STAGE_FREE) & (jobs["parent"] == t.NONE) & (jobs["serial"] > 0)]
    found = np.zeros(len(jobs), IOS)
    for field in ("stream", "op", "offset", "length", "serial"):
        found[field] = jobs[field]
    found["time"] = jobs["issued"]
    return found[np.argsort(found["serial"])]


def asked(
    *loads: dict[str, Any], ios: int = 0, until: float = 0.0, seed: int = 1
) -> list[NDArray[Any]]:
    """Return what each worker issues up to ``until`` s if no I/O ever comes back.

    A closed load issues ``ios`` I/Os at once: the first that it issues, in their order.
    """
    built = build(scenario(*loads, seed=seed))
    answers_after(built, FOR_EVER)
    if ios:
        built.system.world.streams["outstanding"][: built.system.count("streams")] = ios
    begin(built)
    built.system.run(horizon=round(until * 1e9))
    found = in_flight(built)
    return [found[found["stream"] == s] for streams in built.streams.values() for s in streams]


def scheduled(system: System) -> list[tuple[int, int, int]]:
    """Time (ns), kind and subject of all events that are scheduled, in no certain order."""
    world, soon = system.world, int(system.state["soon"])
    later = int(system.state["events"]) - soon
    keys = np.concatenate([world.soon_keys[:soon], world.heap["key"][:later]])
    events = np.concatenate([world.soon_events[:soon], world.heap["event"][:later]])
    times = (keys >> event_list.PRIORITY_BITS) + event_list.MIDDLE
    subjects = (events >> event_list.MARK_BITS) & event_list.SUBJECT_MASK
    kinds = events >> event_list.KIND_SHIFT
    return list(zip(times.tolist(), kinds.tolist(), subjects.tolist(), strict=True))


def watched(
    built: BuiltSystem, ios: int = 2**62, until: int = 2**62, stream: int | None = None
) -> NDArray[Any]:
    """Follow the system until ``ios`` more I/Os (of a stream) are issued, or to ``until`` ns.

    The streams must have begun. Sees every I/O that takes at least 1 ns.
    """
    system = built.system
    seen, last, count = [np.zeros(0, IOS)], int(system.state["requests"]), 0
    while system.state["events"] > 0 and count < ios:
        time = system.next_time
        if time > until:
            break
        system.run(horizon=time)
        if system.state["requests"] > last:
            found = in_flight(built)
            found = found[found["serial"] > last]
            last = int(system.state["requests"])
            if stream is not None:
                found = found[found["stream"] == stream]
            seen.append(found)
            count += len(found)
    return np.concatenate(seen)[: min(count, ios)]
