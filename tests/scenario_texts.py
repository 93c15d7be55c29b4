"""Scenarios that tests start from, and what is wrong with a text."""

import pytest

from raidsim import scenario
from raidsim.errors import InputError

GOOD = """\
title = "A mix"
seed = 7

[host]
model = "fujitsu-rx2540-m1"
clock = "2.3 GHz"

[[volume]]
name = "data"
drive = "intel-p3700-800gb"
[volume.set]
"flash.read_time" = "60 us"

[[load]]
name = "mail"
volume = "data"
read = "67 %"
random = "90 %"
sizes = [
    { size = "4 KiB", share = "75 %" },
    { size = "64 KiB", share = "25 %" },
]
area = { offset = "1 GiB", size = "32 GiB" }
workers = 2
outstanding = [1, 8]
think = "10 us"
think_distribution = "exponential"
hot = { area = "10 %", accesses = "90 %" }
timeout = "10 ms"
limit = { time = "1 s", ios = 1e6 }

[[load]]
name = "log"
read = "0 %"
random = "0 %"
size = "8 KiB"
rate = ["1000 IO/s", "2 kIO/s"]
burst = { on = "10 ms", off = "90 ms" }
priority = 1

[measure]
precision = "2 %"
"""

ONE_LOAD = """\
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
drive = "intel-p3700-800gb"
[[load]]
read = "100 %"
size = "8 KiB"
outstanding = 1
"""

ONE_MACHINE = """
[host]
model = "fujitsu-rx2540-m1"

[[volume]]
drive = "intel-p3700-800gb"
state = "fresh"

[[machine]]
bursts = 10
"""


def problems_of(text, overrides=()):
    with pytest.raises(InputError) as caught:
        scenario.load_text(text, "bad.toml", overrides)
    return caught.value.problems
