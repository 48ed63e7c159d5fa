"""The opening: what new sets from the rack are worth, and whether the table was left alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tilekeeper.engine.changes import Changes
from tilekeeper.engine.meld import best_reading, worth
from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.table import Meld, Place
from tilekeeper.engine.tile import Tile
from tilekeeper.engine.verdict import Code, Side, Violation

_MOST_STEPS: Final = 20_000  # of the search below; far more than any turn with the tiles of one box needs


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A new row that the tiles from the rack could make up all by themselves."""

    index: int
    tiles: Counter[Tile]
    points: int

    @property
    def gain(self) -> tuple[int, int]:
        """What choosing it is good for: points first, then tiles for which the rack accounts."""
        return (self.points, self.tiles.total())


@dataclass(frozen=True, slots=True)
class Opening:
    """How a player who had not opened came into the game, or tried to."""

    points: int
    """What the new sets from the rack alone are worth."""
    violations: tuple[Violation, ...]


def judge_opening(changes: Changes, rules: RuleSet) -> Opening:
    """Judge the turn of a player who had not opened before.

    Every meld of the table must lie as it lay. Where it does not, the points are those of the new sets for which the
    rack alone accounts, chosen in the player's favour.
    """
    laid = _from_rack(changes, rules)
    points = sum(candidate.points for candidate in laid)
    violations = []
    if changes.placed and points < rules.opening.points:
        melds = tuple(candidate.index for candidate in laid)
        tiles = tuple(Place(meld, position) for meld in melds for position in range(len(changes.after.melds[meld])))
        violations.append(Violation(Code.OPENING_TOO_LOW, Side.AFTER, melds, tiles, points, rules.opening.points))
    if changes.gone:
        violations.append(_used_table(changes, laid))
    return Opening(points, tuple(violations))


def _from_rack(changes: Changes, rules: RuleSet) -> list[_Candidate]:
    """The new rows that were laid from the rack alone, by index."""
    candidates = []
    for index in changes.new:
        meld = changes.after.melds[index]
        tiles = Counter(meld)
        if tiles <= changes.placed:
            candidates.append(_Candidate(index, tiles, _best_worth(meld, rules)))
    wanted = Counter[Tile]()
    for candidate in candidates:
        wanted += candidate.tiles
    rivals = [
        candidate for candidate in candidates if any(wanted[tile] > changes.placed[tile] for tile in candidate.tiles)
    ]
    safe = [candidate for candidate in candidates if candidate not in rivals]
    left = Counter(changes.placed)
    for candidate in safe:
        left -= candidate.tiles
    return sorted((*safe, *_best_choice(rivals, left)), key=lambda candidate: candidate.index)


def _best_worth(meld: Meld, rules: RuleSet) -> int:
    reading = best_reading(meld, rules)
    return 0 if reading is None else worth(meld, reading, rules)


def _best_choice(rivals: Sequence[_Candidate], rack: Counter[Tile]) -> list[_Candidate]:
    """The best of the rows that compete for tiles which the rack gave only once: an exact search, best rows first."""
    rivals = sorted(rivals, key=lambda candidate: candidate.gain, reverse=True)
    rest = [(0, 0)]
    for candidate in reversed(rivals):
        rest.append((rest[-1][0] + candidate.points, rest[-1][1] + candidate.tiles.total()))
    rest.reverse()
    best: tuple[tuple[int, int], list[_Candidate]] = ((0, 0), [])
    steps = 0

    def search(position: int, left: Counter[Tile], gain: tuple[int, int], chosen: list[_Candidate]) -> None:
        nonlocal best, steps
        steps += 1
        if gain > best[0]:
            best = (gain, list(chosen))
        hope = (gain[0] + rest[position][0], gain[1] + rest[position][1])
        if hope <= best[0] or steps > _MOST_STEPS:
            return
        candidate = rivals[position]
        if candidate.tiles <= left:
            with_it = (gain[0] + candidate.points, gain[1] + candidate.tiles.total())
            search(position + 1, left - candidate.tiles, with_it, [*chosen, candidate])
        search(position + 1, left, gain, chosen)

    search(0, rack, (0, 0), [])
    return best[1]


def _used_table(changes: Changes, laid: Sequence[_Candidate]) -> Violation:
    """Point to what lies now in other melds than before; to the melds before where all of it is gone."""
    from_rack = Counter(changes.placed)
    for candidate in laid:
        from_rack -= candidate.tiles
    own = {candidate.index for candidate in laid}
    tiles = tuple(_table_tiles(changes, [index for index in changes.new if index not in own], from_rack))
    if tiles:
        return Violation.at(Code.OPENING_USED_TABLE, Side.AFTER, tiles)
    return Violation(
        Code.OPENING_USED_TABLE,
        Side.BEFORE,
        changes.gone,
        tuple(Place(meld, position) for meld in changes.gone for position in range(len(changes.before.melds[meld]))),
    )


def _table_tiles(changes: Changes, melds: Sequence[int], from_rack: Counter[Tile]) -> Iterator[Place]:
    """The places in those melds where a tile of the table lies; of identical tiles the last ones are the rack's."""
    table_has = Counter(tile for index in melds for tile in changes.after.melds[index]) - from_rack
    for index in melds:
        for position, tile in enumerate(changes.after.melds[index]):
            if table_has[tile] > 0:
                table_has[tile] -= 1
                yield Place(index, position)
