# ruff: noqa: E501
"""Plausible values of hard disks and solid state drives, by class of hardware.

Columns: name of the value, class (see :data:`raidsim.cards.plausible.CLASSES`), low, high, what it
moves together with (or nothing), and why. ``x0.8`` is 0.8 times what the card says; anything else
is a quantity. The first row whose class holds counts; of a value of 0 the first that begins at 0.

An interval is the middle 95 % of what drives of that class are known to have: what sheets and
manuals of several makers print, or what the physics of the class leaves. It is not wider because
a figure was missed, and says nothing of one model.
"""

from __future__ import annotations

Row = tuple[str, str, str, str, str, str]

# fmt: off
BOTH: tuple[Row, ...] = (
    ("link.time_per_byte",   "packets", "x0.95", "x1.08", "", "the line rate is fixed by the generation; packets of 128 to 512 bytes with 20 to 28 bytes of header and flow control leave 83 to 94 % of it"),
    ("link.time_per_byte",   "any",     "x0.97", "x1.05", "", "the line rate is fixed by the generation; headers, check sums and primitives take 2 to 8 % of a frame"),
    ("power.idle",           "any",     "x0.85", "x1.2",  "power", "sheets print typical values at nominal voltage; samples and firmware differ by 10 to 20 %"),
    ("power.active",         "any",     "x0.85", "x1.2",  "power", "sheets print one load at nominal voltage; other loads and samples differ by 10 to 20 %"),
)

