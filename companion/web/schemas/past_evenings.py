"""Answers about past game nights: results, standings, and the pictures of turns."""

from typing import Self

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.game_night.played_turns import PlayedTurn
from tilekeeper.companion.game_night.profiles import Animal, Profile
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
    """A stored game night with its result."""

    id: str
    begun_at: str
    changed_at: str
    edition_name: str
    """The name of the edition; empty if the game night can't be read."""
    players: list[str]
    rounds: int
    """The number of scored rounds."""
    counts: str
    """`highest-total` or `rounds-won`."""
    totals: list[PointsJson]
    """The totals by seat; empty if the game night can't be read."""
    winners: list[int]
    """The seats that have won, or that lead while the game night is not over; empty before the first scored round."""
    over: bool
    open: bool
    """Whether this is the game night in progress."""
    trouble: str
    """Why the game night can't be read, in words; empty if it can."""

    @classmethod
    def from_past(cls, past: PastEvening, on_table: str | None) -> Self:
        """Return the result of a game night; `on_table` is the id of the game night in progress."""
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
    """A player's totals over all game nights with a scored round.

    Players are identified by their names, letter by letter, unless a profile joins several names.
    """

    name: str
    colour: int | None
    """The number of the player's colour, from 0; null for none."""
    animal: Animal | None
    evenings: int
    evenings_won: int
    rounds: int
    rounds_won: int
    points: PointsJson
    """The sum of points over the game nights that are decided by points."""
    turns: int
    laid: int
    """The number of tiles laid."""
    best: int
    """The most tiles laid in one turn."""
    average_s: float | None
    """The average duration of a turn in seconds; null if no duration is known."""

    @classmethod
    def from_totals(cls, totals: PlayerTotals, profile: Profile) -> Self:
        """Return a player's totals."""
        return cls(
            name=totals.name,
            colour=profile.colour,
            animal=profile.animal,
            evenings=totals.evenings,
            evenings_won=totals.evenings_won,
            rounds=totals.rounds,
            rounds_won=totals.rounds_won,
            points=PointsJson.from_points(totals.points, signed=True),
            turns=totals.turns,
            laid=totals.laid,
            best=totals.best,
            average_s=None if totals.average_s is None else round(totals.average_s, 1),
        )


@with_config(DESCRIBED)
class PastEveningsJson(TypedDict):
    """All stored game nights, the last changed one first, and the standings over all of them."""

    evenings: list[PastEveningJson]
    standings: list[StandingJson]
    """The totals of each player; the player who has won the most game nights comes first."""
    unread: int
    """How many game nights still lack a computed result; repeat the request to get more."""


@with_config(DESCRIBED)
class EveningSheetJson(TypedDict):
    """The score sheet of a game night."""

    evening: PastEveningJson
    sheet: SheetJson | None
    """Null if the game night can't be read."""
    watch: bool
    """Whether there are pictures of the turns that this tablet may see."""


@with_config(DESCRIBED)
class SharedEveningJson(TypedDict):
    """A game night to share as text."""

    lines: str
    """Lines to paste: each player with the total and a row of coloured squares, one per turn."""
    bg_stats: str
    """A link that opens the game night as a play in the app BG Stats on this device."""


class PicturedTurnJson(Answer):
    """A turn that has a picture."""

    player: int
    name: str
    text: str
    """The turn's number and its result, in a few words."""
    stands: bool | None
    """Whether the laid tiles stayed on the table; null if the player laid none."""
    tiles: list[TileJson]
    """The laid tiles."""
    picture: str
    """The address of the picture of the table after the turn."""

    @classmethod
    def from_turn(cls, turn: PlayedTurn, recorded: RecordedGame, pictures: str) -> Self:
        """Return a turn with its picture; `pictures` is the address below which the pictures are."""
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
    """The turns of a game night that have pictures, in order."""

    turns: list[PicturedTurnJson]
