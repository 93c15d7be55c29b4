"""Permissions, before anything is done: hosts, origins, tokens, sizes; and safe headers.

Every request passes this check, those for files too.
"""

from __future__ import annotations

import secrets
from functools import partial
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from raidsim.page import shell
from raidsim.page.settings import Settings

MOST_BODY = 256 * 2**10
"""Bytes of a request: more than the longest scenario that is taken."""

TOKEN = "token"
VISITOR = "raidsim_visitor"
GUEST = "raidsim_token"
YEAR_S = 365 * 86_400

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
SAFE = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""What every answer carries, unless it says otherwise itself."""


class Guard:
    """Middleware that lets through only what the page is for."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that is refused, or pass it on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # no socket is spoken here
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        cookies = _cookies(headers)
        made = None
        visitor = cookies.get(VISITOR, "")
        if not _is_visitor(visitor):
            made = visitor = secrets.token_urlsafe(12)
        scope.setdefault("state", {})["visitor"] = visitor

        async def safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in SAFE.items():
                    if name not in answer:
                        answer[name] = value
                if made is not None:
                    answer.append("Set-Cookie", cookie(VISITOR, made))
            await send(message)

        app = self._refused(scope, headers, cookies) or self.app
        await app(scope, receive, safe)

    def _refused(self, scope: Scope, headers: Headers, cookies: dict[str, str]) -> ASGIApp | None:
        """The answer to a request that is not let through; None for one that is."""
        asked = headers.get("host", "")
        failure = partial(shell.failure, scope["path"], headers)
        if not self.settings.knows(_host_of(asked)):
            return failure(421, "This page is not served under that name.")
        if scope["method"] not in ("GET", "HEAD") and not _is_own(headers, asked):
            return failure(403, "Another page asked for this; only this page itself may.")
        length = headers.get("content-length", "0")
        if not _is_short(length) or "transfer-encoding" in headers:
            return failure(
                413, f"A request may hold {MOST_BODY // 1024} KiB, and has to say how many."
            )
        return self._stranger(scope, headers, cookies)

    def _stranger(self, scope: Scope, headers: Headers, cookies: dict[str, str]) -> ASGIApp | None:
        """Return the answer to a visitor without the cookie of the token; None for others."""
        token = self.settings.token
        if token is None:
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        shown = dict(query).get(TOKEN)
        if shown is not None and _equal(shown, token):
            rest = urlencode([pair for pair in query if pair[0] != TOKEN])
            path = "/" + scope["path"].lstrip("/")
            answer = RedirectResponse(path + ("?" + rest if rest else ""), status_code=303)
            answer.headers.append("Set-Cookie", cookie(GUEST, token))
            return answer
        if _equal(cookies.get(GUEST, ""), token):
            return None
        words = "Open the address that raidsim serve printed: it holds a token."
        return shell.failure(scope["path"], headers, 401, words)


def cookie(name: str, value: str) -> str:
    """A cookie that no script sees, and that no other page sends along."""
    return f"{name}={value}; Path=/; Max-Age={YEAR_S}; HttpOnly; SameSite=Strict"


def _equal(shown: str, token: str) -> bool:
    """Return whether two texts are the same, in a time that does not tell how far they are."""
    return secrets.compare_digest(shown.encode(), token.encode())


def _cookies(headers: Headers) -> dict[str, str]:
    found: SimpleCookie = SimpleCookie()
    try:
        found.load(headers.get("cookie", ""))
    except CookieError:
        return {}
    return {name: one.value for name, one in found.items()}


def _is_visitor(text: str) -> bool:
    return 8 <= len(text) <= 40 and text.replace("-", "").replace("_", "").isalnum()


def _is_short(length: str) -> bool:
    """Return whether a Content-Length is a number of bytes that are taken."""
    return length.isdecimal() and len(length) < 10 and int(length) <= MOST_BODY


def _host_of(header: str) -> str:
    """The host of a Host header, without its port."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _is_own(headers: Headers, host: str) -> bool:
    """Return whether a request that changes something comes from this page, or from none."""
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    try:
        return origin is None or urlsplit(origin).netloc == host
    except ValueError:  # such as "http://[", which no browser sends
        return False
