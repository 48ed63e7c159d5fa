"""The buttons of a turn (done, draw, pass, stand, …), and the verdict on it."""

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
    claim_verdict,
    entered_or_observed,
    is_decision_due,
    is_illegal,
)
from tilekeeper.companion.game_night.turn_start import observe_as, with_corrected_start
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
    """Judge the turn; if the table is moving, wait until it is settled (`turn.waiting_to`).

    Legal: the next player's turn begins. Illegal: `verdict` has the reasons, the clock continues, and the player
    corrects the table, draws, or takes the turn back (`stand`). Unsure: the clock is stopped until `verdict.questions`
    are answered with `/api/answer` and `verdict.groupings` with `/api/group`. Undecided: the clock is stopped until the
    players let the turn count (`overrule`), take it back (`stand`) or play on (`cancel`). If more tiles were laid than
    the rack had by the ledger, `exceeded` asks which of the two numbers is wrong.
    """

    path = "done"
    table: Tiles | None = None
    """The table in the notation, if it was entered by hand; null for the camera's table."""
    left: Count | None = None
    """How many tiles remain on the player's rack, which corrects the ledger; null if nobody counted."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state in which the turn waits for its verdict, with the clock stopped, or for a settled table.

        Raises:
            Refused: if no turn is being played, or there is no table to judge.
        """
        night = with_corrected_start(expect_turn(night), press)
        entered, observation = entered_or_observed(press, self.table)
        if entered is not None:
            return _wait_for_verdict(Case(night.before(), entered, night.context()), night, press, self.left)
        assert observation is not None  # there is one or the other
        if not observation.settled:
            return replace(night, waiting=True, clock=night.clock.hold(press.now_s))
        _expect_readable(observation)
        return _wait_for_verdict(observed_case(night, press), night, press, self.left)


def _expect_readable(observation: Observation) -> None:
    if can_be_judged(observation.reading):
        return
    status = gettext(observation.reading.status)
    raise Refused(
        gettext("The table can't be read: {status}. Or enter the tiles by hand.", status=status), "no-picture"
    )


def _wait_for_verdict(case: Case, night: GameNightState, press: Press, left: int | None) -> GameNightState:
    judging = Judging(case, press.by, left)
    return replace(night, waiting=True, judging=judging, exceeded=None, clock=night.clock.hold(press.now_s))


def observed_case(night: GameNightState, press: Press) -> Case:
    """Return the turn to be judged: it ends with the camera's table. `press` must have an observation."""
    observation = press.observation
    assert observation is not None  # the callers have checked it
    before = corrected_start(night.before(), observation.reading)
    # After an immediate penalty there is no second press of Done, so the first one counts as insisting.
    insisted = night.round.claim is not None or night.settings.penalty_at_once
    return Case(before, observation.reading, night.context(), observation.number, insisted)


def give_verdict(night: GameNightState, press: Press, judged: Judged) -> GameNightState:
    """Return the state after a verdict.

    Legal: the next turn. Illegal: the same turn goes on, or has failed if the settings demand the penalty at once.
    Undecided: the clock stays stopped until the players have decided. Unsure: the questions are shown with the clock
    stopped. If Done was pressed and the verdict depends on covered tiles, the state waits until these are visible.
    """
    weighed, left = judged.weighed, None if night.judging is None else night.judging.left
    night = replace(night, judging=None)
    if weighed.waits and night.waiting:
        return night
    if not judged.sure and not weighed.certain:
        # Nothing is recorded while the verdict depends on a doubtful tile; the clock is stopped meanwhile.
        return replace(night, judged=judged, waiting=False, exceeded=None, clock=night.clock.hold(press.now_s))
    table = weighed.observed.table
    exceeded = _rack_exceeded(night, table) if left is None else None
    if exceeded is not None:
        return replace(night, judged=judged, waiting=False, exceeded=exceeded, clock=night.clock.hold(press.now_s))
    used = night.clock.used(press.now_s)
    events = [*_rack_count_events(night, table, left), TilesLaid(table, _counted_seconds(night, used))]
    after = night.with_events(events, press, seconds=used, judged=judged, observed=weighed.observed)
    claim = after.state.round.claim if after.state.round is not None else None
    if after.state.phase is not Phase.TURNS or claim is None:
        return after
    if claim.verdict.undecided:
        return after  # the clock stays stopped while the players check the turn
    if night.settings.penalty_at_once:
        return replace(
            after, failing=FailedTurn(FailureCause.WRONG, claim.after), clock=after.clock.stopped(press.now_s)
        )
    return replace(after, clock=after.clock.go_on(press.now_s))


