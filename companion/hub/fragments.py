"""Live parts of pages: rendered once for all viewers, and streamed in pieces as they change (server-sent events).

A piece is the text between `<!--[name]-->` and `<!--[/]-->` in a template: one HTML element, whose `data-piece` is the
name. If only pieces have changed, a page gets only these. So a button at one of fifty tables costs one kilobyte
instead of fifty.
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

from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.table_rulings import MATTERS
from tilekeeper.companion.hub.views import NightView, night_view
from tilekeeper.companion.languages import translations_of
from tilekeeper.companion.web.api.stream import Stream
from tilekeeper.engine.language import use_language

LEAST_BETWEEN_S: Final[Mapping[str, float]] = {"hall": 0.5, "projector": 0.05, "arbiter": 0.1, "desk": 0.25}
"""The shortest time between two renderings of each part; it is longer for parts that many phones show."""
PARTS: Final = tuple(LEAST_BETWEEN_S)
BEAT_S: Final = 15.0
"""A stream without news sends a sign of life at this interval."""
MOST_STREAMS: Final = 400
_PIECE: Final = re.compile(r"<!--\[([\w-]+)\]-->\s*(.*?)\s*<!--\[/\]-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Rendering:
    """One part of a page as HTML, in one language."""

    revision: int
    """The database revision that the HTML shows."""
    frame: str
    """The HTML without its pieces."""
    pieces: Mapping[str, str]
    """The HTML of each piece, by name."""
    html: str
    """The HTML of the whole part."""

    def update_for(self, shown: Rendering | None) -> dict[str, object] | None:
        """Return the JSON that updates a page from the rendering `shown` to this one; None if both are equal.

        It has the changed `pieces`, or the whole `html` if the page shows nothing yet or other parts have changed.
        """
        if shown is None or shown.frame != self.frame or shown.pieces.keys() != self.pieces.keys():
            return {"revision": self.revision, "html": self.html}
        changed = {name: text for name, text in self.pieces.items() if shown.pieces[name] != text}
        return {"revision": self.revision, "pieces": changed} if changed else None


@dataclass(slots=True)
class _Part:
    """The cache for one part of a page in one language: the newest rendering, and the data that it shows."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    rendering: Rendering | None = None
    rendered_s: float = 0.0
    night: NightView | None = None
    rendered_macros: dict[Hashable, Markup] = field(default_factory=dict)


class Fragments:
    """Renders and streams parts of pages; several threads may use it at once."""

    def __init__(self, app: Flask, database: Database) -> None:
        """Use the templates of an app and the hub's database."""
        self._app = app
        self._database = database
        self._lock = threading.Lock()
        self._parts: dict[tuple[str, str], _Part] = {}
        """The caches by part and language; the part of `night` is empty."""
        self._free = threading.BoundedSemaphore(MOST_STREAMS)

    def render(self, part: str, language: str, max_age_s: float = 0.0) -> Rendering:
        """Return the current rendering of a part.

        Args:
            part: one of `PARTS`.
            language: a code of `LANGUAGES`.
            max_age_s: a cached rendering of at most this age, in seconds, is returned without a look at the database.
        """
        with self._lock:
            cached = self._parts.setdefault((part, language), _Part())
        with cached.lock:
            if cached.rendering is not None and time.monotonic() - cached.rendered_s < max_age_s:
                return cached.rendering
            if not self._read(cached, language) or cached.rendering is None:
                cached.rendering = self._render_part(cached, part, language)
            cached.rendered_s = time.monotonic()
            return cached.rendering

    def night(self, language: str) -> NightView:
        """Return the club night as of now, in a language; it is read anew only if something has changed."""
        with self._lock:
            cached = self._parts.setdefault(("", language), _Part())
        with cached.lock:
            self._read(cached, language)
            assert cached.night is not None  # it was read
            return cached.night

    def _read(self, cached: _Part, language: str) -> bool:
        """Read the night into the cache; return whether the night is unchanged."""
        with self._app.app_context(), use_language(translations_of(language)), self._database.reading() as session:
            before, cached.night = cached.night, night_view(session, cached.night)
        return before is cached.night

    def _render_part(self, cached: _Part, part: str, language: str) -> Rendering:
        assert cached.night is not None  # it was read
        before, cached.rendered_macros = cached.rendered_macros, {}

        def once(macro: Callable[..., Markup], shows: Hashable) -> Markup:
            """Render a template macro for a value, or reuse its last rendering if the value is the same."""
            key = getattr(macro, "name", ""), shows
            markup = before.get(key)
            cached.rendered_macros[key] = markup = macro(shows) if markup is None else markup
            return markup

        with self._app.app_context(), use_language(translations_of(language)):
            text = render_template(f"club_{part}_part.html", night=cached.night, once=once, matters=MATTERS)
        pieces = dict(_PIECE.findall(text))
        return Rendering(cached.night.revision, _PIECE.sub("", text), pieces, text)

    def stream(self, part: str, language: str, may_see: Callable[[], bool]) -> Stream | None:
        """Return a stream of server-sent events: a part of a page now, then updates; None if too many streams are open.

        The caller must close it.

        Args:
            part: one of `PARTS`.
            language: a code of `LANGUAGES`.
            may_see: returns whether the viewer still has access; otherwise the stream ends.
        """
        if not self._free.acquire(blocking=False):
            return None
        return Stream(self._events(part, language, may_see), self._free)

    def _events(self, part: str, language: str, may_see: Callable[[], bool]) -> Iterator[bytes]:
        least_s = LEAST_BETWEEN_S[part]
        yield b"retry: 1500\n\n"
        shown: Rendering | None = None
        while not self._database.closed and may_see():
            rendering = self.render(part, language, least_s)
            update = rendering.update_for(shown)
            if update is not None:
                shown = rendering
                yield f"id: {rendering.revision}\ndata: {json.dumps({**update, 'now': time.time()})}\n\n".encode()
            time.sleep(least_s)
            if self._database.wait(rendering.revision, BEAT_S) <= rendering.revision:
                yield b"event: beat\ndata: still here\n\n"
