"""The parts of a running app, such as its session, and how a request finds them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import Flask

from tilekeeper.companion.hooks.hooks import Hooks
from tilekeeper.companion.hub_link.link import Hall
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.access import Access
from tilekeeper.companion.session.assistant import HandsFreeDone
from tilekeeper.companion.session.commands import PlayGameNight
from tilekeeper.companion.session.past_evenings import PastEvenings
from tilekeeper.companion.session.phone_camera import PhoneCamera
from tilekeeper.companion.session.players import Players
from tilekeeper.companion.session.private_pages import PrivatePages
from tilekeeper.companion.session.repository import GameNights
from tilekeeper.companion.session.reviews import Reviews
from tilekeeper.companion.session.session import Session
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.session.sources import Sources
from tilekeeper.companion.session.time_lapses import TimeLapses
from tilekeeper.companion.session.timekeeper import Timekeeper
from tilekeeper.companion.session.watcher import Watcher
from tilekeeper.companion.storage.examples import Examples
from tilekeeper.companion.web.api.event_stream import Streams
from tilekeeper.companion.web.api.state_feed import StateFeed

if TYPE_CHECKING:
    from tilekeeper.companion.storage.certificates import Certificates

_KEY = "tilekeeper"


@dataclass(frozen=True, slots=True)
class AppParts:
    """The long-lived objects of one app, which `create_app` makes and connects."""

    settings: Settings
    session: Session
    watcher: Watcher
    timekeeper: Timekeeper
    hands_free: HandsFreeDone
    hooks: Hooks
    feed: StateFeed
    streams: Streams
    game_nights: GameNights
    past_evenings: PastEvenings
    players: Players
    time_lapses: TimeLapses
    reviews: Reviews
    access: Access
    private_pages: PrivatePages
    sources: Sources
    phone_camera: PhoneCamera
    examples: Examples
    certificates: Certificates | None
    """The certificates for https; None for an app without encryption."""
    hall: Hall | None
    """The link to the table's hall; None for a table without a hall."""

    def start(self) -> None:
        """Continue the last game night, and start all threads."""
        self.hooks.start()
        last = self.game_nights.last_played(self.session.moment())
        if last is not None:
            self.session.handle(PlayGameNight(last))
        self.timekeeper.start()
        self.hands_free.start()
        self.watcher.start()
        if self.hall is not None:
            self.hall.start()

    def close(self) -> None:
        """Store the game night, disconnect all pages, and stop all threads."""
        self.session.close()
        self.time_lapses.close()
        self._save()  # first, since the camera's thread may hang
        self.watcher.stop()
        self.timekeeper.close()
        self.hands_free.close()
        self._save()
        self.hooks.close()
        if self.hall is not None:
            self.hall.close()
        self.game_nights.database.close()

    def _save(self) -> None:
        with suppress(Refused):  # another app has continued this game night, and its data must stay
            self.session.save()


def put_parts(app: Flask, parts: AppParts) -> None:
    """Attach the parts to an app, so that `parts` finds them."""
    app.extensions[_KEY] = parts


def parts(app: Flask) -> AppParts:
    """Return the parts of an app that `create_app` made."""
    app_parts = app.extensions[_KEY]
    assert isinstance(app_parts, AppParts)
    return app_parts
