"""The nearest legal arrangement of an illegal table: fewest moves, and the proof of that."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks.engine.questions import question
from tests.support.messy_tables import mix_tiles
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.policies import PastEnd
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver import nearest_arrangement
from tilekeeper.engine.solver.arrange import arrange, arrangements, nearest_fix
from tilekeeper.engine.solver.exact_cover import SearchTooLarge
from tilekeeper.engine.solver.tile_moves import TileMove, find_moves
from tilekeeper.engine.sweep.task import Solution, Task
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Place, Table
from tilekeeper.engine.tiles.tile import Tile

LARGE = rule_set("large-numbers")


@pytest.mark.parametrize(
    ("text", "after", "moved"),
    [
        ("R3 R4 R5 | K7 B7 O7", "R3 R4 R5 | K7 B7 O7", []),
        ("R5 R3 R4 | K7 B7 O7", "R3 R4 R5 | K7 B7 O7", ["R5"]),
        ("R3 R4 | R5 B5 K5 O5", "R3 R4 R5 | B5 K5 O5", ["R5"]),
        ("R3 R4 R5 R7 | K6 B6 O6 R6", "R3 R4 R5 R6 R7 | K6 B6 O6", ["R6"]),
        ("R3 R4 R5 K5 | B5 O5", "R3 R4 R5 | B5 O5 K5", ["K5"]),
        ("R3 J R4 | R8 B8 K8", "R3 R4 J | R8 B8 K8", ["J"]),
    ],
)
def test_illegal_table_is_fixed_with_the_fewest_moves(text: str, after: str, moved: list[str]) -> None:
    """The fix has the fewest moves, and the search proves it."""
    table = parse_table(text)
    fix = nearest_fix(table, TurnContext(LARGE, opened=True))
    assert fix.after == parse_table(after)
    assert fix.proved
    assert sorted(str(move.tile) for move in fix.moves) == sorted(moved)
    for move in fix.moves:
        assert move.origin is not None
        assert move.goal is not None
        assert table.tile_at(move.origin) == move.tile == fix.after.tile_at(move.goal)


def ticking(per_look_s: float) -> Callable[[], float]:
    """A clock that advances by a fixed time at each call."""
    looks = itertools.count()
    return lambda: next(looks) * per_look_s


def shuffled(seed: int, size: int) -> Table:
    """A legal table of `large-numbers` with all tiles mixed."""
    rng = random.Random(seed)
    return mix_tiles(rng, question(rng, size, LARGE, 0).table)


def test_each_arrangement_takes_fewer_moves_than_the_one_before() -> None:
    """All tiles are in valid melds from the first arrangement on; each takes fewer moves."""
    table = shuffled(1, 60)
    found = list(arrangements(table, LARGE, clock_s=ticking(0.002)))
    assert len(found) > 2
    for each in found:
        assert each.complete
        assert each.table.counts == table.counts
        assert all(is_valid(meld, LARGE) for meld in each.table.melds)
        assert each.moves == find_moves(table, each.table)
    moves = [len(each.moves) for each in found]
    assert moves == sorted(set(moves), reverse=True)
    assert not any(each.proved for each in found)


def test_same_clock_gives_the_same_arrangements() -> None:
    """Only the clock matters; when time runs out, the last arrangement so far is returned."""
    table = shuffled(2, 80)
    hasty = list(arrangements(table, LARGE, 0.02, ticking(0.001)))
    assert hasty == list(arrangements(table, LARGE, 0.02, ticking(0.001)))
    patient = list(arrangements(table, LARGE, 0.2, ticking(0.001)))
    assert patient[: len(hasty)] == hasty


@pytest.mark.parametrize(
    ("name", "numbers", "text", "moves"),
    [
        ("finnish", 5, "J K3 J | R3 | R2 K2 K4", 4),
        ("junior", 6, "K2 K3 J K5 | J K4 J | B3", 3),
        ("cards", 5, "K4 R1 | R4 J Y4 | K1 B4 | B1", 5),
        ("cards", 4, "Y1 Y4 Y2 | Y2 B2 Y3 | J J", 4),
        ("cards", 4, "B2 J B1 J B3 | B4 B3 | B2", 4),
    ],
)
def test_every_arrangement_of_few_tiles_is_tried(name: str, numbers: int, text: str, moves: int) -> None:
    """That proves the nearest one even if no arrangement reaches the lower bound."""
    rules = rule_set(name)
    rules = dataclasses.replace(rules, stock=dataclasses.replace(rules.stock, numbers=numbers))
    *_, last = arrangements(parse_table(text), rules, 10_000, ticking(1))
    assert (len(last.moves), last.proved) == (moves, True)


def test_unfinished_search_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """If there are too many arrangements to try, the best one so far is not proved."""
    monkeypatch.setattr(nearest_arrangement, "_MOST_STATES", 3)
    table = parse_table("J K3 J | R3 | R2 K2 K4")
    rules = with_house_rules(rule_set("finnish"), ["stock.numbers=5", "setup.dealt=5"])
    *_, found = arrangements(table, rules, 10_000, ticking(1))
    assert not found.proved
    assert found.table.counts + Counter(found.left) == table.counts
    assert all(is_valid(meld, rules) for meld in found.table.melds)


def test_few_moves_on_a_full_table_are_proved() -> None:
    """Tiles that can't stay in their melds give a lower bound, which the search reaches."""
    table = parse_table("R3 R4 R5 K7 | K8 K9 K10 O1 | O2 O3 O4 B9 | B10 B11 B12 | R7 B7 O7")
    fix = nearest_fix(table, TurnContext(LARGE, opened=True))
    assert (sorted(str(move.tile) for move in fix.moves), fix.proved) == (["B9", "K7", "O1"], True)


