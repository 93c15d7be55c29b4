"""The records of an SLC cache: see :mod:`~raidsim.kernel.slc` for what it does."""

from __future__ import annotations

from raidsim.kernel.tables import NEVER
from raidsim.records import Table, configuration, counter, state, volatile

SLCS = Table(
    "slcs",
    "the SLC cache of a solid state drive: blocks that hold one bit a cell",
    size=configuration("i8", "that it holds; 0 if the drive has no free capacity for it", "B"),
    program_time=configuration("i8", "a die programs a page of it", "ns"),
    read_time=configuration("i8", "a die senses a page of it", "ns"),
    pages_per_block=configuration("i8", "of a block in this mode"),
    depth=configuration("i8", "of folds under way, at most", "B"),
    waits=configuration("i4", "1: a host that finds it full waits for folds; 0: passes it by"),
    fold_from=configuration("i8", "what is in it when folding begins", "B", start=NEVER),
    idle_after=configuration("i8", "without commands, until the drive folds", "ns"),
    clock=configuration("i4", "station where that time passes"),
    first_unit=configuration("i4", "first row of the mapping units in it"),
    units=configuration("i4", "rows there are for them"),
    held=state("i8", "in it", "B"),
    reserved=volatile("i8", "on the way into it", "B"),
    folding=volatile("i8", "of folds under way", "B"),
    gathered=volatile("i8", "of folds, in the write buffer, not yet in a program unit", "B"),
    idle=volatile("i4", "1: the drive has been idle for long enough to fold"),
    idle_since=volatile("i8", "when the last command ended", "ns"),
    ticking=volatile("i4", "1: a job waits for the idle time to pass"),
    begun=state("i8", "program units whose fold was begun: the next one goes round robin"),
    entered=state("i8", "program units so far: the next one goes round robin"),
    valid=state("i8", "of what is to be folded, in program units that have left with little", "B"),
    seen=state("i8", "mapping units so far of program units whose folds were begun, or that left"),
    left=counter("i8", "program units that were folded, or given up"),
    taken=counter("i8", "mapping units that came in"),
    mapped=counter("i8", "mapping units that went on into the page map"),
    programmed=counter("i8", "programmed into it", "B"),
    folded=counter("i8", "moved on", "B"),
    dropped=counter("i8", "given up, as it had been written anew or trimmed", "B"),
    erased=counter("i8", "blocks of it erased, those of all planes of a die together"),
)

SLC_UNITS = Table(
    "slc_units",
    "a mapping unit in an SLC cache; the rows of one are a ring, the oldest leaves first",
    unit=state("i4", "its number on the drive; below 0 once it is worth nothing any more"),
    last=state("i4", "ring place of the newest unit whose number modulo the ring is this row"),
)
