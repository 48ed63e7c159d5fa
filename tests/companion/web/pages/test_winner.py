"""The winner's moment: who has an empty rack, with the tiles of the last turn."""

from playwright.sync_api import expect

from tests.support.browsing import SMALL_TABLET
from tests.support.game_night_page import EveningPage

MOVES = "(tile) => getComputedStyle(tile).animationName"


def test_winning_tiles_fly_in_unless_somebody_wants_no_motion_or_no_splash(by_hand, serve, open_page) -> None:
    by_hand.deal("Ada", "Bo")
    by_hand.act("rack-count", player=0, tiles=3)
    page = open_page(serve(by_hand.http.application), SMALL_TABLET, reduced_motion="no-preference")
    EveningPage(page, "").is_on("Ada")
    by_hand.act("done", table="R10 R11 R12")
    splash = page.locator("#splash[data-kind='won']")
    expect(splash.locator(".concerned")).to_have_text("Ada")
    expect(splash.locator(".tile:visible")).to_have_count(3)
    assert splash.locator(".tile").first.evaluate(MOVES) == "fly-in"
    page.emulate_media(reduced_motion="reduce")
    assert splash.locator(".tile").first.evaluate(MOVES) == "none"

    # It is shown once: the result is not covered by it again.
    page.keyboard.press("Shift")
    expect(splash).to_be_hidden()
    by_hand.act("rack", player=1, tiles="R1 R2")
    expect(page.locator("#panel h2")).to_have_text("Ada wins round 1")
    expect(page.locator("#splash")).to_be_hidden()

    page.evaluate("localStorage.setItem('tilekeeper-hears-splash', 'no')")
    by_hand.act("undo", steps=2)
    EveningPage(page, "").is_on("Ada")
    expect(splash).to_be_hidden()
    by_hand.act("done", table="R10 R11 R12")
    expect(page.locator("#panel h2")).to_have_text("Ada: Rummikub!")
    expect(page.locator("#splash")).to_be_hidden()
