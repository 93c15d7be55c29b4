"""Lesson: heat."""

import math

from raidsim.result import Point, Temperature
from raidsim.teaching.figures import mbps
from raidsim.teaching.lesson import Explore, Knob, Lesson, Mistake, Question, Shown
from raidsim.teaching.runs import simulate

SYSTEM = """\
# A 2.5-inch SSD that is written to, warmed through, in some air.
title = "A drive and its air"

[host]
model = "linux-xeon-e5-pair"

[[volume]]
drive = "intel-p3700-800gb-sff"
state = "fresh"

[[load]]
read = "0 %"
random = "0 %"
size = "1 MiB"
rate = "500 IO/s"

[air]
ambient = "35 C"
airflow = "100 %"               # of that for which the server is approved
start = "warm"                  # as warm as the load makes it in the long run

[measure]
precision = "5 %"
min_ios = 1_000
max_ios = 1_000
"""
IDLE = 4.0
"""W."""
WRITE = 10.9e-9
"""J for each byte written."""
INNER = 0.25
"""Resistance from flash and controller to the case, K/W."""
AIR = 0.95
"""From the case to the air at full airflow, K/W."""
STILL = 5.0
"""The same in still air."""


def resistance(airflow: float) -> float:
    """From the case to the air, K/W, at an airflow from 0 to 1: conductances go with its 0.8th power."""
    return 1 / (1 / STILL + (1 / AIR - 1 / STILL) * math.pow(airflow, 0.8))


def power(megabytes: float) -> float:
    """W at so many MiB written in a second."""
    return IDLE + megabytes * 2**20 * WRITE


def steady(megabytes: float, ambient: float, airflow: float) -> float:
    """Temperature that is reached in the long run, C."""
    return ambient + power(megabytes) * (INNER + resistance(airflow))


def temperature(point: Point) -> Temperature:
    """Return the temperature that the drive reports."""
    found = point.drives[0].temperature_c
    assert found is not None
    return found


def watts(point: Point) -> float:
    """Mean power, W."""
    found = point.drives[0].power_w
    assert found is not None
    return found


def busy(*changes: str) -> Point:
    """Run it as fast as it goes, with eight writes outstanding."""
    return simulate(SYSTEM.replace('rate = "500 IO/s"', "outstanding = 8"), *changes)


def _warm(percent: int) -> Point:
    """At 200 MiB/s, where it never throttles."""
    return simulate(SYSTEM, "load.rate=200 IO/s", f"air.airflow={percent} %")


def steady_of(percent: int) -> float:
    """Simulated temperature at 200 MiB/s with a share of the airflow, C."""
    return temperature(_warm(percent)).end


def power_of(percent: int) -> float:
    """Simulated power then, W."""
    return watts(_warm(percent))


