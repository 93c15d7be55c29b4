"""The path of one request through an idle system, step by step.

The answers come from the kernel itself. A system is built as for a run, contains this one request
and nothing else, and is simulated one event at a time. Each start of a service at a station is
noted. So the split into commands, the place of a byte on the flash and the times are those of a
run, from the same code. There is no second model that could differ.

Sizes and addresses are bytes, times seconds since the host issued the request.
"""

from __future__ import annotations

from typing import Any

from raidsim import units
from raidsim.assembly import mapping
from raidsim.assembly.host import HostRows
from raidsim.assembly.load import need_room
from raidsim.assembly.scenario import add_volumes
from raidsim.errors import InputError, Problem, in_file, nearest_name, quote, quoted
from raidsim.explain.arrays import LOST, describe, tasks
from raidsim.explain.disks import Disk
from raidsim.explain.trace import Trace, follow
from raidsim.explain.types import Explanation, Flash, Phase, Task
from raidsim.kernel import tables as t
from raidsim.kernel.load_tables import MANUAL
from raidsim.observe.inventory import volume_facts
from raidsim.scenario import Requests, Scenario, VolumeSpec
from raidsim.system.system import System
from raidsim.units import NS_PER_S

LONGEST = 64 * 2**20  # bytes of a request
OPS = {"read": t.READ, "write": t.WRITE}


def explain(
    scenario: Scenario, op: str, offset: str | int, length: str | int, volume: str | None = None
) -> Explanation:
    """Follow one request through the idle system of a scenario.

    Parameters
    ----------
    op
        "read" or "write".
    offset, length
        Bytes, as a number or as a quantity such as "4 KiB".
    volume
        Name of the volume; None for the only one.

    Raises
    ------
    InputError
        If there is no such volume, the address range is not whole sectors inside it, the cards
        contradict themselves, or it would take more memory than there is for it.
    """
    spec = _volume(scenario, volume)
    start, size = _range(spec, offset, length)
    with in_file(scenario.path):
        system = System(scenario.seed)
        host = HostRows(system, scenario.host)
        row = add_volumes(system, scenario, volumes=[spec])[spec.name]
        host.carry(row)
        stream = system.add_stream(
            "request",
            [Requests(size)],
            mode=MANUAL,
            volume=row,
            process=host.add_process("request"),
        )
        need_room(system, row, size)
        if spec.state != "fresh":
            mapping.fill(system, spec.filled)
    system.deliver(0, stream, OPS[op], start, size, 0, 1, t.NEVER)
    visits = follow(system)
    answered, status = next((time, status) for _, time, _, status in system.awaited())
    trace = Trace(system, visits, OPS[op], answered)
    steps = tuple(trace.steps())
    if spec.layout is not None:
        parts: dict[str, Any] = {
            "tasks": tuple(tasks(system, visits)),
            "array": describe(system, scenario, spec),
            "fails": LOST if status == t.FAILED else None,
        }
        # The path differs with and without cache, and for reads and writes.
        steps = tuple(sorted(steps, key=lambda step: step.begins))
    else:
        phase = Phase(1, tuple(trace.commands()))
        parts = {
            "tasks": (Task("request", start, size, (phase,)),),
            "programs": tuple(trace.programs()),
            "left": int(trace.drive["gathered"]) if trace.is_flash else 0,
            "accesses": tuple(trace.accesses()),
            "flash": _flash(spec, trace.drive) if trace.is_flash else None,
            "disk": None if trace.is_flash else _disk(spec, trace.drive),
        }
    return Explanation(
        volume=spec.name,
        model=spec.card.title,
        facts=volume_facts(spec),
        op=op,
        offset=start,
        length=size,
        latency=answered / NS_PER_S,
        steps=steps,
        max_transfer=spec.card.integer("command.max_transfer"),
        **parts,
    )


def _flash(spec: VolumeSpec, drive: Any) -> Flash:
    return Flash(
        channels=int(drive["channels"]),
        dies=int(drive["dies"]),
        in_step=spec.card.integer("flash.dies_in_step"),
        page=int(drive["page"]),
        frame=int(drive["frame"]),
        stripe=int(drive["stripe"]),
        program_unit=int(drive["page"]) * int(drive["planes"]),
        unit=int(drive["unit"]),
        interleave=int(drive["interleave"]),
    )


def _disk(spec: VolumeSpec, drive: Any) -> Disk:
    return Disk(
        rpm=60 * spec.card.number("spindle.speed"),
        heads=int(drive["heads"]),
        cylinders=int(drive["cylinders"]),
        zones=int(drive["zones"]),
        discipline=spec.card.word("queue.discipline"),
        cached=bool(drive["cached"]),
    )


def _volume(scenario: Scenario, name: str | None) -> VolumeSpec:
    names = [volume.name for volume in scenario.volumes]
    remedy = f"give one of {quoted(names)}"
    if name is None and len(names) > 1:
        if scenario.hybrids:
            remedy += "; requests of a hybrid cannot be explained"
        cause = f"is missing, and there are {len(names)} volumes"
        raise InputError([Problem(None, None, "--volume", cause, remedy)])
    if (hybrid := scenario.hybrid(name)) is not None:
        cause = f"{quote(hybrid.name)} is a hybrid: where a request goes depends on what it holds"
        remedy = f"explain a request of {quote(hybrid.front)} or {quote(hybrid.back)}"
        raise InputError([Problem(None, None, "--volume", cause, remedy)])
    if name is not None and name not in names:
        cause = f"{quote(name)} is not a volume of this scenario"
        raise InputError([Problem(None, None, "--volume", cause, nearest_name(name, names))])
    return scenario.volume(name or names[0])


def _range(volume: VolumeSpec, offset: str | int, length: str | int) -> tuple[int, int]:
    """First byte and number of bytes, or every reason why there is no such range."""
    problems: list[Problem] = []

    def wrong(key: str, cause: str, remedy: str | None) -> None:
        problems.append(Problem(None, None, key, cause, remedy))

    sector = volume.card.integer("capacity.sector")
    numbers = {}
    for key, value in (("OFFSET", offset), ("LENGTH", length)):
        try:
            numbers[key] = _bytes(value)
        except units.QuantityError as error:
            wrong(key, error.cause, error.remedy)
            continue
        if numbers[key] % sector:
            cause = f"{units.text(numbers[key], 'size')} is not a whole number of sectors"
            wrong(key, cause, f"give a multiple of {sector} bytes")
    start, size = numbers.get("OFFSET", 0), numbers.get("LENGTH", sector)
    capacity = units.capacity_for_people(volume.capacity)
    if not 0 < size <= LONGEST:
        cause = f"{units.text(size, 'size')} is out of range"
        wrong("LENGTH", cause, f"give {sector} B to {LONGEST // 2**20} MiB")
    elif start >= volume.capacity:
        wrong("OFFSET", f"lies beyond the volume of {capacity}", None)
    elif start + size > volume.capacity:
        cause = f"the request ends beyond the volume of {capacity}"
        wrong(
            "LENGTH",
            cause,
            f"give at most {units.text(volume.capacity - start, 'size')} from there",
        )
    if problems:
        raise InputError(problems)
    return start, size


def _bytes(value: str | int) -> int:
    """Bytes of a quantity; a number without a unit counts bytes."""
    if isinstance(value, int) or value.strip().removeprefix("-").isdecimal():
        value = f"{value} B"
    return int(units.parse(value, "size"))
