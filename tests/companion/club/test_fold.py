"""What tables say is folded into results: taken back, without the command's answer, late, or making no sense."""

import pytest

from tests.support.club_desk import commands, night, play, seated
from tests.support.club_hall import plan
from tests.support.club_tables import CLUB, entry, play_round, said_of
from tilekeeper.companion.club.database import Database
from tilekeeper.companion.club.fold import Folder
from tilekeeper.companion.club.intake import Intake
from tilekeeper.companion.club.notices import newest, notice_words
from tilekeeper.companion.club.rounds import rounds_of
from tilekeeper.companion.club.settings import Role
from tilekeeper.engine.game.events import Commanded
from tilekeeper.engine.game.game import Game

pytestmark = pytest.mark.slow  # a hub with its database for each


def test_a_result_that_is_taken_back_is_open_again(database: Database) -> None:
    """A table that undoes its last rack has come to nothing yet, and the round is not over."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    desk.turn_clock(1, "start", "Olga", Role.ORGANISER)
    play(database, 1)
    (before,) = seated(database)
    assert before.points is not None
    said, _ = play_round(database, 1)
    Intake(database, CLUB).take([entry("1", len(said), "undone", "1 1", events=1)])
    Folder(database).catch_up()
    assert seated(database)[0].points is None
    with database.reading() as session:
        assert rounds_of(session)[0].state == "running"


def test_a_log_says_itself_which_round_it_is(database: Database) -> None:
    """The answer to the command was lost with the broker; the log's own second entry says by what it was begun."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    (seat,) = commands(database, "seat")
    _, games = play_round(database, 1)
    first, *rest = games["1"].entries
    command = Commanded(seat.id, "seat", "Olga", "organiser", round=1)
    Intake(database, CLUB).take(said_of("1", Game.replay([first, command, *rest]), "1 1"))
    Folder(database).catch_up()
    (seating,) = seated(database)
    assert seating.log == "1 1"
    assert seating.points == [str(points) for points in games["1"].state.sheet.rounds[0].points]


def test_an_answer_that_comes_after_the_game_still_counts(database: Database) -> None:
    """The hub learns only at the end which round a log belongs to."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    (first, *said), _ = play_round(database, 1)
    Intake(database, CLUB).take(said)
    Folder(database).catch_up()
    assert seated(database)[0].points is None
    Intake(database, CLUB).take([first])
    Folder(database).catch_up()
    assert seated(database)[0].points is not None


def test_events_that_do_not_follow_each_other_are_told(database: Database) -> None:
    """A table of a later version says events that nobody here knows: they are kept, and the organiser reads why."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    said, _ = play_round(database, 1)
    later = [entry("1", 1, "game-started", "1 1", players=["Ada", "Bo"], edition="finnish", glow=True)]
    Intake(database, CLUB).take([said[0], *later, entry("1", 2, "game-ended", "1 1")])
    Folder(database).catch_up()
    with database.reading() as session:
        (notice,) = newest(session)
        assert "The reports of table 1 don’t fit together" in notice_words(notice)
        assert "glow" in notice_words(notice)
    assert seated(database)[0].points is None
