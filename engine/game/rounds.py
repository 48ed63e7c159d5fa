"""Rounds: choosing the starter, dealing and redealing, counting racks and pool, showing racks and scoring."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, assert_never

from tilekeeper.engine.game import events
from tilekeeper.engine.game.ledger import Alarm, AlarmCode, difference
from tilekeeper.engine.game.scoring import Points, RackLeft, RoundScore, rack_left, score_round
from tilekeeper.engine.game.setup import count_pairs, may_choose_starter, plan_dealing, start_lots
from tilekeeper.engine.game.stars import Bank, score_stars
from tilekeeper.engine.game.state import EventRefused, GameState, Phase, Redeal, Round, Seat
from tilekeeper.engine.game.turns import start_last_turns
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.policies import NextRound
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Table

_MOST_COUNTED: Final = 1_000_000
"""The largest count or sum that a player may enter: larger than any box or rack, and small enough for a page."""


def begin_round(state: GameState, starter: int | None = None) -> GameState:
    """Start the next round: wait for its deal, or for the choice of who begins if `starter` is None."""
    phase = Phase.STARTER if starter is None else Phase.DEAL
    drawing = start_lots(len(state.players), state.rules.setup)
    contenders = tuple(player for player in drawing.contenders if player not in state.away)
    return replace(state, phase=phase, starter=starter, lots=replace(drawing, contenders=contenders))


def choose_starter(state: GameState, event: events.StarterChosen) -> GameState:
    """Record who begins, as the players agreed.

    Raises:
        EventRefused: if there is no such player, the player has left, or the edition requires drawing lots.
    """
    check_present(state, event.player)
    if not may_choose_starter(state.rules.setup) and not event.overruled:
        raise EventRefused(gettext("the player with the highest number begins; enter the drawn tiles"))
    return replace(state, phase=Phase.DEAL, starter=event.player)


def draw_lots(state: GameState, event: events.LotsDrawn) -> GameState:
    """Record the tiles that the contenders drew to decide who begins.

    Raises:
        EventRefused: if nobody draws, the box has no such tile, or the number of tiles is wrong.
    """
    if not state.contenders:
        raise EventRefused(gettext("nobody draws to find out who begins; enter who begins"))
    for tile in event.tiles:
        if not state.rules.stock.copies_of(tile):
            raise EventRefused(gettext("the box has no {tile}", tile=tile))
    try:
        after = state.lots.draw(event.tiles, state.rules.setup.joker_drawn)
    except ValueError as error:
        raise EventRefused(str(error)) from None
    phase = Phase.STARTER if after.starter is None else Phase.DEAL
    return replace(state, lots=after, phase=phase, starter=after.starter)


def deal(state: GameState, event: events.Dealt) -> GameState:
    """Deal tiles, and coins in editions with stars; the first turn begins.

    Raises:
        EventRefused: if the players can't have taken these numbers of tiles.
    """
    rules, players = state.rules, len(state.players)
    assert state.starter is not None  # the phase says so
    dealing, size = plan_dealing(len(state.present), rules, len(state.lost)), rules.stock.size - len(state.lost)
    expected = tuple(0 if player in state.away else dealing.each for player in range(players))
    counts = expected if event.counts is None else event.counts
    if len(counts) != players or min(counts) < 0 or sum(counts) > size or any(counts[player] for player in state.away):
        raise EventRefused(
            gettext(
                "{players} players can't have taken {counts} tiles", players=players, counts=", ".join(map(str, counts))
            )
        )
    opened = rules.opening.minimum_points == 0
    stars = rules.stars
    play = Round(
        number=len(state.sheet.rounds) + 1,
        starter=state.starter,
        table=Table(),
        seats=tuple(Seat(count, opened, away=player in state.away) for player, count in enumerate(counts)),
        pool=size - sum(counts),
        turn=state.starter,
        bank=None if stars is None else Bank.open(stars.bank, players, stars.dealt, stars.debt_noted),
    )
    if play.bank is not None:
        play = replace(play, bank=return_coins(play.bank, state.away))
    notices = [
        alarm
        for player, count in enumerate(counts)
        for alarm in difference(AlarmCode.DEAL_DIFFERS, count, expected[player], player)
    ]
    return replace(state, phase=Phase.TURNS, round=start_last_turns(play, rules), redeal=None, notices=tuple(notices))


def claim_redeal(state: GameState, play: Round, event: events.RedealClaimed) -> GameState:
    """Record a demand for a redeal; it is granted if the player's first tiles have enough pairs."""
    check_present(state, event.player)
    seat, setup = play.seats[event.player], state.rules.setup
    pairs = count_pairs(event.rack, setup)
    first_tiles = seat.turns == 0 and len(event.rack) == seat.rack == setup.dealt
    in_box = all(event.rack.count(tile) <= state.rules.stock.copies_of(tile) for tile in event.rack)
    granted = setup.redeal_pairs is not None and pairs >= setup.redeal_pairs and first_tiles and in_box
    redeal = Redeal(event.player, pairs, granted)
    if granted:
        return replace(state, phase=Phase.DEAL, round=None, redeal=redeal)
    return replace(state, redeal=redeal)


