"""What a page is started with: where it listens, who may come, and how much each may ask for."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from dataclasses import dataclass

from raidsim.page import bounds

PORT = 8642
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def _silent(_words: str) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Settings:
    """The settings of a served page.

    Attributes
    ----------
    host : the address it listens at.
    port : the port; 0 for any that is free.
    token : what a visitor has to show; None where only this computer can come.
    names : names of this computer under which visitors may ask for it, beside its addresses.
    workers : processes that simulate.
    limit_s : seconds that a run may take.
    attached : control socket of an attached system that is watched here; None for none.
    say : called with what whoever started the page should know.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    token: str | None = None
    names: tuple[str, ...] = ()
    workers: int = 2
    limit_s: float = bounds.RUN_S
    attached: str | None = None
    say: Callable[[str], None] = _silent

    @property
    def is_loopback(self) -> bool:
        """Whether it can be reached from this computer only."""
        return is_loopback(self.host)

    def knows(self, host: str) -> bool:
        """Return whether a name or address, as a browser asks for it, is one of this computer.

        A page elsewhere can let its own name lead here (DNS rebinding), but no address: so any
        address will do, where others than this computer can come at all.
        """
        if host in LOOPBACK or host.lower() in self.names:
            return True
        if self.is_loopback:
            return is_loopback(host)
        return _address(host) is not None or host.lower() == socket.gethostname().lower()


def is_loopback(host: str) -> bool:
    """Return whether an address leads to this computer itself."""
    address = _address(host)
    return host == "localhost" if address is None else address.is_loopback


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
