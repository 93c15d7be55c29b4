"""The arm of a hard disk: its queue, the choice of the next access, and the access itself.

Waiting accesses are rows of a table of tasks, the first ``waiting`` of the disk's own rows: reads
and uncached writes, each with its command, and cached writes whose command was answered before. One
discipline orders them all:

    fifo    first come, first served
    sstf    shortest seek
    look    elevator: continue in one direction while any access is left there
    sptf    shortest positioning time, seek and rotation; waiting counts with a weight
            (ageing)

With sstf and sptf an access could wait for ever beside a stream that always has a nearer one. So an
access that was passed over often enough (``passes`` for each that waits) goes first, whatever its
cost.

The data of a read is sent while it comes off the medium: its command enters the link so early that
the link ends together with the last sector. A write of a part of a physical sector (512e) takes one
revolution more: the sectors are read, and written when they pass again. If the next waiting cached
write continues the last sector of a cached write, nothing needs to be read: both write this sector
together.

A disk that defers its cached writes has two queues instead of one (:mod:`~raidsim.kernel.deferred`
has the second). Commands go first until the cache is filled to the level on the card. Beyond this
level, and while a command waits for the cache, the two queues take turns.

Firmware takes time to end one access and to begin another that is not adjacent (``choosing``): it
hands over data and completion, and computes the position of each waiting command. Commands that
arrive in this time take part in the choice: with two outstanding, it has two to choose from.

Verbs: :func:`enqueue` an access, :func:`turn_to_next` waits for the choice, :func:`start_next`
makes it and starts, :func:`risen` and :func:`go_on` follow the one under way.
"""

from __future__ import annotations

import math

from raidsim.errors import TableOverflowError
from raidsim.kernel import band_rewrites, deferred, disk_buffer, shingles
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.mechanics import (
    locate,
    move_time,
    positioning,
    span,
    track_of,
    wait_time,
)
from raidsim.kernel.station import account, arrive, round_ns
from raidsim.kernel.tables import (
    DISCIPLINE_FIFO,
    DISCIPLINE_LOOK,
    DISCIPLINE_SSTF,
    NONE,
    READ,
    STAGE_DISK_ARM,
    STAGE_DISK_CHOOSING,
    STAGE_DISK_RISING,
    WRITE,
)

CHOOSING = 2
"""Value of ``moving`` while the firmware chooses: commands that come meanwhile take part."""


@routine
def enqueue(w, disk, command, op, offset, length):
    """Let an access wait for the arm; ``command`` is NONE for a write answered already."""
    if command == NONE and disk["defers"] != NONE:
        row = deferred.add(w, disk, offset)
    elif disk["waiting"] == disk["tasks"]:
        raise TableOverflowError("tasks")
    else:
        row = disk["first_task"] + disk["waiting"]
        disk["waiting"] += 1
    task = w.tasks[row]
    place = offset
    if disk["shingles"] != NONE and op == READ:
        place = shingles.seat(w, disk, offset, length)
    cylinder, head, angle = locate(w, disk, place)
    task["command"] = command
    task["op"] = op
    task["offset"] = offset
    task["length"] = length
    task["cylinder"] = cylinder
    task["head"] = head
    task["angle"] = angle
    task["queued"] = w.state[0]["now"]
    task["order"] = disk["tasks_so_far"]
    disk["tasks_so_far"] += 1
    station = w.stations[disk["arm"]]
    account(station, w.state[0]["now"])
    station["waiting"] += 1
    if disk["moving"] == 0:
        turn_to_next(w, disk)


@routine
def turn_to_next(w, disk):
    """The arm is free and something waits: start it, at once or when the firmware has chosen.

    An access that follows on from the one before is taken without a choice. Meanwhile the head
    stays where it is, and reads on behind a read.
    """
    if disk["choosing"] == 0 or disk["shingles"] != NONE or follows_on(w, disk):
        start_next(w, disk)
        return
    if disk["ahead"] == 1:
        disk_buffer.catch_up(w, disk)
    elif disk["op"] == READ:
        disk_buffer.read_on(w, disk)
    disk["moving"] = CHOOSING
    w.jobs[disk["arm_job"]]["stage"] = STAGE_DISK_CHOOSING
    arrive(w, disk["arm"], disk["arm_job"], disk["choosing"])


@handler
def follows_on(w, disk):
    """Return whether a possible next access begins where the last one or read-ahead ended."""
    end = disk["stop"] if disk["op"] == READ else disk["offset"] + disk["length"]
    if is_turn_of_deferred(disk):
        return disk["op"] == WRITE and deferred.begins_at(w, disk, end)
    for row in range(disk["first_task"], disk["first_task"] + disk["waiting"]):
        if w.tasks[row]["offset"] == end and w.tasks[row]["op"] == disk["op"]:
            return True
    return False