def count_pool(state: GameState, play: Round, event: events.PoolCounted) -> GameState:
    """Record a count of the pool, which replaces the number in the ledger.

    Raises:
        EventRefused: if the count is below 0 or far too large.
    """
    if event.tiles < 0:
        raise EventRefused(gettext("a pool can't have fewer than 0 tiles"))
    _check_counted(event.tiles)
    notices = tuple(difference(AlarmCode.POOL_DIFFERS, event.tiles, play.pool))
    last_turns = None if event.tiles > 0 else play.last_turns
    play = start_last_turns(replace(play, pool=event.tiles, last_turns=last_turns), state.rules)
    return replace(state, round=play, notices=notices)


def count_rack(state: GameState, play: Round, event: events.RackCounted) -> GameState:
    """Record a count of a rack, which replaces the number in the ledger; an empty rack ends the round.

    Raises:
        EventRefused: if the player is not in the round or is out, or the count is below 0 or far too large.
    """
    check_plays(state, play, event.player)
    if event.tiles < 0:
        raise EventRefused(gettext("a rack can't have fewer than 0 tiles"))
    _check_counted(event.tiles)
    if event.player == play.out:
        raise EventRefused(gettext("this player is out; first undo the step that emptied the rack"))
    notices = _check_rack(play, event.player, event.tiles)
    play = play.with_seat(event.player, replace(play.seats[event.player], rack=event.tiles, counted=play.ended))
    state = replace(state, notices=notices)
    if event.tiles == 0 and not play.ended:
        play = replace(play, ended=True, out=event.player, claim=None, drew=None)
        state = replace(state, phase=Phase.RACKS)
    return replace(state, round=play)


def show_rack(state: GameState, play: Round, event: events.RackShown) -> GameState:
    """Record a rack that is shown at the end of a round; after the last rack the round is scored.

    Raises:
        EventRefused: if the player is not in the round or is out.
    """
    _check_has_tiles(state, play, event.player)
    notices = _check_rack(play, event.player, len(event.tiles))
    seat = replace(play.seats[event.player], rack=len(event.tiles), shown=event.tiles, points=None, counted=True)
    play = play.with_seat(event.player, seat)
    return replace(state, round=play, notices=notices)


def sum_rack(state: GameState, play: Round, event: events.RackSummed) -> GameState:
    """Record the points of a rack at the end of a round; after the last rack the round is scored.

    Raises:
        EventRefused: if the player is not in the round or is out, the edition counts stars, or the points are below 1
            or far too many.
    """
    _check_has_tiles(state, play, event.player)
    if state.rules.stars is not None:
        raise EventRefused(gettext("with stars, count tiles, not points"))
    if event.points < 1:
        raise EventRefused(gettext("tiles on a rack count at least 1 point; if there are none, show an empty rack"))
    _check_counted(event.points)
    seat = replace(play.seats[event.player], shown=None, points=event.points)
    return replace(state, round=play.with_seat(event.player, seat))


def _check_counted(number: int) -> None:
    """Raise `EventRefused` if a number is too large to be a count or a sum."""
    if number > _MOST_COUNTED:
        raise EventRefused(gettext("that number is too high"))


def _check_has_tiles(state: GameState, play: Round, player: int) -> None:
    """Raise `EventRefused` if the player does not play in this round, or is out and so has no tiles."""
    check_plays(state, play, player)
    if player == play.out:
        raise EventRefused(gettext("this player is out; there is nothing to show"))


