"""Before the first turn of a round: who begins, what each player takes, and when the tiles are dealt again."""

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
    """What each player should take, and what is left over."""

    each: int
    """How many tiles each player has."""
    stacks: tuple[int, ...]
    """The sizes of all stacks, the one to be drawn from first at the front; none where tiles are not stacked."""
    stacks_each: int
    """How many whole stacks each player pass_turn to the left neighbour."""
    loose_each: int
    """How many tiles each takes besides, where whole stacks are not enough, or are not built."""
    pool: int
    """How many tiles are left."""


def dealing(players: int, rules: RuleSet, lost: int = 0) -> Dealing:
    """The figures for dealing a round, with a box from which some tiles were lost.

    Raises:
        ValueError: if there are not as many tiles.
    """
    size, each, stack = rules.stock.size - lost, rules.setup.dealt, rules.setup.stack_size
    if players * each > size:
        raise ValueError(
            gettext(
                "{players} players with {each} tiles each need {needed}, and there are {size}",
                players=players,
                each=each,
                needed=players * each,
                size=size,
            )
        )
    if stack is None:
        return Dealing(each, (), 0, each, size - players * each)
    count, over = divmod(size, stack)
    return Dealing(each, (stack + over, *(stack,) * (count - 1)), each // stack, each % stack, size - players * each)


@dataclass(frozen=True, slots=True)
class Lots:
    """Drawing for who begins."""

    contenders: tuple[int, ...]
    """Those who draw now."""
    numbers: tuple[tuple[int, int], ...] = ()
    """Those who have drawn a number already and wait for the others, each with the number; 0 for a joker."""
    starter: int | None = None
    """Who begins, once that is found; nobody draws any more then."""

    def drawn(self, tiles: Sequence[Tile], joker: JokerDrawn | None) -> Lots:
        """What follows once every contender has drawn a tile; whoever shares the highest number draws again.

        Args:
            tiles: one for each contender, in their order.
            joker: what a joker is worth; where the edition does not say, it draws again.

        Raises:
            ValueError: if there are not as many tiles as contenders.
        """
        if len(tiles) != len(self.contenders):
            raise ValueError(
                gettext(
                    "{count} players draw, but there are {tiles} tiles",
                    count=len(self.contenders),
                    tiles=len(tiles),
                )
            )
        numbers, again = list(self.numbers), []
        for player, tile in zip(self.contenders, tiles, strict=True):
            if tile.number is not None:
                numbers.append((player, tile.number))
            elif joker is JokerDrawn.LOWEST:
                numbers.append((player, 0))
            else:
                again.append(player)
        if again:
            return Lots(tuple(again), tuple(numbers))
        highest = max(number for _, number in numbers)
        tied = tuple(sorted(player for player, number in numbers if number == highest))
        return Lots((), (), tied[0]) if len(tied) == 1 else Lots(tied)


def lots(players: int, setup: Setup) -> Lots:
    """Who draws first to find out who begins; nobody where the edition has no lots."""
    match setup.starter:
        case Starter.CHOSEN | Starter.HIGHEST_DRAWN:
            return Lots(tuple(range(players)))
        case Starter.OLDEST:
            return Lots(())
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def may_choose_starter(setup: Setup) -> bool:
    """Whether the players may say who begins."""
    return setup.starter is not Starter.HIGHEST_DRAWN


def pairs(rack: Sequence[Tile], setup: Setup) -> int:
    """How many pairs of identical tiles are on a rack, as a demand for a redeal counts them."""
    return sum(count // 2 for tile, count in Counter(rack).items() if setup.jokers_pair or not tile.is_joker)
