"""What a load means to the drives, in a few lines under the table: wear, heat, data at risk."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from raidsim.report import numbers
from raidsim.report.sweeps import Sweep
from raidsim.result import DriveUse, Temperature

Where = Callable[[list[int]], str]
"""Names some points of a sweep."""


def lines(sweep: Sweep, where: Where) -> Iterator[str]:
    """What is to say of each drive, at the points where it matters most."""
    for name in dict.fromkeys(drive.name for point in sweep.points for drive in point.drives):
        uses = [
            (number, drive)
            for number, point in enumerate(sweep.points)
            for drive in point.drives
            if drive.name == name
        ]

        def at(number: int, name: str = name) -> str:
            return f"{name}, {where([number])}" if len(sweep.points) > 1 else name

        number, drive = max(uses, key=lambda use: (use[1].written_per_day_tb, -use[0]))
        if drive.write_amplification is not None:
            yield f"{at(number)}: {wear(drive)}"
        number, drive = max(uses, key=lambda use: (use[1].throttled or 0.0, -use[0]))
        if drive.throttled and drive.temperature_c is not None:
            yield f"{at(number)}: {heat(drive, drive.temperature_c)}"
        number, drive = max(uses, key=lambda use: (use[1].unsafe_mean, -use[0]))
        if drive.unsafe_peak > 0 and not drive.protected:
            yield f"{at(number)}: {risk(drive)}"


def wear(drive: DriveUse) -> str:
    """Write amplification, writes a day against the rated ones, and how long that may go on."""
    parts = [f"write amplification {drive.write_amplification:.2f}"]
    rated = "" if drive.rated_writes_per_day is None else f" (rated {drive.rated_writes_per_day:g})"
    parts.append(f"{numbers.figure(drive.drive_writes_per_day)} drive writes a day{rated}")
    if drive.years_to_rated is not None:
        parts.append(f"rated writes reached after {numbers.figure(drive.years_to_rated)} years")
    return ", ".join(parts)


def heat(drive: DriveUse, temperature: Temperature) -> str:
    """How hot a drive became that throttled, and for how long it did."""
    share = 100 * (drive.throttled or 0.0)
    power = "" if drive.power_w is None else f"{drive.power_w:.1f} W on average, "
    text = f"{power}{temperature.highest:.1f} C at most, throttled {share:.0f} % of the time"
    hottest = max(drive.throttles_from_c.values(), default=temperature.highest)
    if temperature.highest > hottest + 1.0:
        text += f": throttling, from {hottest:g} C on, does not hold it"
    return text


def risk(drive: DriveUse) -> str:
    """What a power cut would cost."""
    mean, peak = (round(size / 1024) for size in (drive.unsafe_mean, drive.unsafe_peak))
    return (
        f"a power cut would lose {mean:,} KiB on average, {peak:,} KiB at most,"
        " acknowledged from a volatile buffer"
    )
