"""The search for the best way: it finds the least that can be broken, and ends when it may look no further."""

import pytest

from tilekeeper.engine.notation import parse_table
from tilekeeper.engine.steps import OutOfSteps, Steps
from tilekeeper.engine.table import Place
from tilekeeper.engine.tile import Tile
from tilekeeper.engine.verdict import Code, Side, Violation
from tilekeeper.engine.way_board import Paths
from tilekeeper.engine.way_search import Assigned, Rule, can_hold, fewest_broken, straight_on

RED_5, RED_6, RED_7 = parse_table("R5 R6 R7").melds[0]
STRAIGHT: Paths = ((0, 0), (1, 1))
CROSSED: Paths = ((0, 1), (1, 0))
EITHER = {tile: [STRAIGHT, CROSSED] for tile in (RED_5, RED_6, RED_7)}


def fault(code: Code) -> Violation:
    return Violation.at(code, Side.BEFORE, (Place(0, 0),))


def alike(first: Tile, second: Tile, code: Code = Code.EXTEND_ONLY) -> Rule:
    """A rule that wants two tiles to go the same way."""

    def broken(assigned: Assigned) -> list[Violation]:
        return [] if assigned[first] == assigned[second] else [fault(code)]

    return Rule(frozenset((first, second)), broken)


def crossed(tile: Tile, code: Code) -> Rule:
    """A rule that wants a tile to go across."""
    return Rule(frozenset((tile,)), lambda assigned: [] if assigned[tile] == CROSSED else [fault(code)])


def test_a_way_that_breaks_nothing_is_found() -> None:
    """Though the first choice breaks a rule, and rules hang together."""
    rules = [alike(RED_5, RED_6), crossed(RED_6, Code.JOKER_NOT_REUSED), alike(RED_6, RED_7)]
    assert fewest_broken(rules, EITHER, Steps(), 10) == []


def test_the_least_is_broken_and_the_narrowest_told() -> None:
    """Where rules contradict each other one of them is broken: the one that is listed last."""
    rules = [
        Rule(frozenset((RED_5,)), lambda assigned: [fault(Code.EXTEND_ONLY)] if assigned[RED_5] == CROSSED else []),
        crossed(RED_5, Code.JOKER_NOT_REUSED),
    ]
    assert fewest_broken(rules, EITHER, Steps(), 10) == [fault(Code.JOKER_NOT_REUSED)]
    assert fewest_broken(rules, EITHER, Steps(), 0) is None


def test_tiles_with_one_path_are_settled_at_once() -> None:
    """What they break counts against what may be broken."""
    paths = {RED_5: [STRAIGHT], RED_6: [STRAIGHT, CROSSED]}
    rules = [crossed(RED_5, Code.JOKER_NOT_REUSED), crossed(RED_6, Code.EXTEND_ONLY)]
    assert fewest_broken(rules, paths, Steps(), 1) == [fault(Code.JOKER_NOT_REUSED)]
    assert fewest_broken(rules, paths, Steps(), 0) is None


def test_where_the_steps_end_the_best_so_far_is_told() -> None:
    """Or what the likeliest way breaks, where no other was looked into; nothing, where that is too much."""
    rules = [crossed(RED_5, Code.JOKER_NOT_REUSED), alike(RED_5, RED_6), crossed(RED_6, Code.EXTEND_ONLY)]
    likeliest = [fault(Code.JOKER_NOT_REUSED), fault(Code.EXTEND_ONLY)]
    assert straight_on(rules, EITHER) == likeliest
    assert fewest_broken(rules, EITHER, Steps(0), 10) == likeliest
    assert fewest_broken(rules, EITHER, Steps(0), 1) is None
    # Both straight costs four steps; with red 6 across besides it is eight, and then the steps are at an end.
    assert fewest_broken(rules, EITHER, Steps(6), 10) == likeliest
    assert fewest_broken(rules, EITHER, Steps(), 10) == []
    settled = {tile: [STRAIGHT] for tile in EITHER}
    with pytest.raises(OutOfSteps):
        fewest_broken(rules, settled, Steps(1), 10)


def test_whether_rules_can_be_kept() -> None:
    """They can where some way keeps them all, those common to all turns too, and can't where none does."""
    rules = [alike(RED_5, RED_6), crossed(RED_6, Code.JOKER_NOT_REUSED)]
    common = [alike(RED_6, RED_7)]
    assert can_hold(rules, common, EITHER, Steps())
    assert can_hold([], common, EITHER, Steps())
    straight = {**EITHER, RED_7: [STRAIGHT]}
    assert not can_hold(rules, common, straight, Steps())
    assert can_hold(rules, [], straight, Steps())
    settled = {tile: [STRAIGHT] for tile in EITHER}
    assert can_hold([alike(RED_5, RED_6)], common, settled, Steps())
    assert not can_hold(rules, common, settled, Steps())
    with pytest.raises(OutOfSteps):
        can_hold(rules, common, EITHER, Steps(3))


def test_a_rule_that_is_doomed_is_not_looked_into() -> None:
    """As soon as what is known of some tiles breaks it, the others are left where they are."""
    asked: list[Assigned] = []

    def broken(assigned: Assigned) -> list[Violation]:
        asked.append(dict(assigned))
        return [] if assigned[RED_5] == CROSSED else [fault(Code.EXTEND_ONLY)]

    tiles = frozenset((RED_5, RED_6, RED_7))
    doomed = Rule(tiles, broken, lambda assigned: assigned.get(RED_5) == STRAIGHT)
    assert can_hold([doomed], [], EITHER, Steps())
    assert [assigned[RED_5] for assigned in asked] == [CROSSED]
    asked.clear()
    assert can_hold([Rule(tiles, broken)], [], EITHER, Steps())
    assert len(asked) == 5
