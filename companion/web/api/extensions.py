"""The parts of a running app, and how a request finds them."""

from dataclasses import dataclass

from flask import Flask

from tilekeeper.companion.session.access import Access
from tilekeeper.companion.session.repository import Evenings
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.session.sources import Sources
from tilekeeper.companion.session.table_state import Desk
from tilekeeper.companion.session.watcher import Watcher
from tilekeeper.companion.storage.examples import Examples
from tilekeeper.companion.web.api.event_stream import Streams

_KEY = "tilekeeper"


@dataclass(frozen=True, slots=True)
class Parts:
    """One desk, one watcher, one set of streams, one store of evenings and one door for the whole app."""

    settings: Settings
    desk: Desk
    watcher: Watcher
    streams: Streams
    evenings: Evenings
    access: Access
    sources: Sources
    examples: Examples

    def start(self) -> None:
        """Go on with the last evening, and begin to watch."""
        self.evenings.start()
        self.watcher.start()

    def close(self) -> None:
        """Keep the evening, let every open page go, and stop watching."""
        self.desk.close()
        self.evenings.save()
        self.watcher.stop()
        self.evenings.close()


def put_parts(app: Flask, parts: Parts) -> None:
    """Give an app its parts."""
    app.extensions[_KEY] = parts


def parts(app: Flask) -> Parts:
    """Return the parts of an app that `create_app` made."""
    found = app.extensions[_KEY]
    assert isinstance(found, Parts)
    return found
