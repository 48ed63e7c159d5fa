"""Judges a turn under every likely reading, and finds the doubtful tiles on which the verdict turns.

All likely tables legal, or all illegal for the same reason: the verdict stands and nobody is asked. Otherwise
exactly the tiles that change it are named, and the faults that are there however they turn out. Where it needs what
something covers, it waits.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from tilekeeper.companion.laid import Laid, laid
from tilekeeper.companion.out_of_sight import OutOfSight
from tilekeeper.engine.judge import TurnContext, judge
from tilekeeper.engine.table import Table
from tilekeeper.engine.verdict import Verdict, Violation
from tilekeeper.vision.sighting import TableReading

# Two milliseconds a verdict: this many keep the answer well under a blink.
MOST_TABLES = 64


@dataclass(frozen=True, slots=True)
class Weighed:
    """The verdict on the likeliest table, and what speaks against it.

    Attributes:
        laid: the likeliest table.
        verdict: the verdict on it.
        unsure: indices of the reading's tiles on which the verdict turns; empty where it stands.
        certain: the violations that stand: all of them, or where it turns on tiles those of every likely reading.
        waits: whether it turns on what something covers, so that looking again is better than asking.
    """

    laid: Laid
    verdict: Verdict
    unsure: tuple[int, ...]
    certain: tuple[Violation, ...]
    waits: bool = False


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
    turned: set[int] = set()
    certain = _faults(verdict)
    for flipped in _flips(doubtful):
        other = judge(before, _with(reading, flipped), context)
        certain &= _faults(other)
        # A set of tiles that holds one which turns the verdict by itself says nothing new of the others in it.
        if not turned.intersection(flipped) and _reasons(other) != _reasons(verdict):
            turned.update(flipped)
    if not turned:
        return Weighed(likeliest, verdict, (), verdict.violations)
    standing = tuple(violation for violation in verdict.violations if _fault(violation) in certain)
    return Weighed(likeliest, verdict, tuple(sorted(turned)), standing)


def _with(reading: TableReading, flipped: tuple[int, ...]) -> Table:
    """Return the table with some tiles taken for their second likeliest name."""
    return laid(reading, {index: reading.tiles[index].runner_up for index in flipped}).table


def _flips(doubtful: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield which tiles to take for their second likeliest name: each alone, then two together, and so on."""
    left = MOST_TABLES
    for together in range(1, len(doubtful) + 1):
        for flipped in combinations(doubtful, together):
            if left == 0:
                return
            left -= 1
            yield flipped


def _fault(violation: Violation) -> tuple[str, str, tuple[int, ...]]:
    return str(violation.code), str(violation.side), violation.melds


def _faults(verdict: Verdict) -> set[tuple[str, str, tuple[int, ...]]]:
    return {_fault(violation) for violation in verdict.violations}


def _reasons(verdict: Verdict) -> set[tuple[str, str]]:
    return {(str(violation.code), str(violation.side)) for violation in verdict.violations}
