"""The installable app: its icons, and the offline page."""

import io
import struct

import cv2
import numpy as np
import pytest
from flask import Flask
from playwright.sync_api import expect

from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tests.support.icons import SIZES, STATIC, WHOLE, draw_icon
from tilekeeper.companion.capture.no_source import NoSource

KEPT = """async () => {
  const caches_kept = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
  const kept = await Promise.all(caches_kept.map((cache) => cache.keys()));
  return kept.flat().map((request) => new URL(request.url).pathname);
}"""


@pytest.fixture
def app(make_app) -> Flask:
    """An app without a camera; Ada's first turn is being played."""
    app = make_app(NoSource(), watch=False)
    EveningClient(app).deal("Ada", "Bo")
    return app


def size_of(png: bytes) -> tuple[int, int]:
    """Return width and height of a PNG, from its header."""
    return struct.unpack(">II", io.BytesIO(png[16:24]).read())


def test_page_can_be_installed_as_an_app(app):
    stranger = EveningClient(app, REMOTE_ADDR="192.168.1.30").http
    answer = stranger.get("/manifest.webmanifest")
    assert answer.mimetype == "application/manifest+json"
    manifest = answer.get_json()
    assert (manifest["start_url"], manifest["display"]) == ("/", "standalone")
    for icon in manifest["icons"]:
        file = stranger.get(icon["src"])
        assert (file.status_code, file.mimetype) == (200, icon["type"])
        if icon["type"] == "image/png":
            assert f"{size_of(file.data)[0]}x{size_of(file.data)[1]}" == icon["sizes"]
    assert {icon.get("purpose") for icon in manifest["icons"]} == {None, "maskable"}


@pytest.mark.parametrize("name", [*SIZES, *WHOLE])
def test_icons_are_drawn_from_the_icon(browser, name):
    kept, anew = ((STATIC / name).read_bytes(), draw_icon(browser, name))
    assert size_of(kept) == size_of(anew)
    pictures = [cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED).astype(int) for png in (kept, anew)]
    assert np.abs(pictures[0] - pictures[1]).mean() < 2  # other versions of Chromium may draw edges differently


def test_offline_page_explains_what_to_check_and_returns_by_itself(app, serve, open_page):
    address = serve(app)
    page = open_page(address, service_workers="allow")
    evening = EveningPage(page, address)
    evening.is_on("Ada")
    page.evaluate("navigator.serviceWorker.ready")
    page.wait_for_function("navigator.serviceWorker.controller !== null")
    assert page.evaluate(KEPT) == ["/offline"]
    # Answers of the app are never cached: the state passes through the worker.
    EveningClient(app).act("draw")
    evening.is_on("Bo")
    page.reload()
    evening.is_on("Bo")

    page.context.set_offline(True)
    page.reload()
    expect(page.locator("#offline")).to_contain_text("same wifi")
    expect(page.locator(".seat")).to_have_count(0)
    EveningClient(app).act("draw")
    page.context.set_offline(False)
    evening.is_on("Ada")  # the page has reloaded by itself
