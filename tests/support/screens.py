"""Every screen of the pages in every state, as people come to see it: for checks that hold on all, and for pictures.

Two evenings are played, one by hand and one before a camera that sees rendered tables. Each screen says what is to
happen at the table before it and what is pressed on the page, so a new screen is one more function here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from flask import Flask
from playwright.sync_api import Page

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import PlayedSource, Player
from tests.support.rendered_tables import RenderedTables
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.languages import translations_of
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.app import create_app
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.vision.sources.camera import Source

PLAYERS = ("Ada", "Bo", "Cleo", "Dan & Eve")
STRANGER = {"REMOTE_ADDR": "192.168.1.30"}
FOURTEEN_MELDS = (
    "R1 R2 R3 | R4 R5 R6 R7 | B1 B2 B3 B4 B5 | B9 B10 B11 | K5 K6 K7 K8 | K10 K11 K12 K13 | O1 O2 O3 | O6 O7 O8 O9 | "
    "R9 B9 K9 O9 | R10 B10 K10 | R12 B12 O12 | B6 K6 O6 | R11 K11 O11 | K1 K2 K3"
)
LIES = "R3 R4 R5 | K8 B8 O8 | B1 B2 B3 B4 | O10 O11 O12 | R9 K9 B9"
OPENING = f"{LIES} | K11 B11 O11"
TWO_FAULTS = f"{LIES} | R7 R8 R11 | K12 K13"
LAYS_ON_A_WRONG_TABLE = ("R3 R4 R6 | K8 B8 O8", "R3 R4 R6 | K8 B8 O8 | K10 B10 O10")

# What is to be shown is laid out before one frame, and what that has changed before the next.
PAINTED = """async () => {
  await document.fonts.ready;
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
}"""

# Where no colour is looked at: everything is laid out and can be pressed, and nothing is painted, which would take half
# of the time that the processor needs for another size.
UNPAINTED = """(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(":root, dialog, ::backdrop { opacity: 0 !important }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
})()"""

Kind = Literal["turn", "between", "dialog"]


@dataclass(slots=True)
class Clock:
    """A monotonic clock that can be put forward."""

    ahead_s: float = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead_s


@dataclass(slots=True)
class Stage:
    """An app with an evening on it, the page that plays it, and the camera before which tables are laid."""

    app: Flask
    address: str
    client: EveningClient
    clock: Clock
    camera: PlayedSource | None = None
    tables: RenderedTables | None = None

    def lay(self, notation: str, doubts: dict[tuple[int, int], str] | None = None) -> None:
        """Lay a table before the camera, and wait until it was read."""
        assert self.camera is not None
        assert self.tables is not None
        self.camera.show(self.tables.table(notation, doubts))
        Player(self.client.http).sees(notation)


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen in one state.

    Attributes:
        name: what its pictures are called after.
        kind: `turn` where nothing may scroll and all is large, `dialog` where one lies over the page, else `between`.
        path: the page's path.
        arrange: what happens at the table before.
        dress: what is pressed on the page then.
        ready: what must be there on the page before it is dressed.
        then: what happens at the table while the page is open; None for nothing.
        seen: what must be seen in the end; empty for nothing more.
    """

    name: str
    kind: Kind
    path: str = ""
    arrange: Callable[[Stage], object] = lambda stage: None
    dress: Callable[[Page], object] = lambda page: None
    ready: str = "body[data-view]"
    then: Callable[[Stage], object] | None = None
    seen: str = ""


