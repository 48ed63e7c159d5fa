"""Answers about players' private pages."""

from typing import Literal, Self

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.game_night.own_phone import may_ask_about_opening, may_get_hint, may_hand_in
from tilekeeper.companion.game_night.state import GameNightState
from tilekeeper.companion.web.schemas.answer import DESCRIBED, Answer
from tilekeeper.companion.web.schemas.review import PossibleTurnJson
from tilekeeper.companion.web.schemas.score_sheet import PointsJson
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.policies import Totals
from tilekeeper.engine.solver.best_play import Play
from tilekeeper.engine.tiles.tile import Tile


@with_config(DESCRIBED)
class PrivateClockJson(TypedDict):
    """The clock of the player's turn."""

    running: bool
    left_s: float | None
    """The remaining seconds of the turn, negative once the time is up; null without a limit."""


class CountingJson(Answer):
    """The count of the player's rack at the end of a round."""

    round: int
    """The number to send with the count."""
    done: bool
    """Whether the player has handed in the rack."""
    again: bool
    """Whether the rack must be counted again, since all racks together had too many copies of a tile."""

    @classmethod
    def from_state(cls, night: GameNightState, player: int) -> Self | None:
        """Return the count; None if the player has nothing to count now."""
        if not may_hand_in(night, player):
            return None
        return cls(
            round=night.round.number,
            done=any(rack.player == player for rack in night.handed_in),
            again=player in night.to_recount,
        )


class OwnPointsJson(Answer):
    """The player's points after the scored rounds."""

    total: str
    place: int
    """The place, from 1; players with equal totals share one."""
    last: str
    """The points of the last scored round."""

    @classmethod
    def from_sheet(cls, sheet: ScoreSheet, player: int) -> Self | None:
        """Return the player's points; None before the first scored round."""
        if not sheet.rounds:
            return None
        totals, signed = sheet.totals, sheet.counts is Totals.HIGHEST_TOTAL
        return cls(
            total=PointsJson.from_points(totals[player], signed).text,
            place=1 + sum(total > totals[player] for total in totals),
            last=PointsJson.from_points(sheet.rounds[-1].points[player], signed).text,
        )


class PrivatePageJson(Answer):
    """The contents of a player's private page; it has nothing that other players do not know."""

    name: str
    players: list[str]
    """The names of all players, by seat."""
    playing: bool
    """Whether a turn of the page's game night is being played."""
    mine: bool
    """Whether it is the player's turn."""
    turn: str
    """A word for the turn, which is another one in each turn; empty if no turn is being played."""
    whose: str
    """The name of the player in turn; empty if no turn is being played."""
    clock: PrivateClockJson | None
    """The clock of the turn; null if it is not this player's turn."""
    rack: int | None
    """How many tiles the player's rack has by the ledger; null outside a round, and if the ledger is wrong."""
    points: OwnPointsJson | None
    """The player's points; null before the first scored round."""
    may_ask: bool
    """Whether the player may ask "Can I open?": during turns, until the player has opened."""
    opening_points: int
    may_get_hint: bool
    """Whether the player may ask "What can I lay?"."""
    counting: CountingJson | None
    """The count of the player's rack at the end of a round; null if there is nothing to count."""

    @classmethod
    def without_game_night(cls) -> Self:
        """Return the contents while the page's game night is not played."""
        return cls(
            name="",
            players=[],
            playing=False,
            mine=False,
            turn="",
            whose="",
            clock=None,
            rack=None,
            points=None,
            may_ask=False,
            opening_points=0,
            may_get_hint=False,
            counting=None,
        )

    @classmethod
    def from_state(cls, night: GameNightState, player: int, now_s: float) -> Self:
        """Return the contents of a player's page."""
        state, play = night.state, night.state.round
        plays_turns = state.phase is Phase.TURNS and play is not None
        page = cls.without_game_night().model_copy(
            update={
                "name": state.players[player],
                "players": list(state.players),
                "points": OwnPointsJson.from_sheet(state.sheet, player),
                "counting": CountingJson.from_state(night, player),
            }
        )
        if play is None or state.phase not in (Phase.TURNS, Phase.RACKS):
            return page
        rack = play.seats[player].rack
        page = page.model_copy(update={"rack": rack if rack >= 0 and not play.seats[player].away else None})
        if not plays_turns:
            return page
        mine, left_s = play.turn == player, night.clock.left(now_s)
        clock: PrivateClockJson = {
            "running": night.clock.running,
            "left_s": None if left_s is None else round(left_s, 2),
        }
        return page.model_copy(
            update={
                "playing": True,
                "mine": mine,
                "turn": f"{play.number}-{len(play.turns)}",
                "whose": state.players[play.turn],
                "clock": clock if mine else None,
                "may_ask": may_ask_about_opening(night, player),
                "opening_points": state.rules.opening.minimum_points,
                "may_get_hint": may_get_hint(night, player),
            }
        )


class HintJson(Answer):
    """What the player can lay."""

    turn: PossibleTurnJson | None
    """The best turn that was found; null if none was found."""
    text: str
    """The answer in one sentence."""

    @classmethod
    def from_play(cls, play: Play | None, night: GameNightState, rack: tuple[Tile, ...]) -> Self:
        """Return the answer to a player in turn."""
        if play is None:
            return cls(turn=None, text=gettext("The app found nothing to lay."))
        turn = PossibleTurnJson.from_hint(play, night.round, rack, night.context())
        return cls(turn=turn, text=turn.text)


@with_config(DESCRIBED)
class AdviceJson(TypedDict):
    """Whether the tiles on the rack can make an opening."""

    answer: Literal["yes", "no", "unsure"]
    seen: int
    """How many tiles were read in the picture."""
    tiles: int
    """How many tiles the rack has by the ledger; below 0 if the ledger is wrong."""


@with_config(DESCRIBED)
class PrivateLinkJson(TypedDict):
    """A link to a player's private page."""

    player: int
    phones: int
    """How many phones show the page now."""
    address: str | None
    """The link to open on the player's phone within 15 minutes; null if no link was made."""
    qr: str | None
    """The link as a QR code, in a data URL (`data:image/svg+xml,…`); null if no link was made."""
