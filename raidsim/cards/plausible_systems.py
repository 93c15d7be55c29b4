# ruff: noqa: E501
"""Plausible values of hosts and controllers, by class: columns as in ``plausible_drives.py``."""

from __future__ import annotations

from raidsim.cards.plausible_drives import Row

# fmt: off
HOST: tuple[Row, ...] = (
    ("cpu.work_per_clock",   "any",     "x0.9",   "x1.1",   "", "work per clock of one generation of cores differs by a tenth between kinds of code"),
    ("cpu.idle_clock",       "any",     "x0.75",  "x1.3",   "", "lowest clock rates of server processors of one generation: 0.8 to 1.6 GHz"),
    ("governor.target",      "any",     "x0.85",  "x1.1",   "", "governors of operating systems aim at 75 to 95 % of utilisation"),
    ("governor.interval",    "any",     "x0.33",  "x3",     "", "governors look every 10 to 100 ms"),
    ("sleep.after",          "any",     "x0.4",   "x2.5",   "sleep", "governors choose a sleep state whose residence time the last pauses exceeded: 20 us to some hundred us"),
    ("sleep.wake_time",      "any",     "x0.5",   "x2.5",   "sleep", "deep states of server cores wake in 80 to 170 us at worst, as Linux's driver lists them by generation, less on average; a whole package in up to 250 us"),
    ("submit.io_time",       "any",     "x0.6",   "x1.6",   "cpu", "a kernel's path of one I/O is 1 to 5 us on a server core of some GHz, by version, driver and mitigations"),
    ("submit.device_io_time", "any",    "x0.5",   "x2",     "cpu", "a driver's share of an I/O, by driver and version"),
    ("submit.page_time",     "any",     "x0.4",   "x2.5",   "cpu pages", "pinning and mapping a page: a cache line to some misses, by version and remapping unit"),
    ("submit.write_time",    "any",     "x0.5",   "x2",     "cpu", "what a write takes more than a read, which file system and driver decide"),
    ("complete.io_time",     "any",     "x0.6",   "x1.6",   "cpu", "interrupt, deferred call and wake-up are 1 to 5 us on a server core of some GHz, by version and driver"),
    ("complete.device_io_time", "any",  "x0.5",   "x2",     "cpu", "a driver's share of a completion, by driver and version"),
    ("complete.page_time",   "any",     "x0.4",   "x2.5",   "cpu pages", "unpinning and unmapping a page: a cache line to some misses"),
    ("complete.write_time",  "any",     "x0.5",   "x2",     "cpu", "what a write takes more than a read, which file system and driver decide"),
    ("remote.io_time",       "any",     "x0.5",   "x2",     "remote", "some to some tens of cache lines from another socket, 0.1 to 0.2 us each"),
    ("remote.page_time",     "any",     "x0.5",   "x2",     "remote", "one to some cache lines from another socket for each page, 0.1 to 0.2 us each"),
    ("remote.write_time",    "any",     "x0.5",   "x2",     "remote", "some tens of cache lines from another socket, 0.1 to 0.2 us each"),
    ("remote.write_time_per_byte", "any", "x0.7", "x1.4",   "remote", "fetches over the link between sockets: how many are under way at a time differs by platform"),
    ("pcie.read_time_per_byte",  "any", "x0.85",  "x1.2",   "pcie", "packets of 128 or 256 bytes and the credits of a platform leave 75 to 92 % of the line rate"),
    ("pcie.write_time_per_byte", "any", "x0.85",  "x1.2",   "pcie", "fetches of 128 to 512 bytes and how many a platform has under way"),
    ("raid.io_time",         "any",     "x0.4",   "x2.5",   "raid", "a pass through a driver of software RAID, by version: a fraction of an I/O to an I/O"),
    ("raid.device_io_time",  "any",     "x0.5",   "x2",     "raid", "one more request through the block layer: a fraction of an I/O to an I/O"),
    ("raid.stripe_time",     "any",     "x0.5",   "x2",     "raid", "a state machine over the members of a stripe: some cache misses under locks, by version and number of members"),
    ("raid.stripe_io_time",  "any",     "x0.5",   "x2",     "raid", "a member's share of submission and completion, and a copy of its page"),
    ("raid.serial_time",     "any",     "x0.5",   "x2",     "raid", "list and lock of one array: a few cache lines that move between cores"),
    ("raid.parity_time_per_byte", "any", "x0.6",  "x1.7",   "parity", "exclusive or in cache or out of it, with the vectors of a generation: a factor of three between"),
    ("raid.q_time_per_byte", "any",     "x0.6",   "x1.7",   "parity", "Galois field in cache or out of it, with the vectors of a generation: a factor of three between"),
    ("raid.stream_depth",    "any",     "x0.5",   "x2",     "", "how far a driver lets one copy serve a stream alone: not printed, a few commands"),
    ("rebuild.rate",         "any",     "x0.6",   "x1.5",   "", "what the driver's limits come to while hosts work: a share that differs by version and load"),
    ("rebuild.size",         "any",     "x0.5",   "x2",     "", "background work goes in units of 64 to 512 KiB of each drive"),
    ("rebuild.depth",        "any",     "x0.5",   "x2",     "", "a few units of background work side by side: a limit inside of the driver"),
    ("power.idle",           "any",     "x0.8",   "x1.25",  "power", "servers of one class by number of fans, memory and supplies"),
    ("power.active",         "any",     "x0.8",   "x1.25",  "power", "servers of one class by number of fans, memory and supplies"),
)

