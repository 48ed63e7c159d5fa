"""Rulings: corrected pairings, byes asked for, players kept apart, penalties, ties by hand, and the journal of them."""

import json
import re

import pytest

from tests.support.club_desk import commands, night, seated
from tests.support.club_hall import plan
from tilekeeper.companion.hub.check import check_event
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.desk import Desk
from tilekeeper.companion.hub.journal import journal_of
from tilekeeper.companion.hub.rounds import PairingBasis, read_tournament
from tilekeeper.companion.hub.rulings import Rulings
from tilekeeper.companion.hub.schema import RoundRow
from tilekeeper.companion.hub.settings import Role
from tilekeeper.companion.hub.views import night_view
from tilekeeper.companion.languages import translations_of
from tilekeeper.companion.messaging.messages import read_command
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.tournament.record import ByeKind
from tilekeeper.companion.tournament.tie_breaks import draw_lot
from tilekeeper.engine.language import use_language

pytestmark = pytest.mark.slow  # a hub with its database for each


def win(desk: Desk, database: Database, round_: int) -> None:
    """Let the first seat win each game of a round by 10 points from each other player."""
    games = read(database).settings.format.games
    for seating in seated(database, round_):
        points = [str(10 * (len(seating.players) - 1)), *["-10"] * (len(seating.players) - 1)]
        desk.enter_points(plan(database), round_, seating.table, points * games, "Olga")


def read(database: Database):
    with database.reading() as session:
        return read_tournament(session)


def check(database: Database) -> list[str]:
    with database.reading() as session:
        return list(check_event(session))


def journal(database: Database) -> list[str]:
    with database.reading() as session:
        return [words for _, _, words, _ in journal_of(session)]


def test_players_who_change_places_get_new_seats_at_both_tables(database: Database) -> None:
    """The tables' earlier commands are void, the conflicts are told, and everybody can read who did it."""
    desk = night(database, 8)
    desk.pair(plan(database), "Olga")
    (one, *_), (other, *_) = (seating.players for seating in seated(database))
    assert Rulings(database).swap(plan(database), one, other, "Olga") == ()
    first, second = seated(database)
    assert (first.players[0], second.players[0]) == (other, one)
    orders = {row.table: read_command(json.dumps(row.payload).encode()) for row in commands(database, "seat")}
    assert len(commands(database, "seat")) == 2
    assert [player.id for player in orders["1"].players] == list(map(str, first.players))  # type: ignore[union-attr]
    assert first.command == orders["1"].id
    assert read(database).rounds[0].corrected_by == "Olga"
    assert journal(database) == [f"Round 1: Player {one} and Player {other} changed places."]
    with database.reading() as session, use_language(translations_of("de")):
        assert "Runde 1" in journal_of(session)[0][2]


def test_player_with_a_bye_can_change_places_and_repeated_meetings_are_told(database: Database) -> None:
    """Five players: whoever had the bye in round 1 gets it again, which is a conflict."""
    desk = night(database, 5)
    desk.pair(plan(database), "Olga")
    win(desk, database, 1)
    free = read(database).rounds[0].byes[0]["player"]
    desk.pair(plan(database), "Olga")
    now_free = read(database).rounds[1].byes[0]["player"]
    assert free != now_free
    conflicts = Rulings(database).swap(plan(database), free, now_free, "Olga")
    assert f"Player {free} has had a bye before." in conflicts
    assert read(database).rounds[1].byes == [{"player": free, "kind": "allocated"}]
    with database.reading() as session:
        assert f"Player {free} has had a bye before." in night_view(session).conflicts


def test_started_round_and_impossible_changes_are_refused(database: Database) -> None:
    desk, rulings = night(database, 8), Rulings(database)
    with pytest.raises(Refused, match="has started"):
        rulings.swap(plan(database), 1, 2, "Olga")
    desk.pair(plan(database), "Olga")
    for one, other, words in ((1, 1, "change places"), (1, 99, "no such player")):
        with pytest.raises(Refused, match=words):
            rulings.swap(plan(database), one, other, "Olga")
    desk.turn_clock(1, "start", "Olga", Role.ORGANISER)
    with pytest.raises(Refused, match="has started"):
        rulings.swap(plan(database), 1, 2, "Olga")


