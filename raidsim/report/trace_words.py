"""Remarks about a trace: the same sentences and tables on a terminal and on a page."""

from __future__ import annotations

from dataclasses import dataclass

from raidsim.report import numbers
from raidsim.trace.info import TraceInfo

MOST_SIZES = 12
MOST_VOLUMES = 12
MOST_CACHES = 14
SHOWN_PERCENTILES = {0.5: "50 %", 0.95: "95 %", 0.99: "99 %", 0.999: "99.9 %"}
TENTH_OF_PERCENT = 0.001


@dataclass(frozen=True)
class Section:
    """A table with what is to be said about it.

    Attributes
    ----------
    title : of the table.
    headers, rows : cells, all text; the first column names the row.
    note : a sentence below it, or nothing.
    """

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def facts(info: TraceInfo) -> list[tuple[str, str]]:
    """Return the facts of a trace, as names and short texts."""
    data = info.ops["read"] + info.ops["write"]
    found = [
        ("requests", f"{info.requests:,}"),
        *([("begins", _calendar(info.begins))] if info.begins else []),
        ("span", duration(info.span)),
        ("mean rate", "-" if info.rate is None else f"{numbers.count(info.rate)} IO/s"),
    ]
    if data and info.mean_size is not None:
        found += [
            ("reads", f"{share(info.read_share)} of the I/Os, {share(info.read_byte_share)}"
                      " of the bytes"),
            ("data", f"{amount(info.bytes_read)} read, {amount(info.bytes_written)} written"),
            ("mean size", f"{info.mean_size / 1024:.1f} KiB"),
            ("sequential", f"{share(info.sequential_share)} begin where one of the last 32 I/Os of"
                           f" the volume ended, {share(info.consecutive_share)} where the last one"
                           " did"),
            ("footprint", f"{amount(info.footprint)} read or written"
                          + ("" if info.footprint_exact else " (estimated)")),
        ]  # fmt: skip
    others = [f"{info.ops[op]:,} {name}" for op, name in (("trim", "trims"), ("flush", "flushes"))
              if info.ops[op]]  # fmt: skip
    if others:
        found.append(("also", ", ".join(others)))
    found.append(("highest address", amount(info.end)))
    if info.gap_variation is not None:
        found.append(
            ("gaps between arrivals", f"variance {numbers.figure(info.gap_variation)} times the"
                                      " square of the mean (by chance: 1)")
        )  # fmt: skip
    if info.outstanding_found is not None:
        found.append(
            ("outstanding I/Os", f"an arrival finds {numbers.figure(info.outstanding_found)} on"
                                 f" average; {info.outstanding_most:,} at most, with itself")
        )  # fmt: skip
    return found


def _calendar(begins: str) -> str:
    """A time as people write it: 2007-02-22 17:05:00 UTC."""
    return f"{begins[:19].replace('T', ' ')} UTC"


def sections(info: TraceInfo) -> list[Section]:
    """All tables that have something in them."""
    found = [_rates(info), _sizes(info), _latency(info), _hot(info), _caches(info), _volumes(info)]
    return [one for one in found if one.rows]


def _rates(info: TraceInfo) -> Section:
    rows = tuple(
        (
            duration(peak.window),
            numbers.count(peak.rate),
            duration(peak.at),
            "-" if info.rate is None else f"{peak.rate / info.rate:.1f}",
            "-" if peak.dispersion is None else numbers.figure(peak.dispersion),
        )
        for peak in info.peaks
    )
    headers = ("window", "peak, IO/s", "it begins at", "peak / mean", "variance / mean")
    note = (
        "Arrivals in windows of one length. Variance over mean of their numbers is 1 for arrivals"
        " by chance (Poisson), 0 for even ones, and more where they come in bursts."
    )
    return Section("Rate", headers, rows, note)