HDD: tuple[Row, ...] = (
    *BOTH,
    ("command.latency",      "sata",    "10 us",  "60 us",  "", "frames of command, data and status at 1.5 to 6 Gbit/s, the adapter's chip and its driver's interrupt"),
    ("command.latency",      "sas",     "8 us",   "40 us",  "", "opening a connection, three frames at 3 to 12 Gbit/s, and an expander of some us on the way"),
    ("command.latency",      "any",     "0 us",   "150 us", "", "arbitration, selection and messages of a parallel bus take tens of us; some measurements count them into the drive's overhead"),
    ("command.time",         "any",     "30 us",  "300 us", "command", "manuals print 0.1 to 0.3 ms of controller overhead with the exchange on the link; firmware on one embedded core"),
    ("command.write_time",   "any",     "0 us",   "40 us",  "command", "one more exchange with the host, which asks for the data: a few us on the link, some more of firmware"),
    ("recovery.time",        "any",     "2000 ms", "20000 ms", "", "time limits of error recovery: 7 s is usual of drives for arrays, 2 to 20 s are set by makers of systems"),
    ("queue.window",         "sata before 2010", "2", "32", "", "firmware of the first SATA drives that queue sorted few commands on a slow core, for desktops that seldom have more"),
    ("queue.window",         "any",     "8",      "128",    "", "queues hold 32 (SATA) to 128 (SAS); latencies of more than a second at 64 outstanding show that a drive sorts all that it has"),
    ("queue.choose_time",    "fast",    "0.1 ms", "0.5 ms", "", "manuals print up to 0.4 ms from a command to its seek (Ultrastar 146Z10, 4.5.1)"),
    ("queue.choose_time",    "7k",      "0.3 ms", "1 ms",   "", "manuals print up to 0.4 ms from a command to its seek (Ultrastar 146Z10, 4.5.1); 0.65 ms as measured at 7,200 rpm"),
    ("queue.choose_time",    "any",     "0 ms",   "0.1 ms", "", "a card whose window was fitted has what it takes in that"),
    ("queue.passes",         "any",     "3",      "100",    "", "firmware lets no command starve; when it steps in is not printed. Less than three times would cost deep queues a part of their rate"),
    ("queue.ageing",         "any",     "0",      "0.05",   "", "firmware lets no command starve; how much it favours old ones is not printed, and little enough that rates still grow with the queue"),
    ("spindle.tolerance",    "any",     "0.02 %", "0.5 %",  "", "manuals print 0.1 to 0.5 % as the greatest deviation of the speed; servo loops hold it closer"),
    ("spindle.start_time",   "any",     "8 s",    "30 s",   "", "manuals print 10 to 20 s typical and up to 30 s at most from power-on to ready"),
    ("geometry.heads",       "any",     "x0.75",  "x1.34",  "", "the areal density of a year and the capacity give the number of surfaces to a platter more or less"),
    ("geometry.track_outer", "any",     "x0.9",   "x1.1",   "track", "sustained rates of drives of one year, diameter and speed differ by 10 %, as recording densities do"),
    ("geometry.track_inner", "any",     "x0.85",  "x1.18",  "track", "the innermost track holds 45 to 60 % of the outermost, as the radii are; firmware gives up more or less of it"),
    ("geometry.head_switch", "fast",    "0.15 ms", "0.8 ms", "settle", "settling on the next track takes a tenth to a fifth of a revolution of 10k and 15k drives, as manuals print"),
    ("geometry.head_switch", "any",     "0.3 ms", "1.5 ms", "settle", "manuals of 7.2k drives print 0.4 to 1.2 ms for the next head or track"),
    ("geometry.write_head_switch", "fast", "0.2 ms", "1.2 ms", "settle", "settling before a write takes 0.1 to 0.3 ms longer than before a read"),
    ("geometry.write_head_switch", "any", "0.3 ms", "2.5 ms", "settle", "settling before a write takes 0.1 to 1 ms longer than before a read"),
    ("seek.read_single",     "fast",    "0.15 ms", "0.6 ms", "settle", "manuals of 10k and 15k drives print 0.2 to 0.5 ms from track to track"),
    ("seek.read_single",     "sas",     "0.2 ms", "1.2 ms", "settle", "manuals of near-line drives print 0.2 to 1.2 ms from track to track"),
    ("seek.read_single",     "any",     "0.2 ms", "2.2 ms", "settle", "manuals of near-line drives print 0.2 to 1.2 ms from track to track, those of desktop drives up to 2 ms"),
    ("seek.write_single",    "fast",    "0.2 ms", "0.8 ms", "settle", "manuals of 10k and 15k drives print 0.3 to 0.7 ms from track to track before a write"),
    ("seek.write_single",    "sas",     "0.25 ms", "1.5 ms", "settle", "as reading, and 0.1 to 0.3 ms more to settle"),
    ("seek.write_single",    "any",     "0.25 ms", "2.6 ms", "settle", "as reading, and 0.1 to 0.4 ms more to settle"),
    ("seek.read_average",    "15k",     "2.6 ms", "4.0 ms", "seek", "manuals of 15k drives print 2.7 to 2.9 ms (2.5 inch) and 3.3 to 3.8 ms (3.5 inch)"),
    ("seek.read_average",    "10k",     "3.3 ms", "5.2 ms", "seek", "manuals of 10k drives print 3.4 to 4.2 ms (2.5 inch) and 4.5 to 5 ms (3.5 inch)"),
    ("seek.read_average",    "7k",      "7.4 ms", "9.6 ms", "seek", "manuals of 7.2k drives of 3.5 inch print 7.6 to 9.5 ms"),
    ("seek.read_average",    "any",     "8.5 ms", "15 ms",  "seek", "5.4k to 5.9k drives are built for power, not for seeks: 9 to 14 ms are printed or measured"),
    ("seek.write_average",   "15k",     "2.9 ms", "4.6 ms", "seek", "as reading, and 0.3 to 0.6 ms more to settle"),
    ("seek.write_average",   "10k",     "3.6 ms", "5.8 ms", "seek", "as reading, and 0.3 to 0.6 ms more to settle"),
    ("seek.write_average",   "7k",      "7.5 ms", "11 ms",  "seek", "manuals print as reading, up to 1 ms more to settle, and 2 ms of desktop drives"),
    ("seek.write_average",   "any",     "9 ms",   "16 ms",  "seek", "as reading, and 0.3 to 1.5 ms more to settle"),
    ("seek.read_full",       "any",     "x0.8",   "x1.1",   "seek", "manuals that print both have 1.7 to 2.4 times the average seek for the full stroke"),
    ("seek.write_full",      "any",     "x0.8",   "x1.1",   "seek", "manuals that print both have 1.7 to 2.4 times the average seek for the full stroke"),
    ("read_ahead.depth",     "any",     "x0.5",   "x1",     "", "cards give streams all of the buffer that writes leave; firmware keeps up to half of it for itself or cuts it into more segments"),
    ("read_ahead.minimum",   "any",     "x0.5",   "x2",     "", "firmware reads on to the end of a track or of a segment: from a few hundred KiB to some tracks"),
    ("read_ahead.segment",   "any",     "x0.5",   "x1",     "", "a share of the buffer, of which firmware keeps up to half for itself or cuts it into more segments"),
    ("write_cache.size",     "any",     "x0.5",   "x1",     "", "what firmware leaves for reading ahead and for itself is not printed: a quarter to all of the buffer is for writes"),
    ("write_cache.entries",  "before 2010", "4",  "64",     "", "tables of cached writes of drives with 8 to 16 MiB: as many as their segments, 8 to 64; tagged queues tell no more"),
    ("write_cache.entries",  "since 2016", "512", "4096",  "", "drives with 256 MiB and more: sheets and tests have 384 to 550 random writes a second, which takes so many to choose from"),
    ("write_cache.entries",  "any",     "8",      "256",    "", "drives with 64 to 256 MiB hold hundreds of small writes, of which firmware sorts some tens at a time"),
    ("write_cache.aims",     "any",     "8",      "64",     "", "a processor of the drive works out one angle in some us to tens of us, and has less than a ms to choose"),
    ("write_cache.reads_first", "any",  "10 %",   "90 %",   "", "firmware leaves room for bursts of writes, and empties the cache no further than it has to: water marks are not printed"),
    ("write_cache.protected_size", "any", "x0.5", "x1.5",   "", "what a capacitor's or the spindle's energy brings to flash or to a reserved track, printed of few drives"),
    ("smr.band",             "any",     "x0.5",   "x2",     "", "bands of 15 to 64 MiB were measured of drive-managed disks: fewer guard tracks against longer rewrites"),
    ("smr.media_cache",      "any",     "x0.5",   "x2",     "", "media caches of 0.2 to 0.6 % of the capacity were measured of drive-managed disks"),
    ("smr.records",          "any",     "x0.5",   "x2",     "", "maps of some hundred thousand extents were measured, bounded by the drive's memory"),
    ("smr.idle_after",       "any",     "x0.3",   "x5",     "", "cleaning was seen to begin between a fraction of a second and some seconds after the last command"),
    ("overhead.read_completion", "any", "x0.8",   "x1.25",  "command", "extracted from times of single requests, a few of which tell each of these times"),
    ("reliability.afr",      "any",     "0.3 %",  "4 %",    "", "field studies of many thousand disks found 0.3 to 4 % a year by model, mostly 1 to 2 %, where sheets print 0.4 to 1.1 %"),
    ("reliability.uber",     "any",     "x0.02",  "x3",     "", "sheets print a bound for a class; read errors in the field come mostly of few drives, and of most drives far fewer than the bound"),
    *((f"overhead.{op}_{hit}_after_{before}", "any", "x0.8", "x1.25", "command", "extracted from times of single requests, a few of which tell each of these times") for op in ("read", "write") for hit in ("hit", "miss") for before in ("read", "write")),
)

