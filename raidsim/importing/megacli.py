"""What MegaCli prints: -AdpAllInfo, -LDInfo, -LdPdInfo, -PDList, -CfgDsply, -AdpBbuCmd.

Units of sizes are powers of 1,024, whatever their letters are. RAID 10 is written as RAID 1 of
several spans.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from raidsim.errors import quote
from raidsim.importing import megaraid, words
from raidsim.importing.model import (
    CHECK,
    RESYNC,
    Array,
    Controller,
    Drive,
    Fact,
    Found,
    Member,
    Place,
)
from raidsim.importing.section import Section
from raidsim.importing.source import Source

NAME = "megacli"

_VIRTUAL = re.compile(
    r"(?:CacheCade )?Virtual (?:Drive|Disk)\s*:\s*(\d+)(?:\s*\(Target Id:\s*(\d+)\))?"
)
_QUALIFIED = re.compile(
    r"Primary-(\d+),\s*Secondary-(\d+)(?:,\s*RAID Level Qualifier-(\d+))?", re.IGNORECASE
)
_TELLING = frozenset({"product name", "memory size", "battery state", "batterytype"})
"""What a controller is told of by; other lines say nothing that a scenario has."""


def recognises(source: Source) -> bool:
    """Lines that only MegaCli writes."""
    if source.is_json:
        return False
    signs = (
        r"Adapter\s*#\d+", r"Adapter \d+ -- Virtual Drive Information",
        r"RAID Level\s*: Primary-\d",
        r"Enclosure Device ID:", r"Number [Oo]f Drives per span", r"BBU status for Adapter",
        r"FW Package Build\s*:", r"Adapter: \d+: ", r"Inquiry Data\s*:", r"Span Depth\s*:",
    )  # fmt: skip
    found = sum(any(re.match(rf"\s*{sign}", line) for line in source.head) for sign in signs)
    return found >= 2 or any(re.match(r"\s*BBU status for Adapter", line) for line in source.head)


@dataclass
class _Section(Section):
    """Lines about one thing: a controller, a virtual drive, a drive."""

    kind: str
    name: str
    adapter: str
    drives: list[_Section] = field(default_factory=list)


def read(source: Source) -> Found:
    """Read all controllers, virtual drives and drives."""
    found = Found()
    parts = _parts(source, found)
    drives: dict[frozenset[str], Drive] = {}
    for part in parts:
        if part.kind == "adapter" and not part.values.keys() & _TELLING:
            continue
        if part.kind == "adapter":
            found.controllers.append(_controller(part))
        elif part.kind == "cachecade":
            cause = "a cache on SSDs in front of virtual drives is not imported"
            found.remark(
                part.place, f"virtual drive {part.name}", cause, "describe it as a [[hybrid]]"
            )
        elif part.kind == "array":
            found.arrays.append(_array(found, part))
        for drive in [part] if part.kind == "drive" else part.drives:
            made = _drive(drive)
            drives.setdefault(made.keys, made)
    found.drives += drives.values()
    return found


def _parts(source: Source, found: Found) -> list[_Section]:
    adapter = "0"
    parts = [_Section(source.at(1), "adapter", "0", "0")]
    array: _Section | None = None
    for number, raw in source.numbered():
        line = raw.strip()
        place = source.at(number)
        if not line or set(line) <= {"-", "=", "*"}:
            continue
        if match := re.match(
            r"(?:Adapter|Controller)\s*#?\s*(\d+)\s*(?:--.*)?$|Adapter:\s*(\d+)(?::.*)?$", line
        ):
            adapter = match[1] or match[2]
            parts.append(_Section(place, "adapter", adapter, adapter))
            array = None
        elif match := _VIRTUAL.match(line):
            is_cache = line.startswith("CacheCade")
            array = _Section(place, "cachecade" if is_cache else "array", match[1], adapter)
            parts.append(array)
        elif re.match(r"PD\s*:\s*\d+", line) and array is not None:
            array.drives.append(_Section(place, "drive", "", adapter))
        elif line.startswith("Enclosure Device ID"):
            _enclosure(parts, array, adapter, place, line)
        else:
            part = parts[-1]
            if array is not None and part is array and array.drives:
                part = array.drives[-1]
            key, colon, value = line.partition(":")
            if colon:
                part.values.setdefault(key.strip().lower(), Fact(value.strip(), place))
            elif match := re.match(r"(.+?)\s+=\s+(.*)$", line):
                part.values.setdefault(match[1].strip().lower(), Fact(match[2].strip(), place))
            elif part.kind == "array":
                found.remark(place, None, f"{quote(line)} is not understood, and left out")
    return parts


def _enclosure(
    parts: list[_Section], array: _Section | None, adapter: str, place: Place, line: str
) -> None:
    """A drive begins: one of the virtual drive above, or one of a list of all."""
    value = line.partition(":")[2].strip()
    part = array.drives[-1] if array is not None and array.drives else None
    if part is None or "enclosure device id" in part.values:
        part = _Section(place, "drive", "", adapter)
        if array is not None and parts[-1] is array and array.drives:
            array.drives.append(part)
        else:
            parts.append(part)
    part.place = place
    part.values["enclosure device id"] = Fact(value, place)


def _controller(part: _Section) -> Controller:
    memory = part.text("memory size")
    size = words.size(memory.value, binary=True) if memory else None
    state = part.text("battery state")
    present = part.text("bbu")
    battery = Fact(megaraid.battery(state.value), state.place) if state else None
    if battery is None and present and present.value.lower() in {"absent", "no"}:
        battery = Fact("absent", present.place)
    for key, word in (
        ("battery replacement required", "low"),
        ("battery pack missing", "absent"),
        ("learn cycle active", "learning"),
    ):
        said = part.text(key)
        if said and said.value.lower() == "yes":
            battery = Fact(word, said.place)
    kind = part.text("batterytype")
    flash = kind is not None and re.search(r"CVPM|CacheVault|CVT", kind.value) is not None
    return Controller(
        f"controller {part.adapter}", part.place, frozenset({f"controller:{part.adapter}"}),
        part.text("product name"),
        Fact(size, memory.place) if memory and size is not None else None,
        battery,
        Fact("flash" if flash else "battery", kind.place) if kind else None,
        rebuild_rate=_rate(part),
    )  # fmt: skip


def _rate(part: _Section) -> Fact[float] | None:
    said = part.text("rebuild rate")
    match = re.match(r"(\d{1,3})\s*%", said.value) if said else None
    share = int(match[1]) if match else 0
    return Fact(share / 100, said.place) if said and 1 <= share <= 100 else None


def _array(found: Found, part: _Section) -> Array:
    level = part.text("raid level")
    spans = part.number("span depth", 6)
    count = part.number("number of drives per span", 6) or part.number("number of drives", 6)
    per_span = "number of drives per span" in part.values
    slots = count
    if count and spans and (per_span or spans.value > 1):
        slots = Fact(count.value * spans.value, count.place)
    name = part.text("name")
    cache = _cache(part.text("current cache policy", "default cache policy"))
    size = part.text("size")
    listed = part.drives
    members = tuple(
        Member(frozenset(_keys(drive)[:1]), drive.place, number, _state(drive))
        for number, drive in enumerate(listed)
    )
    word = _level(level)
    if level is not None and word is None:
        found.remark(level.place, "RAID Level", f"{quote(level.value)} is not understood")
    access = part.text("current access policy", "access policy", "default access policy")
    progress = part.text("check consistency", "background initialization", "initialization")
    return megaraid.array(
        label=f"virtual drive {part.name} of controller {part.adapter}",
        place=part.place,
        keys=frozenset({f"vd:{part.adapter}/{part.name}"}),
        name=name if name and name.value else Fact(f"c{part.adapter}-vd{part.name}", part.place),
        level=Fact(word, level.place) if level and word else None,
        spans=spans,
        slots=slots,
        strip=megaraid.size_fact(part.text("strip size", "stripe size")),
        capacity=megaraid.size_fact(size),
        cache=cache,
        disk_cache=megaraid.disk_cache(part.text("disk cache policy")),
        access=megaraid.access(access),
        state=part.text("state"),
        members=members,
        task=Fact(CHECK if "check consistency" in part.values else RESYNC, progress.place)
        if progress else None,
        controller=f"controller:{part.adapter}",
    )  # fmt: skip


def _level(said: Fact[str] | None) -> str | None:
    """RAIDn of "Primary-5, Secondary-3, RAID Level Qualifier-3"; spans are counted elsewhere."""
    match = _QUALIFIED.match(said.value) if said else None
    if match is None:
        plain = re.sub(r"[\s-]", "", said.value.upper()) if said else ""
        return plain if re.fullmatch(r"RAID\d{1,2}E?", plain) else None
    return f"RAID{match[1]}"


def _cache(said: Fact[str] | None) -> dict[str, Fact[str]]:
    """Policies as words, in any order."""
    if said is None:
        return {}
    plain = said.value.lower().replace(" ", "")
    made: dict[str, Fact[str]] = {}
    if "writethrough" in plain:
        made["write"] = Fact("through", said.place)
    elif "writeback" in plain or "writecache" in plain:
        always = "alwayswriteback" in plain or (
            "writecacheokifbadbbu" in plain and "nowritecache" not in plain
        )
        made["write"] = Fact("back-bad-battery" if always else "back", said.place)
    for word, meant in (
        ("readaheadnone", "none"),
        ("noreadahead", "none"),
        ("readadaptive", "adaptive"),
        ("adaptivereadahead", "adaptive"),
        ("readahead", "ahead"),
    ):
        if word in plain:
            made["read_ahead"] = Fact(meant, said.place)
            break
    for word in ("cached", "direct"):
        if re.search(rf"(^|,){word}(,|$)", plain):
            made["io"] = Fact(word, said.place)
    return made


def _state(part: _Section) -> str:
    said = part.text("firmware state", "foreign state")
    return megaraid.state(said.value) if said else "online"


def _keys(part: _Section) -> list[str]:
    enclosure, slot = part.text("enclosure device id"), part.text("slot number")
    keys = []
    if slot and slot.value.isdecimal():
        box = enclosure.value if enclosure and enclosure.value.isdecimal() else " "
        keys.append(f"slot:{part.adapter}/{box}:{slot.value}")
    device = part.text("device id")
    if device and device.value.isdecimal():
        keys.append(f"did:{part.adapter}/{device.value}")
    wwn = part.text("wwn")
    return keys + words.wwn_key(wwn.value if wwn else None)


def _drive(part: _Section) -> Drive:
    inquiry = part.text("inquiry data")
    model = _model(inquiry.value) if inquiry else None
    raw = part.text("raw size", "non coerced size")
    exact = megaraid.exact(raw.value) if raw else None
    medium, kind, state = part.text("media type"), part.text("pd type"), part.text("firmware state")
    interface = megaraid.interface(kind.value) if kind else None
    keys = _keys(part)
    label = keys[0].partition(":")[2] if keys else "drive"
    return Drive(
        f"drive {label}", part.place, frozenset(keys),
        Fact(model, inquiry.place) if inquiry and model else None,
        Fact("hard disk" in medium.value.lower(), medium.place) if medium else None,
        Fact(interface, kind.place) if kind and interface else None,
        None,
        Fact(exact, raw.place) if raw and exact else None,
        megaraid.size_fact(part.text("coerced size", "raw size")),
        megaraid.size_fact(part.text("sector size", "logical sector size")),
        megaraid.size_fact(part.text("physical sector size")),
        state=Fact(megaraid.state(state.value), state.place) if state else None,
        controller=f"controller:{part.adapter}",
    )  # fmt: skip


def _model(inquiry: str) -> str | None:
    """The model in an inquiry: vendor, model, firmware and serial number in any order.

    Of words between blanks the model is the one that looks most like an order number.
    """
    text = " ".join(inquiry.split())
    parts = text.split(" ")
    known = re.search(
        r"((?:ST|WD|HUS|HUA|HUC|HUH|MZ|MTFD|SSD|INTEL SSD|SAMSUNG MZ|TOSHIBA [A-Z]|Hitachi H"
        r"|MB|MBF|AL1|MG0|MK|HTS|HDS|EG0|MM0|VK0)[A-Z0-9-]{4,}\S*)", text
    )  # fmt: skip
    if known:
        return known[1]
    fitting = [one for one in parts if re.search(r"\d", one) and re.search(r"[A-Za-z]", one)]
    if len(parts) > 1 and parts[0].isalpha() and fitting:
        return f"{parts[0]} {fitting[0]}"
    return fitting[0] if fitting else None
