"""How numbers are written for people: few digits, one meaning, no ornament.

Formats that lower layers also need are in :mod:`raidsim.units`: capacities and times for people.
"""

from __future__ import annotations

from collections.abc import Sequence

NOT_MEASURED = "-"


def figure(value: float | None) -> str:
    """Four significant digits at most, in plain notation: 0.098, 2.412, 98.12, 123.4, 1852."""
    if value is None:
        return NOT_MEASURED
    size = abs(value)
    if size < 9.9995:
        return f"{value:.3f}"
    if size < 99.995:
        return f"{value:.2f}"
    if size < 999.95:
        return f"{value:.1f}"
    return f"{value:.0f}"


def time(ms: float) -> str:
    """A time on its own, in us below 1 ms and in ms from there on: 98.12 us, 2.412 ms."""
    return f"{figure(ms * 1000)} us" if ms < 1 else f"{figure(ms)} ms"


def in_one_unit(values_ms: Sequence[float]) -> tuple[str, list[str]]:
    """Times that stand beside each other, in one unit: us while all are below 1 ms, else ms."""
    unit, scale = ("us", 1000.0) if max(values_ms, default=1.0) < 1 else ("ms", 1.0)
    return unit, [figure(value * scale) for value in values_ms]


def count(value: float) -> str:
    """A rate or a number of things, with thousands marked: 0.0016, 98.4, 475,012."""
    return _tenths(value) if abs(value) < 99.95 else f"{value:,.0f}"


MB_PER_S = "MB/s of 2^20 bytes"
"""What tables with that unit say below."""


def mbps(value: float) -> str:
    """Throughput in MB/s: one decimal below 1000, two digits of what that would make zero."""
    return _tenths(value) if abs(value) < 999.95 else f"{value:.0f}"


def _tenths(value: float) -> str:
    """One decimal; two digits of what is not zero, and would look so."""
    return f"{value:.2g}" if 1e-4 <= abs(value) < NOT_ZERO else f"{value:.1f}"


NOT_ZERO = 0.05
"""Less than that is 0.0 to one decimal."""


def percent(share: float) -> str:
    """A share of one as whole percent; one decimal below 1 %: 98 %, 0.4 %."""
    return f"{100 * share:.1f} %" if abs(share) < 0.00995 else f"{100 * share:.0f} %"


def size(number: float) -> str:
    """Bytes in the largest unit of base 2 that leaves a whole number: 512 B, 8 KiB, 32 GiB."""
    whole = round(number)
    units = ["B", "KiB", "MiB", "GiB", "TiB"]
    while len(units) > 1 and whole and whole % 1024 == 0:
        whole //= 1024
        units.pop(0)
    return f"{whole} {units[0]}"


def watts(power: float) -> str:
    """Electric power: 0.03 W, 4.5 W, 25 W, 1,240 W."""
    return f"{_few_watts(power) if power < 9.95 else format(power, ',.0f')} W"


def _few_watts(power: float) -> str:
    """One decimal, or two digits below 1 W, without zeros at the end."""
    return f"{power:.2g}" if power < 0.995 else f"{round(power, 1):g}"


def watts_of_a_column(power: float) -> str:
    """Electric power among others below each other: one decimal, two digits where that is less."""
    return f"{power:.2g}" if 1e-3 <= power < 0.995 else f"{power:,.1f}"
