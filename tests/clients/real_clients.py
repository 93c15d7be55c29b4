"""Programs that know nothing of raidsim, unmodified: fio, qemu, nbdcopy, nbdinfo, mdadm.

They are Debian's; `make test-clients` installs them and runs this. Everything is on Unix sockets of
this computer, and bounded in time.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from clients.boot_sector import DEBUG_EXIT, DONE, READ_FROM, SECTOR, SECTORS, WRITE_TO, image

MIB = 2**20
PATIENCE = 120  # s for any program

DISKS = """
schema = 1
title = "disks"
[host]
model = "fujitsu-rx300-s4"
[[volume]]
name = "data"
level = "{level}"
drives = {drives}
spans = {spans}
drive = "seagate-st373455ss"
disk_cache = "off"
rebuild_sample = "0.01 %"
[[load]]
read = "100 %"
size = "8 KiB"
outstanding = 1
"""

CONTROLLERS = """
schema = 1
title = "two controllers"
[host]
model = "fujitsu-rx300-s4"
[[controller]]
name = "a"
model = "lsi-megaraid-1078-512"
[[controller]]
name = "b"
model = "lsi-megaraid-1078-512"
[[volume]]
name = "data"
level = "raid5"
drives = 4
drive = "seagate-st373455ss"
write = "back"
controller = "a"
rebuild_sample = "0.01 %"
[[volume]]
name = "other"
level = "raid1"
drives = 2
drive = "seagate-st373455ss"
controller = "b"
[[load]]
volume = "data"
read = "100 %"
size = "8 KiB"
outstanding = 1
"""

FLASH = """
schema = 1
title = "flash"
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
name = "fast"
level = "raid1"
drives = 2
drive = "intel-p3700-800gb"
state = "fresh"
[[volume]]
name = "log"
drive = "intel-p3700-800gb"
state = "fresh"
[[load]]
volume = "fast"
read = "100 %"
size = "8 KiB"
outstanding = 1
"""


def disks(level: str, drives: int) -> str:
    text = DISKS.format(level=level, drives=drives, spans=2)
    return text if level.endswith("50") else text.replace("spans = 2\n", "")


class Server:
    """`raidsim attach` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.socket, self.control = folder / "nbd", folder / "control"

    def uri(self, name: str = "") -> str:
        return f"nbd+unix:///{name}?socket={self.socket}"

    def ask(self, **wish: object) -> dict[str, object]:
        """What the control socket answers; `raidsim tell` asks the same."""
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self.control))
            line.sendall(json.dumps(wish).encode() + b"\n")
            told = json.loads(line.makefile().readline())
        assert told["ok"], told
        return dict(told)


@contextlib.contextmanager
def attached(folder: Path, text: str, speed: float, *options: str):
    scenario = folder / "scenario.toml"
    scenario.write_text(text)
    server = Server(folder)
    command = [sys.executable, "-m", "raidsim", "attach", str(scenario)]
    command += ["--socket", str(server.socket), "--control", str(server.control)]
    command += ["--speed", str(speed), "--for", "5 min", *options]
    log = folder / "log"
    with log.open("w") as stderr, subprocess.Popen(command, stderr=stderr) as process:
        try:
            deadline = time.monotonic() + PATIENCE
            while not server.control.exists():
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.05)
            yield server
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)
            print(log.read_text())
    assert process.returncode == 0
    assert not server.socket.exists()


def run(*command: str) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=False, env=os.environ
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def fio(server: Server, name: str, *options: str) -> list[str]:
    return ["fio", "--name=t", "--ioengine=nbd", f"--uri={server.uri(name)}", *options]


# ---- what there is


def test_nbdinfo_lists_the_volumes_and_what_they_take(tmp_path: Path) -> None:
    with attached(tmp_path, FLASH, 1.0) as server:
        listed = json.loads(run("nbdinfo", "--list", "--json", server.uri()))
        exports = {one["export-name"]: one for one in listed["exports"]}
        assert set(exports) == {"fast", "log"}
        fast = exports["fast"]
        assert fast["can_flush"]
        assert fast["can_fua"]
        assert fast["can_trim"]
        assert fast["can_zero"]
        assert fast["can_multi_conn"]
        assert not fast["is_rotational"]
        assert fast["block_size_minimum"] == 512
        assert listed["structured"]


# ---- copies


def test_an_image_comes_back_as_it_was_copied(tmp_path: Path) -> None:
    image, back = tmp_path / "image", tmp_path / "back"
    content = random.Random(3).randbytes(3 * MIB) + bytes(2 * MIB) + b"end" * 1000
    content += bytes(-len(content) % 4096)
    image.write_bytes(content)
    with attached(tmp_path, disks("raid6", 5), 1000.0) as server:
        uri = server.uri("data")
        run("nbdcopy", "--flush", str(image), uri)
        extents = json.loads(run("nbdinfo", "--map", "--json", uri))
        assert {one["type"] for one in extents} == {0, 3}  # data, and what was never written
        assert sum(one["length"] for one in extents) == int(run("nbdinfo", "--size", uri))
        part = f"json:{{'driver':'raw','size':{len(content)},'file':{{'driver':'nbd',"
        part += f"'export':'data','server':{{'type':'unix','path':'{server.socket}'}}}}}}"
        run("qemu-img", "convert", "-O", "raw", part, str(back))
        assert back.read_bytes() == content
        run(
            "qemu-img",
            "convert",
            "-n",
            "-f",
            "raw",
            "-O",
            "raw",
            str(image),
            part.replace("'driver':'raw','size'", "'driver':'raw','offset':1073741824,'size'"),
        )
        assert "identical" in run("qemu-img", "compare", "-F", "raw", str(image), part)


