"""A failed turn: the moves that restore the table, and the buttons to confirm that, to overrule, and for more time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from tilekeeper.companion.game_night.action import GameNightAction
from tilekeeper.companion.game_night.clock import MORE_S
from tilekeeper.companion.game_night.commands.corrections import undo_steps
from tilekeeper.companion.game_night.fields import Tiles
from tilekeeper.companion.game_night.state import FailedTurn, FailureCause, GameNightState, Press
from tilekeeper.companion.game_night.turn_start import observe_as
from tilekeeper.companion.observation.observed_table import ObservedTable, by_hand, can_be_judged, table_and_rows
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import TilesLaid, TurnFailed
from tilekeeper.engine.game.failed_turns import settle_failure
from tilekeeper.engine.game.state import Phase, TurnKind
from tilekeeper.engine.game.turns import count_drawn_after_failure
from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.engine.solver.tile_moves import TileMove, find_moves
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table

LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Restoration:
    """What must be done after a failed turn: the moves that restore the table, and the penalty."""

    wanted: Table
    """The restored table."""
    observed: ObservedTable | None
    """The table that the camera sees; None unless it is settled and readable."""
    moves: tuple[TileMove, ...]
    """The tiles to move, from a place of `observed` to a place of `wanted`; empty if `observed` is None."""
    drawn: int
    """How many tiles the player draws after the table is restored."""

    @property
    def is_done(self) -> bool | None:
        """Whether the table is restored; None if there is no settled, readable table from the camera."""
        return None if self.observed is None else not self.moves


def fail(night: GameNightState, press: Press, why: FailureCause, table: Table | None) -> GameNightState:
    """Return the state in which the turn has failed and the table must be restored.

    Args:
        night: the state before.
        press: the press that ended the turn.
        why: why the turn has failed.
        table: the table at the end of the turn, since some editions let its legal melds stay; None to use the camera's
        next reading.
    """
    clock = night.clock.stopped(press.now_s)
    failed = replace(night, failing=FailedTurn(why, table), waiting=False, judging=None, clock=clock)
    return with_observed_table(failed, press)


def with_observed_table(night: GameNightState, press: Press) -> GameNightState:
    """Return the state in which the failed turn has the camera's table (`FailedTurn.laid`), if it had none.

    Return `night` itself if no turn has failed, its table is known already, or the camera sees no settled, readable
    table.
    """
    failing, observation = night.failing, press.observation
    if failing is None or failing.laid is not None or observation is None or not observation.settled or press.trouble:
        return night
    if not can_be_judged(observation.reading):
        return night
    return replace(night, failing=replace(failing, laid=table_and_rows(observation.reading)[0]))


def plan_restoration(night: GameNightState, press: Press) -> Restoration:
    """Return the moves that restore the table after the failed turn, and the number of tiles to draw.

    Raises:
        Refused: if no turn has failed.
    """
    failing = night.failing
    if failing is None:
        raise Refused(gettext("No turn has failed."))
    before = night.round.table
    laid, time_up = _failed_table(night), failing.why is FailureCause.TIME_UP
    failure = settle_failure(before, laid, time_up, night.context())
    drawn = count_drawn_after_failure(night.state, night.round, laid, time_up)
    observation = press.observation
    if observation is None or not observation.settled or press.trouble or not can_be_judged(observation.reading):
        return Restoration(failure.table, None, (), drawn)
    observed = observe_as(observation.reading, failure.table)
    return Restoration(failure.table, observed, find_moves(observed.table, failure.table), drawn)


def count_drawn_if_taken_back(night: GameNightState) -> int | None:
    """Return how many tiles the player draws if the turn is taken back; None unless it is illegal or undecided."""
    play = night.state.round
    if play is None or play.claim is None:
        return None
    return count_drawn_after_failure(night.state, play, play.claim.after, time_up=False)


class Restored(GameNightAction):
    """Confirm that the table is restored after a failed turn; the penalty is recorded.

    Refused (409, `table-differs`) if the camera sees that tiles must still be moved, unless `as_it_lies`.
    """

    path = "restored"
    table: Tiles | None = None
    """The table in the notation, if it was entered by hand; null for the camera's table."""
    as_it_lies: bool = False
    """True to accept the table as it is now, because nobody remembers how it was before the turn."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after the failed turn and its penalty are recorded.

        Raises:
            Refused: if the camera sees that tiles must still be moved, unless `as_it_lies`.
        """
        way = plan_restoration(night, press)
        observed = way.observed if self.table is None else by_hand(parse_table(self.table))
        if self.as_it_lies and observed is None:
            raise Refused(gettext("No camera sees the table. Enter the tiles by hand."), "no-picture")
        count = 0 if observed is None else len(find_moves(observed.table, way.wanted))
        if count and not self.as_it_lies:
            message = ngettext(
                "{count} tile is not back in its place yet.", "{count} tiles are not back in their places yet.", count
            )
            raise Refused(message, "table-differs")
        failing = night.failing
        assert failing is not None  # else `plan_restoration` has refused
        # A player with an empty time bank has run out of time too, even in an edition without a limit.
        limited = night.state.rules.turn.limit_s_for(night.context().opened) is not None
        event = TurnFailed(
            _failed_table(night),
            time_up=failing.why is FailureCause.TIME_UP and limited,
            restored=observed.table if self.as_it_lies and observed is not None else None,
        )
        used = night.clock.used(press.now_s)
        return night.with_events([event], press, seconds=used, observed=observed, judged=night.judged)


