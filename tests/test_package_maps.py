"""The docstring of a large package lists its modules, so a reader finds the right one."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

MAPPED = ("assembly", "intervene", "observe", "report", "scenario", "studies")


@pytest.mark.parametrize("name", MAPPED)
def test_the_map_of_a_package_names_each_of_its_modules_and_nothing_else(name: str) -> None:
    package = importlib.import_module(f"raidsim.{name}")
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    named = set(re.findall(r"``([a-z_]+)``", package.__doc__))
    assert modules <= named
    assert named - modules <= OTHER_WORDS


OTHER_WORDS = {
    *("render", "lines"),  # functions
    *("accept", "calibrate", "card", "check", "compare", "explain"),  # commands
    *("judge", "models", "plan", "sweep", "trace", "validate"),
}
