"""Answers about what was: past evenings with their results, standings, and the pictures of turns."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.game_night import PointsJson, SheetJson
from tilekeeper.companion.web.schemas.table import DESCRIBED, TileJson


@with_config(DESCRIBED)
class PastEveningJson(TypedDict):
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


@with_config(DESCRIBED)
class StandingJson(TypedDict):
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


@with_config(DESCRIBED)
class PicturedTurnJson(TypedDict):
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


@with_config(DESCRIBED)
class PicturedTurnsJson(TypedDict):
    """The turns of an evening of which there are pictures, in their order."""

    turns: list[PicturedTurnJson]