def test_qemu_io_writes_patterns_zeros_and_holes(tmp_path: Path) -> None:
    with attached(tmp_path, FLASH, 1000.0) as server:
        commands = [
            "write -P 0xaa 1M 256k",
            "write -f -P 0xbb 1100k 4k",  # to the medium
            "flush",
            "read -P 0xbb 1100k 4k",
            "read -P 0xaa 1M 64k",
            "write -z 1M 128k",
            "write -z -u 1200k 4k",
            "read -P 0 1M 76k",
            "read -P 0 1200k 4k",
            "read -P 0xaa 1216k 64k",
            "discard 0 1G",
            "aio_write -P 0xcc 2M 1M",
            "aio_flush",
            "read -P 0xcc 2M 1M",
        ]
        words = [word for command in commands for word in ("-c", command)]
        printed = run("qemu-io", "-f", "raw", *words, server.uri("fast"))
        assert "failed" not in printed.lower()


# ---- a virtual machine


def test_a_virtual_machine_boots_from_an_array_without_one_of_its_drives(tmp_path: Path) -> None:
    """Its BIOS reads boot sector and text; the guest prints the text, and writes to the array."""
    text = b"".join(b"line %06d\r\n" % number for number in range(1000))[: SECTORS * SECTOR]
    disk, printed = tmp_path / "disk", tmp_path / "printed"
    disk.write_bytes(image(text))
    with attached(tmp_path, disks("raid5", 4), 1.0) as server:
        run("nbdcopy", "--flush", str(disk), server.uri("data"))
        server.ask(**fails(0))  # the drive with the boot sector
        drive = f"file=nbd:unix:{server.socket}:exportname=data,format=raw,if=ide"
        machine = ["qemu-system-x86_64", "-machine", "accel=tcg", "-m", "32", "-nodefaults"]
        machine += ["-display", "none", "-no-reboot", "-drive", drive, "-device", DEBUG_EXIT]
        machine += ["-serial", f"file:{printed}"]
        done = subprocess.run(
            machine, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert done.returncode == DONE, done.stderr
        assert printed.read_bytes() == text
        command = f"read -v {WRITE_TO * SECTOR} {SECTOR}"
        dumped = run("qemu-io", "-r", "-f", "raw", "-c", command, server.uri("data"))
        lines = re.findall(r"^[0-9a-f]{8}:((?: +[0-9a-f]{2}){16})", dumped, re.MULTILINE)
        assert bytes.fromhex("".join(lines)) == text[:SECTOR]
    assert READ_FROM * SECTOR < 64 * 2**10 < (READ_FROM + SECTORS) * SECTOR  # on two drives


# ---- no wrong byte


def fails(drive: int) -> dict[str, object]:
    return {"kind": "drive-failure", "drive": drive}


def replaced(drive: int) -> dict[str, object]:
    return {"kind": "replacement", "drive": drive}


BROKEN = {
    "raid5": (disks("raid5", 4), [fails(1), replaced(1)]),
    "raid6": (disks("raid6", 6), [fails(0), fails(3), replaced(0)]),
    "raid10": (disks("raid10", 4), [fails(0), fails(2), replaced(2)]),
    "raid50": (disks("raid50", 6), [fails(1), fails(4)]),
    "controllers": (
        CONTROLLERS,
        [
            {"kind": "battery", "controller": "a", "state": "low"},
            {"kind": "controller-failure", "controller": "a", "partner": "b", "outage": "0.1 s"},
            fails(2) | {"volume": "data"},
        ],
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_fio_finds_no_wrong_byte_while_things_break(tmp_path: Path, case: str) -> None:
    text, events = BROKEN[case]
    with attached(tmp_path, text, 50.0) as server:
        options = ["--rw=randwrite", "--bsrange=4k-128k", "--iodepth=8", "--size=160m"]
        options += ["--verify=crc32c", "--do_verify=1", "--randseed=5", "--verify_state_save=0"]
        command = fio(server, "data", *options)
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as job:
            for event in events:
                time.sleep(0.1)
                server.ask(**event)
            assert job.poll() is None  # it has happened while fio was at work
            printed, _ = job.communicate(timeout=PATIENCE)
        assert job.returncode == 0, printed
        assert "err= 0" in printed
        status = server.ask(show="status")["status"]
        assert status["volumes"]["data"]["health"] != "failed"
        again = fio(server, "data", *options, "--verify_only=1")
        assert "err= 0" in run(*again)


# ---- members


def dirty_bits(drive: Path) -> int:
    """What mdadm counts; of a plain file it takes the bitmap alone, which begins at 8 KiB here."""
    alone = drive.with_name("bitmap")
    with drive.open("rb") as file:
        file.seek(2 * 4096)
        alone.write_bytes(file.read(2**18))
    printed = run("mdadm", "--examine-bitmap", str(alone))
    alone.unlink()
    return int(printed.split("bits (chunks), ")[1].split()[0])


@pytest.mark.parametrize(
    ("level", "drives", "words", "layout"),
    [
        ("raid1", 2, "raid1", None),
        ("raid10", 4, "raid10", "near=2"),
        ("raid5", 4, "raid5", "left-symmetric"),
        ("raid6", 5, "raid6", "left-symmetric"),
    ],
)
def test_mdadm_examines_the_files_of_the_drives(
    tmp_path: Path, level: str, drives: int, words: str, layout: str | None
) -> None:
    text = disks(level, drives).replace("rebuild_sample", 'intent = "bitmap"\nrebuild_sample')
    members = tmp_path / "members"
    with attached(tmp_path, text, 1000.0, "--members", str(members)) as server:
        run("qemu-io", "-f", "raw", "-c", "write -P 7 0 1M", "-c", "flush", server.uri())
        server.ask(kind="drive-failure", drive=1)
        run("qemu-io", "-f", "raw", "-c", "write -P 8 3G 1M", "-c", "read -P 7 0 1M", server.uri())
        in_use = run("mdadm", "--examine", str(members / "data" / "drive-0"))
        assert "State : active" in in_use
        assert dirty_bits(members / "data" / "drive-0") >= 2
    printed = run("mdadm", "--examine", str(members / "data" / "drive-0"))
    for line in (
        "Version : 1.2", f"Raid Level : {words}", f"Raid Devices : {drives}", "State : clean",
        "Checksum", "correct", "Device Role : Active device 0", "Name : raidsim:data",
        "Internal Bitmap : 8 sectors from superblock",
    ):  # fmt: skip
        assert line in printed, printed
    assert f"Array State : A.{'A' * (drives - 2)}" in printed
    assert layout is None or f"Layout : {layout}" in printed
    assert dirty_bits(members / "data" / "drive-0") == 0
    stale = run("mdadm", "--examine", str(members / "data" / "drive-1"))
    assert "Device Role : Active device 1" in stale
    assert f"Array State : {'A' * drives}" in stale  # it knows nothing of its failure


def test_mdadm_examines_members_with_metadata_0_90(tmp_path: Path) -> None:
    members = tmp_path / "members"
    options = ["--members", str(members), "--metadata", "0.90"]
    with attached(tmp_path, disks("raid6", 5), 1000.0, *options) as server:
        run("qemu-io", "-f", "raw", "-c", "write -P 7 0 1M", "-c", "flush", server.uri())
        server.ask(kind="drive-failure", drive=1)
        run("qemu-io", "-f", "raw", "-c", "write -P 8 3G 1M", server.uri())
    printed = run("mdadm", "--examine", str(members / "data" / "drive-0"))
    for line in (
        "Version : 0.90.00", "Raid Level : raid6", "Raid Devices : 5", "State : clean",
        "Active Devices : 4", "Failed Devices : 1", "- correct", "Layout : left-symmetric",
        "Chunk Size : 64K",
    ):  # fmt: skip
        assert line in printed, printed
    stale = run("mdadm", "--examine", str(members / "data" / "drive-1"))
    assert "Active Devices : 5" in stale  # it knows nothing of its failure


def test_mdadm_examines_the_drives_of_a_raid_50_and_the_arrays_that_they_are(
    tmp_path: Path,
) -> None:
    members = tmp_path / "members"
    text = disks("raid50", 6).replace("rebuild_sample", 'set = { "capacity.user" = "10 MB" }\n#')
    with attached(tmp_path, text, 1000.0, "--members", str(members)) as server:
        run("qemu-io", "-f", "raw", "-c", "write -P 7 0 1M", "-c", "flush", server.uri())
    folder = members / "data"
    printed = run("mdadm", "--examine", str(folder / "span-1" / "drive-5"))
    for line in (
        "Version : 1.2", "Raid Level : raid5", "Raid Devices : 3", "State : clean",
        "Name : raidsim:data-1", "Layout : left-symmetric", "Device Role : Active device 2",
    ):  # fmt: skip
        assert line in printed, printed
    inner = tmp_path / "inner"
    read = ("array", "read", str(folder / "span-1"), "--out", str(inner))
    run(sys.executable, "-m", "raidsim", *read)
    printed = run("mdadm", "--examine", str(inner))
    for line in (
        "Version : 1.2", "Raid Level : raid0", "Raid Devices : 2", "Name : raidsim:data",
        "Chunk Size : 128K", "Device Role : Active device 1", "Checksum", "correct",
    ):  # fmt: skip
        assert line in printed, printed
