"""From a volume of several drives, or of one behind a controller, to its rows of the kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from raidsim.assembly import intent, supply
from raidsim.assembly.cache import destages_to, line_size, modes, serve
from raidsim.assembly.drive import add_drive
from raidsim.assembly.drives import kind_of
from raidsim.assembly.heat import Air
from raidsim.assembly.shared_lines import shared_lines, stripe_line_time
from raidsim.assembly.volume_rows import drives_of
from raidsim.cards import Card
from raidsim.kernel import array_tables as a
from raidsim.kernel import tables as t
from raidsim.kernel.stripe_cache import PLACES
from raidsim.kernel.stripe_heads import PAGE
from raidsim.layout import plan
from raidsim.layout.address import whole_drive
from raidsim.layout.arrange import POLICIES
from raidsim.layout.rebuild import rebuild_bound
from raidsim.layout.tables import (
    CONCATENATED,
    FAR,
    FAR_SETS,
    MIRRORED,
    PARITY,
    READ,
    WRITE,
)
from raidsim.scenario import ControllerSpec, VolumeSpec
from raidsim.system.system import System
from raidsim.units import NS_PER_S

LOCKS = 4096  # stripes that may be written at a time, about
MIRROR_POLICIES = {
    "shortest-queue": a.SHORTEST_QUEUE,
    "nearest-head": a.NEAREST_HEAD,
    "round-robin": a.ROUND_ROBIN,
    "lowest-address": a.LOWEST_ADDRESS,
}


def _mirror_policy(volume: VolumeSpec, host: Card | None) -> int:
    """Return the number of the policy by which reads choose a copy.

    ``host`` is the card of the server that does RAID, if one does.

    Far copies are of Linux md alone, so they are read as it reads.
    """
    word = volume.mirror_reads
    if word is None:
        far = volume.layout is not None and volume.layout["spread"] in (FAR, FAR_SETS)
        own = "shortest-queue" if host is None else host.word("raid.mirror_reads")
        word = "linux-md" if far else own
    if word == "linux-md":
        return a.LINUX_RAID1 if volume.level == "raid1" else a.LINUX_RAID10
    return MIRROR_POLICIES[word]


def add_array(
    system: System,
    volume: VolumeSpec,
    *,
    host: Card,
    controller: int,
    controller_spec: ControllerSpec | None,
    engine: int | None,
    hops: Sequence[Sequence[int]],
    air: Air,
) -> int:
    """Add an array with its drives; its volume's index.

    Parameters
    ----------
    host
        Card of the host, whose operating system does RAID if there is no controller.
    controller, controller_spec
        Row of the controller, and what the scenario says of it; NONE and None for the host itself.
    engine
        Station that computes parity; None for one of its own.
    hops
        Ways up, which the drives take in turn: rows of `hops`, from the drives on.
    """
    layout = volume.layout
    if layout is None:
        raise AssertionError("one drive on the host is no array")
    card = None if controller_spec is None else controller_spec.card
    drives, spares = _add_drives(system, volume, card, hops, air)
    row = system.append("arrays")
    if system.append("layouts") != row:
        raise AssertionError("every array has its layout under its own number")
    system.world.layouts[row] = layout
    members = _add_members(system, volume, layout, drives)
    is_redundant = layout["family"] in (PARITY, MIRRORED)
    locks = system.append("locks", LOCKS) if is_redundant else 0
    line = line_size(card, int(layout["strip"]))
    serve(system, controller, card, volume, line)
    if engine is None:
        engine = _of_each_span(system, volume, "parity", stripe_threads(volume, host))
    system.set_row(
        "arrays",
        row,
        family=layout["family"],
        drives=volume.drives,
        first_member=members,
        policy=POLICIES[volume.parity_writes],
        mirror_policy=_mirror_policy(volume, host if card is None else None),
        arms=int(kind_of(volume.card).seeks),
        width=layout["data"] * layout["strip"],
        first_lock=locks,
        locks=LOCKS if is_redundant else 1,
        touched=-1,  # before any time: nothing has begun at 0
        line=line,
        **intent.marks(system, volume, controller),
        **modes(
            system,
            volume.write,
            volume.read_ahead,
            volume.io,
            controller_spec,
            destages_to(volume, card),
            *_lanes(layout),
        ),
        **(
            on_host(system, row, volume, host, engine)
            if card is None
            else on_controller(
                card,
                cores=int(system.world.controllers[controller]["commands"]),
                engine=engine,
                layout=layout,
            )
        ),
    )
    index = system.add_row(
        "volumes", kind=t.VOLUME_ARRAY, array=row, controller=controller, size=layout["size"]
    )
    system.spares[index] = spares
    system.bays[index] = [*drives, *spares]
    return index


def _lanes(layout: np.void) -> tuple[int, int]:
    """The parts of a volume that a cache destages to side by side, and the bytes of each."""
    if layout["family"] != CONCATENATED:
        return 1, 0
    return int(layout["drives"]), int(layout["rows"]) * int(layout["strip"])


def _add_drives(
    system: System,
    volume: VolumeSpec,
    controller: Card | None,
    hops: Sequence[Sequence[int]],
    air: Air,
) -> tuple[list[int], list[int]]:
    """Add the drives of an array and its hot spares, behind the links; their rows."""
    depth = None if controller is None else controller.integer("drives.queue_depth")
    names = [f"{volume.name} drive {i}" for i in range(volume.drives)]
    system.volume_of |= dict.fromkeys(names, volume.name)
    several = volume.drives > 1
    drives = [
        add_drive(system, name, volume.card, air, outstanding=depth, in_array=several)
        for name in names
    ]
    spares = [
        add_drive(
            system,
            f"{volume.name} spare {i}",
            volume.card,
            air,
            outstanding=depth,
            in_array=True,
        )
        for i in range(volume.spares)
    ]
    for of_a_kind in drives, spares:
        for i, drive in enumerate(of_a_kind if hops else ()):
            way = hops[i % len(hops)]
            if way:
                system.set_row("drives", drive, first_hop=way[0], hops=len(way))
    return drives, spares


def _add_members(system: System, volume: VolumeSpec, layout: np.void, drives: Sequence[int]) -> int:
    """Add the members of an array, whole but for those that have failed; the first one's row."""
    members = system.append("members", volume.drives)
    if system.append("good", volume.drives) != members:
        raise AssertionError("every member has its health under its own number")
    for i, drive in enumerate(drives):
        system.set_row("members", members + i, drive=drive)
        system.world.good[members + i] = whole_drive(layout)
        if i in volume.failed:
            system.world.good[members + i] = 0
            system.world.drives[drive]["failed"] = 1
            supply.leave_off(system, drive)
    return members


