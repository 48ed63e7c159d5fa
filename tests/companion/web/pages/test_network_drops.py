"""A tablet whose network drops says so at once, and is up to date once it is back."""

import pytest
from playwright.sync_api import expect

from tests.support.browsing import SMALL_TABLET
from tests.support.dead_network import network_before
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage

ALONE = "delete window.SharedWorker; delete window.BroadcastChannel;"
"""Without these each page has a stream of its own."""
TOLD_WITHIN_S, WELL_WITHIN_S = 2.0, 3.0
"""What is promised."""
LOADED = 3.0
"""So many times that, where the machine has other things to do; a browser by itself notices nothing for minutes."""
WATCH_NOTICE = """() => {
    const notice = document.getElementById("notice");
    window.noticed = [];
    new MutationObserver(() => {
        const told = !notice.hidden && notice.textContent.includes("does not answer");
        if (told !== window.noticed.at(-1)?.told) window.noticed.push({ told, atMs: performance.now() });
    }).observe(notice, { attributes: true, childList: true, subtree: true, characterData: true });
}"""
"""Keeps when the page begins and ceases to say that the app does not answer."""


@pytest.mark.parametrize("init_script", ["", ALONE], ids=["shared by a worker", "alone"])
def test_a_network_that_goes_dead_without_a_word_is_told_within_two_seconds(
    hand_app, serve, open_page, init_script, record_property
):
    host = EveningClient(hand_app)
    host.deal("Ada", "Bo")
    with network_before(serve(hand_app)) as network:
        page = open_page("about:blank", SMALL_TABLET)
        page.add_init_script(init_script)
        page.goto(network.address)
        evening = EveningPage(page, network.address)
        evening.is_on("Ada")
        notice = page.locator("#notice")
        page.evaluate(WATCH_NOTICE)
        begun_ms = page.evaluate("performance.now()")
        network.die()
        expect(notice).to_contain_text("does not answer")
        told_s = (page.evaluate("window.noticed.at(-1).atMs") - begun_ms) / 1000
        host.act("draw")
        begun_ms = page.evaluate("performance.now()")
        network.come_back()
        expect(notice).not_to_contain_text("does not answer")
        well_s = (page.evaluate("window.noticed.at(-1).atMs") - begun_ms) / 1000
        evening.is_on("Bo")
        page.close()
    record_property("told_s", told_s)
    record_property("well_s", well_s)
    print(f"told after {told_s:.2f} s, well again after {well_s:.2f} s")
    assert told_s <= LOADED * TOLD_WITHIN_S
    assert well_s <= LOADED * WELL_WITHIN_S