def test_player_who_has_left_gets_no_seat(database: Database) -> None:
    """Neither does one who is away in this round; the pairing stays as it was."""
    desk, rulings = night(database, 10), Rulings(database)
    rulings.give_bye(plan(database), 9, 1, ByeKind.HALF, "Olga")
    desk.pair(plan(database), "Olga")
    desk.add_player(plan(database), "Late")
    desk.set_gone(plan(database), 10, True)
    before = read(database).record.rounds
    for player, words in ((10, "Player 10 has left. Press “Is back” first."), (9, "change places")):
        with pytest.raises(Refused, match=words):
            rulings.swap(plan(database), 1, player, "Olga")
    assert read(database).record.rounds == before
    # Who leaves after the pairing still has a seat until it is drawn again; once the round runs, the table knows.
    desk.set_gone(plan(database), 1, True)
    words = "Player 1 has left and still has a seat. Press “Pair again”."
    with database.reading() as session:
        assert words in night_view(session).conflicts
    desk.withdraw(plan(database))
    desk.pair(plan(database), "Olga")
    desk.turn_clock(1, "start", "Olga", Role.ORGANISER)
    with database.reading() as session:
        assert night_view(session).conflicts == ()


def test_second_organiser_who_corrects_the_same_pairing_is_told(database: Database) -> None:
    """The correction of the first one stays, and the second sees it before trying again."""
    desk, rulings = night(database, 8), Rulings(database)
    desk.pair(plan(database), "Olga")
    shown = plan(database)
    (one, *_), (other, third, *_) = (seating.players for seating in seated(database))
    rulings.swap(shown, one, other, "Olga")
    after = read(database).record.rounds
    with pytest.raises(Refused, match="Somebody else has changed something"):
        rulings.swap(shown, one, third, "Kim")
    assert read(database).record.rounds == after
    assert len(journal(database)) == 1


def test_bye_asked_for_in_advance_counts_as_noted(database: Database) -> None:
    """Player 9 of nine is away in round 1 with half a bye: half of 50 points and half a win; then they play."""
    desk, rulings = night(database, 9), Rulings(database)
    with use_language(translations_of("fi")):
        rulings.give_bye(plan(database), 9, 1, ByeKind.HALF, "Olga")
    assert journal(database) == ["Player 9 does not play in round 1: half bye, counts as half a win."]
    rulings.give_bye(plan(database), 8, 1, ByeKind.ZERO, "Olga")
    rulings.give_bye(plan(database), 8, 1, None, "Olga")
    desk.pair(plan(database), "Olga")
    assert read(database).rounds[0].byes == [{"player": 9, "kind": "half"}]
    assert all(9 not in seating.players for seating in seated(database))
    line = next(line for line in read(database).standings if line.player == "9")
    assert (line.score, str(line.values["wins"])) == (25, "1/2")  # type: ignore[index]
    with database.reading() as session:
        assert night_view(session).byes == ("Player 9 (H)",)
    with pytest.raises(Refused, match="already paired"):
        rulings.give_bye(plan(database), 9, 1, ByeKind.FULL, "Olga")
    win(desk, database, 1)
    desk.pair(plan(database), "Olga")
    assert any(9 in seating.players for seating in seated(database, 2))


def test_late_player_gets_the_stated_score_until_the_stated_round(database: Database) -> None:
    """With half a bye for each missed round, and nobody after round 2 is paired."""
    desk = night(database, 8, format={"rounds": 3, "late_bye": "half", "late_until": 2})
    desk.pair(plan(database), "Olga")
    desk.add_player(plan(database), "Late", "Chess club", "juniors")
    (late,) = [row for row in read(database).players if row.name == "Late"]
    assert (late.club, late.category) == ("Chess club", "juniors")
    assert read(database).rounds[0].byes == [{"player": late.id, "kind": "half"}]
    assert check(database) == []
    with database.writing() as session:
        session.get_one(RoundRow, 1).byes = [{"player": late.id, "kind": "full"}]
    assert check(database) == [
        "Round 1: a bye was given that nobody asked for.",
        "Round 1: a bye that somebody asked for is missing.",
    ]
    desk.withdraw(plan(database))
    desk.pair(plan(database), "Olga")
    assert any(late.id in seating.players for seating in seated(database)), "drawn again, they can play"
    desk.withdraw(plan(database))
    desk.set_gone(plan(database), late.id, True)
    desk.pair(plan(database), "Olga")
    desk.add_player(plan(database), "Late", "Chess club", "juniors")
    (late,) = [row for row in read(database).players if row.name == "Late"]
    win(desk, database, 1)
    desk.pair(plan(database), "Olga")
    assert any(late.id in seating.players for seating in seated(database, 2))
    with pytest.raises(Refused, match="up to round 2"):
        desk.add_player(plan(database), "Too late")


