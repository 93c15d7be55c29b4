"""A load of a scenario in the words of fio: the options of the job that asks for the same I/Os."""

from __future__ import annotations

from collections.abc import Sequence

from raidsim.scenario import LoadSpec
from raidsim.stats.shares import rounded_shares

US_PER_S = 1e6
_SUFFIXES = (("t", 2**40), ("g", 2**30), ("m", 2**20), ("k", 2**10))


def size_text(number: int) -> str:
    """Bytes as fio users write them: ``8k`` is 8 KiB."""
    for suffix, unit in _SUFFIXES:
        if number and number % unit == 0:
            return f"{number // unit}{suffix}"
    return str(number)


def rw_of(load: LoadSpec) -> str:
    """fio's name of what a load does: ``randread``, ``rw`` and so on."""
    kinds = {1.0: "read", 0.0: "write"}
    kind = kinds.get(load.read_share)
    if load.random_share > 0:
        return f"rand{kind or 'rw'}"
    return kind or "rw"


def options_of(
    load: LoadSpec, depth: int, rate: float | None, capacity: int
) -> tuple[dict[str, str], list[str]]:
    """The options of a job that is like a load, and in words what fio has no option for.

    Parameters
    ----------
    depth
        I/Os outstanding of each worker; of an open load the most that were.
    rate
        IO/s of each worker of an open load, else None.
    capacity
        Bytes of the volume that it is on.
    """
    remarks: list[str] = []
    options = {"filename": load.volume or "", "rw": rw_of(load), "bs": _bs(load)}
    if 0 < load.read_share < 1:
        options["rwmixread"] = _percent(load.read_share, "rwmixread", remarks)
    if 0 < load.random_share < 1:
        options["percentage_random"] = _percent(load.random_share, "percentage_random", remarks)
    if len(load.sizes) > 1:
        options["bssplit"] = _split(load, remarks)
    if len({one.random for one in load.mix}) > 1:
        remarks.append("sizes have random shares of their own: fio has no such option")
    if len(load.sizes) > 1 or load.align != load.sizes[0].size:
        options["blockalign"] = size_text(load.align)
    options |= {"iodepth": str(depth), "numjobs": str(load.workers)}
    options |= _where(load, capacity)
    options |= _distribution(load, remarks)
    options |= _to_the_medium(load)
    options |= _when(load, rate, remarks)
    if load.think:
        options["thinktime"] = f"{load.think * US_PER_S:.0f}"
    if load.within is not None:
        options["latency_target"] = f"{load.within * US_PER_S:.0f}"
        if load.within_percentile is not None:
            options["latency_percentile"] = f"{100 * load.within_percentile:g}"
    if load.priority:
        options["prio"] = str(load.priority)
    if load.timeout is not None:
        remarks.append(f"an I/O times out after {load.timeout:g} s: fio has no such option")
    if load.think_distribution == "exponential" and load.think:
        remarks.append("think times are exponential; those of fio are constant")
    return options, remarks


def _split(load: LoadSpec, remarks: list[str]) -> str:
    """The mix of sizes: of reads and writes alike, or first that of reads."""
    alike = len({one.read for one in load.mix}) == 1
    written, exact, is_exact = [], [], True
    for reads, share in ((True, load.read_share), (False, 1 - load.read_share)):
        parts = [(one.bytes, one.share * (one.read if reads else 1 - one.read)) for one in load.mix]
        parts = [(size, part / share) for size, part in parts if part > 0]
        shares = [part for _, part in parts]
        whole = _whole(shares)
        sizes = [size_text(size) for size, _ in parts]
        rows = list(zip(sizes, whole, shares, strict=True))
        written.append(":".join(f"{size}/{part}" for size, part, _ in rows if part > 0))
        exact.append(":".join(f"{size}/{100 * part:g}" for size, _, part in rows))
        is_exact = is_exact and _same(whole, shares)

    def text(halves: list[str]) -> str:
        return (halves[0] or halves[1]) if alike else ",".join(halves)

    if not is_exact:
        remarks.append(_whole_only("bssplit", text(exact)))
    return text(written)


def _bs(load: LoadSpec) -> str:
    """The size of the I/Os; of a mix the largest, which ``bssplit`` then tells apart."""
    return size_text(max(one.size for one in load.sizes))


