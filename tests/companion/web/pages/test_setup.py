"""The setup of a game night: the camera, the play area, the self-test, and house rules."""

from datetime import UTC, datetime

import cv2
import numpy as np
import pytest
from flask import Flask
from playwright.sync_api import expect

from tests.support.browsing import SMALL_TABLET, TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.known_tables import PlayedSource, TunedSource, table_reading
from tilekeeper.companion.capture.camera_controls import ControlState, ControlStates


def test_play_area_is_drawn_and_everything_outside_is_black(app, camera, tables, serve, open_page):
    camera.show(tables.picture(table_reading("R3 R4 R5 | K8 B8 O8")))
    address = serve(app)
    page = open_page("about:blank", SMALL_TABLET)
    # No play area is found automatically here, so the suggested corners stay until they are dragged.
    page.route("**/api/play-area/found", lambda route: route.fulfill(json={"corners": None}))
    page.goto(f"{address}setup#camera")
    evening = EveningPage(page, address)
    expect(page.locator(".camera-card.on .preview img")).to_be_visible()
    expect(page.locator(".whole")).to_have_js_property("complete", value=True)
    evening.press("Test the picture")
    expect(page.locator("#test-results .finding").first).to_be_visible()
    corner = page.get_by_role("button", name="Corner 1")
    corner.hover()  # waits until the element has scrolled into view
    box = corner.bounding_box()
    page.mouse.down()
    page.mouse.move(box["x"] + 90, box["y"] + 70, steps=3)
    page.mouse.up()
    corner.press("ArrowDown")
    evening.press("Save this area")
    expect(page.locator("#toast")).to_contain_text("Saved")
    client = EveningClient(app)
    area = client.get("/api/sources")["play_area"]
    assert len(area) == 4
    assert area[0][0] > 0.15
    left, top = area[0]
    picture = None
    for _ in range(100):
        jpeg = client.http.get(f"/picture/{client.state['picture']['number']}.jpg").data
        picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
        if picture[: picture.shape[0] // 20].max() < 8:
            break
        page.wait_for_timeout(100)
    height, width = picture.shape
    # The lower left corner was not moved.
    assert picture[:, : round(0.09 * width)].max() < 24
    assert picture[round((top + 0.1) * height), round((left + 0.1) * width)] > 40
    # An area found in the picture is only a suggestion.
    page.unroute("**/api/play-area/found")
    with page.expect_response("**/api/play-area/found") as found:
        evening.press("Find it")
    assert found.value.ok
    expect(page.locator(".handle")).to_have_count(4)
    assert client.get("/api/sources")["play_area"] == area


@pytest.mark.parametrize("wh", [(1280, 720), (720, 1280)])
def test_corners_are_dragged_on_the_whole_picture_of_every_camera(wh, app, camera, tables, serve, open_page):
    """On a wide picture, a board of another shape would cut off the lower part."""
    camera.show(cv2.resize(tables.picture(table_reading("R3 R4 R5 | K8 B8 O8")), wh))
    address = serve(app)
    page = open_page(f"{address}setup#camera", SMALL_TABLET)
    expect(page.locator(".area-picture[style]")).to_be_visible()  # its shape is known
    board = page.locator(".handles").bounding_box()
    picture = page.locator(".whole").bounding_box()
    assert board == pytest.approx(picture, abs=1)
    assert board["width"] / board["height"] == pytest.approx(wh[0] / wh[1], abs=0.01)
    assert board["height"] <= SMALL_TABLET["height"]


def test_camera_without_a_picture_shows_no_corners_and_asks_for_none(make_app, serve, open_page):
    """A wrong choice was asked for its picture again and again, each time with an error in the console."""
    page = open_page("about:blank", SMALL_TABLET)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"{serve(make_app(PlayedSource()))}setup#camera")
    expect(page.locator(".area-picture")).to_be_attached()
    page.wait_for_timeout(1700)
    assert sum("/api/state" in url for url in requests) >= 2
    assert [url for url in requests if "whole.jpg" in url] == []
    expect(page.get_by_role("button", name="Corner 1")).to_be_hidden()
    expect(page.locator(".whole")).to_be_hidden()  # it would show the sign of a broken picture
    expect(page.get_by_text("Waiting for the first picture")).to_be_visible()
    # Icons stand for cameras without a picture.
    cards = page.locator(".camera-card:has(img:not([src])), .camera-card:not(:has(img))")
    expect(cards.locator(".no-preview svg")).to_have_count(cards.count())


