"""The best play of a rack: it is legal, lays the most tiles, and is called best only if that is proved."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter

import pytest

from tests.benchmarks.engine.questions import question
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.judge.verdict import Outcome
from tilekeeper.engine.rules.editions import RULE_SETS, rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver import openings, play_search
from tilekeeper.engine.solver.best_play import (
    Aim,
    PlayResult,
    best_play,
    can_open,
    can_play,
    find_best_play,
)
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

pytestmark = pytest.mark.slow

LARGE = rule_set("large-numbers")


def rack(text: str) -> Meld:
    return parse_table(text).melds[0] if text else ()


@pytest.mark.parametrize(
    ("edition", "table", "tiles", "opened", "laid"),
    [
        ("large-numbers", "B4 B5 B6 | O8 R8 K8", "B3 B8", True, "B3 B8"),
        ("large-numbers", "R4 B4 K4 O4", "B3 B5 B6", True, "B3 B5 B6"),
        ("large-numbers", "B8 B9 B10", "B11 K8 O8", True, "K8 B11 O8"),
        ("large-numbers", "R4 R5 R6 R7 R8", "R6", True, "R6"),
        ("travel", "O1 O2 O3 O4 | R1 B1 K1 O1", "B1", True, "B1"),
        ("travel", "O5 O6 O7 | R5 R6 R7 | K5 K6 K7 K8 K9", "K10 B5", True, "K10 B5"),
        ("cards", "K4 K5 K6 K7 | Y4 Y5 Y6 Y7 | B4 B5 B6", "R4 R6 R7", True, "R4 R6 R7"),
        ("cards", "B8 K8 Y8 R8", "R7 R9", True, "R7 R9"),
        ("finnish", "R4 J R6 | K1 K2 K3", "R5 B9 O9", True, "B9 O9 R5"),
        ("finnish", "R4 R5 J | K6 B6 O6", "R7", True, "R7"),
        ("finnish", "R4 J R6 | K7 B7 J", "R5 O7 B9 O9 K10 B10", True, "K10 B9 B10 O7 O9 R5"),
        ("finnish", "R4 J R6 | R4 J R6", "R5 B9 O9", True, "B9 O9 R5"),
        ("junior", "R1 R2 R3 J | B4 B5 B6", "B8", True, "B8"),
        ("junior", "R1 R2 R3 R4", "R5 B1 B2", True, "R5"),
        ("junior", "", "R5 R6 R7 B1", False, "R5 R6 R7"),
        ("large-numbers", "K1 K2 K3", "R10 B10 O10 K4", False, "B10 O10 R10"),
        ("cards", "K1 K2 K3", "R10 B10 Y10 K4 R11 R12", False, ""),
        ("cards", "K1 K2 K3", "R13 B13 Y13 K13 K4", False, "K4 K13 B13 R13 Y13"),
        ("finnish", "", "R10 B10 O10", False, ""),
        ("large-numbers", "K1 K2 K3", "R10 B12", True, ""),
        ("large-numbers", "", "", True, ""),
    ],
)
def test_best_play_of_examples_is_legal_and_proved(
    edition: str, table: str, tiles: str, opened: bool, laid: str
) -> None:
    """Examples of the rulebooks and others: the laid tiles, the legality, and the proof."""
    rules = rule_set(edition)
    before = parse_table(table)
    play = best_play(before, rack(tiles), TurnContext(rules, opened))
    if not laid:
        assert play is None
        assert not can_play(before, rack(tiles), TurnContext(rules, opened))
        return
    assert play is not None
    assert " ".join(map(str, play.laid)) == laid
    assert play.proved
    assert play.opens == (not opened and bool(rules.opening.minimum_points))
    assert judge(before, play.after, TurnContext(rules, opened)).legal
    assert play.points == sum(tile.number or 0 for tile in play.laid) or edition == "junior"


def test_most_points_need_not_be_most_tiles() -> None:
    """The play with the most points need not lay the most tiles."""
    tiles = rack("R1 R2 R3 R4 R13 B13 K13 R12 R11 O4")
    table = Table()
    most_tiles = best_play(table, tiles, TurnContext(LARGE, True))
    most_points = best_play(table, tiles, TurnContext(LARGE, True), Aim.POINTS)
    assert most_tiles is not None
    assert most_points is not None
    assert len(most_tiles.laid) >= len(most_points.laid)
    assert most_points.points >= most_tiles.points
    either = rack("R13 B13 K13 R12 R11 R10 R9 B9 K9")
    points = best_play(table, either, TurnContext(LARGE, True), Aim.POINTS)
    assert points is not None
    assert points.points == sum(tile.number or 0 for tile in either)


def test_joker_that_counts_nothing_in_one_plan_counts_in_the_next() -> None:
    """Freed jokers go to the rack by house rule, so one plan has another weight for a joker than the others."""
    rules = with_house_rules(LARGE, ["joker.freed=rack", "melds.shortest=4", "stock.jokers=3"])
    play = best_play(parse_table("R3 K3 B3 J"), rack("O3 R1 K1 J J"), TurnContext(rules, opened=True), Aim.POINTS)
    assert play is not None
    assert (play.points, play.proved) == (64, True)


@pytest.mark.parametrize("opening_table", ["left-alone", "free-once-open"])
def test_nothing_opens_on_a_table_with_melds_if_it_must_be_empty(opening_table: str) -> None:
    """Proved, whatever the opening may do with the table."""
    house = ["opening.needs_empty_table=yes", f"opening.table={opening_table}"]
    context = TurnContext(with_house_rules(LARGE, house), opened=False)
    assert can_play(parse_table("R1 R2 R3"), rack("K10 B10 O10"), context) is False
    assert can_open(parse_table("R1 R2 R3"), rack("K10 B10 O10"), context) is False
    assert can_play(parse_table(""), rack("K10 B10 O10"), context) is True


def test_copies_beyond_the_box_open_nothing() -> None:
    """Both red 10 lie on the table, so the one on the rack was misread."""
    table, tiles = parse_table("R8 R9 R10 | R9 R10 R11"), rack("R10 B10 K10")
    context = TurnContext(LARGE, opened=False)
    assert can_open(table, tiles, context) is False
    assert can_play(table, tiles, context) is False


def test_play_as_text() -> None:
    """The laid tiles, whether they open, the proof, and the table after; or that nothing can be laid."""
    found = find_best_play(Table(), rack("R10 B10 O10"), TurnContext(LARGE, False))
    assert found.play is not None
    headline = "You can open with 3 tiles (B10 O10 R10); no turn lays more:"
    assert str(found) == str(found.play) == f"{headline}\n  {found.play.after}"
    unproved = dataclasses.replace(found.play, proved=False, opens=False, laid=rack("R10"))
    assert str(unproved).startswith("You can lay 1 tile (R10); another turn may lay more:")
    assert str(PlayResult(None, proved=True)) == "You can't lay anything."
    assert str(PlayResult(None, proved=False)) == "No turn was found."


@pytest.mark.parametrize(
    ("table", "tiles", "after"),
    [
        ("R13 B13 O13 | K3 K2 K1", "B5 O5 K5", "R13 B13 O13 | K3 K2 K1 | K5 B5 O5"),
        ("R13 B13 O13 | K3 K2 K1", "K4 K13", "R13 B13 O13 K13 | K4 K3 K2 K1"),
    ],
)
def test_play_leaves_each_tile_in_the_order_of_the_table(table: str, tiles: str, after: str) -> None:
    """A meld that stays, or goes on, is not told in another order."""
    context = TurnContext(rule_set("large-numbers"), opened=True)
    play = best_play(Table(table), parse_table(tiles).melds[0], context)
    assert play is not None
    assert sorted(str(play.after).split(" | ")) == sorted(after.split(" | "))


def test_rack_can_open_or_not() -> None:
    """Jokers count by the rules of the edition; a full table may prevent an opening."""
    assert can_open(Table(), rack("R10 B10 O10"), TurnContext(LARGE, False))
    assert not can_open(Table(), rack("R10 B10 O9"), TurnContext(LARGE, False))
    assert can_open(Table(), rack("R9 J J"), TurnContext(LARGE, False))
    assert not can_open(Table(), rack("R7 J J"), TurnContext(LARGE, False))
    harder = dataclasses.replace(LARGE, opening=rule_set("cards").opening)
    assert can_open(Table(), rack("R1 R2 J"), TurnContext(harder, False)) is False
    assert can_open(Table(), rack("R1 J J"), TurnContext(rule_set("cards"), False))
    assert can_open(Table(), (), TurnContext(rule_set("junior"), False))
    empty = dataclasses.replace(LARGE, opening=dataclasses.replace(LARGE.opening, needs_empty_table=True))
    assert can_open(Table(), rack("R10 B10 O10"), TurnContext(empty, False))
    assert not can_open(parse_table("K1 K2 K3"), rack("R10 B10 O10"), TurnContext(empty, False))
    one = dataclasses.replace(LARGE, opening=dataclasses.replace(LARGE.opening, several_sets=False))
    assert can_open(Table(), rack("R5 B5 O5 R6 B6 O6"), TurnContext(LARGE, False))
    assert not can_open(Table(), rack("R4 B4 O4 R6 B6 O6"), TurnContext(one, False))
    assert can_open(Table(), (), TurnContext(LARGE, opened=True))


def test_unfinished_search_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the search ends before it finds a turn, the answer is not that there is none."""
    monkeypatch.setattr(play_search, "_SEARCH_BUDGET", 0)
    table, opened = parse_table("K1 K2 K3"), TurnContext(LARGE, True)
    assert find_best_play(table, rack("K4"), opened) == PlayResult(None, proved=False)
    assert can_play(table, rack("K4"), opened) is None
    assert can_play(table, (), opened) is False
    high = dataclasses.replace(LARGE, opening=dataclasses.replace(LARGE.opening, minimum_points=99))
    assert can_open(Table(), rack("R10 B10 O10"), TurnContext(high, False)) is False
    monkeypatch.setattr(openings, "_MOST_STATES", 2)
    assert can_open(Table(), rack("R10 B10 O10"), TurnContext(LARGE, False)) is True
    assert can_open(Table(), rack("R10 B10 O10"), TurnContext(high, False)) is None
    assert can_play(Table(), rack("R10 B10 O10"), TurnContext(high, False)) is None
    empty = with_house_rules(rule_set("cards"), ["opening.needs_empty_table=yes"])
    assert find_best_play(table, rack("R10 B10 K10 Y10"), TurnContext(empty, False)) == PlayResult(None, proved=True)


