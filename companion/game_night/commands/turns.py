"""What can be done in a turn: done, draw, pass, standing by a wrong layout, and the answers to what is asked."""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.companion.adjudication.turn import Judged
from tilekeeper.companion.adjudication.uncertainty import Weighed, weigh
from tilekeeper.companion.game_night.clock import Timer
from tilekeeper.companion.game_night.commands.failed_turn import fail
from tilekeeper.companion.game_night.state import Failing, Moment, Press, Why, claimed, seen_table
from tilekeeper.companion.game_night.turn_start import lies_as, put_start_right
from tilekeeper.companion.observation.judgeable import can_be_judged
from tilekeeper.companion.observation.observed_table import Laid, by_hand, laid
from tilekeeper.companion.observation.start_table import known_now
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import Passed, TableCorrected, TileDrawn, TilesLaid
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.solver.tile_moves import find_moves
from tilekeeper.engine.tiles.table import Table


def done(moment: Moment, press: Press, table: str | None = None) -> Moment:
    """The player says that the turn is done: judge it, or wait until the table lies still and is seen.

    The clock stops meanwhile. What covers the table is waited for only where the verdict needs what lies under it.

    Raises:
        Refused: where no turn is played, or nothing is seen that could be judged.
    """
    moment = put_start_right(expect_turn(moment), press)
    entered, seen = seen_table(press, table)
    if entered is not None:
        return judged_turn(moment, press, judged_by_hand(moment, entered))
    assert seen is not None  # there is one or the other
    if not seen.settled:
        return replace(moment, waiting=True, clock=moment.clock.hold(press.now_s))
    if not can_be_judged(seen.reading):
        status = seen.reading.status
        raise Refused(f"The table can't be read: {status}. Or enter the tiles by hand.", "no-picture")
    judged = judged_by_camera(moment, press)
    if judged.weighed.waits:
        return replace(moment, waiting=True, clock=moment.clock.hold(press.now_s))
    return judged_turn(moment, press, judged)


def judged_by_camera(moment: Moment, press: Press) -> Judged:
    """What the judge says of the table that the camera sees."""
    assert press.seen is not None  # whoever asks has looked
    before = known_now(moment.before(), press.seen.reading)
    # where the penalty comes at once there is no second time to press Done
    insisted = moment.round.claim is not None or moment.settings.penalty_at_once
    return Judged(before, weigh(before, press.seen.reading, moment.context(), insisted), press.seen.number)


def judged_by_hand(moment: Moment, table: Table) -> Judged:
    """What the judge says of a table that was entered by hand."""
    before = moment.before()
    verdict = judge(before.table, table, moment.context())
    return Judged(before, Weighed(by_hand(table), verdict, (), verdict.violations), reading_number=0)


def judged_turn(moment: Moment, press: Press, judged: Judged) -> Moment:
    """What follows from a verdict: the next turn, mending, a question, or by house rule the penalty."""
    weighed = judged.weighed
    if not judged.sure and not weighed.certain:
        # Nothing is recorded while a verdict turns on a doubtful tile; the clock stands meanwhile.
        return replace(moment, judged=judged, waiting=False, clock=moment.clock.hold(press.now_s))
    used = moment.clock.used(press.now_s)
    event = TilesLaid(weighed.laid.table, _counted_seconds(moment, used))
    after = moment.recorded([event], press, seconds=used, judged=judged, lies=weighed.laid)
    claim = after.state.round.claim if after.state.round is not None else None
    if after.state.phase is not Phase.TURNS or claim is None:
        return after
    if moment.settings.penalty_at_once:
        return replace(after, failing=Failing(Why.WRONG, claim.after), clock=after.clock.stopped(press.now_s))
    return replace(after, clock=after.clock.go_on(press.now_s))


def done_again(moment: Moment, press: Press) -> Moment:
    """Judge the turn again on the table that was judged, of which more is known now."""
    moment = put_start_right(moment, press)
    return judged_turn(moment, press, judged_by_camera(moment, press))


def _counted_seconds(moment: Moment, used_s: float) -> float | None:
    """How long the turn took as the rules count it; the engine fails a turn that took too long.

    Whoever pressed in time was in time, however long the picture took, and time that was granted does not count.
    """
    limit_s = moment.clock.limit_s
    if moment.settings.timer is not Timer.STRICT or limit_s is None:
        return None
    return round(min(max(0.0, used_s - moment.clock.extra_s), limit_s), 1)


