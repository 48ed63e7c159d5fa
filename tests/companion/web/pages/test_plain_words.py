"""Words for everybody: no file formats, folders or notation, and tiles that are drawn."""

import re

from playwright.sync_api import Page, expect

from tests.companion.test_languages import TILE_WORDS
from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.game_night_client import EveningClient, words
from tests.support.game_night_page import EveningPage
from tests.support.known_tables import table_reading
from tilekeeper.engine.rules.editions import RULE_SETS

# All that people read or hear.
ALL_TEXTS = """() => {
  const attributes = ["aria-label", "title", "placeholder", "alt", "data-hint"];
  const named = [...document.querySelectorAll(attributes.map((one) => `[${one}]`).join(", "))];
  return [document.body.innerText, ...named.flatMap((one) => attributes.map((name) => one.getAttribute(name) ?? ""))];
}"""
JARGON = re.compile(r"JSON|CSV|/tmp/|ledger|\b[KBORY]\d{1,2}\b|adapt|large numbers edition", re.IGNORECASE)


def test_box_is_chosen_by_its_look(hand_app, serve, open_page) -> None:
    """Each choice shows tiles of its box, and the chosen one has a sentence about its marks."""
    page = open_page(f"{serve(hand_app)}setup", PHONE)
    boxes = page.locator("#editions label")
    expect(boxes).to_have_count(len(RULE_SETS))
    expect(boxes.first).to_have_text(re.compile("Standard box$"))
    tiles = boxes.first.locator(".tile").evaluate_all("tiles => tiles.map((tile) => tile.ariaLabel)")
    assert tiles == ["black 1", "blue 5", "orange 9", "red 13", "joker"]
    expect(page.locator("#edition-text")).to_contain_text("If you are not sure, take this one.")
    narrowest = "tiles => Math.min(...tiles.map((tile) => tile.getBoundingClientRect().width))"
    for size in (SMALL_TABLET, PHONE):
        page.set_viewport_size(size)
        assert boxes.locator(".tile").evaluate_all(narrowest) >= 16
    boxes.filter(has_text="Junior box").click()
    expect(page.locator("#edition-text")).to_contain_text("coins with stars")
    assert page.locator("body").evaluate("body => body.scrollWidth <= innerWidth")


def test_cards_are_called_cards_all_evening_in_every_language(by_hand, serve, open_page) -> None:
    by_hand.begin("Ada", "Bo", edition="cards")
    address = serve(by_hand.http.application)
    pages = {language: open_page(address, PHONE, locale=language) for language in TILE_WORDS}

    def look() -> None:
        for language, page in pages.items():
            page.wait_for_timeout(150)
            for text in page.evaluate(ALL_TEXTS):
                assert TILE_WORDS[language].search(text) is None, text

    english = pages["en"]
    expect(english.locator("#panel")).to_contain_text("Everybody draws a card")
    look()
    by_hand.act("app-draws")
    expect(english.locator("#panel")).to_contain_text("Everybody takes 14 cards.")
    look()
    by_hand.act("deal")
    expect(english.locator("#whose")).to_contain_text("in the pile")
    look()
    first = by_hand.evening["player"]
    by_hand.act("done", table="R10 R11 | K1 K2 K4")
    expect(english.locator("#headline")).to_have_text("Not allowed")
    look()
    for page in pages.values():
        page.locator("#open-menu").click()
        expect(page.locator("dialog")).to_be_visible()
    look()
    for page in pages.values():
        page.keyboard.press("Escape")
    by_hand.act("stand")
    expect(english.locator("#panel h2")).to_have_text("This turn does not count")
    look()
    by_hand.act("restored")
    by_hand.act("rack-count", player=first, tiles=0)
    expect(english.locator(".rack-card")).to_have_count(2)
    look()
    for page in pages.values():
        page.locator(".count-ways .button").nth(1).click()
        expect(page.locator("dialog .pad")).to_be_visible()
    look()
    by_hand.act("rack", player=1 - first, tiles="R1 K5")
    expect(english.locator(".score")).to_be_visible()
    look()
    assert [text for text in words(by_hand.get("/api/evening/history")["items"]) if TILE_WORDS["en"].search(text)] == []


def test_game_of_tiles_after_one_of_cards_speaks_of_tiles(by_hand, serve, open_page) -> None:
    """The page that was open at the cards follows."""
    by_hand.deal("Ada", "Bo", edition="cards")
    page = open_page(serve(by_hand.http.application), PHONE)
    expect(page.locator("#whose")).to_contain_text("in the pile")
    by_hand.deal("Ada", "Bo")
    expect(page.locator("#whose")).to_contain_text("in the pool")
    expect(page.locator("html[data-cards]")).to_have_count(0)


def test_tiles_in_the_history_are_drawn(by_hand, serve, open_page) -> None:
    """Laid tiles, lots and tiles on racks are drawn, so nobody needs the notation."""
    by_hand.begin("Ada", "Bo")
    by_hand.act("lots", tiles="K9 B5")
    by_hand.act("deal")
    by_hand.act("done", table="R10 R11 R12")
    by_hand.act("rack-count", player=0, tiles=0)
    by_hand.act("rack", player=1, tiles="K1 K2 B5")
    page = open_page(serve(by_hand.http.application), PHONE)
    page.locator("#open-menu").click()
    page.locator(".menu-line", has_text="History").click()
    for beginning, names in (
        ("Drawn: ", ["black 9", "blue 5"]),
        ("Ada opened", ["red 10", "red 11", "red 12"]),
        ("Bo had 3 tiles left", ["black 1", "black 2", "blue 5"]),
    ):
        item = page.locator(".history-item", has_text=beginning)
        expect(item).to_be_visible()
        shown = item.locator(".tile").evaluate_all("tiles => tiles.map((tile) => tile.ariaLabel)")
        assert sorted(shown) == sorted(names)
    assert_plain(page)
    page.keyboard.press("Escape")
    page.locator("#open-menu").click()
    page.locator(".menu-line", has_text="Score sheet").click()
    assert_plain(page)
    sheet = by_hand.http.get("/api/evening/export.csv").data.decode("utf-8-sig")
    assert "K1 K2 B5" in sheet


def test_corrected_tiles_are_asked_about_without_a_folder(app, camera, tables, serve, open_page) -> None:
    client = EveningClient(app)
    client.deal()
    camera.show(tables.picture(table_reading("R3 R4 R5")))
    page = open_page(serve(app), SMALL_TABLET)
    page.locator("#open-menu").click()
    EveningPage(page, "").press("Settings")
    expect(page.locator(".teaching")).to_contain_text("No picture is stored yet.")
    assert_plain(page)
    assert JARGON.search(client.get("/api/examples")["question"]) is None


def assert_plain(page: Page) -> None:
    """Check that the open dialog contains no technical words."""
    dialog = page.locator("dialog[open]")
    expect(dialog).to_be_visible()
    assert JARGON.search(dialog.inner_text()) is None, dialog.inner_text()
