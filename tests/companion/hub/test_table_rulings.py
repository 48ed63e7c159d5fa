"""Rulings at a table: a raised hand is decided once; toppled tiles and questions have measures; all are public."""

import pytest

from tests.support.club_desk import commands, night, seated
from tests.support.club_hall import plan
from tests.support.club_tables import CLUB
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.intake import Intake
from tilekeeper.companion.hub.journal import journal_of
from tilekeeper.companion.hub.rounds import read_tournament
from tilekeeper.companion.hub.schema import DisputeRow
from tilekeeper.companion.hub.settings import Role
from tilekeeper.companion.hub.table_rulings import Matter, Measure, TableRuling, TableRulings
from tilekeeper.companion.hub.views import night_view
from tilekeeper.companion.languages import translations_of
from tilekeeper.companion.messaging.messages import Dispute
from tilekeeper.companion.messaging.topics import Branch, topic
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import use_language

pytestmark = pytest.mark.slow  # a hub with its database for each


def raise_hand(database: Database, id_: str, table: str = "1") -> None:
    hand = Dispute(table=table, id=id_, log="first", seq=3, raised_by="Ada")
    Intake(database, CLUB).take([(topic(CLUB, table, Branch.DISPUTES), hand.payload())])


def journal(database: Database, language: str = "en") -> list[str]:
    with database.reading() as session, use_language(translations_of(language)):
        return [f"{words} ({why}) {by}" for _, by, words, why in journal_of(session)]


def test_dispute_is_decided_once(database: Database) -> None:
    """The table gets the decision, its arbiter and the reason; a second arbiter learns who decided first."""
    night(database)
    rulings = TableRulings(database)
    raise_hand(database, "d1", "7")
    for measure, why, words in (
        (Measure.TIME_GIVEN, "x", "how much time"),
        (Measure.STANDS, "", "Say why"),
        (Measure.WARNING, "x", "Choose the player"),
    ):
        with pytest.raises(Refused, match=words):
            rulings.decide("d1", TableRuling(measure, why), "Arto", Role.ARBITER)
    rulings.decide("d1", TableRuling(Measure.TIME_GIVEN, "the lamp fell down", seconds=60), "Arto", Role.ARBITER)
    with pytest.raises(Refused, match="Arto has already decided"):
        rulings.decide("d1", TableRuling(Measure.STANDS, "x"), "Olga", Role.ORGANISER)
    (row,) = commands(database, "decide")
    assert row.table == "7"
    assert {key: row.payload[key] for key in ("dispute", "decision", "seconds", "by", "role", "why")} == {
        "dispute": "d1",
        "decision": "time_given",
        "seconds": 60.0,
        "by": "Arto",
        "role": "arbiter",
        "why": "the lamp fell down",
    }
    with database.reading() as session:
        assert session.get_one(DisputeRow, "d1").decided_by == "Arto"
    assert journal(database) == ["Table 7, the turn: 1:00 more. (the lamp fell down) Arto"]
    with pytest.raises(Refused, match="no such dispute"):
        rulings.decide("d2", TableRuling(Measure.STANDS, "x"), "Arto", Role.ARBITER)


def test_hand_raised_for_toppled_tiles_leaves_the_turn_as_it_is(database: Database) -> None:
    """The table is told to go on; a warning costs nothing and is counted, a penalty lowers the score."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    player = seated(database)[0].players[0]
    rulings = TableRulings(database)
    for id_, ruling in (
        ("d1", TableRuling(Measure.TILES_BACK, "sleeve", Matter.TOPPLED)),
        ("d2", TableRuling(Measure.WARNING, "told a move", Matter.QUESTION, player=player)),
        ("d3", TableRuling(Measure.WARNING, "again", Matter.QUESTION, player=player)),
        ("d4", TableRuling(Measure.PENALTY, "a third time", Matter.QUESTION, player=player, points=20)),
    ):
        raise_hand(database, id_)
        rulings.decide(id_, ruling, "Arto", Role.ARBITER)
    assert [row.payload["decision"] for row in commands(database, "decide")] == ["goes_on"] * 4
    who = f"Player {player}"
    assert journal(database)[::-1] == [
        "Table 1, toppled tiles: the tiles are put back. (sleeve) Arto",
        f"Table 1, questions or remarks of other players: {who} is warned (warning 1). (told a move) Arto",
        f"Table 1, questions or remarks of other players: {who} is warned (warning 2). (again) Arto",
        f"Table 1, questions or remarks of other players: {who} loses 20 points. (a third time) Arto",
    ]
    assert journal(database, "de")[-1] == "Tisch 1, umgefallene Steine: die Steine werden zurückgelegt. (sleeve) Arto"
    with database.reading() as session:
        view = night_view(session)
        assert [line.score for line in read_tournament(session).standings if line.player == str(player)] == [-20]
    assert view.punished == ((who, "2 warnings, -20"),)
    assert [one.decision for one in view.decided] == ["Penalty", "Warning", "Warning", "Tiles put back"]


def test_incident_without_a_raised_hand_is_ruled_at_the_players_table(database: Database) -> None:
    """Extra time is sent to the table; without a seat, or about a turn, nothing happens."""
    desk, rulings = night(database, 8), TableRulings(database)
    give = TableRuling(Measure.TIME_GIVEN, "cat on the table", Matter.TOPPLED, seconds=30)
    with pytest.raises(Refused, match="sits at no table"):
        rulings.rule(1, give, "Arto", Role.ARBITER)
    desk.pair(plan(database), "Olga")
    seating = seated(database)[1]
    rulings.rule(seating.players[2], give, "Arto", Role.ARBITER)
    (row,) = commands(database, "time")
    assert (row.table, row.payload["seconds"], row.payload["why"]) == (seating.table, 30.0, "cat on the table")
    for ruling, words in (
        (TableRuling(Measure.STANDS, "x"), "Only a raised hand"),
        (TableRuling(Measure.PENALTY, "x", Matter.OTHER, player=1, points=0), "not a number of points"),
    ):
        with pytest.raises(Refused, match=words):
            rulings.rule(1, ruling, "Arto", Role.ARBITER)
    assert journal(database) == [f"Table {seating.table}, toppled tiles: 0:30 more. (cat on the table) Arto"]
