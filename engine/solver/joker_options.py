"""Options for the jokers of melds that stay together: stay, be replaced, or be taken out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, product

from tilekeeper.engine.provenance.joker_fates import Release, fates
from tilekeeper.engine.rules.meld import is_valid, readings
from tilekeeper.engine.rules.possible_rows import all_rows
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile


@dataclass(frozen=True, slots=True)
class Option:
    """One option for the jokers of a meld: what remains of the meld, and which jokers leave it."""

    rows: tuple[Meld, ...]
    """The rest of the meld: one row, or the two parts beside a joker that was taken out."""
    used: tuple[Tile, ...] = ()
    """The tiles that were laid in the place of jokers, which are free then."""
    moved: int = 0
    """The number of jokers that were taken out and must be laid."""


def joker_options(
    valid: Sequence[Meld], tied: Sequence[bool], rack: Counter[Tile], rules: RuleSet
) -> Iterator[list[Option]]:
    """Yield every possible combination of one option for each meld; the combination without changes comes first.

    `tied` says for each meld whether it must stay together; other melds have no option but to stay untouched.
    """
    each = [
        [Option((meld,)), *(_options(meld, rack, rules) if bound else ())]
        for meld, bound in zip(valid, tied, strict=True)
    ]
    for choice in product(*each):
        if Counter(tile for option in choice for tile in option.used) <= rack:
            yield list(choice)


def _options(meld: Meld, available: Counter[Tile], rules: RuleSet) -> Iterator[Option]:
    """Yield every option in which a joker leaves the meld, each once."""
    listed: set[Option] = set()
    for reading in readings(meld, rules):
        choices = [_choices(meld, at, reading.tiles[at], available, rules) for at in range(len(meld))]
        for row in product(*choices):
            used = tuple(tile for tile, was in zip(row, meld, strict=True) if tile is not None and tile is not was)
            parts = groupby(row, key=lambda tile: tile is None)  # a gap parts the row
            rows = tuple(tuple(tile for tile in part if tile) for is_gap, part in parts if not is_gap)
            option = Option(rows, used, row.count(None))
            if (used or option.moved) and option not in listed:
                listed.add(option)
                if not option.moved or all(is_valid(part, rules) for part in option.rows):
                    yield option


def _choices(meld: Meld, at: int, stands_for: Tile, available: Counter[Tile], rules: RuleSet) -> Iterator[Tile | None]:
    """Yield what can be at a place of a meld: its tile, a tile that replaces a joker, or None for a joker taken out."""
    yield meld[at]
    if meld[at].is_joker:
        if available[stands_for]:
            yield stands_for
        if Release.TAKEN_OUT in fates(meld, at, rules):
            yield None


def new_sets(rack: Counter[Tile], freed: int, rules: RuleSet) -> Iterator[tuple[Meld, ...]]:
    """Yield combinations of new sets that hold all freed jokers, with tiles of the rack.

    Each set is as small as the rules allow.
    """
    available = rack + Counter({JOKER: freed})
    rows = [row for row in all_rows(available, rules) if JOKER in row]
    rows = [row for row in rows if _is_smallest(row, rules)]
    rows.sort(key=len)
    for row in rows:
        unused = available - Counter(row)
        taken = min(freed, row.count(JOKER))
        if taken == freed:
            yield (row,)
        else:
            for new_rows in new_sets(unused - Counter({JOKER: freed - taken}), freed - taken, rules):
                yield (row, *new_rows)


def _is_smallest(row: Meld, rules: RuleSet) -> bool:
    """Return whether a set with jokers has the smallest length that the rules allow for a freed joker."""
    jokers = row.count(JOKER)
    return len(row) == max(rules.melds.shortest, rules.joker.rack_tiles + jokers, jokers + 1)
