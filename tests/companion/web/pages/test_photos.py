"""The page of photos in a real browser: drawings, buttons and announcements."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from tests.benchmarks.companion.jpeg_stream import free_port
from tests.support.browsing import PHONE, SIDEWAYS, TABLET, Serving
from tests.support.known_tables import MarkedTables, PlayedPhotos, table_reading
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.app import create_app
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.vision.types import AlternativeGrouping, TableReading

BEFORE = "R3 R4 R5 | K8 B8 O8"
LEGAL = "R3 R4 R5 R6 | K8 B8 O8"
ILLEGAL = "R3 R4 R5 | K8 B8 O8 O9"


@pytest.fixture
def show(serve: Serving, make_app: Callable[..., Flask], tables: MarkedTables, open_page) -> Callable[..., Page]:
    """Shows a folder of photos of tables on a page."""

    def shown(*readings: TableReading, size: dict[str, int] = TABLET) -> Page:
        return open_page(serve(make_app(PlayedPhotos([*map(tables.picture, readings)]))), size)

    return shown


@pytest.fixture(scope="module")
def photo_page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """One page for the tests that only look at a photo."""
    tables, serving = MarkedTables(), Serving()
    photos = PlayedPhotos([tables.picture(table_reading(BEFORE))])
    folder = tmp_path_factory.mktemp("looked-at")
    user = UserSettings(still_after_s=0.1)
    app = create_app(Settings(rule_set("large-numbers"), photos, tables, photos.name, folder, user=user))
    parts(app).start()
    page = browser.new_page(viewport=TABLET)
    page.goto(serving(app))
    expect(page.locator(".overlay .spot")).to_have_count(6)
    yield page
    page.close()
    serving.stop()


def test_each_tile_is_outlined_and_labelled_at_its_place(photo_page):
    page = photo_page
    assert page.locator(".overlay .chip text").all_text_contents() == ["R3", "R4", "R5", "K8", "B8", "O8"]
    assert page.locator(".overlay").get_attribute("viewBox") == "0 0 960 720"
    assert page.locator(".overlay .spot .edge").first.get_attribute("points") == "60,60 108,60 108,126 60,126"
    # The overlay must match the picture to the pixel: the outline's box is at the tile's place in the picture.
    sheet, outline = page.locator(".sheet img").bounding_box(), page.locator(".spot .edge").first.bounding_box()
    scale = min(sheet["width"] / 960, sheet["height"] / 720)
    left = sheet["x"] + (sheet["width"] - 960 * scale) / 2
    top = sheet["y"] + (sheet["height"] - 720 * scale) / 2
    middle = outline["x"] + outline["width"] / 2, outline["y"] + outline["height"] / 2
    assert middle == pytest.approx((left + 84 * scale, top + 93 * scale), abs=1.5)


def test_melds_are_listed_as_drawn_tiles(photo_page):
    page = photo_page
    expect(page.locator("#mat .meld")).to_have_count(2)
    expect(page.get_by_role("button", name="Set 2: black 8 blue 8 orange 8")).to_be_visible()
    expect(page.locator("#mat .tile.ink-orange b")).to_have_text("8")


def test_fault_is_announced_and_outlined_until_the_next_photo(show):
    page = show(table_reading(ILLEGAL), table_reading(BEFORE))
    expect(page.get_by_role("heading", name="Something is wrong")).to_be_visible()
    expect(page.locator(".fault")).to_have_count(1)
    expect(page.locator(".overlay .hull.faulty")).to_have_count(1)
    expect(page.locator("#mat .meld.faulty")).to_have_count(1)
    expect(page.locator("#live")).to_contain_text("Something is wrong")
    assert page.locator("#live").get_attribute("aria-live") == "polite"
    page.keyboard.press("Space")
    expect(page.locator(".overlay .hull.faulty")).to_have_count(0)
    expect(page.locator("#live")).to_contain_text("All is right")


def test_doubtful_tile_shows_its_labels_and_is_marked_until_a_person_answers(show):
    page = show(table_reading(LEGAL, doubts={(0, 3): "red-9"}))
    expect(page.locator(".overlay .spot.doubtful")).to_have_count(1)
    expect(page.locator("#mat .tile.doubtful")).to_have_count(1)
    expect(page.get_by_role("heading", name="Not sure")).to_be_visible()
    expect(page.locator(".overlay .spot.asked")).to_have_count(1)
    page.locator(".overlay .spot .edge").nth(3).click()
    expect(page.locator("#tile-details")).to_have_text("red 6, or maybe red 9")
    expect(page.locator("#mat .meld.lit")).to_have_count(1)
    page.locator(".choice", has_text="red 6").click()
    expect(page.get_by_role("heading", name="All is right")).to_be_visible()
    expect(page.locator(".doubtful")).to_have_count(0)


def test_enlarged_picture_scrolls_to_the_tapped_meld(photo_page):
    page = photo_page
    small = page.locator(".overlay .hull").nth(1).bounding_box()
    page.get_by_role("button", name="Enlarge the picture").click()
    page.get_by_role("button", name=re.compile("^Set 2")).click()
    expect(page.locator(".overlay .hull.lit")).to_have_count(1)
    expect(page.locator(".overlay .hull.lit")).to_be_in_viewport(ratio=0.95)
    large = page.locator(".overlay .hull").nth(1).bounding_box()
    # An outline keeps its thickness at any size.
    assert large["width"] == pytest.approx(2.5 * small["width"], rel=0.1)
    page.get_by_role("button", name="Show the whole picture").click()
    page.get_by_role("button", name=re.compile("^Set 2")).click()
    expect(page.locator(".overlay .hull.lit")).to_have_count(0)
    assert page.locator(".overlay .hull").nth(1).bounding_box()["x"] == pytest.approx(small["x"], abs=4)


def test_accessible_names_on_the_page_are_unique(photo_page):
    ids = photo_page.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert len(ids) == len(set(ids))


def test_photos_are_stepped_through_with_the_arrow_keys(serve, make_app, open_page, tables):
    images = [tables.picture(table_reading(notation)) for notation in (BEFORE, "R3 R5 R4")]
    page = open_page(serve(make_app(PlayedPhotos([*images, None]))))
    expect(page.get_by_role("heading", name="All is right")).to_be_visible()
    expect(page.get_by_text("1 of 3")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="Something is wrong")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="Can't open this photo")).to_be_visible()
    expect(page.locator(".sheet img")).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", name="Something is wrong")).to_be_visible()
    page.get_by_role("button", name="Previous").click()
    expect(page.get_by_text("1 of 3")).to_be_visible()


def test_both_groupings_of_a_question_are_fully_visible_on_a_phone(show):
    one_meld = AlternativeGrouping(((0, 1, 2, 3),), 0.45)
    reading = replace(table_reading("R3 R4 | R5 R6"), other_rows=(one_meld,))
    page = show(reading, size=PHONE)
    ways = page.locator("#verdict .way")
    expect(ways).to_have_count(2)
    card = page.locator("#verdict").bounding_box()
    for way in ways.all():
        for part in (way, way.locator("img")):
            box = part.bounding_box()
            assert box["x"] >= card["x"]
            assert box["x"] + box["width"] <= card["x"] + card["width"]


def test_number_of_a_meld_covers_no_tile_of_another(show):
    """A badge is as large as a tile on a phone; the second meld has it after its end, as the first one is before it."""
    close = table_reading("R1 R2 R3 R4 R5 R6 R7 R8 R9 | K8 B8 O8")
    page = show(close, size=PHONE)
    expect(page.locator(".overlay .badge")).to_have_count(2)
    figures = [box for one in page.locator(".overlay .spot .edge").all() if (box := one.bounding_box())]
    for circle in page.locator(".overlay .badge circle").all():
        at = circle.bounding_box()
        x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
        for box in figures:
            inside = box["x"] <= x <= box["x"] + box["width"] and box["y"] <= y <= box["y"] + box["height"]
            assert not inside


def test_page_reports_a_lost_app_and_continues_when_it_is_back(serve, make_app, tables, open_page):
    port = free_port()
    serve(make_app(PlayedPhotos([tables.picture(table_reading(BEFORE))])), port)
    page = open_page(f"http://127.0.0.1:{port}/", may_lose_app=True)
    expect(page.locator(".overlay .spot")).to_have_count(6)
    serve.stop()
    expect(page.locator("#notice")).to_contain_text("does not answer")
    serve(make_app(PlayedPhotos([tables.picture(table_reading(LEGAL))])), port)
    expect(page.locator(".overlay .spot")).to_have_count(7, timeout=15_000)
    expect(page.locator("#notice")).to_be_hidden()


def test_nothing_is_cut_off_nor_too_small_for_a_finger_nor_too_faint(show):
    page = show(table_reading(ILLEGAL))
    expect(page.locator(".fault")).to_have_count(1)
    for viewport in (TABLET, PHONE, {"width": 820, "height": 1180}, SIDEWAYS):
        page.set_viewport_size(viewport)
        width, height = viewport["width"], viewport["height"]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for button in page.locator(".actions button").all():
            box = button.bounding_box()
            assert box["height"] >= 44
            assert box["width"] >= 44
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= height
    page.set_viewport_size(TABLET)
    names = [
        "#headline",
        "#advice",
        ".fault span:last-child",
        "#melds-title",
        "#caption",
        "#next span",
        "#previous span",
    ]
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for name in names:
            ratio = page.evaluate(CONTRAST, name)
            assert ratio >= 4.5, f"{name} ({scheme}): {ratio:.2f}"


# The WCAG 2 contrast between an element's colour and the first opaque background behind it; the felt is one colour.
CONTRAST = """name => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const element = document.querySelector(name);
  let behind = element, ground = null;
  while (behind && !ground) {
    const style = getComputedStyle(behind);
    const colour = rgba(style.backgroundColor);
    if (behind.matches('.done')) ground = rgba(getComputedStyle(document.body).getPropertyValue('--ivory-low'));
    else if (colour[3] === 255) ground = colour;
    behind = behind.parentElement;
  }
  const [a, b] = [light(rgba(getComputedStyle(element).color)), light(ground)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}"""
