"""What ``raidsim explain`` prints: the road of one request, and where its bytes lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from rich.console import Console
from rich.table import Table
from rich.text import Text

from raidsim.build.explain import Command, Explanation, Flash
from raidsim.build.explain_disk import Disk
from raidsim.report import hardware, numbers
from raidsim.report.console import UNBOUNDED
from raidsim.report.table import RULED


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
    yield (_road(explanation),)
    yield _phases(explanation)
    if explanation.flash is not None and explanation.op == "read":
        yield _senses(explanation, explanation.flash)
    if explanation.flash is not None and explanation.op == "write":
        yield _buffered(explanation, explanation.flash)
        yield _programs(explanation, explanation.flash)
    if explanation.disk is not None:
        yield _arm(explanation, explanation.disk)


def _heading(explanation: Explanation) -> list[Text]:
    what = f"{explanation.op} of {numbers.size(explanation.length)}"
    where = f" at {numbers.size(explanation.offset)} on volume {explanation.volume}"
    facts = explanation.facts
    drive = f": {hardware.drives_words(facts.level, facts.drives, explanation.model)}"
    taken = f"Alone on an idle system it takes {_us(explanation.latency)} us."
    return [
        Text.assemble((what, "bold"), where, drive),
        Text(f"The volume: {hardware.facts_words(facts)}."),
        Text(taken),
    ]


def _road(explanation: Explanation) -> Table:
    table = _table("step", "kind of station", ">times", ">begins,\nus", ">ends,\nus")
    for background in (False, True):
        steps = [step for step in explanation.steps if step.background == background]
        if background and steps:
            table.add_row()
        for step in steps:
            table.add_row(
                Text(step.name),
                Text(step.station),
                str(step.times),
                _us(step.begins),
                _us(step.ends),
            )
    return table


def _phases(explanation: Explanation) -> Iterator[Text | Table]:
    phases = explanation.phases
    ios = len(_commands(explanation))
    text = f"{_some(len(phases), 'phase')} with {_some(ios, 'device I/O')}"
    if ios > len(phases):
        longest = numbers.size(explanation.max_transfer)
        text += f", since a command of this drive is {longest} at most"
    yield Text(f"{text}.")
    table = _table(
        ">phase", ">device\nI/O", "drive", ">from", ">length", ">begins,\nus", ">ends,\nus"
    )
    for phase in phases:
        for command in phase.commands:
            table.add_row(
                str(phase.number),
                str(command.number),
                Text(command.drive),
                numbers.size(command.offset),
                numbers.size(command.length),
                _us(command.begins),
                _us(command.ends),
            )
    yield table


def _senses(explanation: Explanation, flash: Flash) -> Iterator[Text | Table]:
    page, frame = numbers.size(flash.page), numbers.size(flash.frame)
    unit, stripe = numbers.size(flash.program_unit), numbers.size(flash.stripe)
    yield _geometry(flash)
    yield Text(f"A die reads the pages of {page} of one program unit of {unit} at once.")
    if any(sense.part > 1 for c in _commands(explanation) for sense in c.senses):
        yield Text(f"A read that crosses a stripe of {stripe} is split there; part follows part.")
    frames = sum(sense.frames for c in _commands(explanation) for sense in c.senses)
    crossing = numbers.size(frames * flash.frame)
    yield Text(f"{_some(frames, 'ECC frame')} of {frame} cross the channels: {crossing}.")
    table = _table(
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
            table.add_row(
                str(command.number),
                str(sense.part),
                str(sense.channel),
                str(sense.die),
                str(sense.pages[0].number),
                str(len(sense.pages)),
                numbers.size(sense.offset),
                numbers.size(sense.length),
                str(sense.frames),
                f"{_us(sense.begins)} to {_us(sense.ends)}",
                _us(max(page.done for page in sense.pages)),
            )
    yield table


def _buffered(explanation: Explanation, flash: Flash) -> Iterator[Text | Table]:
    page = numbers.size(flash.page)
    yield Text(f"The data comes into the write buffer page by page of {page}.")
    table = _table(">device\nI/O", ">page", ">from", ">length", ">in the\nbuffer, us")
    for command in _commands(explanation):
        for part in command.pages:
            table.add_row(
                str(command.number),
                str(part.number),
                numbers.size(part.offset),
                numbers.size(part.length),
                _us(part.done),
            )
    yield table


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
        table = _table(">program\nunit", ">channel", ">die", ">length", ">die programs,\nus")
        for number, program in zip(count(1), explanation.programs, strict=False):
            table.add_row(
                str(number),
                str(program.channel),
                str(program.die),
                unit,
                f"{_us(program.begins)} to {_us(program.ends)}",
            )
        yield table


def _arm(explanation: Explanation, disk: Disk) -> Iterator[Text | Table]:
    yield Text(
        f"The disk turns at {disk.rpm:,.0f} rpm and has {_some(disk.heads, 'head')} over"
        f" {_some(disk.cylinders, 'cylinder')} in {_some(disk.zones, 'zone')}."
    )
    when = "is at cylinder 0, head 0 when the request comes"
    if explanation.op == "write" and disk.cached:
        when += ", and writes after the request was acknowledged from the write cache"
    yield Text(f"The arm {when}.")
    if disk.discipline != "fifo" and len(explanation.accesses) > 1:
        yield Text(f"Which access comes first is chosen by {disk.discipline}.")
    table = _table(
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
        table.add_row(
            numbers.size(access.offset),
            numbers.size(access.length),
            str(access.zone),
            str(access.cylinder),
            str(access.head),
            f"{access.angle:.1f}",
            *(f"{1e3 * time:.3f}" for time in (access.move, access.rotation, access.transfer)),
            _us(access.begins),
            _us(access.ends),
        )
    yield table


def _geometry(flash: Flash) -> Text:
    dies = "dies" if flash.in_step == 1 else f"groups of {flash.in_step} dies in step"
    return Text(f"The flash has {flash.channels} channels with {flash.dies} {dies} each.")


def _commands(explanation: Explanation) -> list[Command]:
    return [command for phase in explanation.phases for command in phase.commands]


def _some(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _us(seconds: float) -> str:
    return numbers.figure(seconds * 1e6)


def _table(*headers: str) -> Table:
    """A table with these headers; the columns of those that begin with > are numbers."""
    lines = max(header.count("\n") for header in headers)
    table = Table(box=RULED, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for header in headers:
        text = header.removeprefix(">")
        table.add_column(
            "\n" * (lines - text.count("\n")) + text,
            justify="right" if header.startswith(">") else "left",
            no_wrap=True,
        )
    return table
