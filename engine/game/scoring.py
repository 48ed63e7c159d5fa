"""Scoring a round: the points of each player from the tiles left on the racks, by the rules of the edition.

Points are whole numbers. If several winners share points that can't be divided evenly, each gets an exact fraction, so
that the sum of all points stays 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, assert_never

from tilekeeper.engine.rules.policies import EmptyPoolScore, Lowest
from tilekeeper.engine.rules.ruleset import RuleSet, Scoring, tile_points
from tilekeeper.engine.tiles.tile import Tile

Points: TypeAlias = int | Fraction


@dataclass(frozen=True, slots=True)
class RackLeft:
    """The tiles left on a rack at the end of a round."""

    points: int
    """The sum of the points of these tiles."""
    tiles: int
    """The number of tiles."""


@dataclass(frozen=True, slots=True)
class RoundScore:
    """The score of a round, by seat."""

    points: tuple[Points, ...]
    """Points, or stars in editions with stars."""
    winners: tuple[int, ...]
    """The winners of the round; several if they share it."""
    zero_sum: bool
    """Whether the points must add up to 0."""
    unopened: tuple[int, ...] = ()
    """The players who never opened; empty if the turns of the round were not recorded."""


def rack_left(tiles: Iterable[Tile], scoring: Scoring) -> RackLeft:
    """Return the points and the number of tiles left on a rack."""
    points = [tile_points(tile, scoring) for tile in tiles]
    return RackLeft(sum(points), len(points))


def score_round(racks: Sequence[RackLeft], out: int | None, rules: RuleSet) -> RoundScore:
    """Score a round in points; `out` is the player who emptied the rack, None if nobody did.

    Raises:
        ValueError: if the rack of the player who is out is not empty.
    """
    if out is not None:
        if racks[out] != RackLeft(0, 0):
            raise ValueError(f"player {out} is out, but {racks[out].tiles} tiles are left on that rack")
        return _losers_pay(racks, (out,))
    winners = lowest_racks(racks, rules.scoring)
    match rules.scoring.empty_pool:
        case EmptyPoolScore.ALL_MINUS:
            return RoundScore(tuple(-rack.points for rack in racks), winners, zero_sum=False)
        case EmptyPoolScore.DIFFERENCES:
            lowest = racks[winners[0]].points
            return _losers_pay([RackLeft(rack.points - lowest, rack.tiles) for rack in racks], winners)
        case EmptyPoolScore.AS_USUAL:
            return _losers_pay(racks, winners)
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def lowest_racks(racks: Sequence[RackLeft], scoring: Scoring) -> tuple[int, ...]:
    """Return the winners of a round in which nobody emptied the rack; several if they tie."""

    def key(rack: RackLeft) -> tuple[int, int]:
        match scoring.lowest:
            case Lowest.SUM:
                return (rack.points, rack.tiles if scoring.fewer_tiles_win else 0)
            case Lowest.TILES:
                return (rack.tiles, rack.points)  # only players with equal sums share the win
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)

    best = min(map(key, racks))
    return tuple(player for player, rack in enumerate(racks) if key(rack) == best)


def _losers_pay(racks: Sequence[RackLeft], winners: tuple[int, ...]) -> RoundScore:
    """Return a score in which each loser loses the points on the rack, and the winners share the sum."""
    pot = sum(rack.points for player, rack in enumerate(racks) if player not in winners)
    share = simplify_points(Fraction(pot, len(winners)))
    return RoundScore(
        tuple(share if player in winners else -rack.points for player, rack in enumerate(racks)), winners, zero_sum=True
    )


def simplify_points(points: Points) -> Points:
    """Return points as an `int` if they are a whole number, else unchanged."""
    return int(points) if points == int(points) else points
