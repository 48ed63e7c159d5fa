"""Small boxes of tiles for tests of untangling: rules, all tiles of a box, and its short rows."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from functools import lru_cache

from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.candidate_rows import all_rows
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile

LARGE = rule_set("large-numbers")


def small_rules(rng: random.Random) -> RuleSet:
    """Rules of a small box, house rules among them."""
    return dataclasses.replace(
        LARGE,
        stock=dataclasses.replace(
            LARGE.stock,
            inks=LARGE.stock.inks[: rng.choice([2, 3, 4, 4])],
            numbers=rng.choice([4, 5, 6, 7, 8, 13]),
            copies=rng.choice([1, 2, 2, 3]),
            jokers=rng.choice([0, 1, 2, 2, 3, 4]),
        ),
        melds=dataclasses.replace(
            LARGE.melds, shortest=rng.choice([3, 3, 3, 2, 4]), largest_group=rng.choice([4, 4, 4, 3, None])
        ),
        joker=dataclasses.replace(LARGE.joker, most_in_set=rng.choice([None, None, None, 1, 2])),
    )


def box_of(rules: RuleSet) -> list[Tile]:
    """All tiles of a box."""
    numbers = range(1, rules.stock.numbers + 1)
    plain = [Tile(ink, number) for ink in rules.stock.inks for number in numbers for _ in range(rules.stock.copies)]
    return plain + [JOKER] * rules.stock.jokers


@lru_cache(maxsize=64)
def short_rows(rules: RuleSet) -> list[Meld]:
    """Every valid row of up to four tiles of the box."""
    return [row for row in all_rows(Counter(box_of(rules)), rules) if len(row) <= 4]