def test_players_kept_apart_and_club_mates_do_not_meet(database: Database) -> None:
    """Eight players at two tables: 1 and 2 never meet, and the four of one club not in round 1."""
    desk, rulings = night(database, 8, format={"rounds": 3, "clubs_apart": 1}), Rulings(database)
    rulings.keep_apart(plan(database), 2, 1, True, "Olga")
    for player in (3, 4):
        rulings.describe(plan(database), player, "Blue", "")
    for number in (1, 2, 3):
        desk.pair(plan(database), "Olga")
        tables = [set(seating.players) for seating in seated(database, number)]
        assert not any({1, 2} <= table for table in tables)
        assert number > 1 or not any({3, 4} <= table for table in tables)
        win(desk, database, number)
    rulings.keep_apart(plan(database), 1, 2, False, "Olga")
    assert read(database).apart == []
    for one, other, words in ((1, 1, "two players"), (1, 99, "no such player")):
        with pytest.raises(Refused, match=words):
            rulings.keep_apart(plan(database), one, other, True, "Olga")


def test_change_of_club_and_category_is_public(database: Database) -> None:
    """Each change has its own sentence, also if club or category becomes empty; what stays as it is has none."""
    night(database, 4)
    rulings, before = Rulings(database), journal(database)
    for club, category in (("Blue", ""), ("Blue", "juniors"), ("", "juniors"), ("", "juniors"), ("Red", "")):
        rulings.describe(plan(database), 3, club, category, 60, by="Olga")
    (name,) = [row.name for row in read(database).players if row.id == 3]
    assert journal(database)[: -len(before) or None] == [
        f"{name} is in no category now.",
        f"{name} now plays for Red.",
        f"{name} has no club now.",
        f"{name} is now in the category juniors.",
        f"{name} now plays for Blue.",
    ]


def test_penalty_lowers_the_score_and_is_public(database: Database) -> None:
    desk, rulings = night(database, 4), Rulings(database)
    with pytest.raises(Refused, match="not paired yet"):
        rulings.punish(plan(database), 1, 5, "late", "Arto")
    desk.pair(plan(database), "Olga")
    win(desk, database, 1)
    leader = read(database).standings[0]
    rulings.punish(plan(database), int(leader.player), 45, "came late", "Arto")
    lowered = read(database).standings
    assert [line.score for line in lowered if line.player == leader.player] == [leader.score - 45]
    assert lowered[0].player != leader.player
    with database.reading() as session:
        (entry,) = night_view(session).journal
    assert entry[1:] == ("Arto", f"Player {leader.player} loses 45 points.", "came late")
    for points, why, words in ((5, "", "Say why"), (0, "x", "not a number"), (5, "x", "no such player")):
        with pytest.raises(Refused, match=words):
            rulings.punish(plan(database), 99 if words == "no such player" else 1, points, why, "Arto")


def test_tie_is_decided_by_hand_with_a_reason(database: Database) -> None:
    """Three losers share the second place; the arbiter puts the last of them first among them."""
    criteria = ["tile-points", "by-hand"]
    desk, rulings = night(database, 4, format={"rounds": 3, "criteria": criteria}), Rulings(database)
    desk.pair(plan(database), "Olga")
    win(desk, database, 1)
    winner, *losers = (int(line.player) for line in read(database).standings)
    assert [line.place for line in read(database).standings] == [1, 2, 2, 2]
    with pytest.raises(Refused, match="do not share"):
        rulings.order_by_hand(plan(database), winner, losers[0], "x", "Arto")
    with pytest.raises(Refused, match="Say why"):
        rulings.order_by_hand(plan(database), losers[2], losers[0], "", "Arto")
    rulings.order_by_hand(plan(database), losers[2], losers[0], "played off", "Arto")
    lines = read(database).standings
    assert [(line.place, int(line.player)) for line in lines] == [
        (1, winner), (2, losers[2]), (3, losers[0]), (4, losers[1]),
    ]  # fmt: skip
    with database.reading() as session:
        assert night_view(session).standings[1].why.endswith("ahead on: Decision of the referee")