@dataclass(slots=True)
class Theatre:
    """Makes the two evenings and walks through all screens."""

    folder: Path
    serve: Callable[[Flask], str]
    stages: dict[str, Stage] = field(default_factory=dict)

    def screens(self) -> Iterator[tuple[Stage, Screen]]:
        """Each screen once its state is there; look at it before you ask for the next one."""
        for name, screens in (("camera", CAMERA), ("hand", BY_HAND)):
            stage = self.stages[name] = self._stage(name)
            for screen in screens:
                screen.arrange(stage)
                yield stage, screen

    def _stage(self, name: str) -> Stage:
        tables = RenderedTables()
        camera = PlayedSource() if name == "camera" else None
        source: Source = camera or NoSource()
        folder = self.folder / name
        folder.mkdir()
        clock = Clock()
        settings = Settings(
            rule_set("large-numbers"), source, tables, source.name, folder, still_after_s=0.1, now=clock, https=True
        )
        app = create_app(settings)
        parts(app).access.address = "https://192.168.1.5:8645/"
        if camera is not None:
            camera.show(tables.table(""))
            parts(app).start()
        return Stage(app, self.serve(app), EveningClient(app), clock, camera, tables)


def see(pages: Sequence[Page], stage: Stage, screen: Screen) -> Iterator[Page]:
    """Open a screen on pages, and give each once it shows what it is for.

    Where something happens at the table meanwhile it happens once, with the screen open on all of them; otherwise each
    is opened when the one before was looked at.
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
    """Give a page another size, and wait until it is laid out and painted so."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(PAINTED)


def _open(page: Page, stage: Stage, screen: Screen) -> None:
    page.unroute_all()  # what the screen before has answered by itself; browsers keep no files while anything is
    if screen.name == "join":
        language = page.evaluate("navigator.language")
        http = EveningClient(stage.app, **STRANGER).http
        answer = http.get("/join", base_url="https://localhost/", headers={"Accept-Language": language})
        html = answer.get_data(as_text=True)
        page.route("**/join", lambda route: route.fulfill(body=html, content_type="text/html"))
    page.goto(f"{stage.address}{screen.path}")
    page.locator(screen.ready).first.wait_for(state="attached")
    page.locator("#splash").wait_for(state="hidden")
    screen.dress(page)


def in_its_language(page: Page, words: str) -> str:
    """What the page calls something that is called so in English."""
    return translations_of(page.evaluate("document.documentElement.lang")).gettext(words)


def _press(name: str) -> Callable[[Page], None]:
    """Press the visible button or link of a name."""

    def dress(page: Page) -> None:
        button = page.get_by_role("button", name=in_its_language(page, name))
        button.and_(page.locator(":visible")).first.click()
        page.locator("dialog[open]").wait_for()

    return dress


def _click(selector: str) -> Callable[[Page], None]:
    def dress(page: Page) -> None:
        page.locator(selector).first.click()
        page.locator("dialog[open]").wait_for()

    return dress


def _menu(line: str) -> Callable[[Page], None]:
    def dress(page: Page) -> None:
        _click("#open-menu")(page)
        page.locator(".menu-line b").get_by_text(in_its_language(page, line), exact=True).first.click()
        page.locator("dialog[open]").wait_for()

    return dress


def _rules(page: Page) -> None:
    """All chapters of the rules, with what the rulebook prints."""
    _menu("The rules")(page)
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")


def _ask(selector: str) -> Callable[[Page], None]:
    """Ask what a button does, without pressing it."""

    def dress(page: Page) -> None:
        page.locator(selector).focus()
        page.keyboard.press("?")

    return dress


def _keys(*tiles: str) -> Callable[[Page], None]:
    """Press the keys of tiles on the pad, `black 9`."""

    def dress(page: Page) -> None:
        pad = page.locator(".pad:visible")
        for tile in tiles:
            ink, number = tile.split()
            tab = pad.locator(f".pad-tab.ink-{ink}")
            if tab.is_visible():
                tab.click()
            pad.locator(f".pad-row[data-ink='{ink}'] .key").nth(int(number) - 1).click()

    return dress


def _names(page: Page) -> None:
    for seat, name in enumerate(PLAYERS):
        page.locator("#seats input").nth(seat).fill(name)
    page.locator("h2").first.click()


