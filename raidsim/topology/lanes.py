"""The payload rate of one lane of each kind of connection.

Payload each way, in bytes per second: the line rate less its coding and its packets (but not the
frames of SAS, which depend on the drive):

- coding: 8b/10b up to SAS 12G and PCIe 2, 128b/130b in PCIe 3 to 5; SAS 24G (SAS-4) runs at 22.5
  Gbaud with 128 data bits of 150, and 20 of the others are its forward error correction;
- PCIe and DMI: less packet headers, 24 bytes for a payload of 256, the largest packet of servers up
  to PCIe 4, and for one of 512 in PCIe 5;
- Ethernet: 1460 of the 1538 bytes that a frame takes on the wire.
"""

from __future__ import annotations

_PCIE = 256 / (256 + 24)
_PCIE_5 = 512 / (512 + 24)
_ETHERNET = 1460 / 1538

SPEEDS: dict[str, float] = {
    "sata-3g": 300e6,
    "sata-6g": 600e6,
    "sas-3g": 300e6,
    "sas-6g": 600e6,
    "sas-12g": 1200e6,
    "sas-24g": 22.5e9 * 128 / 150 / 8,
    "pcie-1": 250e6 * _PCIE,
    "pcie-2": 500e6 * _PCIE,
    "pcie-3": 8e9 * 128 / 130 / 8 * _PCIE,
    "pcie-4": 16e9 * 128 / 130 / 8 * _PCIE,
    "pcie-5": 32e9 * 128 / 130 / 8 * _PCIE_5,
    "dmi-2": 500e6 * _PCIE,
    "1gbe": 125e6 * _ETHERNET,
    "10gbe": 1250e6 * _ETHERNET,
    "40gbe": 5000e6 * _ETHERNET,
}


_FRAMES = 1024 / (1024 + 48)
"""What a frame of SAS, 1,024 bytes, leaves of a lane: header, check sum and primitives beside."""

_SATA_FRAMES = 8192 / (8192 + 430)
"""The same of SATA, whose frames have 8,192 bytes of data, on a lane of SAS too.

Each frame is asked for and answered before the next one (two times there and back): sheets of
drives at 6 Gbit/s print 560 MB/s at most in commands of 128 KiB, and 280 at 3 Gbit/s.
"""

SATA_COMMAND = 1600
"""What a command of SATA takes of its lane beside data, as so many bytes of it.

Four frames without data, each of which waits for its answers as a frame of data does: the command,
that it was taken, where its data belong, and that it is done. Sheets of drives at 6 Gbit/s print
100,000 reads of 4 KiB a second at most, 10 us each.
"""


def share_of_data(speed: str, interface: str) -> float:
    """The share of a lane that data of a drive gets; frames take the rest."""
    if not is_serial(speed):
        return 1.0
    return _SATA_FRAMES if interface == "sata" else _FRAMES if speed.startswith("sas") else 1.0


def of_one_drive(speed: str, interface: str) -> float:
    """Payload each way of a port of SAS or SATA that one drive is on, bytes per second."""
    return SPEEDS[speed] * share_of_data(speed, interface)


def bandwidth(speed: str, lanes: int) -> float:
    """Payload that ``lanes`` side by side carry each way, bytes per second.

    Frames of SAS are not taken off: see :func:`share_of_data`.
    """
    return SPEEDS[speed] * lanes


def is_serial(kind: str) -> bool:
    """Return whether it is SAS or SATA: drives have one lane, ends agree on the slower speed."""
    return kind.partition("-")[0] in ("sas", "sata")


def is_half_duplex(kind: str) -> bool:
    """Return whether it carries one direction at a time."""
    return kind.partition("-")[0] == "sata"


def agreed(speed: str, other: str) -> str:
    """Speed of a lane between two ends; they can differ on SAS and SATA."""
    if not (is_serial(speed) and is_serial(other)):
        return speed
    return min(speed, other, key=SPEEDS.__getitem__)
