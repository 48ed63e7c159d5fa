"""Screen sizes, the shared browser of a process, and apps served to it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from flask import Flask

from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.server import Listening, listen

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

TABLET, PHONE = {"width": 1180, "height": 820}, {"width": 390, "height": 844}
SIDEWAYS = {"width": 844, "height": 390}
SMALL_TABLET = {"width": 1024, "height": 768}
QUIET = {"service_workers": "block", "reduced_motion": "reduce"}
"""Service workers are blocked, since they bypass the routes of a test; animations are off, since they use CPU time and
would be measured half-way."""
OFFLINE = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-audio-output",  # without a sound card it is imitated, a hundred times a second
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
# A busy machine is slow without being wrong.
LONGEST_MS = 20_000


class Browsers:
    """The browser that all tests of a process share, because starting one takes a second of CPU time.

    A process can hold one Playwright at a time, so code that starts its own must end this one first.
    """

    def __init__(self) -> None:
        self._playwright: Playwright | None = None
        self._shared: Browser | None = None

    def shared(self, program: str) -> Browser:
        """Return the browser of this process; start it if necessary."""
        if self._shared is None or not self._shared.is_connected():
            self._shared = self.another(program)
        return self._shared

    def another(self, program: str, arguments: Sequence[str] = ()) -> Browser:
        """Return one more browser; the caller closes it."""
        from playwright.sync_api import expect, sync_playwright

        if self._playwright is None:
            self._playwright = sync_playwright().start()
            expect.set_options(timeout=LONGEST_MS)
        return self._playwright.chromium.launch(executable_path=program, args=[*OFFLINE, *arguments])

    def end(self) -> None:
        """Close all browsers."""
        if self._playwright is not None:
            self._playwright.stop()
        self._playwright = self._shared = None


BROWSERS = Browsers()
"""The browsers of this process."""


class Serving:
    """Serves apps in separate threads."""

    def __init__(self) -> None:
        self._running: list[tuple[Flask, Listening, threading.Thread]] = []

    def __call__(self, app: Flask, port: int = 0) -> str:
        """Serve an app and return its address."""
        listening = listen(app, "127.0.0.1", port, parts(app).certificates)
        thread = threading.Thread(target=listening.server.serve)
        thread.start()
        self._running.append((app, listening, thread))
        return listening.address

    def stop(self) -> None:
        """Stop all servers."""
        while self._running:
            app, listening, thread = self._running.pop()
            parts(app).close()
            listening.server.stop()
            thread.join(timeout=10)
            assert not thread.is_alive()
