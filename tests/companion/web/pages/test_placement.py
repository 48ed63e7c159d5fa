"""The guide to placing the camera follows the picture."""

from playwright.sync_api import expect

from tests.support.browsing import PHONE
from tests.support.known_tables import table_reading


def test_placement_advice_follows_the_camera(app, camera, tables, serve, open_page):
    """Without tiles it asks for some; the advice changes by itself once they are visible."""
    camera.show(tables.picture(table_reading("")))
    page = open_page(f"{serve(app)}setup#camera", PHONE)
    guide = page.locator("#placement")
    expect(guide).to_contain_text("Spread a few tiles over the whole play area.")
    expect(guide).to_have_attribute("data-move", "tiles")
    camera.show(tables.picture(table_reading("R3 R4 R5 | K8 B8 O8")))
    expect(guide).not_to_have_attribute("data-move", "tiles")
    expect(guide).not_to_contain_text("Spread a few")


def test_placement_advice_is_hidden_without_a_camera(by_hand, serve, open_page):
    by_hand.post("/api/source", source="none")
    page = open_page(f"{serve(by_hand.http.application)}setup#camera", PHONE)
    expect(page.locator("#step-two[data-ready]")).to_be_visible()
    expect(page.locator("#placement")).to_be_hidden()
