"""Steps on a page that lead to a screen."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import cv2
import pytest
from playwright.sync_api import Page, Route

from tests.support.known_tables import MarkedTables, table_reading
from tests.support.past_evenings import evening
from tests.support.stage import PLAYERS
from tilekeeper.companion.adjudication import easiest_play
from tilekeeper.companion.game_night.review import Review, review
from tilekeeper.companion.languages import translations_of
from tilekeeper.companion.web.schemas.review import ReviewJson
from tilekeeper.companion.web.schemas.tiles import ReadTileJson
from tilekeeper.engine.language import use_language
from tilekeeper.vision.layout.racks import read_as_rack
from tilekeeper.vision.types import TableReading

HOLD_SPLASH = """() => {
  const later = window.setTimeout;
  window.setTimeout = (call, ms, ...rest) => (ms >= 1000 && ms <= 10000 ? 0 : later(call, ms, ...rest));
}"""


def in_its_language(page: Page, words: str) -> str:
    """Return the page's own text for an English one."""
    return translations_of(page.evaluate("document.documentElement.lang")).gettext(words)


def press(name: str) -> Callable[[Page], None]:
    """Press the visible button or link with a name."""

    def dress(page: Page) -> None:
        button = page.get_by_role("button", name=in_its_language(page, name))
        button.and_(page.locator(":visible")).first.click()
        page.locator("dialog[open]").wait_for()

    return dress


def click(selector: str) -> Callable[[Page], None]:
    """Click an element that opens a dialog."""

    def dress(page: Page) -> None:
        page.locator(selector).first.click()
        page.locator("dialog[open]").wait_for()

    return dress


def change_decision(page: Page) -> None:
    """Begin to overrule the judge."""
    click("#change")(page)


def choose_in_menu(line: str) -> Callable[[Page], None]:
    """Choose a line of the menu."""

    def dress(page: Page) -> None:
        click("#open-menu")(page)
        page.locator(".menu-line b").get_by_text(in_its_language(page, line), exact=True).first.click()
        page.locator("dialog[open]").wait_for()

    return dress


def show_touch_anywhere(page: Page) -> None:
    """Show the view for a touch anywhere, on this page only."""
    click("#open-menu")(page)
    page.locator(".menu-line b").get_by_text(in_its_language(page, "Touch anywhere"), exact=True).click()
    page.evaluate("localStorage.removeItem('tilekeeper-hears-touch')")


def open_rules(page: Page) -> None:
    """Open all chapters of the rules, with their quotes."""
    choose_in_menu("The rules")(page)
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")


def ask_about(selector: str) -> Callable[[Page], None]:
    """Show the hint of a button, without pressing it."""

    def dress(page: Page) -> None:
        page.locator(selector).focus()
        page.keyboard.press("?")

    return dress


def press_keys(*tiles: str) -> Callable[[Page], None]:
    """Press keys of the pad by their tiles, such as `black 9`."""

    def dress(page: Page) -> None:
        pad = page.locator(".pad:visible")
        for tile in tiles:
            ink, number = tile.split()
            tab = pad.locator(f".pad-tab.ink-{ink}")
            if tab.is_visible():
                tab.click()
            pad.locator(f".pad-row[data-ink='{ink}'] .key").nth(int(number) - 1).click()

    return dress


def fill_in_names(page: Page) -> None:
    """Enter the names of the players."""
    for seat, name in enumerate(PLAYERS):
        page.locator("#seats input").nth(seat).fill(name)
    page.locator("h2").first.click()


def choose_ending(ending: str) -> Callable[[Page], None]:
    """Choose how the evening ends, by the value of its button."""
    return lambda page: page.locator(f"#rounds label:has(input[value='{ending}'])").first.click()


def ask_time_per_player(page: Page) -> None:
    """Open the dialog with the time of each player."""
    fill_in_names(page)
    click("#own-limits")(page)


def change_house_rules(page: Page) -> None:
    """Change a house rule, and open all its questions."""
    page.locator("#common .stepper button").nth(1).click()
    click("#more-rules")(page)
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")


def tap_a_tile(page: Page) -> None:
    """Tap a tile in the picture."""
    tile = page.locator(".overlay .spot .edge").first
    tile.click()  # enlarges the picture if its tiles are too small for a finger
    if not page.locator("dialog[open]").is_visible():
        tile.click()
    page.locator("dialog[open]").wait_for()


def open_past_evening(page: Page) -> None:
    """Open the newest past game night."""
    page.locator(".evening-card").first.click()
    page.locator("#after .paper").last.wait_for()


def open_player(page: Page) -> None:
    """Open the page of the player who leads the standings."""
    page.locator(".standings .who").first.click()
    page.locator(".profile").wait_for()


