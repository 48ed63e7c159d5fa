"""Protection against pages of other sites in the same browser: Fetch Metadata, `Origin` and CSRF tokens.

Browsers send `Sec-Fetch-Site` with every request to this machine and over https, and `Origin` with every POST; see
https://www.w3.org/TR/fetch-metadata/. Other programs send neither, and have no cookies that a site could abuse.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

from flask import Request

CSRF_HEADER: Final = "X-CSRF-Token"
_PAGES: Final = ("page", "access", "host", "private", "phone")
"""The blueprints that hold pages, among other things."""
_FOR_SCRIPTS: Final = ("/api/", "/events")
"""Addresses in these blueprints that only scripts request."""


def asks_for_page(request: Request) -> bool:
    """Return whether a request asks for a page, which people open by a link."""
    return request.method == "GET" and request.blueprint in _PAGES and not request.path.startswith(_FOR_SCRIPTS)


def is_from_another_site(request: Request) -> bool:
    """Return whether a page of another site made this request; a link from there to a page does not count."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is None:
        origin = request.headers.get("Origin")
        return origin is not None and origin.lower() != f"{request.scheme}://{request.host}".lower()
    if site in ("same-origin", "none"):
        return False
    mode, destination = request.headers.get("Sec-Fetch-Mode"), request.headers.get("Sec-Fetch-Dest")
    return not (asks_for_page(request) and (mode, destination) == ("navigate", "document"))


def csrf_token(token: str) -> str:
    """Return the CSRF token that a browser sends with every POST, derived from the token that identifies it.

    A page of the app reads it from a cookie; a page of another site can make the browser send cookies, but can't read
    them.
    """
    return hmac.new(token.encode(), b"csrf", hashlib.sha256).hexdigest()


def has_csrf_token(request: Request, token: str) -> bool:
    """Return whether a request carries the CSRF token that belongs to the token of its sender."""
    return hmac.compare_digest(request.headers.get(CSRF_HEADER, "").encode(), csrf_token(token).encode())
