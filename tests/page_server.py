"""The page, asked without a server or started as a user does, and a scenario that is quick."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

from starlette.testclient import TestClient

from raidsim.page.app import application
from raidsim.page.settings import Settings

QUICK = """\
schema = 1
title = "quick"         # a comment that stays

[host]
model = "fujitsu-rx2540-m1"

[[volume]]
drive = "intel-p3700-800gb"
filled = "5 %"

[[load]]
read = "67 %"           # two thirds
size = "8 KiB"
area = { offset = "0 B", size = "1 GiB" }
outstanding = [1, 8]

[measure]
precision = "5 %"
min_ios = 2000
max_ios = 20000
"""

ENDLESS = (
    QUICK[: QUICK.index("[measure]")]
    + """\
[measure]
precision = "0.01 %"
min_ios = 10000000000
max_ios = 10000000000
max_time = "24 h"
"""
)

PATIENCE_S = 300  # the kernel may have to be compiled first


@contextlib.contextmanager
def served(**settings: Any) -> Iterator[TestClient]:
    """A visitor of a page of its own."""
    settings = {"workers": 1} | settings
    app = application(Settings(**settings))
    with TestClient(app, base_url="http://127.0.0.1:8642", follow_redirects=False) as visitor:
        yield visitor


def until_over(visitor: TestClient, task: dict[str, Any]) -> dict[str, Any]:
    """What came of a run."""
    state = visitor.post("/api/runs", json=task).json()
    patience = time.monotonic() + PATIENCE_S
    while state["state"] != "over":
        assert time.monotonic() < patience, state
        state = visitor.get(f"/api/runs/{state['key']}").json()
    return state


@contextlib.contextmanager
def started(*options: str) -> Iterator[str]:
    """The address of `raidsim serve` on a port that is free; it ends quietly at Ctrl-C."""
    command = [sys.executable, "-m", "raidsim", "serve", "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            found = re.search(r"http://\S+", server.stderr.readline())
            assert found is not None
            yield found[0].rstrip("/")
        finally:
            server.send_signal(signal.SIGINT)
            _, said = server.communicate(timeout=30)
        assert server.returncode == 0
        assert "Traceback" not in said
        assert said.endswith("The page has ended.\n")
