"""Settings of a game night: time handicaps on the clock, and the end by points or by the time of day."""

import pytest

from tests.support.game_night_client import EveningClient
from tests.support.watched_game_night import Clock
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.game_night.settings import DEFAULT_SETTINGS, GameNightSettings
from tilekeeper.companion.web.api.extensions import parts

OPENING = "K10 B10 O10"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(make_app, clock) -> EveningClient:
    return EveningClient(make_app(NoSource(), watch=False, now=clock))


def wait(client: EveningClient, clock: Clock, seconds: int) -> None:
    for _ in range(seconds):
        clock.now_s += 1
        parts(client.http.application).timekeeper.tick()


def score(client: EveningClient, points: int) -> None:
    """End the round with the first player's empty rack."""
    client.act("rack-count", player=0, tiles=0)
    client.act("rack-points", player=1, points=points)


def begin_another_round(client: EveningClient) -> None:
    client.act("next-round")
    client.act("starter", player=0, overruled=True)
    client.act("deal")


def test_each_player_has_an_own_limit_and_the_others_that_of_the_rules(client):
    settings = {"timer": "strict", "limits_s": [120, 0, 40]}
    night = client.deal("Child", "Ada", "Champion", "Late", settings=settings)
    limits = [night["clock"]["limit_s"]] + [client.act("draw")["clock"]["limit_s"] for _ in range(3)]
    assert limits == [120, 60, 40, 60]


def test_turn_longer_than_the_rules_but_within_the_handicap_is_legal(client, clock):
    client.deal("Child", "Champion", settings={"timer": "strict", "limits_s": [120, 40]})
    client.act("resume")
    wait(client, clock, 100)
    night = client.act("done", table=OPENING)
    assert (night["player"], night["table_text"], night["players"][0]["penalties"]) == (1, OPENING, 0)
    wait(client, clock, 41)  # the champion's time is up before that of the rules
    assert client.evening["failing"]["why"] == "time-up"
    assert client.act("restored")["player"] == 0


def test_handicap_changes_during_a_turn_and_never_limits_a_friendly_game_without_clock(client):
    client.deal("Ada", "Bo")
    assert client.act("settings", limits_s=[30])["clock"]["limit_s"] == 30
    assert client.act("settings", limits_s=[])["clock"]["limit_s"] == 60
    client.act("settings", limits_s=[30])
    assert client.act("settings", timer="off")["clock"]["limit_s"] is None


def test_evening_ends_with_the_round_that_reaches_the_points_and_undo_goes_back(client):
    client.deal("Ada", "Bo", settings={"end_points": 50})
    score(client, 40)
    assert client.evening["phase"] != "over"
    begin_another_round(client)
    score(client, 10)
    assert client.evening["phase"] == "over"
    assert client.get("/api/evening/history")["items"][-1]["text"] == "The players ended the game."
    assert client.act("undo")["phase"] == "racks"


def test_points_never_end_an_evening_that_counts_rounds_won(client):
    client.deal("Ada", "Bo", house=["scoring.totals=rounds-won"], settings={"end_points": 1})
    score(client, 40)
    assert client.evening["phase"] == "starter"


@pytest.mark.parametrize(
    ("ends_at", "over"), [("2020-01-01T20:00:00Z", True), ("2999-01-01T20:00:00Z", False), ("", False)]
)
def test_round_in_play_at_the_agreed_time_is_the_last(client, ends_at, over):
    client.deal("Ada", "Bo", settings={"ends_at": ends_at})
    assert client.evening["phase"] == "turns"
    score(client, 40)
    assert (client.evening["phase"] == "over") is over


@pytest.mark.parametrize("press", ["next-round", "starter", "app-draws", "deal"])
def test_no_round_begins_after_the_agreed_time_and_undo_goes_back(client, press):
    client.deal("Ada", "Bo")
    score(client, 40)
    if press != "next-round":
        client.act("next-round")
    if press == "deal":
        client.act("starter", player=0, overruled=True)
    client.act("settings", ends_at="2020-01-01T20:00:00Z")
    night = client.act(press, **({"player": 0, "overruled": True} if press == "starter" else {}))
    assert (night["phase"], night["result"]) == ("over", False)
    assert client.act("undo")["phase"] == ("deal" if press == "deal" else "starter")


def test_first_round_begins_even_after_the_agreed_time(client):
    assert client.deal("Ada", "Bo", settings={"ends_at": "2020-01-01T20:00:00Z"})["phase"] == "turns"


def test_undo_keeps_a_handicap_that_was_changed_since(client):
    client.deal("Ada", "Bo", settings={"limits_s": [20, 30]})
    client.act("draw")
    client.act("settings", limits_s=[120, 30])
    night = client.act("undo")
    assert (night["player"], night["clock"]["limit_s"]) == (0, 120)


def test_rematch_keeps_handicaps_with_their_players_and_forgets_the_time(client):
    first = client.deal(
        "Ada", "Bo", "Cleo", settings={"limits_s": [0, 40, 90], "end_points": 9, "ends_at": "2999-01-01T20:00:00Z"}
    )
    client.act("left", player=1)
    client.act("end")
    settings = client.post("/api/evenings/again", id=first["id"])["evening"]["settings"]
    assert (settings["limits_s"], settings["end_points"], settings["ends_at"]) == ([0, 90], 9, "")


@pytest.mark.parametrize(
    "wrong",
    [
        {"limits_s": [-1]},
        {"limits_s": [9999]},
        {"end_points": -5},
        {"ends_at": "tonight"},
        {"ends_at": "2026-99-99T99:99:99Z"},
    ],
)
def test_impossible_settings_are_refused(client, wrong):
    client.deal()
    assert client.act_refused("settings", **wrong)["status"] == 400
    with pytest.raises(ValueError, match=next(iter(wrong))):
        GameNightSettings.from_json(DEFAULT_SETTINGS.as_json() | wrong)


def test_settings_of_earlier_versions_have_no_handicap_and_no_end():
    stored = DEFAULT_SETTINGS.as_json()
    for name in ("limits_s", "end_points", "ends_at"):
        del stored[name]
    assert GameNightSettings.from_json(stored) == DEFAULT_SETTINGS
