"""Makes the Flask app of a hub."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from flask import Flask

from tilekeeper.companion.hub import actions, exports, pages, ruling_actions, wire
from tilekeeper.companion.hub.access import SignIns, guard
from tilekeeper.companion.hub.fragments import Fragments
from tilekeeper.companion.hub.hub import Hub
from tilekeeper.companion.hub.parts import HubParts, put_parts
from tilekeeper.companion.web.api.errors import handle_errors
from tilekeeper.companion.web.api.languages import keep_choice, speak_languages
from tilekeeper.companion.web.blueprints import assets, host, trust

if TYPE_CHECKING:
    from tilekeeper.companion.doorkeeper.host_key import HostKey
    from tilekeeper.companion.storage.certificates import Certificates

LONGEST_REQUEST_BYTES = 64 * 1024
"""The maximum size of a request; routes that take messages of tables, or lists of players, allow more."""


def create_app(hub: Hub, certificates: Certificates | None = None, host_key: HostKey | None = None) -> Flask:
    """Return the app of a hub; the caller starts and closes the hub.

    Args:
        hub: the hub whose pages the app serves.
        certificates: the certificates for https, which other devices must then use; None for plain http.
        host_key: proves that a browser or a table of this machine belongs to the person who runs the hub. None lets in
            all of them, which is for tests: `tilekeeper club` always has one.
    """
    app = Flask("tilekeeper.companion.web", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LONGEST_REQUEST_BYTES
    put_parts(app, HubParts(hub, SignIns(hub.database, host_key=host_key), Fragments(app, hub.database)))
    trust.serve_trust(app, certificates, "/")
    host.serve_host(app, host_key, "/desk", "/sign-in?to=desk")
    handle_errors(app)
    speak_languages(app)
    guard(app, certificates)
    keep_choice(app)
    assets.name_assets(app)
    app.add_template_filter(_in_path, "in_path")
    for topic in (pages, actions, ruling_actions, exports, wire, assets, host, trust):
        app.register_blueprint(topic.blueprint)
    return app


def _in_path(text: str) -> str:
    """Escape a text for use as one segment of a URL path, slashes included."""
    return quote(text, safe="")
