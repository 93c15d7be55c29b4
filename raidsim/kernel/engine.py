"""The event loop: takes events in order and passes each to the module that handles it.

:func:`run` is the kernel's main entry. It returns in these cases: at the horizon; at a completion
that the control plane waits for; when no event is left; after a requested number of completions; at
a tick of real time; when a table needs more rows (or the next ones of a trace). The caller handles
signals, or enlarges the table, and enters again.
"""

from __future__ import annotations

from raidsim.errors import TableOverflowError
from raidsim.kernel import (
    agenda,
    array,
    array_phases,
    array_stripes,
    band_rewrites,
    bitmap,
    controller,
    destage,
    disk,
    drive,
    event_list,
    garbage,
    heat,
    host,
    hybrid,
    load,
    mapping,
    measure,
    network,
    operation,
    partial_parity,
    prefetch,
    read_ahead,
    repair,
    slc,
    ssd,
    station,
    volume,
)
from raidsim.kernel.array_tables import (
    ERRAND_BELOW,
    ERRAND_BITMAP,
    ERRAND_DESTAGE,
    ERRAND_FETCH,
    ERRAND_LOG,
    ERRAND_OPERATION,
    ERRAND_PART,
    ERRAND_REPAIR,
    HYBRID,
)
from raidsim.kernel.ftl import LEAF_BITS
from raidsim.kernel.jit import by_reference, entry, handler, part, routine, without
from raidsim.kernel.jobs import release
from raidsim.kernel.reply import reply
from raidsim.kernel.tables import (
    DONE,
    EVENT_FINISH,
    EVENT_HEAT,
    EVENT_ISSUE,
    FAILED,
    FLUSH,
    NEVER,
    NONE,
    RETURN_AWAITED,
    RETURN_BUDGET,
    RETURN_HORIZON,
    RETURN_IDLE,
    RETURN_ROOM,
    RETURN_TICK,
    STAGE_AHEAD_READ,
    STAGE_AHEAD_SENSED,
    STAGE_BRANCH,
    STAGE_CACHE_COPY,
    STAGE_CACHE_FLUSH,
    STAGE_CACHE_LINES,
    STAGE_CHANNEL_READ,
    STAGE_COMMAND_ARRIVED,
    STAGE_COMMAND_DECODED,
    STAGE_COMPLETED,
    STAGE_CONTROLLER_ANSWERED,
    STAGE_CONTROLLER_COMMAND,
    STAGE_CONTROLLER_LINK,
    STAGE_DISK_ARM,
    STAGE_DISK_CHOOSING,
    STAGE_DISK_DECODED,
    STAGE_DISK_LINK_READ,
    STAGE_DISK_LINK_WRITE,
    STAGE_DISK_RISING,
    STAGE_DISK_TIMED,
    STAGE_ERASED,
    STAGE_FLUSH_CHANNEL,
    STAGE_FLUSH_PATH,
    STAGE_FLUSHED,
    STAGE_FREE,
    STAGE_INSERT,
    STAGE_LINK_READ,
    STAGE_LINK_WRITE,
    STAGE_LOOKUP,
    STAGE_MAP_READ,
    STAGE_MAP_SENSED,
    STAGE_MAPPED,
    STAGE_MOVE_CHANNEL,
    STAGE_MOVE_SENSED,
    STAGE_OPERATION,
    STAGE_OPERATION_PAUSED,
    STAGE_PARITY,
    STAGE_PATH_READ,
    STAGE_PATH_WRITE,
    STAGE_PLAN,
    STAGE_PROGRAMMED,
    STAGE_REST,
    STAGE_RETURNED,
    STAGE_ROUTE,
    STAGE_SENSED,
    STAGE_SHARED_LINES,
    STAGE_SLC_IDLE,
    STAGE_SPREAD,
    STAGE_SUBMITTED,
    TIMED_OUT,
    VOLUME_ARRAY,
    VOLUME_ROUTE,
)


