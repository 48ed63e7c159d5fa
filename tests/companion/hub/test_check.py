"""The check of a stored event finds planted errors, and nothing in a right one."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.orm import Session

from tests.support.club_desk import night, play
from tests.support.club_hall import plan
from tilekeeper.companion.hub.check import check_event
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.rounds import rounds_of, seatings_of
from tilekeeper.companion.hub.simulate import simulate
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.tournament.formats import FORMATS, Format
from tilekeeper.companion.tournament.pairing import Pairing

pytestmark = pytest.mark.slow  # a hub with its database for each


def check(database: Database) -> list[str]:
    with database.reading() as session:
        return list(check_event(session))


def test_night_played_tile_by_tile_has_no_difference(database: Database) -> None:
    """The results are folded again from the logs, and the pairing is drawn again; a corrected one need not be."""
    desk = night(database, 9)
    for number in (1, 2):
        desk.pair(plan(database), "Olga")
        play(database, number)
    assert check(database) == []


def double_a_result(session: Session) -> None:
    seating = seatings_of(session, 2)[0]
    seating.games = [*(seating.games or ()), *(seating.games or ())]


def swap_two_seats_of_two_tables(session: Session) -> None:
    first, second = seatings_of(session, 2)[:2]
    one, other = list(first.players), list(second.players)
    one[0], other[0] = other[0], one[0]
    first.players, second.players = one, other


def swap_two_seats_of_a_table(session: Session) -> None:
    seating = seatings_of(session, 1)[0]
    seating.players = [seating.players[1], seating.players[0], *seating.players[2:]]


def let_a_bye_count_nothing(session: Session) -> None:
    row = rounds_of(session)[0]
    row.byes = [bye | {"kind": "zero"} for bye in row.byes]


def give_the_bye_to_another(session: Session) -> None:
    row, seating = rounds_of(session)[0], seatings_of(session, 1)[0]
    row.byes = [{"player": seating.players[0], "kind": "allocated"}]


def change_points(session: Session) -> None:
    seating = seatings_of(session, 1)[0]
    game = dict((seating.games or ())[0])
    seating.games = [game | {"points": [str(int(game["points"][0]) + 5), *game["points"][1:]]}]


def change_the_winner(session: Session) -> None:
    seating = seatings_of(session, 1)[0]
    game = dict((seating.games or ())[0])
    seating.games = [game | {"won": [(game["won"][0] + 1) % 4]}]


@pytest.mark.parametrize(
    ("plant", "words"),
    [
        (double_a_result, "the wrong number of games"),
        (swap_two_seats_of_two_tables, "the players are not those that the table was told"),
        (swap_two_seats_of_a_table, "the players are not those that the table was told"),
        (let_a_bye_count_nothing, "tables or byes are not those that were drawn"),
        (give_the_bye_to_another, "sits in two places"),
        (change_points, "the result is not the one in the table's report"),
        (change_the_winner, "won with fewer points"),
    ],
)
def test_planted_error_is_found(database: Database, plant: Callable[[Session], Any], words: str) -> None:
    """Five players and then nine, so that there are byes and two tables."""
    desk = night(database, 5)
    desk.pair(plan(database), "Olga")
    play(database, 1)
    for name in "ABCD":
        desk.add_player(plan(database), name)
    desk.pair(plan(database), "Olga")
    play(database, 2)
    assert check(database) == []
    with database.writing() as session:
        plant(session)
    assert any(words in sentence for sentence in check(database)), check(database)


@pytest.mark.parametrize(
    "chosen",
    [
        *FORMATS.values(),
        Format(finalists=8, pairing=Pairing.SWISS),
        Format(pairing=Pairing.KNOCK_OUT),
        Format(pairing=Pairing.KNOCK_OUT, table_size=2, advancing=1),
        Format(pairing=Pairing.FIXED, table_size=3),
    ],
)
def test_simulated_event_of_each_format_has_no_difference(database: Database, chosen: Format) -> None:
    """With late players, withdrawals and byes; the number of rounds is 4 before a final."""
    simulate(database, 22, 4, random.Random(f"{chosen}"), chosen)
    with database.reading() as session:
        assert len(rounds_of(session)) >= 3
    assert check(database) == []


def test_event_with_players_is_not_simulated_over(database: Database) -> None:
    night(database, 4)
    with pytest.raises(Refused, match="already has players"):
        simulate(database, 4, 1, random.Random(1))


def test_impossible_numbers_are_refused(database: Database) -> None:
    with pytest.raises(Refused, match="There are 1 to 50 rounds"):
        simulate(database, 4, 0, random.Random(1))
