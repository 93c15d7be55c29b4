"""From the text of a card to a :class:`~raidsim.cards.card.Card`, or to all errors in the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from raidsim import units
from raidsim.cards import years
from raidsim.cards.attributes import KINDS, SATA_TAGS, Attribute, CardKind, Value
from raidsim.cards.card import Card, Origin, Source
from raidsim.cards.entry import Wrong, check_value, source_of, value_of
from raidsim.cards.followers import AS_OFTEN, followers
from raidsim.cards.order_numbers import LEAST, plain
from raidsim.cards.places import find, shown_as
from raidsim.cards.rated import FIGURES, Rated, page_of, read_rated
from raidsim.cards.surface import (
    SeekPoints,
    Surface,
    read_seek_curve,
    read_surface,
    values_of,
)
from raidsim.cards.toml_file import TomlFile, parse, read_text, show
from raidsim.cards.toml_lines import KeyPath
from raidsim.errors import InputError, Problem, nearest_key, quote, suggest, the_first

_HEAD = (
    "name", "kind", "title", "description", "maker", "year", "order_numbers", "base", "rated",
    "residuals", "sensitivities",
)  # fmt: skip
_MEASURED = ("surface", "seek_curve", "disksim")
"""Sections of the card of a hard disk that was measured: no single values."""
_KEYS = ("value", "unit", "source", "note", "claims", "range", "because")

_Above = tuple[Path, ...]
"""The cards whose base a card is, the first of them first."""

Stamps = tuple[tuple[int, int], ...]
"""For each file when it was last written, ns, and its size."""


@dataclass(frozen=True)
class _Kept:
    card: Card
    stamps: Stamps


_kept: dict[tuple[Path, str | None], _Kept] = {}
_MOST_KEPT = 1024


def read_once(path: Path, shown: str | None = None, *, above: _Above = ()) -> Card:
    """Read a card as :func:`read` does, unless it was read before and no file of it has changed."""
    key = (path.absolute(), shown)
    kept = _kept.get(key)
    if kept is not None and kept.card.path == path and kept.stamps == _stamps(kept.card.files):
        return kept.card
    card = read(path, shown, above=above)
    if len(_kept) >= _MOST_KEPT:
        _kept.clear()
    if stamps := _stamps(card.files):
        _kept[key] = _Kept(card, stamps)
    return card


def _stamps(files: Iterable[Path]) -> Stamps:
    """Return stamps that change when files change; none if one of the files is gone."""
    try:
        found = [file.stat() for file in files]
    except OSError:
        return ()
    return tuple((one.st_mtime_ns, one.st_size) for one in found)


def read(path: Path, shown: str | None = None, *, above: _Above = ()) -> Card:
    """Read a card file; InputError with every problem of it.

    ``above`` are the cards that have it as a base, or as a base of their base.
    """
    name = shown or str(path)
    return read_card(read_text(path, name), name, path, above=above)


def read_card(text: str, name: str, path: Path | None = None, *, above: _Above = ()) -> Card:
    """Read the text of a card; `name` is what messages call it.

    A card with a ``base`` says only what differs from that card, which may have one itself.
    """
    return from_file(parse(text, name), path or Path(name), above=above)


def from_file(file: TomlFile, path: Path, *, above: _Above = ()) -> Card:
    """Read a card off the data of a file.

    Raises
    ------
    InputError
        It is wrong: all problems of the card, in the order of its lines.
    """
    if file.complete:
        file.bring_up_to_date("card")
    reader = _Reader(file, above)
    card = reader.card(path)
    if reader.problems or card is None:
        ordered = sorted(reader.problems, key=lambda p: p.line or 0)
        raise InputError(the_first(ordered, file.name))
    return card


def _circle(chain: _Above, place: Path) -> str:
    """The cards from one to itself, as a text; empty if this base closes no circle."""
    known = [path.resolve() for path in chain]
    if place.resolve() not in known:
        return ""
    around = chain[known.index(place.resolve()) :]
    return " -> ".join(path.stem for path in (*around, place))


@dataclass(frozen=True)
class Measured:
    """The measured curves and tables of a hard disk, beside its single values."""

    surface: Surface | None = None
    seek_points: SeekPoints | None = None
    disksim: Mapping[str, object] = field(default_factory=dict)


class _Reader:
    """Walks the data of one card and collects values, sources and problems."""

    def __init__(self, file: TomlFile, above: _Above) -> None:
        self.file = file
        self.above = above
        self.problems = list(file.problems)
        self.values: dict[str, Value] = {}
        self.sources: dict[str, Source] = {}
        self.origins: dict[str, Origin] = {}

    def problem(self, path: KeyPath, cause: str, remedy: str | None = None) -> None:
        self.problems.append(
            Problem(self.file.name, self.file.line(path), show(path) or None, cause, remedy)
        )

    def card(self, path: Path) -> Card | None:
        if not self.file.complete:
            return None
        data = self.file.data
        head = {key: self._text(data, key) for key in ("name", "kind", "title")}
        description = data.get("description", "")
        if not isinstance(description, str):
            self.problem(("description",), "is not a text", "put it in quotes")
        kind = KINDS.get(head["kind"] or "")
        if kind is None:
            if head["kind"]:
                self.problem(
                    ("kind",),
                    f"{quote(head['kind'])} is not a kind of card",
                    nearest_key(head["kind"], KINDS),
                )
            return None
        maker, year = self._text(data, "maker") if "maker" in data else "", self._year(data, kind)
        base = self._base(data, kind, path)
        measured = self._measured(data, kind, base)
        self._attributes(data, kind)
        rated = self._rated(data, kind)
        self._print(data, kind, rated)
        self._follow(data, kind, measured)
        self._other_forms(data, kind, base, rated)
        order_numbers = self._order_numbers(data)
        residuals = self._deviations(("residuals",), data.get("residuals", {}))
        sensitivities = self._sensitivities(data.get("sensitivities", {}), kind)
        if self.problems:
            return None
        told = {} if base is None else {**base.base_sensitivities, **base.sensitivities}
        told = {n: claims for n, claims in told.items() if not self._gives(data, kind.by_name[n])}
        left = {} if base is None else {**base.base_residuals, **base.residuals}
        return Card(
            str(head["name"]), kind.name, str(head["title"]), path,
            {a.name: self.values[a.name] for a in kind.attributes if a.name in self.values},
            {a.name: self.sources[a.name] for a in kind.attributes if a.name in self.values},
            residuals, str(description),
            base.name if base else "",
            frozenset(a.name for a in kind.attributes if not self._gives(data, a)),
            sensitivities, str(maker), year,
            {a.name: self.origins[a.name] for a in kind.attributes
             if a.name in self.origins and not self._gives(data, a)},
            rated, measured.surface, measured.seek_points, measured.disksim, told, left,
            (path, *(base.files if base else ())), order_numbers,
        )  # fmt: skip

    def _measured(self, data: Mapping[str, Any], kind: CardKind, base: Card | None) -> Measured:
        """Return the measured curves and tables of a hard disk, from the card or its base."""
        found = Measured()
        if base is not None:
            found = Measured(base.surface, base.seek_points, base.disksim)
        if not kind.has_surface:
            return found
        if "surface" in data:
            found = replace(found, surface=read_surface(data["surface"], self.problem))
        if "seek_curve" in data:
            found = replace(found, seek_points=read_seek_curve(data["seek_curve"], self.problem))
        kept = data.get("disksim", found.disksim)
        if not isinstance(kept, dict):
            self.problem(("disksim",), "is not a table", "write [disksim]")
            kept = {}
        return replace(found, disksim=kept)

    def _follow(self, data: Mapping[str, Any], kind: CardKind, measured: Measured) -> None:
        """Values that follow from what was measured, where the file does not give them itself."""
        if not kind.has_surface:
            self._missing(data, kind)
            return
        heads = int(self.values.get("geometry.heads", 1))
        sector = int(self.values.get("capacity.sector", 512))
        found = values_of(measured.surface, measured.seek_points, heads, sector)
        if "overhead.read_miss_after_read" in self.values:
            found["command.time"] = float(self.values["overhead.read_miss_after_read"])
        stated = {a.name for a in kind.attributes if self._gives(data, a)}
        for name, value in found.items():
            if name in stated:
                continue
            attribute = kind.by_name[name]
            if wrong := check_value(attribute, value):
                self.problem(("surface" if "seek" not in name else "seek_curve",), *wrong)
                self.values[name] = value
                continue
            shown = units.in_unit(value, attribute.unit, attribute.dimension)
            self.values[name] = value
            note = "follows from what was measured"
            self.sources[name] = Source("datasheet", note, (), shown, attribute.unit)
        self._missing(data, kind)

    def _other_forms(
        self, data: Mapping[str, Any], kind: CardKind, base: Card | None, rated: Rated | None
    ) -> None:
        """Values of the base that contradict one in another form which the file states itself."""
        if base is None or self.problems:
            return
        stated = {a.name for a in kind.attributes if self._gives(data, a)}
        printed = rated.figures.get("dwpd") if rated else None
        years = printed.years if printed else None
        for name, (value, how) in followers(self.values, stated, base.values, years).items():
            attribute = kind.by_name[name]
            if check_value(attribute, value) is None:
                shown = units.in_unit(value, attribute.unit, attribute.dimension)
                self.values[name] = value
                self.sources[name] = Source("assumed", how, (), shown, attribute.unit)
                if how != AS_OFTEN:  # which is as much a guess as that of the base
                    self.origins.pop(name, None)

    def _year(self, data: Mapping[str, Any], kind: CardKind) -> int | None:
        if data.get("year") is None:
            return None
        if fault := years.fault_of(kind.name, data["year"]):
            self.problem(("year",), *fault)
            return None
        return int(data["year"])

    def _rated(self, data: Mapping[str, Any], kind: CardKind) -> Rated | None:
        if "rated" not in data:
            return None
        return read_rated(data["rated"], kind.name, self.problem)

    def _base(self, data: Mapping[str, Any], kind: CardKind, path: Path) -> Card | None:
        """Take over the values of the base, for the card to change; None if it has no base."""
        if "base" not in data:
            return None
        name = self._text(data, "base")
        if name is None:
            return None
        try:
            place = find(name, path.parent)
            chain = (*self.above, path)
            if circle := _circle(chain, place):
                cause = f"leads in a circle: {circle}"
                self.problem(("base",), cause, "let one of them state all of its values")
                return None
            base = read_once(place, shown_as(place, name), above=chain)
        except InputError as error:
            for one in error.problems:
                self.problem(("base",), str(one))
            return None
        if base.kind != kind.name:
            self.problem(("base",), f"{base.name} is of kind {base.kind}", f"this is a {kind.name}")
            return None
        self.values |= base.values
        for attribute, source in base.sources.items():
            if attribute in base.origins:  # its note says so already
                self.origins[attribute] = base.origins[attribute]
                self.sources[attribute] = source
                continue
            if source.source != "default":
                self.origins[attribute] = Origin(base.name, base.maker)
            note = f"as {base.name}" + (f": {source.note}" if source.note else "")
            self.sources[attribute] = replace(source, note=note)
        return base

    def _gives(self, data: Mapping[str, Any], attribute: Attribute) -> bool:
        """Return whether the file itself states an attribute."""
        section, _, key = attribute.name.partition(".")
        table = data.get(section)
        return isinstance(table, dict) and key in table

    def _text(self, data: Mapping[str, Any], key: str) -> str | None:
        value = data.get(key)
        if isinstance(value, str) and value.strip() and value.isprintable():
            return value
        if key in data:
            self.problem((key,), f"{quote(value)} is not a line of text", "put it in quotes")
        elif (key,) not in self.file.broken:
            example = f"give one of {', '.join(KINDS)}" if key == "kind" else f'write {key} = "..."'
            self.problem((key,), "is missing", example)
        return None

    def _order_numbers(self, data: Mapping[str, Any]) -> tuple[str, ...]:
        given = data.get("order_numbers", [])
        texts = given if isinstance(given, list) else [given]
        for one in texts:
            if not isinstance(one, str) or not one.isprintable() or len(plain(one)) < LEAST:
                cause = f"{quote(one)} is not an order number of {LEAST} letters and digits or more"
                self.problem(("order_numbers",), cause, 'write order_numbers = ["...", "..."]')
                return ()
        return tuple(texts)

    def _attributes(self, data: Mapping[str, Any], kind: CardKind) -> None:
        known = kind.by_name
        sections = dict.fromkeys(name.partition(".")[0] for name in known)
        for section, table in data.items():
            if section in _HEAD or (section in _MEASURED and kind.has_surface):
                continue
            if section not in sections:
                self.problem((section,), "unknown key", nearest_key(section, [*sections, *_HEAD]))
            elif not isinstance(table, dict):
                self.problem((section,), "is not a table", f"write [{section}]")
            else:
                for key, entry in table.items():
                    self._attribute(known, section, key, entry)
        for attribute in kind.attributes:
            self._default(attribute, data)

    def _print(self, data: Mapping[str, Any], kind: CardKind, rated: Rated | None) -> None:
        """Take values that nothing else gives from the sheet, so that no card repeats them."""
        for name, figure in ({} if rated is None else rated.figures).items():
            attribute = kind.by_name.get(FIGURES[name].attribute)
            if attribute is None or not attribute.required or not self._is_open(attribute, data):
                continue
            if wrong := check_value(attribute, figure.value):
                self.problem(("rated", name), *wrong)
            shown = units.in_unit(figure.value, attribute.unit, attribute.dimension)
            self.values[attribute.name] = figure.value
            self.sources[attribute.name] = Source(
                "datasheet", page_of(figure), (), shown, attribute.unit
            )

    def _missing(self, data: Mapping[str, Any], kind: CardKind) -> None:
        """Say which values no file, no base and no default gives."""
        for attribute in kind.attributes:
            if not attribute.required or not self._is_open(attribute, data):
                continue
            section, _, key = attribute.name.partition(".")
            example = f'write {key} = {{ value = ..., unit = "{attribute.unit}", source = ... }}'
            self.problem((section, key), "is missing", example)

    def _is_open(self, attribute: Attribute, data: Mapping[str, Any]) -> bool:
        """Return whether nothing is known of a value yet, nor said to be wrong with it."""
        section, _, key = attribute.name.partition(".")
        table = data.get(section, {})
        if not isinstance(table, dict) or key in table or (section, key) in self.file.broken:
            return False
        # From the base, or it is already said that there is none.
        return attribute.name not in self.values and "base" not in data

    def _default(self, attribute: Attribute, data: Mapping[str, Any]) -> None:
        default = attribute.default_value
        if default is None or attribute.required or not self._is_open(attribute, data):
            return
        if attribute.name == "command.queue_depth" and self.values.get("link.interface") == "sata":
            default = float(SATA_TAGS)
        shown: Value = default
        if attribute.is_number:
            shown = units.in_unit(float(default), attribute.unit, attribute.dimension)
        self.values[attribute.name] = default
        self.sources[attribute.name] = Source("default", "", (), shown, attribute.unit)

    def _attribute(
        self, known: Mapping[str, Attribute], section: str, key: str, entry: object
    ) -> None:
        path: KeyPath = (section, key)
        attribute = known.get(f"{section}.{key}")
        if attribute is None:
            names = [n.partition(".")[2] for n in known if n.startswith(section + ".")]
            self.problem(path, "unknown key", nearest_key(key, names))
            return
        if not isinstance(entry, dict):
            unit = attribute.unit
            form = f'{{ value = ..., unit = "{unit}", source = "..." }}'
            self.problem(path, "needs value, unit and source", f"write {key} = {form}")
            return
        for name in entry:
            if name not in _KEYS:
                self.problem((*path, name), "unknown key", nearest_key(name, _KEYS))
        with self._as_problems(path):
            self.sources[attribute.name] = source_of(attribute, entry)
        with self._as_problems(path):
            self.values[attribute.name] = value_of(attribute, entry)

    @contextmanager
    def _as_problems(self, path: KeyPath) -> Iterator[None]:
        """Keep what is wrong with an entry as a problem of the card."""
        try:
            yield
        except Wrong as wrong:
            self.problem((*path, wrong.key), wrong.cause, wrong.remedy)

    def _sensitivities(self, table: object, kind: CardKind) -> dict[str, dict[str, float]]:
        """By attribute and claim: change of the figure for 1 % more of the value."""
        if not isinstance(table, dict):
            self.problem(("sensitivities",), "is not a table", "write [sensitivities]")
            return {}
        for name in table:
            if name not in kind.by_name:
                remedy = suggest(name, kind.by_name)
                self.problem(("sensitivities", name), "is not an attribute of the card", remedy)
        return {
            name: self._deviations(("sensitivities", name), claims)
            for name, claims in table.items()
        }

    def _deviations(self, path: KeyPath, table: object) -> dict[str, float]:
        """Relative changes by claim, written as texts like "-1.2 %"."""
        if not isinstance(table, dict):
            self.problem(path, "is not a table", 'write "CLAIM" = "-1.2 %" in it')
            return {}
        found: dict[str, float] = {}
        for claim, written in table.items():
            try:
                found[claim] = units.parse(written, "deviation")
            except units.QuantityError as error:
                self.problem((*path, claim), error.cause, error.remedy)
        return found
