"""How the caches of controllers served a load, in a line under the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from raidsim.report import numbers
from raidsim.report.curves import Curve
from raidsim.report.drives import span
from raidsim.report.hardware import BATTERY_WORDS
from raidsim.result import ControllerUse, WriteMode
from raidsim.units import MIB

STRIPS = " (strips count as a whole)"
"""What is dirty is counted in strips, and a power cut takes only what was written of them."""


def lines(curve: Curve, where: Callable[[list[int]], str]) -> Iterator[str]:
    """A line for each controller with a cache, at the point where most is dirty."""
    for name in dict.fromkeys(one.name for point in curve.points for one in point.controllers):
        uses = [
            (number, one)
            for number, point in enumerate(curve.points)
            for one in point.controllers
            if one.name == name
        ]
        number, most = max(uses, key=lambda use: (use[1].dirty_mean, -use[0]))
        if most.cache_bytes == 0:
            continue
        parts = list(dict.fromkeys(mode_words(one, most) for one in most.writes.values()))
        shares = [one.hits / one.reads for _, one in uses if one.reads]
        if shares:
            parts.append(f"{span(shares, numbers.percent)} of reads found in its cache")
        if most.dirty_peak:
            at = f" at {where([number])}" if len(curve.points) > 1 else ""
            parts.append(
                f"{megabytes(most.dirty_mean)} of {megabytes(most.cache_bytes)} MiB dirty on"
                f" average{at}, {megabytes(most.dirty_peak)} MiB at most"
            )
            parts.append(risk(most))
        if most.pinned:
            parts.append(f"{megabytes(most.pinned)} MiB pinned for an array that is lost")
        yield f"{name}: {', '.join(parts)}"


def mode_words(mode: WriteMode, controller: ControllerUse) -> str:
    """Return the write mode in words, with the reason if it is not the requested one."""
    words = f"write-{mode.in_effect}"
    if mode.asked == mode.in_effect and (mode.in_effect != "back" or controller.battery == "good"):
        return words
    if mode.in_effect == "back":
        return f"{words} although {keeper_words(controller)}"
    if controller.battery == "good":  # then only an array that lost too many drives, or its link
        return f"{words} because the array is lost"
    return f"{words} because {keeper_words(controller)}"


def keeper_words(controller: ControllerUse) -> str:
    """The state of what keeps the cache in a power cut: "its battery is low"."""
    if controller.protection == "none":
        return "it has no battery"
    keeper = "flash module" if controller.protection == "flash" else "battery"
    return f"its {keeper} is {BATTERY_WORDS[controller.battery]}"


def risk(controller: ControllerUse) -> str:
    """Return the part of it that a power cut would lose."""
    if controller.lost_peak == 0:
        return "none of it lost in a power cut"
    if controller.lost_peak < controller.dirty_peak:
        return f"up to {megabytes(controller.lost_peak)} MiB of it lost in a power cut{STRIPS}"
    return f"all of it lost in a power cut{STRIPS}"


def megabytes(size: float) -> str:
    """Bytes in MiB, without the unit."""
    return f"{size / MIB:,.0f}" if size >= 10 * MIB else f"{size / MIB:.2g}"
