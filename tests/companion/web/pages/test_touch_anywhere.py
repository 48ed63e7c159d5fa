"""Touch anywhere: the whole surface ends the turn, like a chess clock."""

from playwright.sync_api import Page, expect

from tests.support.browsing import SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.known_tables import Player, table_reading

# Two touches with one finger; the second comes after some milliseconds.
TOUCH_TWICE = """(surface, ms) => {
  const touch = () => {
    surface.dispatchEvent(new PointerEvent("pointerdown", { isPrimary: true, button: 0, bubbles: true }));
    surface.click();
  };
  touch();
  return new Promise((done) => setTimeout(() => done(touch()), ms));
}"""


def choose(page: Page) -> None:
    page.locator("#open-menu").click()
    page.locator(".menu-line", has_text="Touch anywhere").click()


def test_touch_anywhere_ends_the_turn_once_and_the_view_is_left_easily(app, camera, tables, serve, open_page) -> None:
    client = EveningClient(app)
    client.deal("Ada", "Bo", "Cleo")

    def lay(notation: str) -> None:
        camera.show(tables.picture(table_reading(notation)))
        Player(client.http).sees(notation)

    lay("")
    page = open_page(serve(app), SMALL_TABLET)
    evening = EveningPage(page, "")
    evening.is_on("Ada")
    expect(page.locator("#touch")).to_have_count(0)  # off at first
    choose(page)
    surface = page.locator(".touch-done")
    box, main = surface.bounding_box(), page.locator("main").bounding_box()
    assert box == main
    assert page.locator("#turn").evaluate("turn => turn.inert")
    # It has the focus, says what it does, and starts the clock first.
    expect(surface).to_be_focused()
    expect(surface).to_have_accessible_name("Ada: Touch anywhere to start the clock")
    page.keyboard.press("Enter")
    expect(surface).to_have_accessible_name("Ada: Touch anywhere to end your turn")
    assert client.evening["clock"]["running"]

    # The second half of a double tap passes nobody's turn: a key first, then two touches.
    page.wait_for_timeout(600)
    lay("K10 B10 O10")
    page.keyboard.press("Space")
    evening.is_on("Bo")
    page.wait_for_timeout(700)
    lay("K10 B10 O10 | R10 R11 R12")
    surface.evaluate(TOUCH_TWICE, 250)
    evening.is_on("Cleo")
    page.wait_for_timeout(400)
    evening.is_on("Cleo")
    # A turn that is not allowed needs its own buttons.
    lay("K10 B10 O10 | R10 R11 R12 | B1 B2")
    surface.click()
    evening.hears("Not allowed")
    expect(page.locator("#touch")).to_be_hidden()
    expect(page.locator("#take-back")).to_be_visible()
    client.act("undo")
    expect(surface).to_be_visible()

    page.keyboard.press("Escape")
    expect(surface).to_be_hidden()
    expect(page.locator("#done")).to_be_visible()
    assert not page.locator("#turn").evaluate("turn => turn.inert")
    choose(page)
    page.get_by_role("button", name="Leave this view").click()
    expect(surface).to_be_hidden()
    page.reload()
    evening.is_on("Cleo")
    expect(page.locator("#done")).to_be_visible()