@handler
def is_waited_for(disk):
    """Return whether anything waits for the arm."""
    return disk["waiting"] > 0 or disk["cached_waiting"] > 0


@handler
def is_turn_of_deferred(disk):
    """Return whether the next access is one of the cached writes that commands go before.

    Each turn has several of them, so that the arm moves to them and back only once a turn.
    """
    if disk["cached_waiting"] == 0:
        return False
    if disk["waiting"] == 0 or 0 < disk["turn"] < disk["turns"]:
        return True
    presses = (
        disk["taken"] >= disk["defers"]
        or disk["dirty"] >= disk["defers_bytes"]
        or disk["first_waiting"] != NONE
    )
    return presses and disk["turn"] == 0


@routine
def start_next(w, disk):
    """Start the access that the discipline chooses among those that wait."""
    coming = disk_buffer.stop(w, disk)
    if disk["shingles"] != NONE:
        shingles.aim_all(w, disk)
    row = deferred.choose(w, disk) if is_turn_of_deferred(disk) else choose(w, disk, coming)
    if disk["shingles"] != NONE and w.tasks[row]["op"] == WRITE:
        row = shingles.in_order(w, disk, row)
        shingles.aim(w, disk, w.tasks[row])
    task = w.tasks[row]
    disk["turn"] = disk["turn"] + 1 if task["command"] == NONE and disk["waiting"] > 0 else 0
    move = move_time(w, disk, task["op"], task["cylinder"], task["head"])
    if disk["head_start"] > 0:
        move = max(move - disk["head_start"], 0.0)
        disk["head_start"] = 0
    disk["coming"] = NONE
    lead = move + wait_time(disk, w.state[0]["now"], move, task["angle"])
    if disk["zero_latency"][task["op"]] == 1:
        lead = from_any_sector(w, disk, task, move, lead)
    if task["offset"] == coming and task["op"] == READ:
        # The head reads there already, and may be in the midst of a sector.
        lead = disk_buffer.due(w, disk, coming)
    landed = lead - move
    disk["command"] = task["command"]
    disk["op"] = task["op"]
    disk["offset"] = task["offset"]
    disk["length"] = task["length"]
    give_up(w, disk, row)
    if disk["op"] == WRITE and disk["command"] == NONE and disk["shingles"] == NONE:
        fill_last_sector(w, disk)
    access(w, disk, lead)
    if disk["from_landing"] == 1 and disk["op"] == READ:
        disk_buffer.keep_from_landing(w, disk, landed)


@handler
def from_any_sector(w, disk, task, move, lead):
    """The lead with which an access on one track ends as if it had begun with its first sector.

    Zero-latency access takes the sectors in the order in which they pass. If the head arrives among
    them, the last one has passed one revolution later.
    """
    stop, byte_time, _ = track_of(w, disk, task["offset"])
    if task["offset"] + task["length"] > stop:
        return lead
    return min(lead, move + disk["revolution"] - task["length"] * byte_time)


@handler
def write_on(w, disk):
    """Write what is left of a write of a shingled disk, which goes to another place."""
    cylinder, head, angle = shingles.destination(w, disk, disk["offset"], disk["length"])
    move = move_time(w, disk, WRITE, cylinder, head)
    access(w, disk, move + wait_time(disk, w.state[0]["now"], move, angle))


@routine
def give_up(w, disk, row):
    """The access in ``row`` no longer waits for the arm: remove it."""
    station = w.stations[disk["arm"]]
    now = w.state[0]["now"]
    account(station, now)
    station["waiting"] -= 1
    station["waited"] += now - w.tasks[row]["queued"]
    if w.tasks[row]["command"] == NONE and disk["defers"] != NONE:
        deferred.remove(w, disk, row)
        return
    disk["waiting"] -= 1
    move_row(w.tasks, disk["first_task"] + disk["waiting"], row)


@routine
def fill_last_sector(w, disk):
    """The cached write in hand takes the rest of its last sector from the one that follows on."""
    sector = disk["physical_sector"]
    end = disk["offset"] + disk["length"]
    whole = (end + sector - 1) // sector * sector
    if whole == end:
        return
    row = following(w, disk, end, whole)
    if row != NONE and w.tasks[row]["offset"] + w.tasks[row]["length"] > whole:
        shorten(w, disk, row, whole)
        disk["length"] = whole - disk["offset"]