@entry
def run(w, horizon, budget, ticks):
    """Handle all events up to and including ``horizon`` (ns); why it came back, RETURN_*.

    ``budget`` is the number of completed requests (``state.completed``) at which to stop.
    ``ticks`` is an array of one number that another thread counts up: see ``system/ticks.py``.
    """
    w = by_reference(w)
    state = w.state[0]
    tick = ticks[0]
    while state["events"] > 0 or not agenda.is_empty(state):
        if agenda.is_empty(state) and event_list.next_time(w) > horizon:
            return RETURN_HORIZON
        if is_short_of_room(w):
            return RETURN_ROOM
        if ticks[0] != tick:
            return RETURN_TICK
        if agenda.is_empty(state):
            handle_first(w)
        else:
            follow(w)
        if agenda.is_empty(state):
            if state["awaited"] > 0:
                return RETURN_AWAITED
            if state["completed"] >= budget:
                return RETURN_BUDGET
    return RETURN_IDLE


run_flash = without(run, "run_flash", "disks", "arrays")
"""What :func:`run` does for single solid state drives: it compiles in a third of the time."""


@handler
def is_short_of_room(w):
    """Return whether a table is to grow, or to be filled, before the next event may happen."""
    state = w.state[0]
    margin = state["margin"]
    return (
        state["free_jobs"] < margin
        or state["events"] > len(w.heap) - margin
        or state["told"] + state["awaited"] > len(w.completions) - margin
        or state["leaves"] > (len(w.leaves) >> LEAF_BITS) - state["leaf_margin"]
        or state["hungry"] == 1
    )


@handler
def handle_first(w):
    """Take the first event off the list, and let it happen."""
    state = w.state[0]
    kind = event_list.next_kind(w)
    subject = event_list.next_subject(w)
    mark = event_list.next_mark(w)
    time = event_list.next_time(w)
    event_list.vacate_first(w)
    state["handled"] += 1
    if kind == EVENT_FINISH:
        if w.jobs[subject]["mark"] == mark:
            state["now"] = time
            station.finish(w, subject)
            advance(w, subject)
    elif kind == EVENT_ISSUE:
        if w.streams[subject]["mark"] == mark:
            state["now"] = time
            issue(w, subject)
    elif kind == EVENT_HEAT:
        heat.tick(w, time)
    else:
        expire(w, subject, mark, time)
    event_list.fill_vacancy(w)


@handler
def follow(w):
    """Let happen what is first on the agenda."""
    index = agenda.take_next(w)
    job = w.jobs[index]
    stage = job["stage"]
    errand = job["errand"]
    if stage == STAGE_PLAN:
        target = w.volumes[job["volume"]]
        if errand == ERRAND_OPERATION:
            operation.step(w, index)
        elif errand == ERRAND_REPAIR:
            repair.carry_out(w, index)
        elif target["kind"] != VOLUME_ARRAY:
            volume.send_to_drive(w, index)
        elif w.arrays[target["array"]]["family"] == HYBRID:
            hybrid.carry_out(w, index)
        else:
            array.carry_out(w, index)
    elif stage == STAGE_OPERATION:
        take_rows(w, index)
    elif stage == STAGE_LOOKUP:
        controller.look(w, index)
    elif stage == STAGE_INSERT:
        controller.insert(w, index)
    elif stage == STAGE_PARITY:
        array_phases.go_on(w, index)
    elif errand == ERRAND_PART:
        array_stripes.part_ended(w, index)
    elif errand == ERRAND_BITMAP:
        bitmap.written(w, index)
    elif errand == ERRAND_LOG:
        partial_parity.written(w, index)
    elif errand == ERRAND_BELOW:
        hybrid.part_ended(w, index)
    elif errand == ERRAND_OPERATION:
        operation.ended(w, index)
    elif errand == ERRAND_REPAIR:
        repair.ended(w, index)
    elif errand == ERRAND_DESTAGE:
        cache = w.caches[controller.of(w, index)["cache"]]
        destage.ended(w, cache, index, controller.array_of(w, index)["line"])
    elif errand == ERRAND_FETCH:
        prefetch.fetched(w, w.caches[controller.of(w, index)["cache"]], index)
    elif w.volumes[job["volume"]]["controller"] != NONE:
        controller.ended(w, index)
    else:
        complete(w, index, job["parts"])