def _sizes(info: TraceInfo) -> Section:
    data = info.ops["read"] + info.ops["write"]
    shown = info.sizes[:MOST_SIZES]
    rows = tuple(
        (
            size(one.size),
            share(one.requests / data),
            share(one.read_share),
            share(one.sequential_share),
        )
        for one in shown
    )
    more = len(info.sizes) - len(shown)
    rest = sum(one.requests for one in info.sizes[MOST_SIZES:])
    note = f"{more:,} more sizes: {share(rest / data)} of the I/Os." if more else ""
    return Section("Sizes", ("size", "of the I/Os", "reads", "sequential"), rows, note)


def _latency(info: TraceInfo) -> Section:
    rows = tuple(
        (
            name,
            f"{one.requests:,}",
            numbers.figure(one.mean * 1000),
            *(numbers.figure(one.percentiles[share] * 1000) for share in SHOWN_PERCENTILES),
            numbers.figure(one.most * 1000),
        )
        for name, one in info.latency.items()
    )
    headers = ("latency, ms", "I/Os", "mean", *SHOWN_PERCENTILES.values(), "most")
    return Section("Latency in the trace", headers, rows)


def _hot(info: TraceInfo) -> Section:
    rows = tuple((share(part), share(accesses)) for part, accesses in info.hot.items())
    block = numbers.size(info.block)
    note = f"Of the blocks of {block} that are touched, those accessed most."
    return Section("Hot blocks", ("of the blocks", "of the accesses"), rows, note)


def _caches(info: TraceInfo) -> Section:
    last = info.caches[-1:]
    even = [one for one in info.caches if one.size & (one.size - 1) == 0 and one not in last]
    step = max(1, -(-len(even) // MOST_CACHES))
    shown = [*even[::-1][::step][::-1], *last]
    rows = tuple((amount(one.size), share(one.miss_ratio)) for one in shown)
    note = (
        f"An LRU cache of blocks of {numbers.size(info.block)} that is empty at first; reads and"
        " writes count alike, block by block."
    )
    return Section("Cache", ("cache", "misses"), rows, note)


def _volumes(info: TraceInfo) -> Section:
    if len(info.volumes) < 2:
        return Section("Volumes", (), ())
    shown = info.volumes[:MOST_VOLUMES]
    rows = tuple(
        (
            one.name,
            f"{one.requests:,}",
            share(one.read_share),
            amount(one.bytes_read),
            amount(one.bytes_written),
            amount(one.end),
        )
        for one in shown
    )
    more = len(info.volumes) - len(shown)
    note = f"{more:,} more volumes." if more else ""
    headers = ("volume", "I/Os", "reads", "read", "written", "highest address")
    return Section("Volumes", headers, rows, note)


def share(value: float | None) -> str:
    """A share as percent, with a decimal; what is less than 0.1 % but not nothing says so."""
    if value is None:
        return numbers.NOT_MEASURED
    if 0 < value < TENTH_OF_PERCENT / 2:
        return "< 0.1 %"
    return f"{100 * value:.1f} %"


def size(number: int) -> str:
    """A size of requests: 512 B, 4 KiB, 6.5 KiB."""
    if number < 1024 or number % 512:
        return f"{number:,} B"
    return f"{number / 1024:.4g} KiB" if number < 2**20 else f"{number / 2**20:.4g} MiB"


def amount(number: float) -> str:
    """An amount of data in base 2: 512 B, 13.5 MiB, 1.25 TiB."""
    value = float(number)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            return f"{value:.4g} {unit}"
        value /= 1024
    return f"{value:,.4g} PiB"


def duration(seconds: float) -> str:
    """A time: 12.5 us, 10 ms, 150.2 s, 3.5 h, 7 days."""
    if seconds == 0:
        return "0 s"
    for most, unit, name in (
        (1e-3, 1e-6, "us"),
        (1.0, 1e-3, "ms"),
        (600.0, 1.0, "s"),
        (7200.0, 60.0, "min"),
        (172_800.0, 3600.0, "h"),
    ):
        if seconds < most:
            return f"{seconds / unit:.4g} {name}"
    return f"{seconds / 86_400:.4g} days"
