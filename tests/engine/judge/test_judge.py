"""The judge: transformations that must not matter, places of violations, and oracles that try everything."""

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.benchmarks.engine.hard_turns import TURNS
from tilekeeper.engine.judge.judge import judge, judge_once
from tilekeeper.engine.judge.opening import judge_closed_table
from tilekeeper.engine.judge.verdict import StandIn, Verdict
from tilekeeper.engine.provenance.changes import find_changes
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.meld import best_reading, worth
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Place, Table
from tilekeeper.engine.tiles.tile import JOKER, Colour, Tile

RULES = rule_set("large-numbers")
Turn = tuple[Table, Table, bool]

# Melds that compete for tiles: they share tiles, hold jokers, and some rows are invalid.
ROWS = [
    *(
        "R4 J R6",
        "R4 R5 R6",
        "R4 R5 R6 J",
        "K7 K8 K9",
        "K7 K8 K9 J",
        "J K7 K8 K9",
        "K8 B8 O8",
        "K8 B8 O8 R8",
        "K8 B8 J",
    ),
    *("K10 B10 O10", "B10 O10 R10", "R10 R11 R12", "R11 R12 R13", "R12 R13 J", "K9 K10 K11", "J J R5", "K1 K1 B1"),
    *("R5", "J", "K8", "R4 R5", "K7 B8 O9", "R13 R1 R2", "Y3 Y4 Y5"),
]


@st.composite
def small_turns(draw: st.DrawFn) -> Turn:
    """Draw turns on small tables; many break several rules."""
    rows = st.lists(st.sampled_from(ROWS), max_size=5)
    before, more = draw(rows), draw(rows)
    kept = [row for row in before if draw(st.integers(0, 3))]
    return (
        parse_table(" | ".join(before)),
        parse_table(" | ".join(draw(st.permutations(kept + more)))),
        draw(st.booleans()),
    )


@st.composite
def full_turns(draw: st.DrawFn) -> Turn:
    """Draw turns on full tables, of every kind in the benchmark."""
    kind, seed = draw(st.sampled_from(sorted(TURNS))), draw(st.integers(0, 2**32))
    before, after, _ = TURNS[kind](random.Random(seed), RULES)
    return before, after, draw(st.booleans())


turns = st.one_of(small_turns(), full_turns())


def verdict_on(turn: Turn) -> Verdict:
    before, after, opened = turn
    return judge(before, after, TurnContext(RULES, opened))


def gist(verdict: Verdict) -> tuple[object, ...]:
    """Return a verdict without places."""
    codes = Counter((violation.code, violation.found, violation.bound) for violation in verdict.violations)
    return verdict.legal, codes, verdict.placed, verdict.points, verdict.opens


