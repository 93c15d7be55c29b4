"""The table of a sweep as CSV, JSON and Parquet: the same columns in each."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from raidsim.errors import InputError, Problem
from raidsim.report import csv_file, json_file
from raidsim.studies.figures import COLUMN
from raidsim.studies.sweep import Sweep

SCHEMA = "raidsim.sweep/1"


def csv_of(sweep: Sweep) -> bytes:
    """A row for each point, a header with the names of the columns, empty for what is not known."""
    names = sweep.columns
    return csv_file.encoded(names, ([row.get(name) for name in names] for row in sweep.rows))


def to_dict(sweep: Sweep) -> dict[str, Any]:
    """Return the varied keys, and a row for each point."""
    keys = list(sweep.keys)
    return {"schema": SCHEMA, "title": sweep.title, "keys": keys, "rows": sweep.rows}


def json_of(sweep: Sweep) -> bytes:
    """Return :func:`to_dict` as JSON."""
    return json_file.render(to_dict(sweep))


def parquet_of(sweep: Sweep) -> bytes:
    """A file of Parquet with one table.

    Raises
    ------
    InputError
        If pyarrow is not there.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415  (an extra)
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        cause = "Parquet needs pyarrow, which is not installed"
        remedy = 'pip install "raidsim[parquet]"'
        raise InputError([Problem(None, None, None, cause, remedy)]) from None
    kinds = {"text": pa.string(), "integer": pa.int64(), "real": pa.float64()}
    kinds["flag"] = pa.bool_()
    rows = sweep.rows
    columns = {}
    for name in sweep.columns:
        values = [row.get(name) for row in rows]
        if name in COLUMN:
            columns[name] = pa.array(values, kinds[COLUMN[name].kind])
        else:
            columns[name] = pa.array(_of_one_kind(values))
    buffer = io.BytesIO()
    parquet.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def _of_one_kind(values: list[Any]) -> list[Any]:
    """Values as they are; as texts, if they are of several kinds."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) <= 1 and not kinds & {list, dict}:
        return values
    return [None if value is None else str(value) for value in values]


RENDER: dict[str, Callable[[Sweep], bytes]] = {
    "csv": csv_of,
    "json": json_of,
    "parquet": parquet_of,
}
