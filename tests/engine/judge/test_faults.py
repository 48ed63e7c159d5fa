"""Faults of a row: they agree with the valid readings, and name the right tiles."""

import dataclasses
import random
from collections import Counter

import pytest

from tilekeeper.engine.judge.faults import meld_faults, stock_faults
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.editions import RULE_SETS, rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.meld import is_group, is_valid, largest_group, readings
from tilekeeper.engine.rules.policies import PastEnd
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.rules.violations import Code, Side
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Meld, Place, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile


def house(rng: random.Random) -> RuleSet:
    """Draw house rules of any edition that change everything about melds."""
    rules = rule_set(rng.choice(list(RULE_SETS)))
    inks, numbers = rng.randint(1, 4), rng.choice([4, 5, 7, 13])
    return dataclasses.replace(
        rules,
        stock=dataclasses.replace(rules.stock, inks=rules.stock.inks[:inks], numbers=numbers, jokers=rng.randint(0, 5)),
        melds=dataclasses.replace(
            rules.melds,
            shortest=rng.choice([2, 3, 3, 3, 4]),
            largest_group=rng.choice([None, 2, 3, 4, 4]),
            wraps=rng.random() < 0.3,
        ),
        joker=dataclasses.replace(
            rules.joker,
            most_in_set=rng.choice([None, None, 0, 1, 2]),
            alone=rng.random() < 0.3,
            past_end=rng.choice(list(PastEnd)),
        ),
    )


def near_meld(rng: random.Random, rules: RuleSet) -> Meld:
    """Draw a row of tiles of the box that is a meld or nearly one."""
    inks, highest = rules.stock.inks, rules.stock.numbers
    length, number = rng.randint(1, highest + 2), rng.randint(1, highest)
    if rng.random() < 0.5:
        ink, step = rng.choice(inks), rng.choice([1, -1])
        row = [Tile(ink, (number - 1 + step * at) % highest + 1) for at in range(length)]
    else:
        row = [Tile(ink, number) for ink in rng.choices(inks, k=rng.randint(1, 5))]
    if rng.random() < 0.2:
        row[rng.randrange(len(row))] = Tile(rng.choice(inks), rng.randint(1, highest))
    for _ in range(rng.choice([0, 0, 1, 1, 2, 3, 5])):
        row[rng.randrange(len(row))] = JOKER
    return tuple(row)


def test_row_has_faults_exactly_if_it_has_no_valid_reading() -> None:
    """Under random house rules."""
    rng = random.Random(7)
    counts: Counter[object] = Counter()
    for _ in range(4_000):
        rules = house(rng)
        meld = near_meld(rng, rules)
        valid = is_valid(meld, rules)
        table = Table((meld,))
        faults = list(meld_faults(table, 0, Side.AFTER, rules))
        assert bool(faults) != valid, f"{table} {faults} {rules}"
        judged = {violation.code for violation in judge(Table(), table, TurnContext(rules, True)).violations}
        assert {fault.code for fault in faults} <= judged
        counts.update([valid, *judged])
    assert min(counts[True], counts[False]) > 500
    forms = set(Code) & set(counts)
    assert {Code.GROUP_TOO_LONG, Code.GROUPS_NOT_PLAYED, Code.RUN_TOO_LONG, Code.TOO_MANY_JOKERS} <= forms


@pytest.mark.parametrize(
    ("inks", "row", "codes"),
    [
        (3, "O4 B4 J K4", [Code.GROUP_TOO_LONG]),
        (3, "O4 B4 J", []),
        (3, "O4 J J J", []),
        (3, "O12 J J J", []),
        (2, "K4 B4 J", [Code.GROUPS_NOT_PLAYED]),
        (2, "K4 J J", []),
        (1, "K4 K4 K4", [Code.RUN_BROKEN]),
    ],
)
def test_group_has_at_most_one_tile_of_each_colour(inks: int, row: str, codes: list[Code]) -> None:
    """With three colours a group has three tiles at most; with two there are no groups of three."""
    large = rule_set("large-numbers")
    rules = dataclasses.replace(large, stock=dataclasses.replace(large.stock, inks=large.stock.inks[:inks]))
    table = parse_table(row)
    assert [fault.code for fault in meld_faults(table, 0, Side.AFTER, rules)] == codes
    assert is_valid(table.melds[0], rules) == (not codes)


def test_row_is_a_group_exactly_if_it_has_a_reading_as_a_group() -> None:
    """The order of tiles says nothing in a row that can be read as a group, and only there."""
    rng = random.Random(8)
    for _ in range(2_000):
        rules = house(rng)
        meld = near_meld(rng, rules)
        if any(not tile.is_joker for tile in meld):
            kinds = {reading.kind.value for reading in readings(meld, rules)}
            assert is_group(meld, rules) == ("group" in kinds), (meld, rules)


