"""Turns without a limit show no clock; in an edition with stars they show the player's stars instead."""

import pytest
from playwright.sync_api import expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.game_night_page import EveningPage

LEAST_NAME_PX, LEAST_STARS_PX, LEAST_STAR_PX = 70, 40, 24


@pytest.mark.parametrize(("edition", "timer"), [("large-numbers", "off"), ("junior", "friendly")])
def test_game_night_without_a_limit_shows_no_clock(by_hand, serve, open_page, edition, timer) -> None:
    """The name of the player gets its room."""
    by_hand.deal("Ada", "Bo", edition=edition, settings={"timer": timer})
    page = open_page(serve(by_hand.http.application), SMALL_TABLET)
    EveningPage(page, "").is_on("Ada")
    expect(page.locator("#clock")).to_be_hidden()
    expect(page.locator("#clock-tools")).to_be_hidden()
    height = page.locator("#whose .name").evaluate("name => parseFloat(getComputedStyle(name).fontSize)")
    assert height >= LEAST_NAME_PX
    # Whoever wants a clock later gets it at once.
    if timer == "off":
        by_hand.act("settings", timer="friendly")
        expect(page.locator("#clock")).to_be_visible()


def test_stars_are_large(by_hand, serve, open_page) -> None:
    by_hand.deal("Mia", "Tom", edition="junior")
    by_hand.act("done", table="R1 R2 R3")
    page = open_page(serve(by_hand.http.application), PHONE)
    EveningPage(page, "").is_on("Tom")
    stars = page.locator("#own-stars")
    expect(stars).to_have_text("6stars")
    assert stars.locator("b").evaluate("count => parseFloat(getComputedStyle(count).fontSize)") >= LEAST_STARS_PX
    for star in page.locator(".seat .stars svg").all():
        assert star.evaluate("star => star.getBoundingClientRect().width") >= LEAST_STAR_PX
