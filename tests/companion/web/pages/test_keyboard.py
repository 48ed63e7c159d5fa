"""A turn with the keyboard alone: the focus is led on after each step, and tiles are typed."""

from playwright.sync_api import Page, expect

from tests.support.browsing import SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tilekeeper.companion.web.api.extensions import parts

FOCUSED = "document.activeElement.ariaLabel || document.activeElement.textContent"


def focused(page: Page) -> str:
    return page.evaluate(FOCUSED)


def press_keys(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_turn_is_played_with_keys_and_the_focus_is_never_lost(by_hand: EveningClient, serve, open_page) -> None:
    by_hand.begin("Ada", "Bo", "Cleo")
    page = open_page(serve(by_hand.http.application), SMALL_TABLET)
    expect(page.locator(".lot")).to_have_count(3)
    # The pad is one tab stop, and typing finds a tile on it. The focus survives each tile, which draws the panel anew.
    press_keys(page, "r", "1", "0", "Enter", "b", "9", "Enter", "Shift+Tab")
    assert not page.evaluate("document.activeElement.matches('.key')")
    press_keys(page, "Tab")
    assert focused(page) == "blue 9"
    press_keys(page, "ArrowRight", "ArrowDown", "Home", "End", "Enter")
    page.get_by_role("button", name="Save").focus()
    press_keys(page, "Enter")
    expect(page.locator("#panel h2")).to_be_focused()
    by_hand.act("deal")
    expect(page.locator("#whose")).to_be_focused()
    # The clock says what it is.
    expect(page.get_by_role("button", name="Clock 1:00 tap to start")).to_be_visible()

    # A page that was turned around stays so after a reload.
    page.locator("#turn-page").click()
    page.reload()
    expect(page.locator("html.turned")).to_be_attached()
    page.locator("#turn-page").click()
    expect(page.locator("#done")).to_be_enabled()
    page.locator("#done").focus()
    press_keys(page, "Enter", "r", "1", "0", "Enter", "b", "1", "0", "Enter", "k", "1", "0", "Enter")
    expect(page.locator("dialog .judgement")).to_contain_text("Allowed.")
    page.locator("dialog .button.main").focus()
    press_keys(page, "Enter")
    expect(page.locator("#whose")).to_be_focused()
    assert focused(page).startswith("Ada")
    expect(page.locator("#draw")).to_be_enabled()
    page.locator("#draw").focus()
    press_keys(page, "Enter")
    expect(page.locator("#whose")).to_contain_text("Bo")
    expect(page.locator("#whose")).to_be_focused()

    # The list of tablets follows while it is open.
    access = parts(by_hand.http.application).access
    page.locator("#open-menu").click()
    EveningPage(page, "").press("Tablets and phones")
    expect(page.locator("dialog")).to_contain_text("No other device has joined yet.")
    access.join(access.code, "Bo's phone", "192.0.2.9")
    expect(page.get_by_role("switch", name="Bo's phone")).to_be_visible()
