"""Sends generated requests (Schemathesis) to every endpoint of the served OpenAPI document, in every role.

Requirements: no answer is a server error, and each answer is documented.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.benchmarks.reliability.apps import see_table, watched
from tests.benchmarks.reliability.report import Outcome
from tests.support.cookies import cookie_name
from tests.support.game_night_client import EveningClient
from tests.support.scratch import scratch_folder
from tilekeeper.companion.doorkeeper.origin import CSRF_HEADER, csrf_token
from tilekeeper.companion.session.private_pages import PageOwner
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.blueprints.access import COOKIE, PLAYER_COOKIE

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ROLES = ("host", "player", "player's phone", "stranger")
ELSEWHERE = "192.0.2.7"
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def as_role(app: Flask, role: str) -> Wsgi:
    """Return a client of the app in one role."""

    def asked(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        environ |= {"HTTP_HOST": "127.0.0.1", "HTTP_ACCEPT_ENCODING": "identity"}
        environ["REMOTE_ADDR"] = "127.0.0.1" if role == "host" else ELSEWHERE
        known_by = _known_by(app, role)
        if known_by is not None:
            cookie, token = known_by
            environ["HTTP_COOKIE"] = f"{cookie_name(cookie)}={token}"
            environ[f"HTTP_{CSRF_HEADER.upper().replace('-', '_')}"] = csrf_token(token)
        answer = app.wsgi_app(environ, start_response)
        return _beginning(answer) if environ["PATH_INFO"] == "/events" else answer

    return asked


def _known_by(app: Flask, role: str) -> tuple[str, str] | None:
    """Return the name and the value of a role's cookie, or None without one."""
    night = parts(app).session.state.activity.game_night
    if role == "player":
        return COOKIE, parts(app).access.join(parts(app).access.code, "Ada", ELSEWHERE)
    if role == "player's phone" and night is not None:
        pages = parts(app).private_pages
        return PLAYER_COOKIE, pages.enter(pages.invite(PageOwner(night.id, 1, came=1)))
    return None


def _beginning(stream: Iterable[bytes]) -> Iterator[bytes]:
    """Return the first events of an endless stream."""
    try:
        yield from islice(stream, 2)
    finally:
        getattr(stream, "close", lambda: None)()


def prepare(app: Flask) -> None:
    """Make sure that a turn with a question is being played."""
    night = parts(app).session.state.activity.game_night
    if night is not None and night.start() is not None:
        return
    EveningClient(app).deal("Ada", "Bo")


def measure(count: int, seed_: int = 1) -> Outcome:
    """Send `count` requests, spread over roles and endpoints."""
    outcome = Outcome()
    with scratch_folder() as folder, watched(folder) as app:
        app.testing = False  # errors must be answered as in production
        see_table(app)
        document = app.test_client().get("/api/openapi.json").get_json()
        each = math.ceil(count / len(ROLES) / sum(map(len, document["paths"].values())))
        for role in ROLES:
            schema = schemathesis.openapi.from_dict(document)
            schema.app = as_role(app, role)
            for operation in schema.get_all_operations():
                prepare(app)
                outcome.cases[f"as {role}"] += each
                outcome.troubles += [f"as {role}: {one}" for one in _attack(operation.ok(), each, seed_)]
    return outcome


def _attack(operation: Any, count: int, seed_: int) -> list[str]:
    """Send `count` requests to one endpoint; return the failures."""
    troubles: set[str] = set()

    @seed(seed_)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def ask(case: Any) -> None:
        response = case.call()
        # Schemathesis parses events into parts, but the document defines them as text
        checks = CHECKS[:-1] if operation.path == "/events" else CHECKS
        try:
            case.validate_response(response, checks=checks)
        except (Failure, FailureGroup) as failure:
            message = " ".join(str(failure).split())
            troubles.add(f"{operation.label}: {response.status_code} {message[:300]} {case.body!r:.120}")

    ask()
    return sorted(troubles)[:5]
