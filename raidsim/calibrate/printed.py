"""Printed figures of a sheet become values of its card, and other values follow from them by rules.

Printed are capacity, watts, seek times and so on. These values follow by rules:

- the spare area that is usual for the capacity, if no figure determines it;
- the gain of an SLC cache from blocks without data: the same share of the capacity as on the base;
- channels: as many as the printed stream needs;
- dies: as many as the capacity needs, and the write buffer that they need;
- the innermost track of a disk whose sheet only prints the rate at the outer edge: its ratio to the
  outermost track is the same as on the base of the card;
- full-stroke seeks, if a sheet only prints the average seek, and the average seek of writing, if it
  only prints that of reading: in the same ratio as on the base.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from raidsim import units
from raidsim.calibrate.first_guess import first_guess, track
from raidsim.cards import Card
from raidsim.cards.attributes import Value
from raidsim.cards.card import Source
from raidsim.cards.fit_ranges import fit_range
from raidsim.cards.flash_classes import usual_spare
from raidsim.cards.new_flash import CLASS_NOTES, SPARE_NOTE
from raidsim.cards.rated import FIGURES, TOLERANCE, RatedFigure, RatedPerformance, page_of

ROUNDED = 0.005
"""A capacity on a card is the printed one, exactly, if it is off by no more than this share."""

WITH_ROOM = 1.2
"""Channels together carry so many times what the sheet prints of a stream, at least."""

CHANNELS_NOTE = "carry what the sheet prints"

CHANNELS = (2, 4, 8, 12, 16, 24, 32)
"""How many channels controllers of drives have."""

UNITS_BUFFERED = 6
"""Program units of each die that a write buffer has room for, at least."""


FITTED = "fitted to rated figures"
TOGETHER = "moved with others by a fit to rated figures, which do not tell it alone"

CACHE_NOTE = "the same share of the capacity as on the base"

INNER_NOTE = "as much of the outermost track as on the base: no rate of the inner edge is printed"


FULL_NOTE = "as many times the average seek as on the base"
MORE_NOTE = "as much more than reading as on the base"
SEEKS = {"read": "average seek, reading", "write": "average seek, writing"}


@dataclass(frozen=True)
class Taken:
    """A value that a sheet prints or that follows: before and after, in base units."""

    name: str
    figure: str
    before: Value | None
    after: float
    note: str | None = None
    """What the card is to say of a value that follows from others; None for what it says now."""


def take(card: Card, performance: Sequence[RatedPerformance]) -> tuple[tuple[Taken, ...], Card]:
    """Return values that a sheet prints or that follow by a rule, and the card with them."""
    own, taken = card, _taken(card)
    card = card.changed({one.name: one.after for one in taken})
    same = (*_seeks(own, card), *_slc_cache(own, card))
    taken += same
    card = card.changed({one.name: one.after for one in same})
    for of_sheet in (_spare, _inner_track):
        if one := of_sheet(card, performance):
            taken += (one,)
            card = card.changed({one.name: one.after})
    guess = first_guess(card, performance)
    for counted in (_channels, _dies, _buffer):
        if one := counted(card, guess):
            taken += (one,)
            card = card.changed({one.name: one.after})
    return taken, card


def _taken(card: Card) -> tuple[Taken, ...]:
    """Return the values that the sheet prints and the card has otherwise, or not at all.

    What the card's own file takes from another page of a data sheet or document stays.
    """
    assert card.rated is not None
    found = []
    for name, figure in card.rated.figures.items():
        attribute = FIGURES[name].attribute
        if not attribute or attribute not in card.about.by_name:
            continue
        own = attribute not in card.inherited and card.has(attribute)
        if own and _is_of_anotherpage_of(card.sources[attribute], figure):
            continue
        before = card[attribute] if card.has(attribute) else None
        if own and name == "capacity" and _is_rounded(figure.value, card.number(attribute)):
            continue
        if before != figure.value or not own:
            found.append(Taken(attribute, name, before, figure.value))
    return tuple(found)


def _is_rounded(printed: float, exact: float) -> bool:
    """Return whether a sheet rounds a capacity that its card has by the sector (20.0006 TB)."""
    return abs(exact / printed - 1) < ROUNDED


def _is_of_anotherpage_of(source: Source, figure: RatedFigure) -> bool:
    return source.source in ("datasheet", "document") and source.note != page_of(figure)


def _spare(card: Card, performance: Sequence[RatedPerformance]) -> Taken | None:
    """Return the usual spare area for the capacity, if no figure determines it and nobody wrote it.

    The spare area of the base is often that of a server's drive, which is wrong for many drives of
    personal computers.
    """
    name = "flash.spare"
    if name not in card.about.by_name or name in card.inherited:
        return None
    if card.sources[name].range is None or not is_replaceable(card, name):
        return None
    if any(one.read < 1 and one.random > 0 and one.state == "sustained" for one in performance):
        return None
    low, high = _span_of(card, name)
    usual = usual_spare(card.number("capacity.user"))
    after = float(f"{min(max(usual, low), high):.4g}")
    before = card.number(name)
    if math.isclose(before, after, rel_tol=ROUNDED):
        return None
    return Taken(name, "flash for the capacity", before, after, SPARE_NOTE)


def _inner_track(card: Card, performance: Sequence[RatedPerformance]) -> Taken | None:
    """Return the innermost track of a disk whose sheet prints the outer edge only.

    It would stay that of the base, however much faster the disk is. It is left where the base has
    it if that is as near as a fit of the outer one comes, and where somebody wrote another one.
    """
    name = "geometry.track_inner"
    if name not in card.about.by_name or name in card.inherited:
        return None
    if card.sources[name].range is None:
        return None
    if card.sources[name].note not in (f"as {card.base}", INNER_NOTE):
        return None
    rates = {one.name: one.value for one in performance}
    if "media_rate_outer" not in rates or "media_rate_inner" in rates:
        return None
    before, sector = card.integer(name), card.integer("capacity.sector")
    share = before / card.number("geometry.track_outer")
    low, high = _span_of(card, name)
    after = min(max(track(card, rates["media_rate_outer"]) * share, low), high)
    if math.isclose(before, after, rel_tol=TOLERANCE):
        return None
    after = round(after / sector) * sector
    return Taken(name, "share of the outer track", before, after, INNER_NOTE)


def _seeks(own: Card, card: Card) -> Iterator[Taken]:
    """Yield the seeks that go with printed averages, where they are still those of the base.

    Others would make a curve that no arm follows: of a disk with a shorter average seek and the
    longest one of its base, seeks of medium length would take longer than longer ones.

    Parameters
    ----------
    own, card
        Before and after what the sheet prints was taken.
    """
    if "seek.read_average" not in card.about.by_name:
        return
    assert card.rated is not None
    read = card.number("seek.read_average")
    for op in ("read", "write"):
        single, average, full = (f"seek.{op}_{which}" for which in ("single", "average", "full"))
        middle = card.number(average)
        if f"seek_{op}_average" not in card.rated.figures:
            if "seek_read_average" not in card.rated.figures or not _is_of_base(card, average):
                continue
            more = own.number(average) - own.number("seek.read_average")
            middle = float(f"{read + more:.4g}")
            if not math.isclose(middle, card.number(average), rel_tol=ROUNDED):
                was = card.number(average)
                yield Taken(average, "average seek, reading", was, middle, MORE_NOTE)
        if f"seek_{op}_full" in card.rated.figures or not _is_of_base(card, full):
            continue
        least, most = own.number(single), own.number(full)
        share = (most - least) / (own.number(average) - least)
        low, high = _span_of(card, full)
        least = card.number(single)
        after = float(f"{min(max(least + share * (middle - least), low), high):.4g}")
        if not math.isclose(after, card.number(full), rel_tol=ROUNDED):
            yield Taken(full, SEEKS[op], card.number(full), after, FULL_NOTE)


def _slc_cache(own: Card, card: Card) -> Iterator[Taken]:
    """Yield what an SLC cache gains of blocks without data, if the sheet prints another capacity.

    It lies in them, so sheets print as much of a drive of twice the capacity twice over. The part
    that is always there is much the same on all drives of a series, and stays.

    Parameters
    ----------
    own, card
        Before and after what the sheet prints was taken.
    """
    name, capacity = "slc.dynamic_size", "capacity.user"
    if name not in card.about.by_name or not card.has(name) or name in card.inherited:
        return
    if not card.sources[name].note.startswith((f"as {card.base}:", CACHE_NOTE)):
        return
    before, share = card.number(name), card.number(capacity) / own.number(capacity)
    if before and not math.isclose(share, 1, rel_tol=ROUNDED):
        after = float(f"{before * share:.4g}")
        yield Taken(name, "share of the capacity", before, after, CACHE_NOTE)


def _is_of_base(card: Card, name: str) -> bool:
    """Return whether a value is still that of the base, or one that followed from it before."""
    if name in card.inherited:
        return False
    return card.sources[name].note in (f"as {card.base}", FULL_NOTE, MORE_NOTE)


def _channels(card: Card, _guess: Mapping[str, float]) -> Taken | None:
    """Return the number of channels for the printed stream, if those of the base are too few.

    Otherwise the fit would find channels that are faster than any of their year. A number that a
    person wrote stays.
    """
    name, time = "flash.channels", "flash.channel_read_time_per_byte"
    if not card.has(time) or card.base is None or name in card.inherited:
        return None
    if not card.sources[name].note.startswith((f"as {card.base}:", CHANNELS_NOTE)):
        return None
    assert card.rated is not None
    streams = [one.value for one in card.rated.performance if one.what == "bandwidth" and one.read]
    before, speed = card.integer(name), 1 / card.number(time)
    if not streams or before * speed >= max(streams):
        return None
    need = WITH_ROOM * max(streams) / speed
    after = next((count for count in CHANNELS if count >= need), CHANNELS[-1])
    if after <= before:
        return None
    return Taken(name, "channels for the stream", before, after, CHANNELS_NOTE)


def _dies(card: Card, guess: Mapping[str, float]) -> Taken | None:
    """Return the number of dies a channel, if the card lets it change; else None.

    They hold the user capacity and the spare area, which the guess may know.
    """
    name = "flash.dies_per_channel"
    if not card.has("flash.die_capacity") or name in card.inherited:
        return None
    span = card.sources[name].range
    if span is None:
        return None
    spare = guess.get("flash.spare", card.number("flash.spare"))
    low, high = _span_of(card, "flash.spare")
    need = card.number("capacity.user") * (1 + min(max(spare, low), high))
    step = card.integer("flash.dies_in_step")
    each = card.number("flash.die_capacity") * card.integer("flash.channels") * step
    dies = math.ceil(need / each) * step
    dies = int(min(max(dies, span[0]), span[1]))
    before = card.integer(name)
    note = "hold the capacity and the spare area"
    return None if dies == before else Taken(name, "capacity of the dies", before, dies, note)


def _buffer(card: Card, _guess: Mapping[str, float]) -> Taken | None:
    """Return the write buffer that the dies need, if the card lets it move.

    While each die programs one unit, further ones are gathered: of the host, and of what garbage
    collection moves. With less the dies wait for data by turns, and how long depends on trifles.
    """
    name = "buffer.size"
    if not card.has("flash.channels") or name in card.inherited:
        return None
    if card.sources[name].range is None:
        return None
    unit = card.integer("flash.page") * card.integer("flash.planes")
    dies = card.integer("flash.channels") * card.integer("flash.dies_per_channel")
    need = 2 ** math.ceil(math.log2(UNITS_BUFFERED * unit * dies))
    low, high = _span_of(card, name)
    size = int(min(max(need, low), high))
    before = card.integer(name)
    note = f"room for {UNITS_BUFFERED} program units of each die"
    return None if size <= before else Taken(name, "dies", before, size, note)


def _span_of(card: Card, name: str) -> tuple[float, float]:
    """Return the range of a value in base units: its own, that of its class, or itself."""
    source, attribute = card.sources[name], card.about.by_name[name]
    if source.range is not None:
        ends = [units.convert(end, source.unit, attribute.dimension) for end in source.range]
        return min(ends), max(ends)
    return fit_range(card.kind, name) or (card.number(name), card.number(name))


def is_replaceable(card: Card, name: str) -> bool:
    """Return whether the value was not written by a person with better information."""
    note = card.sources[name].note
    return note in {"", f"as {card.base}", *CLASS_NOTES, FITTED, TOGETHER}
