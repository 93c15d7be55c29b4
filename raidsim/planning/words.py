"""A need in words, and remarks for readers of a plan beside its figures."""

from __future__ import annotations

from raidsim import units
from raidsim.observe.traffic import random_size
from raidsim.planning import coarse
from raidsim.planning.need import Need
from raidsim.planning.prices import Prices
from raidsim.planning.runs import REFUSED
from raidsim.planning.work import Work
from raidsim.scenario.load_spec import LoadSpec

STATES = {
    "healthy": "with all drives", "degraded": "with a drive missing",
    "rebuilding": "while a drive is rebuilt",
}  # fmt: skip

_FREE = {"chassis": "chassis", "kwh": "energy"}
"""What the prices that a file may leave out are for."""


def asked_of(need: Need, currency: str | None) -> list[str]:
    """Return the need, line by line."""
    asked = need.needed
    grows = f", growing by {100 * asked.growth:g} % a year" if asked.growth else ""
    capacity = units.text(asked.capacity, "capacity")
    lines = [f"{capacity} usable now{grows}, for {_years(asked.years)}"]
    lines += [_load(load) for load in need.specs]
    if asked.load_growth is not None and asked.load_growth != asked.growth:
        lines.append(f"the load grows by {100 * asked.load_growth:g} % a year")
    for one in need.latencies:
        lines.append(f"{one}, of reads and of writes, {', '.join(STATES[s] for s in one.when)}")
    lines.append(f"any {asked.failures} drives of an array may fail"
                 if asked.failures != 1 else "any one drive of an array may fail")  # fmt: skip
    if asked.rebuild is not None:
        while_ = "under this load" if asked.rebuild_while == "loaded" else "on an idle array"
        lines.append(f"a rebuild takes at most {_time(asked.rebuild)} {while_}")
    if asked.loss is not None:
        lines.append(f"a chance of at most {100 * asked.loss:g} % that any data is lost")
    if need.endurance:
        years = _years(need.endurance)
        lines.append(f"drives last {years} at what is written, by their rating")
    most = [
        None if asked.drives is None else f"{asked.drives} drives",
        None if asked.rack_units is None else f"{asked.rack_units} rack units",
        None if asked.power is None else units.text(asked.power, "power"),
        None
        if asked.budget is None
        else f"{asked.budget.amount:,.0f} {asked.budget.currency or currency}",
    ]
    if any(most):
        lines.append(f"at most {', '.join(one for one in most if one)}")
    return lines


def _years(number: float) -> str:
    return f"{number:g} {'year' if number == 1 else 'years'}"


def _time(seconds: float) -> str:
    """In hours from one on: a day is 24 h."""
    return f"{seconds / 3600:g} h" if seconds >= 3600 else units.text(seconds, "time")


def _load(load: LoadSpec) -> str:
    if load.trace is not None:
        return f"{load.name}: the trace {load.trace.file}"
    sizes = "mixed sizes" if len(load.sizes) > 1 else units.text(load.sizes[0].size, "size")
    how = f"{sizes}, {100 * load.read_share:g} % read, {100 * load.random_share:g} % random"
    many = f" by each of {load.workers} workers" if load.workers > 1 else ""
    if load.rate:
        return f"{load.name}: {load.rate[0]:,.10g} IO/s{many} of {how}"
    outstanding = load.outstanding[0] if load.outstanding else 0
    return f"{load.name}: {how}, {outstanding} I/Os outstanding{many}"


def remarks_of(work: Work, host: str) -> list[str]:
    """Return the assumptions, and the parts that were left out."""
    found = [
        "for growth the plan buys further arrays like the first ones when they are needed, and"
        " assumes that they carry as much; a reshape of an array is not simulated",
        "the load uses whole volumes unless it has an area; flash is full and in its steady state",
    ]
    silent = sorted(
        {
            card.name
            for card in (*work.space.hosts, *work.space.drives)
            if not card.has("power.idle")
        }
    )
    used = {work.space.design(number).host.name for number in work.front}
    silent = [name for name in silent if name in used]
    if silent:
        found.append(f"power does not include {', '.join(silent)}, whose cards do not give it")
    if any(work.space.design(number).place.name == host for number in work.front):
        found.append("drives without a controller need a slot each in the server")
    if work.prices is not None:
        found += left_out_of_costs(work.prices)
    found += _small_strips(work)
    refused = {one.reason for one in work.coarse.measured.values() if one.status == REFUSED}
    found += [f"some designs cannot be simulated: {reason}" for reason in sorted(refused)[:3]]
    left = int((work.coarse.state == coarse.OPEN).sum())
    if left:
        found.append(
            f"{left:,} designs were not run, because coarse runs are limited to {work.most:,}: one"
            " of them may beat a design on the front; raise --runs"
        )
    return found


def left_out_of_costs(prices: Prices) -> list[str]:
    """Say what counts as free because a file of prices does not name it."""
    if not prices.not_given:
        return []
    free = " and ".join(_FREE[name] for name in prices.not_given)
    keys = " and no ".join(prices.not_given)
    return [f"costs leave out {free}: {prices.path} gives no {keys}"]


def _small_strips(work: Work) -> list[str]:
    """Designs on the front whose strips are smaller than random requests, as a check would say."""
    loads = [load for load in work.need.specs if load.trace is None]
    largest = max((random_size(load) for load in loads), default=0.0)
    designs = [work.space.design(number) for number in work.front]
    small = [one for one in designs if one.shape.level != "raid1" and one.strip < largest]
    if not small:
        return []
    named = ", ".join(f"{one.number} ({units.text(one.strip, 'size')})" for one in small)
    size = units.text(round(largest), "size")
    return [
        f"random requests of {size} are larger than the strips of {named}: each keeps several"
        " drives busy, so that fewer are served at a time"
    ]