def _tap_a_tile(page: Page) -> None:
    tile = page.locator(".overlay .spot .edge").first
    tile.dispatch_event("click")  # enlarges the picture where tiles are smaller than a finger
    if not page.locator("dialog[open]").is_visible():
        page.locator(".overlay .spot .edge").first.dispatch_event("click")
    page.locator("dialog[open]").wait_for()


def _begin(stage: Stage, **more: object) -> None:
    seats = [{"people": name.split(" & ")} for name in PLAYERS]
    stage.client.post("/api/evenings", seats=seats, edition="large-numbers", rounds=3, **more)


def _first_turn(stage: Stage) -> None:
    stage.client.act("starter", player=0, overruled=True)
    stage.client.act("deal")
    stage.client.act("resume")


def _begin_turns(stage: Stage) -> None:
    _begin(stage)
    _first_turn(stage)


def _table(notation: str, **opened: bool) -> Callable[[Stage], None]:
    def arrange(stage: Stage) -> None:
        if stage.camera is not None:
            stage.lay(notation)
        stage.client.act("table", **({} if stage.camera is not None else {"table": notation}))

    return arrange


def _opened(stage: Stage) -> None:
    for seat in (0, 1, 2):
        stage.client.act("opened", player=seat, opened=True)


def _done(notation: str, doubts: dict[tuple[int, int], str] | None = None) -> Callable[[Stage], None]:
    def arrange(stage: Stage) -> None:
        if stage.camera is not None:
            stage.lay(notation, doubts)
        stage.client.act("done", **({} if stage.camera is not None else {"table": notation}))

    return arrange


def _all(*steps: Callable[[Stage], object]) -> Callable[[Stage], None]:
    def arrange(stage: Stage) -> None:
        for step in steps:
            step(stage)

    return arrange


def _act(what: str, **body: object) -> Callable[[Stage], object]:
    return lambda stage: stage.client.act(what, **body)


def _forward(seconds: float) -> Callable[[Stage], None]:
    def arrange(stage: Stage) -> None:
        stage.clock.ahead_s += seconds

    return arrange


def _round(out: int, left: dict[int, str]) -> Callable[[Stage], None]:
    """End the round that is played: one rack is empty, the others are shown."""

    def arrange(stage: Stage) -> None:
        stage.client.act("rack-count", player=out, tiles=0)
        for seat, tiles in left.items():
            stage.client.act("rack", player=seat, tiles=tiles)

    return arrange


def _next_round(stage: Stage) -> None:
    stage.client.act("next-round")
    stage.client.act("starter", player=1, overruled=True)
    stage.client.act("deal")


TURN = "body[data-view='turn']"
PICTURE = ".overlay .spot"

CAMERA: tuple[Screen, ...] = (
    Screen("home", "between", ready=".overlay", arrange=lambda stage: stage.lay(LIES)),
    Screen("join", "between", path="join", ready=".join-form"),
    Screen("private-link-ended", "between", path="me/of-last-week", ready=".join-form [role=alert]"),
    Screen("trust", "between", path="trust", ready="details[open]"),
    Screen("offline", "between", path="offline", ready="#offline"),
    Screen("set-up-empty", "between", path="setup", ready="#editions label"),
    Screen("set-up", "between", path="setup", ready="#editions label", dress=_names),
    Screen("set-up-camera", "between", path="setup#camera", ready=".camera-card.on"),
    Screen("first-camera", "between", path="first", ready=".camera-card.on"),
    Screen("first-area", "between", path="first#area", ready=".area-picture"),
    Screen("turn-camera-empty", "turn", arrange=_all(lambda stage: stage.lay(""), _begin_turns), ready=TURN),
    Screen("turn-camera", "turn", arrange=_all(_table(LIES), _act("resume")), ready=PICTURE),
    Screen("question", "turn", arrange=_done(OPENING, {(5, 2): "black-11"}), ready=".question"),
    Screen(
        "legal",
        "turn",
        arrange=_all(_act("overrule", reason="as we play it"), _act("undo"), _opened, _done(OPENING)),
        ready=PICTURE,
    ),
    Screen(
        "two-faults", "turn", arrange=_all(_act("table"), _done(f"{OPENING} | R7 R8 R11 | K12 K13")), ready=".fault"
    ),
    Screen("two-faults-all", "dialog", dress=_click("#all-about"), ready=".fault"),
    Screen("correct", "dialog", dress=_tap_a_tile, ready=PICTURE),
    Screen("failed", "between", arrange=_act("stand"), ready="body[data-view='failing']"),
    Screen("evening-as-film", "between", path="evenings", dress=lambda page: _after(page), ready=".evening-card"),
)


