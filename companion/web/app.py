"""Makes the Flask app that shows the table; it watches nothing until its watcher is started."""

from flask import Flask

from tilekeeper.companion.session.access import Access
from tilekeeper.companion.session.repository import Evenings
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.session.single_turn import SingleTurn
from tilekeeper.companion.session.snapshot import Watching
from tilekeeper.companion.session.sources import Sources
from tilekeeper.companion.session.table_state import Desk
from tilekeeper.companion.session.watcher import Watcher
from tilekeeper.companion.storage.examples import Examples
from tilekeeper.companion.storage.store import Store
from tilekeeper.companion.web import errors
from tilekeeper.companion.web import openapi as document
from tilekeeper.companion.web import pages as page
from tilekeeper.companion.web.blueprints import access as door
from tilekeeper.companion.web.blueprints import cameras, examples, record, table
from tilekeeper.companion.web.blueprints import game_night as evening
from tilekeeper.companion.web.blueprints import game_nights as evenings
from tilekeeper.companion.web.event_stream import Streams
from tilekeeper.companion.web.extensions import Parts, put_parts

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
    store = Store(settings.data_folder)
    watcher = Watcher(settings, desk)
    access = Access(store, settings.now)
    together = Parts(
        settings=settings,
        desk=desk,
        watcher=watcher,
        streams=Streams(desk, settings.heartbeat_s),
        evenings=Evenings(desk, store, settings.rules, access, settings.now),
        access=access,
        examples=Examples(settings.data_folder, settings.set_name),
        sources=Sources(desk, watcher, store, settings.named or settings.watched),
    )
    put_parts(app, together)
    errors.handle_errors(app)
    door.guard(app)
    for topic in (page, door, cameras, table, evenings, evening, record, examples, document):
        app.register_blueprint(topic.blueprint)
    return app
