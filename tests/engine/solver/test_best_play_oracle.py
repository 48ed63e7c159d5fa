"""The best play agrees with an oracle that tries everything, by printed rules and by house rules."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter

import pytest

from tests.support.oracle_arrangements import Oracle
from tilekeeper.engine.rules.editions import RULE_SETS, rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.best_play import best_play, find_best_play
from tilekeeper.engine.tiles.notation import parse_rack, parse_table
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

pytestmark = pytest.mark.slow


def small(rules: RuleSet, rng: random.Random) -> RuleSet:
    copies = rng.choice([1, 2]) if rules.stock.copies == 2 else 1
    stock = dataclasses.replace(rules.stock, numbers=5, copies=copies, jokers=rng.choice([1, 2]))
    points = rules.opening.minimum_points and rng.choice([8, 12, 20])
    return dataclasses.replace(rules, stock=stock, opening=dataclasses.replace(rules.opening, minimum_points=points))


def small_table(rules: RuleSet, rng: random.Random, most: int) -> Table:
    """Return a legal table of few tiles, often with a joker."""
    box = Counter({Tile(ink, number): rules.stock.copies for ink in rules.stock.inks for number in range(1, 6)})
    box[JOKER] = rules.stock.jokers
    melds: list[Meld] = []
    for _ in range(20):
        if rng.random() < 0.6:
            ink, first = rng.choice(rules.stock.inks), rng.randint(1, 3)
            meld = [Tile(ink, number) for number in range(first, rng.randint(first + 2, 5) + 1)]
        else:
            number = rng.randint(1, 5)
            meld = [Tile(ink, number) for ink in rng.sample(rules.stock.inks, rng.randint(3, 4))]
        if rng.random() < 0.5:
            meld[rng.randrange(len(meld))] = JOKER
        together = [*melds, tuple(meld)]
        if (
            is_valid(tuple(meld), rules)
            and Counter(tile for each in together for tile in each) <= box
            and sum(map(len, together)) <= most
        ):
            melds = together
    return Table(tuple(melds))


def compare_with_oracle(edition: RuleSet, seed: int, cases: int) -> None:
    rng = random.Random(f"{edition.name} {seed}")
    for _ in range(cases):
        rules = small(edition, rng)
        table = small_table(rules, rng, rng.choice([3, 6]))
        box = Counter({Tile(ink, number): rules.stock.copies for ink in rules.stock.inks for number in range(1, 6)})
        box[JOKER] = rules.stock.jokers
        rest = sorted((box - table.counts).elements(), key=lambda tile: tile.order)
        tiles = rng.sample(rest, rng.randint(1, 3))
        opened = rng.random() < 0.7
        play = best_play(table, tiles, TurnContext(rules, opened))
        laid = 0 if play is None else len(play.laid)
        assert laid == Oracle(rules).best_play(table, Counter(tiles), opened), (table, tiles, opened, rules)


@pytest.mark.parametrize("name", RULE_SETS)
def test_best_play_agrees_with_the_oracle(name: str) -> None:
    """In every edition it lays as many tiles as an oracle that asks the judge about every turn."""
    compare_with_oracle(rule_set(name), 1, 100)


@pytest.mark.parametrize(
    ("table", "tiles", "points", "laid"),
    [
        ("B3 B4 B5", "R4 Y3 B1 Y2 Y4 J", 12, 4),
        ("R1 R2 R3 R4", "Y2 Y1 J B2 K3 B1", 12, 5),
        ("R2 R3 R4 | Y3 Y4 Y5", "B2 B4 J K2 B3 R5", 8, 6),
    ],
)
def test_more_tiles_are_laid_in_the_turn_of_the_opening(table: str, tiles: str, points: int, laid: int) -> None:
    """The best arrangement of all tiles at once would miss that."""
    house = ["stock.numbers=5", "stock.copies=1", "setup.dealt=4", f"opening.minimum_points={points}"]
    rules = with_house_rules(rule_set("cards"), house)
    sought = find_best_play(parse_table(table), parse_rack(tiles), TurnContext(rules, False))
    assert sought.play is not None
    assert sought.proved
    assert (
        len(sought.play.laid) == laid == Oracle(rules).best_play(parse_table(table), Counter(parse_rack(tiles)), False)
    )


@pytest.mark.long
@pytest.mark.parametrize("name", RULE_SETS)
def test_best_play_agrees_with_the_oracle_on_many_turns(name: str) -> None:
    """The same with 1,000 turns of each edition."""
    compare_with_oracle(rule_set(name), 2, 1_000)


HOUSE = [
    ("finnish", ["joker.freed=any-meld"]),
    ("junior", ["joker.replaced_from=anywhere"]),
    ("large-numbers", ["joker.freed=rack"]),
    ("finnish", ["joker.past_end=other-end", "joker.most_in_set=2"]),
    ("junior", ["joker.sets=like-others"]),
    ("finnish", ["joker.freed=any-meld", "joker.replaced_from=anywhere"]),
    ("finnish", ["joker.freed=new-combination", "joker.most_in_set=2"]),
    ("cards", ["joker.replaced_from=anywhere", "joker.most_in_set=none"]),
    ("junior", ["joker.sets=locked", "manipulation.regrouping=any"]),
    ("large-numbers", ["opening.several_sets=no", "joker.alone=yes"]),
    ("large-numbers", ["opening.table=free-once-open", "opening.needs_empty_table=yes"]),
    ("travel", ["melds.wraps=yes", "manipulation.staying_together=3"]),
    ("travel", ["manipulation.take_back=yes"]),
]


@pytest.mark.parametrize(("name", "house"), HOUSE)
def test_best_play_agrees_with_the_oracle_under_house_rules(name: str, house: list[str]) -> None:
    """Each play is legal and lays as many tiles as the oracle's."""
    compare_with_oracle(with_house_rules(rule_set(name), house), 3, 5)
