"""A turn that is not allowed: the buttons, all its faults, and the fix; and no verdict is told twice."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE, SIDEWAYS, SMALL_TABLET, TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.theatre import resize
from tilekeeper.engine.rules.editions import RULE_SETS

START = "R3 R4 R5 | R7 B7 K7"
FOUR_FAULTS = "R3 R4 R5 R9 | R7 B7 K7 | B1 B2 | K8 K9 K11 | O5 O6"
CAN_BE_FIXED = "R3 R4 R5 R9 | R7 B7 | K7 K8 K9 | B9 O9"
ONE_FAULT = "R3 R4 R5 | R7 B7 K7 | K8 K9 K11"
SMALL_PHONE, UPRIGHT = {"width": 320, "height": 568}, {"width": 768, "height": 1024}
LEAST_LETTERS_PX = 16
# Counts how often the splash was shown.
COUNT_SPLASHES = """
window.splashes = 0;
new MutationObserver(() => { window.splashes += document.getElementById("splash").hidden ? 0 : 1; })
  .observe(document.getElementById("splash"), { attributes: true, attributeFilter: ["hidden"] });
"""


@pytest.fixture
def client(by_hand) -> EveningClient:
    """A round of three players who have opened."""
    by_hand.deal("Ada", "Bo", "Cleo")
    by_hand.act("table", table=START)
    by_hand.act("begun", opened=[0, 1, 2])
    return by_hand


@pytest.fixture
def address(client, serve) -> str:
    return serve(client.http.application)


def open_after(client: EveningClient, address: str, open_page, size: dict, table: str) -> Page:
    """Open the page after a turn that was not allowed."""
    client.act("done", table=table)
    page = open_page(address, size)
    EveningPage(page, address).hears("Not allowed")
    return page


def large_buttons(page: Page) -> list[str]:
    """Return the words on the large buttons."""
    expect(page.locator("#actions .press").first).to_be_visible()
    return page.locator("#actions .press > span:visible").all_inner_texts()


def test_wrong_turn_is_corrected_or_taken_back_and_nothing_else(client, address, open_page) -> None:
    """Drawing one tile would make the penalty a matter of choice."""
    page = open_page(address, SMALL_TABLET)
    evening = EveningPage(page, address)
    evening.is_on("Ada")
    assert large_buttons(page) == ["Done", "Draw", "Rummikub!"]
    client.act("done", table=ONE_FAULT)
    evening.hears("Not allowed")
    # A seldom needed action is a small button; several of them are behind "More".
    assert large_buttons(page) == ["Done", "Take it back, draw 3", "Change decision"]
    assert client.act_refused("draw")["code"] == "wrong"
    page.locator("#change.seldom").click()
    expect(page.get_by_role("dialog", name="Change decision")).to_be_visible()
    page.keyboard.press("Escape")
    evening.press("Take it back, draw 3")
    expect(page.locator("#panel")).to_contain_text("Then draw 3 tiles.")
    evening.press("All back")
    evening.is_on("Bo")
    assert client.evening["players"][0]["rack"] == 17


@pytest.mark.parametrize("edition", [*RULE_SETS])
@pytest.mark.parametrize("opened", [False, True])
def test_button_says_how_many_tiles_the_ledger_adds(by_hand, edition, opened) -> None:
    by_hand.deal("Ada", "Bo", edition=edition)
    by_hand.act("opened", player=0, opened=opened) if "opened" in by_hand.evening["may"] else None
    before = by_hand.evening["players"][0]["rack"]
    drawn = by_hand.act("done", table="R1 R2 R4")["taking_back_draws"]
    assert by_hand.act("stand")["failing"]["penalty"] == drawn
    after = by_hand.act("restored")["players"][0]["rack"]
    assert after - before == drawn


@pytest.mark.parametrize(("house", "passing"), [([], "Pass"), (["ending.must_lay=yes"], "Pass: nothing fits")])
def test_an_empty_pool_offers_to_pass_and_keeps_a_small_button_to_draw(
    by_hand, serve, open_page, house, passing
) -> None:
    """Somebody may have miscounted the pool. If who can lay must lay, the button says so."""
    by_hand.deal("Ada", "Bo", house=house)
    by_hand.act("pool-count", tiles=0)
    page = open_page(serve(by_hand.http.application), PHONE)
    EveningPage(page, "").is_on("Ada")
    assert large_buttons(page) == ["Done", passing, "Rummikub!", "Draw"]
    if house:
        refused = by_hand.act_refused("pass", can_lay=True)
        assert refused["error"] == "The pool is empty; a player who can lay a tile must lay."
    page.locator("#draw.seldom").click()
    EveningPage(page, "").is_on("Bo")


def test_all_faults_are_counted_in_large_letters_beside_the_table(client, address, open_page) -> None:
    page = open_after(client, address, open_page, TABLET, FOUR_FAULTS)
    shown = page.locator("#more .fault:visible")
    for size in (SMALL_PHONE, PHONE, SIDEWAYS, UPRIGHT, SMALL_TABLET, TABLET):
        resize(page, **size)
        expect(shown.first).to_be_visible()
        assert shown.first.evaluate("line => parseFloat(getComputedStyle(line).fontSize)") >= LEAST_LETTERS_PX, size
        hidden = 4 - shown.count()
        expect(page.locator("#details")).to_have_text(
            "Details" if hidden == 0 else f"{hidden} more problem{'s' if hidden > 1 else ''}"
        )
        expect(page.locator("#drawn .tile").first).to_be_visible()
        page.locator("#all-about").click()
        expect(page.locator("dialog .fault")).to_have_count(4)
        page.keyboard.press("Escape")


def test_splash_tells_how_many_faults_there_are(client, address, open_page) -> None:
    page = open_page(address, PHONE)
    EveningPage(page, address).is_on("Ada")
    client.act("done", table=FOUR_FAULTS)
    expect(page.locator("#splash")).to_contain_text("3 more problems")


def test_fix_stands_below_the_table_where_there_is_room(client, address, open_page) -> None:
    page = open_after(client, address, open_page, SMALL_TABLET, CAN_BE_FIXED)
    expect(page.locator("#drawn .fix li").first).to_be_visible()
    tile = page.locator("#drawn .mat .tile").first.bounding_box()
    assert tile["width"] >= 40


def test_correction_after_a_turn_replays_no_verdict(client, address, open_page) -> None:
    """The card still tells about the turn, and the correction below."""
    page = open_page(address, SMALL_TABLET)
    evening = EveningPage(page, address)
    evening.is_on("Ada")
    page.evaluate(COUNT_SPLASHES)
    client.act("done", table=f"{START} | K8 K9 K10")
    evening.hears("Allowed")
    page.locator("#splash").wait_for(state="hidden")
    client.act("rack-count", player=2, tiles=15)
    expect(page.locator("#more .caveat")).to_contain_text("Cleo's rack counted: 15 tiles.")
    expect(page.locator("#advice")).to_have_text(re.compile("^Ada laid black 8 9 10"))
    expect(page.locator("#headline")).to_have_text("Allowed")
    assert page.evaluate("window.splashes") == 1
