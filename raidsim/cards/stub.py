"""``raidsim card new``: the text of a card that the user fills in from a data sheet.

It has another card as its base. It contains the values that a fit to the sheet changes, each with
its range and the reason. Without a base it contains the values that a card of its kind must have. A
value without a usual range has a line to be filled in.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from textwrap import TextWrapper
from typing import NamedTuple

from raidsim import units
from raidsim.cards import years
from raidsim.cards.attributes import DRIVE_KINDS, KINDS, UNKNOWN, Attribute, CardKind
from raidsim.cards.bases import kind_problem
from raidsim.cards.card import NO_MAKER, Card
from raidsim.cards.disk_classes import of_class
from raidsim.cards.fit_ranges import FIT_RANGES, FitRange
from raidsim.cards.flash_classes import CELLS, MAPS_ON_FLASH, SATA_MOVES, cells_problem
from raidsim.cards.inherited import words
from raidsim.cards.narrow_ranges import BUFFER, ends, narrow_ranges
from raidsim.cards.new_flash import COUNTED, NewFlash
from raidsim.cards.places import looks_like_path
from raidsim.cards.rated import FIGURES, SHAPES
from raidsim.errors import InputError, Problem, quote

DIGITS = 4
"""Significant digits of the ends of a range."""

_LINES = TextWrapper(110, break_long_words=False, break_on_hyphens=False)
"""Of remarks; a new line begins between words only."""

_NEVER_ZERO = ("queue.choose_time",)
"""Values whose default leaves an effect out that every part of today has."""


class NewDrive(NamedTuple):
    """What a new drive has, or lacks, whatever its base has.

    Attributes
    ----------
    slc_cache : whether it has an SLC cache.
    dram : whether the whole map of a solid state drive is in its memory; None: as in the base.
    """

    slc_cache: bool
    dram: bool | None


def stub(
    kind: str,
    name: str,
    like: Card | None = None,
    *,
    place: Path,
    like_name: str = "",
    maker: str = "",
    year: int | None = None,
    cells: str = "",
    slc_cache: bool = False,
    dram: bool | None = None,
    rpm: int | None = None,
    remarks: Sequence[str] = (),
) -> str:
    """Return the text of a new card.

    Parameters
    ----------
    kind
        A key of ``KINDS``.
    name
        What the card will be called.
    like
        The card of something like it, which becomes its base; None for none.
    place
        The file that the text is for: a base that is a file is named as seen from there.
    like_name
        How the card was asked for: a name of the catalogue, or a path.
    maker, year, cells
        Of the new card, as far as known; ``cells`` is a key of ``CELLS``, or empty.
    slc_cache
        Whether it has one, as drives of personal computers do: these have no capacitors.
    dram
        Whether the whole map of a solid state drive is in its memory; None: as in its base.
    rpm
        Revolutions per minute of a disk, as far as known.
    remarks
        Sentences about its base that stand at its top.

    Raises
    ------
    InputError
        The kind, the name or the year is none, or the other card is of another kind.
    """
    problems = []
    if kind not in KINDS:
        problems.append(kind_problem(kind))
    elif like is not None and like.kind != kind:
        cause = f"{like.name} is of kind {like.kind}"
        problems.append(Problem(None, None, "--like", cause, f"name one of kind {kind}"))
    elif year is not None and (fault := years.fault_of(kind, year)):
        problems.append(Problem(None, None, "--year", *fault))
    if not name.strip() or not name.isprintable() or looks_like_path(name) or '"' in name:
        cause = f"{quote(name)} is not a valid name of a card"
        problems.append(Problem(None, None, "NAME", cause, 'such as "intel-p4510-4tb"'))
    if cells and cells not in CELLS:
        problems.append(cells_problem(cells))
    elif cells and (like is None or not like.has("flash.channels")):
        cause, remedy = "describes the flash of a base, and there is no base", "leave it out"
        if "flash.channels" in KINDS[kind].by_name:
            remedy = "give --interface or --like, which choose a base"
        problems.append(Problem(None, None, "--cells", cause, remedy))
    if dram is False and (like is None or not like.has(_KEPT_IN)):
        cause = "applies to a solid state drive that is made from a base"
        remedy = "leave it out"
        if kind in KINDS and _KEPT_IN in KINDS[kind].by_name:
            remedy = "give --interface or --like, which choose one"
        problems.append(Problem(None, None, "--no-dram", cause, remedy))
    if problems:
        raise InputError(problems)
    flash = None
    if like is not None and like.has("flash.channels"):
        flash = NewFlash.of(like, maker, year, cells)
    lines = [*_head(kind, name, like, place, like_name, maker, year, remarks)]
    lines += _rated(kind, like, slc_cache, rpm)
    ranges = FIT_RANGES[kind] if like is None else narrow_ranges(like, rpm)
    new = NewDrive(slc_cache, dram)
    lines += _values(KINDS[kind], like, flash, new, year, ranges)
    return "\n".join(lines) + "\n"


# ---- the head


def _head(
    kind: str,
    name: str,
    like: Card | None,
    place: Path,
    like_name: str,
    maker: str,
    year: int | None,
    remarks: Sequence[str],
) -> Iterator[str]:
    yield f"# {name}: to be filled in from its data sheet."
    yield "#"
    yield "# 1. Below [rated], remove the # before every figure that the sheet prints, and write"
    yield "#    what it prints, with the page."
    yield f"# 2. raidsim card fit {_shell(place)}    solves the values under it for these figures."
    yield (
        f'# 3. drive = "{place.name}" in a scenario uses it.'
        if kind in DRIVE_KINDS
        else (f'# 3. model = "{place.name}" in a scenario uses it.')
    )
    if like is not None:
        yield "#"
        for remark in (*remarks, inherits(like, maker)):
            yield from (f"# {line}" for line in _LINES.wrap(remark))
    yield ""
    yield "schema = 2"
    yield f'name = "{name}"'
    yield f'kind = "{kind}"'
    yield f'title = "{name}"'
    yield f'maker = "{maker}"' if maker else '# maker = "..."'
    yield f"year = {year}" if year else "# year = ...    # of its launch"
    if like is not None:
        base = like_name or like.name
        if looks_like_path(base):
            base = os.path.relpath(like.path.resolve(), place.resolve().parent).replace("\\", "/")
            base = base if looks_like_path(base) else f"./{base}"
        yield f'base = "{base}"'
    yield ""


def inherits(like: Card, maker: str) -> str:
    """Return in words what a new card leaves to its base, defaults aside, and what that means."""
    stated = {*narrow_ranges(like), *COUNTED, *_PRINTED, _DISK_CACHE, _SURVIVES}
    left = [
        one.name
        for one in like.about.attributes
        if like.has(one.name)
        and one.name not in stated
        and like.sources[one.name].source != "default"
    ]
    if maker and maker == like.maker:
        why = ", of the same maker"
    elif like.maker == NO_MAKER:
        why = ", which stands for a class of hardware; guesses until the sheet gives them"
    elif maker and like.maker:
        why = f", by {like.maker} and not {maker}; guesses until the sheet gives them"
    else:
        why = "; guesses, if another maker sells it"
    return f"Taken over from {like.name}{why}: {words(left)}."


_LINK = "payload of PCIe x4: 3540 MB/s of 3.0, 7450 of 4.0, 14950 of 5.0; SATA-6G 550, SAS-12G 1150"
_OFFERED = ("front_end.read_time", "front_end.write_time", "front_end.move_time")
"""What a fit may move though the base has none: sheets print reads, writes, the long run apart."""

_MOVED = "front_end.move_time"
_MAP = "mapping."
_KEPT_IN = "mapping.kept_in"
_PROTECTED = "buffer.protected"
_DISK_CACHE = "write_cache.enabled"
_SURVIVES = "write_cache.protected_size"
_ABOUT = 1.05
"""Times as slow as the payload of its year: what framing takes differs by less."""
_SHARES = "with the others of it and what is written, no more than buffer.size"
_PRINTED = {
    "link.interface": "",
    "link.time_per_byte": _LINK,
    "body.form_factor": "",
    "buffer.size": "",
    _PROTECTED: "",
    "read_ahead.segments": _SHARES,
    "read_ahead.segment": _SHARES,
    "write_cache.size": _SHARES,
    "slc.size": "reviews give it if the sheet does not; smaller drives have less",
    "slc.dynamic_size": "reviews give it if the sheet does not; smaller drives have less",
    "flash.channels": "",
    "geometry.heads": "",
    "link.speed": "",
    "link.lanes": "",
    "ports.speed": "",
    "ports.lanes": "",
    "drives.max": "",
    "cache.size": "",
    "cpu.clock": "",
    "cpu.cores": "",
}
"""What sheets or reviews print of a part itself, to be changed by hand; with a hint."""


# ---- what the sheet prints


def _rated(kind: str, like: Card | None, slc_cache: bool, rpm: int | None) -> Iterator[str]:
    yield "[rated]"
    yield 'sheet = "not filled in: title, number and date of the data sheet"'
    for key, figure in FIGURES.items():
        if key == "rotation" and rpm is not None:
            yield f'{key} = {{ value = {rpm}, unit = "{figure.unit}", page = "as it is sold" }}'
        elif kind in figure.kinds:
            years = ", years = 5" if key == "dwpd" else ""
            yield (
                f'# {key} = {{ value = ..., unit = "{figure.unit}"{years}, page = "p. ..." }}'
                f"    # {figure.meaning.partition(';')[0]}"
            )
    yield ""
    # The sheet of the base may print fewer figures than sheets usually do.
    of_base = () if like is None or like.rated is None else tuple(like.rated.performance)
    names = {shape.name for shape in of_base}
    for shape in (*of_base, *(shape for shape in SHAPES[kind] if shape.name not in names)):
        yield "# [[rated.performance]]"
        yield f'# name = "{shape.name}"'
        yield "# value = ..."
        yield f'# unit = "{shape.unit}"'
        if shape.quantile is not None:
            yield f'# quantile = "{100 * shape.quantile:g} %"'
        yield f'# read = "{100 * shape.read:g} %"'
        yield f'# random = "{100 * shape.random:g} %"'
        yield f'# size = "{units.text(shape.size, "size")}"'
        yield f"# workers = {shape.workers}"
        yield f"# outstanding = {shape.outstanding}"
        if "flash.channels" in KINDS[kind].by_name:
            # Sheets of drives with an SLC cache print what it takes in, unless they say otherwise.
            state = "burst" if slc_cache and shape.read < 1 else shape.state
            yield f'# state = "{state}"'
        yield '# page = "p. ..."'
        yield ""
    if slc_cache:
        yield from _BEHIND_THE_CACHE


_BEHIND_THE_CACHE = (
    "# Rates of a burst do not say how slow the drive is behind its SLC cache: sheets seldom print",
    "# it, reviews that fill a drive do. Without it the flash is taken to be as fast as usual.",
    "# [[rated.performance]]",
    '# name = "sequential-write-behind-cache"',
    "# value = ...",
    '# unit = "MB/s"',
    '# read = "0 %"',
    '# random = "0 %"',
    '# size = "128 KiB"',
    "# workers = 1",
    "# outstanding = 32",
    '# state = "sustained"',
    '# page = "a review"',
    "",
)


# ---- values


def _values(
    kind: CardKind,
    like: Card | None,
    flash: NewFlash | None,
    new: NewDrive,
    year: int | None,
    ranges: Mapping[str, FitRange],
) -> Iterator[str]:
    section = ""
    for attribute in kind.attributes:
        if like is None:
            line = _alone(attribute, ranges)
        else:
            line = _own(attribute, like, new, year) or _like(attribute, ranges, like, flash)
        if line is None:
            continue
        at, _, _key = attribute.name.partition(".")
        if at != section:
            if section:
                yield ""
            yield f"[{at}]"
            section = at
        yield line


def _own(attribute: Attribute, like: Card, new: NewDrive, year: int | None) -> str | None:
    """Return the line of a value that is not taken over from the base; None of others."""
    if attribute.name == _PROTECTED:
        return _protected(like, new.slc_cache)
    if attribute.name.startswith(_MAP) and like.has(_KEPT_IN):
        return _of_map(attribute, like, new)
    if attribute.name == _MOVED and new.slc_cache and _has_no_lanes(like):
        return _moved(attribute, like)
    if attribute.name == "link.time_per_byte" and (payload := _payload(like, year)):
        return _line(attribute, 1 / payload, "MB/s", f"the fastest of its year; {_LINK}")
    if attribute.name == _DISK_CACHE and not like.has("flash.channels"):
        return _disk_cache(like)
    if attribute.name == _SURVIVES:
        return _survives(attribute, like)
    if stated := of_class(attribute.name, like, year):
        return _line(attribute, stated.value, stated.unit, stated.note, stated.span, stated.because)
    return None


def _of_map(attribute: Attribute, like: Card, new: NewDrive) -> str | None:
    """Return the line of where the map of a solid state drive is; None if it is as in the base."""
    if new.dram is None:
        return None
    if attribute.name == _KEPT_IN:
        kept_in = "memory" if new.dram else "flash"
        if kept_in == "memory" and like.word(_KEPT_IN) == "memory":
            return None
        return f'kept_in = {{ value = "{kept_in}", source = "datasheet", note = "as it is sold" }}'
    if new.dram or attribute.name not in MAPS_ON_FLASH:
        return None
    of = "sata" if _has_no_lanes(like) else "nvme"
    *texts, why = MAPS_ON_FLASH[attribute.name][of]
    value, low, high = (units.parse(text, attribute.dimension) for text in texts)
    unit = texts[0].partition(" ")[2] or "1"
    return _line(attribute, value, unit, "class: it is not printed", (low, high), why)


def _protected(like: Card, slc_cache: bool) -> str:
    """Return the line of what a power cut leaves of the write buffer.

    Of a drive of a personal computer nothing, whatever its base has: else a run would promise that
    acknowledged writes are safe.
    """
    note = f"as {like.name}: write what the sheet says about power-loss protection"
    if slc_cache:
        note = "as usual of drives of personal computers; true if the sheet prints capacitors"
    value = "true" if like.flag(_PROTECTED) and not slc_cache else "false"
    return f'protected = {{ value = {value}, source = "assumed", note = {_text(note)} }}'


_PAYLOADS = {
    "sata": ((2010, 550e6),),
    "nvme": ((2013, 3540e6), (2019, 7450e6), (2023, 14950e6)),
}
"""B/s of the fastest link of solid state drives that were launched from a year on."""


def _payload(like: Card, year: int | None) -> float | None:
    """Return the payload of a new drive's link, B/s; None if that of its base is as fast.

    A base may have a link of years before, or its drive's own limit in it: a sheet that promises
    more would contradict that.
    """
    if not like.has("flash.channels") or not like.has("link.time_per_byte"):
        return None
    of_year = [
        payload
        for since, payload in _PAYLOADS.get(like.word("link.interface"), ())
        if year is not None and since <= year
    ]
    slow = of_year and like.number("link.time_per_byte") * of_year[-1] > _ABOUT
    return of_year[-1] if slow else None


def _disk_cache(like: Card) -> str:
    """Return the line of whether a disk acknowledges writes from its buffer, as it is sold."""
    on = like.word("link.interface") == "sata"
    note = "SATA disks are sold with the disk cache on, SAS disks with it off: what yours is set to"
    return f'enabled = {{ value = {str(on).lower()}, source = "assumed", note = {_text(note)} }}'


def _survives(attribute: Attribute, like: Card) -> str:
    """Return the line of what a disk keeps through a power cut: nothing, unless its sheet says so.

    With what a base has, a disk would answer flushes from a cache that it does not have.
    """
    note = f"none, as sheets of most disks; {like.name} has {_size_of(like, attribute.name)}"
    hint = "a persistent or non-volatile write cache, if the sheet prints one"
    return _line(attribute, 0, like.sources[attribute.name].unit, f"{hint}: {note}")


def _size_of(card: Card, name: str) -> str:
    return units.text(card.integer(name), "size") if card.integer(name) else "none"


def _moved(attribute: Attribute, like: Card) -> str:
    """Return the line of what firmware of a SATA drive of a personal computer takes to move a unit.

    It is that of the class: a base for servers has what its own sheet told.
    """
    time, span = SATA_MOVES
    note = "class: sheets of drives of personal computers print no writes in the long run"
    return _line(attribute, time * 1e-6, "us", note, ends(like.kind, _MOVED, span), span.why)


def _has_no_lanes(card: Card) -> bool:
    """Return whether a drive hangs on a port of SATA or SAS."""
    return card.has("link.interface") and card.word("link.interface") in ("sata", "sas")


def _like(
    attribute: Attribute, ranges: Mapping[str, FitRange], like: Card, flash: NewFlash | None
) -> str | None:
    """Return the line of an attribute of a card that has a base; None if it is left to that."""
    name = attribute.name
    if flash is not None and (stated := flash.stated(name)) is not None:
        return _line(attribute, stated.value, stated.unit, stated.note, stated.span, stated.because)
    if not like.has(name) or (name == "link.lanes" and _has_no_lanes(like)):
        return None
    buffered = like.has("flash.channels") and name == "buffer.size"
    span = BUFFER if buffered else ranges.get(name)
    if name in _PRINTED and span is None:
        return _as_printed(attribute, like)
    if span is None:
        return None
    low, high = ends(like.kind, name, span)
    value, unit = like.number(name), like.sources[name].unit
    if value <= 0:
        if name not in _OFFERED:
            return None
        note = f"{like.name} has none: a fit begins at the least, and finds what the sheet says"
        return _line(attribute, low, "us", note, (low, high), span.why)
    why = span.why
    if not low <= value <= high:
        why += f"; widened to hold what {like.name} has"
    return _line(
        attribute, value, unit, f"as {like.name}", (min(low, value), max(high, value)), why
    )


def _as_printed(attribute: Attribute, like: Card) -> str:
    """Return the line of what a sheet says of the part itself."""
    name = attribute.name
    hint = f"; {_PRINTED[name]}" if _PRINTED[name] else ""
    note = f"as {like.name}: write what the sheet says{hint}"
    if attribute.is_number:
        return _line(attribute, like.number(name), like.sources[name].unit, note)
    key, word = name.partition(".")[2], like.word(name)
    return f'{key} = {{ value = "{word}", source = "assumed", note = {_text(note)} }}'


def _alone(attribute: Attribute, ranges: Mapping[str, FitRange]) -> str | None:
    """Return the line of an attribute of a card without a base; None if it has a default."""
    name = attribute.name
    plain = attribute.default is not None and name not in _NEVER_ZERO
    if plain and (attribute.default != UNKNOWN or name not in _PRINTED):
        return None
    key = name.partition(".")[2]
    span = ranges.get(name)
    if span is None:
        choices = " or ".join(f'"{one}"' for one in attribute.choices) or "..."
        unit = f', unit = "{attribute.unit}"' if attribute.is_number else ""
        form = f'{{ value = {choices}{unit}, source = "datasheet" }}'
        printed = [key for key, figure in FIGURES.items() if figure.attribute == name]
        enough = f"; not needed if [rated] has {printed[0]}" if printed else ""
        return f"# {key} = {form}    # {attribute.meaning}{enough}"
    low, high = (units.parse(end, attribute.dimension) for end in (span.low, span.high))
    unit = span.high.split(maxsplit=1)[1] if " " in span.high else "1"
    middle = float(f"{math.sqrt(low * high):.3g}")
    if units.DIMENSIONS[attribute.dimension].integer:
        middle = (
            max(round(middle / 512) * 512, 512) if attribute.dimension != "count" else round(middle)
        )
    return _line(attribute, middle, unit, "the middle of its range", (low, high), span.why)


def _line(
    attribute: Attribute,
    value: float,
    unit: str,
    note: str,
    span: tuple[float, float] | None = None,
    because: str = "",
) -> str:
    """Return ``key = { value = ..., ... }``; value and span are in base units."""
    key = attribute.name.partition(".")[2]
    shown = _number(units.in_unit(value, unit, attribute.dimension))
    if units.DIMENSIONS[attribute.dimension].integer:
        shown, unit = _whole(value, shown, unit, attribute.dimension)
    parts = [f"value = {shown}", f'unit = "{unit}"', 'source = "assumed"']
    if span is not None:
        low, high = sorted(
            float(f"{units.in_unit(end, unit, attribute.dimension):.{DIGITS}g}") for end in span
        )
        written = float(shown)
        parts.append(f"range = [{_number(min(low, written))}, {_number(max(high, written))}]")
        parts.append(f"because = {_text(because)}")
    parts.append(f"note = {_text(note)}")
    return f"{key} = {{ {', '.join(parts)} }}"


def _whole(value: float, shown: str, unit: str, dimension: str) -> tuple[str, str]:
    """Return number and unit of a size: in another unit if this one needs too many digits."""
    with suppress(units.QuantityError):  # what is shown may be no whole number of bytes
        if units.parse(f"{shown} {unit}", dimension) == value:
            return shown, unit
    number, unit = units.text(value, dimension).split()
    return number, unit


def _number(value: float) -> str:
    """Return a number as people write it."""
    value = float(f"{value:.12g}")
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _shell(place: Path) -> str:
    shown = str(place)
    return f"'{shown}'" if " " in shown else shown
