"""The state of a game night: what its records say, and what exists only between two of them, such as the clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from tilekeeper.companion.adjudication.turn import Case, Judged
from tilekeeper.companion.adjudication.uncertainty import Weighed
from tilekeeper.companion.game_night.clock import Clock, Timer, banks
from tilekeeper.companion.game_night.record import Note
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.settings import GameNightSettings
from tilekeeper.companion.observation.observed_table import ObservedTable, by_hand
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import Entry, TilesLaid
from tilekeeper.engine.game.state import GameState, Phase, Round
from tilekeeper.engine.language import as_sentence, gettext
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table
from tilekeeper.vision.types import TableReading


class FailureCause(StrEnum):
    """Why a turn has failed."""

    TIME_UP = "time-up"
    WRONG = "wrong"
    """The player stands by a wrong layout, or a house rule asks for the penalty at once."""


class Halt(StrEnum):
    """Why the hall that a table plays in lets no turn go on."""

    START = "start"
    """The round begins for all tables at once, and has not begun."""
    PAUSE = "pause"
    """It is paused for all tables."""


@dataclass(frozen=True, slots=True)
class FailedTurn:
    """A turn that has failed, while the tiles are put back."""

    why: FailureCause
    laid: Table | None
    """How the table lay when it failed; none until it lies still and has been read."""
    taken_back: TilesLaid | None = None
    """The turn that was found legal before somebody said that it does not stand; undo lets it stand again."""


@dataclass(frozen=True, slots=True)
class RackExceeded:
    """More tiles were laid than the rack can have held by the ledger: nobody knows yet which of the two is wrong."""

    laid: int
    rack: int
    """How many tiles were on the rack by the ledger; below 0 where it was wrong before."""


@dataclass(frozen=True, slots=True, eq=False)
class Judging:
    """A turn that is being judged because Done was pressed."""

    case: Case
    by: str
    """The name of the tablet, or that of the app."""
    left: int | None = None
    """How many tiles are left on the rack, where somebody has counted them."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What the camera saw last."""

    reading: TableReading
    number: int
    """Which reading it is."""
    settled: bool
    """Whether the table lies so now: nothing moves and nothing waits to be read."""


@dataclass(frozen=True, slots=True)
class Press:
    """Who pressed a button, when, and what the camera sees then."""

    now_s: float
    """The moment, by the monotonic clock."""
    at: str
    """The time in UTC, for the history only."""
    by: str = ""
    observation: Observation | None = None
    """None where there is no camera, or it has given no picture yet."""
    trouble: str = ""
    """Why the camera gives no picture now; empty where all is well."""
    picture: str | None = None
    """The name under which the picture is kept, where this becomes a record."""


@dataclass(frozen=True, slots=True)
class GameNightState:
    """The state of a game night; actions are functions that make another one of it."""

    recorded: RecordedGame
    settings: GameNightSettings
    clock: Clock
    start: ObservedTable
    """The table at the start of the turn as it was seen; it says the same as the game, and where each tile lay."""
    start_picture: str | None = None
    """The picture that shows it."""
    failing: FailedTurn | None = None
    judged: Judged | None = None
    """The verdict to be shown: on this turn so far, or on the one before."""
    waiting: bool = False
    """Whether Done was pressed and there is no verdict yet: the table is to lie still first, or is being judged."""
    judging: Judging | None = None
    """What is being judged."""
    exceeded: RackExceeded | None = None
    """Why Done, which was pressed, waits for an answer; none where it does not."""

    halt: Halt | None = None
    """Why no turn goes on until the hall says so; none where it does."""

    results_seen: int = 0
    """Of how many scored rounds the result was seen by the people, who went on to the next round."""

    @property
    def shows_result(self) -> bool:
        """Whether the result of the last round is shown, until somebody goes on to the next."""
        return self.state.phase in (Phase.STARTER, Phase.DEAL) and self.results_seen < len(self.state.sheet.rounds)

    @property
    def pending(self) -> bool:
        """Whether something was begun that is no record yet, and is what undo takes back first."""
        return self.failing is not None or self.waiting or self.exceeded is not None

    @property
    def pending_steps(self) -> int:
        """How many steps back that is: a turn that was not let stand is the one before."""
        return int(self.pending) + (self.failing is not None and self.failing.taken_back is not None)

    @property
    def state(self) -> GameState:
        """The game as it stands."""
        return self.recorded.state

    def before(self) -> ObservedTable:
        """The table at the start of the turn, with the places of its tiles where they are known."""
        table = self.round.table
        return self.start if self.start.table == table else by_hand(table)

    @property
    def round(self) -> Round:
        """The round in play.

        Raises:
            Refused: where there is none.
        """
        if self.state.round is None:
            raise Refused(gettext("No round has begun yet."))
        return self.state.round

    def context(self) -> TurnContext:
        """What the judge must know of the present turn."""
        return TurnContext(self.state.rules, self.round.seats[self.round.turn].opened)

    def note(self, press: Press, reason: str = "", seconds: float | None = None) -> Note:
        """The note to an action that is taken now."""
        return Note(
            step=self.recorded.last_step + 1,
            at=press.at,
            by=press.by,
            reason=reason,
            seconds=None if seconds is None else round(seconds, 1),
            picture=press.picture,
            picture_before=self.start_picture,
            clock=self.clock.as_json(press.now_s),
        )

    def with_events(
        self,
        events: Sequence[Entry],
        press: Press,
        *,
        reason: str = "",
        seconds: float | None = None,
        judged: Judged | None = None,
        lies: ObservedTable | None = None,
        goes_on: bool = False,
    ) -> GameNightState:
        """Return the state after an action: its events in the records, and the clock where they leave it.

        Args:
            events: what happened.
            press: who said so, and when.
            reason: why, in a person's words.
            seconds: how long the turn had lasted.
            judged: the verdict to be shown from now on.
            lies: the table as it was seen, where that is what the next turn starts from.
            goes_on: whether the turn goes on as it was, since something was only counted.

        Raises:
            Refused: if one of the events can't have happened as the game stands.
        """
        recorded = self.recorded.with_events(events, self.note(press, reason, seconds))
        night = replace(self, recorded=recorded)
        if not goes_on or recorded.state.phase is not self.state.phase:
            night = replace(night, judged=judged, failing=None, waiting=False, judging=None, exceeded=None)
        elif self.exceeded is not None:
            night = night.with_question_dropped(press.now_s)
        return night.carried_on(self.state, press, lies)

    def with_question_dropped(self, now_s: float) -> GameNightState:
        """Return the state in which Done waits for no answer any more: the turn goes on, and the clock with it."""
        return replace(self, exceeded=None, judged=claimed(self.recorded), clock=self.clock.go_on(now_s))

    def carried_on(self, earlier: GameState, press: Press, lies: ObservedTable | None) -> GameNightState:
        """Set the clock for the turn that has come, and keep how the table lies at its start."""
        state, play = self.state, self.state.round
        if state.phase is not Phase.TURNS or play is None:
            return replace(self, clock=self.clock.stopped(press.now_s))
        dealt = earlier.round is None or earlier.phase is not Phase.TURNS
        turn_is_new = dealt or earlier.round is None or len(play.turns) != len(earlier.round.turns)
        if not turn_is_new and play.turn == self.clock.player:
            return self._starting_from(lies, press) if lies is not None else self
        limit_s = turn_limit_s(state, self.settings)
        clock = self.clock.passed_on(press.now_s, play.turn, limit_s)
        if dealt:
            # Racks are being put in order: the first turn of a round is timed once somebody starts the clock.
            clock = Clock(play.turn, limit_s, banks_s=banks(len(play.seats)) if self.settings.tournament else ())
        else:
            clock = clock.started(press.now_s)
        return replace(self, clock=clock)._starting_from(lies, press)

    def _starting_from(self, lies: ObservedTable | None, press: Press) -> GameNightState:
        table = self.round.table
        if lies is not None and lies.table == table:
            return replace(self, start=lies, start_picture=press.picture)
        return self if self.start.table == table else replace(self, start=by_hand(table), start_picture=None)