def _percent(share: float, option: str, remarks: list[str]) -> str:
    """A share as fio takes it: in whole percent."""
    whole = round(100 * share)
    if abs(whole - 100 * share) > 1e-9:
        remarks.append(_whole_only(option, f"{100 * share:g} %"))
    return str(whole)


def _whole(shares: Sequence[float], least: int = 0) -> list[int]:
    """Shares in whole percents that add up to 100: fio cuts off what is behind the point."""
    if not shares:
        return []
    return [round(100 * share) for share in rounded_shares(shares, least, 100)]


def _same(percents: Sequence[int], shares: Sequence[float]) -> bool:
    """Return whether whole percents say the shares as they are."""
    pairs = zip(percents, shares, strict=True)
    return all(abs(percent - 100 * share) <= 1e-6 for percent, share in pairs)


def _whole_only(option: str, exact: str) -> str:
    return f"{option} is {exact}; fio has whole percents only"


def _where(load: LoadSpec, capacity: int) -> dict[str, str]:
    offset, size = load.extent(capacity)
    found = {"offset": size_text(offset), "size": size_text(size)}
    if load.partitions and load.workers > 1:
        found["offset_increment"] = size_text(load.extent(capacity, 1)[0] - offset)
    return found


def _distribution(load: LoadSpec, remarks: list[str]) -> dict[str, str]:
    """Return the options of fio for the distribution of random addresses."""
    if load.random_share == 0:
        return {}
    return ({} if load.once else {"norandommap": "1"}) | _uneven(load, remarks)


def _uneven(load: LoadSpec, remarks: list[str]) -> dict[str, str]:
    if load.zipf is not None:
        return {"random_distribution": f"zipf:{load.zipf:g}"}
    if load.hot is not None:
        hits, area = load.hot.accesses, load.hot.area
        return _zoned([(hits, area), (1 - hits, 1 - area)], remarks)
    if load.zones is not None:
        return _zoned([(zone.accesses, zone.area) for zone in load.zones], remarks)
    return {}


def _zoned(zones: Sequence[tuple[float, float]], remarks: list[str]) -> dict[str, str]:
    """Zones by their shares of the accesses and of the area; each has some of the area."""
    columns = list(zip(*zones, strict=True))
    whole = [_whole(columns[0]), _whole(columns[1], least=1)]
    if not all(map(_same, whole, columns)):
        exact = ":".join(f"{100 * hits:g}/{100 * area:g}" for hits, area in zones)
        remarks.append(_whole_only("random_distribution", f"zoned:{exact}"))
    text = ":".join(f"{hits}/{area}" for hits, area in zip(*whole, strict=True))
    return {"random_distribution": f"zoned:{text}"}


def _to_the_medium(load: LoadSpec) -> dict[str, str]:
    """Flushes, and writes that wait for the medium."""
    found = {"fsync": str(load.flush_every)} if load.flush_every else {}
    return found | ({"sync": "dsync"} if load.fua else {})


def _when(load: LoadSpec, rate: float | None, remarks: list[str]) -> dict[str, str]:
    """Return the options of fio for a load's rate, think time and end."""
    found = {}
    if rate is not None:
        # One number would be a limit for reads, and the same again for writes.
        parts = [rate * share for share in (load.read_share, 1 - load.read_share) if share > 0]
        found = {
            "rate_iops": ",".join(f"{part:.0f}" for part in parts),
            "rate_process": "linear" if load.rate_distribution == "constant" else "poisson",
        }
        if any(abs(round(part) - part) > 1e-9 for part in parts):
            exact = ",".join(f"{part:g}" for part in parts)
            remarks.append(f"rate_iops is {exact}; fio has whole numbers only")
    if load.arrivals is not None:
        remarks.append("its I/Os have given times, for which fio needs an iolog")
    if load.trace is not None:
        remarks.append(f"it replays {load.trace.file}, for which fio needs an iolog")
    if load.burst is not None:
        remarks.append(
            f"it issues for {load.burst.on:g} s, then pauses for {load.burst.off:g} s;"
            " fio counts thinktime_blocks in I/Os, not in time"
        )
    if load.limit.ios is not None:
        found["number_ios"] = str(-(-load.limit.ios // load.workers))
    if load.limit.bytes is not None:
        found["io_size"] = size_text(-(-load.limit.bytes // load.workers))
    if load.limit.time is not None:
        found |= {"time_based": "1", "runtime": f"{load.limit.time * US_PER_S:.0f}us"}
    return found