def test_after_a_round_was_left_the_whole_picture_appears_once_all_racks_are_away(
    app, camera, tables, serve, open_page
):
    client = EveningClient(app)
    client.deal()
    client.post("/api/evenings/leave")
    camera.show(tables.picture(table_reading("R3 R4 R5 | K8 B8 O8")))
    address = serve(app)
    page = open_page(f"{address}setup#camera", SMALL_TABLET)
    expect(page.locator(".camera-card.on")).to_contain_text("No preview")
    expect(page.locator(".whole")).to_have_count(0)
    EveningPage(page, address).press("All racks are away")
    expect(page.locator(".whole")).to_be_visible()
    expect(page.locator(".camera-card.on .preview img")).to_be_visible()
    assert client.get("/api/sources")["racks"] is False


def test_picture_test_lists_what_was_set_at_the_camera_and_what_it_refuses(make_app, tables, serve, open_page):
    camera = TunedSource()
    camera.controls = ControlStates(ControlState.LOCKED, ControlState.SETTLING, ControlState.REFUSED)
    camera.show(tables.picture(table_reading("R3 R4 R5 | K8 B8 O8")))
    address = serve(make_app(camera))
    page = open_page(f"{address}setup#camera", SMALL_TABLET)
    EveningPage(page, address).press("Test the picture")
    expect(page.locator(".camera-controls li")).to_have_text(
        [
            "Sharpness (focus): set and locked.",
            "Brightness (exposure): the app is setting this now.",
            "Colours (white balance): this camera does not allow it.",
        ]
    )


def change_time_and_ending(app: Flask, evening: EveningPage) -> None:
    """Give players their own times, let points end the evening, begin, and change a time during the game."""
    page = evening.page
    page.locator("#own-limits").click()
    page.get_by_label("Bo", exact=True).select_option("40 s")
    page.locator("dialog").get_by_role("button", name="Save").click()
    expect(page.locator("#own-limits")).to_have_text("Time per player (1 changed)")
    page.locator("#rounds label", has_text="Points").click()
    # An edition without points shows another end, which is then the chosen one.
    page.locator("#editions label", has_text="Junior").click()
    expect(page.locator("#rounds label", has_text="Points")).to_have_count(0)
    assert page.evaluate("JSON.parse(localStorage.getItem('tilekeeper-setup')).ending") == "rounds"
    page.locator("#editions label", has_text="Standard box").click()
    page.locator("#rounds label", has_text="Points").click()
    evening.press("Somebody has: more")
    evening.set_up("Ada", "Bo", racks_may_show=True)
    settings = EveningClient(app).evening["settings"]
    assert (settings["limits_s"], settings["end_points"], settings["ends_at"]) == ([0, 40], 250, "")
    page.locator("#open-menu").click()
    page.locator(".menu-line", has_text="Time per player").click()
    expect(page.get_by_label("Bo", exact=True)).to_have_value("40")
    page.get_by_label("Ada", exact=True).select_option("120 s")
    page.locator("dialog").get_by_role("button", name="Save").click()
    expect(page.locator("dialog")).to_have_count(0)
    assert EveningClient(app).evening["settings"]["limits_s"] == [120, 40]


