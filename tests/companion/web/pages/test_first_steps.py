"""The first steps: camera, play area and a practice turn, in few taps; they can be skipped and repeated."""

import re
import time

import pytest
from playwright.sync_api import expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.known_tables import Player, table_reading

LONGEST_S = 120
ANIMATIONS = "(all) => all.map((one) => getComputedStyle(one).animationName)"


def test_new_browser_goes_through_the_first_steps_by_hand(by_hand, serve, open_page):
    by_hand.post("/api/source", source="none")
    address = serve(by_hand.http.application)
    page = open_page(address, PHONE)
    begun_s = time.monotonic()
    page.get_by_role("link", name="First steps").click()
    expect(page.locator(".camera-card.on")).to_have_text("No camera: everything by hand")
    page.get_by_role("link", name="Next").click()
    expect(page.locator("#practice h2")).to_have_text("One practice turn. It does not count")
    evening = EveningPage(page, address)

    # First a mistake, then unavailable tiles, then a legal turn.
    for keys, words in ((["blue 1"], "only 1 tile"), (["red 6", "red 7"], "only tiles that are on the rack")):
        page.locator("#practice").get_by_role("button", name="Done").click()
        if len(keys) > 1:
            page.locator("dialog .row-end").first.click()
        evening.keys(*keys)
        page.locator("dialog").get_by_role("button", name="Done").click()
        expect(page.locator(".outcome")).to_contain_text(words)
        expect(page.locator(".outcome")).to_contain_text("Try again")
    page.locator("#practice").get_by_role("button", name="Done").click()
    page.locator("dialog .row-end").first.click()
    evening.keys("red 6")
    page.locator("dialog").get_by_role("button", name="Done").click()
    expect(page.locator(".outcome")).to_contain_text("Well done!")
    page.get_by_role("link", name="To the table").click()
    page.wait_for_url(f"{address}setup")
    assert time.monotonic() - begun_s < LONGEST_S
    # The practice turn had no effect.
    assert by_hand.state["evening"] is None
    assert by_hand.get("/api/evenings/results")["evenings"] == []
    expect(page.locator("#editions label").first).to_be_visible()


def test_first_steps_with_a_camera_work_during_a_game_night(app, camera, tables, serve, open_page):
    """The camera sees the practice turn, and the game night is unchanged."""
    client = EveningClient(app)
    client.deal("Ada", "Bo")
    before = client.evening["revision"]

    def lay(notation: str) -> None:
        camera.show(tables.picture(table_reading(notation)))
        Player(client.http).sees(notation)

    client.post("/api/play-area", corners=[[0, 0], [1, 0], [1, 1], [0, 1]])
    lay("R3 R4 R5 | K8 B8 O8")
    address = serve(app)
    page = open_page(address, SMALL_TABLET)
    page.locator("#open-menu").click()
    page.locator(".menu-line", has_text="First steps").click()
    assert re.search(r"http|rtsp|:/", page.locator("main").inner_text()) is None
    # With reduced motion the drawings stand beside each other; else one is shown at a time.
    expect(page.locator(".scenes figure")).to_have_count(3)
    expect(page.locator(".scenes[data-plays]")).to_have_count(0)
    page.emulate_media(reduced_motion="no-preference")
    page.locator("#play-scenes").click()
    assert page.locator(".scenes figure").evaluate_all(ANIMATIONS) == ["scene"] * 3
    page.emulate_media(reduced_motion="reduce")
    expect(page.locator(".scenes[data-plays]")).to_have_count(0)
    # The live check follows the camera, in one sentence.
    advice = page.locator("#placement-advice li:visible")
    expect(page.locator("#live-image")).to_be_visible()
    expect(page.locator("#live-outline")).to_have_attribute("points", re.compile(r"^([\d.]+,[\d.]+ ?){4}$"))
    expect(advice).to_have_text("The camera is in a good place: it can read all tiles.")
    lay("")
    expect(advice).to_have_text("Spread a few tiles over the whole play area.")
    lay("R3 R4 R5 | K8 B8 O8")
    for name in ("Camera", "Play area"):
        expect(page.locator(".steps [aria-current]")).to_have_text(name)
        page.get_by_role("link", name="Next").click()
    # In the recorded table nobody can lay tiles, so the practice turn is played by hand.
    page.route("**/api/sources", lambda route: route.fulfill(json=route.fetch().json() | {"watched": "demo"}))
    page.reload()
    expect(page.locator("#practice .mat").first).to_be_visible()
    expect(page.locator("#practice .seen")).to_have_count(0)
    page.unroute("**/api/sources")
    page.reload()
    expect(page.locator("#practice .seen")).to_be_visible()
    page.get_by_role("button", name="Both sets are there").click()
    expect(page.locator(".outcome")).to_contain_text("The camera sees them.")
    lay("R3 R4 R5 R6 | K8 B8 O8")
    page.locator("#practice").get_by_role("button", name="Done").click()
    expect(page.locator(".outcome")).to_contain_text("Well done!")
    page.get_by_role("link", name="To the table").click()
    page.wait_for_url(address)
    assert client.evening["revision"] == before


def test_corners_that_were_moved_are_saved_by_next(app, camera, tables, serve, open_page):
    camera.show(tables.picture(table_reading("R3 R4 R5 | K8 B8 O8")))
    page = open_page("about:blank", SMALL_TABLET)
    page.route("**/api/play-area/found", lambda route: route.fulfill(json={"corners": None}))
    page.goto(f"{serve(app)}first#area")
    expect(page.locator(".area-picture[style]")).to_be_visible()
    expect(page.get_by_role("button", name="Save this area")).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Corner 1").press("ArrowDown")
    page.get_by_role("link", name="Next").click()
    expect(page.locator("#practice h2")).to_be_visible()
    assert EveningClient(app).get("/api/sources")["play_area"][0] == pytest.approx([0.12, 0.13])
