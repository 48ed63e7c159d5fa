"""The events of a game: immutable values, which a game keeps in a list that only grows.

Players are numbered from 0, clockwise, in the order of `GameStarted.players`. The events of a turn do not name its
player, who follows from the events before. Events record what happened; `tilekeeper.engine.game.fold` and the judge
decide whether it was allowed.
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
    """The house rules, each written as `"part.field=value"`."""
    rounds: int | None = None
    """The agreed number of rounds; None if it is open."""
    first_acquaintance: bool = False
    """Whether the players play the first-acquaintance game, a search among face-up tiles."""
    leader: int | None = None
    """The player who leads the first-acquaintance game; None if the leader does not play."""


@dataclass(frozen=True, slots=True)
class StarterChosen:
    """The players agreed on who begins, or the oldest player begins."""

    player: int
    overruled: bool = False
    """Whether the players agreed although the edition requires drawing lots."""


@dataclass(frozen=True, slots=True)
class LotsDrawn:
    """Each contender drew one tile to decide who begins; the tiles went back into the pool."""

    tiles: tuple[Tile, ...]
    """The tile of each contender, in the order of `GameState.contenders`."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """The players took their first tiles."""

    counts: tuple[int, ...] | None = None
    """The number of tiles that each player took; None if each took as many as the rules say."""


@dataclass(frozen=True, slots=True)
class RedealClaimed:
    """A player showed the first tiles and demanded a redeal."""

    player: int
    rack: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class TilesLaid:
    """The player in turn laid tiles and finished the turn."""

    after: Table
    """The table at the end of the turn."""
    seconds: float | None = None
    """The length of the turn in seconds; None if it was not timed."""
    overruled: bool = False
    """Whether the players accepted the turn against the verdict."""


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """The player in turn took too long, or insisted on an illegal layout."""

    laid: Table
    """The table when the turn failed, before tiles went back."""
    time_up: bool
    """Whether the player took too long."""
    restored: Table | None = None
    """The table after tiles went back; None if it is as the rules require.

    A tile that the rules require on the table and that is missing here is one whose place nobody remembered.
    """


@dataclass(frozen=True, slots=True)
class TileDrawn:
    """The player in turn drew tiles and laid none; the table is as it was before the turn."""


@dataclass(frozen=True, slots=True)
class Passed:
    """The player in turn neither laid nor drew, because the pool was empty or the player had no star to pay."""

    can_lay: bool = False
    """Whether the player could have laid a tile; `can_play` tells it for a known rack. Refused by `ending.must_lay`."""


@dataclass(frozen=True, slots=True)
class TableCorrected:
    """The players corrected the record of the table at the start of the current turn."""

    table: Table
    """The right table."""


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
    """A player showed the tiles left on the rack after the last turn of a round."""

    player: int
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class RackSummed:
    """A player announced the points of the tiles left on the rack after a round, without showing the tiles."""

    player: int
    points: int


@dataclass(frozen=True, slots=True)
class TilePointed:
    """The leader of the first-acquaintance game pointed at a tile; the players look for the next tiles of its run."""

    tile: Tile


@dataclass(frozen=True, slots=True)
class TileFound:
    """A player showed a tile as the next one of the run."""

    player: int
    tile: Tile


@dataclass(frozen=True, slots=True)
class TileLost:
    """A tile of the box was lost or broke, or was found never to have been in the box."""

    tile: Tile | None = None
    """The tile; None if nobody knows which tile it was, because it was face down."""
    player: int | None = None
    """The player from whose rack the tile was lost; None if it was in the pool or in the box."""


@dataclass(frozen=True, slots=True)
class TileReturned:
    """A lost tile was found and went into the pool."""

    tile: Tile | None = None
    """The tile; None if it was recorded as lost without being known."""


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
    """The last events and corrections were undone; events that had been undone already do not count."""

    events: int = 1
    """The number of events and corrections that were undone, 1 or more."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """An earlier event was replaced by a corrected one; the events after it are replayed."""

    place: int
    """The index of the event in the list of all entries, from 0."""
    instead: Event
    """The event that replaces it."""


@dataclass(frozen=True, slots=True)
class Commanded:
    """The tournament hall sent a command, and the table carried it out.

    The events before this entry hold the effect of the command; this entry records who sent it and why. It changes no
    state and can't be undone or corrected.
    """

    command: str
    """The id of the command in the tournament hall."""
    kind: str
    """`seat`, `start`, `pause`, `resume`, `time` or `decide`."""
    by: str
    role: str
    """The role of the person who sent it, such as `arbiter`."""
    why: str = ""
    dispute: str = ""
    """The id of the dispute that was decided; empty without a dispute."""
    decision: str = ""
    """`stands`, `taken_back`, `time_given` or `goes_on`; empty without a decision."""
    seconds: float | None = None
    """The extra time, in seconds."""
    round: int | None = None
    """The round of the tournament for which the players were seated; None for other commands."""


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
"""The class of each entry, by its name in a file: `tiles-laid` for `TilesLaid`."""
