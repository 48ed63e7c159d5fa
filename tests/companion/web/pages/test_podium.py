"""The podium of a game night that is over."""

import pytest
from playwright.sync_api import expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tilekeeper.companion.capture.no_source import NoSource

LEAST_WORD_PX = 15


@pytest.mark.parametrize(
    ("racks", "steps"),
    [
        (["O13", "O1", "R7"], [["Bo +21"], ["Cleo −1"], ["Dan −7"]]),
        (["O5", "R5", "O13"], [["Bo +23"], ["Ada −5", "Cleo −5"]]),
    ],
)
def test_podium_shows_the_best_and_equal_totals_share_a_place(make_app, serve, open_page, racks, steps):
    app = make_app(NoSource(), watch=False)
    client = EveningClient(app)
    client.deal("Ada", "Bo", "Cleo", "Dan", rounds=1)
    client.act("rack-count", player=1, tiles=0)
    page = open_page(serve(app), PHONE)
    expect(page.locator(".rack-card").first).to_be_visible()
    expect(page.locator(".podium")).to_have_count(0)
    for seat, tiles in zip((0, 2, 3), racks, strict=True):
        client.act("rack", player=seat, tiles=tiles)
    expect(page.locator(".podium li")).to_have_count(len(steps))
    found = [step.locator("b").all_inner_texts() for step in page.locator(".podium li").all()]
    assert found == steps
    boxes = [box for step in page.locator(".podium li").all() if (box := step.bounding_box())]
    assert boxes[1]["x"] < boxes[0]["x"], "the winner stands in the middle"


def test_words_of_the_chart_keep_their_size_when_a_tablet_is_turned(make_app, serve, open_page):
    app = make_app(NoSource(), watch=False)
    client = EveningClient(app)
    client.deal("Ada", "Bo", rounds=1)
    client.act("rack-count", player=1, tiles=0)
    client.act("rack", player=0, tiles="K5")
    page = open_page(serve(app), SMALL_TABLET)
    page.locator("#open-sheet").click()
    for size in ({"width": 768, "height": 1024}, PHONE):
        page.set_viewport_size(size)
        name = page.locator("dialog .chart .name").first
        expect(name).to_be_attached()
        page.wait_for_timeout(200)
        assert name.bounding_box()["height"] >= LEAST_WORD_PX
