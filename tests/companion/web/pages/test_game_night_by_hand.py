"""Game nights without a camera in a real browser: cards, junior, and the first-acquaintance game."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.hub_ear import wait_for
from tests.support.known_tables import TOO_MANY_WAYS
from tests.support.watched_game_night import Clock
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.web.api.extensions import parts


@pytest.fixture
def address(make_app, serve) -> str:
    """The address of an app that has no camera."""
    return serve(make_app(NoSource(), watch=False))


def test_game_of_cards_is_played_by_hand(address, open_page):
    page = open_page(f"{address}setup", SMALL_TABLET)
    evening = EveningPage(page, address)
    evening.set_up("Ada", "Bo", choices=["Cards", "1"])
    evening.begins("Ada")
    expect(page.locator("#left .minutes")).to_have_css("font-feature-settings", '"pnum"')
    expect(page.locator("#advice")).to_contain_text("press Done and tap them in. If you can't, press Draw.")

    # While it is entered, the judge counts its points: 40 are needed, and a joker counts 25.
    evening.press("Done", exact=True)
    evening.keys("red 12", "blue 12")
    expect(page.locator(".judgement")).to_contain_text("of 40 points to open")
    evening.keys("yellow 12", "red 1")
    expect(page.locator(".judgement")).to_have_attribute("data-kind", "illegal")
    evening.press("Remove")
    evening.keys("black 12")
    expect(page.locator(".judgement")).to_have_text("Allowed. 48 points.")
    page.locator("dialog").get_by_role("button", name="Done", exact=True).click()
    evening.hears("Allowed")
    evening.is_on("Bo")
    left = page.locator(".placed .tile").evaluate_all("tiles => tiles.map((tile) => tile.getBoundingClientRect().x)")
    gaps = [right - before for before, right in pairwise(left)]
    assert max(gaps) == pytest.approx(min(gaps), abs=0.5)

    # An illegal layout is reported and can be fixed; the entered tiles are still there.
    evening.lay(("red 3", "red 4", "red 6"))
    evening.hears("Not allowed")
    expect(page.locator("#drawn .meld.faulty")).to_have_count(1)
    evening.press("Done", exact=True)
    expect(page.locator("dialog .pick")).to_have_count(7)
    page.locator("dialog .pick").last.click()
    evening.keys("red 5")
    expect(page.locator("dialog .pick").last).to_have_attribute("aria-label", "red 5")
    page.locator("dialog").get_by_role("button", name="Close").click()
    evening.press("Take it back, draw 1")
    evening.press("All back")
    evening.is_on("Ada")

    evening.rummikub()
    evening.open_rack("Bo")
    expect(page.locator(".rows .empty")).to_have_text("Take a picture of the hand, or tap its cards.")
    evening.keys("red 5", "red 5", "red 5")
    evening.press("Save")
    evening.press("Save anyway")
    expect(page.locator(".scan-note")).to_contain_text("Red 5 is there 3 times, but the box has only 2.")
    expect(page.locator(".scan-note")).not_to_contain_text("also sees")  # all of them are here
    for _ in range(3):
        page.locator("dialog").get_by_role("button", name="Undo").click()
    evening.show_rack("Bo", "joker", "yellow 5")
    expect(page.locator("#panel h2")).to_have_text("Ada wins the evening")
    assert evening.totals() == ["+30", "−30"]


def test_clock_stops_while_a_table_is_entered_and_the_entry_survives(make_app, serve, open_page):
    """Escape, the end of the time, a reload and a failed request lose nothing; the clock goes on with the thinking."""
    clock = Clock()
    app = make_app(NoSource(), watch=False, now=clock)
    client = EveningClient(app)
    client.deal("Ada", "Bo", settings={"timer": "strict"})
    client.act("resume")
    address = serve(app)
    page = open_page(address, SMALL_TABLET)
    evening = EveningPage(page, address)
    evening.is_on("Ada")
    evening.press("Done", exact=True)
    evening.keys("red 10", "red 11")
    wait_for(lambda: not client.evening["clock"]["running"])
    page.keyboard.press("Escape")
    wait_for(lambda: client.evening["clock"]["running"])
    for _ in range(round(client.evening["clock"]["limit_s"]) + 1):
        clock.now_s += 1.0
        parts(app).timekeeper.tick()
    expect(page.locator("#panel h2")).to_have_text("Time is up, Ada")
    evening.press("+30 s, play on")

    evening.press("Done", exact=True)
    expect(page.locator("dialog .pick")).to_have_count(2)
    evening.keys("red 12")
    page.reload()
    evening.press("Done", exact=True)
    expect(page.locator("dialog .pick")).to_have_count(3)
    page.route("**/api/evening/*", lambda route: route.fulfill(status=408, json={"error": "Too slow"}))
    page.locator("dialog").get_by_role("button", name="Done", exact=True).click()
    expect(page.locator("#toast")).to_contain_text("Too slow")
    page.unroute("**/api/evening/*")
    expect(page.locator("dialog .pick")).to_have_count(3)
    # The line of the judge says that the app is away only until it is back.
    page.evaluate(
        "() => { window.really = fetch; window.fetch = (url, ...more) =>"
        " url.endsWith('judge') ? Promise.reject(new TypeError()) : really(url, ...more); }"
    )
    evening.keys("red 13")
    expect(page.locator(".judgement")).to_have_text("The app does not answer.")
    page.evaluate("() => { window.fetch = really; }")
    expect(page.locator(".judgement")).to_contain_text("Allowed")
    evening.press("Remove")
    page.locator("dialog").get_by_role("button", name="Done", exact=True).click()
    evening.is_on("Bo")
    wait_for(lambda: client.evening["clock"]["running"])

    # A button that is pressed while the clock is being started again is not refused as pressed too late.
    evening.press("Done", exact=True)
    wait_for(lambda: not client.evening["clock"]["running"])
    draw = page.get_by_role("button", name="Draw", exact=True, include_hidden=True)
    draw.evaluate(
        "async (draw) => { document.querySelector('dialog').close(); await fetch('/api/access'); draw.click(); }"
    )
    evening.is_on("Ada")


def test_game_of_junior_counts_stars(address, open_page):
    page = open_page(f"{address}setup", PHONE)
    evening = EveningPage(page, address)
    evening.set_up("Mia", "Tom & Eli", choices=["Junior"])
    evening.begins("Mia")
    expect(page.locator(".seat", has_text="Tom & Eli").locator(".stars")).to_have_text("6")
    evening.lay(("red 1", "red 2", "red 3"))
    evening.is_on("Tom & Eli")
    expect(page.locator(".seat", has_text="Mia").locator(".stars")).to_have_text("10")
    evening.press("Pay and draw")
    expect(page.locator(".seat", has_text="Tom & Eli").locator(".stars")).to_have_text("5")
    evening.is_on("Mia")
    evening.rummikub()
    page.locator(".rack-card", has_text="Tom").get_by_role("button", name="Count").click()
    while page.locator(".counted").inner_text() != "2":
        evening.press("One less")
    evening.press("Save")
    expect(page.locator("#panel h2")).to_have_text("Mia wins round 1")
    assert page.locator(".score tbody td").all_text_contents() == ["10", "3"]


def test_first_acquaintance_game_is_played_by_hand(address, open_page):
    page = open_page(f"{address}setup", SMALL_TABLET)
    evening = EveningPage(page, address)
    page.goto(f"{address}setup")
    evening.set_up("Mia", "Tom", choices=["Junior", "The first game"])
    expect(page.locator("#panel h2")).to_have_text("The game leader points at a tile")
    evening.keys("blue 5")
    page.locator(".seat-card", has_text="Tom").click()
    evening.keys("blue 9")
    expect(page.locator("#panel")).to_contain_text("not the number before or after")
    page.locator(".suggested-tiles .pick").last.click()
    expect(page.locator(".finding-rows .tile")).to_have_count(2)
    expect(page.locator(".seat", has_text="Tom").locator(".stars")).to_have_text("1")


def test_incidents_are_entered_from_the_menu(address, open_page):
    page = open_page(f"{address}setup", SMALL_TABLET)
    evening = EveningPage(page, address)
    evening.set_up("Ada", "Bo")
    evening.begins("Bo")
    menu = page.locator("#open-menu")
    menu.click()
    evening.press("This is the table now")
    evening.keys("black 7", "blue 7", "red 7")
    page.locator("dialog").get_by_role("button", name="This is the table now").click()
    evening.press("Skip")
    expect(page.locator("#drawn .tile")).to_have_count(3)
    menu.click()
    evening.press("A player joins")
    page.get_by_label("Name").fill("Cleo")
    evening.press("Sit down")
    expect(page.locator(".seat")).to_have_count(3)
    menu.click()
    evening.press("A tile is lost")
    evening.keys("red 9")
    expect(page.locator("#whose")).to_contain_text("63 in the pool")
    page.locator(".seat", has_text="Ada").click()
    evening.press("Make it their turn")
    evening.is_on("Ada")
    menu.click()
    evening.press("A player leaves")
    evening.press("Cleo", exact=True)
    evening.press("Leave", exact=True)
    expect(page.locator(".seat.away")).to_contain_text("Cleo")
    page.locator("#open-history").click()
    # Undo of everything since the table was corrected: five steps.
    page.locator(".history-item", has_text="The table counts as it is").get_by_role("button").click()
    evening.press("Take back 5 steps")
    evening.is_on("Bo")
    expect(page.locator(".seat")).to_have_count(2)
    # Ada laid the last tile, and the app has already passed the turn on.
    evening.press("Rummikub!")
    page.locator("dialog").get_by_role("button", name="Ada", exact=True).click()
    evening.press("End the round")
    expect(page.locator("#panel h2")).to_have_text("Ada: Rummikub!")
    evening.undo()
    evening.is_on("Bo")
    menu.click()
    evening.press("End the evening")
    evening.press("End it")
    expect(page.locator("#panel h2")).to_have_text("The evening is over")


def test_ending_a_round_needs_a_confirmation(make_app, serve, open_page):
    app = make_app(NoSource(), watch=False)
    client = EveningClient(app)
    client.deal("Ada", "Bo")
    client.act("joined", name="Cleo", deals=False)
    page = open_page(serve(app), SMALL_TABLET)
    evening = EveningPage(page, "")
    names = page.locator("dialog .choose-seats button")
    evening.press("Rummikub!")
    # Cleo waits for the next round and has no rack.
    expect(names).to_have_text(["Ada", "Bo"])
    evening.press("Bo", exact=True)
    dialog = page.get_by_role("dialog", name="Bo's rack is empty. End the round?")
    expect(dialog).to_contain_text("By the app's count it has 14 tiles")
    dialog.get_by_role("button", name="Cancel").click()
    evening.is_on("Ada")
    assert client.evening["phase"] == "turns"
    page.locator("#open-menu").click()
    page.locator("dialog").get_by_role("button", name="Whose turn it is").click()
    expect(names).to_have_text(["Ada", "Bo"])
    page.keyboard.press("Escape")
    page.locator("#open-menu").click()
    evening.press("A player leaves")
    expect(names).to_have_text(["Ada", "Bo", "Cleo"])
    page.keyboard.press("Escape")
    # It is also in the menu of the player's name.
    page.locator(".seat", has_text="Bo").click()
    page.locator("dialog").get_by_role("button", name="Rummikub!").click()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    page.locator(".seat", has_text="Cleo").click()
    expect(page.locator("dialog").get_by_role("button", name="Rummikub!")).to_have_count(0)
    page.keyboard.press("Escape")
    evening.rummikub()
    assert client.evening["out"] == 0


def test_turn_that_ended_a_round_can_be_overruled(make_app, serve, open_page):
    """The racks screen lets people overrule the last verdict: the turn has failed, and the round continues."""
    app = make_app(NoSource(), watch=False)
    client = EveningClient(app)
    client.deal("Ada", "Bo")
    client.act("rack-count", player=0, tiles=3)
    client.act("done", table="R10 R11 R12")
    page = open_page(serve(app), SMALL_TABLET)
    evening = EveningPage(page, "")
    expect(page.locator("#panel h2")).to_have_text("Ada: Rummikub!")
    evening.press("Change the last decision")
    evening.press("We saw a mistake too late.")
    expect(page.locator("#panel h2")).to_have_text("This turn does not count")


def test_incomplete_check_of_the_judge_is_noted_on_the_card(make_app, serve, open_page):
    app = make_app(NoSource(), watch=False)
    client, (before, after) = EveningClient(app), TOO_MANY_WAYS
    client.deal("Ada", "Bo", house=["stock.jokers=8"])
    client.act("table", table=before)
    client.act("opened", player=0, opened=True)
    client.act("done", table=f"{after} | K13")
    page = open_page(serve(app), PHONE)
    evening = EveningPage(page, "")
    evening.hears("Not allowed")
    expect(page.locator(".caveat")).to_contain_text("too many ways to lay this")
    client.act("done", table=after)
    evening.hears("I can't decide this turn")
    # A phone's ribbon shows the rest in a dialog.
    evening.press("Details")
    expect(page.locator("dialog .caveat")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#live")).to_contain_text("Please check together")
    evening.press("It counts")
    expect(page.locator(".caveat")).to_have_count(0)
    assert client.get("/api/state")["evening"]["player"] == 1


def test_fault_from_before_the_turn_is_a_note_on_the_card(make_app, serve, open_page):
    app = make_app(NoSource(), watch=False)
    client = EveningClient(app)
    client.deal("Ada", "Bo")
    client.act("table", table="R1 R2 | B1 B2 B3")
    client.act("opened", player=0, opened=True)
    page = open_page(serve(app), PHONE)
    evening = EveningPage(page, "")
    client.act("done", table="R1 R2 | B1 B2 B3 B4")
    evening.hears("Allowed")
    expect(page.locator("#more")).to_contain_text(
        "Already wrong before the turn, so it does not count: red 1 and red 2"
    )


def test_refused_name_is_explained_and_the_entry_kept(address, open_page):
    page = open_page(f"{address}setup", PHONE)
    page.get_by_label("Seat 1").fill("Ada")
    expect(page.locator("#begin")).to_be_disabled()
    for name, says in (("ada", "Two players are called"), ("A" * 120, "120 characters. At most 60 fit")):
        page.get_by_label("Seat 2").fill(name)
        page.locator("#begin").click()
        expect(page.locator("#trouble")).to_contain_text(says)
        expect(page.get_by_label("Seat 1")).to_have_value("Ada")
