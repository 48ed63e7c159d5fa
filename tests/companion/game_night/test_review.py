"""The review: racks that were shown tell what players could have laid in their last turns."""

import itertools
from dataclasses import replace

import pytest

from tests.support.past_evenings import evening
from tilekeeper.companion.adjudication import easiest_play
from tilekeeper.companion.game_night.record import Note
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.review import MOST_PUZZLES, Review, known_turns, review
from tilekeeper.companion.text.review import missed_words
from tilekeeper.engine.game.events import (
    Corrected,
    Dealt,
    Entry,
    GameStarted,
    Passed,
    PlayerOpened,
    PoolCounted,
    RackCounted,
    RackShown,
    StarterChosen,
    TableCorrected,
    TileDrawn,
    TilesLaid,
)
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.solver.arrange import arrangements
from tilekeeper.engine.tiles.notation import parse_rack, parse_table

TABLE = "R3 R4 R5 | K8 B8 O8"


def played(*entries: Entry, opened: bool = True, house: tuple[str, ...] = ()) -> RecordedGame:
    """Return a game of Ada, who has one tile and has opened, and Bo, who has five; Ada begins."""
    start = GameStarted(("Ada", "Bo"), "large-numbers", house, None)
    recorded = RecordedGame.begin(start, (("Ada",), ("Bo",)), Note(1, ""))
    before = (
        StarterChosen(0, overruled=True),
        Dealt((1, 5)),
        TableCorrected(parse_table(TABLE)),
        PlayerOpened(0, True),
        PlayerOpened(1, opened),
    )
    return recorded.with_events((*before, *entries), Note(2, ""))


def laid(table: str) -> TilesLaid:
    return TilesLaid(parse_table(table))


def shown(player: int, rack: str) -> RackShown:
    return RackShown(player, parse_rack(rack))


def summaries(found: Review) -> list[tuple[str, str, int, int]]:
    """Return for each missed turn: player, best play, and how many tiles were possible and laid."""
    return [
        (("Ada", "Bo")[one.turn.player], " ".join(map(str, one.play.laid)), len(one.play.laid), one.turn.laid)
        for one in found.missed
    ]


ADA_GOES_OUT = f"R1 R2 {TABLE}"


def test_player_who_drew_could_have_laid_a_tile_whichever_tile_was_drawn():
    """R6 continues the run and R8 the group; nobody knows which tile of the rack was drawn, but one of them was not."""
    recorded = played(TileDrawn(), TileDrawn(), laid(ADA_GOES_OUT), shown(1, "R6 R8 B1 B13 K11 O4"))
    ((name, tile, possible, count),) = summaries(review(recorded))
    assert (name, possible, count) == ("Bo", 1, 0)
    assert tile in ("R6", "R8")


def test_nothing_is_told_if_only_the_drawn_tile_may_have_fitted():
    recorded = played(TileDrawn(), TileDrawn(), laid(ADA_GOES_OUT), shown(1, "R6 B12 B1 B13 K11 O4"))
    assert summaries(review(recorded)) == []


def test_player_who_laid_a_tile_could_have_laid_more():
    recorded = played(TileDrawn(), laid(f"{TABLE} R8"), laid(f"R1 R2 {TABLE} R8"), shown(1, "R6 B1 B13 K11"))
    assert summaries(review(recorded)) == [("Bo", "R6 R8", 2, 1)]


def test_nothing_could_have_been_laid_by_a_player_who_could_not_open():
    recorded = played(TileDrawn(), TileDrawn(), laid(ADA_GOES_OUT), shown(1, "R6 R8 B1 B13 K11 O4"), opened=False)
    assert summaries(review(recorded)) == []


