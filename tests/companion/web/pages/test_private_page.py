"""A player's private page on a phone: from the QR code to the answers, and to the count of the rack."""

import cv2
import numpy as np
import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from tests.support.browsing import PHONE, TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.known_tables import table_reading
from tests.support.page_steps import press_keys
from tests.support.private_phone import RACK, photo
from tilekeeper.companion.capture.no_source import NoSource


@pytest.fixture
def app(make_app) -> Flask:
    """An app without a camera; Ada's first turn is being played."""
    app = make_app(NoSource(), watch=False)
    EveningClient(app).deal("Ada", "Bo")
    return app


def jpeg(image_bgr: np.ndarray) -> bytes:
    return cv2.imencode(".jpg", image_bgr)[1].tobytes()


def test_player_asks_on_a_phone_whether_the_rack_can_open(app, serve, open_page, tables):
    address = serve(app)
    tablet, phone = open_page(address, TABLET), open_page("about:blank", PHONE)
    EveningPage(tablet, address).is_on("Ada")
    tablet.locator(".seat button", has_text="Bo").click()
    EveningPage(tablet, address).press("Own phone")
    expect(tablet.locator(".qr")).to_have_js_property("complete", value=True)
    key = tablet.locator(".join .address").text_content().rpartition("/")[2]
    phone.goto(f"{address}me/{key}")
    phone.wait_for_url(f"{address}me")
    expect(phone.locator("#whose")).to_have_text("It is Ada's turn.")
    EveningClient(app).act("draw")
    expect(phone.locator("#whose")).to_have_text("It is your turn!")
    expect(phone.locator("#left")).not_to_be_empty()

    thumb = phone.locator("#thumb")
    small = (jpeg(tables.picture(table_reading(rack))) for rack in (RACK.replace("K10", "K8"), "R1 R2 R3"))
    for picture, answer in zip((photo(tables, RACK), *small), ("yes", "no", "unsure"), strict=True):
        phone.locator("#picture").set_input_files([{"name": "rack.jpg", "mimeType": "image/jpeg", "buffer": picture}])
        expect(thumb).to_have_attribute("data-answer", answer)
        expect(thumb).to_contain_text("Tap to go back")
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


FITS = "R3 R4 R5 | K8 B8 O8 | B4 B5 B6"
RECORD_VIBRATIONS = "window.vibrations = 0; navigator.vibrate = () => { window.vibrations += 1; return true; };"


def tap_tiles(page: Page, *tiles: str) -> None:
    """Tap tiles in the dialog, and send them."""
    press_keys(*tiles)(page)
    page.locator("dialog .dialog-foot .main").click()


def test_evening_with_players_own_phones_ends_with_what_was_possible(app, serve, open_page, tables):
    """Bo is told his turn and gets a hint; both count their racks at the same time, and see what they have missed."""
    client, address = EveningClient(app), serve(app)
    client.begin("Ada", "Bo", "Cleo", settings={"hints": True})
    client.act("starter", player=0, overruled=True)
    client.act("deal", counts=[1, 5, 4])
    client.act("table", table=FITS)
    for seat in range(3):
        client.act("opened", player=seat, opened=True)
    bo, cleo, tablet = open_page("about:blank", PHONE), open_page("about:blank", PHONE), open_page(address, TABLET)
    bo.add_init_script(RECORD_VIBRATIONS)
    open_own_page(bo, address)
    client.act("draw")
    get_hint(bo)
    vibrate_once(client, bo)
    client.act("draw")
    client.act("draw")
    client.act("done", table=FITS.replace("R3", "R1 R2 R3").replace("B6", "B6 B7"))

    count_by_taps(bo, tablet)
    key = client.post("/api/private-page/show", player=2)["address"].rpartition("/")[2]
    cleo.goto(f"{address}me/{key}")
    count_by_photo(cleo, tables.picture(table_reading("O1 O3 O5 | K11 K13 K2")))
    see_what_was_possible(tablet)
    client.act("end")
    tablet.get_by_role("button", name="Find the turn").click()
    expect(tablet.get_by_role("dialog")).to_contain_text("lay as many as you can")
    tablet.get_by_role("button", name="Show the solution").click()
    expect(tablet.locator(".play-drawn .coming").first).to_be_visible()


