"""Live parts of pages: rendered once for all viewers, and streamed piece by piece as they change (server-sent events).

A piece is the text in a template between `<!--[name]-->` and `<!--[/]-->`: one element, whose `data-piece` is the name.
If only pieces have changed, a page gets just these: with fifty tables, a press at one is a kilobyte instead of fifty.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from flask import Flask, render_template
from markupsafe import Markup

from tilekeeper.companion.club.database import Database
from tilekeeper.companion.club.views import NightView, night_view
from tilekeeper.companion.languages import translations_of
from tilekeeper.engine.language import use_language

LEAST_BETWEEN_S: Final[Mapping[str, float]] = {"hall": 0.5, "projector": 0.05, "arbiter": 0.1, "desk": 0.25}
"""The parts, with the shortest time between renderings. Two hundred phones show the hall, one wall the projector."""
PARTS: Final = tuple(LEAST_BETWEEN_S)
BEAT_S: Final = 15.0
MOST_STREAMS: Final = 400
_PIECE: Final = re.compile(r"<!--\[([\w-]+)\]-->\s*(.*?)\s*<!--\[/\]-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A rendered part of a page."""

    revision: int
    """The revision that it shows."""
    frame: str
    """The HTML around the pieces."""
    pieces: Mapping[str, str]
    html: str
    """The whole part."""

    def news(self, shown: Drawn | None) -> dict[str, object] | None:
        """Return the update for a page that shows another rendering; None if they are the same."""
        if shown is None or shown.frame != self.frame or shown.pieces.keys() != self.pieces.keys():
            return {"revision": self.revision, "html": self.html}
        changed = {name: text for name, text in self.pieces.items() if shown.pieces[name] != text}
        return {"revision": self.revision, "pieces": changed} if changed else None


@dataclass(slots=True)
class _Part:
    """A part of a page in one language, and the night as it was when the part was drawn."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    drawn: Drawn | None = None
    drawn_s: float = 0.0
    night: NightView | None = None
    once: dict[Hashable, Markup] = field(default_factory=dict)


class Fragments:
    """Renders parts of pages; may be used by several threads."""

    def __init__(self, app: Flask, database: Database) -> None:
        """Use the templates of an app and the hub's database."""
        self._app = app
        self._database = database
        self._lock = threading.Lock()
        self._parts: dict[tuple[str, str], _Part] = {}
        self._free = threading.BoundedSemaphore(MOST_STREAMS)

    def draw(self, part: str, language: str, old_s: float = 0.0) -> Drawn:
        """Return the present rendering of a part.

        Args:
            part: one of `PARTS`.
            language: a code of `LANGUAGES`.
            old_s: the age in seconds that a cached rendering may have.
        """
        with self._lock:
            cached = self._parts.setdefault((part, language), _Part())
        with cached.lock:
            if cached.drawn is not None and time.monotonic() - cached.drawn_s < old_s:
                return cached.drawn
            if not self._read(cached, language) or cached.drawn is None:
                cached.drawn = self._render(cached, part, language)
            cached.drawn_s = time.monotonic()
            return cached.drawn

    def _read(self, cached: _Part, language: str) -> bool:
        """Read the night, and return whether it is unchanged."""
        with self._app.app_context(), use_language(translations_of(language)), self._database.reading() as session:
            before, cached.night = cached.night, night_view(session, cached.night)
        return before is cached.night

    def _render(self, cached: _Part, part: str, language: str) -> Drawn:
        assert cached.night is not None  # it was read
        before, cached.once = cached.once, {}

        def once(macro: Callable[..., Markup], shows: Hashable) -> Markup:
            """Render a macro with a value, or reuse the rendering of the last time."""
            key = getattr(macro, "name", ""), shows
            markup = before.get(key)
            cached.once[key] = markup = macro(shows) if markup is None else markup
            return markup

        with self._app.app_context(), use_language(translations_of(language)):
            text = render_template(f"club_{part}_part.html", night=cached.night, once=once)
        pieces = dict(_PIECE.findall(text))
        return Drawn(cached.night.revision, _PIECE.sub("", text), pieces, text)

    def stream(self, part: str, language: str, may_see: Callable[[], bool]) -> Iterator[bytes] | None:
        """Return a stream of events with a part of a page, now and after each change; None if too many are open.

        Args:
            part: one of `PARTS`.
            language: a code of `LANGUAGES`.
            may_see: returns whether the page may still see it; else the stream ends.
        """
        if not self._free.acquire(blocking=False):
            return None
        return self._events(part, language, may_see)

    def _events(self, part: str, language: str, may_see: Callable[[], bool]) -> Iterator[bytes]:
        least_s = LEAST_BETWEEN_S[part]
        try:
            yield b"retry: 1500\n\n"
            shown: Drawn | None = None
            while not self._database.closed and may_see():
                drawn = self.draw(part, language, least_s)
                news = drawn.news(shown)
                if news is not None:
                    shown = drawn
                    yield f"id: {drawn.revision}\ndata: {json.dumps({**news, 'now': time.time()})}\n\n".encode()
                time.sleep(least_s)
                if self._database.wait(drawn.revision, BEAT_S) <= drawn.revision:
                    yield b"event: beat\ndata: still here\n\n"
        finally:
            self._free.release()
