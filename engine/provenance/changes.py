"""The difference between two tables: unchanged and changed melds, added and removed tiles."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tilekeeper.engine.rules.meld import is_group
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Place, Table, mirror_key
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class Changes:
    """The difference between the table before a turn and the table after it.

    A meld is given by its index in `before` or `after`. Tiles have no identity, so melds are matched by their tiles.
    """

    before: Table
    after: Table
    counts_before: Counter[Tile]
    """The number of copies of each tile on the table before."""
    counts_after: Counter[Tile]
    """The number of copies of each tile on the table after."""
    unchanged: Mapping[int, int]
    """The unchanged melds: a map from the index after to the index before."""
    changed_after: tuple[int, ...]
    """The indices in `after` of the changed melds."""
    changed_before: tuple[int, ...]
    """The indices in `before` of the changed melds."""
    placed: Counter[Tile]
    """The tiles that came from the rack: copies of each that `after` has more than `before`."""
    taken: Counter[Tile]
    """The tiles that were taken off the table: copies of each that `after` has fewer than `before`."""


def find_changes(before: Table, after: Table, rules: RuleSet) -> Changes:
    """Compare the tables before and after a turn.

    If the table before has more copies of a tile than the box holds, the extra copies were misread and do not count as
    taken.
    """
    unchanged: dict[int, int] = {}
    _match(before, range(len(before.melds)), after, range(len(after.melds)), unchanged, rules)
    return _compare(before, after, unchanged, rules)


def find_changes_after(changes: Changes, laid: tuple[Meld, ...], rules: RuleSet) -> Changes:
    """Return the changes of the rest of a turn, if the player laid some sets from the rack first.

    In the result these sets follow the melds of the table before; the unchanged melds of the turn stay unchanged.
    """
    before = Table((*changes.before.melds, *laid))
    added = range(len(changes.before.melds), len(before.melds))
    unchanged = dict(changes.unchanged)
    _match(before, added, changes.after, changes.changed_after, unchanged, rules)
    return _compare(before, changes.after, unchanged, rules)


def _compare(before: Table, after: Table, unchanged: Mapping[int, int], rules: RuleSet) -> Changes:
    counts_before, counts_after = before.counts, after.counts
    possible = Counter({tile: min(count, rules.stock.copies_of(tile)) for tile, count in counts_before.items()})
    matched = set(unchanged.values())
    return Changes(
        before=before,
        after=after,
        counts_before=counts_before,
        counts_after=counts_after,
        unchanged=unchanged,
        changed_after=tuple(index for index in range(len(after.melds)) if index not in unchanged),
        changed_before=tuple(index for index in range(len(before.melds)) if index not in matched),
        placed=counts_after - counts_before,
        taken=possible - counts_after,
    )


def _match(
    before: Table,
    of_before: Iterable[int],
    after: Table,
    of_after: Sequence[int],
    unchanged: dict[int, int],
    rules: RuleSet,
) -> None:
    """Match the melds `of_before` with the melds `of_after`, and add the pairs to `unchanged`.

    First equal rows are matched, then rows with the same tiles in another order, if this order does not matter.
    """
    remaining = list(of_before)
    keys: tuple[Callable[[Meld], Hashable], ...] = (lambda meld: meld, lambda meld: _combination(meld, rules))
    for key in keys:
        if not remaining:
            return
        unmatched: defaultdict[Hashable, list[int]] = defaultdict(list)
        for index in remaining:
            unmatched[key(before.melds[index])].append(index)
        for index in of_after:
            if index not in unchanged and (partners := unmatched.get(key(after.melds[index]))):
                unchanged[index] = partners.pop(0)
        remaining = [index for partners in unmatched.values() for index in partners]


@lru_cache(maxsize=1_024)  # each possible opening of a turn compares the same melds
def _combination(meld: Meld, rules: RuleSet) -> Hashable:
    """Return a key that is equal for a row and its mirror image, and for a group in any order."""
    if is_group(meld, rules):
        return ("group", tuple(sorted(tile.order for tile in meld)))
    return ("row", mirror_key(meld))


def joker_places(table: Table, melds: Iterable[int]) -> list[Place]:
    """Return the places of the jokers in some melds of a table."""
    return [
        Place(index, position) for index in melds for position, tile in enumerate(table.melds[index]) if tile.is_joker
    ]