@given(turns, st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_permuted_melds_get_the_same_verdict(turn: Turn, rng: random.Random) -> None:
    """The verdict is the same however the melds of either table are listed."""
    before, after, opened = turn
    mixed = [Table(tuple(rng.sample(table.melds, len(table.melds)))) for table in (before, after)]
    assert gist(verdict_on((mixed[0], mixed[1], opened))) == gist(verdict_on(turn))


@given(turns, st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_mirrored_rows_get_the_same_verdict(turn: Turn, rng: random.Random) -> None:
    """The verdict is the same whichever rows are mirrored."""
    before, after, opened = turn
    mixed = [Table(tuple(meld[:: rng.choice((1, -1))] for meld in table.melds)) for table in (before, after)]
    assert gist(verdict_on((mixed[0], mixed[1], opened))) == gist(verdict_on(turn))


@given(turns, st.permutations(RULES.stock.inks))
@settings(max_examples=60)
def test_permuted_colours_get_the_same_verdict(turn: Turn, inks: list[Colour]) -> None:
    """With other names of tiles."""
    inked = dict(zip(RULES.stock.inks, inks, strict=True))

    def other(tile: Tile) -> Tile:
        return replace(tile, colour=inked.get(tile.colour, tile.colour)) if tile.colour else tile

    before, after, opened = turn
    mixed = [Table(tuple(tuple(map(other, meld)) for meld in table.melds)) for table in (before, after)]
    legal, codes, placed, points, opens = gist(verdict_on(turn))
    assert isinstance(placed, tuple)
    recoloured = tuple(sorted(map(other, placed), key=lambda tile: tile.order))
    assert gist(verdict_on((mixed[0], mixed[1], opened))) == (legal, codes, recoloured, points, opens)


@given(turns)
@settings(max_examples=100)
def test_verdict_is_consistent(turn: Turn) -> None:
    """Places exist, melds match the places, tiles add up, codes are sorted, and a turn that opens is legal."""
    before, after, opened = turn
    verdict = verdict_on(turn)
    ranks = [list(Code).index(violation.code) for violation in verdict.violations]
    assert ranks == sorted(ranks)
    for violation in verdict.violations:
        table = before if violation.side is Side.BEFORE else after
        assert all(table.tile_at(place) for place in violation.tiles)
        assert {place.meld for place in violation.tiles} == set(violation.melds)
        assert len(set(violation.tiles)) == len(violation.tiles)
    assert Counter(verdict.placed) == after.counts - before.counts
    assert (verdict.points is None) == opened
    assert verdict.opens == (verdict.legal and not opened)
    if verdict.opens:
        assert verdict.points is not None
        assert verdict.points >= RULES.opening.minimum_points


@given(turns)
@settings(max_examples=60)
def test_faults_before_the_turn_do_not_make_it_illegal(turn: Turn) -> None:
    """Except tiles that the box can not hold."""
    before, _, _ = turn
    laid = parse_table("O4 O5 O6")
    verdict = judge(before, Table(before.melds + laid.melds), TurnContext(RULES, opened=True))
    assert {violation.code for violation in verdict.violations} <= {Code.UNKNOWN_TILE, Code.TOO_MANY_COPIES}


@given(small_turns())
@settings(max_examples=300)
def test_points_of_an_opening_agree_with_an_oracle(turn: Turn) -> None:
    """It tries every choice of new rows that the rack can supply."""
    before, after, _ = turn
    changes = find_changes(before, after, RULES)
    best = 0
    for size in range(len(changes.changed_after) + 1):
        for chosen in combinations(changes.changed_after, size):
            rows = [after.melds[index] for index in chosen]
            if Counter(tile for row in rows for tile in row) <= changes.placed:
                values = [worth(row, reading, RULES) if (reading := best_reading(row, RULES)) else 0 for row in rows]
                best = max(best, sum(values))
    assert judge_closed_table(changes, RULES).points == best


def test_hundreds_of_competing_rows_get_a_verdict_in_time() -> None:
    """Hundreds of rows that compete for the same tiles are judged without a search that never ends."""
    before = parse_table(" | ".join(["R3 R4"] * 300))
    after = parse_table(" | ".join(["R3 R4 R5", "R5 R4"] * 600))
    verdict = judge(before, after, TurnContext(RULES, opened=False))
    assert Code.TOO_MANY_COPIES in {violation.code for violation in verdict.violations}


def places(*pairs: tuple[int, int]) -> tuple[Place, ...]:
    return tuple(Place(meld, position) for meld, position in pairs)


@pytest.mark.parametrize(
    ("before", "after", "opened", "violation"),
    [
        ("", "K1 K2 K3 | R5 R3 R4", True, Violation(Code.RUN_BROKEN, Side.AFTER, (1,), places((1, 0), (1, 1)))),
        ("", "R3 R4 R6 R7", True, Violation(Code.RUN_BROKEN, Side.AFTER, (0,), places((0, 1), (0, 2)))),
        ("", "R9 R8 J R5", True, Violation(Code.RUN_BROKEN, Side.AFTER, (0,), places((0, 1), (0, 3)))),
        (
            "",
            "R12 R13 R1 R2",
            True,
            Violation(Code.WRAPS_PAST_HIGHEST, Side.AFTER, (0,), places((0, 1), (0, 2)), None, 13),
        ),
        ("", "J R1 R2", True, Violation(Code.WRAPS_PAST_HIGHEST, Side.AFTER, (0,), places((0, 0), (0, 1)), None, 13)),
        ("", "K7 B7 K7", True, Violation(Code.GROUP_COLOUR_TWICE, Side.AFTER, (0,), places((0, 0), (0, 2)))),
        ("", "R1 R2", True, Violation(Code.MELD_TOO_SHORT, Side.AFTER, (0,), places((0, 0), (0, 1)), 2, 3)),
        ("", "K3 B3 Y3 | R14", True, Violation(Code.UNKNOWN_TILE, Side.AFTER, (0, 1), places((0, 2), (1, 0)))),
        (
            "R7 R8 R9 | R7 K7 B7",
            "R7 R8 R9",
            True,
            Violation(Code.TILE_TAKEN, Side.BEFORE, (1,), places((1, 0), (1, 1), (1, 2))),
        ),
        ("R7 R8 R9", "R7 R8 R9", True, Violation(Code.NOTHING_PLACED, Side.AFTER, (), (), 0, 1)),
        (
            "R1 R2 R3",
            "R1 R2 R3 | K1 B1 O1",
            False,
            Violation(Code.OPENING_TOO_LOW, Side.AFTER, (1,), places((1, 0), (1, 1), (1, 2)), 3, 30),
        ),
        (
            "R1 R2 R3",
            "K11 B11 O11 | R1 R2 R3 R4",
            False,
            Violation(Code.OPENING_USED_TABLE, Side.AFTER, (1,), places((1, 0), (1, 1), (1, 2))),
        ),
        (
            "R1 R2 R3",
            "K11 B11 O11",
            False,
            Violation(Code.OPENING_USED_TABLE, Side.BEFORE, (0,), places((0, 0), (0, 1), (0, 2))),
        ),
        (
            "R4 J R6 | K7 K8 K9",
            "K7 K8 K9 J | R4 R5 R6",
            True,
            Violation(Code.JOKER_NOT_REUSED, Side.AFTER, (0,), places((0, 3))),
        ),
        ("R4 J R6", "R4 R5 R6", True, Violation(Code.JOKER_NOT_REUSED, Side.BEFORE, (0,), places((0, 1)))),
    ],
)
def test_violation_names_its_melds_tiles_and_counts(
    before: str, after: str, opened: bool, violation: Violation
) -> None:
    """It points to its melds and tiles, and has the counted and the required numbers."""
    assert violation in verdict_on((parse_table(before), parse_table(after), opened)).violations


def test_verdict_names_the_tiles_of_jokers_in_the_best_reading() -> None:
    """Jokers in invalid rows stand for nothing."""
    verdict = verdict_on((Table(), parse_table("R5 J J"), False))
    assert verdict.stand_ins == (
        StandIn(Place(0, 1), Tile(Colour.RED, 6)),
        StandIn(Place(0, 2), Tile(Colour.RED, 7)),
    )
    assert verdict_on((Table(), parse_table("R5 R6 R7 | J"), False)).stand_ins == ()
    assert verdict.placed == (Tile(Colour.RED, 5), JOKER, JOKER)


def test_taken_tiles_are_named_with_all_copies() -> None:
    """If one of two red 7s is missing, the one in a changed meld is named."""
    verdict = verdict_on((parse_table("R7 R8 R9 | R7 K7 B7"), parse_table("K7 B7 O7 | R8 R9 R10"), True))
    taken = [violation for violation in verdict.violations if violation.code is Code.TILE_TAKEN]
    assert [violation.tiles for violation in taken] == [places((0, 0), (1, 0))]
    for after in ("K7 B7 R7 | R8 R9 R10", "K7 B7 O7 | R7 R8 R9 R10"):
        verdict = verdict_on((parse_table("R7 R8 R9 | R7 K7 B7"), parse_table(after), True))
        taken = [violation for violation in verdict.violations if violation.code is Code.TILE_TAKEN]
        assert [violation.tiles for violation in taken] == [places((0, 0))]


def test_new_melds_hold_no_numbered_tile_of_the_table() -> None:
    """Invalid rows are not among them."""
    before = parse_table("R1 R2 R3 | K5 K6 K7")
    after = parse_table("R1 R2 R3 R4 | O1 O2 O3 | K5 B5 O5 | K6 K7 K8 | B9 B10 | B1 O1 K1")
    assert verdict_on((before, after, True)).new_melds == (1, 5)


def test_cached_verdict_depends_on_the_order_of_melds() -> None:
    """A verdict names melds by their index, although equal tables ignore the order."""
    before, context = Table(), TurnContext(RULES, opened=True)
    one, other = parse_table("R1 R2 | K1 K2 K3"), parse_table("K1 K2 K3 | R1 R2")
    assert one == other
    assert judge_once(before, one, context) is judge_once(before, one, context)
    assert [judge_once(before, table, context) for table in (one, other)] == [
        judge(before, table, context) for table in (one, other)
    ]
