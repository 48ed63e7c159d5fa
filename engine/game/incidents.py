"""Incidents: lost and found tiles, players who leave and join, and corrections of the records."""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.engine.game.events import PlayerJoined, PlayerLeft, PlayerOpened, TileLost, TileReturned, TurnGiven
from tilekeeper.engine.game.rounds import begin_round, check_plays, check_present, return_coins
from tilekeeper.engine.game.state import EventRefused, GameState, Phase, Round, Seat
from tilekeeper.engine.game.turns import start_last_turns
from tilekeeper.engine.language import gettext, ngettext


def lose_tile(state: GameState, event: TileLost) -> GameState:
    """Record a lost tile: the box holds one tile less, and so does the pool or a rack during a round.

    Raises:
        EventRefused: if the box has no such tile, or the player can't have lost it.
    """
    stock, play = state.rules.stock, state.round
    if event.tile is not None and stock.copies_of(event.tile) <= state.lost.count(event.tile):
        raise EventRefused(gettext("{tile} can't be lost: this box has no such tile", tile=event.tile))
    if event.player is not None:
        check_present(state, event.player)
    state = replace(state, lost=(*state.lost, event.tile))
    if state.phase is not Phase.TURNS or play is None:
        return state
    if event.player is None:
        return replace(state, round=start_last_turns(replace(play, pool=play.pool - 1), state.rules))
    check_plays(state, play, event.player)
    seat = play.seats[event.player]
    if seat.rack <= 1:
        raise EventRefused(gettext("a lost tile does not make a rack empty; count the rack instead"))
    return replace(state, round=play.with_seat(event.player, replace(seat, rack=seat.rack - 1)))


def return_tile(state: GameState, event: TileReturned) -> GameState:
    """Record that a lost tile was found; during a round it goes into the pool.

    Raises:
        EventRefused: if the tile was not lost.
    """
    if event.tile not in state.lost:
        raise EventRefused(gettext("this tile was not lost"))
    index, play = state.lost.index(event.tile), state.round
    state = replace(state, lost=(*state.lost[:index], *state.lost[index + 1 :]))
    if state.phase is not Phase.TURNS or play is None:
        return state
    return replace(state, round=replace(play, pool=play.pool + 1))


def leave(state: GameState, event: PlayerLeft) -> GameState:
    """Record that a player leaves; the scores of earlier rounds stay on the sheet.

    Raises:
        EventRefused: if there is no such player, the player has left, or too few would stay.
    """
    check_present(state, event.player)
    least, play = state.rules.setup.least_players, state.round
    in_round = play is not None and state.phase is Phase.TURNS and not play.seats[event.player].away
    if len(state.present) <= least or (in_round and play is not None and len(play.present) <= least):
        raise EventRefused(gettext("at least {least} players must stay; end the game instead", least=least))
    without_player = replace(state, away=(*state.away, event.player))
    if state.phase is not Phase.TURNS:
        starter = None if state.starter == event.player else state.starter
        return begin_round(without_player, starter)
    if not in_round or play is None:
        return without_player
    seat = play.seats[event.player]
    play = replace(play, pool=play.pool + max(seat.rack, 0))
    play = play.with_seat(event.player, replace(seat, rack=0, away=True))
    if play.bank is not None:
        play = replace(play, bank=return_coins(play.bank, (event.player,)))
    if play.turn == event.player:
        play = replace(play, turn=play.next_player(event.player), claim=None, drew=None)
    if play.last_turns is not None:
        play = replace(play, last_turns=min(play.last_turns, len(play.present)))
    return replace(without_player, round=play)


def join(state: GameState, event: PlayerJoined) -> GameState:
    """Record that a player joins, in this round or the next.

    Raises:
        EventRefused: if the name is empty or taken, all seats are taken, or the pool has too few tiles.
    """
    known = state.players.index(event.name) if event.name in state.players else None
    if not event.name or (known is not None and known not in state.away):
        raise EventRefused(gettext("every player needs a name of their own"))
    if len(state.present) >= state.rules.setup.most_players:
        raise EventRefused(gettext("at most {most_players} can play this", most_players=state.rules.setup.most_players))
    player = len(state.players) if known is None else known
    if known is None:
        state = _with_new_seat(state, event.name)
    else:
        state = replace(state, away=tuple(other for other in state.away if other != player))
    if state.phase in (Phase.STARTER, Phase.DEAL):
        return begin_round(state, state.starter)
    play = state.round
    if state.phase is not Phase.TURNS or play is None or not event.deals:
        return state
    dealt = state.rules.setup.dealt
    if play.pool < dealt:
        raise EventRefused(
            ngettext(
                "the pool has {count} tile and a player takes {dealt}; wait for the next round",
                "the pool has {count} tiles and a player takes {dealt}; wait for the next round",
                play.pool,
                dealt=dealt,
            )
        )
    opened = state.rules.opening.minimum_points == 0
    play = replace(play, pool=play.pool - dealt).with_seat(player, Seat(dealt, opened))
    if play.bank is not None and state.rules.stars is not None:
        play = replace(play, bank=play.bank.earn(player, state.rules.stars.dealt))
    return replace(state, round=start_last_turns(play, state.rules))


def _with_new_seat(state: GameState, name: str) -> GameState:
    """Return the game with one more player, who does not play in the current round."""
    players, play = (*state.players, name), state.round
    rounds = tuple(replace(score, points=(*score.points, 0)) for score in state.sheet.rounds)
    if play is not None:
        bank = None if play.bank is None else replace(play.bank, purses=(*play.bank.purses, 0))
        play = replace(play, seats=(*play.seats, Seat(0, False, away=True)), bank=bank)
    return replace(state, players=players, sheet=replace(state.sheet, players=players, rounds=rounds), round=play)


def correct_opened(state: GameState, play: Round, event: PlayerOpened) -> GameState:
    """Correct whether a player has opened.

    If that player's illegal layout waits for a correction, it is dropped: it must be laid and judged again.
    """
    check_plays(state, play, event.player)
    claim = None if event.player == play.turn else play.claim
    play = play.with_seat(event.player, replace(play.seats[event.player], opened=event.opened))
    return replace(state, round=replace(play, claim=claim))


def give_turn(state: GameState, play: Round, event: TurnGiven) -> GameState:
    """Give the turn to another player; the current turn ends without a record."""
    check_plays(state, play, event.player)
    return replace(state, round=replace(play, turn=event.player, claim=None, drew=None))
