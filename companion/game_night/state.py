"""The state of a game night: its records, and values that are not recorded, such as the clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from tilekeeper.companion.adjudication.turn import Case, Judged
from tilekeeper.companion.adjudication.uncertainty import Weighed
from tilekeeper.companion.game_night.clock import Clock, Timer
from tilekeeper.companion.game_night.record import Note
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.settings import GameNightSettings
from tilekeeper.companion.observation.observed_table import ObservedTable, by_hand
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import Commanded, Entry, GameEnded, TilesLaid
from tilekeeper.engine.game.state import GameState, Phase, Round
from tilekeeper.engine.language import as_sentence, gettext
from tilekeeper.engine.rules.policies import Totals
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.vision.types import TableReading


class FailureCause(StrEnum):
    """Why a turn has failed."""

    TIME_UP = "time-up"
    WRONG = "wrong"
    """The player did not correct an illegal table, or a house rule demands the penalty at once."""


class Halt(StrEnum):
    """Why the hall has halted the table."""

    START = "start"
    """The round has not begun, since all tables begin at the same time."""
    PAUSE = "pause"
    """The hall has paused the round at all tables."""


@dataclass(frozen=True, slots=True)
class FailedTurn:
    """A failed turn whose table is not restored yet."""

    why: FailureCause
    laid: Table | None
    """The table when the turn failed; None until the camera has read the settled table."""
    taken_back: TilesLaid | None = None
    """The legal turn that the players overruled, which undo restores; None for other failed turns."""


@dataclass(frozen=True, slots=True)
class RackExceeded:
    """A turn in which more tiles were laid than the rack had by the ledger; a person must say which number is wrong."""

    laid: int
    rack: int
    """How many tiles the rack had by the ledger; below 0 if the ledger was wrong before."""


@dataclass(frozen=True, slots=True)
class HandedIn:
    """A rack that a player has counted on the own phone at the end of a round; nobody else may see it yet."""

    player: int
    tiles: tuple[Tile, ...]
    sure: bool
    """Whether the player has confirmed tiles of which there are too many copies."""


@dataclass(frozen=True, slots=True, eq=False)
class Judging:
    """A turn that is being judged because Done was pressed."""

    case: Case
    by: str
    """Who pressed Done: the name of a tablet, or `app`."""
    left: int | None = None
    """How many tiles remain on the rack; None if nobody counted them."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The newest reading of the camera."""

    reading: TableReading
    number: int
    """The reading's number."""
    settled: bool
    """Whether the reading is current: nothing moves, and no newer frame waits to be read."""


@dataclass(frozen=True, slots=True)
class Press:
    """A press of a button: who pressed, when, and what the camera saw."""

    now_s: float
    """The time in seconds of a monotonic clock."""
    at: str
    """The time in UTC, for the history only."""
    by: str = ""
    observation: Observation | None = None
    """The newest reading; None without a camera, or before its first reading."""
    trouble: str = ""
    """Why the camera gives no picture now, in one line; empty if it does."""
    picture: str | None = None
    """The name under which the picture of the table is stored if this press is recorded; None without a picture."""