def test_tiles_that_fit_nowhere_are_taken_off() -> None:
    """A tile is taken off only if not all tiles can be arranged; tiles of other editions always are."""
    fix = nearest_fix(parse_table("R3 R4 R5 Y9 | K12"), TurnContext(LARGE, opened=True))
    assert [(str(move.tile), move.goal) for move in fix.moves] == [("K12", None), ("Y9", None)]
    assert fix.after == parse_table("R3 R4 R5")
    arrangement = arrange(parse_table("R1 R2 | K9"), LARGE)
    assert not arrangement.complete
    assert arrangement.table == Table()


def test_moves_include_added_and_removed_tiles() -> None:
    """A tile from the rack has no origin, a removed one no goal; copies are matched so that the fewest move."""
    moves = find_moves(parse_table("R3 R4 R5 | K7 B7 O7"), parse_table("O7 K7 B7 | R4 R5 R6"))
    assert moves == (
        TileMove(Tile.from_label("red-3"), Place(0, 0), None),
        TileMove(Tile.from_label("red-6"), None, Place(1, 2)),
    )
    assert find_moves(Table(), Table()) == ()


@given(st.integers(0, 10_000))
def test_table_with_one_misplaced_tile_is_fixed_with_one_move(seed: int) -> None:
    """It goes back to its meld, or another fix takes one move too."""
    rng = random.Random(seed)
    legal = parse_table("R3 R4 R5 R6 | K7 B7 O7 R7 | B1 B2 B3 | J O9 O10 | K4 K5 K6")
    melds = [list(meld) for meld in legal.melds]
    source, target = rng.sample(range(len(melds)), 2)
    melds[target].insert(rng.randint(0, len(melds[target])), melds[source].pop(rng.randrange(len(melds[source]))))
    fix = nearest_fix(Table(tuple(map(tuple, melds))), TurnContext(LARGE, opened=True), seconds=60.0)
    assert fix.proved
    assert len(fix.moves) <= 1
    assert all(is_valid(meld, LARGE) for meld in fix.after.melds)


def test_joker_past_an_end_stays_there_by_house_rule() -> None:
    """By the house rule it stands for the number at the other end, so it need not move."""
    rules = dataclasses.replace(LARGE, joker=dataclasses.replace(LARGE.joker, past_end=PastEnd.OTHER_END))
    for text in ("R12 R13 J K5 | B5 O5", "K5 J R2 R1 | B5 O5"):
        arrangement = arrange(parse_table(text), rules)
        assert (len(arrangement.moves), arrangement.proved) == (1, True)


def test_fixed_rows_keep_place_and_direction() -> None:
    """A row keeps its meld's place and direction; in a group the old tiles come first."""
    arrangement = arrange(parse_table("O7 K7 | R5 R4 B7 | R3"), LARGE)
    assert str(arrangement.table) == "O7 K7 B7 | R5 R4 R3"


def test_moves_finish_one_meld_after_the_other() -> None:
    """Wrong tiles leave a meld before it is finished; if no meld can be finished, one tile is moved ahead."""
    chain = parse_table("R1 R2 K9 | K7 K8 B9 | B7 B8 | R3"), parse_table("R1 R2 R3 | K7 K8 K9 | B7 B8 B9")
    assert [str(move.tile) for move in find_moves(*chain)] == ["B9", "K9", "R3"]
    ring = parse_table("R1 R2 K9 | K7 K8 B9 | B7 B8 R3"), parse_table("R1 R2 R3 | K7 K8 K9 | B7 B8 B9")
    assert [str(move.tile) for move in find_moves(*ring)] == ["K9", "R3", "B9"]


def test_meld_with_tiles_of_a_broken_meld_is_finished_first() -> None:
    """Of two possible melds the next one is that with tiles from a broken meld."""
    before = parse_table("R1 R2 R3 O4 | K7 K8 K9 O5 | O1 O2 O3 O6 | B1 | B2 | B3")
    after = parse_table("R1 R2 R3 | K7 K8 K9 | O1 O2 O3 | O4 O5 O6 | B1 B2 B3")
    assert [str(move.tile) for move in find_moves(before, after)] == ["B2", "B3", "O4", "O5", "O6"]


