"""Protection against cross-site requests (CSRF): Fetch Metadata, `Origin` and CSRF tokens.

Browsers send `Sec-Fetch-Site` with every request to this machine and over https, and `Origin` with every POST; see
https://www.w3.org/TR/fetch-metadata/. Other programs send neither, and have no cookies that another site could use.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

from flask import Request

CSRF_HEADER: Final = "X-CSRF-Token"
_PAGES: Final = ("page", "access", "host", "private", "phone")
"""The blueprints with pages; they have other endpoints too."""
_FOR_SCRIPTS: Final = ("/api/", "/events")
"""The path prefixes in these blueprints that only scripts request."""


def asks_for_page(request: Request) -> bool:
    """Return whether a request asks for a page that a link may open."""
    return request.method == "GET" and request.blueprint in _PAGES and not request.path.startswith(_FOR_SCRIPTS)


def is_from_another_site(request: Request) -> bool:
    """Return whether a page of another site made this request; following a link to a page is allowed."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is None:
        origin = request.headers.get("Origin")
        return origin is not None and origin.lower() != f"{request.scheme}://{request.host}".lower()
    if site in ("same-origin", "none"):
        return False
    mode, destination = request.headers.get("Sec-Fetch-Mode"), request.headers.get("Sec-Fetch-Dest")
    return not (asks_for_page(request) and (mode, destination) == ("navigate", "document"))


def csrf_token(token: str) -> str:
    """Return the CSRF token that a browser sends with every POST, derived from the browser's token.

    A page of the app reads the CSRF token from a cookie. A page of another site can make the browser send cookies, but
    can't read them.
    """
    return hmac.new(token.encode(), b"csrf", hashlib.sha256).hexdigest()


def has_csrf_token(request: Request, token: str) -> bool:
    """Return whether a request's header has the CSRF token that belongs to its sender's token."""
    return hmac.compare_digest(request.headers.get(CSRF_HEADER, "").encode(), csrf_token(token).encode())
