"""Cookies that identify a browser, each with the app's port in its name.

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


def cookie_name(name: str, incoming: Request) -> str:
    """Return a cookie's name with the port of the request `incoming`; `static/js/api.js` makes the same name."""
    port = _PORT.search(incoming.host)
    return f"{name}-{_DEFAULT_PORTS.get(incoming.scheme, '') if port is None else port[1]}"


def read_cookie(name: str) -> str | None:
    """Return the value of a cookie in the current request; None if the browser has not sent it."""
    return request.cookies.get(cookie_name(name, request))


def set_token_cookies(response: Response, name: str, token: str, age_s: int) -> None:
    """Set both cookies: the token that identifies the browser, and the CSRF token, which the pages' scripts read."""
    set_secret_cookie(response, name, token, age_s)
    set_csrf_cookie(response, token, age_s)


def set_secret_cookie(response: Response, name: str, token: str, age_s: int) -> None:
    """Set a cookie with a token that scripts can't read and browsers don't send with requests of other sites."""
    _set_cookie(response, name, token, age_s, httponly=True)


def set_csrf_cookie(response: Response, token: str, age_s: int) -> None:
    """Set a cookie with the CSRF token that belongs to a browser's token; the pages' scripts read it."""
    _set_cookie(response, CSRF_COOKIE, csrf_token(token), age_s, httponly=False)


def _set_cookie(response: Response, name: str, value: str, age_s: int, *, httponly: bool) -> None:
    named, is_secure = cookie_name(name, request), request.is_secure
    response.set_cookie(named, value, max_age=age_s, httponly=httponly, samesite="Strict", secure=is_secure)
