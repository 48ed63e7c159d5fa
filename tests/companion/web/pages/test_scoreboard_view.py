"""The scoreboard for a second screen: its letters are read from three metres, and nothing on it can be pressed."""

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE

SCREEN = {"width": 1024, "height": 768}
LEAST_LETTER_PX = 70
# The height of the first letter in its font, and whether its line is cut.
LETTERS = """(elements) => elements.map((element) => {
  const { fontWeight, fontSize, fontFamily } = getComputedStyle(element);
  const pen = new OffscreenCanvas(1, 1).getContext("2d");
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  const { actualBoundingBoxAscent, actualBoundingBoxDescent } = pen.measureText(element.textContent.trim().at(-1));
  return [actualBoundingBoxAscent + actualBoundingBoxDescent, element.scrollWidth > element.clientWidth + 1];
})"""


@pytest.fixture
def page(by_hand, serve, open_page) -> Page:
    """The scoreboard of four players after a round, with a wrong turn of the second one."""
    by_hand.deal("Ada", "BO", "Cleo", "Dan & Eve", rounds=3)
    by_hand.act("rack-count", player=0, tiles=0)
    for seat, points in ((1, 112), (2, 26), (3, 7)):
        by_hand.act("rack-points", player=seat, points=points)
    by_hand.act("next-round")
    by_hand.act("starter", player=1, overruled=True)
    by_hand.act("deal")
    by_hand.act("done", table="R7 R8 R11")
    return open_page(f"{serve(by_hand.http.application)}scoreboard", SCREEN)


def letters(page: Page, selector: str) -> list[tuple[float, bool]]:
    return [tuple(letter) for letter in page.locator(selector).evaluate_all(LETTERS)]


def test_name_totals_and_tiles_of_the_verdict_are_read_from_three_metres(by_hand, page):
    expect(page.locator("#who")).to_have_text("BO")
    expect(page.locator("#last .concerned")).to_have_text("BO")
    expect(page.locator("#last b").first).to_have_text("Not allowed")
    expect(page.locator("#totals b")).to_have_text(["+145", "−112", "−26", "−7"])
    expect(page.locator("#totals .left").first).to_have_text("14 tiles")
    expect(page.locator("#facts")).to_contain_text("50 in the pool")
    expect(page.locator(".about .tile")).to_have_count(3)
    for selector in ("#who", "#time", "#totals b", ".about .tile b"):
        sizes = letters(page, selector)
        assert sizes
        assert [size for size, cut in sizes if size < LEAST_LETTER_PX or cut] == [], selector
    assert page.evaluate("document.documentElement.scrollHeight") <= SCREEN["height"]
    # Nothing can be pressed, and the next turn appears by itself.
    expect(page.locator("button, input")).to_have_count(0)
    by_hand.act("stand")
    by_hand.act("restored")
    expect(page.locator("#who")).to_have_text("Cleo")
    by_hand.act("end")
    expect(page.locator("#who")).to_have_text("Ada")


def test_overlay_for_streams_shows_the_same_on_a_transparent_page(by_hand, page):
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(page.url.replace("scoreboard", "overlay"))
    expect(page.locator("#who")).to_have_text("BO")
    expect(page.locator("#last b").first).to_have_text("Not allowed")
    expect(page.locator("#totals b")).to_have_text(["+145", "−112", "−26", "−7"])
    expect(page.locator("button, input, a")).to_have_count(0)
    image = cv2.imdecode(np.frombuffer(page.screenshot(omit_background=True), np.uint8), cv2.IMREAD_UNCHANGED)
    assert image[:540, :, 3].max() == 0  # the upper half belongs to the film
    assert image[800:, :, 3].max() == 255
    page.evaluate("document.body.dataset.reachable = 'false'")  # as the page does while the app does not answer
    expect(page.locator("#who")).to_be_hidden()  # old facts would be wrong


def test_scoreboard_opens_from_the_menu_and_leads_back(page):
    page.set_viewport_size(PHONE)
    page.get_by_role("link", name="Back").click()
    page.locator("#open-menu").click()
    page.locator(".menu-line", has_text="Scoreboard").click()
    expect(page.locator("#who")).to_have_text("BO")