def test_house_rules_are_set_and_stored_for_the_next_game_night(app, serve, open_page):
    address = serve(app)
    page = open_page(f"{address}setup", SMALL_TABLET)
    evening = EveningPage(page, address)
    expect(page.locator("#common .stepper")).to_have_count(4)
    names = [one["edition"]["name"] for one in EveningClient(app).get("/api/editions")["editions"]]
    expect(page.locator("#editions label > span > b")).to_have_text(names)
    # The pictures tell boxes with the same tiles apart, and cards have another penalty before the opening.
    signs = page.locator("#editions .sample").evaluate_all("all => all.map((one) => one.dataset.sign)")
    assert len(set(signs)) == len(names)
    page.locator("#editions label", has_text="Cards").click()
    for text, penalty in (("Penalty before the opening", "1 card"), ("Penalty after the opening", "0 cards")):
        expect(page.locator("#common .stepper", has_text=text).locator("output")).to_have_text(penalty)
    page.locator("#editions label", has_text="Standard box").click()
    evening.press("Penalty: less")
    expect(page.locator("#common .stepper", has_text="Penalty").locator("output")).to_have_text("2 tiles")
    evening.press("Penalty: more")
    evening.press("Opening: more")
    expect(page.locator("#more-rules")).to_have_text("All house rules (1 changed)")
    page.locator("#more-rules").click()
    own = page.locator("dialog .own-rules li")
    expect(own).to_contain_text(["How many points do your first sets need?35 pointsIn the rulebook: 30 points"])
    page.locator("summary", has_text="When the pool is empty").click()
    page.locator("dialog label:has(input[value='all-pass'])").click()
    expect(page.locator("summary small:not(:empty)")).to_have_text(["1 changed", "1 changed"])
    # Each answer goes back by itself, in the list and at its question.
    page.locator("summary", has_text="Jokers").click()
    alone = page.get_by_role("radiogroup", name="May a set have nothing but jokers?")
    alone.locator("label", has_text="Yes").click()
    expect(own).to_have_count(3)
    assert page.locator("dialog").evaluate("one => one.scrollTop") == 0
    page.get_by_role("button", name="May a set have nothing but jokers? As in the rulebook").click()
    expect(alone.get_by_role("radio", name="No")).to_be_checked()
    expect(own).to_have_count(2)
    evening.press("Close")
    expect(page.locator("#more-rules")).to_have_text("All house rules (2 changed)")
    page.get_by_label("Seat 1").fill("Ada")
    page.get_by_label("Seat 2").fill("Bo")
    change_time_and_ending(app, evening)
    house = EveningClient(app).evening["edition"]["house"]
    assert sorted(house) == ["ending.pool_empty=all-pass", "opening.minimum_points=35"]
    page.goto(f"{address}setup")
    expect(page.get_by_label("Seat 1")).to_have_value("Ada")
    expect(page.locator("#more-rules")).to_have_text("All house rules (2 changed)")
    expect(page.locator("#own-limits")).to_have_text("Time per player (1 changed)")
    # The time of day is sent as the next moment at which clocks show it.
    page.locator("#rounds label", has_text="Time of day").click()
    page.locator("#rounds input[type=time]").fill("00:01")
    evening.set_up("Ada", "Bo", racks_may_show=True)
    assert EveningClient(app).evening["settings"]["ends_at"] > datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_house_rule_allows_more_than_four_players(app, serve, open_page):
    address = serve(app)
    page = open_page(f"{address}setup", TABLET)
    evening = EveningPage(page, address)
    expect(page.locator(".seat-name")).to_have_count(4)
    page.locator("#more-rules").click()
    page.locator("summary", has_text="Players and dealing").click()
    more = page.get_by_role("button", name="How many may play at most: more")
    more.click()
    more.click()
    evening.press("Close")
    expect(page.locator(".seat-name")).to_have_count(6)
    boxes = [field.bounding_box() for field in page.locator(".seat-name").all()]
    for at, one in enumerate(boxes):
        for other in boxes[at + 1 :]:
            apart = max(abs(one["x"] - other["x"]) - one["width"], abs(one["y"] - other["y"]) - one["height"])
            assert apart >= 0, (one, other)
    evening.set_up("Ada", "Bo", "Cleo", "Dan", "Eve", "Finn", racks_may_show=True)
    expect(page.locator(".seat")).to_have_count(6)
    assert [player["name"] for player in EveningClient(app).evening["players"]][4:] == ["Eve", "Finn"]
