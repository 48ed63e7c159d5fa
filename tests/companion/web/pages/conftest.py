"""Fixtures for tests of pages: a real browser, served apps, and pages on which any browser error fails the test."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page

from tests.support.browsing import QUIET, TABLET, Serving


@pytest.fixture
def serve() -> Iterator[Serving]:
    """Serves apps until the test ends."""
    serving = Serving()
    yield serving
    serving.stop()


@pytest.fixture
def open_page(browser: Browser) -> Iterator:
    """Opens pages on which any browser error, or request to another host, fails the test.

    Requests to an app that the test stops may fail: `may_lose_app`.
    """
    contexts, mistakes, requested = [], [], []

    def open_one(address: str, viewport: dict | None = None, may_lose_app: bool = False, **options: object) -> Page:
        context = browser.new_context(viewport=viewport or TABLET, **QUIET | options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: mistakes.append(str(error)))

        def note_errors(message: ConsoleMessage) -> None:
            if message.type == "error" and not (may_lose_app and "net::ERR_" in message.text):
                mistakes.append(message.text)

        page.on("console", note_errors)
        context.on("request", lambda request: requested.append(request.url))
        page.goto(address)
        return page

    yield open_one
    for context in contexts:
        context.close()
    # Pages load everything from the app.
    assert {urlsplit(url).hostname for url in requested if url.startswith(("http", "ws"))} <= {"127.0.0.1"}
    # Browsers log answers with an error code.
    assert [mistake for mistake in mistakes if "status of 40" not in mistake] == []
