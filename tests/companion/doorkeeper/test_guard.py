"""The checks of every request, the same in both apps, on an app with three routes."""

from __future__ import annotations

import pytest
from flask import Blueprint, Flask, Response, request
from flask.testing import FlaskClient
from werkzeug.wrappers import Response as AnyResponse

from tilekeeper.companion.doorkeeper.cookies import CSRF_COOKIE, set_token_cookies
from tilekeeper.companion.doorkeeper.guard import Guard, expect_csrf_token
from tilekeeper.companion.doorkeeper.origin import CSRF_HEADER, csrf_token
from tilekeeper.companion.web.api.errors import handle_errors

TABLET = {"REMOTE_ADDR": "192.168.1.30"}
CROSS_SITE = {"Sec-Fetch-Site": "cross-site"}
LINK = {**CROSS_SITE, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
TOKEN = "a token"


def identify() -> AnyResponse | None:
    """Let everybody in; buttons need the CSRF token."""
    if request.method == "POST":
        expect_csrf_token(request, TOKEN)
    return None


def client(encrypts: bool) -> FlaskClient:
    """Return a client of a small app."""
    app = Flask(__name__)
    handle_errors(app)
    Guard(encrypts, frozenset(("page.styles",)), identify).protect(app)
    page = Blueprint("page", __name__)

    @page.get("/")
    def table() -> Response:
        response = Response("the table")
        set_token_cookies(response, "tablet", TOKEN, 60)
        return response

    @page.get("/styles")
    def styles() -> str:
        return "styles"

    @page.route("/api/draw", methods=["GET", "POST"])
    def draw() -> str:
        return "drawn"

    app.register_blueprint(page)
    tablet = app.test_client()
    tablet.environ_base |= TABLET
    return tablet


@pytest.fixture
def tablet() -> FlaskClient:
    """A client of an app over plain HTTP."""
    return client(encrypts=False)


@pytest.fixture
def over_tls() -> FlaskClient:
    """A client of an app over HTTPS."""
    return client(encrypts=True)


def test_host_of_another_site_is_refused(tablet: FlaskClient) -> None:
    answer = tablet.get("/", headers={"Host": "evil.example"})
    assert (answer.status_code, answer.get_json()["code"]) == (421, "not-found")


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", CROSS_SITE, 403),
        ("/", LINK, 200),
        ("/api/draw", LINK, 403),
        ("/api/draw", {"Sec-Fetch-Site": "same-site"}, 403),
        ("/api/draw", {"Sec-Fetch-Site": "same-origin"}, 200),
        ("/api/draw", {"Sec-Fetch-Site": "none"}, 200),
        ("/api/draw", {"Origin": "http://evil.example"}, 403),
        ("/api/draw", {"Origin": "http://localhost"}, 200),
        ("/api/draw", {"Origin": "https://localhost"}, 403),
        ("/api/draw", {}, 200),
    ],
)
def test_another_site_may_only_link_to_pages(
    tablet: FlaskClient, path: str, headers: dict[str, str], status: int
) -> None:
    assert tablet.get(path, headers=headers).status_code == status


@pytest.mark.parametrize(("token", "status"), [(None, 403), (csrf_token("another"), 403), (csrf_token(TOKEN), 200)])
def test_button_needs_the_csrf_token(tablet: FlaskClient, token: str | None, status: int) -> None:
    headers = {} if token is None else {CSRF_HEADER: token}
    assert tablet.post("/api/draw", headers=headers).status_code == status


def test_without_encryption_pages_lead_to_trust_and_the_rest_is_refused(over_tls: FlaskClient) -> None:
    assert over_tls.get("/").headers["Location"] == "/trust"
    answer = over_tls.get("/api/draw")
    assert (answer.status_code, answer.get_json()["code"]) == (403, "not-encrypted")
    assert over_tls.post("/api/draw", headers={CSRF_HEADER: csrf_token(TOKEN)}).status_code == 403


def test_public_files_this_machine_and_https_pass_where_encryption_is_on(over_tls: FlaskClient) -> None:
    assert over_tls.get("/styles").status_code == 200
    assert over_tls.get("/", base_url="https://localhost").status_code == 200
    assert over_tls.get("/", environ_overrides={"REMOTE_ADDR": "127.0.0.1"}).status_code == 200


@pytest.mark.parametrize(("base_url", "is_secure"), [("http://localhost", False), ("https://localhost", True)])
def test_token_is_hidden_from_scripts_and_its_csrf_token_is_not(
    tablet: FlaskClient, base_url: str, is_secure: bool
) -> None:
    cookies = {
        cookie.partition("=")[0]: cookie for cookie in tablet.get("/", base_url=base_url).headers.getlist("Set-Cookie")
    }
    assert all("SameSite=Strict" in cookie and "Max-Age=60" in cookie for cookie in cookies.values())
    assert all(("Secure" in cookie) is is_secure for cookie in cookies.values())
    port = 443 if is_secure else 80
    hidden = ["HttpOnly" in cookies[f"{name}-{port}"] for name in ("tablet", CSRF_COOKIE)]
    assert hidden == [True, False]


@pytest.mark.parametrize("path", ["/", "/nowhere"])
def test_answers_and_errors_carry_the_security_headers(tablet: FlaskClient, path: str) -> None:
    headers = tablet.get(path, base_url="https://localhost").headers
    assert headers["Cross-Origin-Resource-Policy"] == headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_plain_http_has_no_header_that_browsers_report_as_an_error(tablet: FlaskClient) -> None:
    """Browsers go by the address in the link, on the app's own machine as well."""
    assert "Cross-Origin-Opener-Policy" in tablet.get("/").headers
    headers = tablet.get("/", base_url="http://192.168.1.5:8645").headers
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Cross-Origin-Opener-Policy" not in headers
