"""Counting the racks at the end of a round needs few taps, in each of the ways."""

import time
from pathlib import Path

import cv2
import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.known_tables import Player, table_reading

MOST_TAPS, MOST_TAPS_OF_PHOTOS = 12, 9
FOURTEEN = "K1 K2 K3 K4 K5 K6 K7 B8 B9 B10 B11 B12 B13 R13"
FIVE, THREE = "O1 O2 O3 R11 J", "R1 R2 R5"


@pytest.fixture
def client(app) -> EveningClient:
    """A round of four players with a camera, which Ada has ended."""
    client = EveningClient(app)
    client.deal("Ada", "Bo", "Cleo", "Dan")
    client.act("rack-count", player=0, tiles=0)
    return client


@pytest.fixture
def page(client, serve, open_page) -> Page:
    page = open_page(serve(client.http.application), PHONE)
    page.evaluate("window.taps = 0; addEventListener('click', (event) => event.isTrusted && window.taps++, true)")
    return page


def tap(page: Page, name: str) -> None:
    """Tap a button with a finger; it must not be covered."""
    place = page.get_by_role("dialog").last if page.get_by_role("dialog").count() else page
    place.get_by_role("button", name=name, exact=True).and_(page.locator(":visible")).first.click()


def save(page: Page, count: int) -> None:
    """Save a rack; any number other than the 14 tiles of the ledger needs one more tap."""
    tap(page, "Save")
    if count != len(FOURTEEN.split()):
        tap(page, f"Save anyway: {count} tiles")


def totals(page: Page) -> list[str]:
    expect(page.locator("#panel h2")).to_have_text("Ada wins round 1")
    return page.locator(".score tfoot td").all_text_contents()


def test_three_racks_are_counted_by_their_points_in_few_taps(page) -> None:
    """103, 47 and 8 points: the next rack opens by itself, and no digit is lost in a slow network."""
    page.route("**/api/evening/rack-points", lambda route: (time.sleep(0.5), route.continue_()))
    tap(page, "Just the points")
    for points in ("103", "47", "8"):
        for digit in points:
            tap(page, digit)
        tap(page, "Save")
    assert totals(page) == ["+158", "−103", "−47", "−8"]
    assert page.evaluate("window.taps") <= MOST_TAPS


def test_three_racks_are_photographed_in_few_taps(page, tables, tmp_path: Path) -> None:
    """Racks of 14, 5 and 3 tiles, each on its own photo; the first tap opens the phone's camera."""
    for number, rack in enumerate((FOURTEEN, FIVE, THREE)):
        path = tmp_path / f"{number}.jpg"
        cv2.imwrite(str(path), tables.picture(table_reading(rack)))
        with page.expect_file_chooser() as chooser:
            tap(page, "Take a picture")
        chooser.value.set_files(path)
        expect(page.locator("dialog .pick")).to_have_count(len(rack.split()))
        save(page, len(rack.split()))
    assert totals(page) == ["+159", "−104", "−47", "−8"]
    assert page.evaluate("window.taps") <= MOST_TAPS_OF_PHOTOS


def test_three_racks_are_scanned_one_after_the_other_in_few_taps(client, camera, tables, serve, open_page) -> None:
    """Each is poured out in front of the table camera."""
    page = open_page(serve(client.http.application), SMALL_TABLET)
    page.evaluate("window.taps = 0; addEventListener('click', (event) => event.isTrusted && window.taps++, true)")
    for number, rack in enumerate((FOURTEEN, FIVE, THREE)):
        camera.show(tables.picture(table_reading(rack)))
        Player(client.http).sees(rack)
        tap(page, "Scan with the table camera" if number else "Scan")
        expect(page.locator("dialog .pick")).to_have_count(len(rack.split()))
        save(page, len(rack.split()))
    assert totals(page) == ["+159", "−104", "−47", "−8"]
    assert page.evaluate("window.taps") <= MOST_TAPS_OF_PHOTOS


def test_points_are_typed_on_a_keyboard_and_no_digits_send_nothing(client, page) -> None:
    tap(page, "Just the points")
    page.keyboard.type("1203")
    page.keyboard.press("Backspace")
    expect(page.locator(".counted")).to_have_text("12 points")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="What is left on Cleo's rack?")).to_be_visible()
    expect(page.locator("#undo")).to_contain_text("Bo's points")
    page.keyboard.type("0")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="What is left on Dan's rack?")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".rack-card", has_text="Bo")).to_contain_text("12 points")
    assert [(one["known"], one["rack"], one["rack_points"]) for one in client.evening["players"]] == [
        (True, 0, None),
        (True, 14, 12),
        (True, 0, 0),
        (False, 14, None),
    ]
    last = client.get("/api/evening/history")["items"][-2]
    assert (last["kind"], last["text"]) == ("rack-summed", "Bo had 12 points left.")


def test_all_racks_are_visible_on_a_phone(page) -> None:
    """The rest can be scrolled to inside the panel, and nothing is outside of it."""
    page.set_viewport_size({"width": 320, "height": 568})
    last = page.locator(".rack-card", has_text="Dan").get_by_role("button", name="Just the points")
    last.scroll_into_view_if_needed()
    button, panel = last.bounding_box(), page.locator("#panel").bounding_box()
    assert panel["y"] <= button["y"]
    assert button["y"] + button["height"] <= panel["y"] + panel["height"]


def test_dialog_closes_once_another_tablet_has_counted_the_rack(client, page) -> None:
    """Its dialog closes with a message, for points as for tiles; the next one does not open by itself."""
    for seat, way, name in ((1, "Just the points", "Bo"), (2, "Tap the tiles", "Cleo")):
        tap(page, way)
        expect(page.get_by_role("dialog")).to_contain_text(name)
        client.act("rack-points", player=seat, points=7)
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator("#toast")).to_contain_text(f"{name}'s rack is already counted")


def test_closing_the_dialog_while_sending_opens_no_next_one(page) -> None:
    page.route("**/api/evening/rack-points", lambda route: (time.sleep(0.5), route.continue_()))
    tap(page, "Just the points")
    tap(page, "9")
    tap(page, "Save")
    page.keyboard.press("Escape")
    expect(page.locator(".rack-card", has_text="Bo")).to_contain_text("9 points")
    expect(page.get_by_role("dialog")).to_have_count(0)
