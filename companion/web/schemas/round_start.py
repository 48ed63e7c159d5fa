"""Answers about the start of a round: who begins, the deal, and the first-acquaintance game."""

from typing import Self

from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.text.lots import draw_again_words, drawn_words, undecided_lots
from tilekeeper.companion.web.schemas.answer import Answer
from tilekeeper.companion.web.schemas.tiles import TileJson
from tilekeeper.engine.game.setup import may_choose_starter, plan_dealing
from tilekeeper.engine.game.state import GameState
from tilekeeper.engine.language import ngettext
from tilekeeper.engine.rules.policies import Starter
from tilekeeper.engine.tiles.tile import Colour, Tile


class DealingJson(Answer):
    """The deal of a round: how many tiles each player takes, and from which stacks."""

    each: int
    """How many tiles each player takes."""
    stacks: list[int]
    """The number of tiles in each stack, in the order in which players draw from them; empty without stacks."""
    stacks_each: int
    """How many whole stacks each player takes."""
    loose_each: int
    """How many single tiles each player takes besides whole stacks."""
    pool: int
    """How many tiles remain in the pool after the deal."""
    stars: int | None
    """The star coins that each player takes; null in editions without stars."""

    @classmethod
    def from_state(cls, state: GameState) -> Self:
        """Return the deal of the next round, for the players at the table and without the lost tiles."""
        dealing = plan_dealing(len(state.present), state.rules, len(state.lost))
        return cls(
            each=dealing.each,
            stacks=list(dealing.stacks),
            stacks_each=dealing.stacks_each,
            loose_each=dealing.loose_each,
            pool=dealing.pool,
            stars=None if state.rules.stars is None else state.rules.stars.dealt,
        )


class StartingJson(Answer):
    """The start of a round: who begins, and the deal."""

    starter: int | None
    """The seat of the player who begins; null until that is decided."""
    contenders: list[int]
    """The seats of the players who draw a lot next; empty if no lots are drawn."""
    draws: int
    """How many draws of lots in this round ended in a tie."""
    again: str
    """A sentence about who draws again and why; empty before the first tie."""
    drawn: str
    """The lots that decided who begins, in words; empty if nobody drew."""
    may_choose: bool
    """Whether the players may choose who begins; otherwise a choice is an overrule."""
    oldest: bool
    """Whether the edition lets the oldest player begin."""
    dealing: DealingJson
    redeal: str
    """The result of the last demand for a redeal, in words; empty if there was no demand."""

    @classmethod
    def from_recorded(cls, recorded: RecordedGame) -> Self:
        """Return the current state of the start of a round."""
        state = recorded.state
        return cls(
            starter=state.starter,
            contenders=list(state.contenders),
            draws=len(undecided_lots(recorded)),
            again=draw_again_words(recorded),
            drawn="" if state.starter is None else drawn_words(recorded),
            may_choose=may_choose_starter(state.rules.setup),
            oldest=state.rules.setup.starter is Starter.OLDEST,
            dealing=DealingJson.from_state(state),
            redeal="" if state.redeal is None else _redeal_words(state),
        )


def _redeal_words(state: GameState) -> str:
    assert state.redeal is not None  # there was a demand
    name, pairs = state.players[state.redeal.player], state.redeal.pairs
    if state.redeal.granted:
        return ngettext(
            "{name} showed {count} pair: mix the tiles again.",
            "{name} showed {count} pairs: mix the tiles again.",
            pairs,
            name=name,
        )
    return ngettext(
        "{name} showed {count} pair: that is not enough.",
        "{name} showed {count} pairs: that is not enough.",
        pairs,
        name=name,
    )


class FindingJson(Answer):
    """The state of the first-acquaintance game."""

    leader: int | None
    done: list[list[TileJson]]
    """The runs that are finished."""
    run: list[TileJson]
    """The run in progress; empty before the leader points at a tile."""
    next: list[TileJson]
    """The tiles that would continue the run."""
    fault: str | None
    """Why the last shown tile did not count: `other-colour`, `not-next` or `leader-found`; null if it counted."""

    @classmethod
    def from_state(cls, state: GameState) -> Self | None:
        """Return the state of the first-acquaintance game; None if another game is played."""
        finding = state.finding
        if finding is None:
            return None
        following: list[Tile] = []
        if finding.run:
            colour: Colour | None = finding.run[0].colour
            numbers = ((finding.run[0].number or 0) - 1, (finding.run[-1].number or 0) + 1)
            following = [Tile(colour, number) for number in numbers if number > 0]
        return cls(
            leader=finding.leader,
            done=[[TileJson.from_tile(tile) for tile in run] for run in finding.done],
            run=[TileJson.from_tile(tile) for tile in finding.run],
            next=[TileJson.from_tile(tile) for tile in following if state.rules.stock.copies_of(tile)],
            fault=None if finding.fault is None else str(finding.fault),
        )
