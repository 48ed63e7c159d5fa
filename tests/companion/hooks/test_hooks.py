"""The events of a real game night arrive at a real server, valid by the API document and without tiles."""

import json

import pytest
from jsonschema_rs import Draft202012Validator

from tests.support.game_night_client import EveningClient
from tests.support.hook_server import HookServer
from tests.support.watched_game_night import Clock
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.hooks import hooks
from tilekeeper.companion.web.api.extensions import parts

pytestmark = pytest.mark.slow  # real sockets

OPENING = "K10 B10 O10"
NOBODY = "http://127.0.0.1:9/"
"""An address at which nobody listens; it must not delay the other hooks."""


def test_events_of_an_evening_arrive_in_order_and_name_no_tiles(make_app):
    server, clock = HookServer(), Clock()
    try:
        app = make_app(NoSource(), watch=False, now=clock, hooks=(NOBODY, server.url))
        parts(app).hooks.start()
        client = EveningClient(app)
        client.deal("Ada", "Bo", rounds=1)
        client.act("resume")
        for _ in range(round(client.evening["clock"]["limit_s"]) - 12):
            clock.now_s += 1
            parts(app).timekeeper.tick()
        client.act("done", table="R3 R4 R5")
        client.act("done", table=OPENING)
        client.act("draw")
        client.act("undo")
        client.act("draw")
        client.act("rack-count", player=0, tiles=0)
        client.act("rack", player=1, tiles="R1 R2 J")
        messages = server.wait_for(taken=8)
    finally:
        server.stop()
    document = client.get("/api/openapi.json")
    for message in messages:
        body = document["webhooks"][message["event"]]["post"]["requestBody"]["content"]["application/json"]["schema"]
        Draft202012Validator({"components": document["components"], **body}).validate(message)
    summaries = [(message["event"], message.get("player"), message.get("kind")) for message in messages]
    assert summaries == [
        ("time-running-out", "Ada", None),
        ("verdict", "Ada", "illegal"),
        ("verdict", "Ada", "legal"),
        ("turn-ended", "Ada", "laid"),
        ("turn-ended", "Bo", "drew"),
        ("turn-ended", "Bo", "drew"),
        ("round-ended", None, None),
        ("evening-ended", None, None),
    ]
    assert messages[0]["left_s"] == 15
    assert messages[1]["faults"] == ["opening-too-low"]
    assert (messages[3]["laid"], messages[3]["next"], messages[3]["turn"]) == (3, "Bo", 1)
    assert messages[6]["scores"][0] == {"player": "Ada", "points": 33.0, "total": 33.0}
    assert messages[7]["winners"] == ["Ada"]
    text = json.dumps(messages)
    assert not any(tile in text for tile in ("R3", "K10", "red", "jpg", "picture", "rack"))


def test_error_in_a_hook_fails_no_press(make_app, monkeypatch):
    client = EveningClient(make_app(NoSource(), watch=False, hooks=(NOBODY,)))
    client.deal("Ada", "Bo")
    monkeypatch.setattr(hooks, "messages_between", lambda *_: 1 / 0)
    assert client.act("draw")["player"] == 1


def test_evening_that_is_opened_again_sends_no_old_events(make_app):
    server = HookServer()
    try:
        app = make_app(NoSource(), watch=False, hooks=(server.url,))
        parts(app).hooks.start()
        client = EveningClient(app)
        first = client.deal("Ada", "Bo")["id"]
        client.act("draw")
        server.wait_for(taken=1)
        client.deal("Cleo", "Dan")
        client.post("/api/evenings/open", id=first)
        client.act("draw")
        messages = server.wait_for(taken=2)
    finally:
        server.stop()
    assert [message["player"] for message in messages] == ["Ada", "Bo"]


def test_older_state_that_a_thread_brings_later_sends_nothing(make_app):
    server = HookServer()
    try:
        app = make_app(NoSource(), watch=False, hooks=(server.url,))
        client = EveningClient(app)
        client.deal("Ada", "Bo")
        before = parts(app).session.state
        client.act("draw")
        parts(app).hooks._consider(before)
        parts(app).hooks._consider(parts(app).session.state)
        parts(app).hooks.start()
        client.act("draw")
        messages = server.wait_for(taken=2)
    finally:
        server.stop()
    assert [message["player"] for message in messages] == ["Ada", "Bo"]
