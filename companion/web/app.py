"""The factory of the table's Flask app."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flask import Flask

from tilekeeper.companion.hooks.address import HookAddress
from tilekeeper.companion.hooks.hooks import Hooks
from tilekeeper.companion.hooks.sender import HookSender
from tilekeeper.companion.hub_link.link import Hall
from tilekeeper.companion.session.access import Access
from tilekeeper.companion.session.assistant import FixFinder, HandsFreeDone
from tilekeeper.companion.session.ink_memory import InkMemory
from tilekeeper.companion.session.no_game_night import NoGameNight
from tilekeeper.companion.session.opening_points import OpeningCounter
from tilekeeper.companion.session.past_evenings import PastEvenings
from tilekeeper.companion.session.phone_camera import PhoneCamera
from tilekeeper.companion.session.players import Players
from tilekeeper.companion.session.private_pages import PrivatePages
from tilekeeper.companion.session.repository import GameNights
from tilekeeper.companion.session.reviews import Reviews
from tilekeeper.companion.session.session import Session
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.session.snapshot import WatchedSource
from tilekeeper.companion.session.sources import Sources
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.session.time_lapses import TimeLapses
from tilekeeper.companion.session.timekeeper import Timekeeper
from tilekeeper.companion.session.watcher import Watcher
from tilekeeper.companion.storage.examples import Examples
from tilekeeper.companion.storage.store import Store
from tilekeeper.companion.text.boxes import plays_with_cards
from tilekeeper.companion.web import openapi, pages
from tilekeeper.companion.web.api import errors
from tilekeeper.companion.web.api.answers import AnswersAsJson
from tilekeeper.companion.web.api.event_stream import Streams
from tilekeeper.companion.web.api.extensions import AppParts, put_parts
from tilekeeper.companion.web.api.languages import keep_choice, speak_languages
from tilekeeper.companion.web.api.state_feed import StateFeed
from tilekeeper.companion.web.blueprints import (
    access,
    assets,
    cameras,
    examples,
    game_night,
    game_nights,
    hall,
    host,
    past_evenings,
    phone_camera,
    players,
    practice,
    private_pages,
    record,
    rules,
    shell,
    table,
    table_words,
    trust,
)

if TYPE_CHECKING:
    from tilekeeper.companion.storage.certificates import Certificates

# The longest request that is not a picture begins a game night with all house rules.
LONGEST_REQUEST_BYTES = 64 * 1024
TOPICS = (
    *(pages, assets, access, host, trust, shell, private_pages, cameras, phone_camera, table),
    *(game_nights, past_evenings, players, game_night, hall, record, table_words, rules, practice, examples, openapi),
)
BLUEPRINTS = tuple(topic.blueprint for topic in TOPICS)


def create_app(settings: Settings) -> Flask:
    """Return the table's Flask app; `parts(app).start()` starts its threads and `parts(app).close()` stops them."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LONGEST_REQUEST_BYTES
    app.json = AnswersAsJson(app)
    put_parts(app, app_parts := _parts_of(settings))
    trust.serve_trust(app, app_parts.certificates, "/join")
    host.serve_host(app, settings.host_key, "/", "/join")
    errors.handle_errors(app)
    speak_languages(app, lambda: plays_with_cards(app_parts.session.state.activity.rules))
    access.guard(app)
    keep_choice(app)
    assets.name_assets(app)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    return app


def _parts_of(settings: Settings) -> AppParts:
    database = Store.open(settings.data_folder)
    repository = GameNights(database)
    source = WatchedSource.of(settings.source, settings.watched, settings.notice)
    activity = NoGameNight.watching(settings.rules, source.kind)
    state = TableState(source, activity, racks_may_stand=repository.racks_may_stand)
    session = Session(state, repository, settings.now)
    FixFinder(session)
    OpeningCounter(session)
    watcher = Watcher(settings, session, InkMemory(database))
    private_pages = PrivatePages(database, settings.now)
    tablets = Access(database, private_pages, settings.now, settings.host_key)
    sources = Sources(session, watcher, database, settings.named or settings.watched, settings.user)
    hall = None if settings.hall is None else Hall(session, repository, settings.hall, tablets.join_address)
    timekeeper = Timekeeper(session)
    past_evenings = PastEvenings(database)
    feed = StateFeed(session, tablets, repository, hall)
    return AppParts(
        settings=settings,
        session=session,
        watcher=watcher,
        timekeeper=timekeeper,
        hands_free=HandsFreeDone(session, settings.user.done_after_s),
        hooks=Hooks(session, timekeeper, [HookSender(HookAddress.parse(url)) for url in settings.hooks]),
        feed=feed,
        streams=Streams(feed, settings.heartbeat_s),
        game_nights=repository,
        past_evenings=past_evenings,
        players=Players(database, past_evenings),
        time_lapses=TimeLapses(),
        reviews=Reviews(),
        access=tablets,
        private_pages=private_pages,
        sources=sources,
        phone_camera=PhoneCamera(session, sources, watcher, settings.now),
        examples=Examples(settings.data_folder, settings.set_name),
        certificates=_certificates(settings, database.folder) if settings.https else None,
        hall=hall,
    )


def _certificates(settings: Settings, folder: Path) -> Certificates:
    from tilekeeper.companion.storage.certificates import Certificates  # imports cryptography, only for --https

    return Certificates(settings.authority or folder / "https")
