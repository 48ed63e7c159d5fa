"""The page of a turn as a scoreboard: colour, clock, verdict, undo, the picture, and the rotated page."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.known_tables import Player, table_reading

TABLE = "R3 R4 R5 | K8 B8 O8"
LEAST_DIGITS_PX = 160
LEAST_CONTRAST = 4.5
CONTRAST = """(one) => {
  const light = (color) => color.match(/[\\d.]+/g).slice(0, 3).map(Number).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  const [high, low] = [light(getComputedStyle(one.querySelector("b")).color),
    light(getComputedStyle(one, "::before").backgroundColor)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}"""


@pytest.fixture
def page(by_hand, serve, open_page) -> Page:
    """The page in Ada's first turn, in a game with eight seconds per turn."""
    by_hand.deal("Ada", "Bo", "Cleo", house=["turn.limit_s=8"])
    by_hand.act("resume")
    return open_page(serve(by_hand.http.application), SMALL_TABLET)


def test_clock_is_the_largest_element_on_a_ten_inch_tablet(page) -> None:
    for width, height in ((1280, 800), (800, 1280), (1024, 768), (768, 1024)):
        page.set_viewport_size({"width": width, "height": height})
        sizes = page.locator("main *, header *").evaluate_all(
            "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
        )
        digits = page.locator("#left").evaluate("one => parseFloat(getComputedStyle(one).fontSize)")
        assert digits >= LEAST_DIGITS_PX
        assert digits == max(sizes)
        assert page.locator("#left").bounding_box()["width"] <= page.locator("#clock").bounding_box()["width"]


def test_last_seconds_have_another_shape_and_contrast(page) -> None:
    clock = page.locator("#clock[data-kind='last']")
    expect(clock).to_be_visible()
    assert clock.evaluate("one => getComputedStyle(one, '::before').clipPath").startswith("polygon")
    assert clock.evaluate(CONTRAST) >= LEAST_CONTRAST
    # It beats once a second.
    for odd, scale in (("true", "1.08"), ("false", "none"), ("true", "1.08")):
        expect(page.locator(f"#clock[data-odd='{odd}'] b")).to_have_css("scale", scale)


def test_edge_of_the_page_has_the_colour_of_the_player_in_turn(by_hand, page) -> None:
    def edge() -> str:
        return page.locator("body").evaluate("body => getComputedStyle(body).borderTopColor")

    evening = EveningPage(page, "")
    evening.is_on("Ada")
    first = edge()
    assert first == page.locator(".seat.on button").evaluate("one => getComputedStyle(one).backgroundColor")
    by_hand.act("draw")
    evening.is_on("Bo")
    assert edge() != first


def test_verdict_stands_beside_the_table_with_the_player_and_the_tiles(by_hand, page) -> None:
    evening = EveningPage(page, "")
    evening.is_on("Ada")
    by_hand.act("opened", player=0, opened=True)
    by_hand.act("done", table="R3 R4 R6 | K8 B8")
    splash = page.locator("#splash")
    expect(splash).to_be_visible()
    # In place of the turn; the table of the next player is not covered. Sizes as after it has grown.
    column = page.locator("#turn").evaluate("one => [one.offsetLeft, one.offsetWidth]")
    assert splash.evaluate("(splash) => [splash.offsetLeft, splash.offsetWidth]") == column
    assert splash.evaluate("(splash) => splash.offsetHeight") > SMALL_TABLET["height"] / 2
    table = page.locator("#drawn").evaluate("one => one.offsetLeft + one.offsetWidth")
    assert table <= column[0]
    expect(splash).to_contain_text("Ada")
    expect(splash).to_be_hidden(timeout=4000)
    expect(page.locator("#concerned")).to_have_text("Ada")
    expect(page.locator(".fault")).to_have_count(2)
    expect(page.locator(".fault").first.get_by_role("img")).not_to_have_count(0)
    by_hand.act("done", table="R10 R11 R12")
    # It is Bo's turn; the verdict was on Ada's.
    evening.is_on("Bo")
    expect(page.locator("#concerned")).to_have_text("Ada")


def test_splash_draws_whole_tiles(by_hand, page) -> None:
    """The number of a tile stays inside the tile for any size of the headline."""
    EveningPage(page, "").is_on("Ada")
    by_hand.act("done", table="R7 R8 R10")
    tiles = page.locator("#splash .tile")
    expect(tiles.first).to_be_visible()
    assert tiles.evaluate_all("""(tiles) => tiles.every((tile) => {
      const [on, number] = [tile, tile.querySelector("b")].map((one) => one.getBoundingClientRect());
      return number.width > 0 && number.top >= on.top && number.bottom <= on.bottom && number.right <= on.right + 1;
    })""")


def test_undo_button_is_in_its_corner_on_each_screen_and_names_the_step(by_hand, page) -> None:
    undo = page.locator("#undo")
    expect(undo).to_contain_text("the deal")
    corner = undo.bounding_box()
    by_hand.act("draw")
    expect(undo).to_contain_text("Ada's draw")
    by_hand.act("rack-count", player=0, tiles=0)
    expect(undo).to_contain_text("Ada's count")
    by_hand.act("end")
    expect(page.locator("body[data-view='score']")).to_be_attached()
    expect(undo).to_contain_text("the end of the evening")
    assert undo.bounding_box() == pytest.approx(corner, abs=2)
    undo.click()
    undo.click()
    EveningPage(page, "").is_on("Bo")


def test_pass_button_is_shown_only_if_passing_is_possible(by_hand, page) -> None:
    EveningPage(page, "").is_on("Ada")
    expect(page.locator("#pass")).to_be_hidden()
    by_hand.act("pool-count", tiles=0)
    expect(page.locator("#pass")).to_be_visible()


def test_one_tap_turns_the_page_for_the_player_opposite(page) -> None:
    done = page.locator("#done")
    expect(done).to_be_visible()
    before = done.bounding_box()
    page.get_by_role("button", name="Flip", exact=True).click()
    expect(done).to_be_visible()
    after = done.bounding_box()
    assert after["x"] + after["width"] == pytest.approx(SMALL_TABLET["width"] - before["x"], abs=1)
    assert after["y"] + after["height"] == pytest.approx(SMALL_TABLET["height"] - before["y"], abs=1)
    page.locator("#open-menu").click()
    expect(page.locator("dialog")).to_have_css("rotate", "180deg")


def test_picture_is_cropped_to_the_play_area_and_enlarged_by_a_tap(app, camera, tables, serve, open_page) -> None:
    client, player = EveningClient(app), Player(app.test_client())
    client.post("/api/play-area", corners=[[0.0, 0.0], [0.75, 0.0], [0.75, 0.5], [0.0, 0.5]])
    client.deal("Ada", "Bo")
    camera.show(tables.picture(table_reading(TABLE)))
    player.until(lambda state: state["picture"] and state["picture"]["area"] == [0, 0, 721, 361])
    page = open_page(serve(app), PHONE)
    overlay = page.locator("#overlay")
    expect(overlay).to_have_attribute("viewBox", "0 0 721 361")
    box = page.locator("#scroller").bounding_box()
    assert box["width"] / box["height"] == pytest.approx(721 / 361, rel=0.02)
    overlay.click(position={"x": 20, "y": 20})
    expect(page.locator("#frame")).to_have_class("frame zoomed")
    expect(page.get_by_role("button", name="Show the whole picture")).to_be_visible()
    expect(page.get_by_text("Tap a tile to correct it.")).to_be_visible()
