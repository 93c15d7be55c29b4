"""Parameter files of vdbench: storage and workload definitions, and the runs of them.

Defaults accumulate from lines such as ``sd=default``. Each run definition is a group. Sizes are
binary, threads are those of each storage definition.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from raidsim.errors import quote
from raidsim.importing import words
from raidsim.importing.model import Fact, Found, Place, Work
from raidsim.importing.source import Source

NAME = "vdbench"

_LINE = re.compile(r"\s*(sd|wd|rd|hd|fsd|fwd)\s*=", re.IGNORECASE)
_USUAL_THREADS = 8
_MOST_POINTS = 1000
_NO_EFFECT = frozenset([
    "elapsed", "el", "in", "int",
    "interval", "warmup", "pause", "lun", "size", "openflags", "host", "hosts",
    "jvms", "shell", "user", "master", "system", "vdbench", "name", "sd", "wd", "rd",
    "histogram", "report", "monitor", "instances", "maxdata", "offset", "format", "abort",
    "priority", "startcmd", "endcmd", "swat", "messagescan", "validate", "data_errors",
    "unique", "journal", "create_anchors",
])  # fmt: skip
"""Parameters that change nothing of the I/Os of a steady state."""
_PLAYED = frozenset([
    "xfersize", "rdpct", "readpct", "seekpct", "skew", "range", "threads", "iorate",
    "forthreads", "forxfersize", "forrdpct", "forseekpct", "curve", "distribution",
])  # fmt: skip
"""Parameters that a load has a counterpart of."""


@dataclass(frozen=True)
class _Definition:
    kind: str
    name: str
    values: Mapping[str, str]
    places: Mapping[str, Place]
    place: Place


def recognises(source: Source) -> bool:
    """Definitions of storage or workloads, and of runs."""
    if source.is_json:
        return False
    kinds = {match[1].lower() for line in source.head if (match := _LINE.match(line))}
    return (bool(kinds & {"rd"}) and bool(kinds & {"sd", "wd", "fsd", "fwd"})) or {
        "sd",
        "wd",
    } <= kinds


def read(source: Source) -> Found:
    """Read the loads of the run that is meant.

    Raises
    ------
    InputError
        Several runs and none is named; file systems; or what no load can say.
    """
    found = Found()
    definitions = list(_definitions(source, found))
    for one in definitions:
        if one.kind in {"fsd", "fwd"}:
            cause = "workloads of file systems are not simulated: raidsim simulates block I/Os only"
            raise one.place.refusal(
                one.kind, cause, "the nearest is a load with the same sizes and read share"
            )
    runs = [one for one in definitions if one.kind == "rd"]
    works = {one.name: one for one in definitions if one.kind == "wd"}
    stores = {one.name: one for one in definitions if one.kind == "sd"}
    run = _run(source, runs)
    chosen = _named(run.values.get("wd", "*") if run else "*", works)
    if not chosen:
        place = run.place if run else source.at(1)
        raise place.refusal("wd", "this run names no workload definition", "name one with wd=")
    for definition in chosen:
        found.works.append(_work(found, source, definition, run, stores, len(chosen)))
    return found


def _run(source: Source, runs: list[_Definition]) -> _Definition | None:
    number = source.wishes.group
    if not runs:
        return None
    if number is None and len(runs) > 1:
        shown = "; ".join(f"{count}: {one.name}" for count, one in enumerate(runs[:30], 1))
        cause = f"has {len(runs)} runs, one after the other: {shown}"
        raise runs[0].place.refusal(None, cause, "say which one with --group N")
    if number is not None and number > len(runs):
        raise runs[0].place.refusal(None, f"has no run {number}", f"give 1 to {len(runs)}")
    return runs[(number or 1) - 1]


def _named(pattern: str, known: Mapping[str, _Definition]) -> list[_Definition]:
    wanted = [one.strip() for one in pattern.strip("()").split(",")]
    return [
        one
        for name, one in known.items()
        if any(fnmatch.fnmatchcase(name, each) for each in wanted)
    ]


def _definitions(source: Source, found: Found) -> Iterator[_Definition]:
    defaults: dict[str, dict[str, str]] = {}
    spots: dict[str, dict[str, Place]] = {}
    for place, text in _lines(source):
        items = list(_items(text))
        kind = items[0][0].lower() if items else ""
        if not _LINE.match(text):
            known = [key for key, _ in items if key in _NO_EFFECT]
            if len(known) != len(items):
                found.remark(place, None, f"{quote(text)} is not understood, and left out")
            continue
        name = items[0][1]
        values = {key.lower(): value for key, value in items[1:] if key}
        here = dict.fromkeys(values, place)
        if name == "default":
            defaults.setdefault(kind, {}).update(values)
            spots.setdefault(kind, {}).update(here)
            continue
        for key, value in values.items():
            is_off = value in {"0", "no", "off"}
            if key not in _PLAYED | _NO_EFFECT and not is_off and kind in {"sd", "wd", "rd"}:
                found.remark(place, f"{name}: {key}={value}", "is not simulated")
        yield _Definition(
            kind, name, defaults.get(kind, {}) | values, spots.get(kind, {}) | here, place
        )


def _lines(source: Source) -> Iterator[tuple[Place, str]]:
    """Lines without comments; one that ends in a comma goes on in the next."""
    held, first = "", source.at(1)
    for number, raw in source.numbered():
        text = raw.strip()
        if not text or text[0] in "*#/":
            continue
        if text.lower() == "eof":
            break
        text = re.sub(r",?\s+\*.*$", lambda found: "," if found[0].startswith(",") else "", text)
        if not held:
            first = source.at(number)
        held += text
        if held.endswith(",") and len(held) < 100_000:
            continue
        yield first, held
        held = ""
    if held:
        yield first, held.rstrip(",")


def _items(text: str) -> Iterator[tuple[str, str]]:
    """Keys and values between commas, but for those in parentheses or quotes."""
    for part in re.findall(r"(?:[^,(\"]|\([^)]*\)|\"[^\"]*\")+", text):
        key, _, value = part.partition("=")
        yield key.strip(), value.strip().strip('"')


def _work(
    found: Found, source: Source, one: _Definition, run: _Definition | None,
    stores: Mapping[str, _Definition], count: int,
) -> Work:  # fmt: skip
    values = {**one.values}
    places = {**one.places}
    for key, value in (run.values if run else {}).items():
        if key != "wd":
            values[key] = value
            places[key] = run.places[key] if run else one.place
    for name, meant in (
        ("forxfersize", "xfersize"),
        ("forrdpct", "rdpct"),
        ("forseekpct", "seekpct"),
    ):
        if name in values:
            points = _list(values[name], places[name])
            if len(points) > 1:
                cause = f"{name}={values[name]}: a load cannot sweep this"
                raise places[name].refusal(one.name, cause, "write one run for each")
            values[meant], places[meant] = values[name].strip("()"), places[name]
    table: dict[str, Any] = {"name": one.name}
    sources = {"name": one.place}
    _mix(table, sources, values, places, one)
    disks = _named(values.get("sd", "*"), stores)
    _depth(found, table, sources, values, places, disks)
    _rate(found, table, sources, values, places, count)
    luns = [disk for disk in disks if disk.values.get("lun", "").startswith("/dev/")]
    device = None
    if len(luns) == 1 and len(disks) == 1:
        name, where = luns[0].values["lun"], luns[0].places.get("lun", luns[0].place)
        device = Fact(words.device(name), where)
    room = source.wishes.room(None if device is None else device.value)
    _range(room, table, sources, values, places)
    return Work(table, one.place, sources, device)


def _mix(
    table: dict[str, Any], sources: dict[str, Place], values: Mapping[str, str],
    places: Mapping[str, Place], one: _Definition,
) -> None:  # fmt: skip
    read = values.get("rdpct", values.get("readpct", "100"))
    table["read"] = words.share_text(_percent(read, places.get("rdpct", one.place)) / 100)
    seek = values.get("seekpct", "100").strip("()").lower()
    meant = {
        "random": "100",
        "rand": "100",
        "seq": "0",
        "sequential": "0",
        "eof": "0",
        "seqnz": "0",
    }
    seek_place = places.get("seekpct", one.place)
    table["random"] = words.share_text(_percent(meant.get(seek, seek), seek_place) / 100)
    size_place = places.get("xfersize", one.place)
    sizes = [part.strip() for part in values.get("xfersize", "4k").strip("()").split(",")]
    if len(sizes) == 1:
        table["size"] = words.size_text(_size(sizes[0], size_place))
    elif len(sizes) % 2 == 0:
        shares = [_percent(share, size_place) for share in sizes[1::2]]
        if abs(sum(shares) - 100) > 0.01:
            raise size_place.refusal(
                "xfersize", f"shares add up to {sum(shares):g} %", "they must to 100 %"
            )
        table["sizes"] = [
            {
                "size": words.size_text(_size(size, size_place)),
                "share": words.share_text(share / 100),
            }
            for size, share in zip(sizes[::2], shares, strict=True)
        ]
        table["align"] = (
            "512 B" if any(_size(size, size_place) % 4096 for size in sizes[::2]) else "4 KiB"
        )
    else:
        cause = "a load cannot have sizes between two bounds"
        raise size_place.refusal("xfersize", cause, "give a list of sizes with their shares")
    sources |= {"read": places.get("rdpct", one.place), "random": seek_place,
                "size": size_place, "sizes": size_place, "align": size_place}  # fmt: skip


def _depth(
    found: Found, table: dict[str, Any], sources: dict[str, Place], values: Mapping[str, str],
    places: Mapping[str, Place], disks: list[_Definition],
) -> None:  # fmt: skip
    if len(disks) > 1:
        table["workers"] = len(disks)
        sources["workers"] = disks[0].place
    each = {one.values["threads"] for one in disks if "threads" in one.values}
    if "forthreads" in values:
        points = _list(values["forthreads"], places["forthreads"])
        table["outstanding"] = points if len(points) > 1 else points[0]
        sources["outstanding"] = places["forthreads"]
    elif "threads" in values:
        points = _list(values["threads"], places["threads"])
        table["outstanding"] = points if len(points) > 1 else points[0]
        sources["outstanding"] = places["threads"]
    elif each:
        if len(each) > 1:
            found.remark(
                disks[0].place, "threads", "differ between storage definitions: the first is taken"
            )
        table["outstanding"] = _whole(
            next(one.values["threads"] for one in disks if "threads" in one.values), disks[0].place
        )
        sources["outstanding"] = disks[0].places.get("threads", disks[0].place)
    else:
        table["outstanding"] = _USUAL_THREADS
        found.remark(
            disks[0].place if disks else Place("vdbench"),
            "threads",
            f"not given: vdbench's default, {_USUAL_THREADS}",
        )


def _rate(
    found: Found, table: dict[str, Any], sources: dict[str, Place], values: Mapping[str, str],
    places: Mapping[str, Place], count: int,
) -> None:  # fmt: skip
    rate = values.get("iorate", "max").strip().lower()
    share = 1 / count
    if "skew" in values:
        share = _percent(values["skew"], places["skew"]) / 100
    if rate == "max":
        if "skew" in values and count > 1:
            found.remark(
                places["skew"],
                "skew",
                "is not simulated: at full speed the workloads have no fixed shares",
            )
        return
    place = places["iorate"]
    if rate.startswith("curve"):
        found.remark(
            place, "iorate=curve", "only its first point is simulated: as fast as possible"
        )
        return
    rates = [f"{one * share:g} IO/s" for one in _list(rate, place)]
    depth = table.pop("outstanding", None)
    table["rate"] = rates if len(rates) > 1 else rates[0]
    sources["rate"] = place
    # The threads only bound how many are outstanding, which an open load does not.
    found.remark(
        place, "iorate", f"an open load at this rate; its {depth} threads do not limit it here"
    )
    if isinstance(depth, list) and len(depth) > 1:
        raise place.refusal(
            "iorate", "together with forthreads is two sweeps at once", "write one run for each"
        )
    if int(table.pop("workers", 1)) > 1:
        sources.pop("workers", None)


def _range(
    capacity: int | None, table: dict[str, Any], sources: dict[str, Place],
    values: Mapping[str, str], places: Mapping[str, Place],
) -> None:  # fmt: skip
    if "range" not in values:
        return
    place = places["range"]
    bounds = [part.strip() for part in values["range"].strip("()").split(",")]
    if len(bounds) != 2:
        raise place.refusal("range", "is more than one area", "write a load for each")
    if capacity is None:
        raise place.refusal("range", "is a share of the volume", "give its size with --capacity")
    low, high = (_percent(one, place) / 100 for one in bounds)
    if low >= high:
        raise place.refusal("range", "ends before it begins")
    first = int(capacity * low) // 4096 * 4096
    table["area"] = {
        "offset": f"{first} B",
        "size": f"{max(int(capacity * high) - first, 4096) // 4096 * 4096} B",
    }
    sources["area"] = place


def _percent(text: str, place: Place) -> float:
    plain = text.strip().strip("()").rstrip("%")
    if not re.fullmatch(r"\d{1,3}(\.\d{1,9})?", plain) or not 0 <= float(plain) <= 100:
        raise place.refusal(None, f"{quote(text)} is not a share from 0 to 100")
    return float(plain)


def _size(text: str, place: Place) -> int:
    found = words.size(text, binary=True)
    if found is None or found <= 0:
        raise place.refusal("xfersize", f"{quote(text)} is not a size", 'such as "8k"')
    return found


def _whole(text: str, place: Place) -> int:
    if not re.fullmatch(r"\d{1,7}", text.strip()) or int(text) < 1:
        raise place.refusal(None, f"{quote(text)} is not a count")
    return int(text)


def _list(text: str, place: Place) -> list[int]:
    """Counts: one, several, or ``(1-64,d)`` doubling, ``(10-90,10)`` in steps."""
    plain = text.strip().strip("()")
    match = re.fullmatch(r"(\d{1,7})\s*-\s*(\d{1,7})\s*(?:,\s*(d|\d{1,7}))?", plain)
    if match is None:
        return [_whole(re.sub(r"\.0+$", "", part.strip()), place) for part in plain.split(",")]
    first, last = _whole(match[1], place), _whole(match[2], place)
    found = [first]
    step = match[3] or "1"
    while found[-1] < last and len(found) <= _MOST_POINTS:
        found.append(found[-1] * 2 if step == "d" else found[-1] + _whole(step, place))
    if found[-1] > last:
        found.pop()
    if len(found) > _MOST_POINTS:
        raise place.refusal(None, f"has more than {_MOST_POINTS} points")
    return found
