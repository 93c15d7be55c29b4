"""Files that are cut off, too large, nested or nonsense end in a message: never in a traceback."""

from __future__ import annotations

import gzip
import json
import random
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raidsim.errors import InputError
from raidsim.importing.importer import import_files
from raidsim.importing.wishes import Wishes
from raidsim.running import run
from raidsim.scenario.scenario import load_text

DATA = Path(__file__).parent / "data" / "importing"
SAMPLES = sorted(
    path for path in DATA.rglob("*")
    if path.is_file() and path.stat().st_size < 20_000 and path.name != "README.md"
)  # fmt: skip
WISHES = Wishes(group=1, outstanding=4, random=1.0, device="sda")


def tried(path: Path) -> str:
    """What an import ends in: the text, or the message."""
    try:
        made = import_files([str(path)], wishes=WISHES)
    except InputError as error:
        return str(error)
    if made.is_whole:
        load_text(made.text)
    return made.text


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as refused:
        import_files([str(path)], wishes=WISHES)
    return str(refused.value)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_sample_that_is_cut_off_anywhere_is_read_or_refused(sample, tmp_path):
    text = sample.read_bytes()
    path = tmp_path / sample.name
    for at in range(0, len(text), max(len(text) // 12, 1)):
        path.write_bytes(text[:at])
        assert tried(path)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_sample_with_other_numbers_and_words_is_read_or_refused(sample, tmp_path):
    source = random.Random(1)
    path = tmp_path / sample.name
    text = sample.read_text(errors="replace")
    for _ in range(12):
        lines = text.split("\n")
        for _ in range(source.randrange(1, 5)):
            number = source.randrange(len(lines))
            other = source.choice(
                ["-1", "0", "9" * 30, "1e999", "NaN", "null", '"x"', "{}", "é", "", "²"]
            )
            words = lines[number].split(" ")
            words[source.randrange(len(words))] = other
            lines[number] = " ".join(words)
        path.write_text("\n".join(lines))
        assert tried(path)


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_is_read_or_refused(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("any") / "x"
    path.write_text(text, errors="replace")
    for form in ("storcli", "mdadm", "mdstat", "megacli", "ssacli", "vdbench", "iometer", "iostat"):
        try:
            import_files([str(path)], form=form, wishes=WISHES)
        except InputError:
            continue


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["Devices", "blockdevices", "device", "smartctl", "name", "type", "size",
                         "children", "Controllers", "Response Data", "Command Status", "EID:Slt",
                         "DG/VD", "TYPE", "VD LIST", "@odata.type", "Drives", "Links", "nodes"]),
        inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(
    VALUES, st.sampled_from(["storcli", "smartctl", "nvme", "lsblk", "redfish", "sar", "iostat"])
)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_json_is_read_or_refused(tmp_path_factory, value, form):
    path = tmp_path_factory.mktemp("any") / "x.json"
    path.write_text(json.dumps(value))
    try:
        import_files([str(path)], form=form, wishes=WISHES)
    except InputError:
        return


def test_json_that_is_nested_too_deeply_is_refused(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text('{"blockdevices":' + "[" * 100_000)
    assert "is nested too deeply" in refusal(path)


def test_json_of_more_values_than_any_inventory_is_refused(tmp_path):
    path = tmp_path / "many.json"
    path.write_text('{"blockdevices":[' + "0," * 600_000 + "0]}")
    assert "more than 500,000 values" in refusal(path)


def test_a_line_of_text_that_never_ends_is_refused(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("Personalities : [raid1]\nmd0 : active raid1 " + "sda[0] " * 300_000)
    assert ":2: is longer than 1,048,576 characters" in refusal(path)


def test_a_broken_json_is_refused_with_its_line(tmp_path):
    path = tmp_path / "broken.json"
    path.write_text('{"blockdevices": [\n {"name": "sda"\n "type": "disk"}]}')
    assert 'broken.json:3: "}" is missing; the file may be cut off' in refusal(path)


def test_warnings_before_json_and_several_documents_are_read(tmp_path):
    one = (DATA / "smartctl/HGST_HUS724020ALE640_28.json").read_text()
    other = (DATA / "smartctl/SAMSUNG_MZQLB1T9HAJR-00007_19.json").read_text()
    path = tmp_path / "two.json"
    path.write_text("warning: something\n" + one + "\n" + other)
    made = import_files([str(path)])
    assert len(load_text(made.text).volumes) == 2
    assert 'two.json:1: "warning: something" is not JSON, and is left out' in str(made.remarks[0])


def test_what_a_shell_of_windows_wrote_is_read(tmp_path):
    text = (DATA / "mdadm/jc-mdadm-query-raid5-ok.out").read_text().replace("\n", "\r\n")
    path = tmp_path / "windows.txt"
    path.write_bytes(b"\xff\xfe" + text.encode("utf-16-le"))
    assert load_text(import_files([str(path)]).text).volumes[0].level == "raid5"


def test_a_file_of_gzip_is_read_and_a_bomb_is_not(tmp_path):
    path = tmp_path / "mdstat.gz"
    path.write_bytes(gzip.compress((DATA / "mdstat/pymdstat-02").read_bytes()))
    assert load_text(import_files([str(path)]).text).volumes[0].level == "raid5"
    cut = tmp_path / "cut.gz"
    cut.write_bytes(path.read_bytes()[:100])
    assert "is incomplete: gzip finds no end" in refusal(cut)
    bomb = tmp_path / "bomb.gz"
    packer = zlib.compressobj(9, wbits=31)
    parts = [packer.compress(b"\0" * 2**20) for _ in range(400)]
    bomb.write_bytes(b"".join([*parts, packer.flush()]))
    assert "is larger than 64 MiB" in refusal(bomb)


@pytest.mark.parametrize("sparse", [10 * 2**30])
def test_a_line_of_ten_gigabytes_is_refused_within_four_of_addresses(tmp_path, sparse):
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.write(b"Personalities : ")
        file.truncate(sparse)
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))\n"
        "from raidsim.cli import main\n"
        f"main(['import', {str(path)!r}])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "is larger than 64 MiB: no inventory is so large" in done.stderr
    assert "Traceback" not in done.stderr


def test_files_that_are_none_are_refused(tmp_path):
    assert "none: no such file" in refusal(tmp_path / "none")
    (tmp_path / "folder").mkdir()
    assert "is a folder without files" in refusal(tmp_path / "folder")
    (tmp_path / "empty").write_text("\n")
    assert "is empty" in refusal(tmp_path / "empty")
    (tmp_path / "zip").write_bytes(b"PK\x03\x04rest")
    assert "is packed (zip); unpack it first" in refusal(tmp_path / "zip")
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\0")
    assert "contains NUL bytes" in refusal(tmp_path / "binary")


def test_a_trace_for_caches_is_refused_by_its_records(tmp_path):
    path = tmp_path / "trace.bin"
    path.write_bytes(b"".join(struct.pack("<IQIq", n // 3, n * 7, 4096, n + 5) for n in range(50)))
    assert "oracleGeneral is a trace for caches" in refusal(path)


def test_names_with_quotes_and_line_ends_make_no_other_scenario(tmp_path):
    text = (DATA / "storcli/puppet-call_vall_show_0.json").read_text()
    path = tmp_path / "evil.json"
    path.write_text(text.replace('"HOME"', json.dumps('x"\n[host]\nmodel = "y" # \u2028')))
    scenario = load_text(import_files([str(path)]).text)
    assert scenario.host.model == "fujitsu-rx2540-m1"


# ---------------------------------------------------------------- round trips

ROTATIONS = ["left-symmetric", "left-asymmetric", "right-symmetric", "right-asymmetric"]


@st.composite
def md_arrays(draw):
    """An array of md as --detail prints it, and what a scenario must have of it."""
    level = draw(st.sampled_from(["raid0", "raid1", "raid5", "raid6", "raid10"]))
    least = {"raid0": 2, "raid1": 2, "raid5": 3, "raid6": 4, "raid10": 4}[level]
    count = draw(st.integers(least, 12))
    chunk = draw(st.sampled_from([4, 64, 512, 1024]))
    kinds = ["near=2", "far=2", "offset=2"] if level == "raid10" else ROTATIONS
    layout = draw(st.sampled_from(kinds)) if level in {"raid5", "raid6", "raid10"} else None
    gone = {"raid1": 1, "raid5": 1, "raid6": 2, "raid10": 1}.get(level, 0)
    failed = draw(st.lists(st.integers(0, count - 1), max_size=gone, unique=True).map(sorted))
    rebuilt = failed[:1] if failed and draw(st.booleans()) else []
    spares = draw(st.integers(0, 2)) if level != "raid0" else 0
    lines = [
        "/dev/md7:", "           Version : 1.2", f"        Raid Level : {level}",
        f"      Raid Devices : {count}", "             State : clean",
    ]  # fmt: skip
    lines += [f"            Layout : {layout}"] if layout else []
    lines += [f"        Chunk Size : {chunk}K"] if level != "raid1" else []
    lines += ["    Number   Major   Minor   RaidDevice State"]
    for slot in range(count):
        state = "spare rebuilding" if slot in rebuilt else "active sync"
        if slot in failed and slot not in rebuilt:
            lines.append(f"       -       0        0        {slot}      removed")
        else:
            name = f"/dev/sd{chr(97 + slot)}"
            lines.append(f"       {slot}       8       {slot}        {slot}      {state}   {name}")
    for number in range(spares):
        name = f"/dev/sdz{chr(97 + number)}"
        lines.append(f"       {20 + number}       8       99        -      spare   {name}")
    return "\n".join(lines) + "\n", {
        "level": level, "drives": count, "failed": tuple(failed), "spares": spares,
        **({"strip": chunk * 1024} if level != "raid1" else {}),
        **({"rotation": layout} if level in {"raid5", "raid6"} else {}),
        **({"spread": layout.partition("=")[0]} if level == "raid10" else {}),
    }, rebuilt  # fmt: skip


@given(md_arrays())
@settings(max_examples=100, deadline=None)
def test_an_array_comes_back_as_it_was_described(tmp_path_factory, described):
    text, wanted, rebuilt = described
    path = tmp_path_factory.mktemp("md") / "detail.txt"
    path.write_text(text)
    scenario = load_text(import_files([str(path)]).text)
    (volume,) = scenario.volumes
    assert {key: getattr(volume, key) for key in wanted} == wanted
    assert [event.drive for event in scenario.events] == rebuilt


@given(md_arrays())
@settings(max_examples=5, deadline=None)
def test_an_array_that_was_imported_runs(tmp_path_factory, described):
    path = tmp_path_factory.mktemp("md") / "detail.txt"
    path.write_text(described[0])
    quick = ["measure.max_ios=2000", "measure.min_ios=500", "measure.max_time=12 s"]
    (point,) = run(load_text(import_files([str(path)]).text, overrides=quick)).points
    assert point.iops.mean > 0


@pytest.mark.parametrize("other", ["²", "9" * 5_000], ids=["²", "9 ..."])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_sample_with_a_numeral_that_is_no_number_is_read_or_refused(sample, other, tmp_path):
    """Some digits are in no number that Python reads, and there may be too many of the others."""
    text = sample.read_text(errors="replace")
    numerals = [numeral.span() for numeral in re.finditer(r"\d+", text)]
    path = tmp_path / sample.name
    for begin, end in random.Random(1).sample(numerals, min(len(numerals), 20)):
        path.write_text(text[:begin] + other + text[end:])
        assert tried(path)
