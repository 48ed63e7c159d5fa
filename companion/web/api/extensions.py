"""The parts of a running app, and how a request finds them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import Flask

from tilekeeper.companion.hall.hall import Hall
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.access import Access
from tilekeeper.companion.session.assistant import HandsFreeDone
from tilekeeper.companion.session.commands import PlayGameNight
from tilekeeper.companion.session.past_evenings import PastEvenings
from tilekeeper.companion.session.phone_camera import PhoneCamera
from tilekeeper.companion.session.private_pages import PrivatePages
from tilekeeper.companion.session.repository import GameNights
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
class Parts:
    """All that an app has one of."""

    settings: Settings
    session: Session
    watcher: Watcher
    timekeeper: Timekeeper
    hands_free: HandsFreeDone
    feed: StateFeed
    streams: Streams
    game_nights: GameNights
    past_evenings: PastEvenings
    time_lapses: TimeLapses
    access: Access
    private_pages: PrivatePages
    sources: Sources
    phone_camera: PhoneCamera
    examples: Examples
    certificates: Certificates | None
    """With which tablets come in over https; None where they come in plainly."""
    hall: Hall | None
    """The link to the hall that the table plays in; None where it plays alone."""

    def start(self) -> None:
        """Go on with the last game night, and begin to watch."""
        last = self.game_nights.last_played(self.session.moment())
        if last is not None:
            self.session.handle(PlayGameNight(last))
        self.timekeeper.start()
        self.hands_free.start()
        self.watcher.start()
        if self.hall is not None:
            self.hall.start()

    def close(self) -> None:
        """Store the game night, let every open page go, and stop watching."""
        self.session.close()
        self.time_lapses.close()
        self._save()  # at once, should the camera's thread hang
        self.watcher.stop()
        self.timekeeper.close()
        self.hands_free.close()
        self._save()
        if self.hall is not None:
            self.hall.close()
        self.game_nights.database.close()

    def _save(self) -> None:
        with suppress(Refused):  # another app has gone on with the evening meanwhile: what that wrote stays
            self.session.save()


def put_parts(app: Flask, parts: Parts) -> None:
    """Give an app its parts."""
    app.extensions[_KEY] = parts


def parts(app: Flask) -> Parts:
    """Return the parts of an app that `create_app` made."""
    found = app.extensions[_KEY]
    assert isinstance(found, Parts)
    return found
