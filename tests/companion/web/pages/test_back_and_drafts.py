"""The browser's Back closes dialogs, and half-entered racks survive; tables that are entered are in another test."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage


@pytest.fixture
def page(by_hand, serve, open_page) -> Page:
    """A phone in Ada's turn that came from another page."""
    by_hand.deal("Ada", "Bo")
    address = serve(by_hand.http.application)
    page = open_page(f"{address}evenings", PHONE)
    page.goto(address)
    EveningPage(page, address).is_on("Ada")
    page.evaluate("window.isSamePage = true")
    return page


def open_menu(page: Page) -> None:
    """Open the menu, which the page loads at the first time."""
    page.locator("#open-menu").click()
    expect(page.get_by_role("dialog", name="Menu")).to_be_visible()


def test_back_closes_the_dialog_on_top_and_stays_in_the_game(page: Page) -> None:
    for _ in range(2):
        open_menu(page)
        page.go_back()
        expect(page.locator("dialog")).to_have_count(0)
        EveningPage(page, "").is_on("Ada")
    # One dialog after the other, as a line of the menu opens it.
    page.locator("#open-menu").click()
    EveningPage(page, "").press("How the game stands")
    expect(page.get_by_role("dialog", name="How does the game stand?")).to_be_visible()
    page.go_back()
    expect(page.locator("dialog")).to_have_count(0)
    EveningPage(page, "").is_on("Ada")
    assert page.evaluate("window.isSamePage")
    # After a dialog was closed by its own button, one step back is enough to leave.
    page.locator("#open-menu").click()
    EveningPage(page, "").press("Close")
    expect(page.locator("dialog")).to_have_count(0)
    page.evaluate("history.back()")
    page.wait_for_url("**/evenings")


def test_back_closes_one_of_two_dialogs(page: Page) -> None:
    open_menu(page)
    page.evaluate("document.querySelector('.menu-line:nth-of-type(3)').click()")
    EveningPage(page, "").press("Close")
    page.locator("#done").click()
    page.evaluate("document.querySelector('#open-menu').click()")
    expect(page.locator("dialog")).to_have_count(2)
    page.go_back()
    expect(page.get_by_role("dialog", name="The table after Ada's turn")).to_be_visible()
    expect(page.locator("dialog")).to_have_count(1)
    page.go_back()
    expect(page.locator("dialog")).to_have_count(0)


def test_half_entered_rack_survives_until_it_is_saved(page: Page, by_hand: EveningClient) -> None:
    """The cross, Back, Escape and a reload lose nothing; the next round begins with an empty entry."""
    by_hand.act("rack-count", player=0, tiles=0)
    evening = EveningPage(page, "")
    evening.open_rack("Bo")
    picks = page.locator("dialog .pick")
    evening.keys("red 3", "joker")
    evening.press("Close")
    evening.open_rack("Bo")
    expect(picks).to_have_count(2)
    evening.keys("blue 4")
    page.go_back()
    evening.open_rack("Bo")
    expect(picks).to_have_count(3)
    page.reload()
    evening.open_rack("Bo")
    expect(picks).to_have_count(3)
    page.keyboard.press("Escape")
    evening.open_rack("Bo")
    evening.give_rack()
    assert by_hand.evening["players"][1]["rack_points"] == 37
    by_hand.act("next-round")
    by_hand.act("starter", player=0, overruled=True)
    by_hand.act("deal")
    by_hand.act("rack-count", player=0, tiles=0)
    evening.open_rack("Bo")
    expect(picks).to_have_count(0)
