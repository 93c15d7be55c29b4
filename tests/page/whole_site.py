"""The documentation as a site: every page is on it, and every link and anchor leads somewhere.

`make test-page` runs this: it takes as long as all other tests of the pages together.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "site" / "build.py"


def test_the_site_is_built_without_a_dead_link_or_a_page_that_no_list_names() -> None:
    pytest.importorskip("sphinx")
    built = subprocess.run(
        [sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False
    )
    assert (built.returncode, built.stderr) == (0, "")
