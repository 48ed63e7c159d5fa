"""What a round counts: from what is left on the racks to what each player notes, by edition.

Points are whole numbers but where several winners share them; then they are exact fractions, so that plus still
equals minus.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, assert_never

from tilekeeper.engine.rules.policies import EmptyPoolScore, Lowest, TileValue
from tilekeeper.engine.rules.ruleset import RuleSet, Scoring
from tilekeeper.engine.tiles.tile import Tile

Points: TypeAlias = int | Fraction


@dataclass(frozen=True, slots=True)
class RackLeft:
    """What is left on a rack at the end of a round."""

    points: int
    """What the tiles count."""
    tiles: int
    """How many there are."""


@dataclass(frozen=True, slots=True)
class RoundScore:
    """What each player notes for a round, by seats."""

    points: tuple[Points, ...]
    """Points, or stars where stars are counted."""
    winners: tuple[int, ...]
    """Who has won the round; several where they share it."""
    zero_sum: bool
    """Whether plus must equal minus."""


def tile_points(tile: Tile, scoring: Scoring) -> int:
    """What a tile counts that is left on a rack."""
    if tile.number is None:
        return scoring.joker_points
    match scoring.tile_value:
        case TileValue.NUMBER:
            return tile.number
        case TileValue.ONE:
            return 1
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def rack_left(tiles: Iterable[Tile], scoring: Scoring) -> RackLeft:
    """What the tiles that are left on a rack count together."""
    points = [tile_points(tile, scoring) for tile in tiles]
    return RackLeft(sum(points), len(points))


def score_round(left: Sequence[RackLeft], out: int | None, rules: RuleSet) -> RoundScore:
    """What each player notes for a round that is counted in points.

    Args:
        left: what is left on each rack, by seats.
        out: the player who has emptied the rack; none where the pool was empty and the round ended without that.
        rules: the edition in play.

    Raises:
        ValueError: if the rack of the player who is out is not empty.
    """
    if out is not None:
        if left[out] != RackLeft(0, 0):
            raise ValueError(f"player {out} is out, but {left[out].tiles} tiles are left on that rack")
        return _losers_pay(left, (out,))
    winners = lowest_racks(left, rules.scoring)
    match rules.scoring.empty_pool:
        case EmptyPoolScore.ALL_MINUS:
            return RoundScore(tuple(-rack.points for rack in left), winners, zero_sum=False)
        case EmptyPoolScore.DIFFERENCES:
            own = left[winners[0]].points
            return _losers_pay([RackLeft(rack.points - own, rack.tiles) for rack in left], winners)
        case EmptyPoolScore.AS_USUAL:
            return _losers_pay(left, winners)
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def lowest_racks(left: Sequence[RackLeft], scoring: Scoring) -> tuple[int, ...]:
    """Who wins where nobody has emptied the rack; several where nothing decides between them."""

    def key(rack: RackLeft) -> tuple[int, int]:
        match scoring.lowest:
            case Lowest.SUM:
                return (rack.points, rack.tiles if scoring.fewer_tiles_win else 0)
            case Lowest.TILES:
                return (rack.tiles, rack.points)  # so that winners who share have equal sums
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)

    best = min(map(key, left))
    return tuple(player for player, rack in enumerate(left) if key(rack) == best)


def _losers_pay(left: Sequence[RackLeft], winners: tuple[int, ...]) -> RoundScore:
    """Losers note what they have as minus, and the winners share all of that as plus."""
    pot = sum(rack.points for player, rack in enumerate(left) if player not in winners)
    share = whole(Fraction(pot, len(winners)))
    return RoundScore(
        tuple(share if player in winners else -rack.points for player, rack in enumerate(left)), winners, zero_sum=True
    )


def whole(points: Points) -> Points:
    """The same points, as a whole number where they are one."""
    return int(points) if points == int(points) else points