@pytest.mark.parametrize(
    ("table", "tiles", "laid"),
    [
        ("K1 K2 K3 J", "B9 R9", 0),
        ("K1 K2 K3 J", "K4 B9 R9", 3),
        ("K1 K2 K3 J | R5 R6 R7 R8", "R8 K8", 0),
        ("K9 R9 J", "B9 Y9 R3", 1),
        ("K9 R9 J", "B9 Y9 R3 K3", 4),
        ("K9 R9 J | Y9 Y10 J", "B9 R3 K3", 3),
    ],
)
def test_play_with_a_joker_that_can_not_leave_is_proved_without_a_search(
    table: str, tiles: str, laid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A joker leaves its set only if the rack has its tile, which proves the play without a search."""
    monkeypatch.setattr(play_search, "_MOST_JUDGED", 0)
    sought = find_best_play(parse_table(table), rack(tiles), TurnContext(rule_set("cards"), True))
    assert sought.proved
    assert (0 if sought.play is None else len(sought.play.laid)) == laid


def test_two_jokers_for_one_tile_are_proved_by_a_complete_search_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """If two jokers stand for one tile, the play is proved only by a complete search."""
    before, tiles, cards = parse_table("K9 R9 B9 J | K9 R9 B9 J"), rack("B3 Y3"), rule_set("cards")
    assert find_best_play(before, tiles, TurnContext(cards, True)) == PlayResult(None, proved=True)
    for limit, most in (("_MOST_JUDGED", 0), ("_MOST_STATES", 1)):
        with monkeypatch.context() as patch:
            patch.setattr(play_search, limit, most)
            assert find_best_play(before, tiles, TurnContext(cards, True)) == PlayResult(None, proved=False)


def test_joker_that_no_set_needs_does_not_join_an_old_set_as_it_lay() -> None:
    """On a full table it joins a set that is new, so that all 14 tiles of the rack can be laid."""
    before = parse_table(
        "K10 O10 R10 B10 | O1 O2 O3 O4 O5 | R7 O7 B7 | R2 B2 O2 | B7 K7 O7 R7 | K10 K11 K12 K13 | O13 R13 B13 J | "
        "O4 R4 K4 | O8 B8 J R8 | K1 K2 K3 | B2 B3 B4 | B11 O11 K11 | K5 K6 K7 | R5 B5 O5 K5 | O12 B12 R12 K12 | "
        "K1 O1 R1 B1 | R9 O9 B9 K9 | R2 R3 R4 R5 R6 | K3 B3 R3 | B6 R6 O6 | K9 R9 B9 O9 | O8 B8 K8"
    )
    play = best_play(before, rack("B11 K2 R1 K13 B6 B12 B5 K8 O12 B10 R12 R11 B13 K6"), TurnContext(LARGE, True))
    assert play is not None
    assert (len(play.laid), play.proved) == (14, True)


def test_unproved_verdict_gives_no_play_and_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives no play, and no proof that there is none."""

    monkeypatch.setattr(play_search, "decide", lambda *_: Outcome.UNDECIDED)
    assert find_best_play(parse_table("K1 K2 K3"), rack("K4"), TurnContext(LARGE, True)) == PlayResult(
        None, proved=False
    )


@pytest.mark.parametrize(
    ("edition", "house", "table", "tiles", "laid"),
    [
        ("large-numbers", "joker.freed=rack", "R3 R5 B9 | K1 K2 K3", "K4", "K4"),
        ("large-numbers", "joker.freed=rack", "R3 R5 J B9 | K1 K2 K3", "K4 J", "K4 J"),
        ("finnish", "joker.freed=any-meld", "R3 R5 B9 | B4 J B6 | K1 K2 K3", "B5", "B5"),
        ("cards", "joker.freed=rack", "K1 K2 K3 J | R3 R5 B9", "K4", "K4"),
        ("cards", "manipulation.staying_together=3", "K1 K2 K3 J | R3 R5 B9", "K4", "K4"),
    ],
)
def test_play_on_an_illegal_table_may_leave_its_faults(
    edition: str, house: str, table: str, tiles: str, laid: str
) -> None:
    """Old faults of the table may stay, under house rules too."""
    rules = with_house_rules(rule_set(edition), [house])
    play = best_play(parse_table(table), rack(tiles), TurnContext(rules, True))
    assert play is not None
    assert " ".join(map(str, play.laid)) == laid
    assert judge(parse_table(table), play.after, TurnContext(rules, True)).legal


@pytest.mark.parametrize(
    ("table", "tiles", "laid"),
    [("K4 B4 J R4", "B5 K4 O4 B1", 2), ("J B4 B5 B6", "B5 B3 O4 K6", 2), ("K1 K2 K3 J | K1 K2 K3 J", "K4 K5", 2)],
)
def test_replacing_tile_may_join_the_new_set_of_the_joker(table: str, tiles: str, laid: int) -> None:
    """A set is free once its joker is replaced, so the replacing tile may join the joker's new set."""
    play = best_play(parse_table(table), rack(tiles), TurnContext(rule_set("finnish"), True))
    assert play is not None
    assert play.proved
    assert len(play.laid) == laid


def test_misread_table_has_no_opening_and_no_proof() -> None:
    """On a misread table nobody can open, and no proof is given."""
    assert find_best_play(parse_table("Y3 Y4 Y5"), rack("R10 B10 O10"), TurnContext(LARGE, False)) == PlayResult(
        None, proved=False
    )


def test_fault_of_the_table_does_not_stop_a_play() -> None:
    """An old fault that can't be fixed does not stop a player from laying tiles."""
    play = best_play(parse_table("R3 R5 B9 | K1 K2 K3"), rack("K4"), TurnContext(LARGE, True))
    assert play is not None
    assert play.laid == rack("K4")


def test_third_joker_stays_on_the_rack() -> None:
    """A third joker must be misread: it stays on the rack, and the others are laid."""
    play = best_play(parse_table("K4 K5 J"), rack("J J R9"), TurnContext(LARGE, True))
    assert play is not None
    assert play.laid == (JOKER,)


def test_table_with_a_tile_of_another_edition_has_no_play() -> None:
    """The judge would accept no turn on a misread table, so there is none."""
    before = parse_table("Y3 Y4 Y5 | K1 K2 K3")
    assert not judge(before, parse_table("Y3 Y4 Y5 | K1 K2 K3 K4"), TurnContext(LARGE, True)).legal
    assert best_play(before, rack("K4 Y6"), TurnContext(LARGE, True)) is None


@pytest.mark.parametrize("name", RULE_SETS)
def test_plays_on_full_tables_are_legal_and_mostly_proved(name: str) -> None:
    """On full tables plays are legal and nearly always proved; a proved play can not be improved."""
    rules = rule_set(name)
    rng = random.Random(name)
    sizes = (20, 40, 60) if rules.stock.size > 60 else (9, 18, 27)
    proved = 0
    for size in sizes * 2:
        problem = question(rng, size, rules)
        play = best_play(problem.table, problem.rack, TurnContext(rules, True))
        if play is not None:
            assert judge(problem.table, play.after, TurnContext(rules, True)).legal
            assert Counter(play.laid) == play.after.counts - problem.table.counts
        proved += play is None or play.proved
    assert proved >= (3 if name == "cards" else 5)


FULL = (
    "B10 R10 Y10 K10 | R1 R2 R3 | B9 B10 B11 B12 | R5 Y5 K5 B5 | R9 Y9 B9 K9 | Y3 Y4 Y5 | Y6 Y7 Y8 | B6 B7 B8 | "
    "K1 J K3 K4 K5 K6 | Y11 B11 R11 | B2 B3 B4 B5 | K9 K10 K11 | Y1 K1 B1 R1 | B4 Y4 J R4 | R9 R10 R11 R12 R13 | "
    "B3 Y3 R3",
    "R12 R7 K6 Y12 R8 Y13 Y11 R6 R13 B8 K3 B13 Y10 Y2",
)
STAYING = (
    "K6 R6 J | R1 R2 R3 | B5 Y5 K5 | K11 B11 Y11 | R5 R6 R7 R8 R9 R10 | B8 K8 R8 | K2 K3 K4 K5 K6 | B4 Y4 R4 | "
    "Y7 K7 R7 | B12 R12 Y12 K12 | R9 R10 R11 R12",
    "B2 K9 R4 K10 Y8 Y8 B13 B3 Y3 K2 K1 K12 R13 Y10",
)


@pytest.mark.parametrize(("table", "tiles", "laid"), [(*FULL, 14), (*STAYING, 10)])
def test_full_table_with_jokers_is_proved_in_cards(
    table: str, tiles: str, laid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In `cards` the sets of each joker are listed; if there are too many, nothing is proved."""
    before, opened = parse_table(table), TurnContext(rule_set("cards"), True)
    play = best_play(before, rack(tiles), opened)
    assert play is not None
    assert (len(play.laid), play.proved) == (laid, True)
    for limit, values in (("_RETRY_BUDGET", range(0, 3_000, 300)), ("_SEARCH_BUDGET", (0, 2_000, 8_000, 20_000))):
        for most in values:
            with monkeypatch.context() as patch:
                patch.setattr(play_search, limit, most)
                hasty = best_play(before, rack(tiles), opened)
            assert hasty is None or len(hasty.laid) == laid or not hasty.proved


@pytest.mark.parametrize(
    ("name", "table", "tiles"),
    [
        ("large-numbers", "K4 K5 K6 | R7 B7 O7", "K7 J J B8"),
        ("finnish", "K4 K5 J | R7 B7 O7 | O1 O2 O3", "K6 O4 R1 R2 R3 J"),
        ("junior", "R4 R5 J | B7 B8 B9", "R6 J B10 K1"),
    ],
)
def test_search_that_is_too_large_proves_nothing(
    name: str, table: str, tiles: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If house rules leave the exact cover too many ways, nothing is proved."""
    rules = with_house_rules(rule_set(name), ["joker.alone=yes", "joker.most_in_set=none"])
    whole = best_play(parse_table(table), rack(tiles), TurnContext(rules, True))
    assert whole is not None
    for states in range(0, 60, 3):
        monkeypatch.setattr(play_search, "_MOST_COVERED", states)
        play = best_play(parse_table(table), rack(tiles), TurnContext(rules, True))
        assert play is None or judge(parse_table(table), play.after, TurnContext(rules, True)).legal
        assert play is None or len(play.laid) == len(whole.laid) or not play.proved


@pytest.mark.parametrize("name", ["finnish", "cards", "junior"])
def test_shorter_search_claims_no_proof(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shorter search may find less, but never calls that the best."""
    rules = rule_set(name)
    rng = random.Random(5)
    problems = [question(rng, 12 if name == "junior" else 30, rules) for _ in range(4)]
    whole = [best_play(each.table, each.rack, TurnContext(rules, True)) for each in problems]
    for limit, least in (("_SEARCH_BUDGET", 0), ("_SEARCH_BUDGET", 2_000), ("_MOST_JUDGED", 0)):
        with monkeypatch.context() as patch:
            patch.setattr(play_search, limit, least)
            for each, full in zip(problems, whole, strict=True):
                play = best_play(each.table, each.rack, TurnContext(rules, True))
                if full is not None and full.proved and (play is None or len(play.laid) < len(full.laid)):
                    assert play is None or not play.proved


@pytest.mark.parametrize("name", ["large-numbers", "cards"])
def test_large_rack_with_two_jokers_opens(name: str) -> None:
    """A rack of 44 tiles with two jokers opens, and the play is legal."""
    rules = rule_set(name)
    numbers = range(1, 12)
    tiles = [*(Tile(ink, number) for ink in rules.stock.inks for number in numbers), JOKER, JOKER]
    play = best_play(Table(), tiles, TurnContext(rules, False))
    assert play is not None
    assert len(play.laid) == len(tiles)
    assert judge(Table(), play.after, TurnContext(rules, False)).legal
    assert can_open(Table(), tiles, TurnContext(rules, False))
