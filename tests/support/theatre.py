"""Shows the photos, plays the two game nights of the screens, and opens each screen on pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from flask import Flask
from playwright.sync_api import Page

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import PlayedPhotos, PlayedSource
from tests.support.rendered_tables import RenderedTables
from tests.support.screens import BY_HAND, CAMERA, LIES, PHOTOS, Screen
from tests.support.stage import Clock, Stage
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.capture.sources import Source
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.api.languages import COOKIE
from tilekeeper.companion.web.app import create_app
from tilekeeper.engine.rules.editions import rule_set

STRANGER = {"REMOTE_ADDR": "192.168.1.30"}

# Two frames: layout happens before the first, its effects before the second.
PAINTED = """async () => {
  await document.fonts.ready;
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
}"""

# Colours do not matter here: everything is laid out and can be pressed, but nothing is painted, which would take half
# of the time that the processor needs for another size.
UNPAINTED = """(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(":root, dialog, ::backdrop { opacity: 0 !important }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
})()"""


@dataclass(slots=True)
class Theatre:
    """Makes the photos and the two game nights, and walks through all screens."""

    folder: Path
    serve: Callable[[Flask], str]
    tables: RenderedTables = field(default_factory=RenderedTables)

    def screens(self) -> Iterator[tuple[Stage, Screen]]:
        """Yield each screen once its state is reached; use it before requesting the next one."""
        for name, screens in (("photos", PHOTOS), ("camera", CAMERA), ("hand", BY_HAND)):
            stage = self._stage(name)
            for screen in screens:
                screen.arrange(stage)
                yield stage, screen

    def _stage(self, name: str) -> Stage:
        tables = self.tables
        camera = PlayedSource() if name == "camera" else None
        source: Source = camera or NoSource()
        if name == "photos":
            source = PlayedPhotos([tables.table(LIES)])
        folder = self.folder / name
        folder.mkdir()
        clock = Clock()
        settings = Settings(
            rule_set("large-numbers"),
            source,
            tables,
            source.name,
            folder,
            user=UserSettings(still_after_s=0.1),
            now=clock,
            https=True,
        )
        app = create_app(settings)
        parts(app).access.address = "https://192.168.1.5:8645/"
        if camera is not None:
            camera.show(tables.table(""))
        if source.kind != NoSource.kind:
            parts(app).start()
        return Stage(app, self.serve(app), EveningClient(app), clock, camera, tables)


def see(pages: Sequence[Page], stage: Stage, screen: Screen) -> Iterator[Page]:
    """Open a screen on pages, and yield each once it is ready.

    A step of `then` happens once, with the screen open on all pages; without a step, each page is opened after the page
    before it was used.
    """
    if screen.then is not None:
        for page in pages:
            _open(page, stage, screen)
        screen.then(stage)
    for page in pages:
        if screen.then is None:
            _open(page, stage, screen)
        if screen.seen:
            page.locator(screen.seen).first.wait_for()
        page.evaluate(PAINTED)
        yield page


def resize(page: Page, width: int, height: int) -> None:
    """Resize a page, and wait for layout and painting."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(PAINTED)


def speak(page: Page, stage: Stage, language: str) -> None:
    """Let a page show the screens that it opens from now on in another language."""
    page.context.add_cookies([{"name": COOKIE, "value": language, "url": stage.address}])


def _language_of(page: Page) -> str:
    chosen = [cookie["value"] for cookie in page.context.cookies() if cookie["name"] == COOKIE]
    return chosen[0] if chosen else page.evaluate("navigator.language")


def _open(page: Page, stage: Stage, screen: Screen) -> None:
    page.unroute_all()  # of the screen before; with any route a browser's cache is off
    if screen.name == "join":
        http = EveningClient(stage.app, **STRANGER).http
        answer = http.get("/join", base_url="https://localhost/", headers={"Accept-Language": _language_of(page)})
        html = answer.get_data(as_text=True)
        page.route("**/join", lambda route: route.fulfill(body=html, content_type="text/html"))
    page.goto(f"{stage.address}{screen.path}")
    page.locator(screen.ready).first.wait_for(state="attached")
    page.locator("#splash").wait_for(state="hidden")
    screen.dress(page)
