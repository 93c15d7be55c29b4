"""A controller: the road of a request of the host through its cores and its host link.

    read    core -> task (raidsim.kernel.array) -> host link -> answered
    write   core -> host link -> task -> answered

Verbs: :func:`command` takes a request of the host, :func:`decoded`, :func:`transferred` (data has
crossed the host link), :func:`ended` (the drives have done their part), :func:`answer`.
"""

from __future__ import annotations

from raidsim.kernel import array
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.station import arrive, round_ns
from raidsim.kernel.tables import (
    DONE,
    READ,
    STAGE_CONTROLLER_ANSWERED,
    STAGE_CONTROLLER_COMMAND,
    STAGE_CONTROLLER_LINK,
    TO_FLASH,
    TO_HOST,
)


@handler
def of(w, index):
    """The controller that request ``index`` goes to."""
    return w.controllers[w.volumes[w.jobs[index]["volume"]]["controller"]]


@handler
def command(w, index):
    """A command of the host waits for one of the cores."""
    controller = of(w, index)
    w.jobs[index]["stage"] = STAGE_CONTROLLER_COMMAND
    arrive(w, controller["commands"], index, controller["command_time"])


@handler
def decoded(w, index):
    """A core has taken the command in: a read goes to the drives, a write fetches its data."""
    if w.jobs[index]["op"] == READ:
        array.begin(w, index)
    else:
        transfer(w, index)


@handler
def transfer(w, index):
    """The data of a request crosses the host link."""
    controller = of(w, index)
    job = w.jobs[index]
    job["stage"] = STAGE_CONTROLLER_LINK
    time = round_ns(job["length"] * controller["link_ns"])
    if job["op"] == READ:
        job["direction"] = TO_HOST
        arrive(w, controller["to_host"], index, time)
    else:
        job["direction"] = TO_FLASH
        arrive(w, controller["to_controller"], index, time)


@handler
def transferred(w, index):
    """The data is where it should be: a read is answered, a write goes to the drives."""
    if w.jobs[index]["op"] == READ:
        answer(w, index)
    else:
        array.begin(w, index)


@routine
def ended(w, index):
    """The drives have done their part of a request."""
    job = w.jobs[index]
    if job["op"] == READ and job["status"] == DONE:
        transfer(w, index)
    else:
        answer(w, index)


@handler
def answer(w, index):
    """Tell the host that the request is done."""
    controller = of(w, index)
    w.jobs[index]["stage"] = STAGE_CONTROLLER_ANSWERED
    arrive(w, controller["replies"], index, controller["latency"])