def test_fix_as_text_has_a_line_for_each_move() -> None:
    """The number of moves, whether fewer would do, and a line for each move; a legal table has none."""
    opened = TurnContext(LARGE, opened=True)
    fix = nearest_fix(parse_table("R3 R4 R5 K7 | K8 K9 K10"), opened)
    line = "take K7 from R3 R4 R5 K7, for K7 K8 K9 K10"
    assert fix.steps == (line,)
    assert (
        str(fix) == f"The table is in order after 1 move (fewer are not enough):\n  R3 R4 R5 | K7 K8 K9 K10\n- {line}"
    )
    assert str(nearest_fix(fix.after, opened)) == "The table is already in order."
    assert str(arrange(fix.after, LARGE)) == "All sets are valid."
    arrangement = arrange(parse_table("R1 R2 | K9"), LARGE)
    assert str(arrangement).startswith("These tiles make no set:\n- take K9 off the table, from K9\n")
    assert str(arrange(parse_table("R3 R4 | R5 | K9"), LARGE)).splitlines()[:2] == [
        "Not all tiles can be arranged; these can, with 2 moves (fewer are not enough):",
        "  R3 R4 R5",
    ]
    assert str(dataclasses.replace(arrange(parse_table("R3 R4 | R5"), LARGE), proved=False)).splitlines()[0] == (
        "All tiles can be arranged, with 1 move (maybe fewer are enough):"
    )


@pytest.mark.parametrize(
    ("edition", "before", "moves"),
    [
        (
            "cards",
            "K13 K10 R9 Y11 | Y7 R3 R4 | B11 Y9 K1 | K11 K1 R7 | R13 B3 B12 | Y2 Y4 K9 B9 R13 | K3 Y3 B8 Y7 | "
            "Y5 K7 R11 | Y6 Y1 K11 B6 R12",
            24,
        ),
        (
            "large-numbers",
            "O2 K12 R1 | B4 B6 B5 | O6 O4 R12 | O8 O3 B7 K6 | O11 R9 O6 | K2 R2 K1 O10 B12 | B8 R3 B6 | O9 K10 R6 O2 | "
            "J R4 B5 | O7 B12 K11 O13 | R2 B7 R8 B10 K9 | R1 B3 R13 O13 K11 | K7 O7 O10 R5 | O4 O5 B8 B2 | "
            "B4 B11 R11 K1 K13 | O11 R7",
            37,
        ),
        (
            "cards",
            "R9 K3 B4 K11 | Y6 Y11 Y7 Y7 K9 | R7 B3 K8 K4 B1 | B10 R4 R3 B8 K7 | B6 Y8 B6 | B13 Y13 R1 B11 Y13 | "
            "Y1 R10 Y10 R1 | K10 B8 K12 K12 | K9 K7 B12 | Y11 R5 K13 R6 | R12 B3 Y3 B9 | Y2 B7 R13 K3 | B4",
            33,
        ),
    ],
)
def test_mixed_tiles_are_arranged_with_few_moves(edition: str, before: str, moves: int) -> None:
    """The fewest moves for these tables are known, and the best arrangement takes one more at most."""
    rules = rule_set(edition)
    *_, found = arrangements(parse_table(before), rules, 10_000, ticking(1))
    assert all(is_valid(meld, rules) for meld in found.table.melds)
    assert found.table.counts + Counter(found.left) == parse_table(before).counts
    assert moves <= len(found.moves) <= moves + 1


def scrambled_table(seed: int) -> Table:
    """Return a table of 80 tiles on which some tiles lie in another meld."""
    rng = random.Random(seed)
    melds = [list(meld) for meld in question(rng, 80, LARGE, 14).table.melds]
    for _ in range(rng.randint(1, 6)):
        source, goal = rng.sample(melds, 2)
        if source:
            tile = source.pop(rng.randrange(len(source)))
            goal.insert(rng.randrange(len(goal) + 1), tile)
    return Table(tuple(tuple(meld) for meld in melds if meld))


def test_arrangement_is_kept_and_the_clock_is_read_if_the_rows_beside_it_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Runs past the highest number by house rule can make each of these searches too large."""
    searches = []

    def give_up(task: Task, *_: object) -> Solution | None:
        searches.append(task)
        raise SearchTooLarge

    monkeypatch.setattr(nearest_arrangement, "solve", give_up)
    *_, last = arrangements(scrambled_table(23), LARGE, seconds=2.0, clock_s=ticking(1.5))
    assert all(is_valid(meld, LARGE) for meld in last.table.melds)
    assert len(searches) == 2


@pytest.mark.parametrize("seed", [23, 36])
def test_tiles_without_a_move_keep_their_order(seed: int) -> None:
    """Also where two groups of one number can each continue either of two others."""
    table = scrambled_table(seed)
    arrangement = next(arrangements(table, LARGE, seconds=0))
    origins = {move.origin for move in arrangement.moves}
    goals = {move.goal for move in arrangement.moves}
    left_behind = [
        [tile for at, tile in enumerate(meld) if Place(index, at) not in origins]
        for index, meld in enumerate(table.melds)
    ]
    for index, row in enumerate(arrangement.table.melds):
        staying = [tile for at, tile in enumerate(row) if Place(index, at) not in goals]
        assert not staying or staying in left_behind or staying[::-1] in left_behind
