"""Folding the events of tables into results: undone results, lost answers, late answers, and broken logs."""

from typing import Final

import pytest

from tests.support.club_desk import commands, night, play, seated
from tests.support.club_hall import plan
from tests.support.club_tables import CLUB, chained, entry, messages_of, play_round
from tilekeeper.companion.hub import fold
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.fold import LogReplayer
from tilekeeper.companion.hub.intake import Intake
from tilekeeper.companion.hub.notices import newest_notices, notice_words
from tilekeeper.companion.hub.rounds import rounds_of
from tilekeeper.companion.hub.settings import Role
from tilekeeper.companion.hub.views import night_view
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import (
    Commanded,
    Dealt,
    Entry,
    Event,
    GameEnded,
    GameStarted,
    PoolCounted,
    StarterChosen,
)
from tilekeeper.engine.game.fold import step
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.state import GameState

pytestmark = pytest.mark.slow  # a hub with its database for each


def test_undone_result_reopens_the_round(database: Database) -> None:
    """If a table undoes its last rack it has no result, and the round is not over."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    desk.turn_clock(1, "start", "Olga", Role.ORGANISER)
    play(database, 1)
    (before,) = seated(database)
    assert before.points is not None
    messages, _ = play_round(database, 1)
    Intake(database, CLUB).take([entry("1", len(messages), "undone", "1-1", events=1)])
    LogReplayer(database).catch_up()
    assert seated(database)[0].points is None
    with database.reading() as session:
        assert rounds_of(session)[0].state == "running"


def test_log_without_an_answer_is_assigned_to_its_round_by_its_command(database: Database) -> None:
    """The answer to the command was lost, but the log's second entry names the command that began the game."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    (seat,) = commands(database, "seat")
    _, games = play_round(database, 1)
    first, *rest = games["1"].entries
    command = Commanded(seat.id, "seat", "Olga", "organiser", round=1)
    Intake(database, CLUB).take(messages_of("1", Game.replay([first, command, *rest]), "1-1"))
    LogReplayer(database).catch_up()
    (seating,) = seated(database)
    assert seating.log == "1-1"
    assert seating.points == [str(points) for points in games["1"].state.sheet.rounds[0].points]


def test_log_that_names_the_command_of_another_table_takes_nothing_from_it(database: Database) -> None:
    """Table 2 sends a game that claims table 1's command; table 1's own game counts at table 1."""
    desk = night(database, 8)
    desk.pair(plan(database), "Olga")
    of_table_1 = next(command for command in commands(database, "seat") if command.table == "1")
    command = Commanded(of_table_1.id, "seat", "Olga", "organiser", round=1)
    _, games = play_round(database, 1)
    for table, log in (("2", "2-1"), ("1", "1-1")):
        first, *rest = games[table].entries
        Intake(database, CLUB).take(messages_of(table, Game.replay([first, command, *rest]), log))
        LogReplayer(database).catch_up()
    seating_1, seating_2 = seated(database)
    assert (seating_1.log, seating_2.log) == ("1-1", None)
    assert seating_1.points == [str(points) for points in games["1"].state.sheet.rounds[0].points]


def test_organiser_decides_which_log_of_a_restored_table_counts(database: Database) -> None:
    """The first one counts until then, whatever the second one says."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    (seat,) = commands(database, "seat")
    command = Commanded(seat.id, "seat", "Olga", "organiser", round=1)
    points = {}
    for log, seed in (("1-1", 0), ("1-1.1", 1)):
        _, games = play_round(database, 1, seed)
        first, *rest = games["1"].entries
        Intake(database, CLUB).take(chained(messages_of("1", Game.replay([first, command, *rest]), log)))
        LogReplayer(database).catch_up()
        points[log] = [str(number) for number in games["1"].state.sheet.rounds[0].points]
    assert points["1-1"] != points["1-1.1"]
    (seating,) = seated(database)
    assert (seating.log, seating.points) == ("1-1", points["1-1"])
    with database.reading() as session:
        (table,) = night_view(session).tables
    assert [(report.log, report.counts) for report in table.reports] == [("1-1", True), ("1-1.1", False)]
    with pytest.raises(Refused):
        desk.choose_log(plan(database), 1, "1", "another")
    for log in ("1-1.1", "1-1"):
        desk.choose_log(plan(database), 1, "1", log)
        assert seated(database)[0].points is None
        LogReplayer(database).catch_up()
        assert (seated(database)[0].log, seated(database)[0].points) == (log, points[log])


def test_answer_after_the_end_of_the_game_counts(database: Database) -> None:
    """The hub learns only at the end to which round a log belongs."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    (first, *messages), _ = play_round(database, 1)
    Intake(database, CLUB).take(messages)
    LogReplayer(database).catch_up()
    assert seated(database)[0].points is None
    Intake(database, CLUB).take([first])
    LogReplayer(database).catch_up()
    assert seated(database)[0].points is not None