def _after(page: Page) -> None:
    page.locator(".evening-card").first.click()
    page.locator("#after .paper").last.wait_for()


def _choose_phone(page: Page) -> None:
    address = "https://192.168.1.5:8645/camera"
    phones = {"chosen": None, "asking": [{"id": "a", "name": "Ada’s phone"}], "secure": True, "address": address}
    page.route("**/api/phones", lambda route: route.fulfill(json=phones))
    page.route("**/api/sources", lambda route: route.fulfill(json=route.fetch().json() | {"watched": "phone"}))
    page.reload()
    page.locator(".asking").wait_for()
    page.unroute("**/api/sources")


def _private_link(page: Page) -> None:
    _click(".seat.on button")(page)
    _press("Private page")(page)
    page.locator(".qr").wait_for()


def _private_page(page: Page) -> None:
    _private_link(page)
    key = page.locator(".join .address").text_content()
    assert key is not None
    page.goto(f"{page.url.rstrip('/')}/me/{key.rpartition('/')[2]}")
    page.locator("#mine[data-turn='mine'] #ask:not([hidden])").wait_for()


def _private_advice(page: Page) -> None:
    _private_page(page)
    page.route("**/api/me/can-open", lambda route: route.fulfill(json={"answer": "unsure"}))
    picture = {"name": "rack.jpg", "mimeType": "image/jpeg", "buffer": b"a picture"}
    page.locator("#picture").set_input_files([picture])
    page.locator("#thumb").wait_for()


HOLD_SPLASH = """() => {
  const later = window.setTimeout;
  window.setTimeout = (call, ms, ...rest) => (ms >= 1000 && ms <= 10000 ? 0 : later(call, ms, ...rest));
}"""

