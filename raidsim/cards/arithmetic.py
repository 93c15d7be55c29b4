"""Figures of a card that cannot all be true, found by arithmetic without a run.

Printed figures are rounded: 0.9 stands for 0.85 to 0.95. A difference is a contradiction if it is
larger than the roundings of all figures involved plus :data:`SLACK`.

========================  ==========================================================================
drive writes and TBW      writes a day x capacity x years x 365 = bytes written
MTBF and AFR              8760 h / MTBF = AFR
rotation and latency      half a revolution = rotational latency
rates and bandwidths      IO/s x size is no more than the rate of a sequential stream or of a link
rates and latencies       with N outstanding, N / rate = mean latency (Little's law); a drive is not
                          faster under more load, so rate x latency at fewer outstanding <= N; nor
                          is its rate lower with more outstanding: n / latency <= rate
rates of the media        the inner edge is no faster than the outer one
flash                     dies x capacity of a die hold the user capacity and the spare area, and
                          not half as much again
queues                    a SATA drive has a tag for each of 32 commands, and no more
tracks                    heads x tracks make a number of cylinders that fits on a platter
========================  ==========================================================================
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from raidsim import units
from raidsim.cards.attributes import DRIVE_KINDS, SATA_TAGS
from raidsim.cards.card import Card
from raidsim.cards.followers import USUAL_YEARS
from raidsim.cards.rated import FIGURES, Rated, RatedFigure, RatedPerformance

SLACK = 0.02
"""Share by which figures may differ beyond their roundings."""

HOURS, DAYS = 8760, 365
"""Hours and days of a year."""

MOST_FLASH = 1.5
"""Flash over capacity and spare area: parity, bad blocks and tables of the drive take the rest."""

CYLINDERS = (2_000, 1_000_000)
"""Cylinders of a disk: from those of 1995 to somewhat more than those of 2025, some 600,000."""


@dataclass(frozen=True)
class Contradiction:
    """Figures that cannot all be true: their names, a sentence, and by what share they are off."""

    names: tuple[str, ...]
    text: str
    by: float

    def __str__(self) -> str:
        """Return the names and the sentence."""
        return f"{' and '.join(self.names)}: {self.text}"


def contradictions(card: Card) -> list[Contradiction]:
    """Return the contradictions between the figures and the values of a card."""
    found = list(_of_values(card))
    if card.rated is not None:
        found += [one for check in _CHECKS for one in check(card, card.rated)]
    return found


# ---- values of the card


def flash_capacity(card: Card) -> float:
    """Return the capacity of all dies of a drive together, in bytes, from that of a die."""
    dies = card.number("flash.channels") * card.number("flash.dies_per_channel")
    return dies * card.number("flash.die_capacity")


def _of_values(card: Card) -> Iterator[Contradiction]:
    if card.has("flash.die_capacity"):
        yield from _flash(card)
    if "geometry.heads" in card.about.by_name:
        yield from _tracks(card)
    if "command.queue_depth" in card.about.by_name:
        yield from _tags(card)


def _tags(card: Card) -> Iterator[Contradiction]:
    depth = card.integer("command.queue_depth")
    if card.word("link.interface") == "sata" and depth > SATA_TAGS:
        text = f"the drive queues {depth} commands, and SATA has tags for {SATA_TAGS}"
        names = ("command.queue_depth", "link.interface")
        yield Contradiction(names, text, depth / SATA_TAGS - 1)


def _flash(card: Card) -> Iterator[Contradiction]:
    have = flash_capacity(card)
    need = card.number("capacity.user") * (1 + card.number("flash.spare"))
    if need * (1 - SLACK / 4) <= have <= need * MOST_FLASH:
        return
    dies = card.integer("flash.channels") * card.integer("flash.dies_per_channel")
    each = units.text(card.number("flash.die_capacity"), "capacity")
    text = (
        f"{dies} dies of {each} hold {_size(have)}, where {_size(card.number('capacity.user'))} and"
        f" {100 * card.number('flash.spare'):.3g} % of spare area are {_size(need)}"
    )
    names = ("flash.dies_per_channel", "flash.die_capacity", "capacity.user")
    yield Contradiction(names, text, have / need - 1)


def _tracks(card: Card) -> Iterator[Contradiction]:
    heads = card.integer("geometry.heads")
    track = (card.number("geometry.track_outer") + card.number("geometry.track_inner")) / 2
    cylinders = card.number("capacity.user") / heads / track
    low, high = CYLINDERS
    if low <= cylinders <= high:
        return
    text = (
        f"{_size(card.number('capacity.user'))} on {heads} surfaces with tracks of"
        f" {_size(track)} take {cylinders:,.0f} cylinders; disks have {low:,} to {high:,}"
    )
    near = low if cylinders < low else high
    names = ("geometry.heads", "geometry.track_outer", "capacity.user")
    yield Contradiction(names, text, cylinders / near - 1)


# ---- printed figures


def _endurance(card: Card, rated: Rated) -> Iterator[Contradiction]:
    writes, written = rated.figures.get("dwpd"), rated.figures.get("written")
    if writes is None or written is None:
        return
    capacity = rated.value("capacity") or card.number("capacity.user")
    years = writes.years or USUAL_YEARS
    total = writes.value * capacity * years * DAYS
    off = written.value / total - 1
    if abs(off) > SLACK + _rounding(writes) + _rounding(written):
        text = (
            f"{writes.written:g} drive writes a day of {_size(capacity)} over {years:g} years are"
            f" {_size(total)}, printed are {written}"
        )
        yield Contradiction(("dwpd", "written"), text, off)


def _failures(_card: Card, rated: Rated) -> Iterator[Contradiction]:
    afr, mtbf = rated.figures.get("afr"), rated.figures.get("mtbf")
    if afr is None or mtbf is None:
        return
    expected = HOURS * 3600 / mtbf.value
    off = afr.value / expected - 1
    if abs(off) > SLACK + _rounding(afr) + _rounding(mtbf):
        text = f"{HOURS} h over {mtbf} are {100 * expected:.3g} % a year, printed are {afr}"
        yield Contradiction(("afr", "mtbf"), text, off)


def _revolution(_card: Card, rated: Rated) -> Iterator[Contradiction]:
    speed, half = rated.figures.get("rotation"), rated.figures.get("rotational_latency")
    if speed is None or half is None:
        return
    expected = 0.5 / speed.value
    off = half.value / expected - 1
    if abs(off) > SLACK + _rounding(half):
        text = f"half a revolution at {speed} takes {1e3 * expected:.3g} ms, printed are {half}"
        yield Contradiction(("rotation", "rotational_latency"), text, off)


def _edges(_card: Card, rated: Rated) -> Iterator[Contradiction]:
    outer, inner = rated.figures.get("media_rate_outer"), rated.figures.get("media_rate_inner")
    if outer is not None and inner is not None and inner.value > outer.value:
        text = f"the inner edge, {inner}, is faster than the outer one, {outer}"
        off = inner.value / outer.value - 1
        yield Contradiction(("media_rate_inner", "media_rate_outer"), text, off)


def _capacities(card: Card, rated: Rated) -> Iterator[Contradiction]:
    """Printed figures, and what the card's own file has from a sheet."""
    for name, figure in rated.figures.items():
        attribute = FIGURES[name].attribute
        if not attribute or not card.has(attribute) or attribute in card.inherited:
            continue
        if card.sources[attribute].source not in ("datasheet", "document"):
            continue
        off = card.number(attribute) / figure.value - 1
        if abs(off) > SLACK + _rounding(figure):
            value = units.text(card.number(attribute), card.about.by_name[attribute].dimension)
            text = f"the card has {value} from a sheet, printed are {figure}"
            yield Contradiction((name, attribute), text, off)