def _count_laid(night: GameNightState, table: Table) -> int:
    return (table.counts - night.round.table.counts).total()


def _rack_exceeded(night: GameNightState, table: Table) -> RackExceeded | None:
    laid, rack = _count_laid(night, table), night.round.seats[night.round.turn].rack
    return RackExceeded(laid, rack) if laid > max(rack, 0) else None


def _rack_count_events(night: GameNightState, table: Table, left: int | None) -> list[Event]:
    """Return the events that correct the ledger by `left`, the counted tiles that remain on the rack.

    None are needed if `left` is None or agrees with the ledger. If the player has more tiles than the ledger says, the
    additional tiles are taken from the pool.
    """
    play, ledger = night.round, night.recorded.game.ledger
    if left is None or ledger is None:
        return []
    rack = _count_laid(night, table) + left
    additional = rack - play.seats[play.turn].rack
    if not additional:
        return []
    pool = max(0, play.pool - max(0, additional - ledger.unaccounted))
    return [RackCounted(play.turn, rack), *([PoolCounted(pool)] if pool != play.pool else [])]


def judge_again(night: GameNightState, press: Press) -> GameNightState:
    """Return the state in which the turn waits for another verdict, since its reading was corrected."""
    night = with_corrected_start(night, press)
    case = observed_case(night, press)
    return replace(night, judging=replace(night.judging or Judging(case, press.by), case=case))


def _counted_seconds(night: GameNightState, used_s: float) -> float | None:
    """Return the duration of the turn for the engine, in seconds; None unless a strict timer limits the turn.

    The engine fails a turn that took longer than the limit of the rules. So granted time does not count, and the result
    is at most that limit and the player's own: Done was pressed in time, even if the reading came later.
    """
    limit_s, of_rules_s = night.clock.limit_s, night.state.rules.turn.limit_s_for(night.context().opened)
    if night.settings.timer is not Timer.STRICT or limit_s is None or of_rules_s is None:
        return None
    return round(min(max(0.0, used_s - night.clock.extra_s), limit_s, of_rules_s), 1)


