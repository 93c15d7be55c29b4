"""What ``raidsim explain`` prints: the path of one request, and where its bytes are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from rich.console import Console
from rich.table import Table
from rich.text import Text

from raidsim.explain.disks import Disk
from raidsim.explain.types import Array, Command, Explanation, Flash, Step
from raidsim.report import hardware, numbers
from raidsim.report.console import UNBOUNDED
from raidsim.report.explain_plan import after, array_lines, done_alone, later_than, plan
from raidsim.report.explain_tables import table, us
from raidsim.report.hardware import some
from raidsim.units import time_for_people


def print_explanation(explanation: Explanation, console: Console) -> None:
    """Print what becomes of one request, from the host to the flash or the platter."""
    for number, section in enumerate(_sections(explanation)):
        if number:
            console.print()
        for part in section:
            if isinstance(part, Table):
                _print_whole(part, console)
            else:
                console.print(part, soft_wrap=not console.is_terminal)


def _print_whole(table: Table, console: Console) -> None:
    """Print a table as wide as it needs to be: a narrow terminal wraps it, and cuts nothing off."""
    width = console.width
    unbounded = console.options.update(width=UNBOUNDED)
    console.width = max(width, console.measure(table, options=unbounded).maximum)
    console.print(table, crop=False)
    console.width = width


def _sections(explanation: Explanation) -> Iterator[Iterable[Text | Table]]:
    yield _heading(explanation)
    if explanation.array is not None:
        yield from _of_array(explanation, explanation.array)
        return
    yield (_road(explanation.steps),)
    yield _phases(explanation)
    if explanation.flash is not None and explanation.op == "read":
        yield _senses(explanation, explanation.flash)
    if explanation.flash is not None and explanation.op == "write":
        yield _buffered(explanation, explanation.flash)
        yield _programs(explanation, explanation.flash)
    if explanation.disk is not None:
        yield _arm(explanation, explanation.disk)


def _of_array(explanation: Explanation, array: Array) -> Iterator[Iterable[Text | Table]]:
    """The path and the plan of a request, and later work with a separate clock."""
    later = later_than(explanation)
    if later is None:
        yield (_road(explanation.steps),)
        yield (*plan(explanation, array), *after(explanation, array))
        return
    yield (_road([step for step in explanation.steps if not _is_from(step, later)]),)
    yield plan(explanation, array)
    yield (
        Text(
            f"{done_alone(explanation, array)} begins {time_for_people(round(later, 6))} after the"
            " request came. Times from here on count from then:"
        ),
        Text(""),
        _road([step for step in explanation.steps if _is_from(step, later)], later),
    )
    yield after(explanation, array, later)


def _is_from(step: Step, time: float) -> bool:
    return step.background and step.begins >= time


def _heading(explanation: Explanation) -> list[Text]:
    what = f"{explanation.op} of {numbers.size(explanation.length)}"
    where = f" at {numbers.size(explanation.offset)} on volume {explanation.volume}"
    facts = explanation.facts
    drive = f": {hardware.drives_words(facts.level, facts.drives, explanation.model)}"
    lines = [f"The volume: {hardware.facts_words(facts)}."]
    if explanation.array is not None:
        lines += array_lines(explanation, explanation.array)
    if explanation.fails is None:
        lines.append(f"Alone on an idle system it takes {us(explanation.latency)} us.")
    else:
        lines.append(f"It fails: {explanation.fails}.")
    return [Text.assemble((what, "bold"), where, drive), *map(Text, lines)]


def _road(among: Sequence[Step], zero: float = 0.0) -> Table:
    """Steps in order, below them those after the answer; times count from ``zero``, in s."""
    rows = table("step", "kind of station", ">times", ">begins,\nus", ">ends,\nus")
    for background in (False, True):
        steps = [step for step in among if step.background == background]
        if background and steps and len(steps) < len(among):
            rows.add_row()
        for step in steps:
            rows.add_row(
                Text(step.name),
                Text(step.station),
                str(step.times),
                us(step.begins - zero),
                us(step.ends - zero),
            )
    return rows


def _phases(explanation: Explanation) -> Iterator[Text | Table]:
    phases = explanation.phases
    ios = len(_commands(explanation))
    text = f"{some(len(phases), 'phase')} with {some(ios, 'command')}"
    if ios > len(phases):
        longest = numbers.size(explanation.max_transfer)
        text += f", since a command of this drive is {longest} at most"
    yield Text(f"{text}.")
    rows = table(
        ">phase", ">device\nI/O", "drive", ">from", ">length", ">begins,\nus", ">ends,\nus"
    )
    for phase in phases:
        for command in phase.commands:
            rows.add_row(
                str(phase.number),
                str(command.number),
                Text(command.drive),
                numbers.size(command.offset),
                numbers.size(command.length),
                us(command.begins),
                us(command.ends),
            )
    yield rows


def _senses(explanation: Explanation, flash: Flash) -> Iterator[Text | Table]:
    page, frame = numbers.size(flash.page), numbers.size(flash.frame)
    unit, stripe = numbers.size(flash.program_unit), numbers.size(flash.stripe)
    yield _geometry(flash)
    yield Text(f"A die reads the pages of {page} of one program unit of {unit} at once.")
    if flash.interleave > 1:
        size = numbers.size(flash.unit)
        yield Text(
            f"Neighbouring units of {size} lie on {flash.interleave} channels in turn: a row begins"
            f" at its first byte, and has one of every {flash.interleave} units from there on."
        )
    if any(sense.part > 1 for c in _commands(explanation) for sense in c.senses):
        yield Text(f"A read that crosses a stripe of {stripe} is split there; part follows part.")
    frames = sum(sense.frames for c in _commands(explanation) for sense in c.senses)
    crossing = numbers.size(frames * flash.frame)
    yield Text(f"{some(frames, 'ECC frame')} of {frame} cross the channels: {crossing}.")
    rows = table(
        ">device\nI/O",
        ">part",
        ">channel",
        ">die",
        ">first\npage",
        ">pages",
        ">from",
        ">length",
        ">frames",
        ">die reads,\nus",
        ">at the\nhost, us",
    )
    for command in _commands(explanation):
        for sense in command.senses:
            rows.add_row(
                str(command.number),
                str(sense.part),
                str(sense.channel),
                str(sense.die),
                str(sense.pages[0].number),
                str(len(sense.pages)),
                numbers.size(sense.offset),
                numbers.size(sense.length),
                str(sense.frames),
                f"{us(sense.begins)} to {us(sense.ends)}",
                us(max(page.done for page in sense.pages)),
            )
    yield rows


def _buffered(explanation: Explanation, flash: Flash) -> Iterator[Text | Table]:
    page = numbers.size(flash.page)
    yield Text(f"The data comes into the write buffer page by page of {page}.")
    rows = table(">device\nI/O", ">page", ">from", ">length", ">in the\nbuffer, us")
    for command in _commands(explanation):
        for part in command.pages:
            rows.add_row(
                str(command.number),
                str(part.number),
                numbers.size(part.offset),
                numbers.size(part.length),
                us(part.done),
            )
    yield rows


def _programs(explanation: Explanation, flash: Flash) -> Iterator[Text | Table]:
    unit = numbers.size(flash.program_unit)
    pages = flash.program_unit // flash.page
    yield _geometry(flash)
    yield Text(
        f"{unit} in the order in which they came make a program unit ({pages} pages of"
        f" {numbers.size(flash.page)}). Units go to channels and dies in turn, from the first on."
    )
    if explanation.left:
        yield Text(f"{numbers.size(explanation.left)} wait in the buffer for more to come.")
    if explanation.programs:
        rows = table(">program\nunit", ">channel", ">die", ">length", ">die programs,\nus")
        for number, program in zip(count(1), explanation.programs, strict=False):
            rows.add_row(
                str(number),
                str(program.channel),
                str(program.die),
                unit,
                f"{us(program.begins)} to {us(program.ends)}",
            )
        yield rows


def _arm(explanation: Explanation, disk: Disk) -> Iterator[Text | Table]:
    yield Text(
        f"The disk turns at {disk.rpm:,.0f} rpm and has {some(disk.heads, 'head')} over"
        f" {some(disk.cylinders, 'cylinder')} in {some(disk.zones, 'zone')}."
    )
    when = "is at cylinder 0, head 0 when the request comes"
    if explanation.op == "write" and disk.cached:
        when += ", and writes after the request was acknowledged from the write cache"
    yield Text(f"The arm {when}.")
    if disk.discipline != "fifo" and len(explanation.accesses) > 1:
        yield Text(f"Which access comes first is chosen by {disk.discipline}.")
    if not explanation.accesses:
        return
    rows = table(
        ">from",
        ">length",
        ">zone",
        ">cylinder",
        ">head",
        ">angle,\ndegrees",
        ">seek,\nms",
        ">rotation,\nms",
        ">transfer,\nms",
        ">begins,\nus",
        ">ends,\nus",
    )
    for access in explanation.accesses:
        rows.add_row(
            numbers.size(access.offset),
            numbers.size(access.length),
            str(access.zone),
            str(access.cylinder),
            str(access.head),
            f"{access.angle:.1f}",
            *(f"{1e3 * time:.3f}" for time in (access.move, access.rotation, access.transfer)),
            us(access.begins),
            us(access.ends),
        )
    yield rows


def _geometry(flash: Flash) -> Text:
    dies = "dies" if flash.in_step == 1 else f"groups of {flash.in_step} dies in step"
    return Text(f"The flash has {flash.channels} channels with {flash.dies} {dies} each.")


def _commands(explanation: Explanation) -> list[Command]:
    return [command for phase in explanation.phases for command in phase.commands]
