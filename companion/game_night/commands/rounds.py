"""What can be done between turns: who begins, the deal, racks at the end, counts, and the game for the youngest."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from tilekeeper.companion.game_night.state import GameNightState, Press
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import (
    Dealt,
    GameEnded,
    LotsDrawn,
    PoolCounted,
    RackCounted,
    RackShown,
    RackSummed,
    RedealClaimed,
    StarterChosen,
    TileFound,
    TilePointed,
)
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.tile import Tile


def next_round(night: GameNightState, press: Press) -> GameNightState:
    """The result of the last round has been looked at: go on to the next.

    Raises:
        Refused: where no result is shown.
    """
    if not night.shows_result:
        raise Refused(gettext("No result of a round is on the screen now."))
    return replace(night, results_seen=len(night.state.sheet.rounds))


def choose_starter(night: GameNightState, press: Press, player: int, overruled: bool = False) -> GameNightState:
    """The players say who begins; `overruled` where the edition has lots drawn for it."""
    return night.with_events([StarterChosen(player, overruled)], press)


def draw_lots(night: GameNightState, press: Press, tiles: str) -> GameNightState:
    """Each contender drew a tile, in the order of the seats."""
    return night.with_events([LotsDrawn(parse_rack(tiles))], press)


def deal(night: GameNightState, press: Press, counts: tuple[int, ...] | None = None) -> GameNightState:
    """Everybody has taken tiles: as many as the edition says, or other counts."""
    return night.with_events([Dealt(counts)], press)


def claim_redeal(night: GameNightState, press: Press, player: int, tiles: str) -> GameNightState:
    """A player shows the first tiles and demands that all be mixed again."""
    return night.with_events([RedealClaimed(player, parse_rack(tiles))], press, goes_on=True)


def show_rack(night: GameNightState, press: Press, player: int, tiles: str, sure: bool = False) -> GameNightState:
    """A player shows what is left on the rack; after the last one the round is scored.

    Raises:
        Refused: where more of a tile would be seen than the box holds, unless they are sure; the details name every
            place where it was read, since nobody can know which of the readings is wrong.
    """
    rack = parse_rack(tiles)
    if not sure and night.state.phase is Phase.RACKS:
        _refuse_impossible(night, player, rack)
    return night.with_events([RackShown(player, rack)], press)


def sum_rack(night: GameNightState, press: Press, player: int, points: int) -> GameNightState:
    """A player says what is left on the rack counts; none is an empty rack. After the last one the round is scored."""
    return night.with_events([RackSummed(player, points) if points else RackShown(player, ())], press)


def _refuse_impossible(night: GameNightState, player: int, rack: tuple[Tile, ...]) -> None:
    play, ledger = night.round, night.recorded.game.ledger
    assert ledger is not None  # a round has been played
    racks: dict[int, tuple[Tile, ...]] = {
        seat: tuple(shown.shown) for seat, shown in enumerate(play.seats) if shown.shown is not None
    }
    racks[player] = rack
    seen = play.table.counts + Counter(tile for tiles in racks.values() for tile in tiles)
    wrong = [tile for tile in sorted(rack, key=lambda tile: tile.order) if seen[tile] > ledger.copies_of(tile)]
    if not wrong:
        return
    tile = wrong[0]
    places: list[dict[str, Any]] = [
        {"where": "table", "player": None, "meld": place.meld, "position": place.position}
        for place, other in play.table.places()
        if other == tile
    ]
    places += [
        {"where": "rack", "player": seat, "meld": None, "position": position}
        for seat, tiles in sorted(racks.items())
        for position, other in enumerate(tiles)
        if other == tile
    ]
    copies = ledger.copies_of(tile)
    if copies <= 0:
        message = gettext("{tile} was read, but the box has none. Look at it again.", tile=tile)
    else:
        message = gettext(
            "{tile} was read {count} times, but the box has {copies}. Look at each of them again.",
            tile=tile,
            count=len(places),
            copies=copies,
        )
    raise Refused(
        message,
        "impossible-tiles",
        {"tile": str(tile), "places": places},
    )


def count_rack(night: GameNightState, press: Press, player: int, tiles: int) -> GameNightState:
    """Somebody counted the tiles on a rack."""
    return night.with_events([RackCounted(player, tiles)], press, goes_on=True)


def count_pool(night: GameNightState, press: Press, tiles: int) -> GameNightState:
    """Somebody counted the tiles in the pool."""
    return night.with_events([PoolCounted(tiles)], press, goes_on=True)


def point(night: GameNightState, press: Press, tile: str) -> GameNightState:
    """The one in charge points at a tile, in the first-acquaintance game."""
    return night.with_events([TilePointed(one_tile(tile))], press)


def find(night: GameNightState, press: Press, player: int, tile: str) -> GameNightState:
    """A player shows the tile that was searched for."""
    return night.with_events([TileFound(player, one_tile(tile))], press)


def end(night: GameNightState, press: Press) -> GameNightState:
    """The players get up."""
    return night.with_events([GameEnded()], press)


def parse_rack(text: str) -> tuple[Tile, ...]:
    """The tiles of a rack, in one or several rows, which mean nothing; none for an empty text.

    Raises:
        NotationError: if the text can't be read.
    """
    return tuple(tile for meld in parse_table(text).melds for tile in meld)


def one_tile(text: str) -> Tile:
    """One tile in the notation.

    Raises:
        NotationError: if the text can't be read.
        Refused: if it is not one.
    """
    tiles = parse_rack(text)
    if len(tiles) != 1:
        raise Refused(gettext("Enter one tile here, not {count}.", count=len(tiles)), "bad-table")
    return tiles[0]
