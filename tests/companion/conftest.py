"""Fixtures for tests of the app: known tables, a camera controlled by the test, and apps that are closed afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from tests.support.browsing import BROWSERS, Browsers
from tests.support.game_night_client import EveningClient
from tests.support.known_tables import (
    FILM_AFTER,
    FILM_BEFORE,
    PICTURE_WH,
    MarkedTables,
    PlayedSource,
    Player,
    table_reading,
)
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.capture.sources import Source
from tilekeeper.companion.doorkeeper.host_key import HostKey
from tilekeeper.companion.messaging.broker import Link
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.companion.web.api.extensions import AppParts, parts
from tilekeeper.companion.web.app import create_app
from tilekeeper.engine.rules.editions import rule_set

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session", autouse=True)
def _user_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A temporary data folder for all apps, so that tests do not use that of the person who runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _addresses_compiled_once() -> Iterator[None]:
    """Compile Werkzeug's URL builder for each rule once per process.

    Werkzeug does so for every app, which is most of the time that an app takes to be made. The result depends only on
    the rule, so all apps of a process can share it.
    """
    compiled = Rule._compile_builder
    known: dict[object, Callable[..., tuple[str, str]]] = {}

    def once(rule: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        defaults = tuple(sorted((rule.defaults or {}).items()))
        key = (rule.rule, rule.subdomain, rule.host, rule.merge_slashes, defaults, append_unknown)
        if key not in known:
            known[key] = compiled(rule, append_unknown)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "_compile_builder", once)
        yield


@pytest.fixture(scope="session")
def browsers() -> Iterator[Browsers]:
    """The browsers of this process."""
    yield BROWSERS
    BROWSERS.end()


@pytest.fixture(scope="module")
def browser(browsers: Browsers, chromium_path: str) -> Iterator[Browser]:
    """Debian's Chromium, headless, shared by all files; windows of a test file are closed at its end."""
    shared = browsers.shared(chromium_path)
    yield shared
    for context in shared.contexts:
        context.close()


@pytest.fixture
def tables() -> MarkedTables:
    """Known tables, and the reader for them."""
    return MarkedTables()


@pytest.fixture
def camera() -> PlayedSource:
    """A camera that shows the images of the test."""
    return PlayedSource()


@pytest.fixture
def make_app(tables: MarkedTables, tmp_path: Path) -> Iterator[Callable[..., Flask]]:
    """Makes apps with a source, and closes them at the end."""
    made: list[AppParts] = []

    def make(
        source: Source,
        notice: str = "",
        watch: bool = True,
        heartbeat_s: float = 0.5,
        now: Callable[[], float] = time.monotonic,
        https: bool = False,
        hall: Link | None = None,
        data_folder: Path = tmp_path,
        host_key: HostKey | None = None,
        hooks: tuple[str, ...] = (),
    ) -> Flask:
        settings = Settings(
            rule_set("large-numbers"),
            source,
            tables,
            source.name,
            data_folder,
            notice,
            heartbeat_s,
            user=UserSettings(still_after_s=0.1),
            https=https,
            now=now,
            hall=hall,
            host_key=host_key,
            hooks=hooks,
        )
        app = create_app(settings)
        app.testing = True
        made.append(parts(app))
        if watch:
            parts(app).start()
        return app

    yield make
    for running in made:
        running.close()


@pytest.fixture
def app(make_app: Callable[..., Flask], camera: PlayedSource) -> Flask:
    """An app with the camera."""
    return make_app(camera)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """An HTTP client of the app."""
    return app.test_client()


@pytest.fixture
def hand_app(make_app: Callable[..., Flask]) -> Flask:
    """An app without a camera."""
    return make_app(NoSource(), watch=False)


@pytest.fixture
def by_hand(hand_app: Flask) -> EveningClient:
    """A client of an app without a camera."""
    return EveningClient(hand_app)


@pytest.fixture
def player(client: FlaskClient) -> Player:
    """A player at the table in front of the camera."""
    return Player(client)


@pytest.fixture(scope="session")
def film_tables() -> MarkedTables:
    """The tables of the film, and the reader for them."""
    return MarkedTables()


@pytest.fixture(scope="session")
def film_path(tmp_path_factory: pytest.TempPathFactory, film_tables: MarkedTables) -> Path:
    """A real video of a short game: a table, then the table after a turn, each for some seconds."""
    path = tmp_path_factory.mktemp("film") / "game.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 5, PICTURE_WH)
    for notation, seconds in ((FILM_BEFORE, 4), (FILM_AFTER, 12)):
        image = film_tables.picture(table_reading(notation))
        for _ in range(5 * seconds):
            writer.write(image)
    writer.release()
    return path
