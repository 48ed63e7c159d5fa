"""How many taps an evening takes, from the names to the first turn of each round; counting racks is in another test."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.known_tables import Player, table_reading

COUNT = "window.addEventListener('click', (event) => event.isTrusted && sessionStorage.taps++, true);"
OPENING = "R10 R11 R12"


def taps_since(page: Page, before: int = 0) -> int:
    """Return the number of taps on the page after the first `before`."""
    return int(page.evaluate("Number(sessionStorage.taps)")) - before


@pytest.mark.parametrize("size", [PHONE, SMALL_TABLET], ids=["phone", "tablet"])
def test_evenings_begin_with_few_taps(app, camera, tables, serve, open_page, size) -> None:
    """A first evening with a new camera, its next round, and the second evening of the same people."""
    camera.show(tables.picture(table_reading("")))
    page = open_page("about:blank", size)
    page.add_init_script(f"sessionStorage.taps ??= 0; {COUNT}")
    address = serve(app)
    client, evening = EveningClient(app), EveningPage(page, address)
    page.goto(f"{address}setup")
    for seat, name in enumerate(("Ada", "Bo")):
        page.get_by_label(f"Seat {seat + 1}").fill(name)
    evening.press("Start", exact=True)
    evening.press("No rack in the picture: start")
    evening.press("Let the app draw")
    evening.press("All have their tiles")
    page.locator("#clock").click()
    camera.show(tables.picture(table_reading(OPENING)))
    Player(client.http).sees(OPENING)
    first = client.evening["player"]
    evening.press("Done", exact=True)
    evening.hears("Allowed")
    assert client.evening["player"] != first
    assert taps_since(page) <= 6

    client.act("rack-count", player=first, tiles=0)
    client.act("rack-points", player=1 - first, points=8)
    before = taps_since(page)
    evening.press("Next round")
    evening.press("All have their tiles")
    expect(page.locator("#clock")).to_be_visible()
    assert taps_since(page, before) <= 2

    client.act("end")
    before = taps_since(page)
    evening.press("Play again")
    expect(page.get_by_role("button", name="Let the app draw")).to_be_visible()
    assert taps_since(page, before) == 1
    evening.press("Let the app draw")
    evening.press("All have their tiles")
    expect(page.locator("#clock")).to_be_visible()
    assert taps_since(page, before) <= 3
