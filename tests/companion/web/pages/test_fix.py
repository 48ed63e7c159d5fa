"""The fix of an illegal table is drawn at once, and replaced by better ones while people watch."""

import random
import re

from playwright.sync_api import Page, expect

from tests.benchmarks.engine.questions import question
from tests.support.browsing import SMALL_TABLET, TABLET
from tests.support.game_night_client import EveningClient
from tests.support.messy_tables import mix_tiles
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.tiles.table import Table

NARROW, UPRIGHT = {"width": 320, "height": 640}, {"width": 768, "height": 1024}

# Records every fix that the page draws.
NOTE_EVERY_FIX = """
window.drawn = [];
new MutationObserver(() => {
  const fix = document.querySelector("#verdict [data-improving]");
  const now = fix && { improving: fix.dataset.improving, moves: document.querySelectorAll("#verdict .fix li").length,
    coming: fix.querySelectorAll(".coming").length, tiles: fix.querySelectorAll(".mat .tile").length };
  if (now && JSON.stringify(now) !== JSON.stringify(window.drawn.at(-1))) window.drawn.push(now);
}).observe(document.getElementById("verdict"), { childList: true, subtree: true });
"""


def tangled(size: int) -> tuple[Table, Table]:
    """Return a legal table, and the same table with one more tile and all tiles mixed."""
    rng = random.Random(size)
    whole = question(rng, size, rule_set("large-numbers"), 0).table
    longest = max(range(len(whole.melds)), key=lambda at: len(whole.melds[at]))
    melds = tuple(meld[:-1] if at == longest else meld for at, meld in enumerate(whole.melds))
    return Table(melds), mix_tiles(rng, whole)


def begin_beside(client: EveningClient, table: Table) -> None:
    """Begin a game on an existing table; both players have opened."""
    client.deal("Ada", "Bo")
    client.act("table", table=str(table))
    client.act("begun", opened=[0, 1])


def drawn_fixes(page: Page) -> list[dict]:
    """Return all fixes that the page draws until the search ends."""
    expect(page.locator("#verdict [data-improving]")).to_have_attribute("data-improving", "false", timeout=60_000)
    return page.evaluate("window.drawn")


def test_shown_fix_improves_while_the_search_goes_on(make_app, serve, open_page) -> None:
    """Each drawn table holds all tiles and takes fewer moves than the one before, down to the fewest."""
    client = EveningClient(app := make_app(NoSource(), watch=False))
    before, mess = tangled(80)
    begin_beside(client, before)
    page = open_page(serve(app), TABLET)
    expect(page.locator("#headline")).to_be_visible()
    page.evaluate(NOTE_EVERY_FIX)
    client.act("done", table=str(mess))
    drawn = drawn_fixes(page)
    assert len(drawn) > 1
    assert drawn[0]["improving"] == "true"
    assert {each["tiles"] for each in drawn} == {80}
    assert all(each["moves"] == each["coming"] for each in drawn)
    moves = [each["moves"] for each in drawn]
    assert moves == sorted(moves, reverse=True)
    assert moves[-1] < moves[0]
    title = re.compile(f"^{moves[-1]} moves fix it(, perhaps fewer)?:$")
    expect(page.locator("#verdict .fix > p")).to_have_text(title)


def test_fix_of_a_full_table_fits_on_each_screen(make_app, serve, open_page) -> None:
    """No part of a table of a hundred tiles is beyond the edge of a phone or tablet."""
    client = EveningClient(app := make_app(NoSource(), watch=False))
    before, mess = tangled(100)
    begin_beside(client, before)
    client.act("done", table=str(mess))
    address = serve(app)
    for size in (NARROW, UPRIGHT, SMALL_TABLET):
        page = open_page(address, size)
        page.locator("#all-about").click()
        mat = page.locator("dialog .fix .mat")
        expect(mat.locator(".tile")).to_have_count(100)
        # A better fix may be drawn in the meantime.
        left, right = mat.evaluate("mat => [mat.getBoundingClientRect().left, mat.getBoundingClientRect().right]")
        assert left >= 0
        assert right <= size["width"]
        assert mat.evaluate("mat => mat.scrollWidth <= mat.clientWidth")