def turn_limit_s(state: GameState, settings: GameNightSettings) -> float | None:
    """How long the present turn may last; none without a limit."""
    play = state.round
    if settings.timer is Timer.OFF or play is None:
        return None
    return state.rules.turn.limit_s_for(play.seats[play.turn].opened)


def expect_going_on(before: GameNightState, after: GameNightState) -> GameNightState:
    """Return the state after a press at the table, unless the hall has halted it and the turn would go on.

    Tiles may be put right, counted or found meanwhile, and steps taken back.

    Raises:
        Refused: if the turn would go on.
    """
    if after.halt is None or before.state.phase is not Phase.TURNS:
        return after
    pressed = (after.waiting and not before.waiting) or (after.failing is not None and before.failing is None)
    if pressed or after.clock.running or _goes_on(before.round, after.state):
        raise Refused(halt_words(after.halt), "halted")
    return after


def _goes_on(play: Round, after: GameState) -> bool:
    """Whether a turn was ended, or given to somebody else, and not taken back."""
    if after.phase is not Phase.TURNS or after.round is None:
        return True
    turns = len(after.round.turns) - len(play.turns)
    return turns > 0 or (turns == 0 and after.round.turn != play.turn)


def halt_words(halt: Halt) -> str:
    """Why no turn goes on, for people."""
    match halt:
        case Halt.START:
            return gettext("The round begins at all tables at once. The organiser starts it.")
        case Halt.PAUSE:
            return gettext("The round is paused at all tables. The referee or the organiser lets it go on.")
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def entered_or_observed(press: Press, table: str | None) -> tuple[Table | None, Observation | None]:
    """The table that an action is about: the one that was entered by hand, else the one that the camera sees.

    Raises:
        Refused: if there is neither.
    """
    if table is not None:
        return parse_table(table), None
    if press.observation is None or press.trouble:
        raise Refused(
            gettext(
                "{trouble} Enter the tiles by hand.",
                trouble=as_sentence(press.trouble) if press.trouble else gettext("No camera sees the table."),
            ),
            "no-picture",
        )
    return None, press.observation


def standing(recorded: RecordedGame, settings: GameNightSettings) -> GameNightState:
    """Return the state to which records lead, with a fresh clock that stands: all that the records alone can say."""
    play = recorded.state.round
    clock = Clock(0, None)
    if play is not None:
        timed = banks(len(play.seats)) if settings.tournament else ()
        clock = Clock(play.turn, turn_limit_s(recorded.state, settings), banks_s=timed)
    return GameNightState(
        recorded,
        settings,
        clock,
        by_hand(Table() if play is None else play.table),
        judged=claimed(recorded),
    )


def claimed(recorded: RecordedGame) -> Judged | None:
    """Return the verdict on a layout that is still wrong, as the game itself has it; none where nothing is wrong."""
    play = recorded.state.round
    if play is None or play.claim is None:
        return None
    verdict = play.claim.verdict
    return Judged(by_hand(play.table), Weighed(by_hand(play.claim.after), verdict, (), verdict.violations), 0)
