"""A Linux kernel in a virtual machine, with mdadm and little else, that looks at images of drives.

The kernel is that of a Debian package, which `make test-clients` unpacks; it is not installed. The
machine is emulated (no KVM), has no network, and ends by itself.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

PATIENCE = 240  # s
UNPACKED = Path(os.environ.get("RAIDSIM_LINUX", "out/linux"))
MODULES = (
    "virtio_pci", "virtio_scsi", "sd_mod", "crc32c_generic", "linear", "raid0", "raid1", "raid10",
    "raid456",
)  # fmt: skip

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc none /proc; mount -t sysfs none /sys
mount -t devtmpfs none /dev; mount -t tmpfs none /run
mkdir -p /run/mdadm; export MDADM_NO_UDEV=1
for module in $(cat /order); do insmod /modules/$module.ko || echo "no $module"; done


# The device of a target of the SCSI host.
disk() { echo /dev/$(ls /sys/bus/scsi/devices/*:0:$1:$2/block); }
told() { echo "$@" > /dev/ttyS1; }
. /work
told end
sync
poweroff -f
"""


def _module(folder: Path, name: str) -> Path:
    found = [*folder.rglob(f"{name}.ko"), *folder.rglob(f"{name.replace('_', '-')}.ko")]
    assert found, f"the kernel has no module {name}"
    return found[0]


def _in_order(folder: Path) -> list[Path]:
    """The modules that are needed, each behind those that it depends on."""
    ordered: list[Path] = []

    def add(name: str) -> None:
        path = _module(folder, name)
        depends = re.search(rb"\0depends=([^\0]*)\0", path.read_bytes())
        for other in depends[1].decode().split(",") if depends else ():
            if other:
                add(other)
        if path not in ordered:
            ordered.append(path)

    for name in MODULES:
        add(name)
    return ordered


def _archive(files: dict[str, tuple[int, bytes]]) -> bytes:
    """A cpio archive of the form that Linux starts from (newc): names to modes and contents."""
    data = bytearray()

    def put(name: str, mode: int, content: bytes, number: int) -> None:
        fields = [number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        data.extend(b"070701" + "".join(f"{one:08x}" for one in fields).encode())
        data.extend(name.encode() + b"\0")
        data.extend(bytes(-len(data) % 4))
        data.extend(content)
        data.extend(bytes(-len(data) % 4))

    for number, (name, (mode, content)) in enumerate(files.items(), 1):
        put(name, mode, content, number)
    put("TRAILER!!!", 0, b"", 0)
    return bytes(data)


def _first_files(work: str, extra: dict[str, bytes]) -> bytes:
    """What the kernel has when it starts."""
    folder, program = 0o040755, 0o100755
    ordered = _in_order(UNPACKED)
    files = dict.fromkeys(("bin", "dev", "proc", "sys", "run", "modules"), (folder, b""))
    files["init"] = (program, INIT.encode())
    files["work"] = (program, work.encode())
    files["order"] = (program, "\n".join(path.stem for path in ordered).encode())
    for path in ordered:
        files[f"modules/{path.stem}.ko"] = (program, path.read_bytes())
    busybox, mdadm = shutil.which("busybox"), shutil.which("mdadm")
    assert busybox, "busybox-static is not installed"
    assert mdadm, "mdadm is not installed"
    files["bin/busybox"] = (program, Path(busybox).read_bytes())
    files["bin/mdadm"] = (program, Path(mdadm).read_bytes())
    libraries = subprocess.run(["ldd", mdadm], capture_output=True, text=True, check=True).stdout
    for library in re.findall(r"(/\S+) \(0x", libraries):
        parts = Path(library).parts[1:-1]
        for end in range(1, len(parts) + 1):
            files.setdefault("/".join(parts[:end]), (folder, b""))
        files[library[1:]] = (program, Path(library).read_bytes())
    files |= {name: (program, content) for name, content in extra.items()}
    return _archive(files)


def boot(folder: Path, drives: Sequence[Path], work: str, extra: dict[str, bytes]) -> list[str]:
    """Let a kernel do some work; the lines that it told.

    Parameters
    ----------
    folder
        For what the machine starts from, and what it prints.
    drives
        Images: number n is the drive ``$(disk n//8 n%8)`` of the work.
    work
        Lines of a shell; what is given to ``told`` is returned.
    extra
        Files that it finds, by name.
    """
    kernel = next(iter((UNPACKED / "boot").glob("vmlinuz-*")), None)
    assert kernel is not None, f"there is no kernel in {UNPACKED}: make test-clients puts it there"
    first, console, told = folder / "initramfs", folder / "console", folder / "told"
    first.write_bytes(gzip.compress(_first_files(work, extra), 1))
    machine = ["qemu-system-x86_64", "-machine", "q35,accel=tcg", "-cpu", "max", "-m", "512"]
    machine += ["-nodefaults", "-display", "none", "-no-reboot", "-kernel", str(kernel)]
    machine += ["-initrd", str(first), "-serial", f"file:{console}", "-serial", f"file:{told}"]
    machine += ["-append", "console=ttyS0 loglevel=5 panic=-1", "-device", "virtio-scsi-pci"]
    for number, path in enumerate(drives):
        machine += ["-drive", f"file={path},format=raw,if=none,id=d{number},cache=unsafe"]
        machine += ["-device", f"scsi-hd,drive=d{number},scsi-id={number // 8},lun={number % 8}"]
    done = subprocess.run(machine, capture_output=True, text=True, timeout=PATIENCE, check=False)
    print(console.read_text(errors="replace"))
    assert done.returncode == 0, done.stderr
    lines = told.read_text().splitlines()
    assert lines[-1:] == ["end"], "the machine did not come to its end"
    return lines[:-1]
