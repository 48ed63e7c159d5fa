"""The table in words: runs, groups and jokers as people say them, in three levels of detail and three languages."""

import pytest

from tests.support.game_night_client import EveningClient
from tilekeeper.companion.languages import translations_of
from tilekeeper.companion.text.table_words import Detail, table_sentences
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.engine.language import use_language
from tilekeeper.engine.tiles.notation import parse_table

TABLE = "R3 R4 R5 R6 | K8 B8 J | B12 J B10 | R7 R8 R11"


@pytest.fixture
def client(by_hand) -> EveningClient:
    """A second round: Bo has just laid a wrong table."""
    by_hand.deal("Ada", "Bo", "Cleo", rounds=3)
    by_hand.act("rack-count", player=0, tiles=0)
    by_hand.act("rack-points", player=1, points=20)
    by_hand.act("rack-points", player=2, points=4)
    by_hand.act("next-round")
    by_hand.act("starter", player=1, overruled=True)
    by_hand.act("deal")
    by_hand.act("done", table=TABLE)
    return by_hand


def words_at(client: EveningClient, detail: Detail, language: str = "en") -> list[str]:
    night = parts(client.http.application).session.state.activity.game_night
    with use_language(translations_of(language)):
        return list(table_sentences(night.state, parse_table(TABLE), detail))


def test_short_is_the_turn_the_decision_and_how_much_lies_there(client):
    first, second, third, last = words_at(client, Detail.SHORT)
    assert first == "Round 2: it is Bo's turn, 64 tiles in the pool."
    assert second == "Bo's turn: Not allowed."
    assert "not a run" in third
    assert last == "On the table: 4 sets with 13 tiles."


def test_sets_are_told_as_people_say_them_with_the_scores(client):
    assert words_at(client, Detail.SETS)[4:] == [
        "Set 1: red 3 to 6.",
        "Set 2: 8 in black, blue and joker.",
        "Set 3: blue 10 to 12, joker for blue 11.",
        "Set 4: red 7, red 8 and red 11, which is not valid.",
        "Ada leads.",
        "Ada 24, Bo minus 20, Cleo minus 4.",
    ]


def test_everything_is_each_tile_each_fault_and_each_rack(client):
    sentences = words_at(client, Detail.ALL)
    assert "Set 1: red 3, red 4, red 5 and red 6." in sentences
    assert "Cleo has 14 tiles and has not opened." in sentences
    assert len(sentences) > len(words_at(client, Detail.SETS)) + 2


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "Serie 3: Blau 10 bis 12, Joker als Blau 11."),
        ("fi", "Sarja 3: sininen 10 viiva 12, jokeri on sininen 11."),
    ],
)
def test_table_is_told_in_other_languages(client, language, words):
    assert words in words_at(client, Detail.SETS, language)


def test_page_asks_for_the_words_of_the_entered_table(client):
    sentences = client.get("/api/evening/table-words?detail=short")["sentences"]
    assert sentences[-1] == "On the table: 4 sets with 13 tiles."
    assert client.http.get("/api/evening/table-words?detail=much").status_code == 400


def test_outside_a_turn_there_is_no_table_to_tell(by_hand):
    by_hand.begin("Ada", "Bo")
    assert by_hand.get("/api/evening/table-words?detail=all")["sentences"] == ["Round 1: who begins?"]