def choose_phone(page: Page) -> None:
    """Make a phone the camera, while another one asks to be."""
    address = "https://192.168.1.5:8645/camera"
    phones = {"chosen": None, "asking": [{"id": "a", "name": "Ada's phone"}], "secure": True, "address": address}
    page.route("**/api/phones", lambda route: route.fulfill(json=phones))
    page.route("**/api/sources", lambda route: route.fulfill(json=route.fetch().json() | {"watched": "phone"}))
    page.route("**/api/state", _with_phone_source)
    page.reload()
    page.locator(".asking .button").wait_for()
    page.unroute("**/api/state")
    page.unroute("**/api/sources")


def _with_phone_source(route: Route) -> None:
    state = route.fetch().json()
    route.fulfill(json=state | {"source": state["source"] | {"kind": "phone"}})


def open_private_link(page: Page) -> None:
    """Show the link to a player's own page."""
    click(".seat.on button")(page)
    press("Own phone")(page)
    page.locator(".qr").wait_for()


def open_private_page(page: Page) -> None:
    """Open a player's own page."""
    open_private_link(page)
    key = page.locator(".join .address").text_content()
    assert key is not None
    page.goto(f"{page.url.rstrip('/')}/me/{key.rpartition('/')[2]}")
    page.locator("#mine[data-turn='mine'] #ask:not([hidden])").wait_for()


def ask_for_private_advice(page: Page) -> None:
    """Ask on the private page whether a rack can open."""
    open_private_page(page)
    page.route("**/api/me/can-open", lambda route: route.fulfill(json={"answer": "unsure", "seen": 10, "tiles": 14}))
    picture = {"name": "rack.jpg", "mimeType": "image/jpeg", "buffer": b"a picture"}
    page.locator("#picture").set_input_files([picture])
    page.locator("#thumb").wait_for()


def count_own_rack(seat: int) -> Callable[[Page], None]:
    """Open the page of a player whose rack is to be counted."""

    def dress(page: Page) -> None:
        page.locator(".seat button").nth(seat).click()
        page.locator("dialog[open]").wait_for()
        press("Own phone")(page)
        page.locator(".qr").wait_for()
        key = page.locator(".join .address").text_content()
        assert key is not None
        page.goto(f"{page.url.rstrip('/')}/me/{key.rpartition('/')[2]}")
        page.locator("#own-ways .button").first.wait_for()

    return dress


def tap_own_rack(seat: int) -> Callable[[Page], None]:
    """Count the rack on a player's page by its tiles."""

    def dress(page: Page) -> None:
        count_own_rack(seat)(page)
        page.locator("#own-ways .button").last.click()
        page.locator("dialog .pad").wait_for()

    return dress


@cache
def _reviewed() -> tuple[Review, tuple[str, ...]]:
    recorded = evening(3, rounds=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(easiest_play, "SEARCHED_S", 60.0)  # on a busy machine the usual limit finds no missed turn
        return review(recorded), recorded.state.players


def open_possible_turn(button: str) -> Callable[[Page], None]:
    """Open the turns that were possible in a random game, and show the first step."""

    def dress(page: Page) -> None:
        with use_language(translations_of(page.evaluate("document.documentElement.lang"))):
            answer = ReviewJson.from_review(*_reviewed()).model_dump()
        page.route("**/review", lambda route: route.fulfill(json=answer))
        page.reload()
        page.locator(button).first.click()
        page.locator("dialog .dialog-foot .main").click()

    return dress


def photograph_rack(doubts: dict[tuple[int, int], str] | None = None) -> Callable[[Page], None]:
    """Take a photo of a rack of two rows, in which some tiles may be hard to read."""
    reading = read_as_rack(table_reading("K1 K2 K3 K4 | B5 B6 B7 | R1 R2 J", doubts))
    jpeg = cv2.imencode(".jpg", MarkedTables().picture(reading))[1].tobytes()

    def dress(page: Page) -> None:
        click(".rack-card .button")(page)
        with use_language(translations_of(page.evaluate("document.documentElement.lang"))):
            scan = scan_answer(reading)
        page.route("**/api/scan?*", lambda route: route.fulfill(json=scan))
        picture = {"name": "rack.jpg", "mimeType": "image/jpeg", "buffer": jpeg}
        page.locator("dialog input[type=file]").set_input_files([picture])
        page.locator(".rack-image").wait_for(state="attached")

    return dress


def scan_answer(reading: TableReading) -> dict[str, object]:
    """Return the answer of `/api/scan` for a rack of fourteen tiles, with names of tiles in the language in use."""
    places = {index: (row, place) for row, indices in enumerate(reading.rows) for place, index in enumerate(indices)}
    tiles = [
        {**tile.model_dump(), "row": places[index][0], "place": places[index][1]}
        for index, tile in enumerate(ReadTileJson.from_reading(reading))
    ]
    width, height = reading.image_wh
    return {
        "status": "ok",
        "width": width,
        "height": height,
        "picture": None,
        "tiles": tiles,
        "rows": reading.rows,
        "text": "",
        "count": len(tiles),
        "expected": 14,
        "points": 80,
        "doubtful": [],
    }
