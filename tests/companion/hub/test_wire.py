"""Tables that connect to the hub over HTTP."""

import json

import pytest
from flask.testing import FlaskClient

from tests.support.club_phone import PHONE
from tests.support.club_tables import entry
from tilekeeper.companion.hub import wire
from tilekeeper.companion.hub.hub import Hub
from tilekeeper.companion.hub.settings import Role

HOLDS = "hall"
pytestmark = pytest.mark.slow  # a hub with its database for each


def test_table_without_a_broker_posts_and_fetches_over_http(
    client: FlaskClient, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a broker a table posts its messages and fetches its commands until it has acknowledged them."""
    table_topic, payload = entry("7", 1)
    body = {"topic": table_topic, "payload": json.loads(payload), "retain": False}
    assert client.post("/api/wire?table=7", json=body).status_code == 204
    assert client.post("/api/wire?table=7", json=body | {"topic": "x"}).status_code == 400
    assert client.post("/api/wire?table=8", json=body).status_code == 400
    assert client.post("/api/wire?table=7", json=[]).status_code == 400
    monkeypatch.setattr(wire, "LONGEST_WAIT_S", 0.1)
    for wait in ("nan", "inf", "-1", "1e300", "x"):
        assert client.get(f"/api/wire?table=9&wait={wait}").get_json() == {"messages": []}
    assert client.post("/api/wire?table=7", json=body, environ_base=PHONE).status_code == 403
    assert client.get("/api/wire?table=7&wait=0").get_json() == {"messages": []}
    hub.desk.turn_clock(2, "pause", "Olga", Role.ARBITER)
    kinds = [one["payload"]["kind"] for one in client.get("/api/wire?table=3&wait=0").get_json()["messages"]]
    assert kinds == ["start", "start", "pause"]  # the first "start" is that of round 1
    assert client.get("/api/wire?table=3&wait=0").get_json() == {"messages": []}  # delivered a moment ago
    assert client.get("/api/wire?table=%2B").status_code == 404
