"""Conditions between the keys of loads: one small function each.

A check of a load gets the values of the keys it names, and runs only if all of them could be read.
It yields (key, cause, remedy).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from raidsim import units
from raidsim.errors import nearest_name, quote, quoted
from raidsim.scenario.finding import Finding, IndexedFinding
from raidsim.scenario.load_spec import Burst, SizeShare, Zone
from raidsim.scenario.part import Area

Check = Callable[..., Iterator[Finding]]

_CHECKS: list[tuple[tuple[str, ...], Check]] = []


def needs(*keys: str) -> Callable[[Check], Check]:
    """Register a check of a load that gets the values of these keys."""

    def register(check: Check) -> Check:
        _CHECKS.append((keys, check))
        return check

    return register


def check_load(values: Mapping[str, Any]) -> Iterator[Finding]:
    """Run every check whose keys could all be read."""
    for keys, check in _CHECKS:
        if all(key in values for key in keys):
            yield from check(*(values[key] for key in keys))


@needs("size", "sizes")
def one_way_to_say_the_size(
    size: int | None, sizes: Sequence[SizeShare] | None
) -> Iterator[Finding]:
    """A load has one size or a mix, not both and not neither."""
    if size is None and sizes is None:
        yield "size", "is missing", 'write size = "8 KiB", or sizes = [...] for a mix'
    if size is not None and sizes is not None:
        yield "sizes", "cannot be used with size", "keep one of the two"


@needs("sizes")
def shares_make_a_whole(sizes: Sequence[SizeShare] | None) -> Iterator[Finding]:
    """The shares of a mix add up to all requests."""
    total = sum(part.share for part in sizes or ())
    if sizes and abs(total - 1) > 1e-9:
        yield "sizes", f"the shares add up to {total * 100:.10g} %", "they must add up to 100 %"


@needs("read", "sizes")
def reads_are_known(read: float | None, sizes: Sequence[SizeShare] | None) -> Iterator[Finding]:
    """The share of reads is given for every request, and given once."""
    own = [part.read is not None for part in sizes or ()]
    if read is None and not (own and all(own)):
        yield "read", "is missing", 'write read = "67 %", for example'
    if read is not None and own and all(own):
        yield (
            "read",
            "has no effect: each of the sizes has a share of reads of its own",
            "leave it out",
        )


@needs("read", "sizes", "trim")
def reads_and_trims_are_no_more_than_all(
    read: float | None, sizes: Sequence[SizeShare] | None, trim: float
) -> Iterator[Finding]:
    """Check that reads and trims are no more than all requests: the rest is written."""
    most = max(_read_shares(read, sizes), default=0.0)
    if most + trim > 1 + 1e-9:
        cause = f"{100 * trim:.6g} % trims and {100 * most:.6g} % reads are more than all requests"
        yield "trim", cause, f"give at most {100 * (1 - most):.6g} %"


@needs("trim", "trims")
def something_that_trims(trim: float, trims: str | None) -> Iterator[Finding]:
    """Drives only get trims if all parts above them pass trims on."""
    if trim > 0 and trims is not None:
        yield "trim", f"trims do not reach the drives: {trims}", "leave it out"


@needs("outstanding", "rate", "arrivals", "trace")
def one_intensity(outstanding: Any, rate: Any, arrivals: Any, trace: Any) -> Iterator[Finding]:
    """A load is closed, open at a rate, open with given arrivals, or replays a trace."""
    given = [
        name
        for name, value in (("outstanding", outstanding), ("rate", rate), ("arrivals", arrivals))
        if value is not None
    ]
    if not given and trace is None:
        remedy = 'write outstanding = 32 (closed load), or rate = "1000 IO/s" (open load)'
        yield "outstanding", "is missing", remedy
    if len(given) > 1:
        yield given[1], f"cannot be used with {given[0]}", "a load is closed or open: keep one"


@needs("outstanding")
def some_outstanding(outstanding: Sequence[int] | None) -> Iterator[Finding]:
    """A sweep has at least one point."""
    if outstanding is not None and not outstanding:
        yield "outstanding", "is an empty list", "give at least one number"


@needs("rate")
def some_rate(rate: Sequence[float] | None) -> Iterator[Finding]:
    """A sweep has at least one point."""
    if rate is not None and not rate:
        yield "rate", "is an empty list", "give at least one rate"


@needs("arrivals")
def arrivals_in_order(arrivals: Sequence[float] | None) -> Iterator[Finding]:
    """Time does not run backwards."""
    if arrivals is None:
        return
    if not arrivals:
        yield "arrivals", "is an empty list", "give at least one time"
    for before, after in itertools.pairwise(arrivals):
        if after < before:
            later = f"{units.text(after, 'time')} after {units.text(before, 'time')}"
            yield "arrivals", f"are not in order: {later}", "sort them"
            return


@needs("rate_distribution", "rate")
def a_rate_to_be_distributed(distribution: str, rate: Any) -> Iterator[Finding]:
    """Only arrivals at a rate have times between them to be drawn."""
    if distribution != "exponential" and rate is None:
        cause = "applies to loads with a rate, and this one has none"
        yield "rate_distribution", cause, 'write rate = "1000 IO/s", for example'


@needs("within", "within_percentile", "arrivals")
def something_to_search(
    within: float | None, within_percentile: float | None, arrivals: Any
) -> Iterator[Finding]:
    """A percentile is that of a latency that is asked for, of a load that can be raised."""
    if within_percentile is not None and within is None:
        yield "within_percentile", "has no effect without within", 'write within = "2 ms" too'
    if within is not None and arrivals is not None:
        yield "within", "cannot be used with arrivals", "give outstanding or rate, to be searched"


@needs("within", "outstanding", "rate")
def searched_upwards(
    within: float | None, outstanding: Sequence[int] | None, rate: Sequence[float] | None
) -> Iterator[Finding]:
    """The search goes from the lowest load to the highest."""
    for name, sweep in (("outstanding", outstanding), ("rate", rate)):
        rising = all(before < after for before, after in itertools.pairwise(sweep or ()))
        if within is not None and not rising:
            yield (
                name,
                "has values that do not rise",
                "sort them: the search for within goes upwards",
            )


@needs("think", "outstanding")
def only_closed_loads_think(think: float, outstanding: Any) -> Iterator[Finding]:
    """An open load does not wait for completions, so it has no think time."""
    if think > 0 and outstanding is None:
        yield (
            "think",
            "is for closed loads: an open load waits for no I/O to complete",
            "leave it out",
        )


@needs("flush_every", "outstanding", "read", "sizes", "trim")
def something_to_flush(
    flush_every: int,
    outstanding: Any,
    read: float | None,
    sizes: Sequence[SizeShare] | None,
    trim: float,
) -> Iterator[Finding]:
    """A flush takes the place of an I/O of a closed load, behind writes."""
    if flush_every == 0:
        return
    if outstanding is None:
        yield "flush_every", "is for closed loads", "give outstanding in place of a rate"
    if (remedy := _without_writes(read, sizes, trim)) is not None:
        yield "flush_every", "is about writes, and this load has none", remedy


@needs("flush_every", "hybrid")
def a_volume_that_flushes(flush_every: int, hybrid: bool) -> Iterator[Finding]:
    """What a flush means to the parts of a hybrid is not simulated."""
    if flush_every and hybrid:
        yield "flush_every", "flushes of a hybrid are not simulated", "leave it out"


@needs("fua", "hybrid")
def a_volume_whose_medium_is_one(fua: bool, hybrid: bool) -> Iterator[Finding]:
    """Which of the parts of a hybrid is the medium is not simulated."""
    if fua and hybrid:
        yield "fua", "is not simulated of a hybrid, whose medium is two volumes", "leave it out"


@needs("fua", "read", "sizes", "trim")
def something_to_be_forced(
    fua: bool, read: float | None, sizes: Sequence[SizeShare] | None, trim: float
) -> Iterator[Finding]:
    """Reads come from anywhere, and trims need no medium."""
    if fua and (remedy := _without_writes(read, sizes, trim)) is not None:
        yield "fua", "is about writes, and this load has none", remedy


@needs("burst", "arrivals")
def arrivals_are_bursts_enough(burst: Burst | None, arrivals: Any) -> Iterator[Finding]:
    """Given arrivals leave nothing for a burst to say."""
    if burst is not None and arrivals is not None:
        yield (
            "burst",
            "cannot be used with arrivals, which give the times of I/Os",
            "leave it out",
        )


@needs("hot", "zones", "zipf", "once")
def one_way_to_choose_places(hot: Any, zones: Any, zipf: Any, once: bool) -> Iterator[Finding]:
    """Accesses are uneven in one way, or come to each place once."""
    ways = {"hot": hot, "zones": zones, "zipf": zipf, "once": once or None}
    given = [name for name, value in ways.items() if value is not None]
    for name in given[1:]:
        yield name, f"cannot be used with {given[0]}", "keep one of the two"


@needs("zones")
def zones_make_a_whole(zones: Sequence[Zone] | None) -> Iterator[Finding]:
    """Zones make up the area, and the accesses to them all random accesses."""
    if zones is None:
        return
    if not zones:
        yield "zones", "is an empty list", "give at least one zone"
        return
    for name, total in (
        ("areas", sum(zone.area for zone in zones)),
        ("accesses", sum(zone.accesses for zone in zones)),
    ):
        if abs(total - 1) > 1e-9:
            cause = f"their {name} add up to {total * 100:.10g} %"
            yield "zones", cause, "they must add up to 100 %"


@needs("random", "sizes", "hot", "zones", "zipf", "once")
def something_random_to_choose_places_for(
    random: float, sizes: Sequence[SizeShare] | None, hot: Any, zones: Any, zipf: Any, once: bool
) -> Iterator[Finding]:
    """A hot spot of a purely sequential load would do nothing."""
    shares = {random if part.random is None else part.random for part in sizes or ()} or {random}
    if shares == {0}:
        for name, value in (("hot", hot), ("zones", zones), ("zipf", zipf), ("once", once or None)):
            if value is not None:
                yield (
                    name,
                    "is about random accesses, and this load has none",
                    'give random = "100 %"',
                )
    elif once and shares != {1}:
        cause = "needs only random accesses, and this load has sequential ones"
        yield "once", cause, 'give random = "100 %"'
    if once and len({part.size for part in sizes or ()}) > 1:
        yield (
            "once",
            "needs requests of one size, since it asks for each place once",
            "give one size",
        )


@needs("partitions", "workers", "align", "area", "capacity", "largest")
def requests_fit_into_the_area(
    partitions: bool, workers: int, align: int, area: Area, capacity: int, largest: int
) -> Iterator[Finding]:
    """The area lies in the volume (or partition) and holds a request."""
    part = capacity // workers // align * align if partitions else capacity
    whole = "a partition" if partitions else "the volume"
    size = part - area.offset if area.size is None else area.size
    if area.offset >= part:
        its, room = units.sizes_to_compare(area.offset, part)
        yield "area", f"starts at {its}, beyond {whole} of {room}", None
    elif area.offset + size > part:
        its, room = units.sizes_to_compare(area.offset + size, part)
        yield "area", f"ends at {its}, beyond {whole} of {room}", None
    elif size < largest:
        remedy = "make it larger, or the requests smaller"
        if largest > part:
            remedy = f"make the requests smaller: {whole} has {units.capacity_for_people(part)}"
        cause = f"of {_size(size)} holds no request of {_size(largest)}"
        yield "area", cause, remedy


@needs("sector", "align", "sizes", "size", "area")
def whole_sectors(
    sector: int, align: int, sizes: Sequence[SizeShare] | None, size: int | None, area: Area
) -> Iterator[Finding]:
    """The drive reads and writes whole sectors, and has no smaller addresses (4Kn)."""
    remedy = f"give a multiple of the drive's sector of {_size(sector)}"
    broken = [part.size for part in sizes or () if part.size % sector]
    if broken:
        yield "sizes", f"{_size(broken[0])} is not a whole number of sectors", remedy
    elif size is not None and size % sector:
        yield "size", f"{_size(size)} is not a whole number of sectors", remedy
    elif align % sector:
        yield "align", f"{_size(align)} is not a whole number of sectors", remedy
    if area.offset % sector:
        yield "area", f"starts at {_size(area.offset)}, inside a sector", remedy


@needs("read", "sizes", "access")
def allowed_access(
    read: float | None, sizes: Sequence[SizeShare] | None, access: str
) -> Iterator[Finding]:
    """A load does only what the access policy of its volume lets it."""
    if access == "blocked":
        yield "volume", "is blocked by its access policy", 'give it access = "read-write"'
    if access == "read-only" and any(share < 1 for share in _read_shares(read, sizes)):
        cause = "the volume is read-only by its access policy, and this load writes"
        yield "read", cause, 'write read = "100 %", or give the volume access = "read-write"'


def check_volume_of(load: Mapping[str, Any], names: Sequence[str]) -> Iterator[Finding]:
    """The volume that a load names must be one of the scenario."""
    if "volume" not in load:
        return
    name = load["volume"]
    if name is None and len(names) > 1:
        yield (
            "volume",
            f"is missing, and there are {len(names)} volumes",
            f"give one of {quoted(names)}",
        )
    elif name is not None and name not in names:
        cause = f"{quote(name)} is not a volume of this scenario"
        yield "volume", cause, nearest_name(name, names)


def repeated(names: Sequence[str | None]) -> Iterator[tuple[int, str]]:
    """Index and name of each that was there before."""
    for index, name in enumerate(names):
        if name is not None and name in names[:index]:
            yield index, name


def check_name(name: str | None, controllers: Sequence[str] = ()) -> Iterator[Finding]:
    """A controller or link is told apart from the host, a link from controllers, by its name."""
    if name == "host":
        yield "name", f"{quote(name)} is the name of the server itself", "give it another"
    elif name is not None and name in controllers:
        yield "name", f"{quote(name)} is the name of a controller too", "give each its own name"


def check_sweeps(loads: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, str, int, int]]:
    """Index, key, length and first length of each sweep that is not as long as the first."""
    first = 0
    for index, load in enumerate(loads):
        for key in ("outstanding", "rate"):
            length = len(load.get(key) or ())
            if length > 1:
                first = first or length
                if length != first:
                    yield index, key, length, first


def check_searches(loads: Sequence[Mapping[str, Any]]) -> Iterator[IndexedFinding]:
    """Index, key, cause and remedy of what cannot be used with the load that is searched for."""
    asking = [i for i, load in enumerate(loads) if load.get("within") is not None]
    for index in asking[1:]:
        yield (
            index,
            "within",
            "is also in an earlier load",
            "keep one: a run searches for one load only",
        )
    for index, load in enumerate(loads):
        for key in ("outstanding", "rate"):
            if asking and index != asking[0] and len(load.get(key) or ()) > 1:
                cause = "has several values, and another load is searched for by its within"
                yield index, key, cause, "give one value"


def check_groups(
    loads: Sequence[Mapping[str, Any]], has_a_course: bool
) -> Iterator[IndexedFinding]:
    """Index, key, cause and remedy of each load that would begin after one that does not end.

    Beside events and machines (``has_a_course``) no load may wait for another one.
    """
    groups: dict[Any, int] = {}
    ending: set[int] = set()
    behind: list[int] = []
    for index, load in enumerate(loads):
        after = load.get("after")
        if after is not None and has_a_course:
            cause = "cannot be used with events or machines"
            yield index, "after", cause, 'begin it by an event: kind = "load-start"'
        elif after is not None and after not in groups:
            known = [name for name in groups if name is not None]
            cause = f"{quote(after)} is not a load above this one"
            yield index, "after", cause, f"give one of {quoted(known)}" if known else "leave it out"
        elif after is not None:
            behind.append(index)
        group = 0 if after is None else groups.get(after, 0) + 1
        groups[load.get("name")] = group
        limit = load.get("limit")
        ends = (*(limit or ()), load.get("arrivals"), load.get("trace"))
        if any(end is not None for end in ends):
            ending.add(group)
    for index in behind:
        after = loads[index]["after"]
        if groups[after] not in ending:
            cause = f"{quote(after)} does not end, nor does any load that begins with it"
            yield index, "after", cause, 'give one of them an end: limit = { time = "60 s" }'


def _read_shares(read: float | None, sizes: Sequence[SizeShare] | None) -> list[float]:
    """The shares of reads that a load and its sizes say."""
    return [one for one in (read, *(part.read for part in sizes or ())) if one is not None]


def _without_writes(
    read: float | None, sizes: Sequence[SizeShare] | None, trim: float
) -> str | None:
    """Return the remedy for a load that writes nothing; None if it writes."""
    shares = _read_shares(read, sizes)
    if not shares or min(shares) + trim < 1 - 1e-9:
        return None
    return 'write read = "50 %"' if trim == 0 else "give less of reads or of trims"


def _size(number: int) -> str:
    return units.text(number, "size")
