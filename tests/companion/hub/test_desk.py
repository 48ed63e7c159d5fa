"""A club night: players, rounds, clocks, results and disputes, with two organisers at once."""

import json
import threading
from collections.abc import Callable

import pytest
from sqlalchemy import select

from tests.support.club_desk import commands, hall_settings, night, play, seated
from tests.support.club_hall import plan
from tests.support.club_tables import CLUB, answer, entry, play_round
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.desk import Desk, natural_key
from tilekeeper.companion.hub.fold import LogReplayer
from tilekeeper.companion.hub.intake import Intake
from tilekeeper.companion.hub.notices import newest_notices, notice_words
from tilekeeper.companion.hub.rounds import players_of, read_tournament, rounds_of
from tilekeeper.companion.hub.rulings import Rulings
from tilekeeper.companion.hub.schema import CommandRow, HallRow
from tilekeeper.companion.hub.settings import HallSettings, Role
from tilekeeper.companion.hub.views import night_view
from tilekeeper.companion.languages import translations_of
from tilekeeper.companion.messaging.messages import Acknowledgement, read_command
from tilekeeper.companion.messaging.topics import Branch, topic
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.text.kept import to_stored
from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.formats import FORMATS
from tilekeeper.engine.language import lazy_gettext, use_language

pytestmark = pytest.mark.slow  # a hub with its database for each


def test_night_of_three_rounds_adds_up(database: Database) -> None:
    """Three rounds are paired, seated and played; the final standings are the sums of the games' results."""
    desk = night(database, 11)
    expected: dict[str, float] = {}
    for number in (1, 2, 3):
        assert desk.pair(plan(database), "Olga") == number
        desk.turn_clock(number, "start", "Olga", Role.ORGANISER)
        _, games = play_round(database, number)
        for seating in seated(database, number):
            score = games[seating.table].state.sheet.rounds[0]
            for player, points in zip(seating.players, score.points, strict=True):
                expected[str(player)] = expected.get(str(player), 0) + points
        play(database, number)
        with database.reading() as session:
            assert rounds_of(session)[-1].state == "over"
    with database.reading() as session:
        lines = read_tournament(session).standings
    assert {line.player: line.score for line in lines} == expected
    assert sum(line.score for line in lines) == 0
    with pytest.raises(Refused, match="All 3 rounds are played"):
        desk.pair(plan(database), "Olga")


def test_each_table_gets_its_seats_rules_and_clock(database: Database) -> None:
    """The seat command has the players, the rules and the clock of each table."""
    desk = night(database, 7, house=["opening.minimum_points=50"], timer="friendly")
    desk.pair(plan(database), "Olga")
    seat_commands = [read_command(json.dumps(row.payload).encode()) for row in commands(database, "seat")]
    assert [len(one.players) for one in seat_commands] == [4, 3]  # type: ignore[union-attr]
    assert [one.table for one in seat_commands] == ["1", "2"]
    first = seat_commands[0]
    assert (first.edition, first.house, first.timer) == ("finnish", ["opening.minimum_points=50"], "friendly")  # type: ignore[union-attr]
    assert (first.by, first.role) == ("Olga", "organiser")
    assert first.waits  # type: ignore[union-attr]
    desk.withdraw(plan(database))
    desk.configure(plan(database), HallSettings().as_json() | {"together": False})
    desk.pair(plan(database), "Olga")
    assert not read_command(json.dumps(commands(database, "seat")[-1].payload).encode()).waits  # type: ignore[union-attr]


def test_clocks_of_the_settings_and_more_time_for_a_child_reach_the_tables(database: Database) -> None:
    desk = night(database, 4, bank_s=300, added_s=5, increment="fischer")
    Rulings(database).describe(plan(database), 2, "", "juniors", 180)
    desk.pair(plan(database), "Olga")
    order = read_command(json.dumps(commands(database, "seat")[0].payload).encode())
    assert (order.bank_s, order.added_s, order.increment) == (300.0, 5.0, "fischer")  # type: ignore[union-attr]
    assert {player.id: player.bank_s for player in order.players} == {"1": None, "2": 480.0, "3": None, "4": None}  # type: ignore[union-attr]


