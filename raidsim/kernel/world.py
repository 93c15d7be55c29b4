"""The world: all tables of one environment, as the kernel takes them.

:data:`TABLES` is the one list of them. For each table declared there, the fields determine its
memory, what a power cut clears, and what a new window resets (:mod:`raidsim.records`). It is also
on the page docs/reference/tables.md.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from raidsim.kernel import (
    array_tables,
    cache_tables,
    cpu_tables,
    disk_tables,
    elevator_tables,
    ftl_tables,
    heat_tables,
    hybrid_tables,
    load_tables,
    map_tables,
    operation_tables,
    sensing_tables,
    shingle_tables,
    slc_tables,
    ssd_tables,
    tables,
)
from raidsim.kernel.replacement import tables as replacement_tables
from raidsim.layout.tables import ACCESSES, LAYOUTS
from raidsim.records import Table

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        tables.STATE,
        tables.SOON_KEYS,
        tables.SOON_EVENTS,
        tables.HEAP,
        tables.JOBS,
        tables.STATIONS,
        load_tables.STREAMS,
        load_tables.SIZES,
        load_tables.LOAD_ZONES,
        load_tables.REQUESTS,
        load_tables.ARRIVALS,
        cpu_tables.PROCESSES,
        cpu_tables.CORES,
        cpu_tables.CPUS,
        cpu_tables.CPU_USERS,
        tables.VOLUMES,
        tables.STEPS,
        tables.GIVEN_TIMES,
        array_tables.ARRAYS,
        LAYOUTS,
        array_tables.MEMBERS,
        array_tables.LANES,
        array_tables.GOOD,
        array_tables.LOCKS,
        array_tables.KNOWN,
        array_tables.MARKS,
        ACCESSES,
        array_tables.CONTROLLERS,
        cache_tables.CACHES,
        cache_tables.LINES,
        cache_tables.BUCKETS_OF_LINES,
        replacement_tables.HISTORIES,
        replacement_tables.GHOSTS,
        cache_tables.TOWERS,
        cache_tables.TRAIL_ROWS,
        hybrid_tables.HYBRIDS,
        hybrid_tables.TRACES,
        array_tables.HOPS,
        operation_tables.OPERATIONS,
        operation_tables.WORKERS,
        operation_tables.TARGETS,
        operation_tables.DEFECTS,
        tables.DRIVES,
        elevator_tables.ELEVATORS,
        tables.FLUSH_QUEUES,
        ssd_tables.SSDS,
        disk_tables.DISKS,
        disk_tables.ZONES,
        disk_tables.SEEKS,
        disk_tables.TASKS,
        disk_tables.DEFERRED,
        disk_tables.EXTENTS,
        shingle_tables.SHINGLES,
        shingle_tables.BANDS,
        shingle_tables.RECORDS,
        shingle_tables.FRONTIERS,
        ftl_tables.FTLS,
        ftl_tables.PAGES,
        ftl_tables.LEAVES,
        ftl_tables.BLOCKS,
        ftl_tables.BUCKETS,
        sensing_tables.SENSINGS,
        slc_tables.SLCS,
        slc_tables.SLC_UNITS,
        map_tables.MAPS,
        map_tables.MAP_SLOTS,
        map_tables.MAP_PAGES,
        ssd_tables.SEGMENTS,
        ssd_tables.SLOTS,
        heat_tables.HEATS,
        heat_tables.READINGS,
        heat_tables.MOMENTS,
        heat_tables.PROGRESS,
        tables.LATENCIES,
        tables.COMPLETED_SLICES,
        tables.IOS,
        tables.COMPLETIONS,
    )
}


def _named() -> Any:
    """The type of a world: a tuple with the tables as its fields."""
    return namedtuple("World", TABLES)


World = _named()