def test_events_that_can_not_be_folded_become_a_notice(database: Database) -> None:
    """Events that this version does not know are stored, and the organiser gets a notice."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    messages, _ = play_round(database, 1)
    later = [entry("1", 1, "game-started", "1-1", players=["Ada", "Bo"], edition="finnish", glow=True)]
    Intake(database, CLUB).take([messages[0], *later, entry("1", 2, "game-ended", "1-1")])
    LogReplayer(database).catch_up()
    with database.reading() as session:
        (notice,) = newest_notices(session)
        assert "The reports of table 1 don't fit together" in notice_words(notice)
        assert "glow" in notice_words(notice)
    assert seated(database)[0].points is None


HOSTILE: Final[tuple[Entry, ...]] = (
    *(GameStarted(("Mallory", "Bo"), "finnish"), StarterChosen(0, overruled=True), Dealt()),
    *[PoolCounted(50)] * 60,
    GameEnded(),
)
"""A log that somebody with the card of table 1 sends."""


def test_log_that_takes_long_delays_no_other_table_and_is_refused_at_last(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of Mallory's events takes a second to judge."""
    desk = night(database, 8)
    desk.pair(plan(database), "Olga")
    used_s = 0.0

    def slow_step(state: GameState, event: Event) -> GameState:
        nonlocal used_s
        used_s += state.players[0] == "Mallory"
        return step(state, event)

    monkeypatch.setattr(fold, "step", slow_step)
    messages, _ = play_round(database, 1)
    of_table_2 = [message for message in messages if "/tables/2/" in message[0]]
    Intake(database, CLUB).take([*messages_of("1", Game.replay(HOSTILE), "x"), *of_table_2])
    replayer = LogReplayer(database, lambda: used_s)
    assert replayer.catch_up() == 2
    assert used_s < 2
    assert seated(database)[1].points is not None
    while replayer.catch_up():
        pass
    assert used_s < fold.LONGEST_S + 3
    assert _notices(database) == ["The reports of table 1 don't fit together: It sends more than a table needs."]


def test_log_that_is_too_large_is_refused(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold, "LARGEST_LOG", 1000)
    Intake(database, CLUB).take(messages_of("1", Game.replay(HOSTILE), "x"))
    assert LogReplayer(database).catch_up() == 1
    assert _notices(database) == ["The reports of table 1 don't fit together: It sends more than a table needs."]


def test_undone_entry_is_replayed_like_the_whole_log(database: Database) -> None:
    """A replayer that has replayed the log before an undone result, and one that has not, find the same."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    messages, games = play_round(database, 1)
    replayer = LogReplayer(database)
    Intake(database, CLUB).take(messages)
    replayer.catch_up()
    before = seated(database)[0].points
    Intake(database, CLUB).take([entry("1", len(messages), "undone", "1-1", events=1)])
    replayer.catch_up()
    assert seated(database)[0].points is None
    *_, again = messages_of("1", games["1"].undo(1).record(games["1"].entries[-1]), "1-1")
    Intake(database, CLUB).take([again])
    replayer.catch_up()
    assert seated(database)[0].points == before


def _notices(database: Database) -> list[str]:
    with database.reading() as session:
        return [notice_words(row) for row in newest_notices(session)]
