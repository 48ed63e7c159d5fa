"""Screens for tests of pages, and apps that are served to a real browser."""

import threading

from flask import Flask

from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.server import Listening, listen

TABLET, PHONE = {"width": 1180, "height": 820}, {"width": 390, "height": 844}
SIDEWAYS = {"width": 844, "height": 390}
SMALL_TABLET = {"width": 1024, "height": 768}
OFFLINE = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


class Serving:
    """Serves apps in threads of their own."""

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
        """Bring everything down."""
        while self._running:
            app, listening, thread = self._running.pop()
            parts(app).close()
            listening.server.stop()
            thread.join(timeout=10)
            assert not thread.is_alive()
