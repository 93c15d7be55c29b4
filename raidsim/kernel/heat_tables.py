"""The tables of temperatures, see :mod:`~raidsim.kernel.heat`."""

from __future__ import annotations

from raidsim.records import Column, Memory, Table, configuration, counter, state, window

SAMPLES = 600  # readings kept; an even number

HEATS = Table(
    "heats",
    "the temperatures of a drive",
    drive=configuration("i4", "row of what all drives have"),
    row=configuration("i4", "of that drive in the table of its kind"),
    path=configuration("i4", "station that throttling slows down"),
    state=state("i4", "COOL, THROTTLED_LIGHTLY or THROTTLED_HEAVILY"),
    inner=state("f8", "of flash and controller: what the drive reports", "C"),
    case=state("f8", "of its case", "C"),
    ambient=configuration("f8", "of the air", "C"),
    inner_capacity=configuration("f8", "heat capacity of the inner parts", "J/K"),
    inner_resistance=configuration("f8", "from these to the case", "K/W"),
    case_capacity=configuration("f8", "heat capacity of the case", "J/K"),
    conductance=configuration("f8", "from the case to the air", "W/K"),
    most=configuration("f8", "what the drive takes at most", "W"),
    idle=state("f8", "what it takes when idle: nothing while it has no power", "W"),
    read_energy=configuration("f8", "of a byte sensed", "J/B"),
    write_energy=configuration("f8", "of a byte programmed", "J/B"),
    light_at=configuration("f8", "from which on it throttles lightly", "C"),
    heavy_at=configuration("f8", "from which on it throttles heavily", "C"),
    hysteresis=configuration("f8", "below these at which it does so no more", "K"),
    light_speed=configuration("f8", "share of the speed while throttled lightly"),
    heavy_speed=configuration("f8", "share of the speed while throttled heavily"),
    built_speed=configuration("f8", "of the path, not throttled", start=1),
    factor=state("f8", "by which throttling slows it down now", start=1),
    counted_read=state("i8", "sensed bytes whose energy has been counted", "B"),
    counted_written=state("i8", "programmed bytes whose energy has been counted", "B"),
    energy=counter("f8", "taken from the supply", "J"),
    light=counter("i8", "time throttled lightly", "ns"),
    heavy=counter("i8", "time throttled heavily", "ns"),
    highest=window("f8", "the highest it reported in the window", "C"),
    window_begin=window("i8", "when the window opened", "ns"),
    window_inner=window("f8", "`inner` when the window opened", "C"),
    window_energy=window("f8", "`energy` when the window opened", "J"),
    window_light=window("i8", "`light` when the window opened", "ns"),
    window_heavy=window("i8", "`heavy` when the window opened", "ns"),
)

READINGS = Table(
    "samples",
    "the readings of a drive",
    Memory(shape=(SAMPLES,)),
    inner=state("f8", "what the drive reports", "C"),
    case=state("f8", "of its case", "C"),
    energy=state("f8", "taken from the supply so far", "J"),
    light=state("i8", "time throttled lightly so far", "ns"),
    heavy=state("i8", "time throttled heavily so far", "ns"),
)

MOMENTS = Column(
    "moments",
    "one of the moments when readings were taken",
    state("i8", "since the start", "ns"),
    Memory(rows=SAMPLES),
)

PROGRESS = Column(
    "progress",
    "what a stream had completed in the window, at each of these moments",
    state("i8", "I/Os, then bytes", shape=(SAMPLES, 2)),
)
