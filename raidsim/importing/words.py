"""Sizes, devices and numbers as tools print them, and what makes two names the same thing."""

from __future__ import annotations

import re

_SIZE = re.compile(
    r"(\d{1,15}(?:[.,]\d{1,9})?)\s*(?:([KMGTPE])(i?)B?|(B)(?:ytes)?)?\b", re.IGNORECASE
)
_STEPS = "KMGTPE"
_PART = re.compile(
    r"((?:nvme\d+n\d+|nvme\d+c\d+n\d+|mmcblk\d+|loop\d+|md\d+|md_d\d+|nbd\d+))p\d+$"
    r"|((?:sd|hd|vd|xvd)[a-z]+)\d+$|(cciss/c\d+d\d+)p\d+$|(cciss!c\d+d\d+)p\d+$"
)
_NOTHING = frozenset(
    {"", "-", "n/a", "na", "none", "null", "unknown", "not available", "default string"}
)


def size(text: str, *, binary: bool) -> int | None:
    """Bytes of a size such as ``893.750 GB``; None if it is none.

    Parameters
    ----------
    binary
        Whether the tool means steps of 1024 where it writes KB, MB, GB, TB. KiB and so on always
        do. A number without a unit is bytes.
    """
    match = _SIZE.match(text.strip())
    if match is None:
        return None
    number = match[1].replace(",", "." if match[1].count(",") == 1 and "." not in match[1] else "")
    if not match[2]:
        return round(float(number)) if match[4] or match.end() == len(text.strip()) else None
    step = 1024 if binary or match[3] else 1000
    return round(float(number) * float(step) ** (_STEPS.index(match[2].upper()) + 1))


def device(name: str) -> str:
    """A device without its folder: ``sda`` of ``/dev/sda``."""
    return name.strip().removeprefix("/dev/").removeprefix("md/")


def whole_device(name: str) -> str:
    """The disk of a partition; of a disk, itself."""
    match = _PART.fullmatch(device(name))
    return next(filter(None, match.groups())) if match else device(name)


def serial_key(text: str | None) -> list[str]:
    """The key of a serial number, if it is one that tells drives apart."""
    plain = re.sub(r"[^A-Z0-9]", "", (text or "").upper())
    # "REDACTED" and "XXXX" are what people write in its place.
    is_one = len(plain) >= 4 and len(set(plain)) > 2 and any(one.isdigit() for one in plain)
    return [f"serial:{plain}"] if is_one else []


def wwn_key(text: str | None) -> list[str]:
    """The key of a world wide name, written with or without prefix."""
    plain = re.sub(r"^(0x|naa\.|eui\.|wwn-0x|uuid\.)", "", (text or "").strip().lower())
    plain = re.sub(r"[^0-9a-f]", "", plain)
    return [f"wwn:{plain}"] if len(plain) in {16, 32} and len(set(plain)) > 2 else []


def device_key(name: str | None) -> list[str]:
    """The key of a device of the operating system."""
    plain = device(name or "")
    return [f"dev:{plain}"] if plain and plain.lower() not in _NOTHING else []


def is_said(text: str | None) -> bool:
    """Return whether a text says anything, and not that there is nothing to say."""
    return (text or "").strip().lower() not in _NOTHING


_SHOWN_BY_RAID = re.compile(
    r"\b(PERC|MegaRAID|MR\d{4}|MR9\d+\S*|LOGICAL VOLUME|ServeRAID|Smart Array|AVAGO|RAID\b|SMC\d{4}"
    r"|PRAID|UCSC-\w*RAID\S*|LSI MR\S*|Virtual Disk.*PERC)", re.IGNORECASE
)  # fmt: skip
_SHOWN_BY_HYPERVISOR = re.compile(
    r"VMware|Virtual[ _](disk|S\b)|QEMU|VBOX|virtio|Msft|Xen|Google PersistentDisk"
    r"|Amazon Elastic|Amazon EC2|OpenStack", re.IGNORECASE,
)  # fmt: skip


def virtual(model: str) -> str | None:
    """Return what presents a virtual disk with this model name; None for a real disk."""
    if _SHOWN_BY_HYPERVISOR.search(model):
        return "a virtual disk of a hypervisor or cloud"
    if _SHOWN_BY_RAID.search(model):
        return "a virtual drive of a RAID controller"
    return None


def size_text(size: int) -> str:
    """A size as a scenario has it, exactly: in the largest unit that it is a whole number of."""
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if size and size % 1024**power == 0:
            return f"{size // 1024**power} {unit}"
    return f"{size} B"


def share_text(share: float) -> str:
    """A share as a scenario has it."""
    return f"{round(100 * share, 6):g} %"
