"""The host's link: it makes a browser of this machine the host's, and nobody else's."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.cookies import cookie_of
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.doorkeeper.host_key import HOST_COOKIE, HostKey
from tilekeeper.companion.web.api.extensions import parts

KEY = HostKey("key")
TABLET = {"REMOTE_ADDR": "192.168.1.30"}
LINK = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


@pytest.fixture
def app(make_app) -> Flask:
    """An app with a host's key, as `tilekeeper run` starts it."""
    return make_app(NoSource(), watch=False, host_key=KEY)


@pytest.fixture
def browser_here(app: Flask) -> FlaskClient:
    """A browser of this machine that has not opened the host's link."""
    return app.test_client()


def is_host(browser: FlaskClient, **environ: str) -> bool:
    answer = browser.get("/api/access", environ_base=environ)
    return answer.status_code == 200 and answer.get_json()["you"]["host"]


def test_browser_of_this_machine_is_the_host_only_after_the_link(browser_here):
    """Another user of this machine, and whoever comes through a reverse proxy on it, has no key."""
    assert browser_here.get("/").headers["Location"] == "/join"
    page = browser_here.get("/join").get_data(as_text=True)
    assert "Open the link that it showed at its start" in page
    for path, body in (("/api/sources/preview", {"source": "0"}), ("/api/access/renew", {})):
        assert browser_here.post(path, json=body).status_code == 401
    assert not is_host(browser_here)
    opened = browser_here.get("/host/key", headers=LINK)  # from another program
    assert "url=/" in opened.get_data(as_text=True)
    cookie = cookie_of(browser_here, HOST_COOKIE)
    assert (cookie.http_only, cookie.same_site) == (True, "Strict")
    assert is_host(browser_here)


@pytest.mark.parametrize("key", ["wrong", "%FF", "key%20", "Key"])
def test_wrong_link_leads_to_the_join_page(browser_here, key):
    assert browser_here.get(f"/host/{key}").headers["Location"] == "/join"
    assert not is_host(browser_here)


def test_key_opens_nothing_for_another_machine(app, browser_here):
    assert browser_here.get("/host/key", environ_base=TABLET).headers["Location"] == "/join"
    assert cookie_of(browser_here, HOST_COOKIE) is None
    browser_here.get("/host/key")
    assert not is_host(browser_here, **TABLET)
    assert "Open the link" not in browser_here.get("/join", environ_base=TABLET).get_data(as_text=True)


def test_browser_of_this_machine_without_the_key_can_join_as_a_tablet(app, browser_here):
    assert browser_here.post("/api/join", json={"code": parts(app).access.code, "name": "Bo"}).status_code == 200
    assert browser_here.get("/api/access").get_json()["you"] == {
        "id": parts(app).access.devices[0].id,
        "name": "Bo",
        "host": False,
        "controls": True,
    }
