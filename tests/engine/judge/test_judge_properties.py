"""Properties of the judge in every edition: what must not matter, and what must never pass."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.small_turns import shuffle_and_mirror, small_table, small_turn
from tilekeeper.engine.judge.judge import decide, judge
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.provenance.single_moves import turn_budget
from tilekeeper.engine.rules.editions import RULE_SETS
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.rules.violations import Code, Side
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile

pytestmark = pytest.mark.slow

seeds = st.integers(0, 2**32)
editions = pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)


def gist(verdict: Verdict) -> tuple[object, ...]:
    """Return a verdict without places."""
    codes = Counter((violation.code, violation.found, violation.bound) for violation in verdict.violations)
    return verdict.legal, codes, verdict.placed, verdict.points, verdict.opens, verdict.replaced


@editions
@given(seed=seeds, opened=st.booleans())
@settings(max_examples=12)
def test_decision_without_the_violations_is_the_outcome_of_the_verdict(rules: RuleSet, seed: int, opened: bool) -> None:
    """`decide` and `judge` agree, before and after the opening."""
    before, after = small_turn(random.Random(seed), rules)
    context = TurnContext(rules, opened)
    assert decide(before, after, context, turn_budget(rules)) is judge(before, after, context).outcome


@editions
@given(seed=seeds, opened=st.booleans())
@settings(max_examples=12)
def test_permuted_and_mirrored_melds_get_the_same_verdict(rules: RuleSet, seed: int, opened: bool) -> None:
    """The verdict is the same however the melds are listed, and from whichever side each is read."""
    rng = random.Random(seed)
    before, after = small_turn(rng, rules)
    context = TurnContext(rules, opened)
    assert gist(judge(before, after, context)) == gist(
        judge(shuffle_and_mirror(rng, before), shuffle_and_mirror(rng, after), context)
    )


@editions
@given(seed=seeds, opened=st.booleans(), data=st.data())
@settings(max_examples=12)
def test_permuted_colours_get_the_same_verdict(rules: RuleSet, seed: int, opened: bool, data: st.DataObject) -> None:
    """With other names of tiles."""
    inks = dict(zip(rules.stock.inks, data.draw(st.permutations(rules.stock.inks)), strict=True))

    def other(tile: Tile) -> Tile:
        return tile if tile.colour is None else replace(tile, colour=inks[tile.colour])

    before, after = small_turn(random.Random(seed), rules)
    mixed = [Table(tuple(tuple(map(other, meld)) for meld in table.melds)) for table in (before, after)]
    context = TurnContext(rules, opened)
    legal, codes, placed, *rest = gist(judge(before, after, context))
    assert isinstance(placed, tuple)
    recoloured = tuple(sorted(map(other, placed), key=lambda tile: tile.order))
    assert gist(judge(mixed[0], mixed[1], context)) == (legal, codes, recoloured, *rest)


@editions
@given(seed=seeds, opened=st.booleans())
@settings(max_examples=15)
def test_missing_tile_makes_the_turn_illegal_and_is_named(rules: RuleSet, seed: int, opened: bool) -> None:
    """For any tile of a legal table, jokers too."""
    rng = random.Random(seed)
    before = small_table(rng, rules, 4)
    missing = rng.choice([place for place, _ in before.places()])
    melds = [
        tuple(tile for position, tile in enumerate(meld) if (index, position) != (missing.meld, missing.position))
        for index, meld in enumerate(before.melds)
    ]
    verdict = judge(before, Table(tuple(filter(None, melds))), TurnContext(rules, opened))
    assert {Code.TILE_TAKEN, Code.NOTHING_PLACED} <= {violation.code for violation in verdict.violations}
    (taken,) = (violation for violation in verdict.violations if violation.code is Code.TILE_TAKEN)
    assert [before.tile_at(place) for place in taken.tiles] == [before.tile_at(missing)]


@editions
@given(seed=seeds, opened=st.booleans())
@settings(max_examples=15)
def test_verdict_is_consistent(rules: RuleSet, seed: int, opened: bool) -> None:
    """Places exist, melds match the places, tiles add up, codes are sorted, and a turn that opens is legal."""
    before, after = small_turn(random.Random(seed), rules)
    verdict = judge(before, after, TurnContext(rules, opened))
    ranks = [list(Code).index(violation.code) for violation in verdict.violations]
    assert ranks == sorted(ranks)
    for violation in verdict.violations:
        table = before if violation.side is Side.BEFORE else after
        assert all(table.tile_at(place) for place in violation.tiles)
        assert {place.meld for place in violation.tiles} == set(violation.melds)
    assert Counter(verdict.placed) == after.counts - before.counts
    assert (verdict.points is None) == (opened or rules.opening.minimum_points == 0)
    assert verdict.opens == (verdict.legal and verdict.points is not None)
    assert verdict.replaced <= len(verdict.placed)


@editions
def test_misread_table_with_hundreds_of_rows_gets_a_verdict_in_time(rules: RuleSet) -> None:
    """Hundreds of rows with far too many copies are reported as that, without a search that never ends."""
    before = parse_table(" | ".join(["R3 R4 J"] * 200))
    after = parse_table(" | ".join(["R3 R4 R5", "R5 R4"] * 300))
    verdict = judge(before, after, TurnContext(rules, opened=False))
    assert Code.TOO_MANY_COPIES in {violation.code for violation in verdict.violations}
