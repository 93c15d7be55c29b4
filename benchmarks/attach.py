"""How many requests a second go through an attached volume, and where their time goes.

    python -m benchmarks.attach

The volume is the null block device, whose simulation costs hardly anything, so that what is left is
the server; and a mirror of two NVMe drives. A client in a process of its own keeps 32 requests of
4 KiB outstanding on a Unix socket of this computer, 10,000 in all. CPU time is that of the server;
the last column is what of it the same requests take without a socket.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import socket
import struct
import tempfile
import time
from pathlib import Path

from raidsim.attach import protocol as nbd
from raidsim.attach.attached import AttachedSystem
from raidsim.attach.server import Server
from raidsim.scenario import Scenario

REQUESTS = 10_000
OUTSTANDING = 32
SIZE = 4096
SPEED = 100.0  # so that nobody waits for the simulated hardware

TEXT = """
schema = 1
title = "benchmark"
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
drive = "{drive}"
{more}
[[load]]
read = "100 %"
size = "4 KiB"
outstanding = 1
"""
VOLUMES = {
    "null block device": ("null-block-device", ""),
    "mirror of NVMe drives": ("intel-p3700-800gb", 'level = "raid1"\ndrives = 2\nstate = "fresh"'),
}


def client(path: str, command: int, told: multiprocessing.Queue) -> None:
    """Ask for everything, and tell how long it took, s."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        received = line.makefile("rb")
        received.read(18)
        line.sendall(b"\0\0\0\3" + b"IHAVEOPT" + struct.pack(">II", 1, 0))
        received.read(10)
        payload = bytes(SIZE) if command == nbd.WRITE else b""
        answer = 16 + (SIZE if command == nbd.READ else 0)

        def ask(number: int) -> bytes:
            offset = number * 7919 % 250_000 * SIZE
            return nbd.packed(nbd.Request(0, command, number, offset, SIZE)) + payload

        begun = time.perf_counter()
        line.sendall(b"".join(ask(number) for number in range(OUTSTANDING)))
        for number in range(OUTSTANDING, REQUESTS + OUTSTANDING):
            received.read(answer)
            if number < REQUESTS:
                line.sendall(ask(number))
        told.put(time.perf_counter() - begun)
        line.sendall(nbd.packed(nbd.Request(0, nbd.DISCONNECT, 0, 0, 0)))


async def through_a_socket(attached: AttachedSystem, command: int) -> tuple[float, float]:
    """Seconds on the wall, and of CPU time of this process."""
    server = Server(attached)
    told: multiprocessing.Queue = multiprocessing.Queue()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "nbd"
        await server.listen_at(path)
        server.start()
        process = multiprocessing.Process(target=client, args=(str(path), command, told))
        process.start()
        begun = time.process_time()
        took = await asyncio.to_thread(told.get)
        cpu = time.process_time() - begun
        process.join()
        await server.stop()
    return took, cpu


def without_a_socket(attached: AttachedSystem, command: int) -> float:
    """Seconds of CPU time of the same requests, put into the simulation by hand."""
    (device,) = attached.devices.values()
    payload = bytes(SIZE)
    left = REQUESTS

    def ask(*_: object) -> None:
        nonlocal left
        if left > 0:
            left -= 1
            offset = left * 7919 % 250_000 * SIZE
            device.ask(nbd.Request(0, command, left, offset, SIZE), payload, ask)

    attached.start()
    begun = time.process_time()
    for _ in range(OUTSTANDING):
        ask()
    while left > 0:
        attached.env.advance(attached.env.now + 0.0005)
    return time.process_time() - begun


def main() -> None:
    """Measure everything, and print it."""
    logging.disable()  # that answers are late at a hundred times real time is no news
    print(f"{'':24}{'':8}requests/s   CPU time of each, us   without a socket")
    for name, (drive, more) in VOLUMES.items():
        scenario = Scenario.from_text(TEXT.format(drive=drive, more=more))
        for word, command in ("read", nbd.READ), ("write", nbd.WRITE):
            took, cpu = asyncio.run(through_a_socket(AttachedSystem(scenario, SPEED), command))
            alone = AttachedSystem(scenario, SPEED)
            bare = without_a_socket(alone, command)
            alone.close()
            each = f"{1e6 * cpu / REQUESTS:10.0f}{1e6 * bare / REQUESTS:22.0f}"
            print(f"{name:24}{word:8}{REQUESTS / took:10,.0f}{each}")


if __name__ == "__main__":
    main()
