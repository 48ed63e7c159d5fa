"""The explanation of a turn: the fewest moved tiles, and moves that lead from table to table."""

import random
from collections import Counter
from itertools import permutations

from tests.support.small_turns import small_turn
from tilekeeper.engine.provenance.changes import find_changes
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.assignment import best_pairs
from tilekeeper.engine.solver.explanation import explain
from tilekeeper.engine.tiles.notation import format_table, parse_table
from tilekeeper.engine.tiles.table import Place, Table

RULES = with_house_rules(rule_set("large-numbers"), ("stock.numbers=6", "setup.dealt=7"))


def fewest_moved(before: Table, after: Table) -> int:
    """Return the fewest moved tiles over all pairings of the changed melds."""
    changes = find_changes(before, after, RULES)
    old = [Counter(before.melds[index]) for index in changes.changed_before]
    new = [Counter(after.melds[index]) for index in changes.changed_after] + [Counter()] * len(old)
    stay = max(
        sum((was & now).total() for was, now in zip(old, order, strict=False)) for order in permutations(new, len(old))
    )
    return sum(row.total() for row in old) - stay


def test_explanation_moves_the_fewest_tiles() -> None:
    """An oracle tries every pairing of melds."""
    rng = random.Random(3)
    counts: Counter[int] = Counter()
    for _ in range(300):
        before, after = small_turn(rng, RULES, most_melds=3)
        if len(before.melds) + len(after.melds) <= 8:
            found = explain(before, after, TurnContext(RULES, opened=True))
            assert found.moved == fewest_moved(before, after), f"{format_table(before)} -> {format_table(after)}"
            counts[found.moved] += 1
    assert len(counts) > 4


def test_moves_lead_from_one_table_to_the_other() -> None:
    """Each tile that does not stay is moved once, from an old place of such a tile to its new place."""
    rng = random.Random(4)
    for _ in range(200):
        before, after = small_turn(rng, RULES)
        found = explain(before, after, TurnContext(RULES, opened=True))
        origins = [move.origin for move in found.moves if move.origin]
        goals = [move.goal for move in found.moves if move.goal]
        assert len(set(origins)) == len(origins)
        assert len(set(goals)) == len(goals)
        for move in found.moves:
            assert move.origin is None or before.tile_at(move.origin) == move.tile
            assert move.goal is None or after.tile_at(move.goal) == move.tile
        laid = Counter(move.tile for move in found.moves if move.origin is None)
        assert laid == after.counts - before.counts


def test_new_set_is_made_from_the_rack_if_possible() -> None:
    """Of two equal tiles the one from the rack makes the new set, and the other stays."""
    before, after = parse_table("R4 R5 R6"), parse_table("R4 K4 B4 | R4 R5 R6")
    found = explain(before, after, TurnContext(RULES, opened=True))
    assert [(str(move.tile), move.origin, move.goal) for move in found.moves] == [
        ("R4", None, Place(0, 0)),
        ("K4", None, Place(0, 1)),
        ("B4", None, Place(0, 2)),
    ]


def test_assignment_of_unequal_sides_has_the_highest_value() -> None:
    """The total value is the highest possible, whichever side is longer."""
    assert best_pairs([[1, 5], [4, 6], [0, 9]]) == [(1, 0), (2, 1)]
    assert best_pairs([[1, 5, 4], [4, 6, 0]]) == [(0, 2), (1, 1)]
    assert best_pairs([]) == []


def test_equal_explanations_have_equal_hashes() -> None:
    """So that they can be members of a set."""
    turn = parse_table("R3 R4 R5"), parse_table("R3 R4 R5 R6")
    context = TurnContext(rule_set("travel"), opened=True)
    assert len({explain(*turn, context), explain(*turn, context)}) == 1
