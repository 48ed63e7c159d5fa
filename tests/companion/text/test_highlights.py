"""The highlights of a game night come from the turns that were not undone."""

import pytest
from flask import Flask

from tests.support.game_night_client import EveningClient
from tests.support.watched_game_night import Clock
from tilekeeper.companion.capture.no_source import NoSource

ADA = "R10 R11 R12 R13 | K12 B12 O12"
BO = f"{ADA} | K5 K6 K7 K8 K9"
TAKEN_BACK = f"{ADA} | K3 K4 K5 K6 K7 K8 K9 K10 K11"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def app(make_app, clock) -> Flask:
    return make_app(NoSource(), watch=False, now=clock)


def summary(client: EveningClient) -> list[tuple[str, str, str]]:
    return [
        (one["title"], one["text"], " ".join(tile["text"] for tile in one["tiles"]))
        for one in client.evening["highlights"]
    ]


def test_best_turn_longest_run_and_longest_think_of_an_evening(app, clock):
    client = EveningClient(app)
    client.deal("Ada", "Bo", rounds=1)
    client.act("resume")
    clock.now_s += 20
    client.act("done", table=ADA)
    client.act("done", table=TAKEN_BACK)
    client.act("undo")
    client.act("done", table=BO)
    clock.now_s += 75
    client.act("draw")
    assert client.evening["highlights"] == []  # not before the evening is over
    client.act("rack-count", player=1, tiles=0)
    client.act("rack", player=0, tiles="O1")
    best, run, think = summary(client)
    assert best[:2] == ("Best turn", "Ada laid 7 tiles in round 1")
    assert sorted(best[2].split()) == sorted(ADA.replace("|", "").split())
    assert run == ("Longest run", "Bo, in round 1", "K5 K6 K7 K8 K9")
    assert think[0] == "Longest thinking time"
    assert think[1].startswith("Ada thought for 1:1")


def test_game_night_without_turns_has_no_highlights(app):
    client = EveningClient(app)
    client.deal("Ada", "Bo", rounds=1)
    client.act("rack-count", player=1, tiles=0)
    client.act("rack", player=0, tiles="O1")
    assert client.evening["phase"] == "over"
    assert summary(client) == []
