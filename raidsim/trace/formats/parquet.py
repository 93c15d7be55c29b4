"""Parquet with named columns, as `named_csv` has them; it needs pyarrow.

A column of timestamps counts in ns, whatever its own unit is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from raidsim.errors import InputError, Problem, one_line, refuse
from raidsim.trace.named import HOW, layout_of, of_columns, of_header, requests_of
from raidsim.trace.reading import Head, Scan
from raidsim.trace.request import Requests
from raidsim.trace.table import Table

NAME = "parquet"
TITLE = "Parquet with named columns"
TICKS = 10**9
TAKES = ("columns",)

MAGIC = b"PAR1"
ROWS = 65_536


def recognises(head: Head) -> bool:
    """Return whether it begins as every file of Parquet does."""
    return head.data.startswith(MAGIC)


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of the file.

    Raises
    ------
    InputError
        It is packed, is no Parquet, or its columns do not say what they are; or pyarrow is missing.
    """
    path = scan.source.path
    if scan.source.packing:
        refuse(path, f"is packed with {scan.source.packing}", "unpack it: Parquet is packed")
    try:
        arrow = import_module("pyarrow")
        writer = import_module("pyarrow.csv")
        module = import_module("pyarrow.parquet")
    except ImportError:
        remedy = 'install what reads it with: pip install "raidsim[parquet]"'
        refuse(path, "is a file of Parquet, for which a module is missing", remedy)
    try:
        file = module.ParquetFile(path)
        names = [str(name) for name in file.schema_arrow.names]
    except (arrow.ArrowException, OSError) as error:
        refuse(path, f"cannot be read as Parquet: {_words(error)}")
    if scan.options.columns:
        taken, _ = of_columns(scan.options.columns, names)
    else:
        found = of_header(names)
        if found is None:
            cause = f"its columns do not say what they are: {', '.join(names)}"[:300]
            raise InputError([Problem(path, None, None, cause, HOW)])
        taken = found
    order = sorted(taken, key=lambda name: taken[name].place)
    wanted = [names[taken[name].place] for name in order]
    taken = {
        name: dataclasses.replace(taken[name], place=place) for place, name in enumerate(order)
    }
    scan.ticks = taken["time"].ticks
    table = Table(layout_of(taken, ","), path)
    style = writer.WriteOptions(include_header=False, quoting_style="none")
    try:
        for batch in file.iter_batches(batch_size=ROWS, columns=wanted):
            out = arrow.BufferOutputStream()
            writer.write_csv(_plain(batch, arrow), out, style)
            text = out.getvalue().to_pybytes()
            rows = table.read(text, scan.counts.lines + 1, scan.counts)
            yield requests_of(rows, taken, table, scan)
    except (arrow.ArrowException, OSError) as error:
        scan.counts.cut_short = (
            f"it cannot be read behind row {scan.counts.lines:,}: {_words(error)}"
        )


def _plain(batch: Any, arrow: Any) -> Any:
    """The columns as numbers and words that can be written as text."""
    columns = []
    for column in batch.columns:
        kind = column.type
        if arrow.types.is_timestamp(kind):
            column = column.cast(arrow.timestamp("ns", kind.tz)).cast(arrow.int64())  # noqa: PLW2901
        elif arrow.types.is_dictionary(kind):
            column = column.dictionary_decode()  # noqa: PLW2901
        columns.append(column)
    places = [str(place) for place in range(len(columns))]
    return arrow.RecordBatch.from_arrays(columns, names=places)


def _words(error: Exception) -> str:
    return one_line(str(error))[:200]
