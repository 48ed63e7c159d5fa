"""Makes the Flask app of a hub; it listens to no table until the hub is started."""

from flask import Flask

from tilekeeper.companion.club import actions, exports, pages, wire
from tilekeeper.companion.club.access import Doorkeeper, guard
from tilekeeper.companion.club.fragments import Fragments
from tilekeeper.companion.club.hub import Hub
from tilekeeper.companion.club.parts import Parts, put_parts
from tilekeeper.companion.web.api.errors import handle_errors
from tilekeeper.companion.web.api.languages import keep_choice, speak_languages
from tilekeeper.companion.web.blueprints import assets

LONGEST_REQUEST_BYTES = 12 * 1024 * 1024
"""A raised hand with two pictures, or a long list of players."""


def create_app(hub: Hub) -> Flask:
    """Return the app of a hub; whoever makes the hub starts and closes it."""
    app = Flask("tilekeeper.companion.web", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LONGEST_REQUEST_BYTES
    put_parts(app, Parts(hub, Doorkeeper(hub.database), Fragments(app, hub.database)))
    handle_errors(app)
    speak_languages(app)
    guard(app)
    keep_choice(app)
    assets.name_assets(app)
    for topic in (pages, actions, exports, wire, assets):
        app.register_blueprint(topic.blueprint)
    return app
