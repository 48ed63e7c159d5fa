"""A phone as the table camera, with the fake camera of a real browser: a film of a rendered table is judged."""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask import Flask
from playwright.sync_api import Browser, expect

from tests.support.browsing import LONGEST_MS, PHONE, Browsers
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.rendered_tables import WH, RenderedTables
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.app import create_app
from tilekeeper.engine.rules.editions import rule_set

pytestmark = pytest.mark.slow

BEFORE, AFTER = "R3 R4 R5 | K8 B8 O8", "R3 R4 R5 | K8 B8 O8 | K10 B10 O10"
BEFORE_S, HAND_S, AFTER_S = 10, 2, 80
"""A film has one picture a second and must last until a slow machine has given its verdict."""


@pytest.fixture(scope="module")
def tables() -> RenderedTables:
    """The tables of the film, and their reader."""
    return RenderedTables()


@pytest.fixture(scope="module")
def film(tables: RenderedTables, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A film of a table, a hand that lays a meld, and the table after it."""
    path = tmp_path_factory.mktemp("film") / "game.y4m"
    pictures = [tables.table(BEFORE)] * BEFORE_S + [tables.hand() for _ in range(HAND_S)]
    pictures += [tables.table(AFTER)] * AFTER_S
    with path.open("wb") as file:
        file.write(f"YUV4MPEG2 W{WH[0]} H{WH[1]} F1:1 Ip A1:1 C420jpeg\n".encode())
        for picture in pictures:
            file.write(b"FRAME\n" + np.ascontiguousarray(cv2.cvtColor(picture, cv2.COLOR_BGR2YUV_I420)).tobytes())
    return path


@pytest.fixture(scope="module")
def browser(browsers: Browsers, chromium_path: str, film: Path) -> Iterator[Browser]:
    """A browser whose fake camera shows the film."""
    camera = (
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    )
    started = browsers.another(chromium_path, camera)
    expect.set_options(timeout=2 * LONGEST_MS)
    yield started
    expect.set_options(timeout=LONGEST_MS)
    started.close()


@pytest.fixture
def app(tables: RenderedTables, tmp_path: Path) -> Flask:
    """An app without a source that reads these tables."""
    source = NoSource()
    app = create_app(
        Settings(rule_set("large-numbers"), source, tables, source.name, tmp_path, user=UserSettings(still_after_s=0.1))
    )
    parts(app).start()
    return app


def test_turn_filmed_by_a_phone_is_judged(app, serve, open_page):
    address = serve(app)
    phone = open_page(f"{address}camera", PHONE)
    under_way, most = set(), 0

    def count_requests(request) -> None:
        nonlocal most
        if request.url.endswith("/api/phone/picture"):
            under_way.add(request)
            most = max(most, len(under_way))

    phone.on("request", count_requests)
    phone.on("requestfinished", lambda request: under_way.discard(request))
    phone.on("requestfailed", lambda request: under_way.discard(request))
    # The host's own phone needs no permission; other phones do.
    phone.get_by_role("button", name="Use this phone as the camera").click()
    expect(phone.locator("#phone")).to_have_attribute("data-state", "sending")
    host = EveningClient(app)

    def sees(table: str) -> None:
        for _ in range(600):
            state = host.state
            if state["settled"] and state["reading"] and state["reading"]["table"] == table:
                return
            phone.wait_for_timeout(100)
        raise AssertionError(f"{table} was not read: {host.state['source']} {host.state['reading']}")

    sees(BEFORE)
    host.deal("Ada", "Bo")
    host.act("table")
    host.act("resume")
    tablet = open_page(address)
    EveningPage(tablet, address).is_on("Ada")
    sees(AFTER)
    EveningPage(tablet, address).press("Done")
    expect(tablet.locator("#verdict")).to_have_attribute("data-kind", "legal")
    EveningPage(tablet, address).is_on("Bo")
    assert most == 1

    # A closed page of the phone is reported, and the game goes on by hand.
    phone.close()
    expect(tablet.locator("#notice")).to_contain_text("The phone sends no pictures")


def test_host_allows_a_phone_to_be_the_camera(app, serve, open_page):
    address = serve(app)
    access = parts(app).access
    access.address = "https://192.0.2.7:8645/"
    phone = EveningClient(app, REMOTE_ADDR="192.168.1.30")
    phone.post("/api/join", code=access.code, name="Ada's phone")
    setup = open_page(f"{address}setup#camera")
    setup.get_by_role("button", name="A phone's camera").click()
    # Without https the page itself says what to do.
    expect(setup.locator("#phones code")).to_have_text("tilekeeper run --source phone --lan --https")
    setup.route("**/api/phones", lambda route: route.fulfill(json=route.fetch().json() | {"secure": True}))
    expect(setup.locator("#phones .address")).to_have_text("https://192.0.2.7:8645/camera")
    phone.post("/api/phone/ask")
    setup.locator("#step-players").click()  # on every page and step
    setup.get_by_role("button", name="Allow").click()
    expect(setup.get_by_role("button", name="Allow")).to_have_count(0)
    setup.locator("#step-camera").click()
    expect(setup.locator("#phones")).to_contain_text("The camera is Ada's phone.")


def test_joined_phone_is_offered_to_be_the_camera_until_one_is(app, serve, open_page):
    """The offer stands above the game too, and the host allows it there."""
    parts(app).sources.watch("phone")
    EveningClient(app).deal("Ada", "Bo")
    address = serve(app)
    access = parts(app).access
    adas = EveningClient(app, REMOTE_ADDR="192.168.1.30")
    adas.post("/api/join", code=access.code, name="Ada's phone")
    phone = open_page("about:blank", PHONE)
    phone.route("**/api/access", lambda route: route.fulfill(json=not_the_host(route)))
    phone.goto(address)
    expect(phone.locator("#notice a", has_text="Use this phone as the camera")).to_have_attribute("href", "/camera")
    host = open_page(address)
    adas.post("/api/phone/ask")
    host.locator("#notice").get_by_role("button", name="Allow").click()
    expect(host.locator("#notice")).not_to_contain_text("wants to be the camera")
    assert EveningClient(app).get("/api/phones")["chosen"]["name"] == "Ada's phone"


def not_the_host(route) -> dict:
    """Return the answer of `/api/access` for a tablet that is not the host's."""
    access = route.fetch().json()
    return access | {"you": access["you"] | {"host": False}}
