"""A load of a scenario in the words of fio: the options of the job that asks for the same I/Os."""

from __future__ import annotations

from raidsim.scenario import LoadSpec

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
        options["bssplit"] = _split(load)
    if len({one.random for one in load.mix}) > 1:
        remarks.append("sizes have random shares of their own: fio has no such option")
    if len(load.sizes) > 1 or load.align != load.sizes[0].size:
        options["blockalign"] = size_text(load.align)
    options |= {"iodepth": str(depth), "numjobs": str(load.workers)}
    options |= _where(load, capacity)
    options |= _distribution(load)
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


def _split(load: LoadSpec) -> str:
    """The mix of sizes: of reads and writes alike, or first that of reads."""
    halves: list[str] = []
    for share in (load.read_share, 1 - load.read_share):
        reads = not halves
        parts = [(one.bytes, one.share * (one.read if reads else 1 - one.read)) for one in load.mix]
        found = [f"{size_text(size)}/{100 * part / share:g}" for size, part in parts if part > 0]
        halves.append(":".join(found))
    alike = len({one.read for one in load.mix}) == 1
    return (halves[0] or halves[1]) if alike else ",".join(halves)


def _bs(load: LoadSpec) -> str:
    """The size of the I/Os; of a mix the largest, which ``bssplit`` then tells apart."""
    return size_text(max(one.size for one in load.sizes))


def _percent(share: float, option: str, remarks: list[str]) -> str:
    """A share as fio takes it: in whole percent."""
    whole = round(100 * share)
    if abs(whole - 100 * share) > 1e-9:
        remarks.append(f"{option} is {100 * share:g} %; fio has whole percents only")
    return str(whole)


def _where(load: LoadSpec, capacity: int) -> dict[str, str]:
    offset, size = load.extent(capacity)
    found = {"offset": size_text(offset), "size": size_text(size)}
    if load.partitions and load.workers > 1:
        found["offset_increment"] = size_text(load.extent(capacity, 1)[0] - offset)
    return found


def _distribution(load: LoadSpec) -> dict[str, str]:
    """Where random I/Os go."""
    if load.random_share == 0:
        return {}
    return ({} if load.once else {"norandommap": "1"}) | _uneven(load)


def _uneven(load: LoadSpec) -> dict[str, str]:
    if load.zipf is not None:
        return {"random_distribution": f"zipf:{load.zipf:g}"}
    if load.hot is not None:
        hits, area = 100 * load.hot.accesses, 100 * load.hot.area
        zones = f"{hits:g}/{area:g}:{100 - hits:g}/{100 - area:g}"
        return {"random_distribution": f"zoned:{zones}"}
    if load.zones is not None:
        zones = ":".join(f"{100 * z.accesses:g}/{100 * z.area:g}" for z in load.zones)
        return {"random_distribution": f"zoned:{zones}"}
    return {}


def _to_the_medium(load: LoadSpec) -> dict[str, str]:
    """Flushes, and writes that wait for the medium."""
    found = {"fsync": str(load.flush_every)} if load.flush_every else {}
    return found | ({"sync": "dsync"} if load.fua else {})


def _when(load: LoadSpec, rate: float | None, remarks: list[str]) -> dict[str, str]:
    """When it issues, and when it ends."""
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
        remarks.append("its I/Os come at given times, for which fio needs an iolog")
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
