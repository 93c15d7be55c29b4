"""The temperature of a drive, and how it protects itself.

Two nodes with heat capacities: the inner one (flash and controller, whose temperature
the drive reports) takes up all the power, and gives heat to the case through a thermal
resistance; the case gives it to the air. With x and y the temperatures of the two above
that of the air, power P, capacities C1 and C2, inner resistance R and conductance G to the air:

    C1 x' = P - (x - y) / R          C2 y' = (x - y) / R - G y

Over a step of constant power the solution is exact: with a = 1/(R C1), b = 1/(R C2) and
c = G/C2 the deviations from the steady state (x = P (R + 1/G), y = P/G) follow the
matrix exponential of A = [[-a, a], [b, -b-c]], whose eigenvalues are real and negative:

    e^(At) = [(A - l2) e^(l1 t) - (A - l1) e^(l2 t)] / (l1 - l2)

So the length of the steps does not matter where the power is constant; two steps are
as good as one. The power of a step is the idle power, and the energy per byte times the bytes
that were read from flash and programmed in it.

Every ``TICK`` an event brings all drives up to date, takes a reading and decides with
hysteresis how far each is throttled: that sets the speed of its data path. Ticks keep no run
alive: one at which all drives are at rest, or nothing else is left to happen, is the last,
and the next command starts them again. What was missed is made up with steps at idle power
from reading to reading. A tick that changes no speed changes nothing else, not even the
clock.

Readings are kept at equal distances. When the table is full, every second one is
dropped and the distance doubles (all but temperatures are cumulated, so nothing is lost).

Verbs: :func:`wake` starts the ticks, :func:`tick` is one, :func:`step` the physics,
:func:`decide` the throttling, :func:`record` a reading, :func:`set_air` other air.
"""

from __future__ import annotations

import math

from raidsim.kernel.event_list import schedule
from raidsim.kernel.heat_tables import SAMPLES
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.station import set_speed
from raidsim.kernel.tables import (
    COOL,
    EVENT_HEAT,
    THROTTLED_HEAVILY,
    THROTTLED_LIGHTLY,
)

TICK = 100_000_000
"""ns from one tick to the next: short against the seconds in which any drive's inside warms."""

NS_PER_S = 1e9


