"""The buttons outside a turn: starter, lots, deal, racks and counts, the end, and the first-acquaintance game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import SystemRandom
from typing import Annotated, Any

from pydantic import Field

from tilekeeper.companion.game_night.action import GameNightAction
from tilekeeper.companion.game_night.fields import Count, SeatIndex, Tiles, TileText
from tilekeeper.companion.game_night.player_names import APP
from tilekeeper.companion.game_night.state import GameNightState, Press
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import (
    Dealt,
    Entry,
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
from tilekeeper.engine.game.game import effective_events
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.engine.tiles.words import capitalize, tile_words


class NextRound(GameNightAction):
    """Close the result of the last round on all pages (`evening.result` becomes false); the next round can begin.

    If the app drew the lots of the round before, it draws those of this round as well; undo takes that back.
    After the agreed time (`ends_at`) this ends the game night, as `starter`, `lots`, `app-draws` and `deal` do.
    """

    path = "next-round"

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state in which pages no longer show the result."""
        if not night.shows_result:
            raise Refused(gettext("No result of a round is on the screen now."))
        after = night.with_events([GameEnded()], press) if night.is_time_for_no_new_round(press) else night
        closed = replace(after, results_seen=len(night.state.sheet.rounds))
        return _with_drawn_lots(closed, press) if closed.state.contenders and _app_drew_lots(night) else closed


def _app_drew_lots(night: GameNightState) -> bool:
    """Return whether the app drew the lots when somebody was to begin for the last time."""
    records = night.recorded.records
    starts = [
        records[place]
        for place, event in effective_events(night.recorded.game.entries)
        if isinstance(event, LotsDrawn | StarterChosen)
    ]
    return bool(starts) and isinstance(starts[-1].entry, LotsDrawn) and starts[-1].note.by == APP


class ChooseStarter(GameNightAction):
    """Choose who begins the round."""

    path = "starter"
    player: SeatIndex
    overruled: bool = False
    """True if the players agreed on this player although the edition draws lots."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state in which this player begins."""
        return _lead_to_round(night, [StarterChosen(self.player, self.overruled)], press)


class DrawLots(GameNightAction):
    """Enter the lots: the tiles that the `contenders` drew. Players who tie for the best tile draw again."""

    path = "lots"
    tiles: Tiles
    """One tile of each contender in the order of the seats, in the notation and separated by spaces."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after the draw of lots."""
        return _lead_to_round(night, [LotsDrawn(parse_rack(self.tiles))], press)


class LetAppDraw(GameNightAction):
    """Let the app draw the lots: a tile of the box for each contender, and again while players tie."""

    path = "app-draws"

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with all the lots, up to those that decide."""
        return _with_drawn_lots(night, press)


def _with_drawn_lots(night: GameNightState, press: Press) -> GameNightState:
    game, box = night.recorded.game, night.state.rules.stock.tiles
    lots: list[LotsDrawn] = []
    while contenders := game.state.contenders:
        lots.append(LotsDrawn(tuple(SystemRandom().sample(box, len(contenders)))))
        game = game.record(lots[-1])
    if not lots:
        raise Refused(gettext("Nobody draws to find out who begins."))
    return _lead_to_round(night, lots, replace(press, by=APP))


class Deal(GameNightAction):
    """Report that all players have taken their tiles.

    The first turn begins; its clock is stopped until somebody starts it.
    """

    path = "deal"
    counts: Annotated[list[Count], Field(max_length=8)] | None = None
    """How many tiles each player took, by seat; null if all took the edition's number."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state at the start of the first turn, with the clock stopped."""
        return _lead_to_round(night, [Dealt(None if self.counts is None else tuple(self.counts))], press)


def _lead_to_round(night: GameNightState, events: Sequence[Entry], press: Press) -> GameNightState:
    """Return the state after events that lead to a round; after the agreed time the game night ends instead."""
    return night.with_events([GameEnded()] if night.is_time_for_no_new_round(press) else events, press)


class ClaimRedeal(GameNightAction):
    """Demand a redeal for a player who shows the dealt tiles that give the right to it, such as equal pairs."""

    path = "redeal"
    player: SeatIndex
    tiles: Tiles
    """The shown tiles in the notation; bars are ignored."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after the demand, which the engine grants or rejects by the edition's rules."""
        return night.with_events([RedealClaimed(self.player, parse_rack(self.tiles))], press, goes_on=True)


