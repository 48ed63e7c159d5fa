"""Small things that once annoyed: dates, letters on tiles, dialogs on large screens, and lines of the menu."""

import re

from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.known_tables import table_reading

LARGE = {"width": 1920, "height": 1080}
LETTERS_PX = "one => parseFloat(getComputedStyle(one).fontSize)"
# The widths of the first and the last character of an element.
ENDS_PX = """(element) => {
  const texts = [...element.childNodes].map((node) => node.firstChild ?? node);
  return [[texts[0], 0], [texts.at(-1), texts.at(-1).length - 1]].map(([text, at]) => {
    const range = document.createRange();
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    return range.getBoundingClientRect().width;
  });
}"""
# The elements whose text does not fit them.
CUT = """(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1
  && getComputedStyle(one).overflowX !== "visible").map((one) => one.className)"""
# The gaps between neighbouring tiles of a row.
GAPS = """(rows) => rows.flatMap((row) => {
  const boxes = [...row.querySelectorAll(".tile")].map((tile) => tile.getBoundingClientRect());
  return boxes.slice(1).map((box, at) => box.left - boxes[at].right);
})"""


def open_menu(page: Page) -> None:
    page.locator("#open-menu").click()
    expect(page.locator("dialog")).to_be_visible()


def test_menu_grows_on_a_large_screen_and_offers_a_new_deal_until_all_have_played(by_hand, serve, open_page) -> None:
    by_hand.deal("Ada", "Bo")
    page = open_page(serve(by_hand.http.application), SMALL_TABLET)
    EveningPage(page, "").is_on("Ada")
    # A 1 as wide as a 0 stood apart from its colon: "1 :00".
    expect(page.locator("#left")).to_have_text("1:00")
    one_px, zero_px = page.locator("#left").evaluate(ENDS_PX)
    assert one_px < 0.8 * zero_px
    open_menu(page)
    line = page.locator(".menu-line b", has_text="Ask for a new deal")
    before_px, width_px = line.evaluate(LETTERS_PX), page.locator("dialog").bounding_box()["width"]
    page.set_viewport_size(LARGE)
    assert line.evaluate(LETTERS_PX) > before_px
    assert page.locator("dialog").bounding_box()["width"] > width_px
    page.keyboard.press("Escape")
    by_hand.act("draw")
    by_hand.act("draw")
    open_menu(page)
    expect(line).to_have_count(0)


def test_opening_bar_is_not_full_while_the_turn_is_not_allowed(by_hand, serve, open_page) -> None:
    by_hand.deal("Ada", "Bo")
    by_hand.act("done", table="R10 R11 R12 | K1 K2")
    page = open_page(serve(by_hand.http.application), PHONE)
    EveningPage(page, "").hears("Not allowed")
    expect(page.locator("#opening")).to_have_attribute("data-enough", "false")
    expect(page.locator("#opening")).not_to_contain_text(" of 30")


def test_times_dates_and_letters_follow_the_language(by_hand, serve, open_page) -> None:
    by_hand.deal("Ada", "Bo")
    by_hand.act("table", table="K7 K8 K9 | R1 R2 R3")
    address = serve(by_hand.http.application)
    for locale, letter, date in (
        ("en-GB", "K", r"^[A-Z][a-z]+,? \d+ [A-Z][a-z]+ \d{4}$"),
        ("de-DE", "S", r"^[A-Z][a-z]+, \d+\. \S+ \d{4}$"),
    ):
        page = open_page(address, SMALL_TABLET, locale=locale)
        expect(page.locator("#drawn .tile i").first).to_have_text(letter)
        gaps = page.locator("#drawn .row").evaluate_all(GAPS)
        assert max(gaps) - min(gaps) < 1
        page.locator("#open-history").click()
        expect(page.locator(".history-item small").first).to_have_text(re.compile(r"^\d\d:\d\d"))
        assert page.locator("dialog *").evaluate_all(CUT) == []
        page.goto(f"{address}evenings")
        expect(page.locator(".evening-card").first.get_by_text(re.compile(date))).to_be_visible()
        page.context.close()


def test_toast_with_a_question_stays_until_it_is_answered(app, camera, tables, serve, open_page) -> None:
    """Others are gone after some seconds; the question comes back after them, and waits while a decision is shown."""
    camera.show(tables.picture(table_reading("R3 R4 R5 | K8 B8 O8")))
    EveningClient(app).deal("Ada", "Bo")
    page = open_page("about:blank", SMALL_TABLET)
    page.clock.install()
    page.goto(serve(app))
    EveningPage(page, "").is_on("Ada")
    expect(page.locator(".overlay .spot")).to_have_count(6)
    page.locator(".overlay .spot .edge").first.dispatch_event("click")
    EveningPage(page, "").keys("red 6")
    toast = page.locator("#toast")
    expect(toast).to_contain_text("May the app learn")
    page.clock.fast_forward("02:00")
    expect(toast).to_have_css("opacity", "1")
    # A refusal stands there for a moment.
    page.route("**/api/evening/draw", lambda route: route.fulfill(status=408, json={"error": "Too slow"}))
    EveningPage(page, "").press("Draw", exact=True)
    expect(toast).to_have_text("Too slow")
    page.clock.fast_forward("00:10")
    expect(toast).to_contain_text("May the app learn")
    page.locator("#splash").evaluate("splash => { splash.hidden = false; }")
    expect(toast).to_be_hidden()
    page.locator("#splash").evaluate("splash => { splash.hidden = true; }")
    page.get_by_role("button", name="Not now").click()
    expect(toast).to_have_css("opacity", "0")