@part("arrays")
@routine
def take_rows(w, index):
    """A worker of an operation takes its next rows; jobs that wait for its end are told."""
    row = w.operations[w.jobs[index]["row"]]
    if operation.begin_chunk(w, index):
        tell(w, row["ticket"], row["started"], FAILED if row["lost"] == 1 else DONE)


@handler
def advance(w, index):
    """Take job ``index`` one step down its road."""
    stage = w.jobs[index]["stage"]
    if stage == STAGE_CHANNEL_READ:
        ssd.to_path(w, index)
    elif stage == STAGE_PATH_READ:
        ssd.to_link(w, index)
    elif stage == STAGE_LINK_READ:
        ssd.page_done(w, index)
    elif stage == STAGE_SENSED:
        ssd.sensed(w, index)
    elif stage == STAGE_SUBMITTED:
        w.jobs[index]["held"] = w.state[0]["now"]
        volume.enter(w, index)
    elif stage == STAGE_COMMAND_ARRIVED:
        drive.arrived(w, index)
    elif stage == STAGE_COMMAND_DECODED:
        ssd.decode(w, index)
    elif stage == STAGE_RETURNED or stage == STAGE_FLUSHED:
        returned(w, index)
    elif stage == STAGE_COMPLETED:
        conclude(w, index)
    elif stage == STAGE_LINK_WRITE:
        ssd.to_buffer(w, index)
    elif stage == STAGE_PATH_WRITE:
        ssd.buffered(w, index)
    elif stage == STAGE_FLUSH_PATH:
        ssd.flush_to_channel(w, index)
    elif stage == STAGE_FLUSH_CHANNEL:
        ssd.flush_to_die(w, index)
    elif stage == STAGE_PROGRAMMED:
        ssd.programmed(w, index)
    elif stage == STAGE_SPREAD or stage == STAGE_PARITY:
        array_phases.go_on(w, index)
    elif stage == STAGE_CONTROLLER_COMMAND:
        controller.decoded(w, index)
    elif stage == STAGE_CONTROLLER_LINK:
        controller.transferred(w, index)
    elif stage == STAGE_CACHE_COPY:
        controller.copied(w, index)
    elif stage == STAGE_CACHE_LINES:
        controller.answer(w, index)
    elif stage == STAGE_CACHE_FLUSH:
        destage.flush(w, w.caches[w.jobs[index]["row"]])
    elif stage == STAGE_OPERATION_PAUSED:
        agenda.put(w, index, STAGE_OPERATION)
    elif stage == STAGE_SHARED_LINES:
        agenda.put(w, index, STAGE_PLAN)
    elif stage == STAGE_CONTROLLER_ANSWERED:
        complete(w, index, 1)
    elif stage == STAGE_DISK_ARM:
        disk.arm_free(w, index)
    elif stage == STAGE_DISK_CHOOSING:
        disk.chosen(w, index)
    elif stage == STAGE_DISK_RISING:
        disk.risen(w, index)
    elif stage == STAGE_DISK_LINK_READ:
        reply(w, index)
    elif stage == STAGE_DISK_DECODED:
        disk.decode(w, index)
    elif stage == STAGE_DISK_LINK_WRITE:
        disk.written_in(w, index)
    elif stage == STAGE_DISK_TIMED:
        band_rewrites.timed(w, index)
    elif stage == STAGE_MAPPED or stage == STAGE_ERASED or stage == STAGE_REST:
        release(w, index)
    elif stage == STAGE_MOVE_SENSED:
        garbage.sensed(w, index)
    elif stage == STAGE_MOVE_CHANNEL:
        ssd.moved(w, index)
    elif stage == STAGE_AHEAD_SENSED:
        read_ahead.sensed(w, index)
    elif stage == STAGE_AHEAD_READ:
        read_ahead.arrived(w, index)
    elif stage == STAGE_SLC_IDLE:
        slc.rested(w, index)
    elif stage == STAGE_MAP_SENSED:
        mapping.sensed(w, index)
    elif stage == STAGE_MAP_READ:
        ssd.looked_up(w, index)
    elif stage == STAGE_ROUTE:
        if not network.advance(w, index):
            conclude(w, index)
    elif stage == STAGE_BRANCH:
        parent = network.join(w, index)
        if w.jobs[parent]["pending"] == 0 and not network.advance(w, parent):
            conclude(w, parent)


