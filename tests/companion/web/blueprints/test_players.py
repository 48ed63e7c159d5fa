"""Players over the API: names are merged, people who have met are not, and the standings follow."""

import pytest

from tests.support.game_night_client import EveningClient
from tests.support.past_evenings import evening, keep
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.session import players
from tilekeeper.companion.web.api.extensions import parts


@pytest.fixture
def client(by_hand) -> EveningClient:
    """Three evenings of four players, one of whom is called Ann or Anna."""
    store = parts(by_hand.http.application).game_nights.database
    for seed, name in enumerate(("Ann", "Anna", "Ann")):
        keep(store, f"{seed}", evening(5 + 6 * seed, rounds=1, names=(name, "Bo", "Cleo", "Dan & Eve")))
    return by_hand


def standings(client: EveningClient) -> dict[str, int]:
    return {one["name"]: one["evenings"] for one in client.get("/api/evenings/results")["standings"]}


def test_two_names_of_one_person_are_merged_in_standings_and_records(client, make_app):
    assert standings(client)["Ann"] == 2
    record = client.get("/api/players/record?name=Ann")
    assert record["strangers"] == ["Anna"]
    record = client.post("/api/players", name="Anna", others=["Ann"], colour=3, animal="fox")
    assert record["profile"] == {"name": "Anna", "others": ["Ann"], "colour": 3, "animal": "fox"}
    assert len(record["evenings"]) == 3
    assert [rival["evenings"] for rival in record["rivals"]] == [3, 3, 3]
    assert standings(client) == {"Anna": 3, "Bo": 3, "Cleo": 3, "Dan & Eve": 3}
    # The profile outlives the app, and can be taken back.
    parts(client.http.application).close()
    again = EveningClient(make_app(NoSource(), watch=False))
    assert again.get("/api/players/record?name=Ann")["profile"]["name"] == "Anna"
    assert again.post("/api/players", name="Anna", colour=5)["profile"]["animal"] == "fox"
    again.post("/api/players", name="Anna", others=[])
    assert standings(again)["Ann"] == 2


def test_further_names_of_a_merged_player_move_along_and_are_checked(client):
    client.post("/api/players", name="Anna", others=["Zed"])
    assert client.post("/api/players", name="Ann", others=["Anna"])["profile"]["others"] == ["Anna", "Zed"]
    client.post("/api/players", name="Ann", others=[])
    client.post("/api/players", name="Zed", others=["Bo"])
    assert client.refused("/api/players", name="Ann", others=["Zed"])["code"] == "bad-name"


def test_people_who_have_met_are_not_merged(client):
    refused = client.refused("/api/players", name="Bo", others=["Cleo"])
    assert (refused["code"], refused["status"]) == ("bad-name", 400)
    assert standings(client)["Bo"] == 3


def test_more_profiles_than_are_loaded_are_refused(client, monkeypatch):
    monkeypatch.setattr(players, "MOST_PROFILES", 1)
    client.post("/api/players", name="Bo", colour=1)
    assert client.refused("/api/players", name="Cleo", colour=1)["code"] == "bad-input"


def test_list_has_everybody_who_has_played(client):
    def names() -> list[str]:
        return [one["name"] for one in client.get("/api/players")["players"]]

    assert names() == ["Ann", "Anna", "Bo", "Cleo", "Dan & Eve"]
    client.begin("Flo", "Gus")
    client.act("joined", name="Late")
    client.act("agreement", names=[{"player": 0, "name": "Florence"}])
    assert names() == ["Ann", "Anna", "Bo", "Cleo", "Dan & Eve", "Florence", "Gus", "Late"]


def test_rounds_won_have_no_sign(client):
    store = parts(client.http.application).game_nights.database
    keep(store, "junior", evening(3, rounds=1, names=("Kim", "Lou", "Mo", "Nia"), edition="junior"))
    totals = [client.get(f"/api/players/record?name={name}")["evenings"][0]["total"] for name in ("Kim", "Lou")]
    assert [total["text"] for total in totals] == [f"{total['value']:.0f}" for total in totals]


@pytest.mark.parametrize(
    "wrong", [{"colour": 8}, {"animal": "unicorn"}, {"others": [""]}, {"name": " "}, {"name": "x" * 301}]
)
def test_impossible_profile_is_refused(client, wrong):
    assert client.refused("/api/players", **{"name": "Ann"} | wrong)["status"] == 400
