"""Asks every endpoint of the served OpenAPI document for what Schemathesis makes up, in every role.

What must hold: no answer says that the server failed, and each is one that the document promises.
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
    """The app as somebody in a role asks it."""

    def asked(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        environ |= {"HTTP_HOST": "127.0.0.1", "HTTP_ACCEPT_ENCODING": "identity"}
        environ["REMOTE_ADDR"] = "127.0.0.1" if role == "host" else ELSEWHERE
        known_by = _known_by(app, role)
        if known_by is not None:
            cookie, token = known_by
            environ["HTTP_COOKIE"] = f"{cookie}={token}"
            environ[f"HTTP_{CSRF_HEADER.upper().replace('-', '_')}"] = csrf_token(token)
        answer = app.wsgi_app(environ, start_response)
        return _beginning(answer) if environ["PATH_INFO"] == "/events" else answer

    return asked


def _known_by(app: Flask, role: str) -> tuple[str, str] | None:
    """The cookie of somebody in a role and what is in it, None for none."""
    night = parts(app).session.state.activity.game_night
    if role == "player":
        return COOKIE, parts(app).access.join(parts(app).access.code, "Ada", ELSEWHERE)
    if role == "player's phone" and night is not None:
        pages = parts(app).private_pages
        return PLAYER_COOKIE, pages.enter(pages.invite(PageOwner(night.id, 1, came=1)))
    return None


def _beginning(stream: Iterable[bytes]) -> Iterator[bytes]:
    """The first events of a stream that never ends."""
    try:
        yield from islice(stream, 2)
    finally:
        getattr(stream, "close", lambda: None)()


def prepare(app: Flask) -> None:
    """See to it that a turn of an evening is played, about which there is a question."""
    night = parts(app).session.state.activity.game_night
    if night is not None and night.start() is not None:
        return
    EveningClient(app).deal("Ada", "Bo")


def measure(count: int, seed_: int = 1) -> Outcome:
    """Ask so many times, spread over roles and endpoints."""
    outcome = Outcome()
    with scratch_folder() as folder, watched(folder) as app:
        app.testing = False  # what fails is to be answered as at a table
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
    """Ask one endpoint so many times; what must not be."""
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
        # Of events Schemathesis reads the parts, which the document calls a text.
        checks = CHECKS[:-1] if operation.path == "/events" else CHECKS
        try:
            case.validate_response(response, checks=checks)
        except (Failure, FailureGroup) as failure:
            said = " ".join(str(failure).split())
            troubles.add(f"{operation.label}: {response.status_code} {said[:300]} {case.body!r:.120}")

    ask()
    return sorted(troubles)[:5]