def test_tie_is_decided_by_lots_with_a_public_seed(database: Database) -> None:
    """Whoever knows the seed draws the same lots again, by the players' names."""
    desk, rulings = night(database, 4, format={"rounds": 3, "criteria": ["tile-points", "by-hand"]}), Rulings(database)
    desk.pair(plan(database), "Olga")
    win(desk, database, 1)
    winner, *losers = (int(line.player) for line in read(database).standings)
    with pytest.raises(Refused, match="shares no place"):
        rulings.draw_lots(plan(database), winner, "Arto")
    rulings.draw_lots(plan(database), losers[1], "Arto")
    lines = read(database).standings
    assert [line.place for line in lines] == [1, 2, 3, 4]
    (words,) = journal(database)
    drawn = re.fullmatch(r"Lots were drawn for place 2 \(seed (\w{12})\): (.*)\.", words)
    assert drawn is not None
    names = [f"Player {line.player}" for line in lines[1:]]
    assert drawn[2].split(", ") == names == sorted(names, key=lambda name: draw_lot(drawn[1], name), reverse=True)
    with pytest.raises(Refused, match="shares no place"):
        rulings.draw_lots(plan(database), losers[1], "Arto")


def test_withdrawn_pairing_changes_no_lot(database: Database) -> None:
    """The next pairing is another one, but whoever was ahead by lot stays ahead."""
    desk = night(database, 16, format={"rounds": 3, "criteria": ["tile-points", "lot"]})
    desk.pair(plan(database), "Olga")
    drawn, order = read(database).record.rounds, [line.player for line in read(database).standings]
    desk.withdraw(plan(database))
    assert [line.player for line in read(database).standings] == order
    desk.pair(plan(database), "Olga")
    assert read(database).record.rounds != drawn


def test_tie_by_hand_is_refused_if_the_event_has_no_such_tie_break(database: Database) -> None:
    night(database, 4)
    with pytest.raises(Refused, match="to the tie-breaks"):
        Rulings(database).order_by_hand(plan(database), 1, 2, "x", "Arto")


def test_changed_settings_after_the_first_round_are_in_the_journal(database: Database) -> None:
    """Old and new value are told in the reader's language; a change before round 1 is not told."""
    desk = night(database, 4)
    settings = read(database).settings.as_json()
    desk.configure(plan(database), settings, "Olga")
    assert journal(database) == []
    desk.pair(plan(database), "Olga")
    changed = settings | {"format": settings["format"] | {"criteria": ["wins", "lot"]}}
    with use_language(translations_of("fi")):
        desk.configure(plan(database), changed, "Olga")
    words = "What counts in the standings: Won, then Lot (before: Points, then Won, then Buchholz, then Best game)"
    assert journal(database) == [words]
    with use_language(translations_of("de")):
        assert "(vorher: Punkte, dann " in journal(database)[0]
        assert ", dann Buchholz, dann " in journal(database)[0]
    scoring = changed["format"]["scoring"] | {"bye_points": 10, "loss_cap": 100}
    format_ = changed["format"] | {"scoring": scoring, "pairing": "swiss", "rounds": 4, "late_bye": "half"}
    desk.configure(plan(database), changed | {"format": format_, "house": ["turn.limit_s=90"]}, "Olga")
    assert journal(database)[:-1][::-1] == [
        "Points for a bye: 10 (before: 50)",
        "Most points that a player can lose in a game (empty: no limit): 100 (before: –)",
        "Pairing: By points (Swiss) (before: At random; no two players meet twice)",
        "Rounds: 4 (before: 3)",
        "A round that a late player missed: half bye, counts as half a win (before: absent, counts nothing)",
        "House rules: turn.limit_s=90 (before: –)",
    ]
    with pytest.raises(Refused, match="number of games in a round can't change any more: 1"):
        desk.configure(plan(database), settings | {"format": settings["format"] | {"games": 2}}, "Olga")


