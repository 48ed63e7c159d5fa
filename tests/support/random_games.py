"""Plays random games to their end: real tiles on real racks, and the events that people at the table would record.

The players are no masters. They lay what they find, regroup a little, swap jokers, run out of time, stand by wrong
layouts, forget where tiles lay, and take events back. Whatever they try, the game decides what holds; nothing here
knows the rules of an edition beyond its numbers.
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

_TAKEN_BACK = 0.003  # how likely an event is recorded, taken back and recorded again
_MUDDLED = 0.04  # how likely a turn goes wrong for good
_LATE = 0.02  # how likely a turn lasts too long
_FORGOTTEN = 0.3  # how likely a place is forgotten where tiles must go back
_LAZY = 0.1  # how likely a player who could lay does not


@dataclass(slots=True)
class Tiles:
    """Where the tiles really are, which no ledger sees."""

    hands: list[list[Tile]]
    pool: list[Tile]


def whole_box(rules: RuleSet) -> list[Tile]:
    """Every tile of the edition's box."""
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
        rng: where all chance comes from.
        edition: the edition's key.
        rounds: how many rounds are played.
        house: house rules, as `GameStarted` takes them.
        players: who plays; two to four at random where nobody is named.
        mishaps: whether turns go wrong for good now and then, or are taken back.

    Yields:
        The game after each event, and where the tiles are then; the second is changed as the game goes on.
    """
    players = players or ("Ada", "Bo", "Cleo", "Dan")[: rng.randint(2, 4)]
    game = Game.start(GameStarted(players, edition, house, rounds))
    tiles = Tiles([[] for _ in players], [])
    mover = Mover(rng, game.state.rules)
    yield game, tiles
    while game.state.phase is not Phase.OVER:
        game = _next(rng, game, tiles, mover, mishaps)
        if mishaps and rng.random() < _TAKEN_BACK:
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
            assert play is not None  # racks are shown at the end of one
            player = next(at for at, seat in enumerate(play.seats) if seat.rack and seat.shown is None)
            return game.record(RackShown(player, tuple(tiles.hands[player])))


def _turn(rng: random.Random, game: Game, tiles: Tiles, mover: Mover, mishaps: bool) -> Game:
    play = game.state.round
    assert play is not None  # a turn is played in one
    hand = tiles.hands[play.turn]
    if not play.turns and game.state.redeal is None:
        for player, rack in enumerate(tiles.hands):
            if len(rack) - len(set(rack)) >= 3:
                return game.record(RedealClaimed(player, tuple(rack)))
    if mishaps and rng.random() < _MUDDLED:
        return _fail(rng, game, tiles, mover.muddled(play.table, hand))
    if rng.random() >= _LAZY:
        for table in mover.tables(play.table, hand, play.seats[play.turn].opened):
            after = _lay(rng, game, tiles, table, mishaps)
            if after is not None:
                return after
    return _lay_none(game, tiles)


def _lay(rng: random.Random, game: Game, tiles: Tiles, after: Table, mishaps: bool) -> Game | None:
    """The game after a turn, or none where the judge does not let it stand."""
    play = game.state.round
    assert play is not None  # a turn is played in one
    limit_s = game.state.rules.turn.limit_s
    late = mishaps and limit_s is not None and rng.random() < _LATE
    seconds = None if limit_s is None else limit_s + 1.5 if late else rng.randint(1, limit_s)
    tried = game.record(TilesLaid(after, seconds))
    if late:
        return _moved(game, tried, tiles)
    if tried.state.round is not None and tried.state.round.claim is not None:
        return None
    return _moved(game, tried, tiles)


def _fail(rng: random.Random, game: Game, tiles: Tiles, laid: Table) -> Game:
    """The game after a turn that went wrong, with places forgotten now and then."""
    time_up = game.state.rules.turn.limit_s is not None and rng.random() < 0.5
    failed = game.record(TurnFailed(laid, time_up))
    play, then = game.state.round, failed.state.round
    assert play is not None  # the turn was played in one
    assert then is not None
    if then.table.melds and then.table == play.table and rng.random() < _FORGOTTEN:
        lost = rng.randrange(len(then.table.melds))
        restored = Table(then.table.melds[:lost] + then.table.melds[lost + 1 :])
        failed = game.record(TurnFailed(laid, time_up, restored))
        if game.state.rules.penalty.forgotten_to_pool:
            tiles.pool[:0] = then.table.melds[lost]
        else:
            tiles.hands[play.turn] += then.table.melds[lost]
        tiles.hands[play.turn] += _drawn(failed, tiles)
        return failed
    return _moved(game, failed, tiles)


def _lay_none(game: Game, tiles: Tiles) -> Game:
    try:
        drawn = game.record(TileDrawn() if tiles.pool else Passed())
    except EventRefused:
        drawn = game.record(Passed())
    return _moved(game, drawn, tiles)


def _moved(before: Game, after: Game, tiles: Tiles) -> Game:
    """Move the tiles as the game says that they moved."""
    play, then = before.state.round, after.state.round
    assert play is not None  # a turn was played in one
    assert then is not None
    hand = tiles.hands[play.turn]
    for tile in (then.table.counts - play.table.counts).elements():
        hand.remove(tile)
    hand += (play.table.counts - then.table.counts).elements()
    hand += _drawn(after, tiles)
    return after


def _drawn(game: Game, tiles: Tiles) -> list[Tile]:
    """Take out of the pool what it should hold no more."""
    play = game.state.round
    assert play is not None  # a turn was played in one
    return [tiles.pool.pop() for _ in range(len(tiles.pool) - play.pool)]


def misplaced(game: Game, tiles: Tiles) -> Counter[Tile]:
    """Tiles of the box that are neither on the table nor really anywhere, or are there too often; none is right."""
    box = Counter(whole_box(game.state.rules))
    table = game.state.round.table.counts if game.state.round is not None else Counter[Tile]()
    there = table + Counter(tile for hand in tiles.hands for tile in hand) + Counter(tiles.pool)
    return (box - there) + (there - box)
