"""A tablet whose network drops says so at once, and is up to date once it is back."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE, SMALL_TABLET
from tests.support.dead_network import Network, network_before
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage

OLD = "delete AbortSignal.timeout;"
"""Browsers before 2022 have no `AbortSignal.timeout`."""
ALONE = f"delete window.SharedWorker; delete window.BroadcastChannel; {OLD}"
"""Without shared workers each page has its own stream."""
REPORTED_WITHIN_S, RECOVERED_WITHIN_S = 2.0, 3.0
"""The promised limits in seconds, until the failure is shown and until it is gone."""
LOADED = 3.0
"""A factor for busy machines; a browser alone notices nothing for minutes."""
WATCH = """(id) => {
    const notice = document.getElementById(id);
    window.noticed = [];
    new MutationObserver(() => {
        const told = !notice.hidden && notice.textContent.includes("does not answer");
        if (told !== window.noticed.at(-1)?.told) window.noticed.push({ told, atMs: performance.now() });
    }).observe(notice, { attributes: true, childList: true, subtree: true, characterData: true });
}"""
"""Records when a line of the page begins and stops to say that the app does not answer."""


def reported_and_recovered_s(
    page: Page, line: str, network: Network, meanwhile: Callable[[], object]
) -> tuple[float, float]:
    """Return the seconds until a line says that the app does not answer, and until it is gone again."""
    notice = page.locator(f"#{line}")
    page.evaluate(WATCH, line)
    begun_ms = page.evaluate("performance.now()")
    network.die()
    expect(notice).to_contain_text("does not answer")
    told_s = (page.evaluate("window.noticed.at(-1).atMs") - begun_ms) / 1000
    meanwhile()
    begun_ms = page.evaluate("performance.now()")
    network.come_back()
    expect(notice).not_to_contain_text("does not answer")
    well_s = (page.evaluate("window.noticed.at(-1).atMs") - begun_ms) / 1000
    print(f"told after {told_s:.2f} s, well again after {well_s:.2f} s")
    return told_s, well_s


@pytest.mark.parametrize("init_script", ["", ALONE], ids=["shared by a worker", "alone"])
def test_silent_network_failure_is_reported_within_two_seconds(
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
        told_s, well_s = reported_and_recovered_s(page, "notice", network, lambda: host.act("draw"))
        evening.is_on("Bo")
        page.close()
    record_property("told_s", told_s)
    record_property("well_s", well_s)
    assert told_s <= LOADED * REPORTED_WITHIN_S
    assert well_s <= LOADED * RECOVERED_WITHIN_S


def test_private_page_reports_a_network_failure_within_two_seconds(hand_app, serve, open_page):
    host = EveningClient(hand_app)
    host.deal("Ada", "Bo")
    key = host.post("/api/private-page/show", player=1)["address"].rpartition("/")[2]
    with network_before(serve(hand_app)) as network:
        page = open_page("about:blank", PHONE)
        page.add_init_script(OLD)
        page.goto(f"{network.address}me/{key}")
        page.wait_for_url(f"{network.address}me")
        expect(page.locator("#whose")).to_have_text("It is Ada's turn.")
        told_s, well_s = reported_and_recovered_s(page, "whose", network, lambda: host.act("draw"))
        expect(page.locator("#whose")).to_have_text("It is your turn!")
        page.close()
    assert told_s <= LOADED * REPORTED_WITHIN_S
    assert well_s <= LOADED * RECOVERED_WITHIN_S
