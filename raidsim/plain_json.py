"""Plain data on its way to JSON: numbers that JSON does not have, and a key for equal data."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any


def finite(value: Any) -> Any:
    """Return plain data with None in place of every number that is infinite or none at all."""
    if isinstance(value, Mapping):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def digest(value: Any) -> str:
    """Return a key that is equal for equal data: 32 hexadecimal digits of its SHA-256."""
    written = json.dumps(value, sort_keys=True, default=str).encode()
    return hashlib.sha256(written).hexdigest()[:32]