def cancel(moment: Moment, press: Press) -> Moment:
    """Done was pressed too early, or the question is left open: the turn goes on, and the clock with it."""
    if not moment.waiting and (moment.judged is None or moment.judged.sure):
        raise Refused("There is nothing to call off.")
    judged = moment.judged if moment.judged is not None and moment.judged.sure else claimed(moment.evening)
    return replace(moment, waiting=False, judged=judged, clock=moment.clock.go_on(press.now_s))


def draw(moment: Moment, press: Press, sure: bool = False) -> Moment:
    """The player draws instead of laying; whatever was tried is to lie again as it lay.

    Raises:
        Refused: where nobody may draw now; and where the camera sees the table otherwise than at the start of the turn,
            unless they are sure.
    """
    moment = put_start_right(expect_turn(moment), press)
    lies = _unchanged(moment, press, sure)
    used = moment.clock.used(press.now_s)
    return moment.recorded([TileDrawn()], press, seconds=used, lies=lies)


def pass_turn(moment: Moment, press: Press, can_lay: bool = False, sure: bool = False) -> Moment:
    """The player neither lays nor draws; `can_lay` where a tile could have been laid, which `junior` asks a star for.

    Raises:
        Refused: as `draw`.
    """
    moment = put_start_right(expect_turn(moment), press)
    lies = _unchanged(moment, press, sure)
    used = moment.clock.used(press.now_s)
    return moment.recorded([Passed(can_lay)], press, seconds=used, lies=lies)


def _unchanged(moment: Moment, press: Press, sure: bool) -> Laid | None:
    """The table as the camera sees it, where it lies as it did at the start of the turn."""
    before, seen = moment.before(), press.seen
    if seen is None or not seen.settled or press.trouble or not can_be_judged(seen.reading):
        return None
    lies = lies_as(seen.reading, before.table)
    count = len(find_moves(lies.table, before.table))
    if not count:
        return lies
    if not sure:
        tiles = "1 tile lies" if count == 1 else f"{count} tiles lie"
        raise Refused(
            f"{tiles} otherwise than at the start of the turn. Put the table back first, or say that it is right.",
            "table-differs",
            {"table": str(lies.table), "wanted": str(before.table)},
        )
    return None


def stand(moment: Moment, press: Press) -> Moment:
    """The player stands by a wrong layout, or can't mend it: the turn has failed, and tiles go back.

    Raises:
        Refused: where no wrong layout lies there.
    """
    claim = expect_turn(moment).round.claim
    if claim is None:
        raise Refused("Nothing wrong lies there: press Done first.")
    return fail(moment, press, Why.WRONG, claim.after)


def table_now(moment: Moment, press: Press, table: str | None = None, reason: str = "", sure: bool = False) -> Moment:
    """The present table is the new beginning: after a spill or a bump, or for a round that began without the app.

    Raises:
        Refused: where no turn is played, or no table is seen that lies still; and where something lies alone of which
            it is in doubt whether it is a tile, unless they are `sure` that it is what it was read as.
    """
    expect_turn(moment, while_failing=True)
    entered, seen = seen_table(press, table)
    if seen is not None and not seen.settled:
        raise Refused("The table still moves: try again when it lies still.", "moving")
    if seen is not None and not can_be_judged(seen.reading):
        raise Refused(f"The table can't be read: {seen.reading.status}. Or enter the tiles by hand.", "no-picture")
    lies = laid(seen.reading) if seen is not None else by_hand(entered or Table())
    if seen is not None and lies.loose and not sure:
        tiles = [lies.rows[meld][0] for meld in lies.loose]
        raise Refused("Is this a tile? Say so first.", "doubtful-tiles", {"reading": seen.number, "tiles": tiles})
    return moment.recorded([TableCorrected(lies.table)], press, reason=reason, lies=lies)


def expect_turn(moment: Moment, while_failing: bool = False) -> Moment:
    """The moment, if a turn is being played.

    Raises:
        Refused: otherwise.
    """
    if moment.state.phase is not Phase.TURNS:
        raise Refused("No turn is being played now.")
    if moment.failing is not None and not while_failing:
        raise Refused("This turn has failed: first put the tiles back.", "failing")
    return moment
