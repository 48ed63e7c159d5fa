"""The setup of a round: drawing lots, numbers of tiles to deal, and pairs for a redeal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.policies import JokerDrawn, Starter
from tilekeeper.engine.rules.ruleset import RuleSet, Setup
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class Dealing:
    """How to deal: the numbers of tiles and stacks of tiles."""

    each: int
    """The number of tiles that each player gets."""
    stacks: tuple[int, ...]
    """The sizes of all stacks; players draw from the first one. Empty if the edition has no stacks."""
    stacks_each: int
    """The number of whole stacks that each player passes to the left neighbour."""
    loose_each: int
    """The number of single tiles that each player takes after the stacks."""
    pool: int
    """The number of tiles in the pool after the deal."""


def plan_dealing(players: int, rules: RuleSet, lost: int = 0) -> Dealing:
    """Return how many tiles, and stacks of tiles, to deal; `lost` tiles are missing from the box.

    Raises:
        ValueError: if the box has too few tiles.
    """
    size, each, stack = rules.stock.size - lost, rules.setup.dealt, rules.setup.stack_size
    if players * each > size:
        raise ValueError(
            gettext(
                "{players} players with {each} tiles each need {needed}, but there are only {size}",
                players=players,
                each=each,
                needed=players * each,
                size=size,
            )
        )
    if stack is None:
        return Dealing(each, (), 0, each, size - players * each)
    count, rest = divmod(size, stack)
    return Dealing(each, (stack + rest, *(stack,) * (count - 1)), each // stack, each % stack, size - players * each)


@dataclass(frozen=True, slots=True)
class Lots:
    """The state of drawing lots, one tile by each contender, to decide who begins."""

    contenders: tuple[int, ...]
    """The players who draw now."""
    numbers: tuple[tuple[int, int], ...] = ()
    """The players who have drawn and wait for the others, each with the number drawn; 0 for a joker."""
    starter: int | None = None
    """The player who begins; None while that is open."""

    def draw(self, tiles: Sequence[Tile], joker: JokerDrawn | None) -> Lots:
        """Return the lots after every contender has drawn a tile; players who tie for the highest number draw again.

        Args:
            tiles: the tile of each contender, in the order of `contenders`.
            joker: what a joker counts; with None its player draws again.

        Raises:
            ValueError: if the number of tiles differs from the number of contenders.
        """
        if len(tiles) != len(self.contenders):
            raise ValueError(
                gettext(
                    "{count} players draw, but there are only {tiles} tiles",
                    count=len(self.contenders),
                    tiles=len(tiles),
                )
            )
        numbers, joker_drawers = list(self.numbers), []
        for player, tile in zip(self.contenders, tiles, strict=True):
            if tile.number is not None:
                numbers.append((player, tile.number))
            elif joker is JokerDrawn.LOWEST:
                numbers.append((player, 0))
            else:
                joker_drawers.append(player)
        if joker_drawers:
            return Lots(tuple(joker_drawers), tuple(numbers))
        highest = max(number for _, number in numbers)
        tied = tuple(sorted(player for player, number in numbers if number == highest))
        return Lots((), (), tied[0]) if len(tied) == 1 else Lots(tied)


def start_lots(players: int, setup: Setup) -> Lots:
    """Return the lots before the first draw; without contenders if the edition has no lots."""
    match setup.starter:
        case Starter.CHOSEN | Starter.HIGHEST_DRAWN:
            return Lots(tuple(range(players)))
        case Starter.OLDEST:
            return Lots(())
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def may_choose_starter(setup: Setup) -> bool:
    """Return whether the players may choose who begins."""
    return setup.starter is not Starter.HIGHEST_DRAWN


def count_pairs(rack: Sequence[Tile], setup: Setup) -> int:
    """Return the number of pairs of identical tiles on a rack; two jokers are a pair only if the edition says so."""
    return sum(count // 2 for tile, count in Counter(rack).items() if setup.jokers_pair or not tile.is_joker)
