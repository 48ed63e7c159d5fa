"""Between rounds: tied lots, and the result that stays on all tablets until somebody continues."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tilekeeper.companion.capture.no_source import NoSource


@pytest.fixture
def client(make_app) -> EveningClient:
    """A client of an app without a camera."""
    return EveningClient(make_app(NoSource(), watch=False))


@pytest.fixture
def address(client, serve) -> str:
    return serve(client.http.application)


def drawn(page: Page) -> list[str]:
    """Return the texts on the cards of the lots."""
    return page.locator(".lot").all_inner_texts()


def test_tied_lots_are_explained_and_only_tied_players_draw_again(client, address, open_page) -> None:
    """All tablets remove the old tiles, and the next draw is only for the tied players."""
    client.begin("Ada", "Bo", "Cleo")
    page, other = open_page(address, SMALL_TABLET), open_page(address, PHONE)
    evening = EveningPage(page, address)
    evening.keys("red 5", "blue 9", "black 9")
    evening.press("Save")
    for shown in (page, other):
        expect(shown.locator("#panel h2")).to_have_text("Draw again")
        expect(shown.locator("#panel")).to_contain_text("Bo and Cleo both drew 9: draw again")
        expect(shown.locator(".lot")).to_have_count(2)
        expect(shown.locator(".lot .tile")).to_have_count(0)
    evening.keys("red 9", "blue 9")
    evening.press("Save")
    # The same two tie again: their draw starts over in the same way.
    expect(page.locator(".lot .tile")).to_have_count(0)
    evening.keys("red 3", "blue 4")
    evening.press("Save")
    expect(page.locator("#panel h2")).to_have_text("Cleo begins")


def test_player_who_drew_a_joker_as_a_lot_draws_again(client, address, open_page) -> None:
    client.begin("Ada", "Bo")
    page = open_page(address, SMALL_TABLET)
    evening = EveningPage(page, address)
    evening.keys("joker", "blue 9")
    evening.press("Save")
    expect(page.locator("#panel")).to_contain_text("Ada drew a joker, which decides nothing, so Ada draws again")
    expect(page.locator(".lot")).to_have_count(1)


def test_result_is_shown_on_a_tablet_that_opens_late(client, address, open_page) -> None:
    """Every tablet shows the result until somebody continues, also after a reload."""
    client.deal()
    client.act("rack-count", player=0, tiles=0)
    client.act("rack", player=1, tiles="R5 K9")
    first = open_page(address, SMALL_TABLET)
    expect(first.locator("#panel h2")).to_have_text("Ada wins round 1")
    late = open_page(address, PHONE)
    expect(late.locator("#panel h2")).to_have_text("Ada wins round 1")
    late.reload()
    EveningPage(late, address).press("Next round")
    for page in (first, late):
        expect(page.locator("#panel h2")).to_have_text("Everybody draws a tile: the highest begins")
    # After an undo and a new end of the round, the result is shown again.
    client.act("undo")
    client.act("rack", player=1, tiles="R5")
    expect(first.locator("#panel h2")).to_have_text("Ada wins round 1")


def test_missing_tiles_are_reported_until_they_are_found_or_somebody_continues(client, address, open_page) -> None:
    """The result lists tiles that are unaccounted for, with ways to solve it."""
    client.deal()
    client.act("rack-count", player=0, tiles=0)
    client.act("rack", player=1, tiles="R5 K9")
    page = open_page(address, SMALL_TABLET)
    evening = EveningPage(page, address)
    box = page.locator(".alarm-box")
    expect(box).to_contain_text("26 tiles of the box are missing.")
    evening.press("Look at the racks again")
    expect(page.locator("#panel h2")).to_have_text("Ada: Rummikub!")
    tiles = ", ".join(f"R{number}" for number in range(1, 14)).replace(",", "")
    client.act("rack", player=1, tiles=f"{tiles} K1")
    expect(box).to_contain_text("14 tiles of the box")
    for _ in range(14):
        client.act("lost")
    expect(box).to_have_count(0)
    expect(page.locator("#panel h2")).to_have_text("Ada wins round 1")


def test_deal_of_the_next_round_shows_its_stacks_and_nothing_of_the_round_before(by_hand, serve, open_page):
    """Names and rules can be changed then as well."""
    by_hand.deal("Ada", "Bo")
    by_hand.act("opened", player=0)
    by_hand.act("rack-count", player=0, tiles=0)
    by_hand.act("rack-points", player=1, points=5)
    by_hand.act("next-round")
    by_hand.act("starter", player=0, overruled=True)
    page = open_page(serve(by_hand.http.application), PHONE)
    expect(page.locator(".how li").first).to_contain_text("14 stacks of 7 tiles and one of 8 (106 tiles in all)")
    # On the smallest phone the way on is in sight.
    page.set_viewport_size({"width": 320, "height": 568})
    expect(page.get_by_role("button", name="All have their tiles")).to_be_in_viewport(ratio=1)
    page.set_viewport_size(PHONE)
    expect(page.locator(".seat .total")).to_have_count(2)
    expect(page.locator(".seat :is(.rack-count, .opened)")).to_have_count(0)
    page.locator(".seat button").first.click()
    expect(page.locator("dialog dd")).to_have_count(0)
    evening = EveningPage(page, "")
    evening.press("Close")
    page.locator("#open-menu").click()
    evening.press("Names and rules")
    page.get_by_label("Name of player 2").fill("Bob")
    evening.press("Opening: less")
    evening.press("Time for a turn: more")
    evening.press("Rounds: more")
    evening.press("Save")
    expect(page.locator(".seat").last).to_contain_text("Bob")
    changed = by_hand.evening
    assert (changed["edition"]["opening_points"], changed["edition"]["limit_s"]) == (25, 75)
    assert (changed["players"][1]["name"], changed["rounds_agreed"]) == ("Bob", 2)
    # The end can be another one as well.
    page.locator("#open-menu").click()
    evening.press("Names and rules")
    page.locator("dialog label", has_text="Points").click()
    evening.press("Somebody has: more")
    evening.press("Save")
    expect(page.locator("dialog")).to_have_count(0)
    changed = by_hand.evening
    assert (changed["settings"]["end_points"], changed["rounds_agreed"]) == (250, None)
    page.locator("#open-menu").click()
    evening.press("Names and rules")
    page.locator("dialog label", has_text="Time of day").click()
    page.locator("dialog input[type=time]").fill("00:01")
    expect(page.locator("dialog .own-line small")).to_have_text("tomorrow, 00:01")
    evening.press("Save")
    expect(page.locator("dialog")).to_have_count(0)
    assert by_hand.evening["settings"]["ends_at"] > datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
