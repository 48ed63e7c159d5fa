"""A scanned rack is checked: the photo with outlines, missing, doubtful and surplus tiles, and an explicit save."""

import re
from collections.abc import Callable
from pathlib import Path

import cv2
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browsing import PHONE
from tests.support.game_night_client import EveningClient
from tests.support.known_tables import TILE_WH, Player, table_reading, tile_corner_px, without
from tilekeeper.vision.types import TableReading

BACK, FRONT = "K1 K2 K3 K4 K5 K6 K7 B8", "B9 B10 B11 B12 B13 R13"
# Melds are in two columns, so these are two rows of a rack.
FOURTEEN = f"K1 K2 K3 K4 | K5 K6 K7 B8 | {FRONT}"
SMALLEST = {"width": 320, "height": 568}
# The position of a point of the photo on the screen.
ON_SCREEN = """(svg, [x, y]) => {
  const { x: left, y: top } = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
  return [left, top];
}"""


@pytest.fixture
def client(app) -> EveningClient:
    """A round of four with a camera, which Ada has ended; the others have 14 tiles each."""
    client = EveningClient(app)
    client.deal("Ada", "Bo", "Cleo", "Dan")
    client.act("rack-count", player=0, tiles=0)
    return client


@pytest.fixture
def photograph(tables, tmp_path: Path) -> Callable[[Page, TableReading], None]:
    """Sends a photo with a known reading to the open dialog."""

    def send(page: Page, reading: TableReading) -> None:
        path = tmp_path / f"{len(tables.readings)}.jpg"
        cv2.imwrite(str(path), tables.picture(reading))
        page.get_by_label("Picture of the rack").set_input_files(path)

    return send


@pytest.fixture
def open_bo(client, serve, open_page) -> Callable[..., Page]:
    """Opens the entry of Bo's rack."""

    def open_one(size: dict = PHONE) -> Page:
        page = open_page(serve(client.http.application), size)
        page.locator(".rack-card", has_text="Bo").get_by_role("button", name="Tap the tiles").click()
        return page

    return open_one


def note(page: Page) -> Locator:
    return page.locator("dialog .scan-note")


def names(page: Page) -> list[str]:
    """Return the tiles in the dialog, row after row."""
    return page.locator("dialog .pick").evaluate_all("all => all.map((one) => one.ariaLabel)")


def press(page: Page, name: str) -> None:
    page.get_by_role("dialog").get_by_role("button", name=name, exact=True).click()


def press_key(page: Page, name: str) -> None:
    """Press a key of the pad, of any colour."""
    tab = page.locator(f"dialog .pad-tab.ink-{name.split()[0]}")
    if tab.is_visible():
        tab.click()
    page.locator("dialog .pad").get_by_role("button", name=name, exact=True).click()


def tap_photo(page: Page, meld: int, position: int) -> None:
    """Tap the middle of a tile in the photo."""
    x, y = tile_corner_px(meld, position)
    middle = [x + TILE_WH[0] / 2, y + TILE_WH[1] / 2]
    page.mouse.click(*page.locator(".rack-svg").evaluate(ON_SCREEN, middle))


def shown_tiles(client: EveningClient, player: int) -> list[str]:
    return [tile["text"] for tile in client.evening["players"][player]["shown"]]


@pytest.mark.parametrize("size", [SMALLEST, {"width": 1024, "height": 768}], ids=["smallest", "tablet"])
def test_missing_tile_is_asked_for_and_added_where_it_is_tapped_in_the_photo(client, open_bo, photograph, size) -> None:
    page = open_bo(size)
    photograph(page, without(FOURTEEN, (0, 2)))
    expect(note(page)).to_contain_text("13 of 14 tiles read. 1 is missing: tap where it stands.")
    expect(page.locator(".outline.under")).to_have_count(13)
    expect(page.locator("dialog .entry-row")).to_have_count(2)
    expect(page.locator(".rack-image")).to_have_attribute("href", re.compile("^blob:"))
    tap_photo(page, 0, 2)
    expect(note(page)).to_have_text("Which tile stands here?")
    press_key(page, "black 3")
    expect(note(page)).to_contain_text("14 tiles read.")
    expect(page.locator(".rack-label.added")).to_have_text("3")
    assert names(page)[:4] == ["black 1", "black 2", "black 3", "black 4"]
    press(page, "Save")
    expect(page.get_by_role("dialog", name="Bo's rack")).to_have_count(0)
    assert shown_tiles(client, 1) == f"{BACK} {FRONT}".split()


def test_missing_tiles_are_added_with_the_keyboard(open_bo, photograph) -> None:
    """Before a tile, at the end of a row, and in a new row; the focus moves to the pad and back."""
    page = open_bo({"width": 768, "height": 1024})
    photograph(page, without(FOURTEEN, (0, 2), (2, 5)))
    expect(note(page)).to_contain_text("12 of 14 tiles read. 2 are missing: tap where they stand.")
    dialog = page.get_by_role("dialog")

    def choose(name: str) -> None:
        dialog.get_by_role("button", name=name, exact=True).focus()
        page.keyboard.press("Enter")

    choose("Add a tile")
    for place, tile in (("Add a tile before black 4", "black 3"), ("Add a tile at the end of row 2", "red 13")):
        choose(place)
        expect(dialog.get_by_role("button", name="black 1", exact=True).last).to_be_focused()
        page.locator(".pad").get_by_role("button", name=tile, exact=True).focus()
        page.keyboard.press("Enter")
    expect(note(page)).to_contain_text("14 tiles read.")
    assert names(page)[2] == "black 3"
    assert names(page)[-1] == "red 13"
    choose("Add a tile")
    choose("New row")
    page.locator(".pad").get_by_role("button", name="joker", exact=True).press("Enter")
    expect(page.locator("dialog .entry-row")).to_have_count(3)


