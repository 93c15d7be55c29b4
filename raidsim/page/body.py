"""The body of a request: its maximum size, its time limit, and the handling of incomplete ones."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

BODY_S = 10.0
"""Seconds in which a request has to be there."""


async def body_of(request: Request) -> bytes:
    """All bytes of a request.

    Raises
    ------
    HTTPException
        It does not come, or whoever asked has gone in the middle of it.
    """
    try:
        return await asyncio.wait_for(request.body(), BODY_S)
    except TimeoutError:
        raise HTTPException(408, f"The request did not arrive within {BODY_S:.0f} s.") from None
    except ClientDisconnect:
        raise HTTPException(400) from None  # nobody is there to read it


async def json_of(request: Request, most: int | None = None) -> dict[str, Any]:
    """The object of JSON that a request is, said to be such.

    Raises
    ------
    HTTPException
        It is none, or of more than ``most`` bytes, or does not come.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "The request must be JSON, with Content-Type: application/json.")
    body = await body_of(request)
    if most is not None and len(body) > most:
        raise HTTPException(413, f"The request is longer than {most} bytes.")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400, "The request is not JSON.") from None
    if not isinstance(found, dict):
        raise HTTPException(400, "The request is not an object of JSON.")
    return found