class Cancel(GameNightAction):
    """Take back the press of Done, or close a question without an answer: the turn goes on."""

    path = "cancel"

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state without a waiting Done and without a question; the clock continues."""
        if night.exceeded is not None:
            return night.with_question_dropped(press.now_s)
        has_question = is_decision_due(night) or (night.judged is not None and not night.judged.sure)
        if not night.waiting and not has_question:
            raise Refused(gettext("There is nothing to cancel."))
        judged = night.judged if night.judged is not None and night.judged.sure else claim_verdict(night.recorded)
        return replace(night, waiting=False, judging=None, judged=judged, clock=night.clock.go_on(press.now_s))


class Draw(GameNightAction):
    """Draw a tile instead of laying.

    Refused (409, `table-differs`) if the camera sees another table than at the start of the turn, unless `sure`.
    """

    path = "draw"
    sure: bool = False
    """True to draw although the camera sees another table than at the start of the turn."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after the draw; the table is the one at the start of the turn.

        Raises:
            Refused: if nobody may draw now, or the camera sees another table than at the start of the turn, unless
                `sure`.
        """
        return _without_laying(night, press, TileDrawn(), self.sure)


class Pass(GameNightAction):
    """Pass: end the turn without laying or drawing.

    Refused (409, `table-differs`) if the camera sees another table than at the start of the turn, unless `sure`.
    """

    path = "pass"
    can_lay: bool = False
    """True if the player could have laid a tile, which costs a star in `junior`."""
    sure: bool = False
    """True to pass although the camera sees another table than at the start of the turn."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after the pass; the table is the one at the start of the turn.

        Raises:
            Refused: if nobody may pass now, or the camera sees another table than at the start of the turn, unless
                `sure`.
        """
        return _without_laying(night, press, Passed(self.can_lay), self.sure)


def _without_laying(night: GameNightState, press: Press, event: Event, sure: bool) -> GameNightState:
    night = with_corrected_start(expect_turn(night), press)
    if is_illegal(night):
        raise Refused(gettext("This turn is not allowed. Fix it and press Done, or take it back."), "wrong")
    observed = _expect_unchanged(night, press, sure)
    return night.with_events([event], press, seconds=night.clock.used(press.now_s), observed=observed)


def _expect_unchanged(night: GameNightState, press: Press, sure: bool) -> ObservedTable | None:
    """Return the camera's table if it equals the table at the start of the turn.

    Return None if the camera sees no settled, readable table, or another table and `sure` is true.

    Raises:
        Refused: if the camera sees another table, unless `sure`.
    """
    before, observation = night.before(), press.observation
    if observation is None or not observation.settled or press.trouble or not can_be_judged(observation.reading):
        return None
    observed = observe_as(observation.reading, before.table)
    count = len(find_moves(observed.table, before.table))
    if not count:
        return observed
    if not sure:
        raise Refused(
            ngettext(
                "{count} tile is not where it was at the start of the turn. First put everything back, or say that the "
                "table is right.",
                "{count} tiles are not where they were at the start of the turn. First put everything back, or say "
                "that the table is right.",
                count,
            ),
            "table-differs",
            {"table": str(observed.table), "wanted": str(before.table)},
        )
    return None


class Stand(GameNightAction):
    """Take back an illegal or undecided turn: the turn fails, and the table must be restored."""

    path = "stand"

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state in which the turn has failed.

        Raises:
            Refused: if the turn is neither illegal nor undecided.
        """
        claim = expect_turn(night).round.claim
        if claim is None:
            raise Refused(gettext("Nothing on the table is wrong. Press Done first."))
        return fail(night, press, FailureCause.WRONG, claim.after)


class TableNow(GameNightAction):
    """Take the current table as the start of the turn, after a bump or in a round that began without the app.

    Refused (409, `doubtful-tiles`) if an isolated tile may be a false detection, unless `sure`. `details` has the
    number of the reading and these tiles; send their labels to `/api/correct`.
    """

    path = "table"
    table: Tiles | None = None
    """The table in the notation, if it was entered by hand; null for the camera's table."""
    reason: Annotated[str, Field(max_length=300)] = ""
    sure: bool = False
    """True to confirm that all isolated doubtful tiles are real tiles."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the current table as the start of the turn.

        Raises:
            Refused: if no turn is being played, there is no settled table, or an isolated tile may be a false
                detection, unless `sure`.
        """
        expect_turn(night, while_failing=True)
        entered, observation = entered_or_observed(press, self.table)
        if observation is not None:
            if not observation.settled:
                raise Refused(gettext("Something on the table moves. Try again when nothing moves."), "moving")
            _expect_readable(observation)
        observed = by_hand(entered or Table()) if observation is None else observed_table(observation.reading)
        if observation is not None and observed.loose and not self.sure:
            tiles = [observed.rows[meld][0] for meld in observed.loose]
            raise Refused(
                gettext("Is this a tile? Answer that first."),
                "doubtful-tiles",
                {"reading": observation.number, "tiles": tiles},
            )
        return night.with_events([TableCorrected(observed.table)], press, reason=self.reason, observed=observed)


def expect_turn(night: GameNightState, while_failing: bool = False) -> GameNightState:
    """Return `night` itself if a turn is being played.

    Raises:
        Refused: if no turn is being played; without `while_failing` also while a failed turn is being restored.
    """
    if night.state.phase is not Phase.TURNS:
        raise Refused(gettext("Nobody is playing a turn now."))
    if night.failing is not None and not while_failing:
        raise Refused(gettext("This turn has failed. First put the tiles back."), "failing")
    return night
