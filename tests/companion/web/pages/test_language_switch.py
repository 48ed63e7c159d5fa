"""The languages are on the first page of each screen size, and first in the menu of a game night."""

from playwright.sync_api import expect

from tests.support.browsing import PHONE
from tests.support.game_night_page import EveningPage
from tests.support.known_tables import PlayedPhotos, table_reading
from tests.support.theatre import resize

SMALL_PHONE, UPRIGHT = {"width": 320, "height": 568}, {"width": 768, "height": 1024}


def test_page_of_photos_and_set_up_show_all_languages(make_app, tables, serve, open_page) -> None:
    address = serve(make_app(PlayedPhotos([tables.picture(table_reading("R3 R4 R5"))])))
    page = open_page("about:blank")
    for path in ("", "setup"):
        page.goto(f"{address}{path}")
        links = page.locator("header .languages a")
        expect(links).to_have_text(["EN", "DE", "FI"])
        for size in (SMALL_PHONE, PHONE, UPRIGHT):
            resize(page, **size)
            for link in links.all():
                expect(link).to_be_visible()
                box = link.bounding_box()
                assert 0 <= box["x"] <= box["x"] + box["width"] <= size["width"]
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), size


def test_language_is_changed_in_the_menu_without_scrolling(by_hand, serve, open_page) -> None:
    by_hand.deal("Ada", "Bo")
    page = open_page(serve(by_hand.http.application), PHONE)
    EveningPage(page, "").is_on("Ada")
    page.locator("#open-menu").click()
    german = page.locator("dialog").get_by_role("link", name="Deutsch")
    box = german.bounding_box()
    assert box["y"] + box["height"] < PHONE["height"] / 2
    german.click()
    expect(page.locator("#done")).to_contain_text("Fertig")
