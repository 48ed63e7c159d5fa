"""A tablet whose network drops says so at once, and is up to date once it is back."""

from playwright.sync_api import expect

from tests.support.browsing import SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage

ALONE = "delete window.SharedWorker; delete window.BroadcastChannel;"
"""The network is taken from pages alone, and not from workers."""


def test_a_tablet_without_network_says_so_and_catches_up(hand_app, serve, open_page):
    host = EveningClient(hand_app)
    host.deal("Ada", "Bo")
    address = serve(hand_app)
    page = open_page("about:blank", SMALL_TABLET)
    page.add_init_script(ALONE)
    page.goto(address)
    evening = EveningPage(page, address)
    evening.is_on("Ada")
    notice = page.locator("#notice")
    expect(notice).to_be_hidden()
    page.context.set_offline(True)
    expect(notice).to_contain_text("does not answer")
    host.act("draw")
    page.context.set_offline(False)
    evening.is_on("Bo")
    expect(notice).to_be_hidden()
