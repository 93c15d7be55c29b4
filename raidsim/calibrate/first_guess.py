"""Where a fit to rated figures begins: values that follow from the figures in closed form.

Each formula holds in the model while one part is the limit and no other part delays anything:

- Saturated random reads, R IO/s, and writes of a burst, W IO/s: the front end of c cores takes c /
  max(R, W) for each command. The slower kind also takes the rest of c / R or c / W: read_time or
  write_time. If this leaves a write less than its minimum, the missing
  time is added to the reads.
- Sequential reads, B bytes/s: the data path takes 1 / B per byte, unless the link is the limit.
- A small write of a drive without load, latency L: command latency = L less CPU time, front end,
  transfer.
- A small read of a drive without load, latency L: read_time = L less CPU time, command latency,
  front end, and the transfer of a frame over a channel, the data path and the link.
- Sustained sequential writes, W bytes/s: D dies of P planes program pages of s bytes, program_time
  = D P s / W; for a burst the same in an SLC cache.
- If the flash with its ranges could do more than the printed writes, another part is the limit. For
  sequential writes, B bytes/s, it is the data path, which each byte passes twice: 1 / 2B. If the
  link is slower, the data path is taken as fast as the link, since a figure does not change with a
  path that waits for the link. For random writes, R IO/s of u units of the map, it is the front end
  of c cores: move_time = (c / R - command_time - write_time) / (A - 1) u. A time for each write
  would also slow down sequential writes and a new drive. Sheets and tests give many times as many
  writes there.
- If the flash of the card could do clearly more than all of these, it stays as it is, and only the
  other parts follow.
- Sustained random writes, w bytes/s: each byte of the host is programmed A times, so A = W / w. For
  uniform writes over a whole drive A follows from the spare area
  (:mod:`raidsim.assembly.amplification`).
- Saturated commands of a controller of c cores, R IO/s: command.time = c / R, less its time for a
  command to a drive.
- Saturated reads of n processes of a host, R IO/s: submit.io_time = n / R.
- A track at a media rate m, with H heads, revolution t, head switch h, step to the next cylinder c:
  m (H t + (H - 1) h + c) / H bytes.

Least squares begin at these values. They also divide a time that two figures share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from raidsim import units
from raidsim.assembly.amplification import amplification, spare_for
from raidsim.calibrate.rated_scenario import cpu_time
from raidsim.cards import Card
from raidsim.cards.rated import RatedPerformance

SMALL = 16 * 1024
"""Bytes up to which a request tells of commands rather than of bandwidth."""

CLEARLY = 1.05
"""How much more than is printed a part must carry, to be no limit of what is printed."""

SLC_SLOWEST = 0.2e-3
"""s that a program takes of cells with one bit, at most: what is printed of them is 0.1 to 0.2 ms.

Drives of many dies whose sheet would give them more are limited in front of the flash.
"""

LEAST_OF_A_WRITE = 0.1e-6
"""s that a write takes beside its command, at least, for each core: a fit's range begins there.

