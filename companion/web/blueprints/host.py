"""The link by which a browser of this machine becomes the host's; the app prints it at its start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flask import Blueprint, Flask, Response, current_app, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from tilekeeper.companion.doorkeeper.addresses import is_this_machine
from tilekeeper.companion.doorkeeper.cookies import set_secret_cookie
from tilekeeper.companion.doorkeeper.host_key import HOST_COOKIE, HOST_COOKIE_AGE_S

if TYPE_CHECKING:
    from tilekeeper.companion.doorkeeper.host_key import HostKey

blueprint = Blueprint("host", __name__)

KEY: Final = "TILEKEEPER_HOST_KEY"
"""The configuration key of an app's host key."""
HOST_PAGE, OTHERS_PAGE = "TILEKEEPER_HOST_PAGE", "TILEKEEPER_OTHERS_PAGE"
"""The configuration keys of the paths to which the link leads with the right key, and with another one."""


@blueprint.get("/host/<key>")
def enter(key: str) -> AnyResponse:
    """Let a browser of this machine in as the host's, if the link has the right key."""
    host_key: HostKey | None = current_app.config[KEY]
    if host_key is None or not is_this_machine(request.remote_addr) or not host_key.opens(key):
        return redirect(current_app.config[OTHERS_PAGE])
    response = lead_to(current_app.config[HOST_PAGE])
    set_secret_cookie(response, HOST_COOKIE, host_key.value, HOST_COOKIE_AGE_S)
    return response


def lead_to(path: str) -> Response:
    """Return a page that opens another path of this app at once.

    After a link on another site, or in another program, browsers would send no SameSite cookie with a redirect.
    """
    page = f'<!doctype html><title>Tilekeeper</title><meta http-equiv="refresh" content="0;url={path}">'
    return Response(page, headers={"Cache-Control": "no-store"})


def serve_host(app: Flask, key: HostKey | None, host_page: str, others_page: str) -> None:
    """Configure the host's link of an app.

    Args:
        app: the app.
        key: its key; None if every request of this machine is the host's.
        host_page: the path to which the link leads the host.
        others_page: the path for all others.
    """
    app.config[KEY], app.config[HOST_PAGE], app.config[OTHERS_PAGE] = key, host_page, others_page
    app.add_template_global(lambda: is_this_machine(request.remote_addr), "is_on_this_machine")