BY_HAND: tuple[Screen, ...] = (
    Screen("past-evenings-empty", "between", path="evenings", ready=".nothing"),
    Screen(
        "first-practice",
        "between",
        path="first#practice",
        arrange=lambda stage: stage.client.post("/api/source", source="none"),
        ready="#practice .mat",
    ),
    Screen("phone-camera", "between", path="camera", ready="#start"),
    Screen("set-up-phone", "between", path="setup#camera", ready=".camera-card.on", dress=_choose_phone),
    Screen("lots", "between", arrange=_begin, ready=".lot"),
    Screen("lots-half", "between", dress=_keys("black 9", "red 12"), ready=".lot"),
    Screen("deal", "between", arrange=_act("starter", player=0, overruled=True), ready=".how"),
    Screen("turn-hand-empty", "turn", arrange=_all(_act("deal"), _act("resume")), ready=TURN),
    Screen("too-many", "turn", arrange=_done(FOURTEEN_MELDS), ready="#asks .exceeded"),
    Screen("entry-empty", "dialog", arrange=_act("cancel"), dress=_click("#done"), ready=TURN),
    Screen("turn-hand", "turn", arrange=_all(_table(FOURTEEN_MELDS), _opened), ready="#drawn .tile"),
    Screen("entry", "dialog", dress=_click("#done"), ready=TURN),
    # What waits for some seconds waits for ever on this page, so that it stays; axe-core waits for moments only.
    Screen(
        "legal-splash",
        "turn",
        ready=TURN,
        dress=lambda page: page.evaluate(HOLD_SPLASH),
        then=_done(f"{FOURTEEN_MELDS} | R13 B13 O13"),
        seen="#splash",
    ),
    Screen("legal-hand", "turn", ready="#verdict[data-kind='legal']"),
    Screen(
        "not-legal-splash",
        "turn",
        ready=TURN,
        dress=lambda page: page.evaluate(HOLD_SPLASH),
        then=_done(f"{FOURTEEN_MELDS} | R13 B13 O13 | R7 R8 R11 | K12 K13"),
        seen="#splash .tile",
    ),
    Screen("two-faults-hand", "turn", ready=".fault"),
    Screen("overrule", "dialog", dress=_press("Overrule"), ready=".fault"),
    Screen(
        "standing-note",
        "turn",
        arrange=_all(_act("draw"), _table(LAYS_ON_A_WRONG_TABLE[0]), _done(LAYS_ON_A_WRONG_TABLE[1])),
        ready="#verdict[data-kind='legal']",
    ),
    Screen(
        "last-seconds",
        "turn",
        arrange=_all(_act("draw"), _act("resume"), _forward(53)),
        ready="#clock[data-kind='last']",
    ),
    Screen("time-up", "turn", arrange=_all(_forward(20)), ready="#clock[data-kind='over']"),
    Screen("menu", "dialog", dress=_click("#open-menu"), ready=TURN),
    Screen("tip", "turn", dress=_ask("#draw"), ready=TURN, seen=".tip"),
    Screen("rules", "dialog", dress=_rules, ready=TURN),
    Screen("buttons", "dialog", dress=_menu("What the buttons do"), ready=TURN),
    Screen("player", "dialog", dress=_click(".seat button"), ready=TURN),
    Screen("private-link", "dialog", arrange=lambda stage: _not_opened(stage), dress=_private_link, ready=TURN),
    Screen("private-page", "between", dress=_private_page, ready=TURN),
    Screen("private-advice", "between", dress=_private_advice, ready=TURN),
    Screen("settings", "dialog", dress=_menu("Settings"), ready=TURN),
    Screen("tablets", "dialog", dress=_menu("Tablets"), ready=TURN),
    Screen("standing", "dialog", dress=_menu("How the game stands"), ready=TURN),
    Screen("rummikub", "dialog", dress=_press("Rummikub!"), ready=TURN),
    Screen("racks", "between", arrange=_round(1, {0: "R1 R2 J K9"}), ready=".rack-card"),
    Screen("rack", "dialog", dress=_click(".rack-card .button"), ready=".rack-card"),
    Screen(
        "score",
        "between",
        ready=".rack-card",
        then=_all(_act("rack", player=2, tiles="O3 O8 K12"), _act("rack", player=3, tiles="B13")),
        seen=".score",
    ),
    Screen("sheet", "dialog", arrange=_next_round, dress=_menu("Score sheet"), ready=TURN),
    Screen("history", "dialog", dress=_menu("History"), ready=TURN),
    Screen(
        "final",
        "between",
        arrange=_all(
            _round(3, {0: "K2", 1: "O11 R8", 2: "B4"}),
            _next_round,
            _round(1, {0: "J", 2: "O1 O2", 3: "R10 R12"}),
        ),
        ready="body[data-view='score']",
    ),
    Screen("past-evenings", "between", path="evenings", ready=".evening-card"),
    Screen("after-the-evening", "between", path="evenings", dress=_after, ready=".evening-card"),
    Screen("youngest", "between", arrange=lambda stage: _youngest(stage), ready="body[data-view='finding']"),
)


def _not_opened(stage: Stage) -> None:
    """Let whoever's turn it is have the opening before them."""
    player = stage.client.evening["player"]
    stage.client.act("opened", player=player, opened=False)


def _youngest(stage: Stage) -> None:
    seats = [{"people": [name]} for name in ("Mia", "Tom")]
    stage.client.post("/api/evenings", seats=seats, edition="junior", first_acquaintance=True)
    stage.client.act("point", tile="R5")
    stage.client.act("find", player=1, tile="R6")
