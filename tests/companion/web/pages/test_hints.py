"""Hints of buttons: by a long press, which does not click, by a right click or "?", and in a list."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE, TABLET
from tests.support.game_night_page import EveningPage
from tests.support.known_tables import PlayedPhotos, table_reading

TIP = ".tip:popover-open"
LONG_MS = 700


@pytest.fixture
def page(by_hand, serve, open_page) -> Page:
    """The page in Ada's turn, without a camera."""
    by_hand.deal("Ada", "Bo")
    address = serve(by_hand.http.application)
    page = open_page(address, TABLET)
    EveningPage(page, address).is_on("Ada")
    return page


def press_long(page: Page, selector: str) -> None:
    box = page.locator(selector).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    expect(page.locator(TIP)).to_be_visible()
    page.mouse.up()


def test_long_press_shows_a_hint_and_does_not_click(page, by_hand) -> None:
    revision = by_hand.evening["revision"]
    for selector, words in (("#draw", "Draw Takes a tile from the pool"), ("#clock", "Clock Stops the clock")):
        press_long(page, selector)
        expect(page.locator(TIP)).to_contain_text(words.split(" ", 1)[1])
        expect(page.locator("#live")).to_contain_text(words.split(" ", 1)[0])
    assert by_hand.evening["revision"] == revision
    # A short press clicks, also after a long one.
    page.locator("#draw").click()
    expect(page.locator(TIP)).to_have_count(0)
    EveningPage(page, "").is_on("Bo")


def test_long_touch_shows_a_hint_and_a_short_one_clicks(by_hand, serve, open_page) -> None:
    """Touches of the browser's own input system, with its own limit for long ones."""
    by_hand.deal("Ada", "Bo")
    address = serve(by_hand.http.application)
    page = open_page(address, PHONE, has_touch=True, is_mobile=True)
    EveningPage(page, address).is_on("Ada")
    revision = by_hand.evening["revision"]
    touch = page.context.new_cdp_session(page)
    for held_ms in (LONG_MS, 3 * LONG_MS):
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [middle(page, "#draw")]})
        page.wait_for_timeout(held_ms)
        expect(page.locator(TIP)).to_contain_text("Takes a tile from the pool")
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        expect(page.locator(TIP)).to_be_visible()
        assert by_hand.evening["revision"] == revision
    # A long touch presses nothing, and the next key does.
    page.locator("#draw").focus()
    page.keyboard.press("Enter")
    EveningPage(page, address).is_on("Bo")
    page.locator("#draw").tap()
    expect(page.locator(TIP)).to_have_count(0)
    EveningPage(page, address).is_on("Ada")


def middle(page: Page, selector: str) -> dict[str, float]:
    box = page.locator(selector).bounding_box()
    return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}


def test_sliding_finger_shows_no_hint_and_a_right_click_and_a_key_do(page, by_hand) -> None:
    """A right click shows that of a disabled button, too; a key that of the focused button, or all."""
    box = page.locator("#draw").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 20)
    page.wait_for_timeout(LONG_MS)
    expect(page.locator(TIP)).to_have_count(0)
    page.mouse.up()

    # A turn's time can't be restarted before the clock runs.
    page.locator("#restart").click(button="right", force=True)
    expect(page.locator(TIP)).to_contain_text("all its time again")
    page.keyboard.press("Escape")

    revision = by_hand.evening["revision"]
    page.locator("#rummikub").focus()
    page.keyboard.press("?")
    expect(page.locator(TIP)).to_contain_text("Says that a rack is empty")
    page.keyboard.press("Escape")
    expect(page.locator(TIP)).to_have_count(0)
    page.locator("#rummikub").blur()
    page.keyboard.press("?")
    hints = page.locator("[data-hint]:visible").count()
    expect(page.locator("dialog dt")).to_have_count(hints)
    assert "" not in [words.strip() for words in page.locator("dialog dd, dialog dt").all_text_contents()]
    assert hints >= 10
    assert by_hand.evening["revision"] == revision


def test_each_button_of_a_turn_has_a_hint(by_hand, serve, open_page) -> None:
    """Buttons of an illegal turn too."""
    by_hand.deal("Ada", "Bo")
    by_hand.act("done", table="R7 R8 R11")
    page = open_page(serve(by_hand.http.application), PHONE)
    expect(page.locator("#take-back")).to_be_visible()
    silent = page.locator("#actions button:visible:not([data-hint]), .clock-tools button:visible:not([data-hint])")
    expect(silent).to_have_count(0)


def test_page_of_photos_has_hints(serve, make_app, tables, open_page) -> None:
    page = open_page(serve(make_app(PlayedPhotos([tables.picture(table_reading("R3 R4 R5"))]))), TABLET)
    expect(page.locator("#headline")).not_to_have_text("Tilekeeper is starting")
    page.keyboard.press("?")
    expect(page.locator("dialog dt")).to_have_count(page.locator("[data-hint]:visible").count())
    expect(page.locator("dialog")).to_contain_text("Makes the picture larger until you press again.")
