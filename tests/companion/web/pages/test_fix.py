"""The fix of an illegal table is drawn at once, and replaced by better ones while people watch."""

import itertools
import random
import re
import threading
from collections.abc import Iterator

from playwright.sync_api import Page, expect

from tests.benchmarks.engine.questions import question
from tests.support.browsing import SMALL_TABLET, TABLET
from tests.support.game_night_client import EveningClient
from tests.support.messy_tables import mix_tiles
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.session import assistant
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.solver.arrange import Arrangement, arrangements
from tilekeeper.engine.tiles.table import Table

MOST_TICKS = 50
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


class PacedSearch:
    """The search for a fix, which goes on only after the page has drawn the last one.

    Without it a busy browser would draw only the last fixes.
    """

    def __init__(self) -> None:
        self._goes_on = threading.Semaphore(0)

    def __call__(self, *arguments: object) -> Iterator[Arrangement]:
        ticks = itertools.count()  # a clock that counts its calls gives the same fixes on a busy machine
        for arrangement in arrangements(*arguments, MOST_TICKS, lambda: float(next(ticks))):
            yield arrangement
            self._goes_on.acquire(timeout=60)

    def drawn(self, page: Page) -> list[dict]:
        """Return all fixes that the page draws until the search ends."""
        count = 0
        while True:
            page.wait_for_function("count => window.drawn.length > count", arg=count, timeout=60_000)
            drawn = page.evaluate("window.drawn")
            if drawn[-1]["improving"] == "false":
                return drawn
            count = len(drawn)
            self._goes_on.release()


def test_shown_fix_improves_while_the_search_goes_on(make_app, serve, open_page, monkeypatch) -> None:
    """Each drawn table holds all tiles and takes fewer moves than the one before, down to the fewest."""
    monkeypatch.setattr(assistant, "arrangements", search := PacedSearch())
    client = EveningClient(app := make_app(NoSource(), watch=False))
    before, mess = tangled(80)
    begin_beside(client, before)
    page = open_page(serve(app), TABLET)
    expect(page.locator("#headline")).to_be_visible()
    page.evaluate(NOTE_EVERY_FIX)
    client.act("done", table=str(mess))
    drawn = search.drawn(page)
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