def on_controller(card: Card, *, cores: int, engine: int, layout: np.void) -> dict[str, float]:
    """Return the fields of ARRAY for an array on a controller.

    ``layout`` is the row of its layout; ``cores`` and ``engine`` are stations.
    """
    each = card.number("command.device_io_time") * NS_PER_S
    time = card.number("parity.time_per_byte")
    if layout["parity"] == 2:
        time += card.number("parity.q_time_per_byte")
    return {
        "engine": engine,
        "parity_ns": time * NS_PER_S,
        "stream_depth": card.integer("mirror.stream_depth"),
        "cpu": cores,
        "spread_ns": each,  # the first one
        "device_io_ns": each,
        "firmware_ns": card.number("command.firmware_time") * NS_PER_S,
        "mirror_ns": _of_mirrors(layout, card.number("mirror.write_time")),
    }


def _of_mirrors(layout: np.void, time: float) -> float:
    """Return the ns that each write of a copy takes: ``time`` seconds if the layout has copies."""
    return time * NS_PER_S if layout["family"] == MIRRORED else 0.0


def stripe_threads(volume: VolumeSpec, host: Card) -> int:
    """Threads of the operating system that handle stripes of an array side by side.

    Linux md has one thread of each array, or ``group_thread_cnt`` workers for each NUMA node in
    its place; each span of RAID 50 and 60 is an array. More than there are cores make nothing
    faster.
    """
    threads = host.integer("raid.threads")
    if volume.group_thread_cnt is not None:
        threads = max(volume.group_thread_cnt * host.integer("cpu.nodes"), 1)
    most = host.integer("cpu.cores") * (2 if host.has("cpu.thread_gain") else 1)
    return min(threads, most)


def _of_each_span(system: System, volume: VolumeSpec, name: str, servers: int) -> int:
    """Add a station for each span, whose threads have work of no other one; the first station."""
    spans = _spans(volume)
    titles = [name] if spans == 1 else [f"{name}, span {span}" for span in range(spans)]
    first, *_ = (
        system.add_station(f"{volume.name}: {title}", "parity engine", servers=servers)
        for title in titles
    )
    return first


def _spans(volume: VolumeSpec) -> int:
    """Arrays of software RAID that a volume is: RAID 10 is one, whatever its pairs."""
    assert volume.layout is not None
    return int(volume.layout["spans"]) if volume.layout["family"] == PARITY else 1


def has_workers(volume: VolumeSpec, host: Card) -> bool:
    """Return whether threads beside that of the array handle stripes of a volume."""
    if volume.group_thread_cnt is not None:
        return volume.group_thread_cnt > 0
    return host.integer("raid.threads") > 1