@handler
def wake(w):
    """A command comes to a drive: let the ticks run."""
    state = w.state[0]
    if state["ticking"] == 0:
        state["ticking"] = 1
        advance(w, state["now"])
        schedule(w, (state["now"] // TICK + 1) * TICK, 0, EVENT_HEAT, 0, 0)


@routine
def tick(w, time):
    """Bring all drives up to ``time``; go on as long as any of them has something to do."""
    state = w.state[0]
    if state["events"] == 1:  # nothing but this tick is left to happen
        state["ticking"] = 0
        return
    advance(w, time)
    if state["resting"] == 1:
        state["ticking"] = 0
    else:
        schedule(w, time + TICK, 0, EVENT_HEAT, 0, 0)


@handler
def advance(w, time):
    """Bring all drives up to ``time``, with the readings that are due."""
    sample_until(w, time)
    if w.state[0]["heated"] < time:
        integrate(w, time)


@routine
def sample_until(w, time):
    """Take the readings that are due up to ``time``, each at its own time."""
    state = w.state[0]
    while True:
        number = max(state["heated"] // TICK, state["first_tick"])
        due = number + state["stride"] - (number - state["first_tick"]) % state["stride"]
        if due * TICK > time:
            return
        integrate(w, due * TICK)
        record(w)


@routine
def integrate(w, time):
    """One step of every drive to ``time``, which must lie ahead."""
    state = w.state[0]
    passed = time - state["heated"]
    seconds = passed / NS_PER_S
    state["heated"] = time
    state["resting"] = 1
    for index in range(state["heats"]):
        heat = w.heats[index]
        drive = w.ssds[heat["row"]]
        read = drive["flash_read"] - heat["counted_read"]
        written = drive["programmed"] - heat["counted_written"]
        if read > 0 or written > 0 or drive["in_hand"] > 0:
            state["resting"] = 0
        heat["counted_read"] = drive["flash_read"]
        heat["counted_written"] = drive["programmed"]
        energy = heat["idle"] * seconds
        energy += heat["read_energy"] * read + heat["write_energy"] * written
        energy = min(energy, heat["most"] * seconds)
        heat["energy"] += energy
        heat["inner"], heat["case"] = step(heat, energy / seconds, seconds)
        heat["highest"] = max(heat["highest"], heat["inner"])
        if heat["state"] == THROTTLED_LIGHTLY:
            heat["light"] += passed
        elif heat["state"] == THROTTLED_HEAVILY:
            heat["heavy"] += passed
        throttle(w, heat, time)


@routine
def step(heat, power, seconds):
    """Temperatures (inner, case) after ``seconds`` at ``power`` W."""
    a = 1.0 / (heat["inner_resistance"] * heat["inner_capacity"])
    b = 1.0 / (heat["inner_resistance"] * heat["case_capacity"])
    c = heat["conductance"] / heat["case_capacity"]
    half = (a - b - c) / 2
    root = math.sqrt(half * half + a * b)
    fast = -(a + b + c) / 2 - root
    slow = a * c / fast  # their product is the determinant: no difference of like numbers
    over = math.exp(slow * seconds) / (slow - fast)
    under = math.exp(fast * seconds) / (slow - fast)
    case_end = heat["ambient"] + power / heat["conductance"]
    inner_end = case_end + power * heat["inner_resistance"]
    x = heat["inner"] - inner_end
    y = heat["case"] - case_end
    dx = a * (y - x)
    dy = b * x - (b + c) * y
    inner = inner_end + over * (dx - fast * x) - under * (dx - slow * x)
    case = case_end + over * (dy - fast * y) - under * (dy - slow * y)
    return inner, case


@routine
def throttle(w, heat, time):
    """Set the speed of the data path by the temperature."""
    state = decide(heat)
    if state == heat["state"]:
        return
    heat["state"] = state
    heat["factor"] = 1.0
    if state == THROTTLED_LIGHTLY:
        heat["factor"] = heat["light_speed"]
    elif state == THROTTLED_HEAVILY:
        heat["factor"] = heat["heavy_speed"]
    if w.stations[heat["path"]]["busy"] > 0:
        w.state[0]["now"] = max(w.state[0]["now"], time)
    set_speed(w, heat["path"], heat["built_speed"] * heat["factor"])


@routine
def decide(heat):
    """Return the degree of throttling at the drive's temperature, given its present degree."""
    now = heat["inner"]
    heavy_at = heat["heavy_at"]
    light_at = heat["light_at"]
    if heat["state"] == THROTTLED_HEAVILY:
        heavy_at -= heat["hysteresis"]
    if heat["state"] != COOL:
        light_at -= heat["hysteresis"]
    if now >= heavy_at:
        return THROTTLED_HEAVILY
    if now >= light_at:
        return THROTTLED_LIGHTLY
    return COOL


@routine
def record(w):
    """Keep a reading of every drive and what every stream has done."""
    state = w.state[0]
    if state["samples"] == SAMPLES:
        thin(w)
    place = state["samples"]
    state["samples"] = place + 1
    w.moments[place] = state["heated"]
    for index in range(state["heats"]):
        heat = w.heats[index]
        sample = w.samples[index, place]
        sample["inner"] = heat["inner"]
        sample["case"] = heat["case"]
        sample["energy"] = heat["energy"]
        sample["light"] = heat["light"]
        sample["heavy"] = heat["heavy"]
    for s in range(min(len(w.streams), len(w.progress))):
        stream = w.streams[s]
        w.progress[s, place, 0] = stream["window_ios"][0] + stream["window_ios"][1]
        w.progress[s, place, 1] = stream["window_bytes"][0] + stream["window_bytes"][1]


@routine
def thin(w):
    """Drop every second reading, and take them half as often."""
    state = w.state[0]
    state["stride"] *= 2
    state["samples"] = SAMPLES // 2
    for place in range(SAMPLES // 2):
        w.moments[place] = w.moments[2 * place]
        for index in range(state["heats"]):
            below = w.samples[index, place]
            above = w.samples[index, 2 * place]
            below["inner"] = above["inner"]
            below["case"] = above["case"]
            below["energy"] = above["energy"]
            below["light"] = above["light"]
            below["heavy"] = above["heavy"]
        for s in range(len(w.progress)):
            w.progress[s, place, 0] = w.progress[s, 2 * place, 0]
            w.progress[s, place, 1] = w.progress[s, 2 * place, 1]


@handler
def set_air(w, index, ambient, conductance):
    """Put drive ``index`` of ``heats`` into other air from now on."""
    advance(w, w.state[0]["now"])
    heat = w.heats[index]
    heat["ambient"] = ambient
    heat["conductance"] = conductance
