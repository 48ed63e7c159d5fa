"""The living parts of pages, made once for everybody who looks at them, and streamed when they change."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Final

from flask import Flask, render_template

from tilekeeper.companion.club.database import Database
from tilekeeper.companion.club.views import night_view
from tilekeeper.companion.languages import translations_of
from tilekeeper.engine.language import speaking

PARTS: Final = ("hall", "projector", "arbiter", "desk")
BEAT_S: Final = 15.0
LEAST_BETWEEN_S: Final = 0.1
"""Pages are not drawn more often than this, whatever happens at so many tables."""
MOST_STREAMS: Final = 400


class Fragments:
    """Draws parts of pages by language and revision."""

    def __init__(self, app: Flask, database: Database) -> None:
        """Take the app, whose templates are drawn, and where what they show is."""
        self._app = app
        self._database = database
        self._lock = threading.Lock()
        self._drawn: dict[tuple[str, str], tuple[int, str, float]] = {}
        """By part and language: revision, text, and when it was drawn."""
        self._free = threading.BoundedSemaphore(MOST_STREAMS)

    def draw(self, part: str, language: str, old_s: float = 0.0) -> tuple[int, str]:
        """A part of a page, with the revision that it shows at least.

        Args:
            part: one of `PARTS`.
            language: a code of `LANGUAGES`.
            old_s: how old it may be, so that many who look at different moments don't have it drawn for each of them.
        """
        revision = self._database.revision()
        with self._lock:
            kept = self._drawn.get((part, language))
            if kept is not None and (kept[0] >= revision or time.monotonic() - kept[2] < old_s):
                return kept[:2]
            with self._app.app_context(), speaking(translations_of(language)), self._database.reading() as session:
                text = render_template(f"club_{part}_part.html", night=night_view(session))
            self._drawn[part, language] = revision, text, time.monotonic()
            return revision, text

    def stream(self, part: str, language: str) -> Iterator[bytes] | None:
        """Events with a part of a page, now and whenever it has changed; none where too many listen."""
        if not self._free.acquire(blocking=False):
            return None
        return self._events(part, language)

    def _events(self, part: str, language: str) -> Iterator[bytes]:
        try:
            yield b"retry: 1500\n\n"
            shown = ""
            while not self._database.closed:
                revision, text = self.draw(part, language, LEAST_BETWEEN_S)
                if text != shown:
                    shown = text
                    yield f"id: {revision}\ndata: {json.dumps({'revision': revision, 'html': text})}\n\n".encode()
                time.sleep(LEAST_BETWEEN_S)
                if self._database.wait(revision, BEAT_S) <= revision:
                    yield b"event: beat\ndata: still here\n\n"
        finally:
            self._free.release()
