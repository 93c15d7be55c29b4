# ruff: noqa: E501
"""Which measurement shows a value: a load of one part in which little else counts, as a job of fio.

A table, by kind of card and by the beginning of the value's name. The loads are the usual ones of
one drive, one controller or one host, so that most people who have the part can run them. On some
parts the value does not decide its load: a drive's channels do not if its link is slower.
``raidsim.studies.measurements`` simulates the load for drives, and takes another one in this case.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from raidsim.cards import Card
from raidsim.fio.job_file import FileJob, Place, loads_of
from raidsim.result.draws import Experiment


@dataclass(frozen=True)
class Load:
    """A load that shows a value: what it is in words, and as options of fio."""

    words: str
    options: tuple[tuple[str, str], ...]

    @property
    def is_of_a_used_drive(self) -> bool:
        """Whether the drive is written full before, and then as much again at random."""
        return _PAST in self.options

    def table(self, capacity: int) -> dict[str, Any]:
        """Return the ``[[load]]`` of its job file, on a drive that holds so many bytes."""
        options = dict((*_DEVICE, *_MEASURED, *self.options))
        job = FileJob("measured", Place("", 0), options, {}, group=1)
        return loads_of([job], capacity=lambda _: capacity).tables[0]


def _load(words: str, rw: str, size: str, depth: int, *more: tuple[str, str]) -> Load:
    return Load(words, (("rw", rw), ("bs", size), ("iodepth", str(depth)), *more))


_PAST = ("ramp_time", "600")  # s: until garbage collection goes as fast as writes come
_STATE = ", after the drive was written full in sequence, and then as much again at random"
_SHORT = ("size", "1%")
_CACHED = ("size", "64m")  # which the cache holds after the first pass
_MANY = ("numjobs", "8")

# fmt: off
_LOADS: dict[str, Load] = {
    "reads at 1":        _load("random reads of 4 KiB, one at a time", "randread", "4k", 1),
    "reads at 32":       _load("random reads of 4 KiB, 32 outstanding", "randread", "4k", 32),
    "short reads at 1":  _load("random reads of 4 KiB in the first hundredth of the drive, one at a time", "randread", "4k", 1, _SHORT),
    "short writes at 1": _load("random writes of 4 KiB in the first hundredth of the drive, one at a time", "randwrite", "4k", 1, _SHORT),
    "reads at many":     _load("random reads of 4 KiB, 8 processes of 32 outstanding", "randread", "4k", 32, _MANY),
    "reads of 8 KiB":    _load("random reads of 8 KiB, 32 outstanding", "randread", "8k", 32),
    "writes at 1":       _load("random writes of 4 KiB, one at a time", "randwrite", "4k", 1),
    "writes at 32":      _load("random writes of 4 KiB, 32 outstanding", "randwrite", "4k", 32),
    "writes and flushes": _load("random writes of 4 KiB, one at a time, and a flush behind each", "randwrite", "4k", 1, ("fsync", "1")),
    "steady writes":     _load("random writes of 4 KiB, 32 outstanding" + _STATE, "randwrite", "4k", 32, _PAST),
    "steady mix":        _load("random I/Os of 4 KiB, 70 % reads, 32 outstanding" + _STATE, "randrw", "4k", 32, ("rwmixread", "70"), _PAST),
    "large reads":       _load("random reads of 128 KiB, 32 outstanding", "randread", "128k", 32),
    "large reads at 1":  _load("random reads of 128 KiB, one at a time", "randread", "128k", 1),
    "large writes at 1": _load("random writes of 128 KiB, one at a time", "randwrite", "128k", 1),
    "large writes":      _load("random writes of 128 KiB, 32 outstanding", "randwrite", "128k", 32),
    "stream of reads":   _load("sequential reads of 128 KiB, 8 outstanding", "read", "128k", 8),
    "slow stream":       _load("sequential reads of 4 KiB, one at a time", "read", "4k", 1),
    "inner stream":      _load("sequential reads of 128 KiB from the last tenth of the drive, 8 outstanding", "read", "128k", 8, ("offset", "90%")),
    "stream of writes":  _load("sequential writes of 128 KiB, 8 outstanding", "write", "128k", 8),
    "cached reads":      _load("random reads of 4 KiB in 64 MiB that the cache holds, 32 outstanding", "randread", "4k", 32, _CACHED),
    "cached reads at 1": _load("random reads of 4 KiB in 64 MiB that the cache holds, one at a time", "randread", "4k", 1, _CACHED),
    "cached stream":     _load("random reads of 64 KiB in 64 MiB that the cache holds, 32 outstanding", "randread", "64k", 32, _CACHED),
    "cached writes":     _load("random writes of 4 KiB in 64 MiB that the cache holds, 32 outstanding", "randwrite", "4k", 32, _CACHED),
}

_DEVICE = (
    ("filename", "/dev/DEVICE"),
    ("direct", "1"),
    ("ioengine", "libaio"),
)

_MEASURED = (
    ("time_based", "1"),
    ("runtime", "120"),
    ("norandommap", "1"),
    ("group_reporting", "1"),
)

# Garbage is collected only once as much as the drive holds was written at random behind a fill:
# fio writes as much as `size` says in each, and a section waits for the one before it.
_PREPARATION: dict[str, tuple[tuple[str, str], ...]] = {
    "fill": (("rw", "write"), ("bs", "128k"), ("iodepth", "32"), ("size", "100%")),
    "wear": (("rw", "randwrite"), ("bs", "4k"), ("iodepth", "32"), ("size", "100%"), ("norandommap", "1"), ("stonewall", "1")),
}

# By kind of card: beginnings of names, the first that fits counts.
_SHOWN_BY: dict[str, tuple[tuple[str, str], ...]] = {
    "hdd": (
        ("command.write_time", "writes at 1"),
        ("command.", "slow stream"),
        ("overhead.write", "writes at 1"),
        ("overhead.", "slow stream"),
        ("queue.", "reads at 32"),
        ("geometry.track_inner", "inner stream"),
        ("geometry.write_head_switch", "stream of writes"),
        ("geometry.", "stream of reads"),
        ("seek.write", "writes at 1"),
        ("write_cache.", "writes at 32"),
        ("read_ahead.", "slow stream"),
        ("access.", "large reads"),
        ("link.", "stream of reads"),
        ("", "reads at 1"),
    ),
    "ssd": (
        ("command.latency", "reads at 1"),
        ("front_end.write_time", "writes at 32"),
        ("front_end.move_time", "steady writes"),
        ("front_end.", "reads at many"),
        ("driver.read_time_per_byte", "large reads"),
        ("driver.write_time_per_byte", "large writes"),
        ("driver.write", "writes at 32"),
        ("driver.", "reads at many"),
        ("data_path.read", "large reads"),
        ("data_path.write", "large writes"),
        ("data_path.turnaround", "steady mix"),
        ("buffer.", "steady writes"),
        ("flash.read_time", "reads at 1"),
        ("flash.program_time", "steady writes"),
        ("flash.erase", "steady writes"),
        ("flash.spare", "steady writes"),
        ("mapping.programs", "writes and flushes"),
        ("mapping.changes", "steady writes"),
        ("flash.pages_per_block", "steady writes"),
        ("flash.channel_read", "large reads"),
        ("flash.channel_write", "stream of writes"),
        ("flash.dies", "reads at many"),
        ("flash.channels", "reads at many"),
        ("slc.", "stream of writes"),
        ("read_ahead.", "slow stream"),
        ("link.", "stream of reads"),
        ("", "reads at 32"),
    ),
    "controller": (
        ("command.write_time_per_byte", "stream of writes"),
        ("command.time_per_byte", "cached stream"),
        ("command.write_time", "cached writes"),
        ("command.device_io_time", "reads at many"),
        ("command.firmware_time", "writes at 32"),
        ("command.latency", "cached reads at 1"),
        ("command.", "cached reads"),
        ("cache.copy", "cached stream"),
        ("cache.destage", "writes at 32"),
        ("cache.read_ahead", "slow stream"),
        ("cache.", "cached reads"),
        ("parity.", "stream of writes"),
        ("mirror.", "stream of reads"),
        ("link.", "cached stream"),
        ("", "reads at many"),
    ),
    "host": (
        ("submit.write", "writes at 32"),
        ("complete.write", "writes at 32"),
        ("submit.page", "large reads"),
        ("complete.page", "large reads"),
        ("remote.write", "large writes"),
        ("remote.page", "large reads"),
        ("pcie.read", "large reads"),
        ("pcie.write", "large writes"),
        ("raid.parity", "stream of writes"),
        ("raid.q_", "stream of writes"),
        ("raid.stream_depth", "stream of reads"),
        ("raid.stripe", "stream of writes"),
        ("raid.serial", "stream of writes"),
        ("raid.", "writes at 32"),
        ("sleep.", "reads at 1"),
        ("submit.wake", "reads at 1"),
        ("governor.", "reads at 1"),
        ("", "reads at many"),
    ),
}
# fmt: on

_OF_A_PART = {
    "hdd": "one drive",
    "ssd": "one drive",
    "controller": "one volume of it",
    "host": "its fastest drive",
}


def experiment_for(
    card: Card, name: str, load: Load | None = None, rates: tuple[float, float] | None = None
) -> Experiment:
    """Return the measurement that shows a value of a card.

    Parameters
    ----------
    load
        What is measured; None is what the table says.
    rates
        Simulated I/Os a second with the value at the two ends of its drawn range.
    """
    load = load or load_for(card.kind, name)
    array = "raid." in name or name.startswith(("parity.", "mirror."))
    part = "an array of its drives" if array else _OF_A_PART[card.kind]
    words = f"measure {load.words}, on {part}"
    if rates is not None:
        least, most = (f"{float(f'{rate:.3g}'):,.0f}" for rate in sorted(rates))
        words += f": {least} to {most} IO/s by that value alone"
    return Experiment(card.name, name, words, job_file(card, name, load))


def loads_of_a_drive(kind: str) -> Iterator[Load]:
    """Yield the loads of one drive of a kind of card, the shortest measurements first."""
    found = [load for name, load in _LOADS.items() if not name.startswith("cached")]
    yield from (load for load in found if not load.is_of_a_used_drive)
    if kind == "ssd":
        yield from (load for load in found if load.is_of_a_used_drive)


def load_for(kind: str, name: str) -> Load:
    """Return the load that shows a value of a kind of card."""
    found = next(load for start, load in _SHOWN_BY[kind] if name.startswith(start))
    return _LOADS[found]


def drive_alone(card: Card, load: Load) -> dict[str, str]:
    """Return a drive as a ``[[volume]]`` that is what the measurement asks for."""
    found = {"drive": str(card.path)}
    if card.kind == "ssd":
        found["state"] = "steady" if load.is_of_a_used_drive else "filled"
    return found


def job_file(card: Card, name: str, load: Load) -> str:
    """Return a job file of fio that makes a measurement of a part."""
    writes = "write" in dict(load.options)["rw"] or dict(load.options)["rw"] == "randrw"
    prepared = load.is_of_a_used_drive
    words = [
        f"; Shows {name} of {card.name}: {load.words}.",
        "; Put the device in place of /dev/DEVICE.",
    ]
    if writes:
        words.append("; IT OVERWRITES WHAT IS ON THAT DEVICE.")
    if prepared:
        words.append("; The first two sections write the drive full, which may take hours;")
        words.append("; the last one measures.")
    elif not writes and card.kind == "ssd":
        words.append("; The drive must have been written full: elsewhere no flash is read.")
    options = [
        *([("stonewall", "1")] if prepared else []),
        *_DEVICE,
        *_MEASURED,
        *load.options,
    ]
    title = f"{card.name}-{name}".replace("_", "-")
    before = _PREPARATION if prepared else {}
    sections = [(name, (*_DEVICE, *own)) for name, own in before.items()]
    for heading, lines in [*sections, (title, options)]:
        words += [f"[{heading}]", *(f"{key}={value}" for key, value in lines)]
    return "\n".join(words) + "\n"
