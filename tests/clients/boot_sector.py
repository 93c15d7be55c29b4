"""A boot sector of our own, the smallest thing that a virtual machine boots from.

It asks the BIOS for sectors of the drive that it was booted from, prints them on the first serial
line, writes the first of them to another place, and ends the virtual machine with a status.
"""

from __future__ import annotations

import struct

SECTOR = 512
READ_FROM, SECTORS, WRITE_TO = 120, 16, 4096  # the first 64 KiB end at sector 128
DEBUG_EXIT = "isa-debug-exit,iobase=0xf4,iosize=1"
DONE, FAILED = 33, 65  # status of qemu: twice what is written to the port, and one

_AT = 0x7C00
_SEGMENT = 0x1000  # where the sectors go: address 0x10000


def boot_sector() -> bytes:
    """512 bytes, for the CPU as it starts: 16 bits, at address 0x7c00, the drive's number in DL."""
    code = bytearray()
    labels: dict[str, int] = {}
    jumps: list[tuple[int, str]] = []

    def put(text: str) -> None:
        code.extend(bytes.fromhex(text))

    def label(name: str) -> None:
        labels[name] = len(code)

    def jump(opcode: str, name: str) -> None:
        put(opcode + "00")
        jumps.append((len(code) - 1, name))

    def ask(function: int, packet: int) -> None:
        put("31c0 8ed8")  # xor ax, ax; mov ds, ax
        put("be" + struct.pack("<H", _AT + packet).hex())  # mov si, packet
        put("8a16" + struct.pack("<H", _AT + 0x1F0).hex())  # mov dl, [drive]
        put("b8" + struct.pack("<H", function << 8).hex())  # mov ax, function
        put("cd13")  # int 0x13
        jump("72", "failed")  # jc failed

    put("fa 31c0 8ed8 8ed0 bc007c fb")  # cli; ax = ds = ss = 0; sp = 0x7c00; sti
    put("8816" + struct.pack("<H", _AT + 0x1F0).hex())  # mov [drive], dl
    ask(0x42, 0x1D0)  # read
    put("b8" + struct.pack("<H", _SEGMENT).hex() + "8ed8 31f6")  # ds = segment; si = 0
    put("b9" + struct.pack("<H", SECTORS * SECTOR).hex())  # mov cx, bytes
    label("next")
    put("bafd03")  # mov dx, 0x3fd: the state of the serial line
    label("wait")
    put("ec a820")  # in al, dx; test al, 0x20: it takes a byte
    jump("74", "wait")
    put("ac baf803 ee")  # lodsb; mov dx, 0x3f8; out dx, al
    jump("e2", "next")  # loop next
    ask(0x43, 0x1E0)  # write
    put("b010")  # mov al, 0x10
    jump("eb", "end")
    label("failed")
    put("b020")  # mov al, 0x20
    label("end")
    put("e6f4")  # out 0xf4, al
    label("stop")
    put("f4")  # hlt
    jump("eb", "stop")
    for at, name in jumps:
        code[at : at + 1] = struct.pack("<b", labels[name] - at - 1)
    assert len(code) <= 0x1B8
    code.extend(bytes(0x1D0 - len(code)))
    code.extend(struct.pack("<BBHHHQ", 16, 0, SECTORS, 0, _SEGMENT, READ_FROM))
    code.extend(struct.pack("<BBHHHQ", 16, 0, 1, 0, _SEGMENT, WRITE_TO))
    code.extend(bytes(SECTOR - 2 - len(code)))
    return bytes(code) + b"\x55\xaa"


def image(text: bytes) -> bytes:
    """A disk that prints a text of so many sectors, and copies its beginning."""
    assert len(text) == SECTORS * SECTOR
    return boot_sector().ljust(READ_FROM * SECTOR, b"\0") + text
