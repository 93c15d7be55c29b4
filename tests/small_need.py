"""A need that two drives and two levels can meet, its prices, and its arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from raidsim import InputError
from raidsim.planning.arithmetic import Arithmetic
from raidsim.planning.choice import space_of
from raidsim.planning.need import need_of
from raidsim.planning.prices import prices_of

NEED = """
title = "a small database"
[need]
capacity = "10 TB"
growth = "20 %"
years = 3
failures = 1
[[load]]
name = "database"
read = "70 %"
size = "8 KiB"
rate = "15000 IO/s"
[[latency]]
within = "5 ms"
when = ["healthy", "degraded"]
[choice]
drives = ["samsung-pm9a3-7680gb", "micron-5100-eco-1920gb"]
levels = ["raid6", "raid10"]
counts = [6, 8]
copies = 2
controllers = "host"
hosts = "intel-xeon-8380-pair"
arrays = 1
"""
PRICES = """
currency = "EUR"
date = 2026-01-31
source = "a test"
chassis = 1000
kwh = 0.25
[drive]
samsung-pm9a3-7680gb = 900
micron-5100-eco-1920gb = 300
[server]
intel-xeon-8380-pair = 9000
"""


def changed(**keys: str) -> str:
    """The need with other values of keys."""
    lines = NEED.splitlines()
    for key, value in keys.items():
        (at,) = (n for n, line in enumerate(lines) if line.startswith(f"{key} = "))
        lines[at] = f"{key} = {value}"
    return "\n".join(lines)


def of(text: str = NEED, prices: str | None = PRICES) -> Arithmetic:
    need = need_of(text)
    return Arithmetic(need, space_of(need), None if prices is None else prices_of(prices))


def at(arithmetic: Arithmetic, values: np.ndarray, number: int) -> float:
    grid = arithmetic.space.grid
    return float(np.broadcast_to(values, grid)[np.unravel_index(number, grid)])


def refusal(call, *args, **keys) -> list[str]:
    with pytest.raises(InputError) as refused:
        call(*args, **keys)
    return [str(problem) for problem in refused.value.problems]
