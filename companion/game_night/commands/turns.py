"""What can be done in a turn: done, draw, pass, standing by a wrong layout, and the answers to what is asked."""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.companion.adjudication.turn import Case, Judged
from tilekeeper.companion.game_night.clock import Timer
from tilekeeper.companion.game_night.commands.failed_turn import fail
from tilekeeper.companion.game_night.state import (
    FailedTurn,
    FailureCause,
    GameNightState,
    Judging,
    Press,
    RackExceeded,
    claimed,
    entered_or_observed,
)
from tilekeeper.companion.game_night.turn_start import lies_as, with_corrected_start
from tilekeeper.companion.observation.observed_table import ObservedTable, by_hand, can_be_judged, observed_table
from tilekeeper.companion.observation.start_table import corrected_start
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import (
    Event,
    Passed,
    PoolCounted,
    RackCounted,
    TableCorrected,
    TileDrawn,
    TilesLaid,
)
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.engine.solver.tile_moves import find_moves
from tilekeeper.engine.tiles.table import Table


def done(night: GameNightState, press: Press, table: str | None = None, left: int | None = None) -> GameNightState:
    """The player says that the turn is done: it is to be judged, once the table lies still and is seen.

    The clock stops meanwhile.

    Args:
        night: the state of the game night.
        press: who says so.
        table: how the table lies, entered by hand; otherwise the camera looks.
        left: how many tiles are left on the rack, where somebody has counted them.

    Raises:
        Refused: where no turn is played, or nothing is seen that could be judged.
    """
    night = with_corrected_start(expect_turn(night), press)
    entered, seen = entered_or_observed(press, table)
    if entered is not None:
        return _waiting_for(Case(night.before(), entered, night.context()), night, press, left)
    assert seen is not None  # there is one or the other
    if not seen.settled:
        return replace(night, waiting=True, clock=night.clock.hold(press.now_s))
    if not can_be_judged(seen.reading):
        status = seen.reading.status
        raise Refused(
            gettext("The table can't be read: {status}. Or enter the tiles by hand.", status=gettext(status)),
            "no-picture",
        )
    return _waiting_for(observed_case(night, press), night, press, left)


def _waiting_for(case: Case, night: GameNightState, press: Press, left: int | None) -> GameNightState:
    judging = Judging(case, press.by, left)
    return replace(night, waiting=True, judging=judging, exceeded=None, clock=night.clock.hold(press.now_s))


def observed_case(night: GameNightState, press: Press) -> Case:
    """The turn as it is to be judged, with the table that the camera sees at its end."""
    seen = press.observation
    assert seen is not None  # whoever asks has looked
    before = corrected_start(night.before(), seen.reading)
    # where the penalty comes at once there is no second time to press Done
    insisted = night.round.claim is not None or night.settings.penalty_at_once
    return Case(before, seen.reading, night.context(), seen.number, insisted)


def give_verdict(night: GameNightState, press: Press, judged: Judged) -> GameNightState:
    """What follows from a verdict: the next turn, mending, a question, or by house rule the penalty.

    Where Done was pressed and something covers what the verdict needs, it is waited for.
    """
    weighed, left = judged.weighed, None if night.judging is None else night.judging.left
    night = replace(night, judging=None)
    if weighed.waits and night.waiting:
        return night
    if not judged.sure and not weighed.certain:
        # Nothing is recorded while a verdict turns on a doubtful tile; the clock stands meanwhile.
        return replace(night, judged=judged, waiting=False, exceeded=None, clock=night.clock.hold(press.now_s))
    table = weighed.observed.table
    exceeded = _rack_exceeded(night, table) if left is None else None
    if exceeded is not None:
        return replace(night, judged=judged, waiting=False, exceeded=exceeded, clock=night.clock.hold(press.now_s))
    used = night.clock.used(press.now_s)
    events = [*_rack_counted(night, table, left), TilesLaid(table, _counted_seconds(night, used))]
    after = night.with_events(events, press, seconds=used, judged=judged, lies=weighed.observed)
    claim = after.state.round.claim if after.state.round is not None else None
    if after.state.phase is not Phase.TURNS or claim is None:
        return after
    if night.settings.penalty_at_once:
        return replace(
            after, failing=FailedTurn(FailureCause.WRONG, claim.after), clock=after.clock.stopped(press.now_s)
        )
    return replace(after, clock=after.clock.go_on(press.now_s))


def _tiles_laid(night: GameNightState, table: Table) -> int:
    return (table.counts - night.round.table.counts).total()


def _rack_exceeded(night: GameNightState, table: Table) -> RackExceeded | None:
    laid, rack = _tiles_laid(night, table), night.round.seats[night.round.turn].rack
    return RackExceeded(laid, rack) if laid > max(rack, 0) else None


def _rack_counted(night: GameNightState, table: Table, left: int | None) -> list[Event]:
    """What a count of the rack after the turn says of the one before it; what it had more, came from the pool."""
    play, ledger = night.round, night.recorded.game.ledger
    if left is None or ledger is None:
        return []
    rack = _tiles_laid(night, table) + left
    more = rack - play.seats[play.turn].rack
    if not more:
        return []
    pool = max(0, play.pool - max(0, more - ledger.unaccounted))
    return [RackCounted(play.turn, rack), *([PoolCounted(pool)] if pool != play.pool else [])]


