"""From the cache lines that cores share on a host to the fields of an array on that host.

The counts are transfers of the line with the longest wait. The other lines of the array have
separate queues. A core that has waited at the first line finds the others nearly free.
"""

from __future__ import annotations

from raidsim.cards import Card
from raidsim.layout.tables import MIRRORED, PARITY
from raidsim.scenario import VolumeSpec
from raidsim.system.system import System
from raidsim.units import NS_PER_S

KIND = "shared cache lines"


def transfer_time(host: Card) -> float:
    """Return the mean time that a core waits for a line that another core wrote (s).

    Among N nodes one in N of the others is of the same node.
    """
    near = host.number("cpu.line_time")
    far = host.number("cpu.remote_line_time") if host.has("cpu.remote_line_time") else near
    nodes = host.integer("cpu.nodes")
    return (near + (nodes - 1) * far) / nodes


def stripe_line_time(host: Card) -> float:
    """Return the time that a stripe head waits for cache lines under the lock of its array (s)."""
    return host.integer("raid.stripe_lines") * transfer_time(host)


def shared_lines(system: System, volume: VolumeSpec, host: Card) -> dict[str, float]:
    """Return the fields of ARRAY for the cache lines that cores share and requests wait for."""
    assert volume.layout is not None
    reads = writes = host.integer("raid.request_lines")
    if volume.layout["family"] == MIRRORED:
        reads = writes = max(reads, host.integer("raid.mirror_lines"))
    if volume.layout["family"] == PARITY:
        reads = max(reads, host.integer("raid.parity_read_lines"))
    each = transfer_time(host) * NS_PER_S
    if each * max(reads, writes) == 0.0:
        return {}
    return {
        "shared": system.add_station(f"{volume.name}: shared lines", KIND),
        "read_lines_ns": reads * each,
        "write_lines_ns": writes * each,
    }
