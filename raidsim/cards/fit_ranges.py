# ruff: noqa: E501
"""The search range of a fit for each value, with a reason.

The bounds of the attributes exclude impossible values. These ranges are narrower: they contain what
parts of any maker and year are known to have. So a fit cannot meet a figure with a part that nobody
has built. A card of newer or older hardware gives its own range: ``range = [low, high]`` beside the
value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from raidsim import units
from raidsim.cards.attributes import KINDS


@dataclass(frozen=True)
class FitRange:
    """From where to where a fit looks for a value (texts with unit), and the reason."""

    low: str
    high: str
    why: str


# fmt: off
_HDD = {
    "command.time":               ("10 us", "300 us", "a command passes firmware on one core; manuals print up to 0.2 to 0.3 ms as controller overhead"),
    "command.write_time":         ("1 us", "300 us", "one more exchange on the link and its handling: a microsecond at least, no more than a command"),
    "queue.window":               ("1", "128", "1 is no sorting; SAS drives queue up to 128 commands"),
    "queue.choose_time":          ("0.05 ms", "1.5 ms", "manuals print up to 0.4 ms from a command to its seek; 0.46 ms as measured of a disk of 7,200 rpm"),
    "queue.ageing":               ("0.001", "10", "from what no run notices to first come, first served"),
    "geometry.track_outer":       ("256 KiB", "4096 KiB", "25 to 250 MB/s: disks of 2000 to 2020, times a revolution"),
    "geometry.track_inner":       ("128 KiB", "3072 KiB", "from half to three quarters of the outermost track"),
    "geometry.head_switch":       ("0.1 ms", "2 ms", "settling on the next track, as manuals print it"),
    "seek.read_single":           ("0.1 ms", "2 ms", "settling on the next track, as manuals print it"),
    "seek.read_average":          ("2 ms", "15 ms", "15k drives of 2.5 inch to 5400 rpm drives of 3.5 inch"),
    "seek.read_full":             ("4 ms", "30 ms", "twice the average, as manuals print it"),
    "seek.write_single":          ("0.1 ms", "3 ms", "as reading, and some more to settle"),
    "seek.write_average":         ("2 ms", "16 ms", "as reading, and up to 1 ms more to settle"),
    "seek.write_full":            ("4 ms", "31 ms", "as reading, and up to 1 ms more to settle"),
    "write_cache.entries":        ("1", "4096", "from none to sort to as many as the buffer holds of small writes; beyond some thousands an arm gains little"),
    "write_cache.aims":           ("2", "256", "from hardly any rotation to all that a processor can work out in a ms"),
    "write_cache.reads_first":    ("1 %", "100 %", "from hardly any to as many as the cache takes"),
}

_SSD = {
    "command.latency":            ("0.5 us", "200 us", "from one round trip on PCIe to frames and firmware of early SAS drives"),
    "driver.read_time":           ("0.1 us", "50 us", "a look-up in memory to a driver's map with locks and log on a slow core"),
    "driver.write_time":          ("0.1 us", "50 us", "a look-up in memory to a driver's map with locks and log on a slow core"),
    "driver.read_time_per_byte":  ("0.01 us/KiB", "2 us/KiB", "100 GB/s, out of cache, to a copy and a checksum at 500 MB/s"),
    "driver.write_time_per_byte": ("0.01 us/KiB", "2 us/KiB", "100 GB/s, out of cache, to a copy and a checksum at 500 MB/s"),
    "front_end.command_time":     ("0.2 us", "100 us", "5 million commands a second of hardware queues to 10,000 of firmware on one core"),
    "front_end.read_time":        ("0.01 us", "50 us", "a look into the map and a command to the flash: from hardware beside the commands to firmware on one core"),
    "front_end.write_time":       ("0.1 us", "100 us", "updating the map, from a few lines of memory to journaling it"),
    "front_end.move_time":        ("0.01 us", "100 us", "choosing a unit to be moved and updating the map: from hardware to firmware on one core"),
    "data_path.read_time_per_byte":  ("0.02 us/KiB", "5 us/KiB", "50 GB/s, memory inside the controller, to 200 MB/s, the first SATA drives"),
    "data_path.write_time_per_byte": ("0.02 us/KiB", "5 us/KiB", "50 GB/s, memory inside the controller, to 200 MB/s, the first SATA drives"),
    "data_path.turnaround":       ("0.1 us", "100 us", "from turning a bus around to firmware that changes between its reads and its writes"),
    "flash.read_time":            ("20 us", "120 us", "SLC 25 us; MLC 40 to 75 us, and what repeated reads add on average"),
    "flash.program_time":         ("0.2 ms", "3 ms", "SLC 0.2 ms to three bits a cell 3 ms"),
    "flash.channel_read_time_per_byte":  ("0.27 us/KiB", "30 us/KiB", "ONFI: 3600 MT/s down to 33 MB/s of asynchronous flash"),
    "flash.channel_write_time_per_byte": ("0.27 us/KiB", "30 us/KiB", "ONFI: 3600 MT/s down to 33 MB/s of asynchronous flash"),
    "flash.spare":                ("3 %", "100 %", "what bad blocks leave of the 7 % between GiB and GB, to as much flash in spare as in use"),
    "flash.suspend_time":         ("5 us", "100 us", "from a step of the program to the end of a pulse"),
    "flash.resume_time":          ("5 us", "100 us", "setting voltages up again"),
    "slc.program_time":           ("0.05 ms", "0.6 ms", "one bit a cell: 0.1 to 0.3 ms, half of that in the fastest kinds, and what several planes take more"),
    "read_ahead.depth":           ("4 KiB", "8 MiB", "a page to as much as a stream needs on the fastest link"),
}

_HOST = {
    "submit.io_time":             ("0.5 us", "20 us", "a polled user-space driver to an interrupt-driven stack with filters on a slow core"),
    "submit.device_io_time":      ("0.1 us", "10 us", "a driver's share of the submission"),
    "submit.page_time":           ("0.01 us", "1 us", "mapping a page: a cache line to a copy of 4 KiB"),
    "submit.wake_time":           ("0.5 us", "15 us", "a switch of threads to the exit of a light sleep state"),
    "submit.write_time":          ("0.1 us", "10 us", "less than an I/O of its own"),
    "complete.io_time":           ("0.3 us", "20 us", "a cache line to an interrupt, a deferred call and a wake-up"),
    "complete.device_io_time":    ("0.1 us", "10 us", "a driver's share of the completion"),
    "complete.page_time":         ("0.01 us", "1 us", "unmapping a page"),
    "complete.write_time":        ("0.1 us", "10 us", "less than an I/O of its own"),
    "remote.io_time":             ("0.1 us", "10 us", "one to some fifty cache lines from another socket, 0.1 to 0.2 us each"),
    "remote.page_time":           ("0.1 us", "10 us", "one to some fifty cache lines from another socket, 0.1 to 0.2 us each"),
    "remote.write_time":         ("0.1 us", "20 us", "what a write takes more there: up to a hundred cache lines from another socket"),
    "remote.write_time_per_byte": ("0.05 us/KiB", "5 us/KiB", "20 GB/s, a link between sockets, to 200 MB/s, fetches one at a time"),
    "pcie.read_time_per_byte":    ("0.06 us/KiB", "5 us/KiB", "16 GB/s of PCIe 3.0 x16 to 200 MB/s of PCIe 1.0 x1"),
    "pcie.write_time_per_byte":   ("0.06 us/KiB", "5 us/KiB", "16 GB/s of PCIe 3.0 x16 to 200 MB/s of PCIe 1.0 x1"),
    "raid.io_time":               ("0.1 us", "20 us", "less than two I/Os of its own"),
    "raid.device_io_time":        ("0.1 us", "20 us", "less than two I/Os of its own"),
    "raid.mirror_write_time":     ("0.1 us", "5 us", "one more request cloned, and its place in the log of what is being written"),
    "raid.stripe_time":           ("0.3 us", "30 us", "some cache misses under a lock to a few passes of a state machine on a slow core"),
    "raid.stripe_io_time":        ("0.2 us", "10 us", "the page's request and its state, and a copy of the page"),
    "raid.stripe_copy_time":      ("0.1 us", "2 us", "4 KiB copied: 40 GB/s in cache to 2 GB/s on a slow core"),
    "raid.copy_io_time":          ("1 us", "40 us", "submission and completion of a command, and sixteen pages for it"),
    "raid.compare_time_per_byte": ("0.05 us/KiB", "2 us/KiB", "two buffers read: 20 GB/s in cache to 500 MB/s on a slow core"),
    "raid.serial_time":           ("0.1 us", "20 us", "a list and a lock that no other core has, to dozens of cores that spin for it"),
    "raid.parity_time_per_byte":  ("0.02 us/KiB", "2 us/KiB", "exclusive or: 50 GB/s with AVX out of cache to 500 MB/s on a slow core"),
    "raid.q_time_per_byte":       ("0.02 us/KiB", "4 us/KiB", "Galois field: 50 GB/s with AVX to 250 MB/s by tables"),
}

_CONTROLLER = {
    "command.time":               ("0.5 us", "1000 us", "a host bus adapter's fast path to a storage processor that serves 64 KiB by iSCSI"),
    "command.write_time":         ("0.5 us", "1000 us", "as a command: receiving data, and a copy to a partner"),
    "command.time_per_byte":      ("0.05 us/KiB", "20 us/KiB", "20 GB/s, one pass of a modern core, to 50 MB/s: check sums and packets on an old one"),
    "command.write_time_per_byte": ("0.05 us/KiB", "20 us/KiB", "the same: one to a few copies"),
    "command.device_io_time":     ("0.5 us", "100 us", "5 million commands a second to 10,000 of an early chip's firmware"),
    "command.latency":            ("1 us", "200 us", "one round trip on PCIe to a network's switch and interrupts"),
    "parity.time_per_byte":       ("0.05 us/KiB", "5 us/KiB", "20 GB/s to 200 MB/s: memory of the controllers of 2003 to 2020"),
    "parity.q_time_per_byte":     ("0.05 us/KiB", "5 us/KiB", "20 GB/s to 200 MB/s: memory of the controllers of 2003 to 2020"),
    "cache.lookup_time":          ("0.1 us", "50 us", "a look into a hash table up to as long as a command takes"),
    "cache.line_time":            ("0.1 us", "50 us", "as a look into the table, and a lock and a list for each line"),
    "cache.dirty_time":           ("0.1 us", "100 us", "from an entry in a list on a fast core to several passes of firmware on a slow one"),
    "cache.copy_time_per_byte":   ("0.05 us/KiB", "5 us/KiB", "20 GB/s to 200 MB/s: memory of the controllers of 2003 to 2020"),
    "cache.keep_time_per_byte":   ("0.05 us/KiB", "7 us/KiB", "20 GB/s, an engine for copies, to 150 MB/s, a slow core that copies word by word"),
    "mirror.write_time":          ("0.5 us", "300 us", "a second entry in a queue of hardware to firmware of an early chip that builds and follows each command"),
}
# fmt: on

FIT_RANGES: dict[str, dict[str, FitRange]] = {
    kind: {name: FitRange(*row) for name, row in rows.items()}
    for kind, rows in (("hdd", _HDD), ("ssd", _SSD), ("controller", _CONTROLLER), ("host", _HOST))
}
"""By kind of card and name of the attribute."""


@cache
def fit_range(kind: str, name: str) -> tuple[float, float] | None:
    """Return the range of a value in a fit (low, high), base units; None if the table has none."""
    found = FIT_RANGES[kind].get(name)
    if found is None:
        return None
    dimension = KINDS[kind].by_name[name].dimension
    return units.parse(found.low, dimension), units.parse(found.high, dimension)
