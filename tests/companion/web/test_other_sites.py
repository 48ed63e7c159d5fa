"""Pages of other sites, in a browser in the network, can neither change nor read anything."""

import pytest
from flask import Flask

from tests.support.cookies import cookie_name
from tests.support.game_night_client import EveningClient
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.doorkeeper.cookies import CSRF_COOKIE
from tilekeeper.companion.web.api.extensions import parts

TABLET = {"REMOTE_ADDR": "192.168.1.30"}
FETCH = {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
LINK = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


@pytest.fixture
def host(make_app) -> EveningClient:
    """The host's page."""
    return EveningClient(make_app(NoSource(), watch=False))


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize(
    "path", ["/", "/api/state", "/events", "/api/whole.jpg", "/picture/1.jpg", "/api/access/qr.svg"]
)
def test_other_site_can_not_fetch_data(host, site, path):
    answer = host.http.get(path, headers={"Sec-Fetch-Site": site, **FETCH})
    assert (answer.status_code, answer.get_json()["code"]) == (403, "other-site")


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site", **FETCH}, {"Host": "evil.example"}])
def test_other_site_can_not_choose_a_language(host, headers):
    answer = host.http.get("/offline?language=de", headers=headers)
    assert answer.status_code in (403, 421)
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site", **LINK}, {"Origin": "http://evil.example"}])
@pytest.mark.parametrize("path", ["/api/evenings", "/api/scan", "/api/sources/preview", "/api/join"])
def test_other_site_can_not_press_buttons(host, headers, path):
    answer = host.http.post(path, headers=headers, json={"source": "http://192.168.1.1/"})
    assert (answer.status_code, answer.get_json()["code"]) == (403, "other-site")


def test_link_on_another_site_opens_only_pages(host):
    link = {"Sec-Fetch-Site": "cross-site", **LINK}
    assert host.http.get("/setup", headers=link).status_code == 200
    assert host.http.get("/api/whole.jpg", headers=link).status_code == 403


def test_requests_of_the_page_itself_and_of_programs_are_allowed(host):
    same_origin = {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost", **FETCH}
    assert host.http.get("/api/state", headers=same_origin).status_code == 200
    assert host.http.post("/api/evenings/leave", json={}, headers=same_origin).status_code == 200
    assert host.http.post("/api/evenings/leave", json={}).status_code == 200


def test_preview_of_a_source_needs_a_post(host):
    assert host.http.get("/api/sources/preview?source=http://192.168.1.1/").status_code == 405


def test_tablet_needs_its_csrf_token_beside_its_cookie(make_app):
    app: Flask = make_app(NoSource(), watch=False)
    tablet = EveningClient(app, **TABLET)
    tablet.post("/api/join", code=parts(app).access.code, name="Ada")
    cookies = {cookie.key: cookie for cookie in tablet.http._cookies.values()}  # type: ignore[attr-defined]
    assert all(cookie.same_site == "Strict" for cookie in cookies.values())
    answer = tablet.http.post("/api/evenings/leave", json={})
    assert (answer.status_code, answer.get_json()["code"]) == (403, "other-site")
    tablet.post("/api/evenings/leave")
    tablet.http.delete_cookie(cookie_name(CSRF_COOKIE))
    tablet.http.get("/")  # a tablet without a CSRF token gets one with the page
    tablet.post("/api/evenings/leave")


def test_every_answer_keeps_other_sites_from_using_it(host):
    for path in ("/", "/api/state", "/nowhere"):
        headers = host.http.get(path).headers
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_missing_pictures_and_deeply_nested_bodies_get_documented_refusals(host):
    for path in ("/picture/99.jpg", "/crop/9/9.jpg", "/crop/9/rows/0.1.jpg"):
        answer = host.http.get(path)
        assert (answer.status_code, answer.get_json()["code"]) == (404, "not-found")
    nested = "[" * 60_000 + "]" * 60_000
    for body in (nested, f'{{"seats": {nested[:50_000]}}}'):
        answer = host.http.post("/api/evenings", data=body, content_type="application/json")
        assert answer.status_code in (400, 413)
        assert answer.get_json()["error"]
