"""Random games: real tiles on real racks, and the events that people at a table would record.

The players are beginners. They lay tiles, regroup a little, swap jokers, run out of time, insist on illegal layouts,
forget the places of tiles, and undo events. The game decides what is legal; this module knows only the numbers of an
edition.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tests.support.random_moves import Mover
from tilekeeper.engine.game.events import (
    Dealt,
    GameStarted,
    LotsDrawn,
    Passed,
    RackShown,
    RedealClaimed,
    StarterChosen,
    TileDrawn,
    TilesLaid,
    TurnFailed,
)
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.state import EventRefused, Phase
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

_UNDONE = 0.003  # probability that an event is undone and recorded again
_MUDDLED = 0.04  # probability that a turn fails
_LATE = 0.02  # probability that a turn takes too long
_FORGOTTEN = 0.3  # probability that the places of tiles are forgotten after a failed turn
_LAZY = 0.1  # probability that a player who could lay draws


@dataclass(slots=True)
class Tiles:
    """The real places of all tiles, hidden from the ledger."""

    hands: list[list[Tile]]
    pool: list[Tile]


def whole_box(rules: RuleSet) -> list[Tile]:
    """Return every tile of the box of an edition."""
    stock = rules.stock
    plain = [Tile(ink, number) for ink in stock.inks for number in range(1, stock.numbers + 1)]
    return plain * stock.copies + [JOKER] * stock.jokers


def random_game(
    rng: random.Random,
    edition: str,
    rounds: int = 1,
    house: tuple[str, ...] = (),
    players: tuple[str, ...] = (),
    mishaps: bool = True,
) -> Iterator[tuple[Game, Tiles]]:
    """Play one game to its end, event by event.

    Args:
        rng: the source of chance.
        edition: the name of the edition.
        rounds: the number of rounds.
        house: house rules, as `GameStarted` takes them.
        players: the names of the players; empty for two to four players.
        mishaps: whether some turns fail or are undone.

    Yields:
        The game after each event, and the real tiles, which change with the game.
    """
    players = players or ("Ada", "Bo", "Cleo", "Dan")[: rng.randint(2, 4)]
    game = Game.start(GameStarted(players, edition, house, rounds))
    tiles = Tiles([[] for _ in players], [])
    mover = Mover(rng, game.state.rules)
    yield game, tiles
    while game.state.phase is not Phase.OVER:
        game = _next(rng, game, tiles, mover, mishaps)
        if mishaps and rng.random() < _UNDONE:
            game = game.undo().record(game.entries[-1])
        yield game, tiles


def _next(rng: random.Random, game: Game, tiles: Tiles, mover: Mover, mishaps: bool) -> Game:
    state = game.state
    match state.phase:
        case Phase.STARTER:
            if state.contenders and rng.random() < 0.8:
                return game.record(LotsDrawn(tuple(rng.sample(whole_box(state.rules), len(state.contenders)))))
            return game.record(StarterChosen(rng.randrange(len(state.players)), overruled=True))
        case Phase.DEAL:
            box = whole_box(state.rules)
            rng.shuffle(box)
            each = state.rules.setup.dealt
            tiles.hands = [[box.pop() for _ in range(each)] for _ in state.players]
            tiles.pool = box
            return game.record(Dealt())
        case Phase.TURNS:
            return _turn(rng, game, tiles, mover, mishaps)
        case _:
            play = state.round
            assert play is not None  # racks are shown at the end of a round
            player = next(at for at, seat in enumerate(play.seats) if seat.rack and seat.shown is None)
            return game.record(RackShown(player, tuple(tiles.hands[player])))


def _turn(rng: random.Random, game: Game, tiles: Tiles, mover: Mover, mishaps: bool) -> Game:
    play = game.state.round
    assert play is not None  # a turn belongs to a round
    hand = tiles.hands[play.turn]
    if not play.turns and game.state.redeal is None:
        for player, rack in enumerate(tiles.hands):
            if len(rack) - len(set(rack)) >= 3:
                return game.record(RedealClaimed(player, tuple(rack)))
    if mishaps and rng.random() < _MUDDLED:
        return _fail(rng, game, tiles, mover.muddle(play.table, hand))
    if rng.random() >= _LAZY:
        for table in mover.tables(play.table, hand, play.seats[play.turn].opened):
            after = _try_laying(rng, game, tiles, table, mishaps)
            if after is not None:
                return after
    return _lay_none(game, tiles)


def _try_laying(rng: random.Random, game: Game, tiles: Tiles, after: Table, mishaps: bool) -> Game | None:
    """Return the game after a turn; None if the judge refuses it."""
    play = game.state.round
    assert play is not None  # a turn belongs to a round
    limit_s = game.state.rules.turn.limit_s
    late = mishaps and limit_s is not None and rng.random() < _LATE
    seconds = None if limit_s is None else limit_s + 1.5 if late else rng.randint(1, limit_s)
    tried = game.record(TilesLaid(after, seconds))
    if late:
        return _move_tiles(game, tried, tiles)
    if tried.state.round is not None and tried.state.round.claim is not None:
        return None
    return _move_tiles(game, tried, tiles)


def _fail(rng: random.Random, game: Game, tiles: Tiles, laid: Table) -> Game:
    """Return the game after a failed turn; sometimes the places of tiles are forgotten."""
    time_up = game.state.rules.turn.limit_s is not None and rng.random() < 0.5
    failed = game.record(TurnFailed(laid, time_up))
    play, then = game.state.round, failed.state.round
    assert play is not None  # the turn belonged to a round
    assert then is not None
    if then.table.melds and then.table == play.table and rng.random() < _FORGOTTEN:
        lost = rng.randrange(len(then.table.melds))
        restored = Table(then.table.melds[:lost] + then.table.melds[lost + 1 :])
        failed = game.record(TurnFailed(laid, time_up, restored))
        if game.state.rules.penalty.forgotten_to_pool:
            tiles.pool[:0] = then.table.melds[lost]
        else:
            tiles.hands[play.turn] += then.table.melds[lost]
        tiles.hands[play.turn] += _draw_tiles(failed, tiles)
        return failed
    return _move_tiles(game, failed, tiles)


def _lay_none(game: Game, tiles: Tiles) -> Game:
    try:
        drawn = game.record(TileDrawn() if tiles.pool else Passed())
    except EventRefused:
        drawn = game.record(Passed())
    return _move_tiles(game, drawn, tiles)


def _move_tiles(before: Game, after: Game, tiles: Tiles) -> Game:
    """Move the real tiles like the tiles of the game."""
    play, then = before.state.round, after.state.round
    assert play is not None  # a turn belongs to a round
    assert then is not None
    hand = tiles.hands[play.turn]
    for tile in (then.table.counts - play.table.counts).elements():
        hand.remove(tile)
    hand += (play.table.counts - then.table.counts).elements()
    hand += _draw_tiles(after, tiles)
    return after


def _draw_tiles(game: Game, tiles: Tiles) -> list[Tile]:
    """Take the tiles out of the real pool that the ledger has drawn."""
    play = game.state.round
    assert play is not None  # a turn belongs to a round
    return [tiles.pool.pop() for _ in range(len(tiles.pool) - play.pool)]


def misplaced(game: Game, tiles: Tiles) -> Counter[Tile]:
    """Return tiles that are missing or doubled among the real tiles; empty if all is right."""
    box = Counter(whole_box(game.state.rules))
    table = game.state.round.table.counts if game.state.round is not None else Counter[Tile]()
    actual = table + Counter(tile for hand in tiles.hands for tile in hand) + Counter(tiles.pool)
    return (box - actual) + (actual - box)
