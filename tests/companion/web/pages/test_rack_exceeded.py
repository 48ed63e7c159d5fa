"""A turn with more tiles than the rack held: Done asks before the turn is called legal."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tilekeeper.companion.capture.no_source import NoSource

RUNS = " | ".join(" ".join(f"{ink}{number}" for number in range(1, 11)) for ink in "KBOR")


@pytest.fixture
def client(make_app) -> EveningClient:
    """A round of two without a camera: Done was pressed with forty tiles, and Ada had fourteen."""
    client = EveningClient(make_app(NoSource(), watch=False))
    client.deal()
    client.act("done", table=RUNS)
    return client


@pytest.fixture
def page(client, serve, open_page) -> Page:
    return open_page(serve(client.http.application), SMALL_TABLET)


def test_question_about_too_many_tiles_is_answered_by_a_count(client, page) -> None:
    evening = EveningPage(page, "")
    evening.hears("More tiles than the rack had")
    expect(page.locator("#asks p")).to_have_text("Ada laid 40 tiles, but had 14 tiles.")
    expect(page.locator("#whose")).to_contain_text("78 in the pool")
    evening.press("Count the rack")
    for _ in range(2):
        evening.press("One more")
    evening.press("Save")
    evening.hears("Allowed")
    evening.is_on("Bo")
    expect(page.locator(".seat", has_text="Ada")).to_contain_text("2")
    expect(page.locator("#whose")).to_contain_text("50 in the pool")


def test_correction_starts_from_the_entered_tiles(client, page) -> None:
    client.act("rack-count", player=0, tiles=39)
    client.act("done", table=RUNS)
    evening = EveningPage(page, "")
    evening.press("Correct the tiles")
    expect(page.locator("dialog .pick")).to_have_count(40)
    page.locator("dialog .pick").last.click()
    for _ in range(2):
        evening.press("Remove")
    page.locator("dialog").get_by_role("button", name="Done", exact=True).click()
    evening.hears("Allowed")
    assert client.evening["players"][0]["rack"] == 1


def test_turn_that_starts_from_the_table_asks_how_the_game_stands(client, serve, open_page) -> None:
    page = open_page(serve(client.http.application), PHONE)
    evening = EveningPage(page, "")
    evening.press("Start from the table as it is now")
    expect(page.get_by_role("dialog", name="How does the game stand?")).to_be_visible()
    evening.press("Save")
    expect(page.locator("#drawn .tile")).to_have_count(40)
    assert (client.evening["player"], client.evening["exceeded"]) == (0, None)


def test_opening_bar_shows_the_laid_points(client, page) -> None:
    evening = EveningPage(page, "")
    evening.press("Play on")
    expect(page.get_by_role("button", name="Play on")).to_be_hidden()
    evening.lay(("red 3", "red 4", "red 5"))
    evening.hears("Not allowed")
    expect(page.locator("#opening")).to_contain_text("12 of 30")
    expect(page.locator("#opening")).to_have_attribute("data-enough", "false")
    expect(page.locator(".fault")).to_contain_text("These count 12 points: 18 are missing")
