"""Every state has an answer and a way out: messages, questions, pages without a camera, the menu."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.known_tables import PlayedPhotos, PlayedSource, table_reading
from tests.support.watched_game_night import GROUP, begun_table
from tilekeeper.companion.session.snapshot import WatchedSource
from tilekeeper.companion.web.api.extensions import parts


@pytest.fixture
def by_hand_page(by_hand, serve, open_page) -> Page:
    """A page of two players in their first turn, without a camera."""
    by_hand.deal()
    return open_page(serve(by_hand.http.application), SMALL_TABLET)


def is_on_top(element: Locator) -> bool:
    """Return whether nothing covers the middle of an element."""
    return element.evaluate(
        """element => {
          const { left, top, width, height } = element.getBoundingClientRect();
          // a line that lets presses through is passed over by elementFromPoint
          element.style.pointerEvents = "auto";
          const found = document.elementFromPoint(left + width / 2, top + height / 2);
          element.style.pointerEvents = "";
          return element.contains(found);
        }"""
    )


def test_refusal_is_shown_above_its_dialog(by_hand, by_hand_page) -> None:
    """It can be read while the dialog is open, and stays after it is closed."""
    page, evening = by_hand_page, EveningPage(by_hand_page, "")
    page.locator("#open-menu").click()
    evening.press("A player joins")
    page.get_by_label("Name").fill("ada")
    evening.press("Sit down")
    toast = page.locator("#toast")
    expect(toast).to_contain_text("Two players are called")
    expect(toast).to_have_css("opacity", "1")
    assert is_on_top(toast)
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    expect(toast).to_be_attached()
    assert is_on_top(toast)


def test_another_tile_answers_a_question_of_a_game_night(make_app, camera, tables, serve, open_page) -> None:
    """The crop shows a red 6, which is none of the offered labels."""
    table = begun_table(make_app, camera, tables)
    table.shows(f"{GROUP} | R3 R4 R5 R9", doubts={(1, 3): "blue-3"})
    table.page.act("done")
    page = open_page(serve(table.app), SMALL_TABLET)
    evening = EveningPage(page, "")
    evening.hears("Not sure")
    evening.press("Another tile")
    evening.keys("red 6")
    evening.hears("Allowed")
    assert table.page.evening["table_text"] == f"{GROUP} | R3 R4 R5 R6"


def test_another_tile_answers_a_question_about_a_photo(make_app, tables, serve, open_page) -> None:
    photo = tables.picture(table_reading("R3 R4 R5 R9 | K8 B8 O8", doubts={(0, 3): "red-6"}))
    page = open_page(serve(make_app(PlayedPhotos([photo]))), PHONE)
    expect(page.locator(".overlay .spot.doubtful")).to_have_count(1)
    page.get_by_role("button", name="Another tile").click()
    expect(page.locator(".pad")).to_be_visible()
    EveningPage(page, "").keys("red 2")
    expect(page.get_by_role("heading", name="Something is wrong")).to_be_visible()


def test_recorded_table_is_named_as_one(make_app, serve, open_page) -> None:
    app = make_app(PlayedSource("video", "demo"), notice="No camera found. You see a recorded table.")
    EveningClient(app).deal()
    page = open_page(serve(app), SMALL_TABLET)
    expect(page.get_by_role("status").filter(has_text="recorded table")).to_be_visible()


def test_page_of_photos_leads_to_the_front_door_after_a_change_to_a_camera(make_app, tables, serve, open_page) -> None:
    photos, camera = PlayedPhotos([tables.picture(table_reading("R3 R4 R5"))]), PlayedSource()
    app = make_app(photos)
    page = open_page(serve(app))
    expect(page.get_by_role("heading", name="All is right")).to_be_visible()
    parts(app).watcher.watch(camera, WatchedSource.of(camera, camera.name, ""), None)
    expect(page.locator(".doors")).to_be_visible()


def test_leaving_a_game_night_needs_a_confirmation(by_hand, by_hand_page) -> None:
    page, evening = by_hand_page, EveningPage(by_hand_page, "")
    page.locator("#open-menu").click()
    evening.press("Leave this evening")
    dialog = page.get_by_role("dialog", name="Leave this evening?")
    dialog.get_by_role("button", name="Cancel").click()
    assert by_hand.evening["phase"] == "turns"
    page.locator("#open-menu").click()
    evening.press("Leave this evening")
    dialog.get_by_role("button", name="Leave the evening").click()
    expect(page.locator(".doors")).to_be_visible()
    assert by_hand.state["evening"] is None


def test_menu_is_grouped_and_has_no_line_to_end_the_round(by_hand, serve, open_page) -> None:
    """Ending the round is a button of the turn; all lines of the menu are under a heading."""
    by_hand.deal()
    page = open_page(serve(by_hand.http.application), PHONE)
    page.locator("#open-menu").click()
    menu = page.get_by_role("dialog", name="Menu")
    titles = menu.get_by_role("heading", level=3)
    expect(titles).to_have_text(["Help", "This turn", "This round", "This evening", "This device"])
    expect(menu.locator(".menu-line", has_text="Rummikub")).to_have_count(0)
    expect(menu.locator(".menu-line:not(:has(svg))")).to_have_count(0)
    for large in ("Settings", "The rules", "Score sheet", "History"):
        expect(menu.get_by_role("button", name=large)).to_be_in_viewport(ratio=1)
    expect(menu.get_by_role("region", name="This turn").locator(".menu-line").first).to_have_text(
        re.compile("This is the table now")
    )
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Rummikub!").click()
    expect(page.get_by_role("dialog", name="Rummikub! Whose rack is empty?")).to_be_visible()


def test_page_leaves_a_game_night_that_another_tablet_has_left(by_hand, by_hand_page) -> None:
    EveningClient(by_hand.http.application).post("/api/evenings/leave")
    expect(by_hand_page.locator(".doors")).to_be_visible()
