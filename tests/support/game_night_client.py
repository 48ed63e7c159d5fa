"""A client that plays a game night like a page, and validates every answer by the OpenAPI document."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from jsonschema_rs import Draft202012Validator
from werkzeug.test import TestResponse

from tests.support.cookies import cookie_name, cookie_of
from tilekeeper.companion.doorkeeper.cookies import CSRF_COOKIE
from tilekeeper.companion.doorkeeper.host_key import HOST_COOKIE
from tilekeeper.companion.doorkeeper.origin import CSRF_HEADER
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.openapi import document


class EveningClient:
    """Presses buttons of a game night; `refused` is for requests that must fail."""

    def __init__(self, app: Flask, **environ: str) -> None:
        self.http: FlaskClient = app.test_client()
        self.http.environ_base |= environ
        host_key = parts(app).settings.host_key
        if host_key is not None:
            self.http.set_cookie(cookie_name(HOST_COOKIE), host_key.value)
        self._document = _document_of(app)

    def get(self, path: str) -> Any:
        """Return the validated answer to a GET request."""
        answer = self.http.get(path)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return self._checked("get", path, answer)

    def post(self, path: str, **body: object) -> Any:
        """Return the answer to a POST request that must succeed."""
        answer = self.send(path, body)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return self._checked("post", path, answer)

    def refused(self, path: str, **body: object) -> dict[str, Any]:
        """Return the answer to a POST request that must fail: the reason, with its status."""
        answer = self.send(path, body)
        assert answer.status_code >= 400, answer.get_data(as_text=True)
        answer_json = self._checked("post", path, answer)
        assert answer_json["error"]
        assert "\n" not in answer_json["error"]
        return answer_json | {"status": answer.status_code}

    def send(self, path: str, body: object) -> TestResponse:
        """Send a POST request with the CSRF token from the cookie, as a page does."""
        cookie = cookie_of(self.http, CSRF_COOKIE)
        return self.http.post(path, json=body, headers={} if cookie is None else {CSRF_HEADER: cookie.value})

    @property
    def state(self) -> dict[str, Any]:
        """The current state."""
        return self.get("/api/state")

    @property
    def evening(self) -> dict[str, Any]:
        """The current game night."""
        return self.state["evening"]

    def begin(self, *names: str, edition: str = "large-numbers", **more: object) -> dict[str, Any]:
        """Begin a game night with some players."""
        seats = [{"people": [name]} for name in names or ("Ada", "Bo")]
        return self.post("/api/evenings", seats=seats, edition=edition, **more)["evening"]

    def deal(self, *names: str, edition: str = "large-numbers", **more: object) -> dict[str, Any]:
        """Begin a game night up to the first turn, which is the first player's."""
        self.begin(*names, edition=edition, **more)
        self.act("starter", player=0, overruled=True)
        return self.act("deal")

    def act(self, what: str, **body: object) -> dict[str, Any]:
        """Press a button that must work; return the game night after it."""
        revision = self.http.get("/api/state").get_json()["evening"]["revision"]
        return self.post(f"/api/evening/{what}", revision=revision, **body)["evening"]

    def act_refused(self, what: str, **body: object) -> dict[str, Any]:
        """Press a button that must be refused, and check that nothing changes."""
        before = self.evening
        answer_json = self.refused(f"/api/evening/{what}", revision=before["revision"], **body)
        after = self.evening
        beside: dict[str, Any] = {"clock": 0, "opening": 0}  # these change without an action
        assert after | beside == before | beside
        return answer_json

    def _checked(self, method: str, path: str, answer: TestResponse) -> Any:
        validator = _validator(self._template(path), method, "200" if answer.status_code == 200 else "default")
        if validator is None:
            return answer.data
        answer_json = answer.get_json()
        validator.validate(answer_json)
        return answer_json

    def _template(self, path: str) -> str:
        parts = path.partition("?")[0].split("/")
        for template in self._document["paths"]:
            pieces = template.split("/")
            if len(pieces) == len(parts) and all(
                piece == part or "{" in piece for piece, part in zip(pieces, parts, strict=True)
            ):
                return template
        raise AssertionError(f"{path} is not in the document")


_documents: dict[int, dict[str, Any]] = {}


def _document_of(app: Flask) -> dict[str, Any]:
    if not _documents:
        _documents[0] = document(app)  # the same for every app
    return _documents[0]


@cache
def _validator(template: str, method: str, status: str) -> Draft202012Validator | None:
    """Return the validator of an answer; None if the answer is not JSON."""
    described = _documents[0]["paths"][template][method]["responses"][status]["content"]
    if "application/json" not in described:
        return None
    return Draft202012Validator({"components": _documents[0]["components"], **described["application/json"]["schema"]})


def words(items: Iterable[dict[str, Any]]) -> list[str]:
    """Return the sentences of a history."""
    return [item["text"] for item in items]
