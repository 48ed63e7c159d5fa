"""Addresses of network cameras: checks their scheme, and hides their passwords on pages and in messages."""

import re
from urllib.parse import urlsplit

from tilekeeper.companion.capture.video_capture import CaptureFailed
from tilekeeper.engine.language import lazy_gettext

STREAM_SCHEMES = ("http", "https", "rtsp", "rtsps", "rtmp", "udp", "tcp")


def check_scheme(url: str) -> None:
    """Raise `CaptureFailed` for an address whose scheme is not in `STREAM_SCHEMES`."""
    scheme = urlsplit(url).scheme.lower()
    if scheme not in STREAM_SCHEMES:
        raise CaptureFailed(
            lazy_gettext("{scheme}:// is not a known stream; use http://, https:// or rtsp://", scheme=scheme)
        )


def hide_password(url: str) -> str:
    """Return an address with `…` for its user and password, and for its query, which often holds a password too."""
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]+://)([^/?#]*@)?([^?#]*)([?#].*)?$", _without_secrets, url, flags=re.DOTALL)


def _without_secrets(address: re.Match[str]) -> str:
    scheme, user, place, query = address.groups()
    return f"{scheme}{'…@' if user else ''}{place}{'?…' if query else ''}"