def test_place_below_all_rows_of_the_photo_begins_a_new_row(open_bo, photograph) -> None:
    page = open_bo()
    photograph(page, table_reading(f"K1 K2 K3 | {FRONT}"))
    expect(note(page)).to_contain_text("9 of 14 tiles read")
    tap_photo(page, 2, 1)
    press_key(page, "red 1")
    expect(page.locator("dialog .entry-row")).to_have_count(2)
    assert names(page)[-1] == "red 1"


def test_surplus_tile_is_asked_for_and_removed(client, open_bo, photograph) -> None:
    page = open_bo()
    photograph(page, table_reading(f"{FOURTEEN} | R1"))
    expect(note(page)).to_contain_text("15 tiles read, but Bo has 14. Which one is too many?")
    tap_photo(page, 3, 0)
    expect(note(page)).to_contain_text("This is red 1.")
    expect(page.locator("dialog .pick.held")).to_have_accessible_name("red 1")
    press(page, "Remove")
    expect(note(page)).to_contain_text("14 tiles read.")
    expect(page.locator(".outline.removed")).to_have_count(1)
    press(page, "Undo")
    expect(note(page)).to_contain_text("15 tiles read")
    tap_photo(page, 3, 0)
    press(page, "Remove")
    press(page, "Save")
    expect(page.get_by_role("dialog", name="Bo's rack")).to_have_count(0)
    assert len(shown_tiles(client, 1)) == 14


def test_other_count_is_saved_only_after_a_second_tap(client, open_bo, photograph) -> None:
    page = open_bo()
    photograph(page, without(FOURTEEN, (0, 2), (0, 3)))
    expect(page.locator("dialog .pick")).to_have_count(12)
    save = page.get_by_role("dialog").get_by_role("button", name="Save", exact=True)
    save.dblclick()
    expect(page.get_by_role("button", name="Save anyway: 12 tiles")).to_be_visible()
    assert client.evening["players"][1]["shown"] is None
    # After further changes the app asks again.
    page.locator("dialog .pick").first.click()
    expect(page.get_by_role("button", name="Save anyway")).to_have_count(0)
    save.click()
    press(page, "Save anyway: 12 tiles")
    expect(page.get_by_role("dialog", name="Bo's rack")).to_have_count(0)
    assert len(shown_tiles(client, 1)) == 12


def test_tapped_rack_with_another_count_is_saved_only_after_a_second_tap(client, open_bo) -> None:
    page = open_bo()
    press_key(page, "red 5")
    expect(page.locator(".rack-sum")).to_contain_text("1 of 14 tiles")
    expect(note(page)).to_be_empty()
    press(page, "Save")
    expect(note(page)).to_contain_text("1 of 14 tiles. 13 are missing.")
    press(page, "Save anyway: 1 tile")
    expect(page.get_by_role("dialog", name="Bo's rack")).to_have_count(0)
    assert shown_tiles(client, 1) == ["R5"]


def test_picture_without_tiles_keeps_what_was_there_and_says_so(open_bo, photograph) -> None:
    page = open_bo()
    photograph(page, table_reading("", status="no tiles in the picture"))
    expect(note(page)).to_contain_text("No tile was read in this picture. Go closer, or tap the tiles.")
    press_key(page, "red 5")
    press_key(page, "blue 6")
    photograph(page, table_reading("", status="no tiles in the picture"))
    expect(note(page)).to_contain_text("No tile was read in this picture. Your tiles are still here.")
    assert names(page) == ["red 5", "blue 6"]
    photograph(page, table_reading("K1 K2 K3"))
    expect(page.locator("dialog .pick")).to_have_count(3)
    photograph(page, table_reading(""))
    expect(note(page)).to_contain_text("Your tiles are still here.")
    expect(page.locator(".outline.under")).to_have_count(3)
    assert names(page) == ["black 1", "black 2", "black 3"]


def test_doubtful_tiles_are_asked_about_first(client, open_bo, photograph) -> None:
    page = open_bo(SMALLEST)
    photograph(page, table_reading(FOURTEEN, doubts={(0, 1): "black-12", (1, 0): "black-6", (2, 0): "blue-6"}))
    expect(note(page)).to_contain_text("Which tile is number 2? (3 questions)")
    expect(page.locator(".outline.doubtful")).to_have_count(3)
    page.locator(".scan-note .choice", has_text="black 12").click()
    expect(note(page)).to_contain_text("Which tile is number 5? (2 questions)")
    press(page, "Another tile")
    press_key(page, "red 9")
    expect(note(page)).to_contain_text("Which tile is number 9?")
    press(page, "It is not a tile")
    expect(note(page)).to_contain_text("13 of 14 tiles read.")
    assert names(page)[:5] == ["black 1", "black 12", "black 3", "black 4", "red 9"]


def test_scan_by_the_table_camera_shows_its_picture(client, camera, tables, open_bo) -> None:
    camera.show(tables.picture(table_reading(FOURTEEN)))
    Player(client.http).sees(FOURTEEN)
    page = open_bo({"width": 1024, "height": 768})
    press(page, "Scan with the table camera")
    expect(page.locator(".outline.under")).to_have_count(14)
    expect(page.locator(".rack-image")).to_have_attribute("href", re.compile("^blob:"))
    expect(note(page)).to_contain_text("14 tiles read.")
