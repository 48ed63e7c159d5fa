"""The front door: go on with the last evening, play again, begin one, or try the demo."""

from playwright.sync_api import expect

from tests.support.browsing import SMALL_TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage


def test_front_door_leads_to_the_game_and_shows_what_was_broken_off(by_hand, serve, open_page):
    address = serve(by_hand.http.application)
    page = open_page(address, SMALL_TABLET)
    doors = page.locator(".door b")
    expect(doors).to_have_text(["Play", "Try the demo", "First steps"])
    expect(page.locator(".about")).to_contain_text("checks each turn")  # says at first what it is
    page.locator(".door.main").click()
    expect(page.locator("#editions label").first).to_be_visible()
    page.get_by_role("link", name="Back").click()
    # A game that begins on another tablet appears here; once it is left, the front door offers it first.
    expect(doors.first).to_be_visible()
    by_hand.deal("Ada", "Bo", rounds=2, house=["opening.minimum_points=40"])
    EveningPage(page, address).is_on("Ada")
    by_hand.act("draw")
    by_hand.post("/api/evenings/leave")
    expect(page.locator(".about")).to_have_count(0)
    expect(doors).to_have_text(
        ["Go on with Ada and Bo", "Play again", "Play", "Try the demo", "First steps", "Past evenings"]
    )

    page.get_by_role("button", name="Try the demo").click()
    expect(page.locator("#notice")).to_contain_text("This is the demo")
    page.get_by_role("button", name="End the demo").click()

    page.get_by_role("button", name="Go on with Ada and Bo").click()
    EveningPage(page, address).is_on("Bo")
    by_hand.act("end")
    page.get_by_role("button", name="Play again").click()
    expect(page.locator("#panel [role=status]")).to_have_text("Tap here what each of you drew.")
    page.get_by_role("button", name="Let the app draw").click()
    expect(page.locator("#panel h2")).to_contain_text("begins")
    expect(page.locator("#panel .hint").first).to_contain_text("Drawn: ")
    evening = by_hand.evening
    assert [player["name"] for player in evening["players"]] == ["Ada", "Bo"]
    assert (evening["rounds_agreed"], evening["edition"]["house"]) == (2, ["opening.minimum_points=40"])
    assert len(by_hand.get("/api/evenings/results")["evenings"]) == 2


def test_tablet_is_not_offered_the_demo(by_hand, serve, open_page):
    """Only the host changes the camera."""
    tablet = EveningClient(by_hand.http.application, REMOTE_ADDR="192.168.1.30")
    tablet.post("/api/join", code=by_hand.get("/api/access")["code"], name="Tablet")
    html = tablet.http.get("/").get_data(as_text=True)
    assert "/setup" in html
    assert "evenings/demo" not in html
    assert "evenings/demo" in by_hand.http.get("/").get_data(as_text=True)
