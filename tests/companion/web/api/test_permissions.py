"""Every route in every state of the table with every role: the answers agree with the table in `docs/security.md`."""

from pathlib import Path

import pytest

from tests.support.game_night_client import EveningClient
from tests.support.route_walk import STATES, Walk, leave
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.doorkeeper.host_key import HostKey
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.api.permissions import PERMISSIONS

DOCUMENT = Path(__file__).parents[4] / "docs" / "security.md"


def test_each_endpoint_has_a_row_in_the_table_of_permissions(hand_app):
    assert set(PERMISSIONS) == set(hand_app.view_functions)


@pytest.mark.slow
def test_every_route_in_every_state_with_every_role_answers_as_the_document_lists(make_app, tmp_path):
    walked = Walk()
    for number, state in enumerate(STATES):
        folder, key = tmp_path / str(number), HostKey(f"key {number}")
        walked.add(state, make_app(NoSource(), watch=False, data_folder=folder, host_key=key))
    table = walked.table()
    assert table in DOCUMENT.read_text("utf-8"), f"docs/security.md should hold\n{table}"


def test_tablet_sees_only_the_pictures_of_the_evening_in_play(hand_app):
    host, tablet = EveningClient(hand_app), EveningClient(hand_app, REMOTE_ADDR="192.168.1.30")
    tablet.post("/api/join", code=host.get("/api/access")["code"], name="Tablet")
    first = host.deal()["id"]
    second = host.deal()["id"]
    for evening, status in ((first, 403), (second, 200)):
        assert tablet.http.get(f"/api/evenings/{evening}/turns").status_code == status
        assert host.http.get(f"/api/evenings/{evening}/turns").status_code == 200


def test_round_that_was_left_is_remembered_after_a_restart(make_app, camera):
    app = make_app(NoSource(), watch=False)
    leave(EveningClient(app))
    parts(app).close()
    host = EveningClient(make_app(NoSource(), watch=False))
    assert host.get("/api/sources")["racks"] is True
    assert host.http.get("/api/whole.jpg").get_json()["code"] == "racks"
    assert host.post("/api/racks-away")["racks"] is False
    assert host.http.get("/api/whole.jpg").get_json()["code"] == "no-picture"


def test_host_can_not_put_racks_away_while_a_round_is_played(by_hand):
    by_hand.deal()
    assert by_hand.refused("/api/racks-away")["code"] == "not-now"
    assert by_hand.get("/api/sources")["racks"] is True