def open_own_page(phone: Page, address: str) -> None:
    """Say on a joined phone whose it is."""
    phone.goto(address)
    phone.locator(".seat button", has_text="Bo").click()
    phone.get_by_role("button", name="Own phone").click()
    phone.get_by_role("button", name="I am Bo: open it here").click()
    expect(phone.locator("#whose")).to_have_text("It is Ada's turn.")
    # Browsers let a page vibrate once somebody has tapped on it.
    expect(phone.locator("#vibration")).to_contain_text("Tap once")
    phone.locator("#name").click()
    expect(phone.get_by_text("Tap once")).to_be_hidden()
    expect(phone.get_by_role("link", name="To the table")).to_be_visible()


def get_hint(phone: Page) -> None:
    expect(phone.locator("#whose")).to_have_text("It is your turn!")
    phone.get_by_role("button", name="What can I lay?").click()
    tap_tiles(phone, "red 6", "red 7", "black 13")
    expect(phone.locator(".play-text")).to_have_text("You can lay 2 of 3 tiles.")
    phone.get_by_role("button", name="Show how").click()
    expect(phone.locator(".play-drawn .coming")).to_have_count(2)
    expect(phone.locator(".play-rack .tile")).to_have_count(1)
    phone.keyboard.press("Escape")


def vibrate_once(client: EveningClient, phone: Page) -> None:
    """The phone has vibrated once; it does not again after a reload, nor in the next turn once it is switched off."""
    wait_for_polls(phone)
    assert phone.evaluate("window.vibrations") == 1
    phone.reload()
    expect(phone.locator("#whose")).to_have_text("It is your turn!")
    wait_for_polls(phone)
    phone.locator("#name").click()
    wait_for_polls(phone)
    phone.get_by_role("switch").uncheck()
    for _ in range(3):
        client.act("draw")
    expect(phone.locator("#own-facts")).to_contain_text("6")
    expect(phone.locator("#whose")).to_have_text("It is your turn!")
    assert phone.evaluate("window.vibrations") == 0


def wait_for_polls(phone: Page) -> None:
    """Wait until the page has asked for its contents once more, and has drawn them."""
    for _ in range(2):
        with phone.expect_response("**/api/me"):
            pass


def count_by_taps(phone: Page, tablet: Page) -> None:
    """Count the rack; the tablet shows that it is counted, and none of its tiles."""
    expect(phone.locator("#whose")).to_have_text("The round is over. Count your rack.")
    phone.get_by_role("button", name="Tap the tiles").click()
    tap_tiles(phone, "red 6", "red 8", "red 11", "black 13", "orange 13", "black 1", "black 3")
    expect(phone.locator("#whose")).to_have_text("Your rack is counted.")
    card = tablet.locator(".rack-card", has_text="Bo")
    expect(card).to_contain_text("Bo counted it on a phone.")
    expect(card.locator(".tile")).to_have_count(0)


def count_by_photo(phone: Page, image_bgr: np.ndarray) -> None:
    with phone.expect_file_chooser() as chooser:
        phone.get_by_role("button", name="Take a picture").click()
    chooser.value.set_files([{"name": "rack.jpg", "mimeType": "image/jpeg", "buffer": jpeg(image_bgr)}])
    expect(phone.locator("dialog .pick")).to_have_count(6)
    phone.locator("dialog .dialog-foot .main").click()
    expect(phone.locator("#own-facts")).to_contain_text("Last round")


def see_what_was_possible(tablet: Page) -> None:
    """One of R6 and R8 was on Bo's rack in the last turn; one tap shows how to lay it."""
    missed = tablet.locator(".missed-turn")
    expect(missed).to_have_text(["Bo could have laid 1 of 6 tiles."])
    missed.click()
    expect(tablet.locator(".play-rack .tile")).to_have_count(7)
    tablet.get_by_role("button", name="Show how").click()
    expect(tablet.locator(".play-drawn .coming")).to_have_count(1)
    tablet.get_by_role("button", name="Step back").click()
    expect(tablet.locator(".play-drawn .coming")).to_have_count(0)
    tablet.keyboard.press("Escape")
