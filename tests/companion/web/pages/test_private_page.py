"""A player's private page on a phone: from the QR code to the answer."""

import pytest
from flask import Flask
from playwright.sync_api import expect

from tests.companion.web.blueprints.test_private_pages import RACK, photo
from tests.support.browsing import PHONE, TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tilekeeper.companion.capture.no_source import NoSource


@pytest.fixture
def app(make_app) -> Flask:
    """An app without a camera; Ada's first turn is being played."""
    app = make_app(NoSource(), watch=False)
    EveningClient(app).deal("Ada", "Bo")
    return app


def test_player_asks_on_a_phone_whether_the_rack_can_open(app, serve, open_page, tables):
    address = serve(app)
    tablet, phone = open_page(address, TABLET), open_page("about:blank", PHONE)
    EveningPage(tablet, address).is_on("Ada")
    tablet.locator(".seat button", has_text="Bo").click()
    EveningPage(tablet, address).press("Private page")
    expect(tablet.locator(".qr")).to_have_js_property("complete", value=True)
    key = tablet.locator(".join .address").text_content().rpartition("/")[2]
    phone.goto(f"{address}me/{key}")
    phone.wait_for_url(f"{address}me")
    expect(phone.locator("#whose")).to_have_text("It is Ada's turn.")
    EveningClient(app).act("draw")
    expect(phone.locator("#whose")).to_have_text("It is your turn!")
    expect(phone.locator("#left")).not_to_be_empty()

    thumb = phone.locator("#thumb")
    for rack, answer in ((RACK, "yes"), (RACK.replace("K10", "K8"), "no"), ("R1 R2 R3", "unsure")):
        phone.locator("#picture").set_input_files(
            [{"name": "rack.jpg", "mimeType": "image/jpeg", "buffer": photo(tables, rack)}]
        )
        expect(thumb).to_have_attribute("data-answer", answer)
        if answer == "unsure":
            expect(thumb).to_contain_text("I see 3 of 14 tiles.")
            expect(thumb).to_contain_text("straight from the front")
        thumb.click()
        expect(thumb).to_be_hidden()
        assert thumb.inner_text() == ""
    # The page keeps nothing of it, and the tablets show nothing of it.
    expect(phone.locator("img, canvas")).to_have_count(0)

    EveningClient(app).post("/api/private-page/end", player=1)
    expect(phone.locator("#mine")).to_have_count(0)
