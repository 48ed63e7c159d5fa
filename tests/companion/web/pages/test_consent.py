"""The host is asked once whether corrected tiles may be kept, and finds the answer again in the settings."""

import re

from playwright.sync_api import expect

from tests.support.browsing import SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.hub_ear import wait_for
from tests.support.known_tables import table_reading
from tilekeeper.companion.web.api.extensions import parts


def test_consent_is_asked_once_and_can_be_taken_back(app, camera, tables, serve, open_page):
    camera.show(tables.picture(table_reading("R3 R4 R5 | K8 B8 O8")))
    EveningClient(app).deal("Ada", "Bo")
    address = serve(app)
    page = open_page(address, SMALL_TABLET)
    evening = EveningPage(page, address)
    evening.is_on("Ada")
    expect(page.locator(".overlay .spot")).to_have_count(6)
    page.locator(".overlay .spot .edge").first.dispatch_event("click")
    evening.keys("red 6")
    evening.press("Decide")
    question = page.locator("dialog", has_text="May the app learn from this?")
    expect(question).to_contain_text("They stay on this computer")
    evening.press("Yes, keep them")
    expect(question).to_have_count(0)
    assert parts(app).examples.all() == []  # corrections before the answer are not stored

    page.locator(".overlay .spot .edge").nth(1).dispatch_event("click")
    evening.keys("red 7")
    expect(page.locator("dialog")).to_have_count(0)
    page.locator("#open-menu").click()
    evening.press("Settings")
    expect(page.locator(".teaching")).to_contain_text("1 picture kept.")
    evening.press("Delete 1 picture")
    expect(page.locator(".teaching")).to_contain_text("No picture is stored yet.")
    page.get_by_text("Keep small pictures").click()
    expect(page.get_by_role("switch", name=re.compile("^Keep small"))).not_to_be_checked()
    examples = parts(app).examples
    wait_for(lambda: examples.agreed is False)  # the switch changes before the app knows
    assert examples.all() == []
