"""`raidsim attach` and `raidsim tell` as they are typed."""

from __future__ import annotations

import socket
import threading

import pytest
from attached_disks import disks
from command_line import output_of

from raidsim.attach import attached
from raidsim.attach.asking import wish_of

EVENTS = """
[[event]]
kind = "drive-failure"
drive = 1
at = "100 ms"

[[event]]
kind = "replacement"
drive = 1
at = "200 ms"
"""


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "scenario.toml"
    path.write_text(disks())
    return str(path)


def test_a_file_of_events_is_played_at_its_simulated_times(scenario, tmp_path, capfd):
    events = tmp_path / "events.toml"
    events.write_text(EVENTS)
    options = ["--port", "0", "--speed", "10", "--events", str(events), "--for", "0.5 s"]
    printed = output_of(capfd, "attach", scenario, *options)
    assert "nbd://127.0.0.1:" in printed
    assert " 0.100000 s: drive 1 of data fails" in printed
    assert " 0.200000 s: " in printed
    assert "the time is over" in printed


def test_where_the_simulated_clock_ends_the_server_does(scenario, monkeypatch, capfd):
    monkeypatch.setattr(attached, "LATEST", 2000.0)
    printed = output_of(
        capfd, "attach", scenario, "--port", "0", "--speed", "10000", "--for", "20 s"
    )
    assert printed.count("the simulated clock ends here") == 1
    assert "the time is over" not in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--socket", "a", "--port", "1"], "--socket: is given beside --port"),
        (["--for", "3 parsecs"], "--for: "),
        (["--events", "EVENTS"], "EVENTS:2: speed: is not for a file of events"),
        (["--events", "nowhere.toml"], "nowhere.toml"),
        (["--set", "volume.level=raid50", "--set", "volume.drives=6", "--members", "DRIVES",
          "--metadata", "0.90"],
         "--metadata: data is an array of arrays, and those get metadata 1.2"),
        (["--metadata", "0.90"], "--metadata: is about the files of --members"),
        (["--metadata", "0.90", "--members", "DRIVES", "--set", "volume.drives=28"],
         "--metadata: metadata 0.90 has up to 27 drives, and data has 28"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_line(scenario, tmp_path, capfd, words, message):
    (tmp_path / "EVENTS").write_text("# a comment\nspeed = 1\n")
    words = [str(tmp_path / word) if word.isupper() else word for word in words]
    printed = output_of(capfd, "attach", scenario, *words, expected=2)
    assert message in printed.replace(f"{tmp_path}/", "")
    assert "Traceback" not in printed


def test_events_that_a_scenario_could_not_have_are_refused_from_a_file_too(
    scenario, tmp_path, capfd
):
    events = tmp_path / "events.toml"
    events.write_text('[[event]]\nkind = "replacement"\ndrive = 1\nat = "1 s"\n')
    printed = output_of(capfd, "attach", scenario, "--events", str(events), expected=2)
    assert "events.toml" in printed
    assert "has not failed" in printed


def test_words_become_a_wish():
    assert wish_of("status", []) == {"show": "status"}
    assert wish_of("drive-failure", ["drive=2", "volume=data"]) == {
        "kind": "drive-failure", "drive": 2, "volume": "data",
    }  # fmt: skip
    assert wish_of("power-cut", ["outage=10 s"])["outage"] == "10 s"


def test_tell_prints_what_was_done_and_what_is_wrong(tmp_path, capfd):
    path = tmp_path / "control"
    answers = [
        b'{"ok": true, "time": 1.5, "did": "drive 2 of data fails"}\n',
        b'{"ok": false, "problems": ["drive 9: there is none"]}\n',
        b"nonsense\n",
    ]
    asked = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def serve():
            for answer in answers:
                with listener.accept()[0] as line:
                    asked.append(line.recv(1000))
                    line.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        done = output_of(capfd, "tell", str(path), "drive-failure", "drive=2")
        assert done == "1.500000 s: drive 2 of data fails\n"
        assert asked == [b'{"kind": "drive-failure", "drive": 2}\n']
        wrong = output_of(capfd, "tell", str(path), "drive-failure", "drive=9", expected=2)
        assert wrong == "drive 9: there is none\n"
        assert "no server answers" in output_of(capfd, "tell", str(path), "status", expected=2)
        thread.join()
    assert "start raidsim attach" in output_of(
        capfd, "tell", str(tmp_path / "none"), "status", expected=2
    )