def done_again(night: GameNightState, press: Press) -> GameNightState:
    """The turn is to be judged again on the table that was judged, of which more is known now."""
    night = with_corrected_start(night, press)
    case = observed_case(night, press)
    return replace(night, judging=replace(night.judging or Judging(case, press.by), case=case))


def _counted_seconds(night: GameNightState, used_s: float) -> float | None:
    """How long the turn took as the rules count it; the engine fails a turn that took too long.

    Whoever pressed in time was in time, however long the picture took, and time that was granted does not count.
    """
    limit_s = night.clock.limit_s
    if night.settings.timer is not Timer.STRICT or limit_s is None:
        return None
    return round(min(max(0.0, used_s - night.clock.extra_s), limit_s), 1)


def cancel(night: GameNightState, press: Press) -> GameNightState:
    """Done was pressed too early, or the question is left open: the turn goes on, and the clock with it."""
    if night.exceeded is not None:
        return night.with_question_dropped(press.now_s)
    if not night.waiting and (night.judged is None or night.judged.sure):
        raise Refused(gettext("There is nothing to cancel."))
    judged = night.judged if night.judged is not None and night.judged.sure else claimed(night.recorded)
    return replace(night, waiting=False, judging=None, judged=judged, clock=night.clock.go_on(press.now_s))


def draw(night: GameNightState, press: Press, sure: bool = False) -> GameNightState:
    """The player draws instead of laying; whatever was tried is to lie again as it lay.

    Raises:
        Refused: where nobody may draw now; and where the camera sees the table otherwise than at the start of the turn,
            unless they are sure.
    """
    night = with_corrected_start(expect_turn(night), press)
    lies = _unchanged(night, press, sure)
    used = night.clock.used(press.now_s)
    return night.with_events([TileDrawn()], press, seconds=used, lies=lies)


def pass_turn(night: GameNightState, press: Press, can_lay: bool = False, sure: bool = False) -> GameNightState:
    """The player neither lays nor draws; `can_lay` where a tile could have been laid, which `junior` asks a star for.

    Raises:
        Refused: as `draw`.
    """
    night = with_corrected_start(expect_turn(night), press)
    lies = _unchanged(night, press, sure)
    used = night.clock.used(press.now_s)
    return night.with_events([Passed(can_lay)], press, seconds=used, lies=lies)


def _unchanged(night: GameNightState, press: Press, sure: bool) -> ObservedTable | None:
    """The table as the camera sees it, where it lies as it did at the start of the turn."""
    before, seen = night.before(), press.observation
    if seen is None or not seen.settled or press.trouble or not can_be_judged(seen.reading):
        return None
    lies = lies_as(seen.reading, before.table)
    count = len(find_moves(lies.table, before.table))
    if not count:
        return lies
    if not sure:
        raise Refused(
            ngettext(
                "{count} tile is not where it was at the start of the turn. First put the table "
                "back, or say that it is right.",
                "{count} tiles are not where they were at the start of the turn. First put the table "
                "back, or say that it is right.",
                count,
            ),
            "table-differs",
            {"table": str(lies.table), "wanted": str(before.table)},
        )
    return None


def stand(night: GameNightState, press: Press) -> GameNightState:
    """The player stands by a wrong layout, or can't mend it: the turn has failed, and tiles go back.

    Raises:
        Refused: where no wrong layout lies there.
    """
    claim = expect_turn(night).round.claim
    if claim is None:
        raise Refused(gettext("Nothing on the table is wrong. Press Done first."))
    return fail(night, press, FailureCause.WRONG, claim.after)


def table_now(
    night: GameNightState, press: Press, table: str | None = None, reason: str = "", sure: bool = False
) -> GameNightState:
    """The present table is the new beginning: after a spill or a bump, or for a round that began without the app.

    Raises:
        Refused: where no turn is played, or no table is seen that lies still; and where something lies alone of which
            it is in doubt whether it is a tile, unless they are `sure` that it is what it was read as.
    """
    expect_turn(night, while_failing=True)
    entered, seen = entered_or_observed(press, table)
    if seen is not None and not seen.settled:
        raise Refused(gettext("Something on the table moves. Try again when nothing moves."), "moving")
    if seen is not None and not can_be_judged(seen.reading):
        raise Refused(
            gettext(
                "The table can't be read: {status}. Or enter the tiles by hand.", status=gettext(seen.reading.status)
            ),
            "no-picture",
        )
    lies = observed_table(seen.reading) if seen is not None else by_hand(entered or Table())
    if seen is not None and lies.loose and not sure:
        tiles = [lies.rows[meld][0] for meld in lies.loose]
        raise Refused(
            gettext("Is this a tile? Answer that first."), "doubtful-tiles", {"reading": seen.number, "tiles": tiles}
        )
    return night.with_events([TableCorrected(lies.table)], press, reason=reason, lies=lies)


def expect_turn(night: GameNightState, while_failing: bool = False) -> GameNightState:
    """Return the state, if a turn is being played.

    Raises:
        Refused: otherwise.
    """
    if night.state.phase is not Phase.TURNS:
        raise Refused(gettext("Nobody is playing a turn now."))
    if night.failing is not None and not while_failing:
        raise Refused(gettext("This turn has failed. First put the tiles back."), "failing")
    return night