@dataclass(frozen=True, slots=True)
class GameNightState:
    """The state of a game night, as an immutable value; actions make new states."""

    recorded: RecordedGame
    settings: GameNightSettings
    clock: Clock
    start: ObservedTable
    """The table at the start of the turn: the game's table, with each tile's place in the image."""
    start_picture: str | None = None
    """The name of the stored picture of `start`; None without a picture."""
    failing: FailedTurn | None = None
    judged: Judged | None = None
    """The verdict to show: on the current turn, or on the turn before; None without a verdict."""
    waiting: bool = False
    """Whether Done was pressed and there is no verdict yet, because the table is moving or is being judged."""
    judging: Judging | None = None
    """The turn that is being judged; None if no turn is."""
    exceeded: RackExceeded | None = None
    """The question whether the table or the ledger is wrong, on which Done waits; None without such a question."""
    halt: Halt | None = None
    """Why the hall has halted the table; None if it has not."""
    handed_in: tuple[HandedIn, ...] = ()
    """The racks that were counted on phones, until all racks are known; neither recorded nor stored."""
    to_recount: tuple[int, ...] = ()
    """The players who must count again on their phones, since all racks together had too many copies of a tile."""
    results_seen: int = 0
    """How many scored rounds had their result closed on the page."""

    @property
    def shows_result(self) -> bool:
        """Whether pages show the result of the last round, because nobody has closed it yet."""
        return self.state.phase in (Phase.STARTER, Phase.DEAL) and self.results_seen < len(self.state.sheet.rounds)

    @property
    def pending(self) -> bool:
        """Whether a failed turn, a waiting Done or an open question is not recorded yet; undo takes that back first."""
        return self.failing is not None or self.waiting or self.exceeded is not None

    @property
    def pending_steps(self) -> int:
        """How many steps undo takes back before it reaches the records: 0 or 1, or 2 if a legal turn was overruled."""
        return int(self.pending) + (self.failing is not None and self.failing.taken_back is not None)

    @property
    def state(self) -> GameState:
        """The current state of the game."""
        return self.recorded.state

    @property
    def is_of_hall(self) -> bool:
        """Whether a hall seats this table, and so sets its names, rules and end."""
        return any(isinstance(record.entry, Commanded) for record in self.recorded.records)

    def is_time_for_no_new_round(self, press: Press) -> bool:
        """Return whether a round is scored, the next one has not begun, and the agreed time has passed."""
        between = self.state.phase in (Phase.STARTER, Phase.DEAL) and bool(self.state.sheet.rounds)
        return between and self._is_agreed_time_over(press)

    def _is_agreed_time_over(self, press: Press) -> bool:
        return bool(self.settings.ends_at) and press.at >= self.settings.ends_at

    def before(self) -> ObservedTable:
        """Return the table at the start of the turn, with each tile's place in the image if a camera has read it."""
        table = self.round.table
        return self.start if self.start.table == table else by_hand(table)

    @property
    def round(self) -> Round:
        """The round in play.

        Raises:
            Refused: if no round has begun.
        """
        if self.state.round is None:
            raise Refused(gettext("No round has begun yet."))
        return self.state.round

    def context(self) -> TurnContext:
        """Return what the judge must know of the current turn: the rules, and whether the player has opened."""
        return TurnContext(self.state.rules, self.round.seats[self.round.turn].opened)

    def note(self, press: Press, reason: str = "", seconds: float | None = None) -> Note:
        """Return the note for an action that is taken with this press."""
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
        observed: ObservedTable | None = None,
        goes_on: bool = False,
    ) -> GameNightState:
        """Return the state after an action: its events are recorded, and the clock is set.

        Args:
            events: the action's events.
            press: who took the action, and when.
            reason: a person's reason.
            seconds: how long the turn had lasted.
            judged: the verdict to show from now on.
            observed: the observed table at the start of the next turn; None if no camera has read it.
            goes_on: whether the current turn continues, for example because tiles were only counted.

        Raises:
            Refused: if one of the events is impossible in the current game.
        """
        note = self.note(press, reason, seconds)
        recorded = self.recorded.with_events(events, note)
        if self._ends_with(recorded.state, press):
            recorded = recorded.with_events([GameEnded()], note)  # undo takes both back
        night = replace(self, recorded=recorded)
        if not goes_on or recorded.state.phase is not self.state.phase:
            night = replace(night, judged=judged, failing=None, waiting=False, judging=None, exceeded=None)
        elif self.exceeded is not None:
            night = night.with_question_dropped(press.now_s)
        return night._set_clock(self.state, press, observed)

    def _ends_with(self, after: GameState, press: Press) -> bool:
        """Return whether a round was scored in `after` and the agreed points, or the agreed time, are reached."""
        if after.phase is Phase.OVER or len(after.sheet.rounds) <= len(self.state.sheet.rounds):
            return False
        points, has_points = self.settings.end_points, after.sheet.counts is Totals.HIGHEST_TOTAL
        return bool(points and has_points and max(after.sheet.totals) >= points) or self._is_agreed_time_over(press)

    def with_question_dropped(self, now_s: float) -> GameNightState:
        """Return the state in which the question `exceeded` is dropped, and the turn and its clock go on."""
        return replace(self, exceeded=None, judged=claim_verdict(self.recorded), clock=self.clock.go_on(now_s))

    def _set_clock(self, earlier: GameState, press: Press, observed: ObservedTable | None) -> GameNightState:
        """Return the state with the clock of the current turn and the table at its start."""
        state, play = self.state, self.state.round
        if state.phase is not Phase.TURNS or play is None:
            return replace(self, clock=self.clock.stopped(press.now_s))
        dealt = earlier.round is None or earlier.phase is not Phase.TURNS
        turn_is_new = dealt or earlier.round is None or len(play.turns) != len(earlier.round.turns)
        if not turn_is_new and play.turn == self.clock.player:
            return self._with_start(observed, press) if observed is not None else self
        limit_s = turn_limit_s(state, self.settings)
        clock = self.clock.for_next_turn(press.now_s, play.turn, limit_s)
        # After a deal players are still sorting their racks, so somebody starts the clock of a round's first turn.
        clock = _first_clock(play, self.settings, limit_s) if dealt else clock.started(press.now_s)
        return replace(self, clock=clock)._with_start(observed, press)

    def _with_start(self, observed: ObservedTable | None, press: Press) -> GameNightState:
        table = self.round.table
        if observed is not None and observed.table == table:
            return replace(self, start=observed, start_picture=press.picture)
        return self if self.start.table == table else replace(self, start=by_hand(table), start_picture=None)


