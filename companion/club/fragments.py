"""The living parts of pages: drawn once for everybody who looks at them, and streamed piece by piece as they change.

A piece is what stands in a template between `<!--[name]-->` and `<!--[/]-->`: one element, whose `data-piece` is the
name. Where only pieces have changed since the last news, a page gets those alone: a press at one table of fifty is a
kilobyte, and the whole part fifty.
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
"""The parts, and how often each is drawn at most, whatever happens at so many tables: two hundred phones show the hall,
and one wall the projector's."""
PARTS: Final = tuple(LEAST_BETWEEN_S)
BEAT_S: Final = 15.0
MOST_STREAMS: Final = 400
_PIECE: Final = re.compile(r"<!--\[([\w-]+)\]-->\s*(.*?)\s*<!--\[/\]-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A part of a page."""

    revision: int
    """It shows this one at least."""
    frame: str
    """What stands around the pieces."""
    pieces: Mapping[str, str]
    html: str
    """All of it."""

    def news(self, shown: Drawn | None) -> dict[str, object] | None:
        """What a page needs that shows another one; none where it shows the same."""
        if shown is None or shown.frame != self.frame or shown.pieces.keys() != self.pieces.keys():
            return {"revision": self.revision, "html": self.html}
        changed = {name: text for name, text in self.pieces.items() if shown.pieces[name] != text}
        return {"revision": self.revision, "pieces": changed} if changed else None


@dataclass(slots=True)
class _Part:
    """A part in one language, and what it was drawn from."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    drawn: Drawn | None = None
    drawn_s: float = 0.0
    night: NightView | None = None
    once: dict[Hashable, Markup] = field(default_factory=dict)


class Fragments:
    """Draws parts of pages by language and revision."""

    def __init__(self, app: Flask, database: Database) -> None:
        """Take the app, whose templates are drawn, and where what they show is."""
        self._app = app
        self._database = database
        self._lock = threading.Lock()
        self._parts: dict[tuple[str, str], _Part] = {}
        self._free = threading.BoundedSemaphore(MOST_STREAMS)

    def draw(self, part: str, language: str, old_s: float = 0.0) -> Drawn:
        """A part of a page as it is now.

        Args:
            part: one of `PARTS`.
            language: a code of `LANGUAGES`.
            old_s: how old it may be, so that many who look at different moments don't have it drawn for each of them.
        """
        with self._lock:
            kept = self._parts.setdefault((part, language), _Part())
        with kept.lock:
            if kept.drawn is not None and time.monotonic() - kept.drawn_s < old_s:
                return kept.drawn
            if not self._read(kept, language) or kept.drawn is None:
                kept.drawn = self._newly_drawn(kept, part, language)
            kept.drawn_s = time.monotonic()
            return kept.drawn

    def _read(self, kept: _Part, language: str) -> bool:
        """Read the night; returns whether what is drawn shows it as it is."""
        with self._app.app_context(), use_language(translations_of(language)), self._database.reading() as session:
            before, kept.night = kept.night, night_view(session, kept.night)
        return before is kept.night

    def _newly_drawn(self, kept: _Part, part: str, language: str) -> Drawn:
        assert kept.night is not None  # it was read
        before, kept.once = kept.once, {}

        def once(macro: Callable[..., Markup], shows: Hashable) -> Markup:
            """What a macro makes of a value, made anew only where it was not there the last time."""
            key = getattr(macro, "name", ""), shows
            made = before.get(key)
            kept.once[key] = made = macro(shows) if made is None else made
            return made

        with self._app.app_context(), use_language(translations_of(language)):
            text = render_template(f"club_{part}_part.html", night=kept.night, once=once)
        pieces = dict(_PIECE.findall(text))
        return Drawn(kept.night.revision, _PIECE.sub("", text), pieces, text)

    def stream(self, part: str, language: str, may_see: Callable[[], bool]) -> Iterator[bytes] | None:
        """Events with a part of a page, now and whenever it has changed; none where too many listen.

        Args:
            part: one of `PARTS`.
            language: a code of `LANGUAGES`.
            may_see: whether the page may still see it; the stream ends once it may not.
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
                    yield f"id: {drawn.revision}\ndata: {json.dumps(news)}\n\n".encode()
                time.sleep(least_s)
                if self._database.wait(drawn.revision, BEAT_S) <= drawn.revision:
                    yield b"event: beat\ndata: still here\n\n"
        finally:
            self._free.release()
