"""Where the data files are: cards, scenarios and published figures.

The data always belong to the code that runs. An installed wheel has them in ``raidsim/data``. In a
checkout (bare or installed editable) they are at the top of the repository, beside the package. The
current folder has no effect: a wheel that is run inside a checkout uses its own data.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

Kind = Literal["models", "scenarios", "validation"]

PACKAGE = Path(__file__).resolve().parent


def data_folder(kind: Kind) -> Path:
    """Folder that holds the data files of one kind.

    Parameters
    ----------
    kind
        "models" (cards), "scenarios" or "validation" (claims).

    Returns
    -------
    Path
        Absolute path of an existing folder.

    Raises
    ------
    FileNotFoundError
        The installation is damaged: the folder is in neither place.
    """
    packaged = PACKAGE / "data" / kind
    beside_the_package = PACKAGE.parent / kind
    for folder in (packaged, beside_the_package):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(
        f"raidsim's {kind} are in neither {packaged} nor {beside_the_package}: reinstall raidsim"
    )
