# ruff: noqa: E501
"""The printed figures of a drive, a controller or a host: the table ``[rated]`` of a card.

Rated figures change no run. They are kept beside the values of the card, each with its page.
``raidsim card fit`` solves the values from them, and readers can compare the two. A card with a
base has its own rated figures or none: those of the base are about another product.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from raidsim import units
from raidsim.errors import nearest_key, quote, suggest

Problem = Callable[[tuple[str | int, ...], str, str | None], None]
"""Takes the path of a key, the cause and the remedy of what is wrong there."""

State = Literal["sustained", "burst", "fresh"]
What = Literal["rate", "bandwidth", "latency"]

DIMENSIONS: dict[What, str] = {"rate": "rate", "bandwidth": "bandwidth", "latency": "time"}
"""What a performance entry may print, and the dimension of its unit."""

SIMULATED = (0.5, 0.95, 0.99, 0.999)
"""Quantiles of a latency that a run says; others are kept, and nothing is fitted to them."""

TOLERANCE = 0.05
"""Share by which a simulated figure may miss a printed one that states no tolerance."""

DRIVES, ALL = ("ssd", "hdd"), ("ssd", "hdd", "controller", "host")


@dataclass(frozen=True)
class FigureField:
    """One figure that a sheet may print beside those of performance.

    Attributes
    ----------
    dimension : of its unit, as in :data:`raidsim.units.DIMENSIONS`.
    unit : a usual one.
    kinds : of cards that may have it.
    attribute : the value of the card that says the same, or empty.
    meaning : in a line.
    """

    dimension: str
    unit: str
    kinds: tuple[str, ...]
    attribute: str
    meaning: str


# fmt: off
FIGURES: dict[str, FigureField] = {
    "capacity":           FigureField("capacity",  "GB",     DRIVES, "capacity.user", "what the host can address"),
    "dwpd":               FigureField("per_day",   "1/day",  ("ssd",), "endurance.dwpd", "drive writes per day; `years` says for how long, 5 if it is left out"),
    "written":            FigureField("capacity",  "TB",     ("ssd",), "endurance.written", "bytes that may be written over its life (TBW)"),
    "workload":           FigureField("capacity",  "TB",     ("hdd",), "endurance.workload", "bytes read and written per year"),
    "afr":                FigureField("share",     "%",      DRIVES, "reliability.afr", "annual failure rate"),
    "mtbf":               FigureField("time",      "h",      ALL, "reliability.mtbf", "mean time between failures"),
    "uber":               FigureField("per_bit",   "1/bit",  DRIVES, "reliability.uber", "unrecoverable read errors (sectors) per bit read"),
    "power_idle":         FigureField("power",     "W",      ALL, "power.idle", "power when idle"),
    "power_active":       FigureField("power",     "W",      ALL, "power.active", "highest power under load"),
    "power_read":         FigureField("power",     "W",      DRIVES, "", "power of reading"),
    "power_write":        FigureField("power",     "W",      DRIVES, "", "power of writing"),
    "media_rate_outer":   FigureField("bandwidth", "MB/s",   ("hdd",), "", "sustained transfer at the outer edge"),
    "media_rate_inner":   FigureField("bandwidth", "MB/s",   ("hdd",), "", "sustained transfer at the inner edge"),
    "seek_read_single":   FigureField("time",      "ms",     ("hdd",), "seek.read_single", "seek to the next track, reading"),
    "seek_read_average":  FigureField("time",      "ms",     ("hdd",), "seek.read_average", "average seek, reading"),
    "seek_read_full":     FigureField("time",      "ms",     ("hdd",), "seek.read_full", "seek over all tracks, reading"),
    "seek_write_single":  FigureField("time",      "ms",     ("hdd",), "seek.write_single", "seek to the next track, writing"),
    "seek_write_average": FigureField("time",      "ms",     ("hdd",), "seek.write_average", "average seek, writing"),
    "seek_write_full":    FigureField("time",      "ms",     ("hdd",), "seek.write_full", "seek over all tracks, writing"),
    "rotation":           FigureField("rotation",  "rpm",    ("hdd",), "spindle.speed", "revolutions per minute"),
    "rotational_latency": FigureField("time",      "ms",     ("hdd",), "", "average rotational latency: half a revolution"),
}
"""By their keys."""

PERFORMANCE: dict[str, tuple[str, str, str]] = {
    "name":        ("a word",             "required",     "names the figure on this card"),
    "value":       ("a number",           "required",     "what is printed"),
    "unit":        ("a unit",             "required",     "says what is printed: IO/s a rate, MB/s (10^6) or MiB/s (2^20) a bandwidth, us or ms a latency"),
    "quantile":    ("a share",            '`"mean"`',     "of a latency: `\"mean\"`, or a share of the I/Os such as `\"99 %\"`"),
    "read":        ("a share",            '`"100 %"`',    "share of reads; the others are writes"),
    "random":      ("a share",            '`"100 %"`',    "share of random accesses; `\"0 %\"` is sequential"),
    "size":        ("a size",             "required",     "of a request"),
    "workers":     ("a count",            "`1`",          "jobs side by side"),
    "outstanding": ("a count",            "required",     "I/Os outstanding of each of them (queue depth)"),
    "state":       ("a word",             '`"sustained"`', "sustained: the drive was preconditioned with the same writes; burst: cache and write buffer are not exhausted; fresh: out of the box"),
    "drives":      ("a count",            "`16`",         "of a controller: drives behind it, if it takes so many"),
    "level":       ("a RAID level",       "a guess",      "of a controller: what the drives make up; left out, single drives if it passes them through, else RAID 0"),
    "tolerance":   ("a share",            '`"5 %"`',      "how far a simulated figure may be off"),
    "page":        ("a text",             "required",     "where it is printed"),
    "note":        ("a text",             "none",         "anything else"),
}
"""Keys of ``[[rated.performance]]``: type, default, meaning."""
# fmt: on

_FIGURE_KEYS = ("value", "unit", "page", "note")
_STATES = ("sustained", "burst", "fresh")
_LEVELS = ("single", "jbod", "raid0", "raid1", "raid5", "raid6", "raid10")
_LONGEST_NAME = 60
_MOST = 65536  # workers, and I/Os outstanding of each


@dataclass(frozen=True)
class RatedFigure:
    """A printed figure in base units; ``written`` and ``unit`` are as the sheet has it."""

    name: str
    value: float
    written: int | float
    unit: str
    page: str
    note: str = ""
    years: float | None = None

    def __str__(self) -> str:
        """Return the figure as it is printed, with its unit."""
        return f"{self.written:g} {self.unit}"


def page_of(figure: RatedFigure) -> str:
    """Return the note of a value that is as a figure."""
    return figure.page + (f": {figure.note}" if figure.note else "")


@dataclass(frozen=True)
class RatedPerformance:
    """A printed rate, bandwidth or latency, and the load that it is printed for.

    ``value`` is in IO/s, bytes/s or s. ``quantile`` is None for a mean, else a share.
    ``drives`` is None and ``level`` empty where the card leaves them out.
    """

    name: str
    what: What
    value: float
    written: int | float
    unit: str
    size: int
    outstanding: int
    read: float = 1.0
    random: float = 1.0
    workers: int = 1
    quantile: float | None = None
    state: State = "sustained"
    drives: int | None = None
    level: str = ""
    tolerance: float = TOLERANCE
    page: str = ""
    note: str = ""

    def __str__(self) -> str:
        """Return the figure as it is printed."""
        return f"{self.written:,.10g} {self.unit}"

    @property
    def load(self) -> str:
        """The load in words: ``4 KiB random reads, 4 x 64 outstanding``."""
        kinds = {1.0: "reads", 0.0: "writes"}
        kind = kinds.get(self.read, f"I/Os, {100 * self.read:g} % reads")
        ways = {1.0: "random ", 0.0: "sequential "}
        way = ways.get(self.random, f"{100 * self.random:g} % random ")
        depth = f"{self.workers} x {self.outstanding}" if self.workers > 1 else self.outstanding
        return f"{units.text(self.size, 'size')} {way}{kind}, {depth} outstanding"


SHAPES: dict[str, tuple[RatedPerformance, ...]] = {
    "ssd": (
        RatedPerformance("sequential-read", "bandwidth", 0, 0, "MB/s", 2**17, 128, 1.0, 0.0),
        RatedPerformance("sequential-write", "bandwidth", 0, 0, "MB/s", 2**17, 128, 0.0, 0.0),
        RatedPerformance("random-read", "rate", 0, 0, "IO/s", 4096, 64, 1.0, 1.0, 4),
        RatedPerformance("random-write", "rate", 0, 0, "IO/s", 4096, 64, 0.0, 1.0, 4),
        RatedPerformance("read-latency", "latency", 0, 0, "us", 4096, 1, 1.0, 1.0),
        RatedPerformance("write-latency", "latency", 0, 0, "us", 4096, 1, 0.0, 1.0),
    ),
    "hdd": (
        RatedPerformance("random-read-1", "rate", 0, 0, "IO/s", 4096, 1),
        RatedPerformance("random-read-32", "rate", 0, 0, "IO/s", 4096, 32),
        RatedPerformance("random-write-32", "rate", 0, 0, "IO/s", 4096, 32, 0.0),
    ),
    "controller": (
        RatedPerformance("most-reads", "rate", 0, 0, "IO/s", 4096, 64, 1.0, 1.0, 8),
        RatedPerformance("most-bandwidth", "bandwidth", 0, 0, "MB/s", 2**18, 16, 1.0, 0.0, 8),
    ),
    "host": (
        RatedPerformance("reads-of-a-core", "rate", 0, 0, "IO/s", 4096, 64, 1.0, 1.0, 1),
        RatedPerformance("read-latency", "latency", 0, 0, "us", 4096, 1, 1.0, 1.0),
    ),
}
"""What sheets of each kind usually print."""


@dataclass(frozen=True)
class Rated:
    """The figures of a data sheet: ``sheets`` names the quoted documents."""

    sheets: tuple[str, ...]
    figures: Mapping[str, RatedFigure] = field(default_factory=dict)
    performance: tuple[RatedPerformance, ...] = ()

    def value(self, name: str) -> float | None:
        """Return a printed figure in base units; None if the sheet does not print it."""
        found = self.figures.get(name)
        return None if found is None else found.value


class _Wrong(Exception):
    def __init__(self, key: str, cause: str, remedy: str | None = None) -> None:
        super().__init__(cause)
        self.key, self.cause, self.remedy = key, cause, remedy


def read_rated(table: object, kind: str, problem: Problem) -> Rated | None:
    """Read the table ``[rated]`` of a card of a kind; what is wrong goes to ``problem``."""
    if not isinstance(table, dict):
        problem(("rated",), "is not a table", "write [rated]")
        return None
    known = [name for name, one in FIGURES.items() if kind in one.kinds]
    figures = {}
    for name, entry in table.items():
        if name in ("sheet", "performance"):
            continue
        path = ("rated", name)
        if name not in known:
            remedy = suggest(name, ["sheet", "performance", *known])
            problem(path, "unknown key", remedy or f"known: {', '.join(known)}")
        elif not isinstance(entry, dict):
            unit = FIGURES[name].unit
            form = f'{name} = {{ value = ..., unit = "{unit}", page = "..." }}'
            problem(path, "needs value, unit and page", f"write {form}")
        elif (found := _figure(name, entry, problem)) is not None:
            figures[name] = found
    sheets = _sheets(table.get("sheet"), problem)
    return Rated(sheets, figures, _performances(table.get("performance", []), kind, problem))


def _sheets(written: object, problem: Problem) -> tuple[str, ...]:
    several = [written] if isinstance(written, str) else written
    if isinstance(several, list) and several and all(map(_is_text, several)):
        return tuple(several)
    cause = "is missing" if written is None else f"{quote(written)} is not a text"
    problem(("rated", "sheet"), cause, 'name what is quoted: sheet = "title, number, date"')
    return ()


def _figure(name: str, entry: Mapping[str, Any], problem: Problem) -> RatedFigure | None:
    keys = (*_FIGURE_KEYS, "years") if name == "dwpd" else _FIGURE_KEYS
    path = ("rated", name)
    wrong = _unknown(entry, keys, path, problem)
    found: dict[str, Any] = {}
    for read in (_value_of(FIGURES[name].dimension), _texts, _years):
        try:
            found |= read(entry)
        except _Wrong as error:
            wrong = True
            problem((*path, error.key), error.cause, error.remedy)
    return None if wrong else RatedFigure(name, **found)


def _unknown(
    entry: Mapping[str, Any], keys: Sequence[str], path: tuple[str | int, ...], problem: Problem
) -> bool:
    """Say which keys of a table there are not; whether there is one."""
    for key in entry:
        if key not in keys:
            remedy = nearest_key(key, keys)
            problem((*path, key), "unknown key", remedy)
    return any(key not in keys for key in entry)


def _value_of(dimension: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    def read(entry: Mapping[str, Any]) -> dict[str, Any]:
        return _number(entry, dimension, units.DIMENSIONS[dimension].example)

    return read


def _number(entry: Mapping[str, Any], dimension: str, example: str) -> dict[str, Any]:
    for key in ("value", "unit"):
        if key not in entry:
            raise _Wrong(key, "is missing", f"as in {example}")
    value, unit = entry["value"], entry["unit"]
    if not isinstance(unit, str):
        raise _Wrong("unit", f"{quote(unit)} is not a text", f"as in {example}")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Wrong("value", f"{quote(value)} is not a number", "the unit has its own key")
    try:
        number = units.convert(value, unit, dimension)
    except units.QuantityError as error:
        key = "unit" if "unit" in error.cause else "value"
        raise _Wrong(key, error.cause, error.remedy) from None
    if number <= 0:
        raise _Wrong("value", "is zero, which no sheet prints", "leave the figure out")
    return {"value": number, "written": value, "unit": unit}


def _texts(entry: Mapping[str, Any]) -> dict[str, Any]:
    page, note = entry.get("page"), entry.get("note", "")
    if page is None:
        raise _Wrong(
            "page", "is missing", 'give the place where it is printed: page = "p. 2, table 1"'
        )
    if not _is_text(page):
        raise _Wrong("page", f"{quote(page)} is not a text", 'page = "p. 2"')
    if not isinstance(note, str):
        raise _Wrong("note", f"{quote(note)} is not a text", "put it in quotes")
    return {"page": page, "note": note}


def _years(entry: Mapping[str, Any]) -> dict[str, Any]:
    years = entry.get("years")
    if years is None:
        return {}
    if isinstance(years, bool) or not isinstance(years, int | float) or not 0 < years <= 100:
        raise _Wrong("years", f"{quote(years)} is not a number of years", "years = 5")
    return {"years": float(years)}


# ---- performance


def _performances(written: object, kind: str, problem: Problem) -> tuple[RatedPerformance, ...]:
    path: tuple[str | int, ...] = ("rated", "performance")
    if not isinstance(written, list) or not all(isinstance(one, dict) for one in written):
        problem(path, "is not a list of tables", "write [[rated.performance]] above each")
        return ()
    found: dict[str, RatedPerformance] = {}
    for number, entry in enumerate(written):
        one = _performance(entry, (*path, number), kind, problem)
        if one is None:
            continue
        if one.name in found:
            cause = f"{quote(one.name)} is the name of an earlier one"
            problem((*path, number, "name"), cause, "names are unique on a card")
        found[one.name] = one
    return tuple(found.values())


def _performance(
    entry: Mapping[str, Any], path: tuple[str | int, ...], kind: str, problem: Problem
) -> RatedPerformance | None:
    others = {"drives", "level"} if kind in DRIVES else {"state"}
    if kind == "host":
        others |= {"drives", "level"}
    keys = [key for key in PERFORMANCE if key not in others]
    wrong = _unknown(entry, keys, path, problem)
    found: dict[str, Any] = {}
    for read in _READERS:
        try:
            found |= read(entry)
        except _Wrong as error:
            wrong = True
            problem((*path, error.key), error.cause, error.remedy)
    return None if wrong else RatedPerformance(**found)


def _name(entry: Mapping[str, Any]) -> dict[str, Any]:
    name = entry.get("name")
    if name is None:
        raise _Wrong("name", "is missing", 'such as name = "random-read"')
    plain = isinstance(name, str) and name.isascii() and 0 < len(name) <= _LONGEST_NAME
    if not plain or not all(c.isalnum() or c in "-_." for c in name):
        cause = f"{quote(name)} is not a name"
        raise _Wrong("name", cause, 'letters, digits, "-", "_" and ".", such as "random-read"')
    return {"name": name}


def _printed(entry: Mapping[str, Any]) -> dict[str, Any]:
    unit = entry.get("unit")
    example = 'value = 636500, unit = "IO/s"'
    for what, dimension in DIMENSIONS.items():
        if unit in units.DIMENSIONS[dimension].known:
            return {"what": what, **_number(entry, dimension, example)}
    if "value" not in entry:
        raise _Wrong("value", "is missing", f"as in {example}")
    if unit is None:
        raise _Wrong("unit", "is missing", f"as in {example}")
    cause = f"{quote(unit)} is not a unit of a rate, a bandwidth or a latency"
    raise _Wrong("unit", cause, "IO/s, MB/s (10^6 bytes), MiB/s, us or ms")


def _quantile(entry: Mapping[str, Any]) -> dict[str, Any]:
    written = entry.get("quantile", "mean")
    if written == "mean":
        return {}
    try:
        share = units.parse(written, "share")
    except units.QuantityError:
        share = 0.0
    if not 0 < share < 1:
        cause = f"{quote(written)} is not a quantile"
        raise _Wrong("quantile", cause, 'write "mean", or a share such as "99 %"')
    if entry.get("unit") not in units.DIMENSIONS["time"].known:
        raise _Wrong("quantile", "is allowed only with a latency", "leave it out")
    return {"quantile": share}


def _share(key: str, usual: float) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    def read(entry: Mapping[str, Any]) -> dict[str, Any]:
        if key not in entry:
            return {key: usual}
        try:
            return {key: units.parse(entry[key], "share")}
        except units.QuantityError as error:
            raise _Wrong(key, error.cause, error.remedy) from None

    return read


def _size(entry: Mapping[str, Any]) -> dict[str, Any]:
    if "size" not in entry:
        raise _Wrong("size", "is missing", 'such as size = "4 KiB"')
    try:
        size = int(units.parse(entry["size"], "size"))
    except units.QuantityError as error:
        raise _Wrong("size", error.cause, error.remedy) from None
    if size == 0 or size % units.SECTOR or size > 64 * 2**20:
        raise _Wrong("size", f"{quote(entry['size'])} is not a size of a request", "as in 4 KiB")
    return {"size": size}


def _count(key: str, usual: int | None) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    def read(entry: Mapping[str, Any]) -> dict[str, Any]:
        count = entry.get(key, usual)
        if count is None and key == "drives":
            return {}
        if count is None:
            raise _Wrong(key, "is missing", f"such as {key} = 32")
        if isinstance(count, bool) or not isinstance(count, int) or not 0 < count <= _MOST:
            raise _Wrong(key, f"{quote(count)} is not a count", f"a whole number from 1 to {_MOST}")
        return {key: count}

    return read


def _word(
    key: str, words: Sequence[str], usual: str
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    def read(entry: Mapping[str, Any]) -> dict[str, Any]:
        word = entry.get(key, usual)
        if word != usual and word not in words:
            hint = suggest(word, words) if isinstance(word, str) else None
            raise _Wrong(
                key,
                f"{quote(word)} is not a valid {key}",
                hint or f"give one of {', '.join(words)}",
            )
        return {key: word}

    return read


_READERS: tuple[Callable[[Mapping[str, Any]], dict[str, Any]], ...] = (
    _name,
    _printed,
    _quantile,
    _share("read", 1.0),
    _share("random", 1.0),
    _size,
    _count("workers", 1),
    _count("outstanding", None),
    _word("state", _STATES, "sustained"),
    _count("drives", None),
    _word("level", _LEVELS, ""),
    _share("tolerance", TOLERANCE),
    _texts,
)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()
