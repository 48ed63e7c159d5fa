"""The checks that every request passes before an app handles it, and the security headers of all responses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from flask import Flask, Request, Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from tilekeeper.companion.doorkeeper.addresses import is_loopback_host, is_own_host, is_this_machine
from tilekeeper.companion.doorkeeper.origin import (
    asks_for_page,
    has_csrf_token,
    is_from_another_site,
)
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

TRUST: Final = ("trust.page", "trust.certificate", "trust.profile", "trust.seen")
"""The endpoints through which a browser learns to trust this machine's certificate."""
_TRUST_SEEN: Final = "trust.seen"
"""The page about trust is served over http and requests this endpoint over https, which counts as another site."""
CONTENT_POLICY: Final = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
"""The Content-Security-Policy: pages load only resources of the app itself, and no other site may frame them."""
_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_HEADERS_ON_TRUSTED_ORIGINS: Final = {"Cross-Origin-Opener-Policy": "same-origin"}
"""Browsers ignore these on plain http, unless the address is localhost, and write an error to their console."""


class Rejected(Refused):
    """A request is refused before an app handles it.

    Args:
        message: the reason in one line for the user.
        code: the reason as a code for the page's scripts.
        status: the HTTP status of the response.
    """

    def __init__(self, message: str, code: str, status: int) -> None:
        super().__init__(message, code)
        self.status = status


@dataclass(frozen=True, slots=True)
class Guard:
    """The checks for one app.

    Attributes:
        encrypts: whether other machines must use https.
        in_plain: the endpoints without secrets; they are served over plain http even if `encrypts` is true.
        identify: identifies the sender of the current request; returns a response that ends the request, or None to
            continue; raises `Rejected` if the sender may not make the request.
    """

    encrypts: bool
    in_plain: frozenset[str]
    identify: Callable[[], AnyResponse | None]

    def protect(self, app: Flask) -> None:
        """Check every request of an app, and add security headers to its responses."""
        app.before_request(self._check)
        app.after_request(_with_headers)

    def _check(self) -> AnyResponse | None:
        if not is_own_host(request.host):
            raise Rejected(gettext("This is not the address of this app."), "not-found", 421)
        if is_from_another_site(request) and request.endpoint != _TRUST_SEEN:
            raise Rejected(gettext("A page of another website may not do this."), "other-site", 403)
        if self._must_be_encrypted() and request.endpoint not in self.in_plain:
            if asks_for_page(request):
                return redirect("/trust")
            raise Rejected(gettext("Open https://{address}/ instead.", address=request.host), "not-encrypted", 403)
        return self.identify()

    def _must_be_encrypted(self) -> bool:
        # Nobody can intercept a request that stays on this machine.
        return self.encrypts and not request.is_secure and not is_this_machine(request.remote_addr)


def expect_csrf_token(request: Request, token: str) -> None:
    """Raise `Rejected` unless the request has the CSRF token that belongs to its sender's `token`."""
    if not has_csrf_token(request, token):
        raise Rejected(gettext("Please reload this page."), "other-site", 403)


def _with_headers(response: Response) -> Response:
    is_trusted = request.is_secure or is_loopback_host(request.host)
    for name, value in (_HEADERS | (_HEADERS_ON_TRUSTED_ORIGINS if is_trusted else {})).items():
        response.headers.setdefault(name, value)
    return response
