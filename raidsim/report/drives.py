"""The effect of a load on the drives, in a few lines under the table: wear, heat, data at risk.

The drives of an array share a line. Equal values are given once, others as a range with the worst
drive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from raidsim.report import numbers
from raidsim.report.curves import Curve
from raidsim.result import DriveUse, Temperature

Where = Callable[[list[int]], str]
"""Names some points of a curve."""

Write = Callable[[float], str]
Drives = Sequence[DriveUse]

FEW = 4
"""Drives that are named in a line, at most."""

DAYS = 365
SHORT = 0.1
"""Years below which how long a drive lasts is given in days."""

LONG = 100
"""Years after which nobody asks any more when a drive is worn out."""


def lines(curve: Curve, where: Where) -> Iterator[str]:
    """Yield lines on the drives of each volume, at the points where it matters most."""
    for volume in dict.fromkeys(drive.volume for point in curve.points for drive in point.drives):
        points = [
            [drive for drive in point.drives if drive.volume == volume] for point in curve.points
        ]
        for matters, words in TOPICS:
            weights = [matters(used) for used in points]
            number = weights.index(max(weights))
            text = words(points[number])
            if text:
                at = f", {where([number])}" if len(points) > 1 else ""
                yield f"{named(points[number])}{at}: {text}"


def named(drives: Drives) -> str:
    """The drives of a volume: "data"; "data, 24 drives"."""
    if len(drives) == 1:
        return drives[0].name
    return f"{drives[0].volume}, {len(drives)} drives"


def wear(drives: Drives) -> str:
    """Write amplification, writes a day against the rated ones, how long that may go on; or ""."""
    factors = [one.write_amplification for one in drives if one.write_amplification is not None]
    if not factors:
        return ""
    parts = [f"write amplification {span(factors, lambda value: f'{value:.2f}')}"]
    rated = drives[0].rated_writes_per_day
    words = "" if rated is None else f" (rated {rated:.3g})"
    writes = [one.drive_writes_per_day for one in drives if one.drive_writes_per_day is not None]
    filled = [own_name(one) for one in drives if one.filled]
    if writes:
        each = " each" if len(writes) > 1 else ""
        parts.append(f"{span(writes, numbers.figure)} drive writes a day{each}{words}")
    if filled:
        names = ", ".join(filled[:FEW]) + (", ..." if len(filled) > FEW else "")
        parts.append(f"no yearly wear of what was filled in this window ({names})")
    known = [one for one in drives if one.years_to_rated is not None]
    if known:
        first = min(known, key=lambda one: one.years_to_rated or 0.0)
        if (first.years_to_rated or 0.0) > LONG:
            return ", ".join([*parts, f"rated writes not reached in {LONG} years"])
        reached = _time(first.years_to_rated or 0.0)
        alike = all(_time(one.years_to_rated or 0.0) == reached for one in known)
        which = "" if alike else f" ({own_name(first)})"
        parts.append(f"rated writes reached after {reached}{which}")
    return ", ".join(parts)


def _time(years: float) -> str:
    """Years in figures; in days where hardly a digit of the years would be left."""
    if years < SHORT:
        return f"{numbers.figure(years * DAYS)} days"
    return f"{numbers.figure(years)} years"


def heat(drives: Drives) -> str:
    """Return temperature and duration of drives that throttled; "" if none did."""
    hot = [
        (one, one.temperature_c)
        for one in drives
        if one.throttled and one.temperature_c is not None
    ]
    if not hot:
        return ""
    each = " each" if len(hot) > 1 else ""
    power = [one.power_w for one, _ in hot if one.power_w is not None]
    text = f"{span(power, lambda watts: f'{watts:.1f}')} W{each} on average, " if power else ""
    highest = [temperature.highest for _, temperature in hot]
    text += f"{span(highest, lambda value: f'{value:.1f}')} C at most, "
    if len(hot) < len(drives):
        text += f"{len(hot)} of them "
    shares = [100 * (one.throttled or 0.0) for one, _ in hot]
    text += f"throttled {span(shares, lambda value: f'{value:.0f}')} % of the time"
    worst, temperature = max(hot, key=lambda found: found[1].highest)
    return text + beyond_control(worst, temperature)


def beyond_control(drive: DriveUse, temperature: Temperature) -> str:
    """Say so where throttling does not keep a drive cooler."""
    hottest = max(drive.throttles_from_c.values(), default=temperature.highest)
    if temperature.highest <= hottest + 1.0:
        return ""
    return f": throttling from {hottest:g} C on does not keep it cooler"


def risk(drives: Drives) -> str:
    """Return the cost of a power cut for all drives together; "" if nothing is lost."""
    unsafe = [one for one in drives if one.unsafe_peak > 0 and not one.protected]
    if not unsafe:
        return ""
    mean = round(sum(one.unsafe_mean for one in unsafe) / 1024)
    peak = round(sum(one.unsafe_peak for one in unsafe) / 1024)
    return (
        f"a power cut would lose {mean:,} KiB on average, {peak:,} KiB at most,"
        " acknowledged from a volatile buffer"
    )


def span(values: Sequence[float], write: Write) -> str:
    """Least and largest of some values as text, once where they read the same: "1.00 to 1.02"."""
    low, high = write(min(values)), write(max(values))
    return low if low == high else f"{low} to {high}"


def own_name(drive: DriveUse) -> str:
    """A drive's name within its volume: "drive 3"."""
    return drive.name.removeprefix(drive.volume).strip() or drive.name


TOPICS: tuple[tuple[Callable[[Drives], float], Callable[[Drives], str]], ...] = (
    (lambda used: sum(one.written_per_day_tb for one in used), wear),
    (lambda used: max((one.throttled or 0.0 for one in used), default=0.0), heat),
    (lambda used: sum(one.unsafe_mean for one in used if not one.protected), risk),
)
"""How much something matters of some drives, and what to say of it then."""
