"""What a user waits for is said: whoever takes long tells, whoever shows progress listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_listeners: list[Callable[[str], None]] = []


def tell(what: str) -> None:
    """Say what takes long now, to all who listen."""
    for listener in _listeners:
        listener(what)


@contextmanager
def told(listener: Callable[[str], None]) -> Iterator[None]:
    """Let somebody be told for a while."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
