"""Traces for tests: written as text, read back as arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from raidsim import InputError
from raidsim.trace import REQUEST, open_trace

DATA = Path(__file__).parent / "data" / "traces"


def read(path, format=None, **options):
    """All requests of a trace, and the trace."""
    trace = open_trace(path, format, **options)
    return np.concatenate([np.empty(0, REQUEST), *trace.blocks()]), trace


def of_text(folder, text, format=None, **options):
    """The same of a text."""
    path = folder / "some.trace"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path, format, **options)


def refusal(*arguments, **options):
    with pytest.raises(InputError) as refused:
        read(*arguments, **options)
    return str(refused.value)


def requests(*rows):
    """Requests of tuples (time, op, volume, offset, size, response)."""
    return np.array([row if len(row) == 6 else (*row, np.nan) for row in rows], REQUEST)


def same(found, expected, *, time=1e-9, response=1e-9):
    """Whether two arrays hold the same requests; NaN is like NaN."""
    assert len(found) == len(expected)
    for name in ("op", "volume", "offset", "size"):
        np.testing.assert_array_equal(found[name], expected[name])
    np.testing.assert_allclose(found["time"], expected["time"], rtol=1e-12, atol=time)
    np.testing.assert_allclose(found["response"], expected["response"], rtol=1e-9, atol=response)
    return True