@handler
def returned(w, index):
    """A command is back at the host or controller; the last one completes its request."""
    job = w.jobs[index]
    if job["stage"] == STAGE_RETURNED:
        if drive.comes_up(w, index):
            return
        drive.returned(w, index)
    else:
        drive.flush_ended(w, w.drives[job["drive"]], index)
    if drive.flush_follows(w, index):
        return
    parent = job["parent"]
    if w.volumes[job["volume"]]["kind"] == VOLUME_ARRAY:
        array_phases.child_done(w, index)
    elif volume.child_done(w, index):
        complete(w, parent, volume.device_ios(w, parent))


@routine
def complete(w, index, device_ios):
    """The data of request ``index`` is there: the host takes its completion in."""
    if w.jobs[index]["parent"] != NONE:  # a hybrid has asked, not the host
        hybrid.part_ended(w, index)
        return
    process = w.processes[w.streams[w.jobs[index]["stream"]]["process"]]
    host.complete(w, index, process, device_ios)


@handler
def issue(w, s):
    """Stream ``s`` issues its next I/O, if it has one."""
    stream = w.streams[s]
    stream["scheduled"] -= 1
    if load.waits(stream):
        return
    index = load.next_request(w, s)
    if index != NONE:
        dispatch(w, index)
    else:
        end_stream(w, s)


@handler
def dispatch(w, index):
    """Send a fresh request on its road."""
    job = w.jobs[index]
    if w.volumes[job["volume"]]["kind"] == VOLUME_ROUTE:
        job["held"] = job["issued"]
        job["step"] = 0
        if not network.enter(w, index):
            conclude(w, index)
    else:
        process = w.processes[w.streams[job["stream"]]["process"]]
        host.submit(w, index, process, volume.device_ios(w, index), volume.driver(w, index))


@handler
def conclude(w, index):
    """Request ``index`` has ended: count it, tell the job that waits, and continue its stream."""
    job = w.jobs[index]
    s = job["stream"]
    if job["abandoned"] == 1:
        release(w, index)
        return
    if job["status"] == FAILED:
        w.streams[s]["failed"] += 1
    else:
        w.streams[s]["completed"] += 1
        measure.record(w, index)
    settle(w, index)
    release(w, index)


@handler
def settle(w, index):
    """The request no longer counts as in flight; a process that waits for it is told."""
    state = w.state[0]
    job = w.jobs[index]
    s = job["stream"]
    stream = w.streams[s]
    stream["in_flight"] -= 1
    stream["last"] = state["now"]
    state["completed"] += 1
    if job["ticket"] != NONE:
        tell(w, job["ticket"], job["issued"], job["status"])
    if job["op"] == FLUSH and stream["flushing"] == 1:
        load.flush_returned(w, s)
    time = load.follow_up(w, s)
    if time < NEVER:
        load.schedule_issue(w, s, time)
    end_stream(w, s)


@handler
def end_stream(w, s):
    """Tell who waits for the end of stream ``s``, once nothing more will come of it."""
    stream = w.streams[s]
    if stream["ticket"] != NONE and load.is_over(stream):
        tell(w, stream["ticket"], stream["start"], DONE)
        stream["ticket"] = NONE


@routine
def tell(w, ticket, issued, status):
    """Leave a completion record for the control plane."""
    state = w.state[0]
    place = state["told"] + state["awaited"]
    if place == len(w.completions):
        raise TableOverflowError("completions")
    record = w.completions[place]
    state["awaited"] += 1
    record["ticket"] = ticket
    record["time"] = state["now"]
    record["issued"] = issued
    record["status"] = status


@routine
def expire(w, index, mark, time):
    """The I/O timeout of request ``index`` has passed: it counts as timed out.

    The work that it has caused continues; its result is discarded.
    """
    job = w.jobs[index]
    if job["stage"] == STAGE_FREE or job["serial"] != mark or job["abandoned"] == 1:
        return
    w.state[0]["now"] = time
    job["status"] = TIMED_OUT
    job["abandoned"] = 1
    w.streams[job["stream"]]["timed_out"] += 1
    settle(w, index)