def test_start_and_pause_reach_all_tables(database: Database) -> None:
    """All tables get the command; a press on an outdated page is refused in words."""
    desk = night(database)
    desk.pair(plan(database), "Olga")
    desk.turn_clock(1, "start", "Olga", Role.ORGANISER)
    desk.turn_clock(1, "pause", "Arto", Role.ARBITER)
    with pytest.raises(Refused, match="has changed"):
        desk.turn_clock(1, "pause", "Olga", Role.ORGANISER)
    desk.turn_clock(1, "resume", "Arto", Role.ARBITER)
    assert [len(commands(database, kind)) for kind in ("start", "pause", "resume")] == [2, 2, 2]


def test_round_paired_by_two_organisers_at_once_is_paired_once(database: Database) -> None:
    """If two organisers pair the same round, one succeeds and the other is refused; nobody has two seats."""
    desk, known_plan = night(database), plan(database)
    outcomes: list[str] = []

    def press() -> None:
        try:
            desk.pair(known_plan, "Olga")
            outcomes.append("done")
        except Refused as why:
            outcomes.append(why.code)

    threads = [threading.Thread(target=press) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["changed", "changed", "changed", "done"]
    assert len(seated(database)) == 2
    assert len(commands(database, "seat")) == 2


def test_points_that_do_not_add_up_are_stored_if_the_organiser_says_so(database: Database) -> None:
    """In a box in which everybody writes down minus points after an empty pool, such points are right anyway."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    points = ["-5", "-6", "-7", "-8"]
    with pytest.raises(Refused, match="differ by -26"):
        desk.enter_points(plan(database), 1, "1", points, "Olga")
    desk.enter_points(plan(database), 1, "1", points, "Olga", anyway=True)
    assert seated(database)[0].points == points
    desk.configure(plan(database), hall_settings(edition="large-numbers", format={"rounds": 3}))
    desk.enter_points(plan(database), 1, "1", points, "Olga")
    with pytest.raises(Refused, match="differ by"):
        desk.enter_points(plan(database), 1, "1", ["5", *points[1:]], "Olga")


def test_player_who_never_opened_is_marked_with_points_entered_by_hand(database: Database) -> None:
    """In the Olympiad's style the loser pays 100 to the winner, whatever the slip says."""
    desk = night(database, 2)
    desk.configure(plan(database), hall_settings(format=FORMATS["mso"]))
    desk.pair(plan(database), "Olga")
    with pytest.raises(Refused, match="for every player"):
        desk.enter_points(plan(database), 1, "1", ["30", "-30"], "Olga", unopened=[True])
    desk.enter_points(plan(database), 1, "1", ["30", "-30"], "Olga", unopened=[False, True])
    with database.reading() as session:
        tournament = read_tournament(session)
    assert [line.values[Criterion.TILE_POINTS] for line in tournament.standings] == [100, -100]


def test_next_round_is_refused_until_every_table_has_a_result(database: Database) -> None:
    """The next round can be paired only when every table has a result."""
    desk = night(database)
    desk.pair(plan(database), "Olga")
    with pytest.raises(Refused, match="Round 1 is not over yet"):
        desk.pair(plan(database), "Olga")
    desk.withdraw(plan(database))
    assert seated(database) == []
    assert commands(database, "seat") == []
    desk.pair(plan(database), "Olga")
    desk.turn_clock(1, "start", "Olga", Role.ORGANISER)
    with pytest.raises(Refused, match="has started"):
        desk.withdraw(plan(database))


def test_points_entered_by_hand_replace_the_tables_result(database: Database) -> None:
    """Points entered by hand replace a table's result; when they are withdrawn, the table's own result counts again."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    desk.turn_clock(1, "start", "Olga", Role.ORGANISER)
    desk.enter_points(plan(database), 1, "1", ["10", "−5", "-5", "0"], "Olga")
    with pytest.raises(Refused, match="no points of its own"):
        desk.enter_points(plan(database), 1, "1", [], "Olga")
    with database.reading() as session:
        assert rounds_of(session)[0].state == "over"
    play(database, 1)
    (seating,) = seated(database)
    assert (seating.points, seating.won, seating.entered_by) == (["10", "-5", "-5", "0"], [0], "Olga")
    desk.enter_points(plan(database), 1, "1", [], "Olga")
    with database.reading() as session:
        assert rounds_of(session)[0].state == "running"
    assert LogReplayer(database).catch_up() == 1
    (seating,) = seated(database)
    _, games = play_round(database, 1)
    assert seating.points == list(map(str, games["1"].state.sheet.rounds[0].points))
    with database.reading() as session:
        assert rounds_of(session)[0].state == "over"
    for points, why in (
        (["1"], "every player"),
        (["1", "2", "3", "x"], "not a number"),
        (["1e9"] * 4, "not a number"),
        (["10", "-5", "-5", "1"], "Game 1 does not add up: plus and minus differ by [+]1"),
    ):
        with pytest.raises(Refused, match=why):
            desk.enter_points(plan(database), 1, "1", points, "Olga")
    with pytest.raises(Refused, match="no such table"):
        desk.enter_points(plan(database), 1, "9", ["1"], "Olga")


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"edition": "chess"}, "chess"),
        ({"house": ["opening.minimum_points=many"]}, "opening.minimum_points"),
        ({"format": {"rounds": 0}}, "rounds"),
        ({"format": {"pairing": "by age"}}, "pairing"),
        ({"format": {"criteria": ["lot"]}}, "must count first"),
    ],
)
def test_impossible_settings_are_refused_with_a_reason(
    database: Database, chosen: dict[str, object], words: str
) -> None:
    """The message gives the reason, and nothing has changed."""
    desk = night(database, 2)
    with pytest.raises(Refused, match=words):
        desk.configure(plan(database), HallSettings().as_json() | chosen)
    with database.reading() as session:
        assert session.get_one(HallRow, 1).settings["edition"] == "finnish"


@pytest.mark.parametrize(
    "late",
    [
        lambda desk, known: desk.configure(known, HallSettings().as_json()),
        lambda desk, known: desk.add_player(known, "Eve"),
        lambda desk, known: desk.import_players(known, b"Eve"),
        lambda desk, known: desk.set_gone(known, 1, True),
        lambda desk, known: desk.pair(known, "Olga"),
        lambda desk, known: desk.withdraw(known),
        lambda desk, known: desk.enter_points(known, 1, "1", [], "Olga"),
    ],
)
def test_change_from_an_outdated_page_is_refused(database: Database, late: Callable[[Desk, int], object]) -> None:
    """Each change of the plan is refused if another organiser changed it first."""
    desk, known_plan = night(database, 4), plan(database)
    desk.add_player(known_plan, "Dora")
    with pytest.raises(Refused, match="Somebody else"):
        late(desk, known_plan)
    with database.reading() as session:
        assert len(players_of(session)) == 5


def test_player_who_left_is_not_paired(database: Database) -> None:
    """Before the first round the name is removed; later it stays in the standings."""
    desk = night(database, 9)
    desk.set_gone(plan(database), 9, True)
    with database.reading() as session:
        assert len(players_of(session)) == 8
    desk.pair(plan(database), "Olga")
    play(database, 1)
    desk.set_gone(plan(database), 1, True)
    desk.add_player(plan(database), "Late")
    desk.pair(plan(database), "Olga")
    second = {player for seating in seated(database, 2) for player in seating.players}
    assert 1 not in second
    assert len(second) == 8
    with pytest.raises(Refused, match="no such player"):
        desk.set_gone(plan(database), 99, True)


def test_connected_tables_are_used_first(database: Database) -> None:
    """Connected tables are used by name, numbers fill the rest; 2 comes before 10."""
    Intake(database, CLUB).take([entry("window", 1), entry("10", 1)])
    desk = night(database, 12)
    desk.pair(plan(database), "Olga")
    assert [seating.table for seating in seated(database)] == ["window", "1", "10"]
    assert sorted(["10", "2", "b1", "a"], key=natural_key) == ["a", "b1", "2", "10"]


def test_command_refused_by_a_table_becomes_a_notice(database: Database) -> None:
    """A command that a table refuses becomes a notice, and is not sent again."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    (row,) = commands(database, "seat")
    Intake(database, CLUB).take([answer("1", row.id, refusal="A game is being played here.")])
    (row,) = commands(database, "seat")
    assert (row.done, row.refusal) == (False, "A game is being played here.")
    assert row.answered_at is not None


def test_refusal_of_a_table_is_translated_for_each_reader(database: Database) -> None:
    """A refusal is translated for each reader from its parts; an unknown sentence is shown unchanged."""
    desk = night(database, 8)
    desk.pair(plan(database), "Olga")
    first, second = commands(database, "seat")
    stored_sentence = to_stored(lazy_gettext("This is table {name}.", name="1"))
    made_up = '{"message":"{a:>99999999}","values":{"a":"x"}}'
    for row, what in ((first, stored_sentence), (second, made_up)):
        refused = Acknowledgement(table=row.table, command=row.id, done=False, refusal="Plain.", said=what)
        Intake(database, CLUB).take([(topic(CLUB, row.table, Branch.ANSWERS), refused.payload())])
    with database.reading() as session, use_language(translations_of("de")):
        words = " ".join(notice_words(notice) for notice in newest_notices(session))
    assert "Das ist Tisch 1." in words
    assert "Plain." in words


def test_table_can_be_seated_again(database: Database) -> None:
    """After a refusal, or with a new machine, the table gets its seats again, and its new log counts."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    (row,) = commands(database, "seat")
    Intake(database, CLUB).take([answer("1", row.id, refusal="A game is being played here.")])
    desk.turn_clock(1, "start", "Olga", Role.ORGANISER)
    desk.turn_clock(1, "pause", "Olga", Role.ORGANISER)
    desk.seat_again(plan(database), "1", "Olga")
    _, second = commands(database, "seat")
    order = read_command(json.dumps(second.payload).encode())
    assert not order.waits  # type: ignore[union-attr]
    assert {player.name for player in order.players} == {f"Player {seat}" for seat in (1, 2, 3, 4)}  # type: ignore[union-attr]
    assert [one.kind for one in open_commands(database)] == ["seat", "pause"], "earlier commands are void"
    play(database, 1)
    (seating,) = seated(database)
    assert seating.points is not None
    with pytest.raises(Refused, match="is over"):
        desk.seat_again(plan(database), "1", "Olga")
    with pytest.raises(Refused, match="no such table"):
        desk.seat_again(plan(database), "9", "Olga")


def open_commands(database: Database) -> list[CommandRow]:
    with database.reading() as session:
        still = select(CommandRow).where(CommandRow.answered_at.is_(None)).order_by(CommandRow.place)
        return list(session.scalars(still))


def test_settings_that_contradict_played_rounds_are_refused(database: Database) -> None:
    """Fewer rounds than were played, or another kind of scoring, would make the standings meaningless."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    play(database, 1)
    desk.pair(plan(database), "Olga")
    kept = hall_settings(format={"rounds": 3})
    with pytest.raises(Refused, match="2 rounds are already paired"):
        desk.configure(plan(database), kept | {"format": {"rounds": 1}})
    with pytest.raises(Refused, match="scores in another way"):
        desk.configure(plan(database), kept | {"edition": "junior"})
    desk.configure(plan(database), kept | {"format": {"rounds": 2}, "edition": "large-numbers"})


def test_buttons_of_a_reopened_earlier_round_send_no_commands(database: Database) -> None:
    """A result of round 1 is withdrawn during round 2: buttons of round 1 send no commands."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    desk.turn_clock(1, "start", "Olga", Role.ORGANISER)
    play(database, 1)
    desk.pair(plan(database), "Olga")
    desk.turn_clock(2, "start", "Olga", Role.ORGANISER)
    messages, _ = play_round(database, 1)
    Intake(database, CLUB).take([entry("1", len(messages), "undone", "1-1", events=1)])
    LogReplayer(database).catch_up()
    with pytest.raises(Refused, match="has changed"):
        desk.turn_clock(1, "pause", "Olga", Role.ORGANISER)


@pytest.mark.parametrize("players", [2, 3, 5, 7, 201])
def test_small_and_odd_fields_are_paired_with_byes(database: Database, players: int) -> None:
    """Two rounds are paired, entered and shown, with byes for players without a table."""
    desk = night(database, players)
    for number in (1, 2):
        desk.pair(plan(database), "Olga")
        tables = seated(database, number)
        for seating in tables:
            points = [str(len(seating.players) - 1), *["-1"] * (len(seating.players) - 1)]
            desk.enter_points(plan(database), number, seating.table, points, "Olga")
        with database.reading() as session:
            view = night_view(session)
        assert view.round_state == "over"
        assert len(view.byes) == (players == 5)
        assert sum(len(seating.players) for seating in tables) == players - (players == 5)
    assert len(view.standings) == players


def test_night_with_one_player_can_not_be_paired(database: Database) -> None:
    desk = night(database, 1)
    with pytest.raises(Refused, match="A round needs at least two players"):
        desk.pair(plan(database), "Olga")
