"""Events of a game, for event sourcing: values in an append-only list.

Players are numbered from 0, clockwise, in the order of `GameStarted.players`. The events of a turn do not name its
player, because that follows from the events before. Events record what happened; the fold
(`tilekeeper.engine.game.fold`) and the judge decide whether it was allowed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias, get_args

from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class GameStarted:
    """The game started; always the first event, and only once."""

    players: tuple[str, ...]
    """The names, clockwise."""
    edition: str
    """The name of the edition."""
    house: tuple[str, ...] = ()
    """House rules, each `"part.field=value"`."""
    rounds: int | None = None
    """The agreed number of rounds; None if it is open."""
    first_acquaintance: bool = False
    """Whether they play the first-acquaintance game, a search for face-up tiles."""
    leader: int | None = None
    """The player who leads that game; None if the leader does not play."""


@dataclass(frozen=True, slots=True)
class StarterChosen:
    """The players agreed on who begins, or the oldest begins."""

    player: int
    overruled: bool = False
    """Whether they agreed although the edition requires drawing lots."""


@dataclass(frozen=True, slots=True)
class LotsDrawn:
    """Each contender drew one tile to decide who begins; the tiles went back into the pool."""

    tiles: tuple[Tile, ...]
    """One for each contender, in the order of `GameState.contenders`."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """The players took their first tiles."""

    counts: tuple[int, ...] | None = None
    """The number of tiles of each player; None for the number in the rules."""


@dataclass(frozen=True, slots=True)
class RedealClaimed:
    """A player showed the first tiles and demanded a redeal."""

    player: int
    rack: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class TilesLaid:
    """The player in turn laid tiles and finished the turn; the table is as in `after`."""

    after: Table
    seconds: float | None = None
    """The length of the turn in seconds; None if it was not timed."""
    overruled: bool = False
    """Whether the players accepted the turn against the verdict."""


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """The time was up, or the player insisted on an illegal layout."""

    laid: Table
    """The table at that moment."""
    time_up: bool
    """Whether the time was up."""
    restored: Table | None = None
    """The table after tiles went back; None if it is as the rules require.

    Tiles that are missing from it are tiles whose place nobody remembered.
    """


@dataclass(frozen=True, slots=True)
class TileDrawn:
    """The player in turn drew tiles and laid none; the table is again as before the turn."""


@dataclass(frozen=True, slots=True)
class Passed:
    """The player in turn neither laid nor drew, because the pool was empty or the player had no star to pay."""

    can_lay: bool = False
    """Whether the player could have laid a tile."""


@dataclass(frozen=True, slots=True)
class TableCorrected:
    """The players corrected the recorded table between turns."""

    table: Table


@dataclass(frozen=True, slots=True)
class RackCounted:
    """Somebody counted the tiles on a rack, without seeing their faces."""

    player: int
    tiles: int


@dataclass(frozen=True, slots=True)
class PoolCounted:
    """Somebody counted the tiles in the pool."""

    tiles: int


@dataclass(frozen=True, slots=True)
class RackShown:
    """A player showed the rack after the last turn of a round."""

    player: int
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class RackSummed:
    """A player announced the points of the rack after the last turn of a round, without showing the tiles."""

    player: int
    points: int


@dataclass(frozen=True, slots=True)
class TilePointed:
    """The leader of the first-acquaintance game pointed at a tile; the players search for a run from there."""

    tile: Tile


@dataclass(frozen=True, slots=True)
class TileFound:
    """A player showed a tile as the next one of the run."""

    player: int
    tile: Tile


@dataclass(frozen=True, slots=True)
class TileLost:
    """A tile of the box was lost, broken, or never there."""

    tile: Tile | None = None
    """The tile; None if nobody knows, because it was face down."""
    player: int | None = None
    """The player whose rack it was on; None for the pool or the box."""


@dataclass(frozen=True, slots=True)
class TileReturned:
    """A lost tile was found and went into the pool."""

    tile: Tile | None = None
    """The tile; None for one that was lost without a name."""


@dataclass(frozen=True, slots=True)
class PlayerLeft:
    """A player left; the tiles of the rack go into the pool, and the coins into the bank."""

    player: int


@dataclass(frozen=True, slots=True)
class PlayerJoined:
    """A new player joined after the last seat, or a player who had left came back to the old seat."""

    name: str
    deals: bool = True
    """Whether the player takes tiles from the pool at once; otherwise the player waits for the next round."""


@dataclass(frozen=True, slots=True)
class PlayerOpened:
    """The players corrected whether a player has opened, as in a round that began without records."""

    player: int
    opened: bool = True


@dataclass(frozen=True, slots=True)
class TurnGiven:
    """The players corrected whose turn it is."""

    player: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game ended; a round that is not scored yet does not count."""


@dataclass(frozen=True, slots=True)
class Undone:
    """The last effective entries were undone, corrections included."""

    events: int = 1


@dataclass(frozen=True, slots=True)
class Corrected:
    """An earlier event was corrected; the events after it are replayed."""

    place: int
    """The index of the event in the list of all entries, from 0."""
    instead: Event
    """The right event."""


@dataclass(frozen=True, slots=True)
class Commanded:
    """The tournament hall sent a command, and the table carried it out.

    The events before this entry hold the effect of the command; this entry records who sent it and why. It changes no
    state and can't be undone or corrected.
    """

    command: str
    """The id of the command in the tournament hall."""
    kind: str
    """`seat`, `start`, `pause`, `resume` or `decide`."""
    by: str
    role: str
    """The role of the person who sent it, such as `arbiter`."""
    why: str = ""
    dispute: str = ""
    """The id of the dispute that was decided; empty without a dispute."""
    decision: str = ""
    """`stands`, `taken_back` or `time_given`; empty without a decision."""
    seconds: float | None = None
    """The extra time, in seconds."""
    round: int | None = None
    """The round of the tournament that the table was seated for."""


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
"""An event at the table."""

Entry: TypeAlias = Event | Undone | Corrected | Commanded
"""An entry of the list: an event, an undo, a correction, or a command of the tournament hall."""

ENTRIES_BY_NAME: Final[Mapping[str, type[Entry]]] = MappingProxyType(
    {re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower(): kind for kind in get_args(Entry)}
)
"""Each kind of entry by its name in a file: `tiles-laid` for `TilesLaid`."""