SSD: tuple[Row, ...] = (
    *BOTH,
    ("command.latency",      "nvme",    "1.5 us", "20 us",  "", "a doorbell, a fetch of the command and a completion over PCI Express, of about 1 us each, and firmware; sheets print 10 to 25 us for a buffered write in all"),
    ("command.latency",      "pcie",    "1.5 us", "60 us",  "", "a driver's own protocol over PCI Express: some round trips of 1 us each, and an interrupt that may be held back"),
    ("command.latency",      "any",     "8 us",   "100 us", "", "frames both ways, an adapter's firmware between, and the drive's; sheets of SATA and SAS drives print 30 to 60 us for a buffered write in all"),
    ("recovery.time",        "any",     "10 ms",  "1000 ms", "", "rereads with shifted thresholds take 0.1 to 1 ms each; firmware tries dozens, then parity across dies"),
    ("front_end.command_time", "any",   "x0.6",   "x1.6",   "front end", "controllers of one generation and interface print rates of random reads within a factor of 2.5"),
    ("front_end.write_time", "any",     "x0.5",   "x2",     "front end", "updating the map and its journal: controllers of one generation and interface print rates of random writes within a factor of four"),
    ("front_end.move_time", "any",      "x0.5",   "x2",     "front end", "choosing and mapping a unit: controllers of one generation and interface print rates of random writes within a factor of four"),
    ("front_end.write_time", "nvme",    "0 us",   "5 us",   "front end", "updating the map of a controller that takes 0.2 to 1 million commands a second: none where hardware does it, to a few us of firmware"),
    ("front_end.write_time", "any",     "0 us",   "30 us",  "front end", "updating the map and its journal by firmware on slow cores: none to a few tens of us"),
    ("driver.read_time",     "any",     "x0.6",   "x1.6",   "driver", "a driver's look-up, locks and log: some hundred to some thousand cycles that differ by version and compiler"),
    ("driver.write_time",    "any",     "x0.6",   "x1.6",   "driver", "a driver's look-up, locks and log: some hundred to some thousand cycles that differ by version and compiler"),
    ("driver.read_time_per_byte",  "any", "x0.6", "x1.6",   "driver", "a copy or a check sum at the speed of a core's memory"),
    ("driver.write_time_per_byte", "any", "x0.6", "x1.6",   "driver", "a copy or a check sum at the speed of a core's memory"),
    ("data_path.read_time_per_byte",  "any", "x0.75", "x1.35", "data path", "the memory and engines of a controller: drives of one generation print sequential rates within a factor of 1.8"),
    ("data_path.write_time_per_byte", "any", "x0.75", "x1.35", "data path", "the memory and engines of a controller: drives of one generation print sequential rates within a factor of 1.8"),
    ("data_path.turnaround", "any",     "x0.4",   "x2",     "", "firmware that changes between reads and writes: from turning a bus around to emptying a pipeline"),
    ("buffer.size",          "any",     "x0.25",  "x4",     "", "what capacitors can bring to flash, 4 to 64 MiB; it is not printed, and decides bursts only"),
    ("flash.pages_per_block", "any",    "x0.5",   "x2",     "", "blocks of one kind of flash have half to twice as many pages by maker and number of layers"),
    ("flash.read_time",      "any",     "x0.75",  "x1.35",  "flash", "one kind of cell: MLC 40 to 80 us, TLC 50 to 100 us, QLC 80 to 160 us, by maker and node"),
    ("flash.read_spread",    "any",     "0 %",    "90 %",   "flash", "a page is compared with 1 to 8 voltages by the bit that it holds: of none to most of the time of a read it depends how many"),
    ("flash.read_retries",   "any",     "0 %",    "5 %",    "", "pages of worn or warm flash are read again: none in a thousand of new flash to a few in a hundred"),
    ("flash.suspend_time",   "any",     "x0.4",   "x2.5",   "suspend", "a program reaches a point where it may stop within 5 to 100 us, by maker and kind of cell"),
    ("flash.resume_time",    "any",     "x0.4",   "x2.5",   "suspend", "voltages are set up once more: a few to some tens of us"),
    ("flash.suspensions",    "any",     "1",      "32",     "", "firmware bounds how often a program gives way, so that it comes to an end: a few times to some tens"),
    ("flash.program_time",   "any",     "x0.6",   "x1.6",   "flash", "one kind of cell: MLC 0.6 to 2.5 ms, TLC 0.6 to 2 ms for a group of planes, by maker, node and wear"),
    ("flash.erase_time",     "any",     "x0.6",   "x2",     "", "parts of one kind print 3 to 10 ms typical, and 15 ms when worn"),
    ("flash.channel_read_time_per_byte",  "any", "x0.7", "x1.45", "channel", "flash interfaces come in steps of 1.2 to 1.5 (400, 533, 667, 800, 1200 MT/s); which one a drive runs is not printed"),
    ("flash.channel_write_time_per_byte", "any", "x0.7", "x1.45", "channel", "flash interfaces come in steps of 1.2 to 1.5 (400, 533, 667, 800, 1200 MT/s); which one a drive runs is not printed"),
    ("flash.spare",          "any",     "x0.75",  "x1.25",  "", "raw flash comes in whole dies, of which bad blocks, parity across dies and tables take 2 to 10 % of the capacity"),
    ("slc.size",             "any",     "x0.7",   "x1.4",   "", "how many blocks firmware keeps in the fast mode: a few to some tens of GB, by model"),
    ("slc.dynamic_size",     "any",     "x0.7",   "x1.4",   "", "what free blocks give to the fast mode: firmware keeps some in reserve"),
    ("slc.read_time",        "any",     "x0.7",   "x1.5",   "flash", "one bit a cell: 20 to 30 us, 3 to 5 us in the fastest kinds"),
    ("slc.program_time",     "any",     "x0.6",   "x1.6",   "flash", "one bit a cell: 0.1 to 0.3 ms, by maker and number of planes"),
    ("slc.idle_after",       "any",     "x0.2",   "x5",     "", "a fraction of a second to some seconds, as fills after pauses of different lengths show of client drives"),
    ("read_ahead.depth",     "any",     "x0.5",   "x2",     "", "whole program units, a stripe over the channels, or what a stream needs: firmware does not tell"),
    ("read_ahead.streams",   "any",     "x0.5",   "x4",     "", "streams that firmware follows: a handful, as a table in its memory"),
    ("read_ahead.threshold", "any",     "x0.999", "x2",     "", "contiguous commands until a stream counts as one: two at least, three or four of careful firmware"),
    ("power.read_energy",    "any",     "x0.6",   "x1.6",   "energy", "sensing and transfer of a byte, of which a drive's power under reads less its idle power tells the order"),
    ("power.write_energy",   "any",     "x0.6",   "x1.6",   "energy", "programming a byte, of which a drive's power under writes less its idle power tells the order"),
    ("heat.inner_capacity",  "any",     "x0.6",   "x1.6",   "heat", "mass of chips and board times about 0.8 J/gK; the share that warms quickly is not known"),
    ("heat.inner_resistance", "any",    "x0.6",   "x1.6",   "heat", "pads and paste between chips and case, by area and pressure"),
    ("heat.case_capacity",   "any",     "x0.7",   "x1.4",   "heat", "mass of an aluminium case of 80 to 200 g times 0.9 J/gK"),
    ("heat.air_resistance",  "any",     "x0.6",   "x1.6",   "heat", "a case in a stream of air: how much of it passes the drive differs by slot and server"),
    ("heat.still_resistance", "any",    "x0.6",   "x1.6",   "heat", "convection and radiation of a case of some 100 to 200 cm2: 3 to 6 K/W"),
    ("throttle.light_at",    "any",     "x0.93",  "x1.03",  "throttle", "some K below the temperature at which the sheet says that the drive throttles"),
    ("throttle.light_speed", "any",     "x0.7",   "x1.3",   "throttle", "half to four fifths of full speed in reviews that heat drives up"),
    ("throttle.heavy_speed", "any",     "x0.5",   "x2",     "throttle", "a twentieth to a fifth of full speed in reviews that heat drives up"),
    ("throttle.hysteresis",  "any",     "x0.5",   "x2",     "", "a few K, so that speed does not flicker and the drive comes back soon"),
    ("reliability.afr",      "any",     "0.1 %",  "2 %",    "", "field studies of many thousand drives found 0.1 to 1.2 % a year by model and age, where sheets print 0.4 to 0.9 %"),
    ("reliability.uber",     "any",     "x0.02",  "x3",     "", "sheets print the bound of a class (JESD218); errors in the field come mostly of few drives, of most far fewer"),
)

