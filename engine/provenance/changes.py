"""What a turn changed: which melds lie as they lay, and which tiles came and went."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from tilekeeper.engine.rules.meld import is_group
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Table, unmirrored
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class Changes:
    """The difference between the table before a turn and the table after it.

    Melds are indices into their table. The camera sees no tile's identity, so melds are matched by what they show.
    """

    before: Table
    after: Table
    was: Counter[Tile]
    """How many of each tile lay on the table before."""
    now: Counter[Tile]
    """How many of each tile lie on the table after."""
    kept: Mapping[int, int]
    """The melds that lie as they lay: from the meld after to the meld before."""
    new: tuple[int, ...]
    """The melds of the table after that did not lie so before."""
    gone: tuple[int, ...]
    """The melds of the table before that do not lie so any more."""
    placed: Counter[Tile]
    """What came from the rack."""
    taken: Counter[Tile]
    """What lay on the table and does not any more."""


def find_changes(before: Table, after: Table, rules: RuleSet) -> Changes:
    """Compare the tables before and after a turn.

    Of a tile that lay there more often than the box holds it, or that the edition does not have, only as many can
    have been taken as are in the box: the rest was misread.
    """
    kept: dict[int, int] = {}
    _match(before, after, kept, lambda meld: meld)
    _match(before, after, kept, lambda meld: _combination(meld, rules))
    was, now = before.counts, after.counts
    believed = Counter({tile: min(count, rules.stock.copies_of(tile)) for tile, count in was.items()})
    matched = set(kept.values())
    return Changes(
        before=before,
        after=after,
        was=was,
        now=now,
        kept=kept,
        new=tuple(index for index in range(len(after.melds)) if index not in kept),
        gone=tuple(index for index in range(len(before.melds)) if index not in matched),
        placed=now - was,
        taken=believed - now,
    )


def _match(before: Table, after: Table, kept: dict[int, int], key: Callable[[Meld], Hashable]) -> None:
    """Add to `kept` the pairs of melds with equal keys among those that are in no pair yet."""
    matched = set(kept.values())
    waiting: defaultdict[Hashable, list[int]] = defaultdict(list)
    for index, meld in enumerate(before.melds):
        if index not in matched:
            waiting[key(meld)].append(index)
    for index, meld in enumerate(after.melds):
        if index not in kept and (partners := waiting.get(key(meld))):
            kept[index] = partners.pop(0)


def _combination(meld: Meld, rules: RuleSet) -> Hashable:
    """A key that two rows share where one is the other, seen from whichever side; a group has no order at all."""
    if is_group(meld, rules):
        return ("group", tuple(sorted(tile.order for tile in meld)))
    return ("row", unmirrored(meld))
