"""What can be done in a turn: done, draw, pass, standing by a wrong layout, and the answers to what is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from tilekeeper.companion.adjudication.turn import Case, Judged
from tilekeeper.companion.game_night.action import GameNightAction
from tilekeeper.companion.game_night.clock import Timer
from tilekeeper.companion.game_night.commands.failed_turn import fail
from tilekeeper.companion.game_night.fields import Count, Tiles
from tilekeeper.companion.game_night.state import (
    FailedTurn,
    FailureCause,
    GameNightState,
    Judging,
    Observation,
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


class Done(GameNightAction):
    """The turn is done: judge it; where the table still moves, as soon as it lies still (`turn.waiting_to`).

    Legal: the turn passes on. Not legal: `verdict` says why, the clock runs on, and the player mends it, draws, or
    stands by it. Unsure: `verdict.questions` are answered with `/api/answer`, `verdict.groupings` with
    `/api/group`; the clock stands meanwhile. More tiles than the player had: `exceeded` asks which of the two is wrong.
    """

    path = "done"
    table: Tiles | None = None
    """The table in the notation, where it was entered by hand; otherwise the camera looks."""
    left: Count | None = None
    """How many tiles are left on the player's rack, where somebody counted; the ledger is put right by it."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the turn to be judged, once the table lies still and is seen; the clock stops.

        Raises:
            Refused: where no turn is played, or nothing is seen that could be judged.
        """
        night = with_corrected_start(expect_turn(night), press)
        entered, seen = entered_or_observed(press, self.table)
        if entered is not None:
            return _waiting_for(Case(night.before(), entered, night.context()), night, press, self.left)
        assert seen is not None  # there is one or the other
        if not seen.settled:
            return replace(night, waiting=True, clock=night.clock.hold(press.now_s))
        _expect_readable(seen)
        return _waiting_for(observed_case(night, press), night, press, self.left)


def _expect_readable(seen: Observation) -> None:
    if can_be_judged(seen.reading):
        return
    status = gettext(seen.reading.status)
    raise Refused(
        gettext("The table can't be read: {status}. Or enter the tiles by hand.", status=status), "no-picture"
    )


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


class Cancel(GameNightAction):
    """Done was pressed too early, or a question is left open: the turn goes on."""

    path = "cancel"

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state in which nothing waits; the clock goes on."""
        if night.exceeded is not None:
            return night.with_question_dropped(press.now_s)
        if not night.waiting and (night.judged is None or night.judged.sure):
            raise Refused(gettext("There is nothing to cancel."))
        judged = night.judged if night.judged is not None and night.judged.sure else claimed(night.recorded)
        return replace(night, waiting=False, judging=None, judged=judged, clock=night.clock.go_on(press.now_s))


class Draw(GameNightAction):
    """The player draws instead of laying.

    Refused (409, `table-differs`) where the camera sees the table otherwise than at the start of the turn, unless they
    are sure.
    """

    path = "draw"
    sure: bool = False
    """That the table is right, although the camera sees it otherwise than at the start of the turn."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after the draw; whatever was tried is to lie again as it lay.

        Raises:
            Refused: where nobody may draw now; and where the camera sees the table otherwise than at the start of the
                turn, unless they are sure.
        """
        return _without_laying(night, press, TileDrawn(), self.sure)


class Pass(GameNightAction):
    """The player neither lays nor draws."""

    path = "pass"
    can_lay: bool = False
    """That the player could have laid a tile; `junior` asks a star for that."""
    sure: bool = False
    """That the table is right, although the camera sees it otherwise than at the start of the turn."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after it.

        Raises:
            Refused: as `Draw`.
        """
        return _without_laying(night, press, Passed(self.can_lay), self.sure)


def _without_laying(night: GameNightState, press: Press, event: Event, sure: bool) -> GameNightState:
    night = with_corrected_start(expect_turn(night), press)
    lies = _unchanged(night, press, sure)
    return night.with_events([event], press, seconds=night.clock.used(press.now_s), lies=lies)


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


class Stand(GameNightAction):
    """The player stands by a wrong layout, or can't mend it: the turn has failed, and tiles go back (`failing`)."""

    path = "stand"

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the failed turn.

        Raises:
            Refused: where no wrong layout lies there.
        """
        claim = expect_turn(night).round.claim
        if claim is None:
            raise Refused(gettext("Nothing on the table is wrong. Press Done first."))
        return fail(night, press, FailureCause.WRONG, claim.after)


class TableNow(GameNightAction):
    """This is the table now: after a spill or a bump, or for a round that began without the app.

    Refused (409, `doubtful-tiles`) where something lies alone that may be no tile, unless they are sure; `details` has
    the number of the reading and the tiles in question, to be answered with `/api/correct`.
    """

    path = "table"
    table: Tiles | None = None
    """The table in the notation, where it was entered by hand; otherwise the camera looks."""
    reason: Annotated[str, Field(max_length=300)] = ""
    sure: bool = False
    """That everything is a tile that lies alone and was taken for one in doubt."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the present table as the new beginning.

        Raises:
            Refused: where no turn is played, or no table is seen that lies still; and where something lies alone of
                which it is in doubt whether it is a tile, unless they are `sure` that it is what it was read as.
        """
        expect_turn(night, while_failing=True)
        entered, seen = entered_or_observed(press, self.table)
        if seen is not None:
            if not seen.settled:
                raise Refused(gettext("Something on the table moves. Try again when nothing moves."), "moving")
            _expect_readable(seen)
        lies = observed_table(seen.reading) if seen is not None else by_hand(entered or Table())
        if seen is not None and lies.loose and not self.sure:
            tiles = [lies.rows[meld][0] for meld in lies.loose]
            raise Refused(
                gettext("Is this a tile? Answer that first."),
                "doubtful-tiles",
                {"reading": seen.number, "tiles": tiles},
            )
        return night.with_events([TableCorrected(lies.table)], press, reason=self.reason, lies=lies)


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