class ShowRack(GameNightAction):
    """Enter the tiles that remain on a rack at the end of a round; after the last rack the round is scored.

    Refused (409, `impossible-tiles`) if there would be more copies of a tile than the box has, unless `sure`.
    `details.places` lists all places where the tile was read.
    """

    path = "rack"
    player: SeatIndex
    tiles: Tiles
    """Tiles in the notation; bars are ignored, and an empty text is an empty rack."""
    sure: bool = False
    """True to accept more copies of a tile than the box has."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the tiles of the rack.

        Raises:
            Refused: if there would be more copies of a tile than the box has, unless `sure`. The details list all
                places where the tile was read, since each of these readings may be wrong.
        """
        rack = parse_rack(self.tiles)
        if not self.sure and night.state.phase is Phase.RACKS:
            refuse_impossible(night, self.player, rack)
        return night.with_events([RackShown(self.player, rack)], press)


def refuse_impossible(night: GameNightState, player: int, rack: tuple[Tile, ...]) -> None:
    """Raise `Refused` if with a player's rack there would be more copies of a tile than the box has."""
    play, ledger = night.round, night.recorded.game.ledger
    assert ledger is not None  # a round has been played
    racks: dict[int, tuple[Tile, ...]] = {
        at: tuple(seat.shown) for at, seat in enumerate(play.seats) if seat.shown is not None
    }
    racks[player] = rack
    counts = play.table.counts + Counter(tile for tiles in racks.values() for tile in tiles)
    wrong = [tile for tile in sorted(rack, key=lambda tile: tile.order) if counts[tile] > ledger.copies_of(tile)]
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
        message = gettext("{tile}: the box has none. Look at it again.", tile=capitalize(tile_words(tile)))
    else:
        message = gettext(
            "{tile} is there {count} times, but the box has only {copies}. Look at each of them again.",
            tile=capitalize(tile_words(tile)),
            count=len(places),
            copies=copies,
        )
    raise Refused(
        message,
        "impossible-tiles",
        {"tile": str(tile), "places": places},
    )


class SumRack(GameNightAction):
    """Enter only the points of the tiles that remain on a rack; after the last rack the round is scored."""

    path = "rack-points"
    player: SeatIndex
    points: Count
    """0 for an empty rack."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the points of the rack."""
        event = RackSummed(self.player, self.points) if self.points else RackShown(self.player, ())
        return night.with_events([event], press)


class CountRack(GameNightAction):
    """Correct how many tiles a player's rack has; 0 ends the round."""

    path = "rack-count"
    player: SeatIndex
    tiles: Count

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the corrected number of tiles."""
        return night.with_events([RackCounted(self.player, self.tiles)], press, goes_on=True)


class CountPool(GameNightAction):
    """Correct how many tiles the pool has."""

    path = "pool-count"
    tiles: Count

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the corrected number of tiles."""
        return night.with_events([PoolCounted(self.tiles)], press, goes_on=True)


class Point(GameNightAction):
    """Begin a run in the first-acquaintance game with the tile that the leader points at."""

    path = "point"
    tile: TileText

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with a run that begins with the tile."""
        return night.with_events([TilePointed(parse_single_tile(self.tile))], press)


class Find(GameNightAction):
    """Show a player's tile in the first-acquaintance game; if it continues the run, it counts."""

    path = "find"
    player: SeatIndex
    tile: TileText

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after the player showed the tile.

        A tile that does not count is no error: the state keeps the reason (`FindFault`).
        """
        return night.with_events([TileFound(self.player, parse_single_tile(self.tile))], press)


class End(GameNightAction):
    """End the game night; a round that is not scored yet does not count."""

    path = "end"

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after the end of the game night."""
        return night.with_events([GameEnded()], press)


def parse_rack(text: str) -> tuple[Tile, ...]:
    """Return the tiles of a text in the notation, in their order; bars are ignored, and an empty text has no tiles.

    Raises:
        NotationError: if the text can't be read.
    """
    return tuple(tile for meld in parse_table(text).melds for tile in meld)


def parse_single_tile(text: str) -> Tile:
    """Return the tile of a text in the notation that must have exactly one.

    Raises:
        NotationError: if the text can't be read.
        Refused: if the text has no tile or more than one.
    """
    tiles = parse_rack(text)
    if len(tiles) != 1:
        raise Refused(gettext("Enter one tile here, not {count}.", count=len(tiles)), "bad-table")
    return tiles[0]