def _streams(card: Card, rated: Rated) -> Iterator[Contradiction]:
    """Random requests carry no more than streams do."""
    for one, other in itertools.permutations(rated.performance, 2):
        alike = one.read == other.read and one.read in (0, 1) and one.state == other.state
        streams = other.random == 0 and one.random == 1 and one.size <= other.size
        if not alike or not streams or card.kind not in DRIVE_KINDS:
            continue
        if "latency" in (one.what, other.what):
            continue
        off = _bandwidth(one) / _bandwidth(other) - 1
        if off > one.tolerance:
            text = f"{_carried(one)}, more than a stream, {_carried(other)}"
            yield Contradiction((one.name, other.name), text, off)


def _link(card: Card, rated: Rated) -> Iterator[Contradiction]:
    if "link.time_per_byte" not in card.about.by_name:
        return
    if card.sources["link.time_per_byte"].source == "scenario":
        return  # of the port that it is on there, and no figure of the drive
    most = 1 / card.number("link.time_per_byte")
    shared = card.word("link.interface") == "sata"  # half duplex
    for one in rated.performance:
        if one.what == "latency":
            continue
        share = 1.0 if shared else max(one.read, 1 - one.read)
        off = _bandwidth(one) * share / most - 1
        if off > one.tolerance:
            text = f"{_carried(one)}, the link of the card carries {_speed(most)} each way"
            yield Contradiction((one.name, "link.time_per_byte"), text, off)


