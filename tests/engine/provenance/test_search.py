"""The search for the best way: it finds the least that can be broken, and ends when it may look no further."""

import pytest

from tilekeeper.engine.provenance.board import Paths
from tilekeeper.engine.provenance.budget import OutOfSteps, Steps
from tilekeeper.engine.provenance.search import Assigned, Rule, badness, can_hold, fewest_broken, straight_on
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Place
from tilekeeper.engine.tiles.tile import Tile

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


def never(*tiles: Tile) -> Rule:
    """A rule that every way breaks."""
    return Rule(frozenset(tiles), lambda assigned: [fault(Code.EXTEND_ONLY)])


def straight(tile: Tile) -> Rule:
    """A rule that wants a tile to go straight on."""
    return Rule(frozenset((tile,)), lambda assigned: [] if assigned[tile] == STRAIGHT else [fault(Code.EXTEND_ONLY)])


@pytest.mark.parametrize("count", [2, 3, 4])
def test_rules_that_can_be_kept_one_by_one_and_not_together(count: int) -> None:
    """Each by itself is no trouble; two of them, among any others, are."""
    others = [straight(RED_6), alike(RED_6, RED_7)]
    assert not can_hold([crossed(RED_5, Code.EXTEND_ONLY), straight(RED_5), *others][:count], [], EITHER, Steps())
    assert not can_hold([crossed(RED_5, Code.EXTEND_ONLY)], [straight(RED_5), *others], EITHER, Steps())
    assert can_hold([straight(RED_5), *others][:count], [straight(RED_7)], EITHER, Steps())


def test_a_rule_that_every_way_breaks() -> None:
    """It can't be kept, however many ways there are, and counts together with what is broken anyway."""
    assert not can_hold([never(RED_5)], [], EITHER, Steps())
    assert not can_hold([never(RED_5, RED_6), straight(RED_7)], [], EITHER, Steps())
    paths = {RED_5: [STRAIGHT], RED_6: [STRAIGHT, CROSSED]}
    rules = [never(RED_5), never(RED_6)]
    assert fewest_broken(rules, paths, Steps(), 1) is None
    assert fewest_broken(rules, paths, Steps(), 2) == [fault(Code.EXTEND_ONLY)] * 2
    three = [never(RED_5), never(RED_6), never(RED_6, RED_7)]
    assert fewest_broken(three, EITHER, Steps(), 2) is None
    assert fewest_broken(three, EITHER, Steps(), 3) == [fault(Code.EXTEND_ONLY)] * 3


def test_as_much_as_may_be_broken_is_told_where_the_steps_end() -> None:
    """The likeliest way counts where it breaks just as much as is of interest."""
    rules = [crossed(RED_5, Code.EXTEND_ONLY), crossed(RED_5, Code.JOKER_NOT_REUSED)]
    likeliest = [fault(Code.EXTEND_ONLY), fault(Code.JOKER_NOT_REUSED)]
    assert fewest_broken(rules, EITHER, Steps(0), 2) == likeliest
    assert fewest_broken(rules, EITHER, Steps(0), 1) is None


def test_what_is_worse() -> None:
    """More is worse than less; of as many that which is listed later is told rather, then what comes nearest."""

    def key(*faults: tuple[Code, int | None, int | None]) -> tuple[int, list[tuple[int, int, int]]]:
        return badness([Violation(code, Side.AFTER, (), (), found, bound) for code, found, bound in faults])

    short, locked = Code.ORIGINAL_TOO_SHORT, Code.JOKER_SET_LOCKED
    assert key((short, 2, 3)) < key((short, 1, 3))
    assert key((short, 2, 3)) < key((short, 2, 4))
    assert key((locked, None, None)) < key((short, 2, 3)) < key((locked, None, None), (locked, None, None))
    assert key((locked, None, None)) == key((locked, 0, 0))
    assert key((short, 2, 3), (locked, None, None)) == key((locked, None, None), (short, 2, 3))
