"""The RAID plan of one request, as ``raidsim explain`` prints it: drive by drive, in phases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from raidsim.explain.types import Array, Command, Explanation, Piece, Task
from raidsim.layout.tables import DATA, P
from raidsim.report import hardware, numbers
from raidsim.report.explain_tables import table, us
from raidsim.report.hardware import some

FEW = 4  # numbers that are listed one by one


def array_lines(explanation: Explanation, array: Array) -> Iterator[str]:
    """Yield in sentences the settings of the array, and the place of the request in it."""
    if where := hardware.where_words(array.spec, array.controller):
        yield f"It is {where}."
    if not array.behind_one_another:
        first = explanation.offset // array.strip
        last = (explanation.offset + explanation.length - 1) // array.strip
        where = f"lies in strip {first}"
        if first < last:
            where = f"extends over strips {first} to {last}"
        yield f"The request {where}; drives, strips and stripes are counted from 0."


def plan(explanation: Explanation, array: Array) -> Iterator[Text | Table]:
    """The commands of the request itself, phase by phase."""
    asked = [task for task in explanation.tasks if task.cause == "request"]
    yield Text(_counted(asked, "No command: the request ends before it comes to the drives."))
    if asked:
        yield _commands(asked, array)


def after(explanation: Explanation, array: Array, zero: float = 0.0) -> Iterator[Text | Table]:
    """The commands of what is done beside the request; times count from ``zero``, s."""
    tasks = _alone(explanation)
    if not tasks:
        return
    if not zero:
        yield Text("")
        yield Text(f"{done_alone(explanation, array)}:")
    yield Text(_counted(tasks, ""))
    yield _commands(tasks, array, zero)


def done_alone(explanation: Explanation, array: Array) -> str:
    """Return the work that is done beside a request, and who does it."""
    causes = " and ".join(dict.fromkeys(task.cause for task in _alone(explanation)))
    who = "software RAID" if array.controller is None else "the controller"
    return f"What {who} does on its own ({causes})"


def later_than(explanation: Explanation) -> float | None:
    """Return the start of work beside a request, s, if all of it comes after the answer."""
    behind = [
        step.begins
        for step in explanation.steps
        if step.background and step.begins >= explanation.latency < step.ends
    ]
    begins = [
        command.begins
        for task in _alone(explanation)
        for phase in task.phases
        for command in phase.commands
    ]
    return min(behind) if behind and begins and min(begins) >= min(behind) else None


def _alone(explanation: Explanation) -> list[Task]:
    return [task for task in explanation.tasks if task.cause != "request"]


def _counted(tasks: Sequence[Task], none: str) -> str:
    """Return the number of commands in words."""
    commands = [command for task in tasks for phase in task.phases for command in phase.commands]
    if not commands:
        return none
    drives = len({command.member for command in commands})
    reads = sum(command.op == "read" for command in commands)
    kinds = [some(reads, "read")] if reads else []
    if reads < len(commands):
        kinds.append(some(len(commands) - reads, "write"))
    phases = max(len(task.phases) for task in tasks)
    text = f"{some(len(commands), 'command')} to {some(drives, 'drive')}: {', '.join(kinds)},"
    return f"{text} in {some(phases, 'phase')}."


def _commands(tasks: Sequence[Task], array: Array, zero: float = 0.0) -> Table:
    with_parity = array.parity > 0
    headers = [">phase", ">drive", "op", ">from", ">length", ">begins,\nus", ">ends,\nus"]
    if not array.behind_one_another:
        headers.insert(5, "holds")
        headers.insert(0, ">stripe")
    if with_parity:
        headers.insert(1, "method")
    rows = table(*headers)
    for task in tasks:
        for phase in task.phases:
            for command in phase.commands:
                cells = [
                    str(phase.number),
                    str(command.member),
                    command.op,
                    numbers.size(command.offset),
                    numbers.size(command.length),
                    us(command.begins - zero),
                    us(command.ends - zero),
                ]
                if not array.behind_one_another:
                    cells.insert(5, holds(command, array))
                    cells.insert(0, _stripes(command, array))
                if with_parity:
                    methods = dict.fromkeys(piece.method for piece in command.pieces)
                    cells.insert(1, "; ".join(filter(None, methods)))
                rows.add_row(*map(Text, cells))
    return rows


def _stripes(command: Command, array: Array) -> str:
    """Stripes of a command, of its span if there are several; none of what is no data."""
    if not command.pieces:
        return ""
    found = listed([piece.stripe for piece in command.pieces])
    return f"{found} of span {command.pieces[0].span}" if array.spans > 1 else found


def holds(command: Command, array: Array) -> str:
    """Return words for the data of a command: data strips, their copies, P and Q."""
    parts: dict[str, list[int]] = {}
    for piece in command.pieces:
        parts.setdefault(_role(piece, array), []).append(piece.strip)
    words = [] if command.pieces else ["notes" if command.length else ""]
    for role, strips in parts.items():
        if role in ("P", "Q"):
            words.append(role)
        else:
            many = "s" if len(strips) > 1 else ""
            words.append(f"strip{many} {listed(strips)}{role}")
    return "; ".join(words)


def _role(piece: Piece, array: Array) -> str:
    if piece.role == DATA:
        return f", copy {piece.copy + 1}" if array.copies > 1 else ""
    return "P" if piece.role == P else "Q"


def listed(values: Sequence[int]) -> str:
    """Numbers in order: 3, 7, 11; of many, the first two and the last."""
    if len(values) > 2 and list(values) == list(range(values[0], values[-1] + 1)):
        return f"{values[0]} to {values[-1]}"
    if len(values) <= FEW:
        return ", ".join(map(str, values))
    return f"{values[0]}, {values[1]}, ... {values[-1]}"
