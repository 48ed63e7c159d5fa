"""Count the different melds of each edition: figures that anyone can check, as perft is for chess.

    python -m tests.support.meld_counts

prints the table of docs/engine.md, and updates the page.

A meld is counted as its set of numbered tiles, without a joker, with one, and with two; `finnish` allows one joker in a
set. Two counts must agree: all runs and groups as the rulebooks describe them, and every choice of tiles that
`is_valid` accepts in some order.
"""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import Final

from tilekeeper.engine.rules.editions import RULE_SETS
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile

DOCS: Final = Path(__file__).parents[2] / "docs" / "engine.md"
MOST_JOKERS = 2
_HEAD: Final = "| edition | without a joker | with one | with two |"
Melds = set[frozenset[Tile]]


def plain_melds(rules: RuleSet) -> Melds:
    """Return every run and every group without jokers, as the rulebooks describe them."""
    highest, inks = rules.stock.numbers, rules.stock.inks
    runs = {
        frozenset(Tile(ink, number) for number in range(first, last + 1))
        for ink in inks
        for first in range(1, highest - 1)
        for last in range(first + 2, highest + 1)
    }
    sizes = (3, 4) if rules.melds.largest_group else ()
    groups = {
        frozenset(Tile(ink, number) for ink in chosen)
        for number in range(1, highest + 1)
        for size in sizes
        for chosen in combinations(inks, size)
    }
    return runs | groups


def with_jokers(rules: RuleSet, jokers: int) -> Melds:
    """Return the numbered tiles of each meld after jokers replaced some tiles; jokers alone are no meld."""
    if rules.joker.most_in_set is not None and jokers > rules.joker.most_in_set:
        return set()
    return {
        meld - set(replaced)
        for meld in plain_melds(rules)
        for replaced in combinations(meld, jokers)
        if len(meld) > jokers
    }


def rows(tiles: tuple[Tile, ...], jokers: int) -> list[Meld]:
    """Return every order of some tiles of one colour and jokers that can be a run, and one that can be a group."""
    whole = []
    for first in range(jokers + 1):
        row = [JOKER] * first
        for tile, following in zip(tiles, (*tiles[1:], None), strict=True):
            row.append(tile)
            if following is not None:
                row += [JOKER] * ((following.number or 0) - (tile.number or 0) - 1)
        row += [JOKER] * (jokers + len(tiles) - len(row))
        if row.count(JOKER) == jokers:
            whole.append(tuple(row))
    return whole


def valid_melds(rules: RuleSet, jokers: int) -> Melds:
    """Return every choice of tiles of one colour or number that is valid with some jokers, in any order."""
    found: Melds = set()
    numbers = range(1, rules.stock.numbers + 1)
    for size in range(1, rules.stock.numbers + 1):
        for chosen in combinations(numbers, size):
            if chosen[-1] - chosen[0] >= size + jokers:
                continue  # more gaps than jokers
            for ink in rules.stock.inks:
                tiles = tuple(Tile(ink, number) for number in chosen)
                if any(is_valid(row, rules) for row in rows(tiles, jokers)):
                    found.add(frozenset(tiles))
    for number in numbers:
        for size in range(1, len(rules.stock.inks) + 1):
            for inks in combinations(rules.stock.inks, size):
                tiles = tuple(Tile(ink, number) for ink in inks)
                if is_valid((*tiles, *[JOKER] * jokers), rules):
                    found.add(frozenset(tiles))
    return found


def counts(rules: RuleSet) -> tuple[int, ...]:
    """Return the number of melds with no joker, one, and so on; both ways of counting must agree."""
    found = [valid_melds(rules, jokers) for jokers in range(MOST_JOKERS + 1)]
    assert found == [with_jokers(rules, jokers) for jokers in range(MOST_JOKERS + 1)], rules.name
    return tuple(map(len, found))


def table() -> str:
    """Return the counts of all editions as a Markdown table."""
    rows = (
        f"| `{name}` | {' | '.join(f'{count:,}' for count in counts(rules))} |" for name, rules in RULE_SETS.items()
    )
    return "\n".join((_HEAD, "|---|---|---|---|", *rows))


def replace_table(text: str, new: str) -> str:
    """Return a document with its table replaced."""
    return re.sub(rf"^{re.escape(_HEAD)}\n(\|.*\n)*", lambda _: f"{new}\n", text, flags=re.MULTILINE)


if __name__ == "__main__":
    print(table())
    DOCS.write_text(replace_table(DOCS.read_text(encoding="utf-8"), table()), encoding="utf-8")
