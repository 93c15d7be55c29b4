"""What tables declare of their fields is true: who writes them, and how they move."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from conftest import INTERPRETED
from every_part import begin, everything

from raidsim.control.model import BuiltSystem, build
from raidsim.intervene import window
from raidsim.kernel.world import TABLES, World
from raidsim.records import Column, Role
from raidsim.scenario import from_data

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
HYBRID = {
    "host": {"model": "cisco-ucs-c240-m4"},
    "volume": [
        {"name": "flash", "drive": "intel-p3700-800gb", "state": "fresh"},
        {"name": "disks", "drive": "cisco-hdd-600gb-15k"},
    ],
    "hybrid": [
        {"front": "flash", "back": "disks", "size": "1 GiB", "write": "back", "promote": "first"}
    ],
    "load": [{"read": "70 %", "size": "16 KiB", "zipf": 0.9, "area": {"size": "1 GiB"},
              "outstanding": 8}],
}  # fmt: skip
IOS = 300 if INTERPRETED else 6000
SYSTEMS = {"arrays and single drives": everything, "a hybrid": lambda: build(from_data(HYBRID))}


def fields(built: BuiltSystem, role: Role) -> dict[str, np.ndarray]:
    """Copies of all fields of a role, of the rows in use."""
    found = {}
    for table in TABLES.values():
        rows = built.system.rows(table.name)
        if isinstance(table, Column):
            if table.field.role is role:
                found[table.name] = rows.copy()
            continue
        found |= {f"{table.name}.{name}": rows[name].copy() for name in table.of(role)}
    return found


@pytest.fixture(params=SYSTEMS, scope="module")
def busy(request):
    """A system amid its work, and what it had counted some I/Os before."""
    built = SYSTEMS[request.param]()
    begin(built)
    built.system.run(budget=IOS)
    roles = (Role.CONFIGURATION, Role.COUNTER)
    before = {role: fields(built, role) for role in roles}
    built.system.run(budget=2 * IOS)
    return built, before


def test_the_kernel_writes_nothing_that_is_configuration(busy):
    built, before = busy
    after = fields(built, Role.CONFIGURATION)
    assert [name for name, was in before[Role.CONFIGURATION].items()
            if not np.array_equal(was, after[name])] == []  # fmt: skip


def test_counters_only_grow(busy):
    built, before = busy
    after = fields(built, Role.COUNTER)
    assert [name for name, was in before[Role.COUNTER].items() if (after[name] < was).any()] == []
    grown = [name for name, was in before[Role.COUNTER].items() if (after[name] > was).any()]
    assert len(grown) > 8, "the system was busy"


def test_what_is_counted_in_a_window_begins_at_zero_or_at_what_is_there(busy):
    built, _ = busy
    window.reset(built.system)
    present = ("caches.dirty_peak", "drives.unsafe_peak", "heats.")
    found = {
        name: values
        for name, values in fields(built, Role.WINDOW).items()
        if not name.startswith(present)
    }
    assert len(found) > 10
    assert [name for name, values in found.items() if values.any()] == []


def test_a_world_has_the_tables_that_are_declared_and_each_its_own_name():
    assert World._fields == tuple(TABLES)
    for name, table in TABLES.items():
        assert table.name == name


def test_every_field_says_what_it_is_in_words_and_in_a_unit_that_is_known():
    units = {"", "ns", "B", "ns/B", "B ns", "W", "J", "J/B", "C", "K", "K/W", "W/K", "J/K"}
    for table in TABLES.values():
        for name, field in table.fields.items():
            assert field.meaning, f"{table.name}.{name}"
            assert field.unit in units, f"{table.name}.{name}"


@pytest.mark.parametrize("name", TABLES)
def test_a_row_of_records_fills_its_bytes(name):
    """What a row leaves unused between its fields is less than a word."""
    table = TABLES[name]
    size = sum(
        np.dtype(field.type).itemsize * int(np.prod(field.shape)) for field in table.fields.values()
    )
    if not isinstance(table, Column):
        assert size <= table.type.itemsize < size + 24


def test_the_reference_page_is_current():
    place = importlib.util.spec_from_file_location("kernel_tables", REFERENCE / "kernel_tables.py")
    written = importlib.util.module_from_spec(place)
    place.loader.exec_module(written)
    page = (REFERENCE / "tables.md").read_text(encoding="utf-8")
    assert page == written.markdown(), "run: python docs/reference/generate.py"