def settle(state: GameState) -> GameState:
    """Score the round and start the next one, if the round is over and all racks are known; else change nothing.

    After the last of the agreed rounds the game is over.
    """
    play, rules = state.round, state.rules
    if (
        state.phase is not Phase.RACKS
        or play is None
        or not all(is_rack_known(seat, needs_points=rules.stars is None) for seat in play.seats)
    ):
        return state
    score: RoundScore
    if rules.stars is not None and play.bank is not None:
        bank, score = score_stars(play.bank, [seat.rack for seat in play.seats], play.out, rules.stars)
        score = replace(score, winners=tuple(player for player in score.winners if player in play.present))
        play = replace(play, bank=bank)
    else:
        score = _score_points(play, rules)
    score = replace(score, unopened=tuple(player for player in play.present if not play.seats[player].opened))
    state = replace(state, round=play, sheet=state.sheet.with_round(score))
    if len(state.sheet.rounds) == state.rounds_agreed:
        return replace(state, phase=Phase.OVER)
    return begin_round(state, _next_starter(state, play, score))


def _score_points(play: Round, rules: RuleSet) -> RoundScore:
    """Return the score of a round in points; players who did not play in it get 0."""
    present = play.present
    racks = [_count_rack(play.seats[player], rules) for player in present]
    score = score_round(racks, None if play.out is None else present.index(play.out), rules)
    points: list[Points] = [0] * len(play.seats)
    for player, noted in zip(present, score.points, strict=True):
        points[player] = noted
    return replace(score, points=tuple(points), winners=tuple(present[winner] for winner in score.winners))


def _count_rack(seat: Seat, rules: RuleSet) -> RackLeft:
    """Return the tiles left on a rack, from its shown tiles or the announced points; otherwise it is empty."""
    if seat.shown is not None:
        return rack_left(seat.shown, rules.scoring)
    return RackLeft(0, 0) if seat.points is None else RackLeft(seat.points, max(1, seat.rack))


def _next_starter(state: GameState, play: Round, score: RoundScore) -> int | None:
    """Return the player who begins the next round; None if the players must find out."""
    policy = state.rules.setup.next_round
    match policy:
        case NextRound.AS_FIRST:
            return None
        case NextRound.WINNER:
            winner = score.winners[0] if len(score.winners) == 1 else None
            return None if winner in state.away else winner
        case NextRound.LEFT:
            following: list[int] = [*range(play.starter + 1, len(state.players)), *range(play.starter + 1)]
            return next(player for player in following if player not in state.away)
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def is_rack_known(seat: Seat, *, needs_points: bool) -> bool:
    """Return whether a rack is known well enough to be scored; with stars (no points) the number of tiles is enough."""
    return seat.rack == 0 or seat.shown is not None or seat.points is not None or (seat.counted and not needs_points)


def _check_rack(play: Round, player: int, tiles: int) -> tuple[Alarm, ...]:
    """Return an alarm if a rack holds another number of tiles than in the ledger, else an empty tuple."""
    return tuple(difference(AlarmCode.RACK_DIFFERS, tiles, play.seats[player].rack, player))


def return_coins(bank: Bank, players: Iterable[int]) -> Bank:
    """Move all coins of some players back to the bank."""
    for player in players:
        bank, _ = bank.pay(player, bank.stars(player))
    return bank


def check_present(state: GameState, player: int) -> None:
    """Raise `EventRefused` if there is no player with this number, or the player has left the game."""
    check_player(state, player)
    if player in state.away:
        raise EventRefused(gettext("{name} has left", name=state.players[player]))


def check_plays(state: GameState, play: Round, player: int) -> None:
    """Raise `EventRefused` if there is no player with this number, or the player does not play in this round."""
    check_player(state, player)
    if play.seats[player].away:
        raise EventRefused(gettext("{name} does not play in this round", name=state.players[player]))


def check_player(state: GameState, player: int) -> None:
    """Raise `EventRefused` if there is no player with this number."""
    if not 0 <= player < len(state.players):
        raise EventRefused(
            gettext(
                "there is no player {player}: the {count} players are numbered from 0",
                player=player,
                count=len(state.players),
            )
        )