class Overrule(GameNightAction):
    """Overrule the judge or the clock; the history keeps the reason."""

    path = "overrule"
    reason: Annotated[str, Field(max_length=2000)]
    legal: bool = True
    """True to let the current turn count, although it was judged illegal, undecided or too late; false to make the last
    turn, which was judged legal, a failed turn."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after the turn counts, or has failed, by the players' decision.

        Raises:
            Refused: if the reason is empty or too long, or there is no verdict to overrule.
        """
        reason = " ".join(self.reason.split())
        if not reason:
            raise Refused(gettext("Say why in a few words. The reason goes into the history."), "reason")
        if len(reason) > LONGEST_REASON:
            raise Refused(
                gettext(
                    "That is too long: {count} characters. At most {most} fit.", count=len(reason), most=LONGEST_REASON
                ),
                "reason",
            )
        return _accept_table(night, press, reason) if self.legal else _fail_last_turn(night, press, reason)


def _accept_table(night: GameNightState, press: Press, reason: str) -> GameNightState:
    if night.state.phase is not Phase.TURNS:
        raise Refused(gettext("Nobody is playing a turn now."))
    claim, judged = night.round.claim, night.judged
    if night.failing is not None and night.failing.laid is not None:
        observed = by_hand(night.failing.laid)
    elif judged is not None and (not judged.sure or claim is not None):
        observed = judged.weighed.observed
    elif claim is not None:
        observed = by_hand(claim.after)
    else:
        raise Refused(gettext("There is no decision to change."))
    used = night.clock.used(press.now_s)
    event = TilesLaid(observed.table, overruled=True)
    return night.with_events([event], press, reason=reason, seconds=used, observed=observed)


def _fail_last_turn(night: GameNightState, press: Press, reason: str) -> GameNightState:
    """Return the state in which the last turn, which was judged legal, is undone and has failed."""
    play = night.round
    records = night.recorded.valid_records()
    if not play.turns or play.turns[-1].kind is not TurnKind.LAID or not isinstance(records[-1].entry, TilesLaid):
        raise Refused(gettext("The last step was not an allowed turn."))
    table = play.turns[-1].after
    undone = undo_steps(night, press, 1, reason)
    return replace(undone, failing=FailedTurn(FailureCause.WRONG, table, records[-1].entry), judged=night.judged)


class GiveMoreTime(GameNightAction):
    """Give the current turn more time. A turn that has failed because its time was up goes on."""

    path = "more-time"
    seconds: Annotated[float, Field(gt=0, le=3600)] = MORE_S

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with `seconds` more for the turn, which goes on if it failed because its time was up."""
        goes_on = night.failing is not None and night.failing.why is FailureCause.TIME_UP
        clock = night.clock.with_more_time(self.seconds)
        if goes_on:
            return replace(night, failing=None, clock=clock.started(press.now_s))
        return replace(night, clock=clock)


def _failed_table(night: GameNightState) -> Table:
    failing = night.failing
    return night.round.table if failing is None or failing.laid is None else failing.laid
