"""Points of results and of sweeps as tables of pandas, which is loaded when it is asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from raidsim.report.csv_file import PHASE_COLUMNS, columns_of
from raidsim.result import Result
from raidsim.studies.figures import Cell

if TYPE_CHECKING:
    from pandas import DataFrame

    from raidsim.studies.sweep import Sweep

_MISSING = 'to_frame() needs pandas; install it with: pip install "raidsim[pandas]"'


def of(result: Result) -> DataFrame:
    """A row for each point, with the columns of CSV but for those of phases.

    Raises
    ------
    ImportError
        If pandas is not there.
    """
    columns = {name: of for name, of in columns_of(result).items() if name not in PHASE_COLUMNS}
    return _table(
        {name: _numbers([of(point) for point in result.points]) for name, of in columns.items()}
    )


def of_sweep(sweep: Sweep) -> DataFrame:
    """A row for each point of a sweep, with the columns of its CSV.

    Raises
    ------
    ImportError
        If pandas is not there.
    """
    return _table(sweep.rows, sweep.columns)


def _table(rows: Any, columns: Sequence[str] | None = None) -> DataFrame:
    """The table, or what to install for there to be one."""
    try:
        from pandas import DataFrame  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(_MISSING) from error
    made: DataFrame = DataFrame(rows, columns=columns)
    return made


def _numbers(cells: list[Cell]) -> list[Cell]:
    """Cells of a column; of one in which nothing was measured, NaN."""
    return [math.nan] * len(cells) if all(cell is None for cell in cells) else cells