def _little(_card: Card, rated: Rated) -> Iterator[Contradiction]:
    """Rates and mean latencies of the same load."""
    latencies = [one for one in rated.performance if one.what == "latency" and not one.quantile]
    rates = [one for one in rated.performance if one.what != "latency"]
    for rate, latency in itertools.product(rates, latencies):
        if _load(rate) != _load(latency):
            continue
        many, few = (one.workers * one.outstanding for one in (rate, latency))
        under_way = _bandwidth(rate) / rate.size * latency.value
        off = under_way / many - 1
        allowed = max(rate.tolerance, latency.tolerance)
        if few > many or (off <= allowed and (few < many or -off <= allowed)):
            continue
        text = (
            f"{rate} with {latency} each have {units.plain(under_way, 3)} I/Os under way"
            f" (Little's law), where {many} are outstanding"
        )
        yield Contradiction((rate.name, latency.name), text, off)


def _alone(_card: Card, rated: Rated) -> Iterator[Contradiction]:
    """Writes of the steady state carry no less with more outstanding.

    A latency that says otherwise is that of a buffer with room for what is written.
    """
    written = [one for one in rated.performance if one.read == 0 and one.state == "sustained"]
    latencies = [one for one in written if one.what == "latency" and not one.quantile]
    rates = [one for one in written if one.what != "latency"]
    for rate, latency in itertools.product(rates, latencies):
        many, few = (one.workers * one.outstanding for one in (rate, latency))
        if _load(rate) != _load(latency) or few >= many:
            continue
        alone = few / latency.value
        off = alone * rate.size / _bandwidth(rate) - 1
        if off > max(rate.tolerance, latency.tolerance):
            text = (
                f"{latency} with {few} outstanding are {alone:,.0f} IO/s, more than {rate} with"
                f" {many}: such a latency is of a buffer with room, and its state is burst"
            )
            yield Contradiction((latency.name, rate.name), text, off)


_CHECKS: tuple[Callable[[Card, Rated], Iterator[Contradiction]], ...] = (
    _capacities,
    _endurance,
    _failures,
    _revolution,
    _edges,
    _streams,
    _link,
    _little,
    _alone,
)


def _load(one: RatedPerformance) -> tuple[object, ...]:
    return one.read, one.random, one.size, one.state, one.drives, one.level


def _bandwidth(one: RatedPerformance) -> float:
    """Return bytes/s of a rate or a bandwidth."""
    return one.value * (one.size if one.what == "rate" else 1)


def _carried(one: RatedPerformance) -> str:
    """Return a rate or bandwidth as a clause."""
    if one.what == "bandwidth":
        return f"{one}"
    return f"{one} of {units.text(one.size, 'size')} are {_speed(_bandwidth(one))}"


def _rounding(figure: RatedFigure) -> float:
    """Return half of the last digit of a printed figure, relative."""
    text = repr(figure.written)
    last = 1.0 if isinstance(figure.written, int) else 10.0 ** -len(text.partition(".")[2])
    return last / 2 / abs(figure.written) if "e" not in text else 0.0


def _size(size: float) -> str:
    for unit, factor in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size / 1e3:.3g} kB"


def _speed(rate: float) -> str:
    return f"{rate / 1e6:,.0f} MB/s"
