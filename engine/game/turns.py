"""The turns of a round: laying, drawing, passing and failing, and their effects on racks, pool and stars."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from tilekeeper.engine.game.events import Passed, TileDrawn, TilesLaid, TurnFailed
from tilekeeper.engine.game.failed_turns import Failure, settle_failure
from tilekeeper.engine.game.ledger import AlarmCode, difference
from tilekeeper.engine.game.stars import turn_stars
from tilekeeper.engine.game.state import Claim, EventRefused, GameState, Phase, Round, TurnKind, TurnRecord
from tilekeeper.engine.judge.judge import judge_once
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.engine.rules.policies import PoolEmpty
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.violations import Code, Side
from tilekeeper.engine.tiles.table import Table


def lay(state: GameState, play: Round, event: TilesLaid) -> GameState:
    """End the turn if it is legal or the players accept it, fail it if it took too long, or else wait for a correction.

    A layout that the judge can't decide waits like an illegal one, until the players accept it or take it back.

    Raises:
        EventRefused: if the number of seconds is below 0 or far too large.
    """
    seconds = event.seconds
    if seconds is not None and not 0 <= seconds < 1e9:
        raise EventRefused(gettext("a turn can't last {seconds} seconds", seconds=seconds))
    seat = play.seats[play.turn]
    verdict = judge_once(play.table, event.after, state.context)
    if event.overruled:
        return _accept(state, play, event, verdict)
    limit_s = state.rules.turn.limit_s_for(seat.opened)
    if seconds is not None and limit_s is not None and seconds > limit_s:
        return fail(state, play, TurnFailed(event.after, time_up=True), verdict, seconds)
    if verdict.legal:
        return _accept(state, play, event, verdict)
    return replace(state, round=replace(play, claim=Claim(event.after, verdict, seconds)))


def _accept(state: GameState, play: Round, event: TilesLaid, verdict: Verdict) -> GameState:
    """End a turn whose layout stays on the table.

    Tiles that were taken off the table against the rules are not added to the rack, so the ledger misses them.
    """
    before, after, player = play.table, event.after, play.turn
    seat = play.seats[player]
    laid = (after.counts - before.counts).total()
    rack = seat.rack - laid + _count_taken_onto_rack(before, after, verdict)
    opened = seat.opened or verdict.opens or (event.overruled and laid > 0)
    record = TurnRecord(player, TurnKind.LAID, before, after, verdict, event.overruled, 0, 0, event.seconds)
    play = replace(play, table=after).with_seat(player, replace(seat, rack=rack, opened=opened))
    return _finish(state, play, record, verdict, moved=laid > 0 or before != after)


def _count_taken_onto_rack(before: Table, after: Table, verdict: Verdict) -> int:
    """Return the number of tiles that were taken off the table as the edition allows."""
    not_allowed = sum(
        len(violation.tiles)
        for violation in verdict.violations
        if violation.code is Code.TILE_TAKEN and violation.side is Side.BEFORE
    )
    return max(0, (before.counts - after.counts).total() - not_allowed)


def fail(
    state: GameState,
    play: Round,
    event: TurnFailed,
    verdict: Verdict | None = None,
    seconds: float | None = None,
) -> GameState:
    """Fail a turn: restore the table as the edition requires, and draw the penalty.

    Without a verdict on the failed layout it is judged here. Without `seconds` the turn was not timed.

    Raises:
        EventRefused: if the time was up in a turn without a time limit.
    """
    rules, before, player = state.rules, play.table, play.turn
    seat = play.seats[player]
    context = state.context
    if event.time_up and rules.turn.limit_s_for(seat.opened) is None:
        raise EventRefused(gettext("time can't be up: this player's turn has no time limit"))
    failure = settle_failure(before, event.laid, event.time_up, context)
    table = failure.table if event.restored is None else event.restored
    removed = before.counts - table.counts
    forgotten = removed & (failure.table.counts - table.counts)
    to_pool = forgotten.total() if rules.penalty.forgotten_to_pool else 0
    pool = play.pool + to_pool
    drawn = _count_drawn(rules, replace(play, pool=pool), failure)
    penalty = 0 if failure.like_laying_none else drawn
    rack = seat.rack - (table.counts - before.counts).total() + removed.total() - to_pool + penalty
    seat = replace(seat, rack=rack, opened=seat.opened or failure.opens, penalties=seat.penalties + penalty)
    play = replace(play, table=table, pool=pool - penalty).with_seat(player, seat)
    verdict = verdict or judge_once(before, event.laid, context)
    record = TurnRecord(player, TurnKind.FAILED, before, table, verdict, False, penalty, 0, seconds)
    surplus = (table.counts - failure.table.counts).total()
    state = replace(state, notices=(*state.notices, *difference(AlarmCode.NOT_RESTORED, surplus, 0, player)))
    if failure.like_laying_none and play.drew is None:
        play, stars = _pay(rules, play, can_lay=False)
        play, record = _take(play, drawn), replace(record, drawn=drawn, stars=stars)
    final_verdict = judge_once(before, table, context) if table.counts - before.counts else None
    return _finish(state, play, record, final_verdict, moved=record.drawn > 0 or before != table)


def count_drawn_after_failure(state: GameState, play: Round, laid: Table, time_up: bool) -> int:
    """Return the number of tiles that the player in turn must draw if the turn fails with the table `laid`."""
    return _count_drawn(state.rules, play, settle_failure(play.table, laid, time_up, state.context))


def _count_drawn(rules: RuleSet, play: Round, failure: Failure) -> int:
    """Return the number of tiles to draw after a failed turn: the penalty, or those of a turn without laying.

    It is never more than the pool holds.
    """
    tiles = failure.penalty
    if failure.like_laying_none:
        tiles = rules.turn.drawn if play.drew is None and _can_pay_draw(rules, play) else 0
    return min(tiles, max(play.pool, 0))


def draw(state: GameState, play: Round, _: TileDrawn) -> GameState:
    """Draw tiles without laying; in most editions this ends the turn.

    Raises:
        EventRefused: if the edition has no drawing, or the player has drawn or can't pay for a draw.
    """
    rules = state.rules
    if rules.turn.drawn == 0:
        raise EventRefused(gettext("nobody draws tiles in this game"))
    if play.drew is not None:
        raise EventRefused(gettext("this player has already drawn and may lay or pass"))
    if not _can_pay_draw(rules, play):
        raise EventRefused(gettext("this player has no star to pay, so draws nothing"))
    play, stars = _pay(rules, play, can_lay=True)
    # A player draws at most the tiles of the pool. A draw from a pool of 0 shows that a count was wrong.
    drawn = min(rules.turn.drawn, play.pool) if play.pool > 0 else rules.turn.drawn
    play = _take(play, drawn)
    record = TurnRecord(play.turn, TurnKind.DREW, play.table, play.table, None, False, drawn, stars, None)
    if rules.turn.plays_on_after_draw:
        return replace(state, round=replace(play, drew=record, claim=None))
    return _finish(state, play, record, None, moved=True)


def pass_turn(state: GameState, play: Round, event: Passed) -> GameState:
    """End the turn of a player who lays nothing and can't draw, or has drawn in this turn.

    Raises:
        EventRefused: if the player must draw instead, or can lay and must lay since the pool is empty.
    """
    rules = state.rules
    if play.drew is not None:
        return _finish(state, replace(play, drew=None), play.drew, None, moved=True)
    if rules.turn.drawn > 0 and play.pool > 0 and play.last_turns is None and _can_pay_draw(rules, play):
        raise EventRefused(
            ngettext(
                "the pool has {count} tile; a player who lays none must draw",
                "the pool has {count} tiles; a player who lays none must draw",
                play.pool,
            )
        )
    if event.can_lay and rules.ending.must_lay and play.pool <= 0:
        raise EventRefused(gettext("the pool is empty; a player who can lay a tile must lay"))
    play, stars = _pay(rules, play, event.can_lay)
    record = TurnRecord(play.turn, TurnKind.PASSED, play.table, play.table, None, False, 0, stars, None)
    return _finish(state, play, record, None, moved=False)


def may_draw(rules: RuleSet, play: Round) -> bool:
    """Return whether the player in turn may draw instead of laying; False if the pool is empty."""
    return rules.turn.drawn > 0 and play.pool > 0 and play.drew is None and _can_pay_draw(rules, play)


def _can_pay_draw(rules: RuleSet, play: Round) -> bool:
    """Return whether the player in turn can pay for a draw, or may draw without paying."""
    if rules.stars is None or play.bank is None or rules.stars.draw_unpaid:
        return True
    return play.bank.stars(play.turn) >= rules.stars.passing


def _pay(rules: RuleSet, play: Round, can_lay: bool) -> tuple[Round, int]:
    """Let the player in turn pay stars for laying nothing, if the edition asks for them; return the change of stars.

    If the player could not lay a tile, a pass with an empty pool is free in some editions.
    """
    if rules.stars is None or play.bank is None:
        return play, 0
    if rules.stars.free_pass and play.pool <= 0 and not can_lay:
        return play, 0
    bank, paid = play.bank.pay(play.turn, rules.stars.passing)
    return replace(play, bank=bank), -paid


def _take(play: Round, tiles: int) -> Round:
    """Move tiles from the pool to the rack of the player in turn, who lays nothing."""
    seat = play.seats[play.turn]
    play = replace(play, pool=play.pool - tiles)
    return play.with_seat(play.turn, replace(seat, rack=seat.rack + tiles, drawn=seat.drawn + tiles))


def _finish(state: GameState, play: Round, record: TurnRecord, final_verdict: Verdict | None, moved: bool) -> GameState:
    """End a turn: pay stars to the player, then start the turn of the next player or end the round.

    `final_verdict` is about the table as it stays, None if no laid tile stays. `moved` says whether a tile was laid,
    moved or drawn.
    """
    rules, player = state.rules, play.turn
    seat = play.seats[player]
    out = player if seat.rack == 0 else None
    if play.drew is not None:
        record = replace(record, drawn=record.drawn + play.drew.drawn, stars=record.stars + play.drew.stars)
    if rules.stars is not None and play.bank is not None and final_verdict is not None:
        earned = turn_stars(final_verdict, out is not None, rules.stars)
        play = replace(play, bank=play.bank.earn(player, earned))
        record = replace(record, stars=record.stars + earned)
    play = replace(
        play.with_seat(player, replace(seat, turns=seat.turns + 1)),
        turns=(*play.turns, record),
        claim=None,
        drew=None,
        idle=0 if moved else play.idle + 1,
        last_turns=None if play.last_turns is None else play.last_turns - 1,
        out=out,
    )
    play = start_last_turns(play, rules)
    if out is not None or play.last_turns == 0 or play.idle >= len(play.present):
        return replace(state, phase=Phase.RACKS, round=replace(play, ended=True))
    return replace(state, round=replace(play, turn=play.next_player(player)))


def start_last_turns(play: Round, rules: RuleSet) -> Round:
    """Start the last turns if the pool is empty and the edition has last turns.

    Returns the round with `last_turns`, the number of turns that remain. Otherwise, or if the last turns have started
    already, it returns the round unchanged.
    """
    match rules.ending.pool_empty:
        case PoolEmpty.ALL_PASS:
            return play
        case PoolEmpty.LAST_TURNS:
            if play.pool > 0 or play.last_turns is not None:
                return play
            drawer = 0 if rules.ending.drawer_plays_last or not play.turns else 1
            return replace(play, last_turns=len(play.present) - drawer)
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)
