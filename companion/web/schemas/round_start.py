"""Answers about the start of a round: who begins, the deal, and the game for the youngest."""

from typing import Self

from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.text.lots import draw_again_words, undecided_lots
from tilekeeper.companion.web.schemas.answer import Answer
from tilekeeper.companion.web.schemas.tiles import TileJson
from tilekeeper.engine.game.setup import may_choose_starter, plan_dealing
from tilekeeper.engine.game.state import GameState
from tilekeeper.engine.language import ngettext
from tilekeeper.engine.rules.policies import Starter
from tilekeeper.engine.tiles.tile import Colour, Tile


class DealingJson(Answer):
    """What everybody takes before a round."""

    each: int
    stacks: list[int]
    """The sizes of all stacks, the one to be drawn from first at the front; empty where tiles are not stacked."""
    stacks_each: int
    loose_each: int
    pool: int
    stars: int | None
    """Star coins that each takes; null in editions without any."""

    @classmethod
    def from_state(cls, state: GameState) -> Self:
        """Return what everybody takes before the next round."""
        wanted = plan_dealing(len(state.present), state.rules, len(state.lost))
        return cls(
            each=wanted.each,
            stacks=list(wanted.stacks),
            stacks_each=wanted.stacks_each,
            loose_each=wanted.loose_each,
            pool=wanted.pool,
            stars=None if state.rules.stars is None else state.rules.stars.dealt,
        )


class StartingJson(Answer):
    """Finding out who begins, and the deal."""

    starter: int | None
    contenders: list[int]
    """Who draws a tile now; empty where no lots are drawn."""
    draws: int
    """How often lots were drawn for this round that decided nothing."""
    again: str
    """Who draws again and why, in words; empty where nobody has drawn yet."""
    may_choose: bool
    """Whether the players may say who begins; else that is an overrule."""
    oldest: bool
    """Whether the edition lets the oldest begin."""
    dealing: DealingJson
    redeal: str
    """What came of the last demand for a redeal, in words; empty where there was none."""

    @classmethod
    def from_recorded(cls, recorded: RecordedGame) -> Self:
        """Return how far the start of a round has come."""
        state = recorded.state
        return cls(
            starter=state.starter,
            contenders=list(state.contenders),
            draws=len(undecided_lots(recorded)),
            again=draw_again_words(recorded),
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
    """The first-acquaintance game."""

    leader: int | None
    done: list[list[TileJson]]
    run: list[TileJson]
    """The run that is searched for; empty while a tile is to be pointed at."""
    next: list[TileJson]
    """The tiles that would be right."""
    fault: str | None
    """What was wrong with the last tile: `other-colour`, `not-next` or `leader-found`."""

    @classmethod
    def from_state(cls, state: GameState) -> Self | None:
        """Return how far the first-acquaintance game has come; None where another is played."""
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
