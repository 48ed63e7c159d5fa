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
from tilekeeper.companion.web import openapi, pages
from tilekeeper.companion.web.api import errors
from tilekeeper.companion.web.api.event_stream import Streams
from tilekeeper.companion.web.api.extensions import Parts, put_parts
from tilekeeper.companion.web.blueprints import access, cameras, examples, game_night, game_nights, record, table

# The longest thing a page sends, but for pictures, is an evening to begin with all its house rules.
LONGEST_REQUEST_BYTES = 64 * 1024
TOPICS = (pages, access, cameras, table, game_nights, game_night, record, examples, openapi)
BLUEPRINTS = tuple(topic.blueprint for topic in TOPICS)


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
    doorkeeper = Access(store, settings.now)
    together = Parts(
        settings=settings,
        desk=desk,
        watcher=watcher,
        streams=Streams(desk, settings.heartbeat_s),
        evenings=Evenings(desk, store, settings.rules, doorkeeper, settings.now),
        access=doorkeeper,
        examples=Examples(settings.data_folder, settings.set_name),
        sources=Sources(desk, watcher, store, settings.named or settings.watched),
    )
    put_parts(app, together)
    errors.handle_errors(app)
    access.guard(app)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    return app