def test_redrawn_pairing_corrected_result_and_leaving_player_are_in_the_journal(database: Database) -> None:
    """A result that is entered for the first time, or again without a change, is not."""
    desk = night(database, 4)
    desk.pair(plan(database), "Olga")
    desk.withdraw(plan(database), "Olga")
    desk.pair(plan(database), "Olga")
    for points in ((30, -10, -10, -10), (30, -10, -10, -10), (-10, 30, -10, -10)):
        desk.enter_points(plan(database), 1, "1", list(map(str, points)), "Olga")
    names = [f"Player {player}" for player in seated(database)[0].players]
    desk.set_gone(plan(database), 3, True, "Olga")
    desk.set_gone(plan(database), 3, False, "Olga")
    one, two, three, four = names
    assert journal(database)[::-1] == [
        "The pairing of round 1 was withdrawn.",
        f"Round 1, table 1: the result is now {one} -10, {two} +30, {three} -10, {four} -10 "
        f"(before: {one} +30, {two} -10, {three} -10, {four} -10).",
        "Player 3 leaves.",
        "Player 3 is back.",
    ]


def test_stored_basis_draws_the_same_pairing(database: Database) -> None:
    """Each of three Swiss rounds, with players kept apart and one absent."""
    desk, rulings = night(database, 13, format={"rounds": 3, "pairing": "swiss"}), Rulings(database)
    rulings.keep_apart(plan(database), 1, 2, True, "Olga")
    rulings.give_bye(plan(database), 3, 2, ByeKind.HALF, "Olga")
    for number in (1, 2, 3):
        desk.pair(plan(database), "Olga")
        win(desk, database, number)
    tournament = read(database)
    for number, row in enumerate(tournament.rounds):
        assert row.basis is not None
        drawn = PairingBasis.of(row.basis).draw(tournament.record.rounds[:number])
        assert drawn.tables == tournament.record.rounds[number].tables


def test_several_games_a_round_are_ordered_entered_and_counted(database: Database) -> None:
    """German style: four games, the start moves, and the placement points of all four count."""
    desk = night(database, 4, format={"rounds": 1, "games": 4, "criteria": ["placement-points", "tile-points"]})
    desk.pair(plan(database), "Olga")
    order = read_command(json.dumps(commands(database, "seat")[0].payload).encode())
    assert (order.games, order.house) == (4, ["setup.next_round=left"])  # type: ignore[union-attr]
    with pytest.raises(Refused, match="every player"):
        desk.enter_points(plan(database), 1, "1", ["1"] * 20, "Olga")
    win(desk, database, 1)
    (seating,) = seated(database)
    assert (seating.points, seating.won) == (["120", "-40", "-40", "-40"], [0])
    first, second, *_ = read(database).standings
    # Four wins of 4; the others share 3, 1 and 0 in each game.
    assert (first.score, str(second.score)) == (16, "16/3")


def test_final_is_paired_from_the_standings_and_ends_the_night(database: Database) -> None:
    """One round of nine, then the best four play the final."""
    desk = night(database, 9, format={"rounds": 1, "finalists": 4})
    desk.pair(plan(database), "Olga")
    win(desk, database, 1)
    best = [int(line.player) for line in read(database).standings[:4]]
    desk.pair(plan(database), "Olga")
    (final,) = seated(database, 2)
    assert final.players == best
    win(desk, database, 2)
    assert read(database).standings[0].player == str(best[0])
    with pytest.raises(Refused, match="All 2 rounds"):
        desk.pair(plan(database), "Olga")


def test_knock_out_goes_on_until_one_table_is_played(database: Database) -> None:
    """Eight at tables of two: four, two and one table."""
    desk = night(database, 8, format={"pairing": "knock-out", "table_size": 2, "advancing": 1})
    for number, tables in ((1, 4), (2, 2), (3, 1)):
        desk.pair(plan(database), "Olga")
        assert len(seated(database, number)) == tables
        win(desk, database, number)
    winner = seated(database, 3)[0].players[0]
    assert read(database).standings[0].player == str(winner)
    with pytest.raises(Refused, match="All 3 rounds"):
        desk.pair(plan(database), "Olga")
