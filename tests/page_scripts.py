"""Scripts beside the pages of the documentation."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent


def script(path: str) -> ModuleType:
    """A script beside the pages, which is no module of a package."""
    place = importlib.util.spec_from_file_location(Path(path).stem, ROOT / "docs" / path)
    module = importlib.util.module_from_spec(place)
    sys.path.insert(0, str((ROOT / "docs" / path).parent))  # as Python does for a script
    try:
        place.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module
