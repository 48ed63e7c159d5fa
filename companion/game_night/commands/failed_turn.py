"""A turn that has failed: which tiles go back, whether they lie there again, and the host's word against it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from tilekeeper.companion.game_night.action import GameNightAction
from tilekeeper.companion.game_night.clock import MORE_S
from tilekeeper.companion.game_night.commands.corrections import undo_steps
from tilekeeper.companion.game_night.fields import Tiles
from tilekeeper.companion.game_night.state import FailedTurn, FailureCause, GameNightState, Press
from tilekeeper.companion.game_night.turn_start import lies_as
from tilekeeper.companion.observation.observed_table import ObservedTable, by_hand, can_be_judged, table_and_rows
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import TilesLaid, TurnFailed
from tilekeeper.engine.game.failed_turns import settle_failure
from tilekeeper.engine.game.state import Phase, TurnKind
from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.engine.solver.tile_moves import TileMove, find_moves
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table

LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class WayBack:
    """What is still to be done until the table lies as the rules want it after a failed turn."""

    wanted: Table
    """How it should lie."""
    lies: ObservedTable | None
    """How it lies; none where nobody sees it."""
    moves: tuple[TileMove, ...]
    """The tiles to move, from a place of the table as it lies to one of the table that is wanted."""
    penalty: int
    """How many tiles the player draws, if the pool has as many."""

    @property
    def there(self) -> bool | None:
        """Whether it lies so already; none where nobody sees it."""
        return None if self.lies is None else not self.moves


def fail(night: GameNightState, press: Press, why: FailureCause, table: Table | None) -> GameNightState:
    """The turn has failed; what lay there counts where an edition lets some of it stay."""
    clock = night.clock.stopped(press.now_s)
    failed = replace(night, failing=FailedTurn(why, table), waiting=False, judging=None, clock=clock)
    return with_observed_table(failed, press)


def with_observed_table(night: GameNightState, press: Press) -> GameNightState:
    """Keep how the table lay when the time was up, once it lies still and can be read."""
    failing, seen = night.failing, press.observation
    if failing is None or failing.laid is not None or seen is None or not seen.settled or press.trouble:
        return night
    if not can_be_judged(seen.reading):
        return night
    return replace(night, failing=replace(failing, laid=table_and_rows(seen.reading)[0]))


def way_back(night: GameNightState, press: Press) -> WayBack:
    """How the table should lie after the failed turn, and what is to be moved for that.

    Raises:
        Refused: where no turn has failed.
    """
    failing = night.failing
    if failing is None:
        raise Refused(gettext("No turn has failed."))
    before = night.round.table
    failure = settle_failure(before, _failed_table(night), failing.why is FailureCause.TIME_UP, night.context())
    seen = press.observation
    if seen is None or not seen.settled or press.trouble or not can_be_judged(seen.reading):
        return WayBack(failure.table, None, (), failure.penalty)
    lies = lies_as(seen.reading, failure.table)
    return WayBack(failure.table, lies, find_moves(lies.table, failure.table), failure.penalty)


class Restored(GameNightAction):
    """The table lies as it should after a failed turn; its penalty is noted.

    Refused (409, `table-differs`) where the camera sees that tiles are still to be moved.
    """

    path = "restored"
    table: Tiles | None = None
    """The table in the notation, where it was entered by hand; otherwise the camera looks."""
    as_it_lies: bool = False
    """That it stays as it lies, since nobody knows the places any more."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the failed turn and its penalty noted.

        Raises:
            Refused: where the camera sees that tiles are still to be moved, unless it stays as it lies.
        """
        way = way_back(night, press)
        lies = way.lies if self.table is None else by_hand(parse_table(self.table))
        if self.as_it_lies and lies is None:
            raise Refused(gettext("No camera sees the table. Enter the tiles by hand."), "no-picture")
        count = 0 if lies is None else len(find_moves(lies.table, way.wanted))
        if count and not self.as_it_lies:
            message = ngettext(
                "{count} tile is not back in its place yet.", "{count} tiles are not back in their places yet.", count
            )
            raise Refused(message, "table-differs")
        failing = night.failing
        assert failing is not None  # there is a way back
        # A player whose bank is empty has run out of time as well, even where the edition itself sets no limit.
        limited = night.state.rules.turn.limit_s_for(night.context().opened) is not None
        event = TurnFailed(
            _failed_table(night),
            time_up=failing.why is FailureCause.TIME_UP and limited,
            restored=lies.table if self.as_it_lies and lies is not None else None,
        )
        used = night.clock.used(press.now_s)
        return night.with_events([event], press, seconds=used, lies=lies, judged=night.judged)


class Overrule(GameNightAction):
    """The table decides otherwise than the judge or the clock; the reason stands in the history."""

    path = "overrule"
    reason: Annotated[str, Field(max_length=2000)]
    legal: bool = True
    """That what lies there stands; false lets the last turn, found legal, count as failed."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after the decision.

        Raises:
            Refused: without a reason, or where there is no verdict that this would change.
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
        return _let_stand(night, press, reason) if self.legal else _not_let_stand(night, press, reason)


def _let_stand(night: GameNightState, press: Press, reason: str) -> GameNightState:
    if night.state.phase is not Phase.TURNS:
        raise Refused(gettext("Nobody is playing a turn now."))
    claim, judged = night.round.claim, night.judged
    if night.failing is not None and night.failing.laid is not None:
        lies = by_hand(night.failing.laid)
    elif judged is not None and (not judged.sure or claim is not None):
        lies = judged.weighed.observed
    elif claim is not None:
        lies = by_hand(claim.after)
    else:
        raise Refused(gettext("There is no decision to change."))
    used = night.clock.used(press.now_s)
    event = TilesLaid(lies.table, overruled=True)
    return night.with_events([event], press, reason=reason, seconds=used, lies=lies)


def _not_let_stand(night: GameNightState, press: Press, reason: str) -> GameNightState:
    """Take the last turn back, which was found legal, and let it have failed."""
    play = night.round
    standing = night.recorded.standing()
    if not play.turns or play.turns[-1].kind is not TurnKind.LAID or not isinstance(standing[-1].entry, TilesLaid):
        raise Refused(gettext("The last thing that happened was not an allowed turn."))
    laid_then = play.turns[-1].after
    back = undo_steps(night, press, 1, reason)
    return replace(back, failing=FailedTurn(FailureCause.WRONG, laid_then, standing[-1].entry), judged=night.judged)


class GiveMoreTime(GameNightAction):
    """Give this turn more time; one that has failed for want of it goes on."""

    path = "more-time"
    seconds: Annotated[float, Field(gt=0, le=3600)] = MORE_S

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with a longer limit."""
        goes_on = night.failing is not None and night.failing.why is FailureCause.TIME_UP
        clock = night.clock.more(self.seconds)
        if goes_on:
            return replace(night, failing=None, clock=clock.started(press.now_s))
        return replace(night, clock=clock)


def _failed_table(night: GameNightState) -> Table:
    failing = night.failing
    return night.round.table if failing is None or failing.laid is None else failing.laid
