"""Cookies by which an app knows a browser again, each named after the app's port.

Browsers send a cookie to all ports of a host (RFC 6265, 8.5), and a club's hub and tables often share a machine. With
the port in its name, no app overwrites the cookie of another.
"""

from __future__ import annotations

import re
from typing import Final

from flask import Request, request
from werkzeug.wrappers import Response

from tilekeeper.companion.doorkeeper.origin import csrf_token

CSRF_COOKIE: Final = "tilekeeper-csrf"
_PORT: Final = re.compile(r":(\d+)$", re.ASCII)
_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}


def cookie_name(name: str, asked: Request) -> str:
    """Return the name of a cookie at the port of a request; `static/js/api.js` makes the same one."""
    port = _PORT.search(asked.host)
    return f"{name}-{_DEFAULT_PORTS.get(asked.scheme, '') if port is None else port[1]}"


def read_cookie(name: str) -> str | None:
    """Return a cookie of the present request; None if the browser has sent none."""
    return request.cookies.get(cookie_name(name, request))


def set_token_cookies(response: Response, name: str, token: str, age_s: int) -> None:
    """Let a browser keep the token that identifies it, and the CSRF token, which scripts of its pages read."""
    set_secret_cookie(response, name, token, age_s)
    set_csrf_cookie(response, token, age_s)


def set_secret_cookie(response: Response, name: str, token: str, age_s: int) -> None:
    """Let a browser keep a token that no script can read and that is not sent with requests of other sites."""
    _set_cookie(response, name, token, age_s, httponly=True)


def set_csrf_cookie(response: Response, token: str, age_s: int) -> None:
    """Let scripts of a browser's pages read the CSRF token that belongs to its token."""
    _set_cookie(response, CSRF_COOKIE, csrf_token(token), age_s, httponly=False)


def _set_cookie(response: Response, name: str, value: str, age_s: int, *, httponly: bool) -> None:
    named, is_secure = cookie_name(name, request), request.is_secure
    response.set_cookie(named, value, max_age=age_s, httponly=httponly, samesite="Strict", secure=is_secure)