A sheet that prints as many writes as reads has reads take as long beside their commands. From the
least of reads, which is a tenth of that, a fit would not find there: it steps in logarithms.
"""

MANY = 16
"""I/Os outstanding from which on something is taken to be saturated."""


def first_guess(card: Card, performance: Sequence[RatedPerformance]) -> dict[str, float]:
    """Return values of a card, in base units, that follow from its rated figures.

    Values that no figure determines are left out. None is checked against its range.
    """
    if card.has("flash.channels"):
        return dict(_flash(card, performance))
    if card.has("geometry.heads"):
        return dict(_tracks(card, performance))
    rate = max(_rates(one for one in performance if one.read == 1), default=0.0)
    if card.kind == "controller" and rate:
        time = card.integer("command.cores") / rate - card.number("command.device_io_time")
        return {"command.time": max(time, 0.1e-6)}
    if card.kind == "host" and rate:
        most = max(performance, key=lambda one: one.value * (one.what == "rate"))
        return {"submit.io_time": most.workers / rate}
    return {}


def _flash(card: Card, performance: Sequence[RatedPerformance]) -> Iterator[tuple[str, float]]:
    reads = [one for one in performance if one.read == 1]
    writes = [one for one in performance if one.read == 0]
    fixed = card.number("front_end.command_time")
    link = card.number("link.time_per_byte")
    read_path = card.number("data_path.read_time_per_byte")
    latency = card.number("command.latency")
    if rate := max(_rates(reads), default=0.0):
        fixed, more = _of_commands(card, rate, writes)
        yield "front_end.command_time", fixed
        yield from more.items()
    if speed := max(_speeds(reads), default=0.0):
        read_path = max(1 / speed, link)
        yield "data_path.read_time_per_byte", read_path
    sustained = [one for one in writes if one.state == "sustained"]
    speed, rate = max(_speeds(sustained), default=0.0), max(_bytes(sustained), default=0.0)
    told = not (rate and speed and _is_carried(card, speed, rate))  # whether flash limits them
    write_path = card.number("data_path.write_time_per_byte")
    write_path = write_path if told else _path_of_writes(speed, link)
    if one := _alone(writes):
        left = one.value - cpu_time(card, one) - fixed
        latency = max(left - one.size * (write_path + link), 0.1e-6)
        yield "command.latency", latency
    if one := _alone(one for one in reads if one.random == 1):
        channel = card.number("flash.channel_read_time_per_byte")
        frame = max(card.integer("flash.frame"), one.size)
        transfer = frame * channel + one.size * (read_path + link)
        left = one.value - cpu_time(card, one) - fixed
        yield "flash.read_time", max(left - latency - transfer, 1e-6)
    burst = max(_speeds(one for one in writes if one.state != "sustained"), default=0.0)
    gathers = card.has("slc.program_time")
    if told and (programmed := speed or (0.0 if gathers else burst)):
        yield "flash.program_time", _at_once(card) / programmed  # without an SLC cache a burst, too
    in_front = False
    if burst and gathers:
        time = _at_once(card) / burst
        in_front = time > CLEARLY * SLC_SLOWEST
        yield "slc.program_time", min(time, SLC_SLOWEST)
    if fastest := max(speed, burst):
        # Both passes of what is written take at most as long as the figure allows.
        path = 0.5 / burst if in_front else 0.4 / fastest  # each byte passes it twice
        yield "data_path.write_time_per_byte", path
        if told:
            channel = 0.5 / fastest * card.integer("flash.channels")
            yield "flash.channel_write_time_per_byte", channel
    if not told:
        yield "data_path.write_time_per_byte", write_path
        yield from _moved(card, sustained, card.number("flash.spare"), fixed)
        return
    if speed and rate and speed > rate:
        yield "flash.spare", spare_for(speed / rate)
    if speed:
        yield from _beside_the_flash(card, sustained, speed, fixed)


def _of_commands(
    card: Card, rate: float, writes: Sequence[RatedPerformance]
) -> tuple[float, dict[str, float]]:
    """Return the time of a command in the front end, and the additional time of a read or write.

    The faster of random reads and of burst writes gives the first. Writes of the steady state only
    give an upper limit of the write time, since they depend on the flash.
    """
    cores = card.integer("front_end.cores")
    burst = [one for one in writes if one.state != "sustained" and _is_small_and_saturated(one)]
    written = max((one.value for one in burst), default=0.0)
    least = LEAST_OF_A_WRITE * cores
    both = all(card.number(f"front_end.{op}_time") > 0 for op in ("read", "write"))
    if both and written and cores / written - cores / rate < least:
        fixed = max(cores / written - least, least)
        return fixed, {
            "front_end.read_time": max(cores / rate - fixed, 0.01e-6),
            "front_end.write_time": least,
        }
    if written > rate and card.number("front_end.read_time") > 0:
        fixed = cores / written
        return fixed, {"front_end.read_time": max(cores / rate - fixed, 0.01e-6)}
    fixed = cores / rate
    if 0 < written < rate:
        return fixed, {"front_end.write_time": max(cores / written - fixed, 0.1e-6)}
    lasting, _ = _of_small_writes(one for one in writes if one.state == "sustained")
    if not written and lasting and cores / lasting - fixed < card.number("front_end.write_time"):
        return fixed, {"front_end.write_time": max(cores / lasting - fixed, 0.1e-6)}
    return fixed, {}


def _beside_the_flash(
    card: Card, sustained: Sequence[RatedPerformance], speed: float, fixed: float
) -> Iterator[tuple[str, float]]:
    """Yield what limits sustained writes where the flash, within its ranges, would carry more."""
    carries = _at_once(card) / _in_range(card, "flash.program_time", _at_once(card) / speed)
    if carries > CLEARLY * speed:
        link = card.number("link.time_per_byte")
        yield "data_path.write_time_per_byte", _path_of_writes(speed, link)
    rate, size = _of_small_writes(sustained)
    if not rate:
        return
    spare = _in_range(card, "flash.spare", spare_for(max(min(speed, carries) / rate / size, 1.001)))
    if carries / amplification(spare) > CLEARLY * rate * size:
        yield from _moved(card, sustained, spare, fixed)


def _path_of_writes(speed: float, link: float) -> float:
    """Return s/byte of the data path, which each byte passes twice; none hides behind the link."""
    return max(0.5 / speed, link)


def _is_carried(card: Card, speed: float, rate: float) -> bool:
    """Return whether the flash as the card has it carries clearly more than is printed, bytes/s."""
    carries = _at_once(card) / card.number("flash.program_time")
    collected = carries / amplification(card.number("flash.spare"))
    return carries > CLEARLY * speed and collected > CLEARLY * rate


def _moved(
    card: Card, sustained: Sequence[RatedPerformance], spare: float, fixed: float
) -> Iterator[tuple[str, float]]:
    """Yield what a unit that moves takes of the front end, where that limits random writes."""
    rate, size = _of_small_writes(sustained)
    if not rate:
        return
    taken = card.integer("front_end.cores") / rate - fixed - card.number("front_end.write_time")
    units_of_it = max(size / card.integer("mapping.unit"), 1)
    yield "front_end.move_time", max(taken / (amplification(spare) - 1) / units_of_it, 0.01e-6)


def _of_small_writes(sustained: Iterable[RatedPerformance]) -> tuple[float, int]:
    """Return the most small random writes in the long run, IO/s, and their size; 0 if none."""
    return max(
        ((one.value, one.size) for one in sustained if _is_small_and_saturated(one)),
        default=(0.0, 0),
    )


def _in_range(card: Card, name: str, value: float) -> float:
    """Return a value brought into the range that the card gives it, if it does."""
    source = card.sources[name]
    if source.range is None:
        return value
    dimension = card.about.by_name[name].dimension
    low, high = sorted(units.convert(end, source.unit, dimension) for end in source.range)
    return min(max(value, low), high)


def _tracks(card: Card, performance: Sequence[RatedPerformance]) -> Iterator[tuple[str, float]]:
    rates = {one.name: one.value for one in performance}
    for edge in ("outer", "inner"):
        if rate := rates.get(f"media_rate_{edge}"):
            yield f"geometry.track_{edge}", track(card, rate)


def track(card: Card, rate: float) -> float:
    """Return bytes of a track from which a disk reads at a rate, in bytes/s."""
    heads = card.integer("geometry.heads")
    step = max(card.number("seek.read_single"), card.number("seek.write_single"))
    time = heads / card.number("spindle.speed") + (heads - 1) * card.number("geometry.head_switch")
    return rate * (time + step) / heads


def within(
    values: Mapping[str, float], ranges: Mapping[str, tuple[float, float]]
) -> dict[str, float]:
    """Return the values that have a range, each moved into its range."""
    return {
        name: min(max(value, ranges[name][0]), ranges[name][1])
        for name, value in values.items()
        if name in ranges
    }


def _rates(entries: Iterable[RatedPerformance]) -> Iterator[float]:
    """Saturated rates of small random requests, IO/s."""
    for one in entries:
        if _is_small_and_saturated(one):
            yield one.value


def _is_small_and_saturated(one: RatedPerformance) -> bool:
    fits = one.what == "rate" and one.random == 1 and one.size <= SMALL
    return fits and one.workers * one.outstanding >= MANY


def _bytes(entries: Iterable[RatedPerformance]) -> Iterator[float]:
    """Rates of random requests with several outstanding, in bytes/s."""
    for one in entries:
        if one.what != "latency" and one.random == 1 and one.workers * one.outstanding > 1:
            yield one.value * (one.size if one.what == "rate" else 1)


def _speeds(entries: Iterable[RatedPerformance]) -> Iterator[float]:
    """Sequential bandwidths, bytes/s."""
    for one in entries:
        if one.what == "bandwidth" and one.random == 0:
            yield one.value


def _alone(entries: Iterable[RatedPerformance]) -> RatedPerformance | None:
    """Return the mean latency of small requests of which one is outstanding."""
    for one in entries:
        if one.what == "latency" and one.workers * one.outstanding == 1 and one.size <= SMALL:
            return one
    return None


def _at_once(card: Card) -> float:
    """Return the bytes that all dies program at a time."""
    groups = card.number("flash.dies_per_channel") / card.number("flash.dies_in_step")
    pages = card.number("flash.page") * card.number("flash.planes")
    return pages * groups * card.number("flash.channels")