@routine
def following(w, disk, start, until):
    """Row of the cached write that begins at ``start``, if no other one begins before ``until``."""
    if disk["defers"] != NONE:
        return deferred.alone_from(w, disk, start, until)
    found = NONE
    for row in range(disk["first_task"], disk["first_task"] + disk["waiting"]):
        task = w.tasks[row]
        if task["op"] == WRITE and task["command"] == NONE:
            if start <= task["offset"] and task["offset"] < until:
                if found != NONE or task["offset"] != start:
                    return NONE
                found = row
    return found


@handler
def shorten(w, disk, row, start):
    """The access in ``row`` needs its bytes from ``start`` on only."""
    task = w.tasks[row]
    task["length"] -= start - task["offset"]
    task["offset"] = start
    task["cylinder"], task["head"], task["angle"] = locate(w, disk, start)


@routine
def move_row(tasks, source, target):
    """Copy one task over another."""
    if source == target:
        return
    a = tasks[source]
    b = tasks[target]
    b["command"] = a["command"]
    b["op"] = a["op"]
    b["offset"] = a["offset"]
    b["length"] = a["length"]
    b["cylinder"] = a["cylinder"]
    b["head"] = a["head"]
    b["angle"] = a["angle"]
    b["queued"] = a["queued"]
    b["order"] = a["order"]


@routine
def access(w, disk, lead):
    """Do the access that the disk has in hand; its first byte comes after ``lead`` ns."""
    start = disk["offset"]
    end = start + disk["length"]
    if disk["shingles"] != NONE:
        if disk["op"] == WRITE:
            start, length = shingles.extent(w, disk)
            end = start + length
        elif shingles.is_scattered(w, disk, start, end):
            shingles.next_piece(w, disk)
            return
    transfer = span(w, disk, start, end)
    disk["moving"] = 1
    job = w.jobs[disk["arm_job"]]
    if disk["op"] == WRITE:
        sector = disk["physical_sector"]
        if start % sector != 0 or end % sector != 0:
            transfer += disk["revolution"] * second_turns(disk, start, end, transfer)
        job["stage"] = STAGE_DISK_ARM
        settle(w, disk, end)
        arrive(w, disk["arm"], disk["arm_job"], round_ns(max(lead + transfer, 0.0)))
        return
    stop = disk_buffer.begin_read(w, disk, start, end)
    # The rest of a command that was found in the buffer leaves with it.
    whole = w.jobs[disk["command"]]["length"] if disk["command"] != NONE else disk["length"]
    link = whole * disk["link_ns"] / w.stations[disk["link_to_host"]]["speed"]
    first = max(lead + max(transfer - link, transfer * disk["watermark"]), 0.0)
    if disk["unit"] > 0:
        # Unit by unit: the first one has come before the link begins, the last one is sent when all
        # have come.
        unit = min(disk["unit"], end - start)
        first = max(first, lead + span(w, disk, start, start + unit))
        first = max(first, lead + transfer - link * (1.0 - unit / whole))
    if stop > end:
        transfer = span(w, disk, start, stop)
    disk["rest"] = round_ns(max(lead + transfer - first, 0.0))
    disk["stop"] = stop
    settle(w, disk, stop)
    job["stage"] = STAGE_DISK_RISING
    arrive(w, disk["arm"], disk["arm_job"], round_ns(first))


@handler
def second_turns(disk, start, end, transfer):
    """Revolutions that a write of parts of physical sectors costs: one for each such end at most.

    Both ends are read in one turn if the write takes no more than that.
    """
    sector = disk["physical_sector"]
    ends = int(start % sector != 0) + int(end % sector != 0)
    return min(ends, math.ceil(transfer / disk["revolution"]))


@handler
def settle(w, disk, end):
    """The arm is where the last byte before ``end`` lies."""
    cylinder, head, _ = locate(w, disk, end - 1)
    disk["cylinder"] = cylinder
    disk["head"] = head


@handler
def risen(w, disk):
    """The data of a read can leave from now on: the arm reads the rest; the command that leaves."""
    w.jobs[disk["arm_job"]]["stage"] = STAGE_DISK_ARM
    arrive(w, disk["arm"], disk["arm_job"], disk["rest"])
    return disk["command"]


@handler
def go_on(w, disk):
    """The arm is free: the next access, or reading ahead where a read has ended."""
    disk["moving"] = 0
    if disk["shingles"] != NONE and band_rewrites.takes_turn(w, disk):
        return
    if is_waited_for(disk):
        turn_to_next(w, disk)
    elif disk["op"] == READ:
        disk_buffer.read_on(w, disk)