def on_host(
    system: System, row: int, volume: VolumeSpec, host: Card, engine: int
) -> dict[str, float]:
    """Return the fields of ARRAY for an array of the operating system, without a controller."""
    assert volume.layout is not None
    has_parity = volume.layout["family"] == PARITY
    passes_through = volume.level == "jbod"
    time = host.number("raid.parity_time_per_byte")
    if volume.layout["parity"] == 2:
        time += host.number("raid.q_time_per_byte")
    return {
        "engine": engine,
        "engines": _spans(volume),
        "parity_ns": time * NS_PER_S,
        **(_stripe_heads(system, volume, host) if has_parity else {}),
        **(_stripe_cache(system, row, volume, host) if has_parity else {}),
        **(_copy_requests(host) if volume.layout["family"] == MIRRORED else {}),
        "stream_depth": host.integer("raid.stream_depth"),
        "cpu": t.NONE,
        "spread_ns": 0.0 if passes_through else host.number("raid.io_time") * NS_PER_S,
        "device_io_ns": host.number("raid.device_io_time") * NS_PER_S,
        "mirror_ns": _of_mirrors(volume.layout, host.number("raid.mirror_write_time")),
        **({} if passes_through else shared_lines(system, volume, host)),
    }


def _stripe_heads(system: System, volume: VolumeSpec, host: Card) -> dict[str, float]:
    """The time of the threads of an array with parity for stripe heads, as fields of ARRAY.

    If one thread does all the work, it has both parts; beside workers it is a separate station.
    """
    head, page, serial = (
        host.number(f"raid.{name}") * NS_PER_S
        for name in ("stripe_time", "stripe_io_time", "serial_time")
    )
    serial += stripe_line_time(host) * NS_PER_S
    copy = min(host.number("raid.stripe_copy_time") * NS_PER_S, page)
    pages = {"stripe_io_ns": page, "stripe_copy_ns": copy}
    if serial == 0.0 or not has_workers(volume, host):
        return pages | {"stripe_ns": head + serial, "serial_ns": 0.0}
    thread = _of_each_span(system, volume, "raid thread", 1)
    return pages | {"stripe_ns": head, "serial": thread, "serial_ns": serial}


def _copy_requests(host: Card) -> dict[str, float]:
    """The time of the thread of an array for background work on copies, as fields of ARRAY."""
    return {
        "copy_io_ns": host.number("raid.copy_io_time") * NS_PER_S,
        "compare_ns": host.number("raid.compare_time_per_byte") * NS_PER_S,
    }


def _stripe_cache(system: System, row: int, volume: VolumeSpec, host: Card) -> dict[str, int]:
    """The stripe cache of an array with parity, as fields of ARRAY.

    With one, the array of number ``row`` is also planned page by page, as Linux md does it.
    """
    assert volume.layout is not None
    heads = volume.stripe_cache_size
    if heads is None:
        heads = host.integer("raid.stripe_cache")
    heads *= _spans(volume)
    if heads == 0:
        return {}
    rows = PLACES * (int(volume.layout["span_drives"]) + 1)
    if volume.strip % PAGE == 0:
        system.world.layouts[row]["page"] = PAGE
    return {"stripe_cache": heads, "first_known": system.append("known", rows)}


def need_room(system: System, volume: int, length: int) -> None:
    """Make sure that a task of ``length`` bytes finds room for its commands, made at one instant.

    One for each access that it may need, or more if those are longer than the longest command
    of a drive. Later each drive splits its commands into pages, one command at a time.
    """
    row = system.world.volumes[volume]
    layout: np.void = system.world.layouts[row["array"]]
    if row["controller"] != t.NONE:
        cache = system.world.controllers[row["controller"]]["cache"]
        if cache != t.NONE:  # it may destage more at a time
            width = int(layout["data"]) * int(layout["strip"])
            length = max(length, int(system.world.caches[cache]["destage_size"]), width)
    if system.world.arrays[row["array"]]["stripe_cache"] > 0:  # writes may join to a whole stripe
        length = max(length, int(system.world.arrays[row["array"]]["width"]))
    drive = system.world.drives[drives_of(system, volume)[0]]
    most = max(plan.bound(layout, op, length) for op in (READ, WRITE))
    longest = int(drive["max_transfer"])
    copies = int(layout["copies"]) + int(layout["parity"])
    commands = most + copies * (length // longest + 1)
    # What restores a strip that can't be read may be more than what asked for it.
    sources = rebuild_bound(layout)
    commands = max(commands, sources * (int(layout["strip"]) // longest + 1))
    # A flush goes to every drive, and to that which a rebuild or a copy-back writes in its place.
    commands = max(commands, 2 * int(layout["drives"]))
    pages = min(length, longest) // int(drive["grain"]) + 1
    system.need_accesses(max(most, sources))
    system.need_margin(commands + pages)
