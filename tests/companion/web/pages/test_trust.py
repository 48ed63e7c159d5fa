"""The page about trust, in browsers that do and do not trust the certificate."""

import pytest
from playwright.sync_api import expect

from tests.support.browsing import PHONE, TABLET
from tests.support.game_night_client import EveningClient
from tests.support.game_night_page import EveningPage
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.web.api.extensions import parts

ANDROID = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Version/17.0 Safari/604.1"


@pytest.fixture
def app(make_app):
    """An app that lets tablets in over https."""
    return make_app(NoSource(), watch=False, https=True)


@pytest.fixture
def address(app, serve) -> str:
    """The address of the app."""
    return serve(app)


@pytest.fixture
def open_one(browser):
    """Opens a page; browsers log refused certificates as errors, so errors are allowed here."""
    contexts = []

    def open_one(address: str, **options: object):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.goto(address)
        return page

    yield open_one
    for context in contexts:
        context.close()


@pytest.mark.parametrize(
    ("agent", "platform", "file"),
    [(ANDROID, "android", "tilekeeper.crt"), (IPHONE, "apple", "tilekeeper.mobileconfig")],
)
def test_phone_without_trust_is_shown_the_steps_for_its_kind(address, open_one, agent, platform, file):
    page = open_one("about:blank", viewport=PHONE, user_agent=agent)
    with page.expect_event("requestfailed", lambda request: "seen.svg" in request.url):
        page.goto(f"{address}trust")
    expect(page.locator("details[open]")).to_have_id(f"platform-{platform}")
    expect(page.locator("#trusted")).to_have_attribute("data-kind", "waiting")
    with page.expect_download() as download:
        page.locator("details[open] .button").click()
    assert download.value.suggested_filename == file


def test_page_about_trust_leads_to_https_once_trusted(app, address, open_one):
    page = open_one(f"{address}trust", viewport=TABLET, ignore_https_errors=True)
    expect(page.locator("#trusted")).to_have_attribute("data-kind", "done")
    EveningClient(app).deal("Ada", "Bo")
    page.locator("#go-on").click()
    page.wait_for_url(address.replace("http:", "https:"))
    evening = EveningPage(page, address)
    evening.is_on("Ada")
    assert page.evaluate("window.isSecureContext")
    evening.press("Draw", exact=True)
    evening.is_on("Bo")


def test_host_shows_both_qr_codes(app, address, open_one):
    EveningClient(app).deal("Ada", "Bo")
    parts(app).access.address = "https://192.0.2.7:8645/"
    page = open_one(address, viewport=TABLET)
    EveningPage(page, address).is_on("Ada")
    page.locator("#open-menu").click()
    EveningPage(page, address).press("Tablets and phones")
    expect(page.locator(".join .address")).to_have_text(["http://192.0.2.7:8645/trust", "https://192.0.2.7:8645"])
    for code in page.locator(".qr").all():
        expect(code).to_have_js_property("complete", value=True)
        assert code.evaluate("image => image.naturalWidth") > 100
