"""Freed jokers: an oracle that gives every tile an identity and tries them all agrees with the judge."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import permutations, product

import pytest

from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.provenance.changes import Changes, find_changes
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.rules.violations import Code
from tilekeeper.engine.tiles.notation import format_table, parse_table
from tilekeeper.engine.tiles.table import Place, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

RULES = rule_set("large-numbers")
RACK = -1

# Sets that share tiles with each other, so that there are copies to be taken for one another, and sets with jokers.
BEFORE = [
    "R4 J R6",
    "R4 R5 R6",
    "K7 K8 K9",
    "K7 J K9",
    "J K8 K9",
    "K8 B8 O8",
    "K8 B8 J",
    "K9 B9 O9 R9",
    "B7 B8 B9",
    "K8",
    "J",
]
AFTER = [
    *("R4 R5 R6", "R4 J R6", "R4 R5 R6 J", "K7 K8 K9", "K7 K8 K9 J", "K7 J K9 J", "J K8 K9", "K8 B8 O8", "K8 B8 O8 R8"),
    *("K8 B8 O8 J", "K8 B8 R8", "K9 B9 O9", "K9 B9 O9 J", "B7 B8 B9", "B7 B8 B9 J", "O9 O10 J", "J", "K8 K9 K10"),
]

Ways = dict[Tile, list[tuple[int, ...]]]
"""For each tile, the ways in which its copies after the turn can have come from melds before it, or the rack."""


def turns(count: int, seed: int) -> Iterator[tuple[Table, Table]]:
    """Turns in which no tile but a joker is missing, drawn at random from the sets above, the same every time."""
    rng = random.Random(seed)
    while count:
        before = parse_table(" | ".join(rng.sample(BEFORE, rng.randint(2, 4))))
        after = parse_table(" | ".join(rng.choices(AFTER, k=rng.randint(2, 5))))
        missing = before.counts - after.counts
        too_many = max(before.counts[JOKER], after.counts[JOKER]) > 2 or max(after.counts.values()) > 2
        if before.counts[JOKER] and missing.keys() <= {JOKER} and not too_many:
            yield before, after
            count -= 1


class Oracle:
    """Tries every identity of every tile in the melds that changed."""

    def __init__(self, changes: Changes) -> None:
        self.before, self.after = changes.before.melds, changes.after.melds
        self.gone, self.new = changes.changed_before, changes.changed_after
        origins: defaultdict[Tile, list[int]] = defaultdict(list)
        self.goals: defaultdict[Tile, list[Place]] = defaultdict(list)
        for index in self.gone:
            for tile in self.before[index]:
                origins[tile].append(index)
        for tile, count in changes.placed.items():
            origins[tile] += [RACK] * count
        for index in self.new:
            for position, tile in enumerate(self.after[index]):
                self.goals[tile].append(Place(index, position))
        self.origins = origins
        self.sets_before = {index for index in self.gone if is_valid(self.before[index], RULES)}

    def a_legal_way_exists(self) -> bool:
        jokers = self.goals[JOKER]
        return any(
            self.is_legal(dict(zip(jokers, order, strict=True)), Counter(self.origins[JOKER]) - Counter(order))
            for order in set(permutations(self.origins[JOKER], len(jokers)))
        )

    def is_legal(self, jokers: dict[Place, int], left: Counter[int]) -> bool:
        if any(origin in self.sets_before for origin in left):
            return False  # a joker of a set is gone
        return all(self.may_lie(place, jokers) for place, origin in jokers.items() if origin in self.sets_before)

    def may_lie(self, place: Place, jokers: dict[Place, int]) -> bool:
        meld, old = place.meld, jokers[place]
        if not is_valid(self.after[meld], RULES):
            return bool(self.plain(self.before[old]) & self.plain(self.after[meld]))
        others = {origin for place, origin in jokers.items() if place.meld == meld}
        return any(not self.is_old_one(way[meld], others, meld, jokers) for way in self.ways())

    def ways(self) -> Iterator[dict[int, Counter[tuple[Tile, int]]]]:
        """For each meld after the turn, its plain tiles with where each came from."""
        tiles = [tile for tile in self.goals if not tile.is_joker]
        orders = [sorted(set(permutations(self.origins[tile], len(self.goals[tile])))) for tile in tiles]
        for choice in product(*orders):
            way: dict[int, Counter[tuple[Tile, int]]] = {index: Counter() for index in self.new}
            for tile, order in zip(tiles, choice, strict=True):
                for place, origin in zip(self.goals[tile], order, strict=True):
                    way[place.meld][tile, origin] += 1
            yield way

    def is_old_one(
        self, sources: Counter[tuple[Tile, int]], joker_origins: set[int], meld: int, jokers: dict[Place, int]
    ) -> bool:
        """Whether the meld is one set of before, whole, with jokers of other sets put to it and nothing else."""
        for old in self.sets_before:
            whole = Counter({(tile, old): 1 for tile in self.plain(self.before[old])})
            own = sum(1 for place, origin in jokers.items() if place.meld == meld and origin == old)
            strangers = joker_origins - {old}
            if (
                sources == whole
                and own == self.before[old].count(JOKER)
                and strangers
                and strangers <= self.sets_before
            ):
                return True
        return False

    @staticmethod
    def plain(meld: tuple[Tile, ...]) -> Counter[Tile]:
        return Counter(tile for tile in meld if not tile.is_joker)


def agree(count: int, seed: int) -> Counter[bool]:
    """Hold the judge to the oracle on `count` turns; how often the jokers lay well, and how often not."""
    seen: Counter[bool] = Counter()
    for before, after in turns(count, seed):
        verdict = judge(before, after, TurnContext(RULES, opened=True))
        found = Code.JOKER_NOT_REUSED not in {violation.code for violation in verdict.violations}
        wanted = Oracle(find_changes(before, after, RULES)).a_legal_way_exists()
        assert found == wanted, f"{format_table(before)} -> {format_table(after)}"
        seen[found] += 1
    return seen


def test_an_oracle_with_identities_agrees() -> None:
    """A freed joker is called misplaced where no identity of any tile makes its place a right one, and only there."""
    seen = agree(400, seed=5)
    assert min(seen[True], seen[False]) > 40


@pytest.mark.long
def test_an_oracle_with_identities_agrees_at_length() -> None:
    """On 4,000 turns more."""
    agree(4_000, seed=6)


def test_any_meld_will_do() -> None:
    """By a house rule a freed joker may be laid even to an old meld that is otherwise as it was."""
    before, after = parse_table("R4 J R6 | K7 K8 K9"), parse_table("R4 R5 R6 | K7 K8 K9 J")
    verdict = judge(before, after, TurnContext(RULES, opened=True))
    assert [violation.code for violation in verdict.violations] == [Code.JOKER_NOT_REUSED]
    assert judge(before, after, TurnContext(with_house_rules(RULES, ["joker.freed=any-meld"]), opened=True)).legal
