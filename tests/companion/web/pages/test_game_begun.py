"""A round that began without the app continues from its table; one dialog asks for its state."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.known_tables import Player, table_reading
from tilekeeper.companion.capture.no_source import NoSource

RUNS = "R1 R2 R3 R4 R5 R6 R7 R8 | B3 B4 B5 B6 B7 B8 B9 B10"


@pytest.fixture
def client(app) -> EveningClient:
    """A client of an app that watches the camera."""
    return EveningClient(app)


@pytest.fixture
def player(app) -> Player:
    return Player(app.test_client())


def shows(camera, tables, player: Player, notation: str) -> None:
    """Lay a table in front of the camera, and wait until it is read."""
    camera.show(tables.picture(table_reading(notation)))
    player.sees(notation)


def rack_of(page: Page, name: str):
    return page.get_by_label(f"Tiles on {name}'s rack")


def test_table_of_a_begun_game_asks_for_its_state(app, client, player, camera, tables, serve, open_page) -> None:
    """The dialog has likely values, the pool follows the racks, and the next turn is no opening."""
    client.deal("Ada", "Bo", "Cleo")
    client.act("joined", name="Dan", deals=False)
    shows(camera, tables, player, RUNS)
    page = open_page(serve(app), SMALL_TABLET)
    evening = EveningPage(page, "")
    evening.hears("Has the game begun already?")
    evening.press("Go on from this table")
    evening.press("Use the table as it is now")

    dialog = page.get_by_role("dialog", name="How does the game stand?")
    # Three players have laid sixteen tiles, so probably all have opened; Dan waits for the next round.
    expect(dialog.get_by_role("switch")).to_have_count(3)
    for name in ("Ada", "Bo", "Cleo"):
        expect(dialog.get_by_label(f"{name} has opened")).to_be_checked()
        expect(rack_of(page, name)).to_have_value("9")
    expect(page.get_by_label("Tiles in the pool")).to_have_value(str(106 - 16 - 27))
    rack_of(page, "Ada").fill("12")
    expect(page.get_by_label("Tiles in the pool")).to_have_value(str(106 - 16 - 30))
    page.get_by_label("Tiles in the pool").fill("50")
    expect(dialog).to_contain_text("10 of 106 tiles are missing.")
    page.get_by_label("Tiles in the pool").fill("60")
    dialog.get_by_label("Bo has opened").uncheck()
    evening.press("Save")

    expect(dialog).to_have_count(0)
    game_night = client.evening
    assert [one["opened"] for one in game_night["players"]] == [True, False, True, False]
    assert ([one["rack"] for one in game_night["players"][:3]], game_night["pool"]) == ([12, 9, 9], 60)
    assert "nowhere" not in str(game_night["alarms"])
    # One tile added to a run would be illegal as an opening.
    shows(camera, tables, player, RUNS.replace("R8", "R8 R9"))
    page.keyboard.press("Space")
    evening.hears("Allowed")
    evening.is_on("Bo")
    client.act("undo", steps=2)
    assert [one["rack"] for one in client.evening["players"][:3]] == [14, 14, 14]


def test_question_about_the_state_of_the_game_can_be_answered_later(make_app, serve, open_page) -> None:
    """By hand, on a phone, with few tiles: nobody is assumed to have opened."""
    client = EveningClient(app := make_app(NoSource(), watch=False))
    client.deal("Ada", "Bo")
    page = open_page(serve(app), PHONE)
    evening = EveningPage(page, "")
    page.locator("#open-menu").click()
    evening.press("This is the table now")
    evening.keys("black 7", "blue 7", "red 7")
    page.locator("dialog").get_by_role("button", name="This is the table now").click()
    expect(page.get_by_label("Ada has opened")).not_to_be_checked()
    before = client.evening["revision"]
    evening.press("Skip")
    expect(page.locator("dialog")).to_have_count(0)
    assert client.evening["revision"] == before
    page.locator("#open-menu").click()
    evening.press("How the game stands")
    page.locator("label", has_text="Has opened").first.click()
    evening.press("Save")
    expect(page.locator("dialog")).to_have_count(0)
    assert [one["opened"] for one in client.evening["players"]] == [True, False]
    # Later in the game the table is taken without a question, as after a spill.
    client.act("draw")
    page.locator("#open-menu").click()
    evening.press("This is the table now")
    page.locator("dialog").get_by_role("button", name="This is the table now").click()
    expect(page.locator("dialog")).to_have_count(0)


def test_rack_below_zero_is_not_taken_for_a_begun_game(app, client, player, camera, tables, serve, open_page) -> None:
    """One tile was dealt, according to a count after three were laid: the player's next tile is no sign of a game that
    began without the app.
    """
    client.deal("Ada", "Bo")
    client.act("opened", player=0)
    shows(camera, tables, player, "R3 R4 R5")
    client.act("done")
    client.act("draw")
    client.act("amend", place=2, event={"event": "dealt", "counts": [1, 14]})
    assert client.evening["players"][0]["rack"] == -2
    page = open_page(serve(app), SMALL_TABLET)
    evening = EveningPage(page, "")
    evening.is_on("Ada")
    shows(camera, tables, player, "R3 R4 R5 | K1 K2 K3")
    expect(page.locator(".overlay")).to_be_attached()
    evening.hears("Lay your tiles")
    expect(page.locator("#advice")).not_to_contain_text("had only")
    expect(page.get_by_role("button", name=re.compile("Ada.*whose turn it is.*Miscounted"))).to_be_visible()


def test_failing_camera_shows_a_link_to_the_cameras(app, client, camera, tables, player, serve, open_page) -> None:
    """The message has a link that solves it, and disappears when frames arrive again."""
    client.deal("Ada", "Bo")
    shows(camera, tables, player, "R3 R4 R5")
    page = open_page(serve(app), SMALL_TABLET)
    camera.trouble = "camera 0 sends no pictures any more; connecting again"
    camera.show(None)
    notice = page.locator("#notice")
    expect(notice).to_contain_text("no pictures any more")
    expect(notice.get_by_role("link", name="Cameras")).to_have_attribute("href", "/setup#camera")
    camera.trouble = ""
    camera.show(tables.picture(table_reading("R3 R4 R5")))
    expect(notice).not_to_contain_text("no pictures any more")


def test_buttons_are_disabled_before_the_first_state(make_app, serve, open_page) -> None:
    """Without a state there are no lists, so no button may fail for that reason."""
    client = EveningClient(app := make_app(NoSource(), watch=False))
    client.deal("Ada", "Bo")
    served = app.test_client().get("/").get_data(as_text=True)
    tools = re.findall(r'<button class="tool[^>]*id="open-[^>]*>', served)
    assert len(tools) == 3
    assert all("disabled" in tool for tool in tools)
    page = open_page(serve(app), PHONE)
    for tool in ("#open-sheet", "#open-history", "#open-menu"):
        expect(page.locator(tool)).to_be_enabled()
