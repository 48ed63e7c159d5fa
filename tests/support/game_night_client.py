"""An evening as a page plays it: sends actions with the revision it knows, and holds every answer to the document."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from jsonschema_rs import Draft202012Validator
from werkzeug.test import TestResponse

from tilekeeper.companion.doorkeeper.origin import CSRF_COOKIE, CSRF_HEADER
from tilekeeper.companion.web.openapi import document


class EveningClient:
    """Presses buttons of an evening; `refused` is for those that must not work."""

    def __init__(self, app: Flask, **environ: str) -> None:
        self.http: FlaskClient = app.test_client()
        self.http.environ_base |= environ
        self._document = _document_of(app)

    def get(self, path: str) -> Any:
        """What a page fetches, held to the document."""
        answer = self.http.get(path)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return self._checked("get", path, answer)

    def post(self, path: str, **body: object) -> Any:
        """What a page sends and must succeed with."""
        answer = self.send(path, body)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return self._checked("post", path, answer)

    def refused(self, path: str, **body: object) -> dict[str, Any]:
        """What a page sends and must not succeed with: the answer that says why, with its status."""
        answer = self.send(path, body)
        assert answer.status_code >= 400, answer.get_data(as_text=True)
        said = self._checked("post", path, answer)
        assert said["error"]
        assert "\n" not in said["error"]
        return said | {"status": answer.status_code}

    def send(self, path: str, body: object) -> TestResponse:
        """Post as a page does, with the word that it reads from its cookie."""
        cookie = self.http.get_cookie(CSRF_COOKIE, domain="localhost")
        return self.http.post(path, json=body, headers={} if cookie is None else {CSRF_HEADER: cookie.value})

    @property
    def state(self) -> dict[str, Any]:
        """The state as it is."""
        return self.get("/api/state")

    @property
    def evening(self) -> dict[str, Any]:
        """The evening as it stands."""
        return self.state["evening"]

    def begin(self, *names: str, edition: str = "large-numbers", **more: object) -> dict[str, Any]:
        """Begin an evening with some players."""
        seats = [{"people": [name]} for name in names or ("Ada", "Bo")]
        return self.post("/api/evenings", seats=seats, edition=edition, **more)["evening"]

    def deal(self, *names: str, edition: str = "large-numbers", **more: object) -> dict[str, Any]:
        """Begin an evening up to the first turn, the first player to begin."""
        self.begin(*names, edition=edition, **more)
        self.act("starter", player=0, overruled=True)
        return self.act("deal")

    def act(self, what: str, **body: object) -> dict[str, Any]:
        """An action that must work; the evening after it."""
        revision = self.http.get("/api/state").get_json()["evening"]["revision"]
        return self.post(f"/api/evening/{what}", revision=revision, **body)["evening"]

    def act_refused(self, what: str, **body: object) -> dict[str, Any]:
        """An action that must be refused, and changes nothing."""
        before = self.evening
        said = self.refused(f"/api/evening/{what}", revision=before["revision"], **body)
        after = self.evening
        beside: dict[str, Any] = {"clock": 0, "opening": 0}  # go on by themselves
        assert after | beside == before | beside
        return said

    def _checked(self, method: str, path: str, answer: TestResponse) -> Any:
        validator = _validator(self._template(path), method, "200" if answer.status_code == 200 else "default")
        if validator is None:
            return answer.data
        said = answer.get_json()
        validator.validate(said)
        return said

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
    """What holds an answer to the document; None where that is no JSON."""
    described = _documents[0]["paths"][template][method]["responses"][status]["content"]
    if "application/json" not in described:
        return None
    return Draft202012Validator({"components": _documents[0]["components"], **described["application/json"]["schema"]})


def words(items: Iterable[dict[str, Any]]) -> list[str]:
    """The sentences of a history."""
    return [item["text"] for item in items]
