"""Freed jokers: the judge agrees with an oracle that gives every tile an identity and tries them all."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import permutations

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

# Sets that share tiles, so that copies can be exchanged, and sets with jokers.
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
    """Yield random turns without missing numbered tiles, always the same."""
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
    """Tries every identity of every tile in the changed melds."""

    def __init__(self, changes: Changes) -> None:
        self.before, self.after = changes.before.melds, changes.after.melds
        self.old, self.new = changes.changed_before, changes.changed_after
        origins: defaultdict[Tile, list[int]] = defaultdict(list)
        self.goals: defaultdict[Tile, list[Place]] = defaultdict(list)
        for index in self.old:
            for tile in self.before[index]:
                origins[tile].append(index)
        for tile, count in changes.placed.items():
            origins[tile] += [RACK] * count
        for index in self.new:
            for position, tile in enumerate(self.after[index]):
                self.goals[tile].append(Place(index, position))
        self.origins = origins
        self.sets_before = {index for index in self.old if is_valid(self.before[index], RULES)}

    def has_legal_identity(self) -> bool:
        jokers = self.goals[JOKER]
        return any(
            self.is_legal(dict(zip(jokers, order, strict=True)), Counter(self.origins[JOKER]) - Counter(order))
            for order in set(permutations(self.origins[JOKER], len(jokers)))
        )

    def is_legal(self, jokers: dict[Place, int], missing: Counter[int]) -> bool:
        if any(origin in self.sets_before for origin in missing):
            return False  # a joker of a set is missing
        return all(self.may_lie(place, jokers) for place, origin in jokers.items() if origin in self.sets_before)

    def may_lie(self, place: Place, jokers: dict[Place, int]) -> bool:
        meld, old = place.meld, jokers[place]
        if not is_valid(self.after[meld], RULES):
            return bool(self.plain(self.before[old]) & self.plain(self.after[meld]))
        return not self.is_old_meld(meld, jokers)

    def is_old_meld(self, meld: int, jokers: dict[Place, int]) -> bool:
        """Return whether a meld looks like an old set with nothing but jokers of other sets added."""
        origins = [origin for place, origin in jokers.items() if place.meld == meld]
        return any(
            self.plain(self.before[old]) == self.plain(self.after[meld])
            and origins.count(old) == self.before[old].count(JOKER) < len(origins)
            and self.sets_before.issuperset(origins)
            for old in self.sets_before
        )

    @staticmethod
    def plain(meld: tuple[Tile, ...]) -> Counter[Tile]:
        return Counter(tile for tile in meld if not tile.is_joker)


def agree(count: int, seed: int) -> Counter[bool]:
    """Compare the judge with the oracle on `count` turns; return how often the jokers are in allowed places."""
    counts: Counter[bool] = Counter()
    for before, after in turns(count, seed):
        verdict = judge(before, after, TurnContext(RULES, opened=True))
        found = Code.JOKER_NOT_REUSED not in {violation.code for violation in verdict.violations}
        wanted = Oracle(find_changes(before, after, RULES)).has_legal_identity()
        assert found == wanted, f"{format_table(before)} -> {format_table(after)}"
        counts[found] += 1
    return counts


def test_misplaced_jokers_agree_with_an_oracle_that_tries_all_identities() -> None:
    """A freed joker is misplaced exactly if every identity of the tiles makes it so."""
    counts = agree(400, seed=5)
    assert min(counts[True], counts[False]) > 40


@pytest.mark.long
def test_misplaced_jokers_agree_with_the_oracle_on_4000_turns() -> None:
    """The same at length."""
    agree(4_000, seed=6)


def test_freed_joker_may_join_an_unchanged_meld_by_house_rule() -> None:
    """A freed joker may then join an old meld that is otherwise unchanged."""
    before, after = parse_table("R4 J R6 | K7 K8 K9"), parse_table("R4 R5 R6 | K7 K8 K9 J")
    verdict = judge(before, after, TurnContext(RULES, opened=True))
    assert [violation.code for violation in verdict.violations] == [Code.JOKER_NOT_REUSED]
    assert judge(before, after, TurnContext(with_house_rules(RULES, ["joker.freed=any-meld"]), opened=True)).legal
