"""Several tablets at one table: all show the same state, a late press does nothing, tabs share one stream."""

import re

import pytest
from flask import Flask
from playwright.sync_api import expect

from tests.support.browsing import PHONE, SMALL_TABLET, TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.web.api.event_stream import MOST_STREAMS
from tilekeeper.companion.web.api.extensions import parts

# A page with a broken stream that it has not noticed: it gets the first state and no other.
DEAF = """
delete window.SharedWorker;
delete window.BroadcastChannel;
const Stream = window.EventSource;
window.EventSource = class extends Stream {
  set onmessage(hear) { super.onmessage = (event) => { super.onmessage = null; hear(event); }; }
};
"""


@pytest.fixture
def app(make_app) -> Flask:
    """An app without a camera."""
    return make_app(NoSource(), watch=False)


@pytest.fixture
def address(app, serve) -> str:
    """The address of the app in Ada's first turn."""
    EveningClient(app).deal("Ada", "Bo", "Cleo")
    return serve(app)


def free_streams(app: Flask) -> int:
    """Return how many more streams the app would allow."""
    return parts(app).streams._free._value


def test_three_tablets_show_the_same_state_and_a_late_press_does_nothing(app, address, open_page):
    tablet, other = open_page(address, SMALL_TABLET), open_page(address, TABLET, color_scheme="dark")
    phone = open_page("about:blank", PHONE)
    phone.add_init_script(DEAF)
    phone.goto(address)
    first, second, late = (EveningPage(page, address) for page in (tablet, other, phone))
    for evening in (first, second, late):
        evening.is_on("Ada")
    tablet.locator("#draw").dblclick()
    for evening in (first, second):
        evening.is_on("Bo")
    assert EveningClient(app).evening["players"][0]["rack"] == 15

    # The phone has an old state: its press is refused in words, and then it shows the present state.
    late.press("Draw", exact=True)
    expect(phone.locator("#toast")).to_contain_text("The game has moved on")
    late.is_on("Bo")
    evening = EveningClient(app).evening
    assert (evening["player"], evening["players"][1]["rack"]) == (1, 14)
    late.press("Draw", exact=True)
    first.is_on("Cleo")


def test_late_second_tap_does_not_draw_for_the_next_player(app, address, open_page):
    page = open_page(address, SMALL_TABLET)
    evening = EveningPage(page, address)
    for tap_ms in (0, 60, 250, 400):
        seat = EveningClient(app).evening["player"]
        page.locator("#draw").evaluate("(draw, ms) => { draw.click(); setTimeout(() => draw.click(), ms); }", tap_ms)
        evening.is_on(("Ada", "Bo", "Cleo")[(seat + 1) % 3])
        expect(page.locator("#draw")).to_be_enabled()
        assert EveningClient(app).evening["player"] == (seat + 1) % 3


def test_entry_of_a_turn_that_another_tablet_has_ended_is_not_judged_as_the_next_one(app, address, open_page):
    first, second = (EveningPage(open_page(address, SMALL_TABLET), address) for _ in range(2))
    for evening in (first, second):
        evening.is_on("Ada")
        evening.press("Done", exact=True)
    first.keys("red 10", "red 11", "red 12")
    second.keys("red 10", "red 11")
    first.page.locator("dialog").get_by_role("button", name="Done", exact=True).click()
    first.is_on("Bo")
    expect(second.page.locator("dialog")).to_have_count(0)
    expect(second.page.locator("#toast")).to_contain_text("Ada's turn is over. Nothing was sent from here.")
    evening = EveningClient(app).evening
    assert (evening["player"], evening["wrong"], len(evening["table"])) == (1, False, 1)


def test_tabs_of_one_browser_share_one_stream(app, address, open_page):
    page = open_page(address)
    EveningPage(page, address).is_on("Ada")
    tab = page.context.new_page()
    tab.goto(address)
    EveningPage(tab, address).is_on("Ada")
    assert free_streams(app) == MOST_STREAMS - 1
    page.close()
    EveningPage(tab, address).press("Draw", exact=True)
    EveningPage(tab, address).is_on("Bo")


def test_tabs_share_one_stream_without_shared_workers_too(app, address, open_page):
    page = open_page("about:blank")
    page.context.add_init_script("delete window.SharedWorker;")
    tab = page.context.new_page()
    for one in (page, tab):
        one.goto(address)
        EveningPage(one, address).is_on("Ada")
    assert free_streams(app) == MOST_STREAMS - 1
    EveningPage(tab, address).press("Draw", exact=True)
    EveningPage(page, address).is_on("Bo")
    # The tab with the stream is closed, and the other one opens its own.
    page.close()
    EveningClient(app).act("draw")
    EveningPage(tab, address).is_on("Cleo")


def test_host_shows_how_to_join_and_keeps_the_buttons(app, address, open_page):
    parts(app).access.address = "http://192.0.2.7:8645/"
    page = open_page(address, SMALL_TABLET)
    evening = EveningPage(page, address)
    evening.is_on("Ada")
    page.locator("#open-menu").click()
    evening.press("Tablets and phones")
    expect(page.locator(".join .code")).to_have_text(parts(app).access.code)
    expect(page.locator(".join .address")).to_have_text("192.0.2.7:8645")
    qr = page.locator(".qr")
    expect(qr).to_have_js_property("complete", value=True)
    assert qr.evaluate("image => image.naturalWidth") > 100
    # The switch changes at once, and the server gets it a little later.
    with page.expect_response(lambda response: response.request.method == "POST"):
        page.get_by_text("All devices may press buttons").click()
    expect(page.get_by_role("switch", name="All devices may press buttons")).not_to_be_checked()
    assert EveningClient(app).evening["settings"]["control"] == "host"


def test_tablet_without_control_says_so_and_disables_its_buttons(app, address, open_page):
    host, guest = EveningClient(app), open_page("about:blank", PHONE)
    # All pages of these tests come from this machine; this one is treated as a phone.
    you = {"id": "7f", "name": "Bo's phone", "host": False, "controls": False}
    guest.route("**/api/access", lambda route: route.fulfill(json={"you": you}))
    guest.goto(address)
    EveningPage(guest, address).is_on("Ada")
    expect(guest.locator("#draw")).to_be_enabled()
    host.act("settings", control="host")
    expect(guest.locator("#notice")).to_contain_text("This device only shows the game")
    for button in ("#draw", "#done", "#pause", "#undo"):
        expect(guest.locator(button)).to_be_disabled()
    guest.locator("#open-menu").click()
    large = ("Settings", "The rules", "Score sheet", "History", "Tell me the table")
    small = (
        "First steps",
        "What the buttons do",
        "Past evenings",
        "Tablets and phones",
        "Scoreboard",
        "Overlay for streams",
    )
    lines = (*large, *small)
    expect(guest.locator(".menu-line")).to_have_text([re.compile(f"^{line}") for line in lines])
    guest.keyboard.press("Escape")
    host.act("rack-count", player=0, tiles=0)
    expect(guest.locator(".rack-card .button").first).to_be_disabled()
    host.act("settings", control="all")
    expect(guest.locator(".rack-card .button").first).to_be_enabled()
