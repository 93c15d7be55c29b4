"""The command raidsim, run in this process."""

from __future__ import annotations

import pytest

from raidsim import cli


def status(*arguments: object) -> int:
    """Exit status of a command line."""
    with pytest.raises(SystemExit) as ended:
        cli.main([str(one) for one in arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def output_of(capture: pytest.CaptureFixture[str], *arguments: object, expected: int = 0) -> str:
    """What a command line that ends with a status prints, and then what it says beside that."""
    ended = status(*arguments)
    out, err = capture.readouterr()
    assert ended == expected, err
    return out + err
