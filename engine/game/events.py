"""Events: everything that can happen in an evening's game, as values that are only ever added to a list.

Seats are numbered from 0, clockwise in the order in which `GameStarted` names the players. A turn's events do not say
whose turn it is, since that follows from the events before. Events record what happened; the fold
(`tilekeeper.engine.game.fold`) and the judge decide whether it was allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class GameStarted:
    """People sat down to play; always the first event, and the first only."""

    players: tuple[str, ...]
    """Their names, clockwise."""
    edition: str
    """The edition's key."""
    house: tuple[str, ...] = ()
    """House rules on top of it, each `"part.field=value"`."""
    rounds: int | None = None
    """Over how many rounds they agreed to play; none where they will see."""
    first_acquaintance: bool = False
    """Whether they play the game in which tiles that lie face up are searched for."""
    leader: int | None = None
    """The player in charge of that; none where it is somebody who does not play."""


@dataclass(frozen=True, slots=True)
class StarterChosen:
    """The player who begins was agreed upon, or is the oldest."""

    player: int
    overruled: bool = False
    """Whether it was agreed although the edition has lots drawn."""


@dataclass(frozen=True, slots=True)
class LotsDrawn:
    """Each of those who might begin drew one tile to find out who does; the tiles went back and were mixed."""

    tiles: tuple[Tile, ...]
    """One for each contender, in the order of the seats (`GameState.contenders`)."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """Everybody took the tiles to begin with."""

    counts: tuple[int, ...] | None = None
    """How many each player took; none where it was as many as the edition says."""


@dataclass(frozen=True, slots=True)
class RedealClaimed:
    """A player showed the first tiles and demanded that all be mixed again."""

    player: int
    rack: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class TilesLaid:
    """The player whose turn it is says that the turn is done, and this is how the table lies."""

    after: Table
    seconds: float | None = None
    """How long the turn took; none where it was not timed."""
    overruled: bool = False
    """Whether the players accept the turn against the verdict."""


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """The time was up, or the player stands by a wrong layout."""

    laid: Table
    """How the table lay then."""
    time_up: bool
    """Whether the time was up."""
    restored: Table | None = None
    """How it lies after tiles went back; none where it lies as the rules want it.

    Tiles that the rules want on the table and that do not lie there are those whose place nobody remembered.
    """


@dataclass(frozen=True, slots=True)
class TileDrawn:
    """The player whose turn it is drew instead of laying; whatever was tried lies again as it lay before."""


@dataclass(frozen=True, slots=True)
class Passed:
    """The player whose turn it is neither laid nor drew, since there was nothing to draw or to pay with."""

    can_lay: bool = False
    """Whether the player could have laid a tile."""


@dataclass(frozen=True, slots=True)
class TableCorrected:
    """Between turns the table turned out to lie otherwise than recorded."""

    table: Table


@dataclass(frozen=True, slots=True)
class RackCounted:
    """Somebody counted the tiles on a rack, their backs to be seen."""

    player: int
    tiles: int


@dataclass(frozen=True, slots=True)
class PoolCounted:
    """Somebody counted the tiles in the pool."""

    tiles: int


@dataclass(frozen=True, slots=True)
class RackShown:
    """After the last turn of a round a player showed what is left on the rack."""

    player: int
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class RackSummed:
    """After the last turn of a round a player said what the tiles left on the rack count, and showed none of them."""

    player: int
    points: int


@dataclass(frozen=True, slots=True)
class TilePointed:
    """The one in charge pointed at a tile from which a run is to be searched for, in the first-acquaintance game."""

    tile: Tile


@dataclass(frozen=True, slots=True)
class TileFound:
    """A player showed a tile as the one searched for."""

    player: int
    tile: Tile


@dataclass(frozen=True, slots=True)
class TileLost:
    """A tile is in the box no more: it fell down a crack, broke, or was never there."""

    tile: Tile | None = None
    """Which; none where nobody knows, since it lay face down."""
    player: int | None = None
    """From whose rack; none where it was in the pool, or the box."""


@dataclass(frozen=True, slots=True)
class TileReturned:
    """A tile that was lost is there again, and goes into the pool."""

    tile: Tile | None = None
    """Which; none for one of which nobody knew."""


@dataclass(frozen=True, slots=True)
class PlayerLeft:
    """A player went home; the tiles on the rack go into the pool, the coins into the bank."""

    player: int


@dataclass(frozen=True, slots=True)
class PlayerJoined:
    """Somebody came late, and sits down after the last seat; or one who had left comes back to their own."""

    name: str
    deals: bool = True
    """Whether tiles are taken from the pool at once; otherwise the player waits for the next round."""


@dataclass(frozen=True, slots=True)
class PlayerOpened:
    """It turned out that a player had opened already, or had not, as in a round that began without records."""

    player: int
    opened: bool = True


@dataclass(frozen=True, slots=True)
class TurnGiven:
    """It turned out to be another player's turn."""

    player: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The players got up; a round that is not scored yet counts for nothing."""


@dataclass(frozen=True, slots=True)
class Undone:
    """The last events that still hold were taken back, corrections among them."""

    events: int = 1


@dataclass(frozen=True, slots=True)
class Corrected:
    """An earlier event was recorded wrongly; what came after it is replayed."""

    place: int
    """Which, as an index from 0 into the list of all events."""
    instead: Event
    """What should have been recorded."""


@dataclass(frozen=True, slots=True)
class Commanded:
    """The hall that the table plays in told it something, and the table obeyed.

    What that did to the game are events before it; this says who wanted it and why. It changes nothing by itself, is
    not taken back, and nothing stands in its place.
    """

    command: str
    """By which the hall knows it."""
    kind: str
    """`seat`, `start`, `pause`, `resume` or `decide`."""
    by: str
    role: str
    """As what they were signed in, such as `arbiter`."""
    why: str = ""
    dispute: str = ""
    """What was decided about, by which the hall knows it; empty where nothing was."""
    decision: str = ""
    """`stands`, `taken_back` or `time_given`; empty where nothing was decided."""
    seconds: float | None = None
    """How much time was given."""
    round: int | None = None
    """Which round of the hall the table was seated for."""


Event: TypeAlias = (
    GameStarted
    | StarterChosen
    | LotsDrawn
    | Dealt
    | RedealClaimed
    | TilesLaid
    | TurnFailed
    | TileDrawn
    | Passed
    | TableCorrected
    | RackCounted
    | PoolCounted
    | RackShown
    | RackSummed
    | TilePointed
    | TileFound
    | TileLost
    | TileReturned
    | PlayerLeft
    | PlayerJoined
    | PlayerOpened
    | TurnGiven
    | GameEnded
)
"""What happened at the table."""

Entry: TypeAlias = Event | Undone | Corrected | Commanded
"""An entry of the list: an event, a correction of earlier ones, or what the hall wanted."""

ENTRIES_BY_NAME: Final[Mapping[str, type[Entry]]] = MappingProxyType(
    {
        "game-started": GameStarted,
        "starter-chosen": StarterChosen,
        "lots-drawn": LotsDrawn,
        "dealt": Dealt,
        "redeal-claimed": RedealClaimed,
        "tiles-laid": TilesLaid,
        "turn-failed": TurnFailed,
        "tile-drawn": TileDrawn,
        "passed": Passed,
        "table-corrected": TableCorrected,
        "rack-counted": RackCounted,
        "pool-counted": PoolCounted,
        "rack-shown": RackShown,
        "rack-summed": RackSummed,
        "tile-pointed": TilePointed,
        "tile-found": TileFound,
        "tile-lost": TileLost,
        "tile-returned": TileReturned,
        "player-left": PlayerLeft,
        "player-joined": PlayerJoined,
        "player-opened": PlayerOpened,
        "turn-given": TurnGiven,
        "game-ended": GameEnded,
        "undone": Undone,
        "corrected": Corrected,
        "commanded": Commanded,
    }
)
"""The names under which entries are written down."""