TYPICAL: tuple[Row, ...] = (
    ("seek.read_single",     "any",     "x0.8",   "x1.25",  "settle", "printed as typical: samples, temperature and wear of one model differ, and a settled head is a matter of firmware"),
    ("seek.write_single",    "any",     "x0.8",   "x1.25",  "settle", "printed as typical: samples, temperature and wear of one model differ, and a settled head is a matter of firmware"),
    ("seek.read_average",    "any",     "x0.94",  "x1.06",  "seek", "printed as typical, and makers average over a third of the stroke or over random places: 5 % apart"),
    ("seek.write_average",   "any",     "x0.94",  "x1.06",  "seek", "printed as typical, and makers average over a third of the stroke or over random places: 5 % apart"),
    ("seek.read_full",       "any",     "x0.92",  "x1.08",  "seek", "printed as typical or as greatest: some per cent apart"),
    ("seek.write_full",      "any",     "x0.92",  "x1.08",  "seek", "printed as typical or as greatest: some per cent apart"),
    ("command.time",         "any",     "x0.7",   "x1.4",   "command", "printed as a bound or as typical for one kind of command"),
    ("flash.read_time",      "any",     "x0.8",   "x1.25",  "flash", "printed as typical of new flash: pages of a cell differ by a fifth"),
    ("flash.program_time",   "any",     "x0.8",   "x1.25",  "flash", "printed as typical of new flash: pages of a cell differ, and wear shortens it"),
)
"""What sheets print as typical, and which is not exact: narrower than the class."""

