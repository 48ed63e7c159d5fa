"""Tells whether a request was made by a page of this app, or by one of another site that a browser has open.

Browsers say it themselves: `Sec-Fetch-Site` with every request to this machine and over https, `Origin` with every
POST. See the Fetch Metadata specification, https://www.w3.org/TR/fetch-metadata/. Programs that are no browsers say
neither, and have no cookie or place at this machine that somebody else could abuse.
"""

import hashlib
import hmac

from flask import Request

PAGES = ("page", "access", "private", "phone")
"""The blueprints whose addresses people follow links to."""
CSRF_COOKIE = "tilekeeper-csrf"
CSRF_HEADER = "X-CSRF-Token"
# Everything the page needs is served by the app: nothing is fetched from elsewhere, and no other site may frame it.
CONTENT_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)


def is_from_another_site(request: Request) -> bool:
    """Whether a page of another site made this request; following a link to a page from there does not count."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is None:
        origin = request.headers.get("Origin")
        return origin is not None and origin.lower() != f"{request.scheme}://{request.host}".lower()
    if site in ("same-origin", "none"):
        return False
    follows_link = (request.headers.get("Sec-Fetch-Mode"), request.headers.get("Sec-Fetch-Dest")) == (
        "navigate",
        "document",
    )
    return not (request.method == "GET" and follows_link and request.blueprint in PAGES)


def csrf_token(device_token: str) -> str:
    """The word that a tablet sends with every POST, made of the secret by which it is known.

    A page of the app reads it from a cookie; a page of another site can have cookies sent, and not read them.
    """
    return hmac.new(device_token.encode(), b"csrf", hashlib.sha256).hexdigest()


def has_csrf_token(request: Request, device_token: str) -> bool:
    """Whether a request carries the word that belongs to the tablet that sends it."""
    return hmac.compare_digest(request.headers.get(CSRF_HEADER, "").encode(), csrf_token(device_token).encode())
