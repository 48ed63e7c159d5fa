"""The panel after a failed turn, the result of a round and the places at the end: nothing is cut or below the fold."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browsing import PHONE, SIDEWAYS, SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.theatre import resize

SMALL_PHONE, UPRIGHT = {"width": 320, "height": 568}, {"width": 768, "height": 1024}
LARGE = {"width": 1920, "height": 1080}
LETTERS_PX = "one => parseFloat(getComputedStyle(one).fontSize)"
SIZES = [SMALL_PHONE, PHONE, SIDEWAYS, UPRIGHT, SMALL_TABLET]
NAMES = ("Ada", "Bartholomäus", "Cleo & Dan", "Wilhelmine Charlotte")
TABLE = "R3 R4 R5 | R7 B7 K7 | O1 O2 O3 O4 O5"
LEAST_TILE_PX = 24
# A word that is split has more lines than the letters of its font are high.
SPLIT_WORDS = """() => [...document.querySelectorAll(".score thead .word")].filter((word) => {
  const range = document.createRange();
  range.selectNodeContents(word);
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
}).map((word) => word.textContent)"""
SHARE_OF_MAP = """() => {
  const [map, panel] = [".map", "#panel"].map((one) => document.querySelector(one).getBoundingClientRect().height);
  return map / panel;
}"""
MOST_SHARE_OF_ALARM = 0.45
# On how many lines the longest of all words is.
LINES_OF_WORDS = """(names) => names.map((name) => {
  const text = name.firstChild;
  const range = document.createRange();
  const lines = [...text.data.matchAll(/\\S+/g)].map(({ 0: word, index }) => {
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  });
  return Math.max(...lines);
})"""
# The space between neighbouring numbers of a row, in pixels.
GAPS = """() => [...document.querySelectorAll(".score tr")].flatMap((row) => {
  const boxes = [...row.querySelectorAll("td")].map((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return range.getBoundingClientRect();
  });
  return boxes.slice(1).map((box, at) => box.left - boxes[at].right);
})"""


def is_in_sight(element: Locator) -> bool:
    """Return whether an element lies on the page and in its panel, without scrolling."""
    return element.evaluate(
        """(element) => {
          const [box, panel] = [element, element.closest(".panel")].map((one) => one.getBoundingClientRect());
          return box.top >= panel.top && box.bottom <= Math.min(panel.bottom, window.innerHeight) + 1;
        }"""
    )


@pytest.fixture
def result(by_hand, serve, open_page) -> tuple[EveningClient, Page]:
    """The result of a round of four players with long names and large numbers."""
    by_hand.deal(*NAMES, rounds=2)
    by_hand.act("rack-count", player=0, tiles=0)
    page = open_page(serve(by_hand.http.application), SMALL_TABLET)
    for seat, points in ((1, 117), (2, 3), (3, 905)):
        by_hand.act("rack-points", player=seat, points=points)
    expect(page.locator(".score")).to_be_visible()
    return by_hand, page


def test_table_to_restore_fills_the_panel_and_the_buttons_are_in_sight(by_hand, serve, open_page) -> None:
    by_hand.deal("Ada", "Bo")
    by_hand.act("table", table=TABLE)
    by_hand.act("done", table=f"{TABLE} | K9")
    by_hand.act("stand")
    page = open_page(serve(by_hand.http.application), SIZES[0])
    tiles = page.locator(".map .tile")
    expect(tiles).to_have_count(11)
    for size in SIZES:
        resize(page, **size)
        for element in (*tiles.all(), *page.locator("#panel .ways .button").all()):
            assert is_in_sight(element), size
        assert tiles.first.evaluate("tile => tile.getBoundingClientRect().width") >= LEAST_TILE_PX, size
        # At least half of the panel is the table.
        assert page.evaluate(SHARE_OF_MAP) > (0.4 if size is SIDEWAYS else 0.5), size


def test_result_of_a_round_is_whole(result) -> None:
    """The chart is shown completely or not at all, names break between words, and numbers stand apart."""
    _, page = result
    chart, ways = page.locator(".result .chart"), page.locator("#panel .ways").last.locator(".button")
    for size in SIZES:
        resize(page, **size)
        page.wait_for_timeout(200)
        assert not chart.is_visible() or is_in_sight(chart), size
        expect(ways).to_have_text(["End the evening here", "Next round"])
        assert is_in_sight(ways.last), size
        assert page.evaluate(SPLIT_WORDS) == [], size
        assert min(page.evaluate(GAPS)) >= 4, size
    # On a large screen the result is larger.
    resize(page, **SMALL_TABLET)
    letters_px = page.locator(".check").evaluate(LETTERS_PX)
    resize(page, **LARGE)
    assert page.locator(".check").evaluate(LETTERS_PX) > letters_px


def test_exports_are_on_the_score_sheet(result) -> None:
    _, page = result
    expect(page.get_by_role("link", name="Score sheet for a spreadsheet")).to_have_count(0)
    page.locator("#open-sheet").click()
    expect(page.get_by_role("link", name="Score sheet for a spreadsheet")).to_be_visible()
    expect(page.locator("dialog .chart")).to_be_visible()


def test_best_turns_beside_an_alarm_are_whole(by_hand, serve, open_page) -> None:
    by_hand.deal(*NAMES, rounds=1)
    by_hand.act("done", table="K1 K2 K3 K4 K5 K6 K7 K8 K9")
    by_hand.act("rack-count", player=0, tiles=0)
    for seat, rack in ((1, "O13 R7"), (2, "O1"), (3, "R7 B8 B9")):
        by_hand.act("rack", player=seat, tiles=rack)
    page = open_page(serve(by_hand.http.application), SMALL_TABLET)
    expect(page.locator(".alarm-box")).to_be_visible()
    tiles = page.locator(".highlights .tile")
    expect(tiles).to_have_count(18)
    buttons_top = page.locator("#panel > .ways").last.bounding_box()["y"]
    assert max(box["y"] + box["height"] for tile in tiles.all() if (box := tile.bounding_box())) <= buttons_top
    # In upright pages the chart is whole or left out as well, and on a phone the alarm leaves room for the result.
    resize(page, **UPRIGHT)
    page.wait_for_timeout(200)
    chart = page.locator(".final .chart")
    assert not chart.is_visible() or is_in_sight(chart)
    resize(page, **SMALL_PHONE)
    alarm, panel = page.locator(".alarm-box").bounding_box(), page.locator("#panel").bounding_box()
    assert alarm["height"] < MOST_SHARE_OF_ALARM * panel["height"]
    # Where the smallest letters fit, no name breaks inside a word.
    resize(page, **PHONE)
    assert max(page.locator(".podium b").evaluate_all(LINES_OF_WORDS)) == 1


def test_fourth_place_stands_below_the_podium(result) -> None:
    client, page = result
    client.act("end")
    expect(page.locator(".podium li")).to_have_count(3)
    expect(page.locator(".other-places li")).to_have_text(["Wilhelmine Charlotte −905"])
    expect(page.locator(".other-places li")).to_have_attribute("value", "4")
    EveningPage(page, "").undo()
    expect(page.locator(".result")).to_be_visible()