@routine
def choose(w, disk, coming):
    """Row of the task that comes next; the head reads ahead at byte ``coming``, if not NONE."""
    discipline = disk["discipline"]
    if discipline == DISCIPLINE_FIFO:
        return first_come(w, disk)
    if discipline == DISCIPLINE_LOOK:
        return elevator(w, disk)
    if disk["tasks_so_far"] > disk["patient_until"]:
        row = passed_over(w, disk)
        if row != NONE:
            return row
    if discipline == DISCIPLINE_SSTF:
        return shortest_seek(w, disk)
    return shortest_positioning(w, disk, coming)


@routine
def continues(w, disk, task):
    """Return whether an access is adjacent to an earlier one that waits.

    Firmware does adjacent commands in order. If the arm began in the middle of them, as rotation
    alone may suggest, the part before that would cost one more revolution.
    """
    for row in range(disk["first_task"], disk["first_task"] + disk["waiting"]):
        before = w.tasks[row]
        if before["offset"] + before["length"] == task["offset"] and before["op"] == task["op"]:
            return True
    return False


@routine
def passed_over(w, disk):
    """The access that has been passed over so often that it goes first; NONE if there is none.

    Writes that were answered already wait as long as they like. After each that goes first as many
    others may go again as before: so streams that share a disk take long turns.
    """
    oldest = disk["tasks_so_far"]
    best = NONE
    for row in range(disk["first_task"], disk["first_task"] + disk["waiting"]):
        if w.tasks[row]["command"] != NONE and w.tasks[row]["order"] < oldest:
            best = row
            oldest = w.tasks[row]["order"]
    others = int(disk["passes"] * disk["waiting"])
    if disk["tasks_so_far"] - oldest > others:
        disk["patient_until"] = disk["tasks_so_far"] + others
        return best
    disk["patient_until"] = oldest + others
    return NONE


@handler
def first_come(w, disk):
    """The task that has waited longest."""
    best = disk["first_task"]
    for row in range(best + 1, best + disk["waiting"]):
        if w.tasks[row]["order"] < w.tasks[best]["order"]:
            best = row
    return best


@routine
def shortest_seek(w, disk):
    """The task on the nearest cylinder; of those on one cylinder the first that came."""
    best = disk["first_task"]
    for row in range(best + 1, best + disk["waiting"]):
        here = abs(w.tasks[row]["cylinder"] - disk["cylinder"])
        least = abs(w.tasks[best]["cylinder"] - disk["cylinder"])
        if here < least or (here == least and w.tasks[row]["order"] < w.tasks[best]["order"]):
            best = row
    return best


@routine
def elevator(w, disk):
    """The nearest task ahead in the arm's direction, or, when none is left, behind."""
    for _ in range(2):
        best = NONE
        least = 0
        for row in range(disk["first_task"], disk["first_task"] + disk["waiting"]):
            ahead = (w.tasks[row]["cylinder"] - disk["cylinder"]) * disk["heading"]
            if ahead < 0:
                continue
            if (
                best == NONE
                or ahead < least
                or (ahead == least and w.tasks[row]["order"] < w.tasks[best]["order"])
            ):
                best = row
                least = ahead
        if best != NONE:
            return best
        disk["heading"] = -disk["heading"]
    return disk["first_task"]


@routine
def shortest_positioning(w, disk, coming):
    """The task with the least seek and rotation; of those that continue one another the first."""
    row = least_positioning(w, disk, coming, False)
    if continues(w, disk, w.tasks[row]):
        row = least_positioning(w, disk, coming, True)
    return row


@routine
def least_positioning(w, disk, coming, firsts):
    """The task with the least seek and rotation, less its waiting times the ageing.

    A read that goes on where the head reads ahead, at byte ``coming``, needs neither. ``firsts``
    leaves out what continues another task: it is seldom the best, and takes long to compute.
    """
    now = w.state[0]["now"]
    turned = float(now % disk["revolution"])
    here = disk["cylinder"]
    ageing = disk["ageing"]
    best = disk["first_task"]
    least = math.inf
    for row in range(best, best + disk["waiting"]):
        task = w.tasks[row]
        distance = abs(task["cylinder"] - here)
        cost = positioning(w, disk, task, distance, turned)
        if task["offset"] == coming and task["op"] == READ:
            cost = 0.0
        if ageing > 0.0:
            cost -= ageing * (now - task["queued"])
        if cost < least and not (firsts and continues(w, disk, task)):
            least = cost
            best = row
    return best