def test_player_who_went_out_is_not_in_the_review():
    """Ada drew although she could have laid R2 or R6, but she won, so she missed nothing."""
    recorded = played(*(TileDrawn(), TileDrawn(), laid("R2 R3 R4 R5 R6 | K8 B8 O8")), shown(1, "B12 B1 B13 K11 O4 O13"))
    assert summaries(review(recorded)) == []


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        (
            (PoolCounted(0), Passed(), Passed(), shown(0, "B1"), shown(1, "R6 R8 B1 B13 K11")),
            "Bo passed, but the pool was empty and 2 tiles fitted: Bo had to lay.",
        ),
        (
            (TileDrawn(), TileDrawn(), laid(ADA_GOES_OUT), shown(1, "R6 R8 B1 B13 K11 O4")),
            "Bo could have laid 1 of 5 tiles.",
        ),
    ],
    ids=["the pool is empty", "Bo draws"],
)
def test_who_passed_with_an_empty_pool_and_could_lay_had_to_lay_by_house_rule(
    entries: tuple[Entry, ...], words: str
) -> None:
    house = ("ending.must_lay=yes", "ending.pool_empty=all-pass")
    found = review(played(*entries, house=house))
    assert [missed_words(one, "Bo") for one in found.missed] == [words]


def test_rack_of_the_winner_is_known_back_to_the_last_draw():
    recorded = played(TileDrawn(), TileDrawn(), laid(ADA_GOES_OUT), shown(1, "R6 B12 B1 B13 K11 O4"))
    winner = [turn for turn in known_turns(recorded) if turn.player == 0]
    assert [(turn.number, str(turn.before), " ".join(map(str, turn.rack)), turn.laid) for turn in winner] == [
        (3, TABLE, "R1 R2", 2),
        (1, TABLE, "R1 R2", 0),
    ]


@pytest.mark.parametrize(
    ("corrections", "rack"),
    [((), "R6 R8 B1"), ((RackCounted(1, 3),), "R6 R8 B1")],
    ids=["the count differs from the ledger", "the ledger was corrected after the turn"],
)
def test_turn_is_left_out_if_the_app_has_missed_a_tile(corrections, rack):
    recorded = played(TileDrawn(), TileDrawn(), *corrections, laid(ADA_GOES_OUT), shown(1, rack))
    assert [turn.player for turn in known_turns(recorded)] == [0, 0]


def test_puzzles_of_random_games_are_legal_turns_and_the_hardest_come_first(monkeypatch):
    ticks = itertools.count()  # a clock that counts its calls finds the same plays on a busy machine

    def paced(tiles, rules, _seconds):
        return arrangements(tiles, rules, 100.0, lambda: float(next(ticks)))

    monkeypatch.setattr(easiest_play, "arrangements", paced)
    easiest_play.with_few_moves.cache_clear()
    recorded = evening(3, rounds=1)
    found = review(recorded)
    assert 0 < len(found.puzzles) <= MOST_PUZZLES
    assert [play.interest for play in found.puzzles] == sorted((play.interest for play in found.puzzles), reverse=True)
    for play in (*found.puzzles, *found.missed):
        assert judge(play.turn.before, play.play.after, play.turn.context).legal
        assert set(play.play.laid) <= set(play.turn.rack)
    assert all(play.missed > 0 for play in found.missed)


def test_corrected_rack_counts_although_the_next_round_was_dealt():
    recorded = played(TileDrawn(), TileDrawn(), laid(ADA_GOES_OUT), shown(1, "R6 R8 B1 B13 K11 O4"))
    place = len(recorded.records) - 1
    recorded = recorded.with_events([StarterChosen(1, overruled=True), Dealt((14, 14))], Note(3, ""))
    assert [name for name, *_ in summaries(review(recorded))] == ["Bo"]
    corrected = Corrected(place, shown(1, "R11 R13 B1 B13 K11 O4"))
    assert summaries(review(recorded.with_events([corrected], Note(4, "")))) == []


def test_turns_are_reviewed_by_the_rules_of_their_time():
    """The players agree on another opening later; the same step then confirms Ada's turn, as the button does."""
    recorded = played(TileDrawn(), TileDrawn(), laid(ADA_GOES_OUT), shown(1, "R6 R8 B1 B13 K11 O4"))
    place = len(recorded.records) - 2
    confirmed = Corrected(place, replace(laid(ADA_GOES_OUT), overruled=True))
    start = Corrected(0, replace(recorded.start, house=("opening.minimum_points=50",)))
    after = recorded.with_events([StarterChosen(1, overruled=True), Dealt((14, 14))], Note(3, ""))
    after = after.with_events([confirmed, start], Note(4, ""))
    assert after.state.rules.opening.minimum_points == 50
    assert list(known_turns(after)) == list(known_turns(recorded))
    assert {turn.rules.opening.minimum_points for turn in known_turns(after)} == {30}
