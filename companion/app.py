"""Makes the Flask app that shows the table; it watches nothing until its watcher is started."""

from flask import Flask

from tilekeeper.companion import page
from tilekeeper.companion.api import document, errors, evening, evenings, record, table
from tilekeeper.companion.desk import Desk
from tilekeeper.companion.evenings import Evenings
from tilekeeper.companion.parts import Parts, put_parts
from tilekeeper.companion.settings import Settings
from tilekeeper.companion.single_turn import SingleTurn
from tilekeeper.companion.snapshot import Watching
from tilekeeper.companion.storage.store import Store
from tilekeeper.companion.streams import Streams
from tilekeeper.companion.watcher import Watcher

# The longest thing a page sends, but for pictures, is an evening to begin with all its house rules.
LONGEST_REQUEST_BYTES = 64 * 1024


def create_app(settings: Settings) -> Flask:
    """Return the app; `parts(app).start()` begins to watch and `parts(app).close()` ends it all."""
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = LONGEST_REQUEST_BYTES
    source = settings.source
    # Only a folder of photos knows where it stands and how many there are.
    place = getattr(source, "index", None), getattr(source, "count", None)
    desk = Desk(Watching(source.kind, settings.watched, settings.notice, *place))
    desk.play = SingleTurn(desk, settings.rules)
    kept = Evenings(desk, Store(settings.data_folder), settings.rules)
    put_parts(app, Parts(settings, desk, Watcher(settings, desk), Streams(desk, settings.heartbeat_s), kept))
    errors.handle_errors(app)
    for topic in (page, table, evenings, evening, record, document):
        app.register_blueprint(topic.blueprint)
    return app
