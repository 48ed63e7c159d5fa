"""The permissions of each role for each route agree with the table in `docs/security.md`."""

import re
from pathlib import Path

import pytest
from flask import Flask

from tests.support.game_night_client import EveningClient
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.doorkeeper.origin import CSRF_HEADER, csrf_token
from tilekeeper.companion.session.private_pages import PageOwner
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.blueprints.access import PLAYER_COOKIE

DOCUMENT = Path(__file__).parents[3] / "docs" / "security.md"
ROLES = ("another site", "stranger", "player's phone", "watching tablet", "tablet", "host")
MAY, LED_TO_JOIN, NOT = "yes", "join", "–"
BODIES: dict[str, dict[str, object]] = {
    "/api/source": {"source": "none"},
    "/api/sources/preview": {"source": "none"},
    "/api/camera": {"width_px": 640, "height_px": 480, "mjpg": True, "exposure_s": None},
    "/api/phone/choose": {"device": None},
    "/api/phone/controls": {"focus": "locked", "exposure": "locked", "white_balance": "locked"},
    "/api/access/control": {"device": "x", "controls": True},
    "/api/examples": {"agreed": False},
}
"""Bodies for routes that would refuse an invalid body before they check the role."""
_LAST = ("/api/private-page/end", "/api/evenings/leave", "/join", "/api/join", "/api/access/renew")
"""Routes that end the game night or the roles, called last and in this order."""


def client(app: Flask, role: str) -> EveningClient:
    """Return a client with a role; only the host and the tablets that it names may press buttons."""
    if role in ("host", "another site"):
        return EveningClient(app)
    one = EveningClient(app, REMOTE_ADDR="192.168.1.30")
    if role == "player's phone":
        pages = parts(app).private_pages
        night = parts(app).session.state.activity.game_night
        assert night is not None
        one.http.set_cookie(PLAYER_COOKIE, pages.enter(pages.invite(PageOwner(night.id, 1, came=1))))
    elif role != "stranger":
        access = parts(app).access
        one.post("/api/join", code=access.code, name=role)
        if role == "tablet":
            access.let_control(access.devices[-1].id, controls=True)
    return one


def answer_to(one: EveningClient, role: str, method: str, path: str) -> str:
    """Return whether the role is let in."""
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"} if role == "another site" else {}
    if method == "POST":
        body = BODIES.get(path, {})
        player = one.http.get_cookie(PLAYER_COOKIE)
        if player is not None:
            headers = {CSRF_HEADER: csrf_token(player.value)}
        answer = one.http.post(path, json=body, headers=headers) if headers else one.send(path, body)
    else:
        answer = one.http.get(path, headers=headers)
    answer.close()
    if answer.status_code == 302 and answer.headers["Location"] == "/join":
        return LED_TO_JOIN
    return NOT if answer.status_code in (401, 403) else MAY


def example(rule: str) -> str:
    """Return an example address of a route."""
    return (
        re.sub(r"<int:\w+>", "1", rule)
        .replace("<name>", "00001")
        .replace("<key>", "x")
        .replace("<rows>", "0.1")
        .replace("<evening>", "x")
    )


@pytest.fixture
def app(make_app) -> Flask:
    """An app with a game night in which only named tablets press buttons."""
    app = make_app(NoSource(), watch=False)
    EveningClient(app).deal(settings={"control": "host"})
    return app


def walked(app: Flask) -> dict[tuple[str, ...], list[str]]:
    """Return the routes, each as `GET /path`, by the roles that may use them."""
    found: dict[tuple[str, ...], list[str]] = {}
    people = {role: client(app, role) for role in ROLES}
    routes = sorted(
        (rule.rule, method)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    )
    routes.sort(key=lambda route: _LAST.index(route[0]) if route[0] in _LAST else -1)
    for rule, method in routes:
        row = tuple(answer_to(people[role], role, method, example(rule)) for role in ROLES)
        found.setdefault(row, []).append(f"{method} {rule}")
    return found


@pytest.mark.slow
def test_each_role_may_do_exactly_what_the_document_lists(app):
    lines = [
        f"| {', '.join(f'`{route}`' for route in sorted(routes))} | {' | '.join(row)} |"
        for row, routes in sorted(walked(app).items())
    ]
    table = "\n".join(lines)
    assert table in DOCUMENT.read_text("utf-8"), f"docs/security.md should hold\n{table}"