def turn_limit_s(state: GameState, settings: GameNightSettings) -> float | None:
    """Return the limit of the current turn in seconds, which a time handicap may change; None without a limit."""
    play = state.round
    if settings.timer is Timer.OFF or play is None:
        return None
    limit_s = state.rules.turn.limit_s_for(play.seats[play.turn].opened)
    return limit_s if limit_s is None else settings.limit_s_of(play.turn) or limit_s


def expect_going_on(before: GameNightState, after: GameNightState) -> GameNightState:
    """Return `after`, the state after a press at the table, unless the hall has halted the table.

    At a halted table players may still correct records, count and find tiles, and undo steps.

    Raises:
        Refused: if the hall has halted the table and the press would continue or end the turn.
    """
    if after.halt is None or before.state.phase is not Phase.TURNS:
        return after
    pressed = (after.waiting and not before.waiting) or (after.failing is not None and before.failing is None)
    if pressed or after.clock.running or _goes_on(before.round, after.state):
        raise Refused(halt_words(after.halt), "halted")
    return after


def _goes_on(play: Round, after: GameState) -> bool:
    """Return whether a turn of `play` has ended or passed to another player in `after`, other than by undo."""
    if after.phase is not Phase.TURNS or after.round is None:
        return True
    turns = len(after.round.turns) - len(play.turns)
    return turns > 0 or (turns == 0 and after.round.turn != play.turn)


def halt_words(halt: Halt) -> str:
    """Return a sentence for the page that says why the table is halted."""
    match halt:
        case Halt.START:
            return gettext("The round begins at all tables at once. The organiser starts it.")
        case Halt.PAUSE:
            return gettext("The round is paused at all tables. Only the referee or the organiser can continue it.")
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def entered_or_observed(press: Press, table: str | None) -> tuple[Table | None, Observation | None]:
    """Return the table that was entered by hand and None; or None and the camera's observation.

    Raises:
        Refused: if no table was entered and the camera gives no picture.
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


def state_of_records(recorded: RecordedGame, settings: GameNightSettings) -> GameNightState:
    """Return the state of a game night by its records alone, with a new, stopped clock."""
    play = recorded.state.round
    clock = Clock(0, None)
    if play is not None:
        clock = _first_clock(play, settings, turn_limit_s(recorded.state, settings))
    return GameNightState(
        recorded,
        settings,
        clock,
        by_hand(Table() if play is None else play.table),
        judged=claim_verdict(recorded),
    )


def _first_clock(play: Round, settings: GameNightSettings, limit_s: float | None) -> Clock:
    """Return the stopped clock of a turn before which no time bank was used."""
    banks_s = settings.time.banks(len(play.seats)) if settings.tournament else ()
    return Clock(play.turn, limit_s, banks_s=banks_s, control=settings.time)


def is_illegal(night: GameNightState) -> bool:
    """Return whether the current turn was judged illegal, so that it must be corrected or taken back."""
    play = night.state.round
    return play is not None and play.claim is not None and not play.claim.verdict.undecided


def is_undecided(night: GameNightState) -> bool:
    """Return whether the judge could not decide the current turn, so that the players must."""
    play = night.state.round
    return play is not None and play.claim is not None and play.claim.verdict.undecided


def is_decision_due(night: GameNightState) -> bool:
    """Return whether the clock is stopped until the players have decided an undecided turn."""
    return is_undecided(night) and night.clock.held


def claim_verdict(recorded: RecordedGame) -> Judged | None:
    """Return the recorded verdict on the current turn if it is illegal or undecided; None otherwise."""
    play = recorded.state.round
    if play is None or play.claim is None:
        return None
    verdict = play.claim.verdict
    return Judged(by_hand(play.table), Weighed(by_hand(play.claim.after), verdict, (), verdict.violations), 0)


def judged_player(night: GameNightState) -> int | None:
    """Return the seat whose turn was judged, after a legal turn the previous player's; None without a verdict."""
    play = night.state.round
    if play is None or night.judged is None:
        return None
    laid = play.turns[-1] if play.turns and play.turns[-1].verdict is not None else None
    was_legal = play.claim is None and laid is not None and laid.verdict == night.judged.weighed.verdict
    return laid.player if laid is not None and was_legal else play.turn