def test_largest_group_is_limited_by_the_rules_and_the_colours() -> None:
    """None if that is less than the shortest meld."""
    large = rule_set("large-numbers")
    assert largest_group(large) == 4
    assert largest_group(rule_set("junior")) is None
    for inks, most in ((3, 3), (2, None)):
        assert (
            largest_group(
                dataclasses.replace(large, stock=dataclasses.replace(large.stock, inks=large.stock.inks[:inks]))
            )
            == most
        )


def places(*positions: int) -> tuple[Place, ...]:
    return tuple(Place(0, position) for position in positions)


@pytest.mark.parametrize(
    ("edition", "row", "faults"),
    [
        # The steps past the highest number are named only where they are all that is wrong.
        ("large-numbers", "R12 R13 R1", [(Code.WRAPS_PAST_HIGHEST, places(1, 2))]),
        ("large-numbers", "R1 R13 R12", [(Code.WRAPS_PAST_HIGHEST, places(0, 1))]),
        ("large-numbers", "R12 R13 R2", [(Code.RUN_BROKEN, places(1, 2))]),
        ("large-numbers", "R12 R13 J R3", [(Code.RUN_BROKEN, places(1, 3))]),
        ("large-numbers", "R11 R12 R10 J", [(Code.RUN_BROKEN, places(1, 2))]),
        ("large-numbers", "R2 R1 R12", [(Code.RUN_BROKEN, places(1, 2))]),
        ("large-numbers", "R3 R4 R6", [(Code.RUN_BROKEN, places(1, 2))]),
        ("large-numbers", "R6 R4 R3", [(Code.RUN_BROKEN, places(0, 1))]),
        ("large-numbers", "R3 R5 R4", [(Code.RUN_BROKEN, places(0, 1))]),
        ("large-numbers melds.wraps=yes", "R3 R4 R6", [(Code.RUN_BROKEN, places(1, 2))]),
        (
            "large-numbers melds.wraps=yes",
            "R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R1",
            [(Code.RUN_TOO_LONG, places(*range(14)))],
        ),
        # A group may be long enough, and have a colour twice.
        ("large-numbers", "K7 B7 K7 R7", [(Code.GROUP_COLOUR_TWICE, places(0, 2))]),
        (
            "large-numbers",
            "K7 B7 K7 R7 B7",
            [(Code.GROUP_COLOUR_TWICE, places(0, 1, 2, 4)), (Code.GROUP_TOO_LONG, places(*range(5)))],
        ),
        # Jokers are too many by their own number, not by that of the tiles.
        ("finnish", "R3 J R6", [(Code.RUN_BROKEN, places(0, 2))]),
        ("finnish", "R3 R4 J R8", [(Code.RUN_BROKEN, places(1, 3))]),
        ("finnish", "R3 J J", [(Code.TOO_MANY_JOKERS, places(1, 2))]),
        ("finnish", "R3 J J R9", [(Code.TOO_MANY_JOKERS, places(1, 2)), (Code.RUN_BROKEN, places(0, 3))]),
        ("junior", "R3 B3 J", [(Code.GROUPS_NOT_PLAYED, places(0, 1, 2))]),
        ("junior", "R3 B4 J", [(Code.NOT_A_MELD, places(0, 1, 2))]),
        ("large-numbers", "J J J", [(Code.NOT_A_MELD, places(0, 1, 2))]),
    ],
)
def test_each_fault_names_its_tiles(edition: str, row: str, faults: list[tuple[Code, tuple[Place, ...]]]) -> None:
    """And there is no other fault."""
    name, *house_rules = edition.split()
    rules = with_house_rules(rule_set(name), house_rules)
    found = [(fault.code, fault.tiles) for fault in meld_faults(parse_table(row), 0, Side.AFTER, rules)]
    assert found == faults


def test_too_many_copies_name_all_copies_of_that_tile() -> None:
    """For an unknown tile only that is reported."""
    table = parse_table("K7 K8 K9 | K7 B7 R7 | K7 O7 R7 | Y7 J J | Y7")
    rules = rule_set("large-numbers")
    unknown, copies = stock_faults(table, table.counts, Side.AFTER, rules)
    assert (unknown.code, unknown.tiles, unknown.bound) == (Code.UNKNOWN_TILE, (Place(3, 0), Place(4, 0)), None)
    assert copies.tiles == (Place(0, 0), Place(1, 0), Place(2, 0))
    assert (copies.code, copies.melds, copies.found, copies.bound) == (Code.TOO_MANY_COPIES, (0, 1, 2), 3, 2)
    assert list(stock_faults(Table(), Counter(), Side.BEFORE, rules)) == []
