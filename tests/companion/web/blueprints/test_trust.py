"""Pages over plain HTTP when HTTPS is on, and the certificate that a tablet installs."""

import plistlib

import pytest
from cryptography import x509
from flask import Flask
from flask.testing import FlaskClient

from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.doorkeeper.cookies import CSRF_COOKIE
from tilekeeper.companion.storage.certificates import Certificates
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.blueprints.access import COOKIE

TABLET = "192.168.1.30"


@pytest.fixture
def app(make_app) -> Flask:
    """An app that lets tablets in over https."""
    app = make_app(NoSource(), watch=False, https=True)
    parts(app).access.address = "https://192.168.1.5:8645/"
    return app


@pytest.fixture
def certificates(app: Flask) -> Certificates:
    """The certificates of the app."""
    found = parts(app).certificates
    assert found is not None
    return found


@pytest.fixture
def tablet(app: Flask) -> FlaskClient:
    """A tablet in the network that has not joined."""
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = TABLET
    return client


@pytest.mark.parametrize("path", ["/", "/setup", "/join", "/join?code=ABCDEF"])
def test_page_on_plain_http_redirects_to_the_page_about_trust(tablet, path):
    answer = tablet.get(path)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/trust")


@pytest.mark.parametrize("method", ["get", "post"])
def test_other_requests_on_plain_http_are_refused(app, tablet, method):
    secure = {"base_url": "https://192.168.1.5:8645/"}
    tablet.post("/api/join", json={"code": parts(app).access.code, "name": "Ada's"}, **secure)
    for rule in app.url_map.iter_rules():
        in_plain = rule.endpoint.startswith(("trust.", "assets.", "shell.manifest"))
        if in_plain or method.upper() not in (rule.methods or ()):
            continue
        path = rule.rule.replace("<int:", "<").replace("<name>", "1").replace("<number>", "1").replace("<tile>", "1")
        answer = getattr(tablet, method)(path.replace("<reading>", "1").replace("<rows>", "1"))
        assert answer.status_code in (302, 403), rule
        assert answer.status_code == 403 or answer.headers["Location"] == "/trust"


def test_tablet_joins_over_https_with_secure_cookies(app, tablet):
    secure = {"base_url": "https://192.168.1.5:8645/"}
    answer = tablet.post("/api/join", json={"code": parts(app).access.code, "name": "Ada's"}, **secure)
    cookies = answer.headers.getlist("Set-Cookie")
    assert {cookie.partition("=")[0] for cookie in cookies} == {f"{COOKIE}-8645", f"{CSRF_COOKIE}-8645"}
    assert all("; Secure" in cookie and "SameSite=Strict" in cookie for cookie in cookies)
    assert tablet.get("/api/state", **secure).status_code == 200
    assert "Strict-Transport-Security" not in answer.headers


def test_this_machine_itself_needs_no_certificate(app):
    assert app.test_client().get("/setup").status_code == 200


def test_installed_profile_has_the_authority_and_no_key(tablet, certificates):
    answer = tablet.get("/trust/tilekeeper.crt")
    assert answer.mimetype == "application/x-x509-ca-cert"
    assert x509.load_der_x509_certificate(answer.data) == certificates.authority
    answer = tablet.get("/trust/tilekeeper.mobileconfig")
    assert answer.mimetype == "application/x-apple-aspen-config"
    profile = plistlib.loads(answer.data)
    (root,) = profile["PayloadContent"]
    assert root["PayloadType"] == "com.apple.security.root"
    assert x509.load_der_x509_certificate(root["PayloadContent"]) == certificates.authority
    assert b"PRIVATE" not in answer.data


def test_host_gets_the_address_and_fingerprint_to_trust(app, certificates):
    access = app.test_client().get("/api/access").get_json()
    assert access["address"] == "https://192.168.1.5:8645/"
    assert access["trust"] == {"address": "http://192.168.1.5:8645/trust", "fingerprint": certificates.fingerprint}
    assert app.test_client().get("/api/access/trust-qr.svg").mimetype == "image/svg+xml"


def test_without_https_there_is_nothing_to_trust(make_app):
    plain = make_app(NoSource(), watch=False)
    for path in ("/trust", "/trust/tilekeeper.crt", "/trust/tilekeeper.mobileconfig", "/trust/seen.svg"):
        assert plain.test_client().get(path).status_code == 404
    assert plain.test_client().get("/api/access").get_json()["trust"] is None
