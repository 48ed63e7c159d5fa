"""Answers about what was: past evenings with their results, standings, and the pictures of turns."""

from typing import Self

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.game_night.played_turns import PlayedTurn
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.standings import PlayerTotals
from tilekeeper.companion.session.past_evenings import PastEvening
from tilekeeper.companion.text.names import edition_words
from tilekeeper.companion.text.turns import tiles_stay, turn_words
from tilekeeper.companion.web.schemas.answer import DESCRIBED, Answer
from tilekeeper.companion.web.schemas.score_sheet import PointsJson, SheetJson
from tilekeeper.companion.web.schemas.tiles import TileJson
from tilekeeper.engine.rules.policies import Totals


class PastEveningJson(Answer):
    """What came of an evening."""

    id: str
    begun_at: str
    changed_at: str
    edition_name: str
    """What people call its box; empty where that can't be read."""
    players: list[str]
    rounds: int
    """How many were scored."""
    counts: str
    """`highest-total` or `rounds-won`."""
    totals: list[PointsJson]
    """By seats; empty where they can't be read."""
    winners: list[int]
    """The seats that lead, or led in the end; empty before the first scored round."""
    over: bool
    open: bool
    """Whether it is the one on the table now."""
    trouble: str
    """What is wrong with it, in words; else empty."""

    @classmethod
    def from_past(cls, past: PastEvening, on_table: str | None) -> Self:
        """Return what came of an evening; `on_table` is the id of the one that is played now."""
        sheet = None if past.result is None else past.result.sheet
        signed = sheet is not None and sheet.counts is Totals.HIGHEST_TOTAL
        return cls(
            id=past.id,
            begun_at=past.begun_at,
            changed_at=past.changed_at,
            edition_name="" if past.result is None else edition_words(past.result.edition),
            players=list(past.names),
            rounds=0 if sheet is None else len(sheet.rounds),
            counts=(Totals.HIGHEST_TOTAL if sheet is None else sheet.counts).value,
            totals=[] if sheet is None else [PointsJson.from_points(points, signed) for points in sheet.totals],
            winners=[] if sheet is None else list(sheet.leaders),
            over=past.over,
            open=past.id == on_table,
            trouble=past.trouble,
        )


class StandingJson(Answer):
    """What somebody has come to over all evenings in which a round was scored; the name as typed is the player."""

    name: str
    evenings: int
    evenings_won: int
    rounds: int
    rounds_won: int
    points: PointsJson
    """Of the evenings in which points decide."""
    turns: int
    laid: int
    """How many tiles were laid."""
    best: int
    """The most tiles in one turn."""
    average_s: float | None
    """How long a turn took in the mean; null where that is not known of any."""

    @classmethod
    def from_standing(cls, one: PlayerTotals) -> Self:
        """Return what somebody has come to."""
        return cls(
            name=one.name,
            evenings=one.evenings,
            evenings_won=one.evenings_won,
            rounds=one.rounds,
            rounds_won=one.rounds_won,
            points=PointsJson.from_points(one.points, signed=True),
            turns=one.turns,
            laid=one.laid,
            best=one.best,
            average_s=None if one.average_s is None else round(one.average_s, 1),
        )


@with_config(DESCRIBED)
class PastEveningsJson(TypedDict):
    """All kept evenings, the one that was played last at the front, and what they add up to."""

    evenings: list[PastEveningJson]
    standings: list[StandingJson]
    """Whoever has won most evenings at the front."""
    unread: int
    """How many evenings are still to be read, those of earlier versions: ask again for them."""


@with_config(DESCRIBED)
class EveningSheetJson(TypedDict):
    """The score sheet of an evening."""

    evening: PastEveningJson
    sheet: SheetJson | None
    """Null where it can't be read."""
    watch: bool
    """Whether there are pictures of its turns that whoever asks may see."""


class PicturedTurnJson(Answer):
    """A turn of which there is a picture."""

    player: int
    name: str
    text: str
    """Which turn it was and what was done, in a few words."""
    stands: bool | None
    """Whether what was laid stands; null where nothing was laid."""
    tiles: list[TileJson]
    """The tiles that were laid."""
    picture: str
    """Where the picture of the table after it is fetched."""

    @classmethod
    def from_turn(cls, turn: PlayedTurn, recorded: RecordedGame, pictures: str) -> Self:
        """Return a turn with its picture; `pictures` is the address below which they lie."""
        return cls(
            player=turn.player,
            name=recorded.state.players[turn.player],
            text=turn_words(turn),
            stands=tiles_stay(turn),
            tiles=[TileJson.from_tile(tile) for tile in turn.placed],
            picture=f"{pictures}/{turn.record.note.picture}.jpg",
        )


@with_config(DESCRIBED)
class PicturedTurnsJson(TypedDict):
    """The turns of an evening of which there are pictures, in their order."""

    turns: list[PicturedTurnJson]
