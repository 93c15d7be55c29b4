"""`raidsim trace`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from command_line import status
from trace_files import DATA

ATLAS = str(DATA / "disksim" / "atlas_III-3000.trace")
BLKTRACE = str(DATA / "nvme-259-qd1.bin")
FIVE = str(DATA / "mqsim-zns.trace")


def call(capsys, *arguments):
    ended = status("trace", *arguments)
    printed = capsys.readouterr()
    return ended, printed.out, printed.err


def test_info_prints_the_figures(capsys):
    status, out, err = call(capsys, "info", ATLAS)
    assert (status, err) == (0, "")
    assert "DiskSim validation trace" in out
    assert re.search(r"^requests +3,000$", out, re.MULTILINE)
    assert re.search(r"^2 KiB +62\.0 % +65\.5 % +21\.1 %$", out, re.MULTILINE)
    assert re.search(r"^read +1,952 +9\.026 ", out, re.MULTILINE)


def test_info_writes_json_html_and_pictures(capsys, tmp_path):
    made = [tmp_path / name for name in ("a.json", "a.html", "a.svg", "a.png")]
    for _ in range(2):
        status, _, _ = call(capsys, "info", ATLAS, "--json", made[0], "--html", made[1],
                            "--plot", made[2])  # fmt: skip
        assert status == 0
    assert call(capsys, "info", ATLAS, "--plot", made[3])[0] == 0
    assert json.loads(made[0].read_text())["requests"] == 3000
    page = made[1].read_text()
    assert page.count("<svg") == 6
    assert "http" not in re.sub(r"xmlns(:xlink)?=\"[^\"]*\"", "", page)
    for words in ("arrivals, IO/s", "latency, ms", "address, GiB", "size of an LRU cache"):
        assert words in made[2].read_text()
    assert made[3].read_bytes().startswith(b"\x89PNG")


def test_json_to_standard_output_stands_alone(capsys):
    status, out, _ = call(capsys, "info", ATLAS, "--json", "-")
    assert status == 0
    assert json.loads(out)["schema"] == "raidsim.trace-info/1"


def test_names_in_a_trace_are_no_html(capsys, tmp_path):
    path = tmp_path / "<b>.csv"
    path.write_text("time [s],op,volume,offset [B],size [B]\n0,r,<script>,0,512\n1,r,<i>,0,512\n")
    assert call(capsys, "info", path, "--html", tmp_path / "x.html")[0] == 0
    page = (tmp_path / "x.html").read_text()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (["info", FIVE], "five numbers"),
        (["info", FIVE, "--format", "mqsym"], 'did you mean "mqsim"?'),
        (["info", FIVE, "--format", "oracleGeneral"], "no operations and no addresses"),
        (["info", "nowhere"], "no such file"),
        (["info", ATLAS, "--volume", "x"], 'no request to a volume "x"'),
        (["info", ATLAS, "--plot", "x.gif"], "ends in '.gif'"),
        (["info", ATLAS, "--sector", "0"], "not a size of a sector"),
        (["info", "named.csv", "--sector", "4096"], "as in offset=LBA [4 KiB]"),
        (["info", "named.csv", "--action", "D"], "only traces of blktrace"),
        (["info", BLKTRACE, "--sector", "4096"], "does not apply to the format blktrace"),
        (["info", ATLAS, "--columns", "time=1 [us]", "--format", "msr"], "format msr"),
        (["info", FIVE, "--format", "replayer", "--sector", "4096"], "format replayer"),
        (["convert", ATLAS, "x.csv", "--to", "etw"], "not a format that can be written"),
        (
            ["convert", ATLAS, "x.csv.zst", "--to", "csv"],
            "would not be compressed, although its name says so",
        ),
        (["convert", ATLAS, ATLAS, "--to", "csv"], "is the input of this command"),
        (["convert", ATLAS, "none/x.csv", "--to", "csv"], "there is no folder"),
        (["fit", ATLAS, "-o", "x.txt"], "ends in '.txt'"),
    ],
)
def test_a_mistake_is_explained_in_a_line(capsys, tmp_path, monkeypatch, arguments, wrong):
    monkeypatch.chdir(tmp_path)
    Path("named.csv").write_text("time [us],op,offset [sectors],size [B]\n0,r,1000,4096\n")
    status, out, err = call(capsys, *arguments)
    assert (status, out) == (2, "")
    assert wrong in err
    assert "Traceback" not in err
    assert [one.name for one in tmp_path.iterdir()] == ["named.csv"]


def test_convert_says_what_is_lost(capsys, tmp_path):
    made = tmp_path / "made.spc"
    status, out, err = call(capsys, "convert", ATLAS, made, "--to", "spc")
    assert status == 0
    assert out == f"{made}: 3,000 of 3,000 requests.\n"
    assert "no response times" in err
    assert "spc" in call(capsys, "info", made)[1] or "SPC" in call(capsys, "info", made)[1]


def test_fit_writes_a_load_that_toml_reads(capsys, tmp_path):
    status, out, _ = call(capsys, "fit", ATLAS)
    assert status == 0
    (load,) = tomllib.loads(out)["load"]
    assert load["rate"] == "19.96 IO/s"
    made = tmp_path / "load.toml"
    status, printed, _ = call(capsys, "fit", ATLAS, "-o", made)
    assert (status, made.read_text()) == (0, out)
    assert re.search(r"reads +% +65\.07 +65\.07", printed)


def test_a_sector_size_of_the_user_is_taken(capsys):
    _, out, _ = call(capsys, "info", FIVE, "--format", "mqsim", "--sector", "4096", "--json", "-")
    large = json.loads(out)
    _, out, _ = call(capsys, "info", FIVE, "--format", "mqsim", "--json", "-")
    assert large["end"] == 8 * json.loads(out)["end"]
