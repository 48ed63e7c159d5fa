"""Judges a turn under every likely reading, and finds the doubtful tiles on which the verdict turns.

All likely tables legal, or all illegal for the same reason: the verdict stands and nobody is asked. Otherwise
exactly the tiles that change it are named, and the faults that are there however they turn out. Where it needs what
something covers, it waits. Nobody is called wrong before tiles that are a little less than certain were asked about,
where one or two of them taken otherwise would make the turn legal.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice

import numpy as np

from tilekeeper.companion.laid import Laid, laid
from tilekeeper.companion.out_of_sight import OutOfSight
from tilekeeper.companion.settings import inks_of
from tilekeeper.engine.judge import TurnContext, judge
from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.table import Table
from tilekeeper.engine.verdict import Verdict, Violation
from tilekeeper.vision.sighting import NO_TILE_LABEL, ReadTile, TableReading, label_of

# Two milliseconds a verdict: this many keep the answer well under a blink.
MOST_TABLES, MOST_SECOND_LOOKS = 64, 24
LIKELY = 0.002
"""A doubtful tile is also taken for each further name that is as likely as this: of one whose two likeliest names are
both wrong nothing is known."""
CERTAIN, MOST_LESS_CERTAIN = 0.995, 6
"""Tiles below this, not only the doubtful ones, are taken for their second likeliest names before a turn is called
illegal, and so many of them at most. It costs a question only where that would make the turn legal."""

Names = Mapping[int, str]
"""Other labels for some of a reading's tiles, by index."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """The verdict on the likeliest table, and what speaks against it.

    Attributes:
        laid: the likeliest table.
        verdict: the verdict on it.
        unsure: indices of the reading's tiles on which the verdict turns; empty where it stands.
        certain: the violations that stand: all of them, or where it turns on tiles those of every likely reading.
        waits: whether it turns on what something covers, so that looking again is better than asking.
        names: for tiles of `unsure` further names, beside the two likeliest, on which it turns.
    """

    laid: Laid
    verdict: Verdict
    unsure: tuple[int, ...]
    certain: tuple[Violation, ...]
    waits: bool = False
    names: tuple[tuple[int, str], ...] = ()


def weigh(before: Table, reading: TableReading, context: TurnContext) -> Weighed:
    """Judge the turn from `before` to the table of `reading`, and under what else its doubtful tiles may be."""
    weighed = _weighed(before, reading, context)
    unseen = OutOfSight(reading, weighed.laid)
    standing = tuple(violation for violation in weighed.certain if not unseen.turns(violation))
    if standing:
        return replace(weighed, certain=standing)
    in_doubt = unseen.in_doubt(before, weighed.verdict)
    if weighed.certain or in_doubt:
        return replace(weighed, unsure=tuple(sorted({*weighed.unsure, *in_doubt})), certain=(), waits=True)
    return weighed


def _weighed(before: Table, reading: TableReading, context: TurnContext) -> Weighed:
    likeliest = laid(reading)
    verdict = judge(before, likeliest.table, context)
    doubtful = tuple(
        index
        for index, tile in enumerate(reading.tiles)
        if tile.doubtful and not tile.sighting.locked_by_person and tile.runner_up != tile.label
    )
    names = [_other_names(reading.tiles[index], context.rules) for index in doubtful]
    turned: dict[int, set[str]] = {}
    certain = _faults(verdict)
    for other_names in _flips(doubtful, names, MOST_TABLES):
        other = judge(before, _with(reading, other_names), context)
        certain &= _faults(other)
        # A set of tiles that holds one which turns the verdict by itself says nothing new of the others in it.
        alone = len(other_names) == 1 or not turned.keys() & other_names.keys()
        if alone and _reasons(other) != _reasons(verdict):
            for index, name in other_names.items():
                turned.setdefault(index, set()).add(name)
    standing = tuple(violation for violation in verdict.violations if not turned or _fault(violation) in certain)
    if standing:
        less_certain = _legal_otherwise(before, reading, context)
        for index, name in less_certain.items():
            turned.setdefault(index, set()).add(name)
        standing = () if less_certain else standing
    further = sorted((at, name) for at, those in turned.items() for name in those - {reading.tiles[at].runner_up})
    return Weighed(likeliest, verdict, tuple(sorted(turned)), standing, names=tuple(further))


def _legal_otherwise(before: Table, reading: TableReading, context: TurnContext) -> Names:
    """Return the second likeliest names of one or two tiles less than certain that make the turn legal, or none."""
    less_certain = [
        index
        for index, tile in enumerate(reading.tiles)
        if tile.confidence < CERTAIN
        and not tile.sighting.locked_by_person
        # what is seen this clearly is a tile: without it many a fault would be gone
        and tile.runner_up not in (tile.label, NO_TILE_LABEL)
    ]
    asked = tuple(sorted(less_certain, key=lambda index: reading.tiles[index].confidence)[:MOST_LESS_CERTAIN])
    names = [(reading.tiles[index].runner_up,) for index in asked]
    flips = (flip for flip in _flips(asked, names, MOST_SECOND_LOOKS) if len(flip) <= 2)
    return next((flip for flip in flips if not judge(before, _with(reading, flip), context).violations), {})


def _with(reading: TableReading, names: Names) -> Table:
    """Return the table with some tiles taken for other names."""
    return laid(reading, names).table


def _other_names(tile: ReadTile, rules: RuleSet) -> tuple[str, ...]:
    """Return what else a tile may be: the runner-up, then what is likely at all, the likeliest first."""
    inks = inks_of(rules)
    log_probs = tile.sighting.log_probs
    order = [int(at) for at in np.argsort(-log_probs, kind="stable") if log_probs[at] > np.log(LIKELY)]
    names = dict.fromkeys((tile.runner_up, *(label_of(at, inks) for at in order)))
    return tuple(name for name in names if name != tile.label)


def _flips(tiles: tuple[int, ...], names: list[tuple[str, ...]], most: int) -> Iterator[dict[int, str]]:
    """Yield, `most` times at most, what to take tiles for.

    Each is taken alone for its first name, then each for its further names, then two together for their first ones,
    and so on.
    """
    ways = (
        ({index: own[0]} for index, own in zip(tiles, names, strict=True)),
        ({index: name} for index, own in zip(tiles, names, strict=True) for name in own[1:]),
        (
            {index: own[0] for index, own in together}
            for count in range(2, len(tiles) + 1)
            for together in combinations(list(zip(tiles, names, strict=True)), count)
        ),
    )
    yield from islice(chain.from_iterable(ways), most)


def _fault(violation: Violation) -> tuple[str, str, tuple[int, ...]]:
    return str(violation.code), str(violation.side), violation.melds


def _faults(verdict: Verdict) -> set[tuple[str, str, tuple[int, ...]]]:
    return {_fault(violation) for violation in verdict.violations}


def _reasons(verdict: Verdict) -> set[tuple[str, str]]:
    return {(str(violation.code), str(violation.side)) for violation in verdict.violations}
