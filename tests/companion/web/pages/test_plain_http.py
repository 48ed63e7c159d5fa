"""Over plain http to another machine, where browsers hide half of what pages may use, no page logs an error."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import QUIET, SMALL_TABLET
from tests.support.club_hall import hall, serving
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tilekeeper.companion.hub.database import Database

OTHER_MACHINE = "192.168.1.5"


@pytest.fixture
def page(browsers, chromium_path) -> Iterator[Page]:
    """A page that reaches this machine under another address, so that it has no secure context."""
    browser = browsers.another(chromium_path, [f"--host-resolver-rules=MAP {OTHER_MACHINE} 127.0.0.1"])
    yield browser.new_page(viewport=SMALL_TABLET, **QUIET)
    browser.close()


@pytest.fixture
def mistakes(page) -> list[str]:
    """What the page's console and network show as errors; requests that end with their page are none."""
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", lambda message: found.append(message.text) if message.type in ("error", "warning") else None)
    page.on("response", lambda answer: found.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None)
    page.on(
        "requestfailed",
        lambda request: (
            found.append(f"{request.failure} {request.url}") if request.failure != "net::ERR_ABORTED" else None
        ),
    )
    return found


def test_no_screen_of_an_evening_logs_an_error_over_plain_http(hand_app, serve, page, mistakes) -> None:
    """From the front door to the result, and the pages beside the game."""
    address = f"http://{OTHER_MACHINE}:{urlsplit(serve(hand_app)).port}/"
    client, evening = EveningClient(hand_app), EveningPage(page, address)
    client.post("/api/source", source="none")
    page.goto(address)
    assert not page.evaluate("window.isSecureContext")
    expect(page.locator(".doors")).to_be_visible()
    evening.set_up("Ada", "Bo", choices=["1"])
    evening.begins("Ada")
    evening.lay(["red 10", "red 11", "red 12"], ["red 13"])
    evening.hears("Not allowed")
    page.locator("#all-about").click()
    expect(page.locator("dialog .fix").first).to_be_visible()
    page.keyboard.press("Escape")
    client.act("stand")
    client.act("restored")
    evening.is_on("Bo")
    evening.rummikub()
    evening.show_rack("Ada", "black 5")
    expect(page.locator("#panel h2")).to_have_text("Bo wins the evening")
    for path in ("first", "evenings", "scoreboard", "overlay", "camera"):
        page.goto(f"{address}{path}")
        expect(page.locator("body")).to_be_visible()
        page.wait_for_load_state()
    assert not mistakes, "\n".join(mistakes)


def test_no_page_of_a_hall_logs_an_error_over_plain_http(tmp_path, page, mistakes) -> None:
    with serving(hall(Database(f"sqlite:///{tmp_path}/club.sqlite3"))) as served:
        for path in ("", "projector", "arbiter", "desk", "results"):
            page.goto(f"http://{OTHER_MACHINE}:{urlsplit(served).port}/{path}")
            expect(page.locator("h1, h2").first).to_be_attached()
            page.wait_for_load_state()
    assert not mistakes, "\n".join(mistakes)
