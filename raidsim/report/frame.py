"""The points of a result as a table of pandas, which is loaded when it is asked for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from raidsim.report.csv_file import PHASE_COLUMNS, Cell, columns_of
from raidsim.result import Result

if TYPE_CHECKING:
    from pandas import DataFrame

_MISSING = 'to_frame() needs pandas; install it with: pip install "raidsim[pandas]"'


def of(result: Result) -> DataFrame:
    """A row for each point, with the columns of CSV but for those of phases.

    Raises
    ------
    ImportError
        If pandas is not there.
    """
    try:
        from pandas import DataFrame  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(_MISSING) from error
    columns = {name: of for name, of in columns_of(result).items() if name not in PHASE_COLUMNS}
    return DataFrame(
        {name: _numbers([of(point) for point in result.points]) for name, of in columns.items()}
    )


def _numbers(cells: list[Cell]) -> list[Cell]:
    """Cells of a column; of one in which nothing was measured, NaN."""
    return [math.nan] * len(cells) if all(cell is None for cell in cells) else cells