LESSON = Lesson(
    name="heat",
    title="Heat",
    about="how warm a drive becomes, how soon, and what it does then",
    text="""\
All power that a drive takes becomes heat, and has to leave through its case into the air. It warms until as much leaves as comes in:

    T = T_air + P · (R_inner + R_case)

Resistances are in K/W: how much warmer one side is for each watt that passes. From flash to case it is 0.25 K/W here; from case to air it depends on how fast that moves:

    1 / R_case = 1 / 5 + (1 / 0.95 - 1 / 5) · airflow^0.8        K/W, airflow from 0 to 1

0.95 K/W with the airflow that the maker asks for, 5 K/W in still air. The exponent is that of turbulent flow over a plate.

Power is what idling takes, 4 W, and 10.9 nJ for each byte written: 500 MiB/s are 4 + 5.7 W.

How soon? A body with the heat capacity C behind a resistance R nears its end with the time constant R · C: this case has 75 J/K, with flash and controller 105 J/K, so some 105 · 1.2 = 126 s at full airflow, and minutes in still air. A benchmark of a minute shows nothing of it.

What then? At 68 C this drive slows its data path to 60 %, at 70 C to a tenth, and speeds up again when it has cooled by 3 K. So a hot drive does not fail; it is slow, and comes to rest at the power that its air can take away.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="The drive is written at {rate} MiB/s. What power does it take?",
            draw={"rate": (200, 500, 1200)},
            unit="W",
            hand=lambda d: power(d.rate),
            runs=(("load.rate={rate} IO/s",),),
            read=lambda d, p: watts(p),
            agrees=0.05,
            way="4 W + {rate} · 2^20 B/s · 10.9 nJ/B = {hand} W. Simulated: {simulated} W.",
            hint="Idle power, and energy for each byte times bytes in a second.",
            mistakes=(
                Mistake(lambda d: power(d.rate) - IDLE, "It takes 4 W when it does nothing, too."),
            ),
        ),
        Question(
            ask="How warm does it become in the long run at {rate} MiB/s, in air of {ambient} C with the full airflow?",
            draw={"rate": (200, 500, 1200), "ambient": (25, 35)},
            unit="C",
            tolerance=0.02,
            hand=lambda d: steady(d.rate, d.ambient, 1.0),
            runs=(("load.rate={rate} IO/s", "air.ambient={ambient} C"),),
            read=lambda d, p: temperature(p).end,
            agrees=0.02,
            also=lambda d: {"p": power(d.rate)},
            way="{ambient} C + {p} W · 1.2 K/W = {hand} C. Simulated: {simulated} C.",
            hint="The power, times both resistances, above the air.",
            mistakes=(
                Mistake(
                    lambda d: power(d.rate) * (INNER + AIR),
                    "That is how much warmer than the air it is.",
                ),
            ),
        ),
        Question(
            ask="Of the airflow {percent} % are left. What is the resistance from case to air?",
            draw={"percent": (5, 10, 50)},
            unit="K/W",
            tolerance=0.03,
            hand=lambda d: resistance(d.percent / 100),
            simulated=lambda d: (steady_of(d.percent) - 35) / power_of(d.percent) - INNER,
            agrees=0.03,
            way="1 / (0.2 + 0.853 · {percent} %^0.8) = {hand} K/W. From the simulated temperature and power: {simulated} K/W.",
            hint="Put the airflow as a share into the formula: it adds conductances, and the resistance is one over that.",
            mistakes=(
                Mistake(
                    lambda d: AIR * 100 / d.percent if d.percent < 50 else -1.0,
                    "Heat transfer does not fall as fast as the airflow, and still air carries some away.",
                ),
            ),
        ),
        Question(
            ask="Eight writes of 1 MiB outstanding, as fast as it goes: with full airflow the drive writes {full} MB/s. Predict how many with {percent} % of the airflow, once it is warm.",
            draw={"percent": (10, 40)},
            unit="MB/s",
            predict=True,
            also=lambda d: {"full": mbps(busy("air.airflow=100 %"))},
            simulated=lambda d: mbps(busy(f"air.airflow={d.percent} %")),
            way="Simulated over a second: {simulated} MB/s. The air cannot take 25 W away below 68 C, so the drive throttles.",
            hint="Which temperature would it reach at full speed?",
        ),
        Question(
            ask="Run it at 500 MiB/s with {percent} % of the airflow and air of {ambient} C. For which share of the window does it throttle?",
            draw={"percent": (20, 100), "ambient": (35, 45)},
            unit="%",
            tolerance=0.05,
            runs=(("air.airflow={percent} %", "air.ambient={ambient} C"),),
            read=lambda d, p: 100 * float(p.drives[0].throttled or 0.0),
            also=lambda d: {"t": steady(500, d.ambient, d.percent / 100)},
            way="Simulated: {simulated} %. At this power it would come to {t} C; it throttles from 68 C on. But a throttled drive that still has the speed for 500 MiB/s takes as much power as before: throttling lightly does not help it.",
            hint="Run it with both keys changed; the line of the drive says it.",
        ),
        Question(
            ask="Run it from idle (air.start = idle) for 1,000 writes at 500 MiB/s. How many K has it come nearer to its steady temperature, of those that are to go?",
            draw={"percent": (100, 20)},
            unit="K",
            tolerance=0.1,
            runs=(("air.start=idle", "air.airflow={percent} %"),),
            read=lambda d, p: temperature(p).end - temperature(p).start,
            also=lambda d: {"t": steady(500, 35, d.percent / 100)},
            way="Simulated: {simulated} K in two seconds, of the way to {t} C. With a time constant of minutes a short run shows the drive cold: warm it up, or begin warm.",
            hint="Run it, and take the temperature at the end less that at the start.",
        ),
    ),
    explore=Explore(
        knobs=(
            Knob("airflow", (10, 20, 40, 60, 80, 100), ("air.airflow={value} %",), "%"),
            Knob("writes", (200, 500, 800), ("load.rate={value} IO/s",), "MiB/s"),
            Knob("air", (20, 35), ("air.ambient={value} C",), "C"),
        ),
        shown=(
            Shown(
                "temperature after warming up",
                "C",
                lambda p: temperature(p).end,
                lambda airflow, rate, ambient: steady(rate, ambient, airflow / 100),
            ),
            Shown("throughput", "MB/s", mbps),
            Shown("power", "W", watts),
        ),
    ),
    sources=(
        "F. P. Incropera and D. P. DeWitt, Fundamentals of Heat and Mass Transfer (Nu ~ Re^0.8)",
        "Intel, product specification 330566-005US (power, weight, ambient and case temperatures of the P3700)",
        "Fujitsu, Performance Report PCIe SSDs P3700, 2016 (25 W under write load, 71 C)",
    ),
    simplifications=(
        "Two bodies, one air. Drives do not warm each other, and fans are not regulated.",
        "Energy of erasing and of the link is in that of the bytes.",
    ),
    disagreements=(
        "Where drives throttle, how far and with which hysteresis is printed nowhere; the values here are assumed (see Heat in the documentation).",
    ),
)