ALWAYS = ("power.idle", "power.active", "reliability.afr", "reliability.uber")
"""What is uncertain even where a sheet prints it, as far as the class is."""

FIXED: dict[str, str] = {
    "capacity.user": "printed, and counted by a standard formula to the sector",
    "capacity.sector": "a format, chosen when the drive is made or formatted",
    "capacity.physical_sector": "a format, chosen when the drive is made",
    "command.max_transfer": "a setting of the host's driver",
    "command.queue_depth": "a limit of the protocol or of the driver, larger than what the drive sorts",
    "spindle.speed": "what a class of drives is called by; spindle.tolerance says how exact it is",
    "buffer.size": "sheets print it; what counts are its parts, which have ranges",
    "read_ahead.segments": "structure: powers of two that firmware adapts; the size of each has the range",
    "geometry.zones": "how finely the simulation cuts the surface",
    "buffer.read_watermark": "a mechanism that only cards of measured drives use",
    "buffer.read_unit": "a mechanism that only cards of measured drives use",
    "front_end.cores": "a rate knows only the cores over the time of each, which has the range",
    "driver.clock": "the clock rate at which times of the driver hold",
    "link.lanes": "structure: what the drive's connector has",
    "flash.channels": "structure: rates know only its quotient with the times of flash and channel, which have ranges",
    "flash.dies_per_channel": "structure: rates know only its quotient with the times of flash, which have ranges",
    "flash.dies_in_step": "structure: rates know only its quotient with the times of flash, which have ranges",
    "flash.planes": "structure: rates know only its quotient with the times of flash, which have ranges",
    "flash.die_capacity": "structure: dies come in powers of two, and add up to capacity and spare area",
    "flash.bits_per_cell": "structure: the kind of cell",
    "flash.page": "structure: pages come in powers of two of a kind of flash",
    "flash.frame": "structure: a codeword of the error correction",
    "flash.stripe": "structure: the layout of addresses over channels",
    "flash.cycles": "what a kind of flash is rated for, a limit and not a time",
    "mapping.unit": "structure: what an entry of the map stands for",
    "slc.bits_per_cell": "the kind of cell",
    "throttle.heavy_at": "a set point of firmware, which sheets print",
    "reliability.mtbf": "another way to write the annual failure rate, which has the range",
    "endurance.written": "a limit of the warranty, and no property of a sample",
    "endurance.dwpd": "a limit of the warranty, and no property of a sample",
    "endurance.workload": "a limit of the warranty, and no property of a sample",
}
"""Numbers that are never drawn, and why."""
# fmt: on