CONTROLLER: tuple[Row, ...] = (
    ("drives.queue_depth",   "any",     "16",     "256",    "", "drivers and firmware keep 16 to 32 commands on a SATA drive, 32 to 256 on a SAS drive"),
    ("command.time",         "any",     "x0.5",   "x2",     "firmware", "firmware or hardware queues of one generation: rates that makers print are their best, of loads not printed"),
    ("command.write_time",   "any",     "x0.6",   "x1.6",   "firmware", "receiving data and copying it to a partner: one or two passes of firmware"),
    ("command.device_io_time", "any",   "x0.5",   "x2",     "firmware", "firmware or hardware queues of one generation: rates that makers print are their best, of loads not printed"),
    ("command.firmware_time", "any",    "x0.6",   "x1.6",   "firmware", "what a command costs that does not go straight through hardware: some thousand cycles of an embedded core"),
    ("command.latency",      "any",     "x0.5",   "x2",     "", "trips over PCI Express or a network, interrupts that may be held back, and firmware on the way"),
    ("parity.time_per_byte", "any",     "x0.6",   "x1.7",   "memory", "memory of the controller's generation: half to nine tenths of its peak, and one to three passes"),
    ("parity.q_time_per_byte", "any",   "x0.6",   "x1.7",   "memory", "memory of the controller's generation: half to nine tenths of its peak, and one to three passes"),
    ("mirror.stream_depth",  "any",     "x0.5",   "x2",     "", "how far firmware lets one copy serve a stream alone: not printed, a few commands"),
    ("cache.size",           "any",     "x0.5",   "x2",     "", "memory comes in powers of two: half to twice of a card of the same class"),
    ("cache.lookup_time",    "before 2010", "1 us", "100 us", "firmware", "a hash table searched by firmware of an embedded core of 0.2 to 0.8 GHz: some hundred to some ten thousand cycles with its locks"),
    ("cache.lookup_time",    "before 2018", "0.3 us", "20 us", "firmware", "a hash table searched by firmware of embedded cores of 0.8 to 1.2 GHz: some hundred to some thousand cycles"),
    ("cache.lookup_time",    "any",     "0.05 us", "3 us",  "firmware", "a hash table searched by hardware or by cores of more than 1 GHz"),
    ("cache.copy_time_per_byte", "any", "x0.6",   "x1.7",   "memory", "memory of the controller's generation: half to nine tenths of its peak, and one or two passes"),
    ("cache.low_mark",       "any",     "x0.5",   "x2",     "", "firmware begins to destage between a few and some tens of per cent of dirty lines"),
    ("cache.high_mark",      "any",     "x0.75",  "x1.15",  "", "firmware lets writes wait from 60 to 90 % of dirty lines on"),
    ("cache.flush_time",     "any",     "x0.5",   "x2.5",   "", "default intervals of flushing are 2 to 10 s"),
    ("cache.destage_depth",  "any",     "x0.5",   "x3",     "", "how many commands firmware destages with on each drive is not printed: a few to what the drive sorts"),
    ("cache.destage_size",   "any",     "x0.25",  "x2",     "", "a strip to a stripe, or what one command may carry"),
    ("cache.read_ahead",     "any",     "x0.5",   "x2",     "", "one strip to a stripe ahead of a stream"),
    ("rebuild.rate",         "any",     "x0.8",   "x1.3",   "", "the share is a setting of 30 % as delivered by most makers; how closely firmware keeps it is not printed"),
    ("rebuild.size",         "any",     "x0.25",  "x4",     "", "background work goes in strips, 64 KiB to 1 MiB of each drive"),
    ("rebuild.depth",        "any",     "x0.5",   "x2",     "", "a few units of background work side by side: a limit inside of firmware"),
    ("power.active",         "any",     "x0.8",   "x1.25",  "", "cards of one class by memory and load"),
)

FIXED: dict[str, str] = {
    "cpu.clock": "the clock rate at which the times hold",
    "cpu.cores": "structure: what the processor has",
    "cpu.nodes": "structure: what the processor has and firmware is set to",
    "interrupts.cores": "structure: how the operating system is set up",
    "page.size": "a setting of the operating system",
    "raid.threads": "a setting of the driver",
    "link.lanes": "structure: what the card's connector has",
    "ports.lanes": "structure: what the card's connectors have",
    "drives.max": "a limit of the firmware, which nothing reaches by chance",
    "drives.of_volume": "a limit of the firmware, which nothing reaches by chance",
    "drives.pcie_lanes": "structure: cables and backplane",
    "drives.pcie_max": "a limit of the firmware, which nothing reaches by chance",
    "strip.smallest": "a limit of what may be set",
    "strip.largest": "a limit of what may be set",
    "command.cores": "a rate knows only the cores over the time of each, which has the range",
    "price.each": "a matter of the day, which a user sets",
}
"""Numbers that are never drawn, and why."""
# fmt: on
