"""What people do at the pages, as values: each command makes the next state of a state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from tilekeeper.companion.adjudication.turn import Case, Judged
from tilekeeper.companion.game_night.commands.turns import done
from tilekeeper.companion.observation.groupings import Rows, is_choice
from tilekeeper.companion.observation.observed_table import inks_of, tile_of
from tilekeeper.companion.observation.reading_diff import if_unchanged, visible_doubts
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.game_night import APP, Action, GameNight
from tilekeeper.companion.session.single_turn import without_game_night
from tilekeeper.companion.session.snapshot import Moment
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.vision.types import NO_TILE_LABEL, TableReading, labels_of


class Command(Protocol):
    """Something that changes the state; a value with no thread, lock or disk in it."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state after it.

        Raises:
            Refused: where it is not possible; nothing has changed then.
        """
        ...


# The judge.


@dataclass(frozen=True, slots=True)
class GiveVerdict:
    """Give the verdict on what was to be judged."""

    case: Case
    judged: Judged

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the verdict; as it was where that is waited for no more.

        Where the same table is known better by now and the verdict turns on it, it is to be judged again.
        """
        if state.activity.case is not self.case:
            return state
        snapshot = state.snapshot
        activity = state.activity.with_verdict(self.judged, snapshot, moment)
        if activity.verdict_stands(snapshot) is False and snapshot.reading is not self.case.after:
            activity = activity.reading_corrected(snapshot, moment)
        return replace(state, activity=activity)


# Tiles and melds.


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    """Name a doubtful tile by one of the names that are offered for it."""

    reading_number: int
    tile: int
    label: str

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the tile named, and a verdict that turned on it judged again."""
        tile, reading = state.tile(self.reading_number, self.tile), state.reading(self.reading_number)
        judged = state.activity.judged
        offered = {tile.label, tile.runner_up}
        if judged is not None and judged.reading_number == self.reading_number and self.tile in judged.weighed.unsure:
            offered.update(judged.choices(reading, self.tile))
        if self.label not in offered:
            raise Refused(gettext("Choose one of the tiles shown."))
        return _with_label(state, self.tile, self.label, moment)


@dataclass(frozen=True, slots=True)
class CorrectTile:
    """Name any tile, whatever it was read as; `no-tile` takes it off the table."""

    reading_number: int
    tile: int
    label: str

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the tile named, and a verdict that turned on it judged again."""
        state.tile(self.reading_number, self.tile)
        if self.label == NO_TILE_LABEL:
            return _with_label(state, self.tile, self.label, moment)
        tile, rules = tile_of(self.label), state.activity.rules
        known = tile is not None and (rules.stock.copies_of(tile) or tile.label in labels_of(inks_of(rules)))
        if tile is None or not known:
            raise Refused(gettext("There is no tile called {label!r}.", label=self.label[:20]), "bad-table")
        return _with_label(state, self.tile, tile.label, moment)


@dataclass(frozen=True, slots=True)
class ChooseRows:
    """Choose in which melds tiles lie that could as well lie otherwise."""

    reading_number: int
    rows: Rows

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with these melds, and a verdict that turned on them judged again."""
        reading = state.reading(self.reading_number)
        doubt = next((one for one in reading.other_rows if is_choice(reading, one, self.rows)), None)
        if doubt is None:
            raise Refused(gettext("Choose one of the ways shown."))
        annotations = state.annotations.with_rows(reading, doubt, self.rows)
        return _corrected(replace(state, annotations=annotations), moment)


def _with_label(state: TableState, index: int, label: str, moment: Moment) -> TableState:
    tile = state.tile(state.snapshot.reading_number, index)
    return _corrected(replace(state, annotations=state.annotations.with_label(tile, label)), moment)


def _corrected(state: TableState, moment: Moment) -> TableState:
    """Return the state with its annotations applied to the reading, which people have just corrected."""
    reading = state.annotations.applied_to(state.reading(state.snapshot.reading_number))
    snapshot = replace(state.snapshot, reading=reading)
    return replace(state, snapshot=snapshot, activity=state.activity.reading_corrected(snapshot, moment))


# A single turn.


@dataclass(frozen=True, slots=True)
class BeginTurn:
    """Take the table as the beginning of a single turn."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the turn begun, or waiting for the table to lie still."""
        return replace(state, activity=state.activity.single_turn().begin(state.snapshot))


@dataclass(frozen=True, slots=True)
class JudgeTurn:
    """Judge the single turn: the player has pressed Done."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the verdict, or waiting for the table to lie still."""
        return replace(state, activity=state.activity.single_turn().done(state.snapshot))


@dataclass(frozen=True, slots=True)
class CancelWaiting:
    """Forget the button of a single turn that waits for the table to lie still."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state in which nothing waits."""
        return replace(state, activity=state.activity.single_turn().cancelled())


@dataclass(frozen=True, slots=True)
class UndoTurn:
    """Take back the last Done or beginning of a single turn."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state before that."""
        return replace(state, activity=state.activity.single_turn().undone())


@dataclass(frozen=True, slots=True)
class SetOpened:
    """Say whether the player of the single turn has opened in an earlier one."""

    opened: bool

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with that."""
        return replace(state, activity=state.activity.single_turn().with_opened(self.opened))


# A game night.


@dataclass(frozen=True, slots=True)
class PlayGameNight:
    """Put a game night on the table, a new one or one that was opened again."""

    night: GameNight

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state in which it is played."""
        return replace(state, activity=self.night)


@dataclass(frozen=True, slots=True)
class LeaveGameNight:
    """Take the game night off the table; it stays on the disk."""

    rules: RuleSet
    """The edition in play from now on."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state in which no game night is played."""
        if state.activity.game_night is None:
            return state
        return replace(state, activity=without_game_night(self.rules, state.source.kind))


@dataclass(frozen=True, slots=True)
class Act:
    """Press a button of the game night."""

    revision: int
    """The revision that the page showed; where the game has moved on since, the button does nothing."""
    action: Action
    by: str
    """The name of the tablet."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state after the action."""
        night = playing(state)
        night.expect_revision(self.revision)
        return replace(state, activity=night.after(self.action, state.snapshot, moment, self.by))


@dataclass(frozen=True, slots=True)
class NoticeDone:
    """Press Done for the people, who have laid a legal table."""

    revision: int
    reading: TableReading
    """The reading that was found legal."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state after Done; as it was where anything has changed meanwhile."""
        night, snapshot = state.activity.game_night, state.snapshot
        if night is None or night.revision != self.revision or snapshot.reading is None:
            return state
        if if_unchanged(self.reading, snapshot.reading) is None:
            return state
        if visible_doubts(self.reading) != visible_doubts(snapshot.reading):
            return state
        return replace(state, activity=night.after(done, snapshot, moment, APP))


@dataclass(frozen=True, slots=True)
class UpdateGameNight:
    """Change what is no action of a game night, such as its clock after the machine slept."""

    night_id: str
    update: Callable[[GameNight], GameNight]

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the change, or as it was where another game night is played by now."""
        night = state.activity.game_night
        if night is None or night.id != self.night_id:
            return state
        return replace(state, activity=self.update(night))


def playing(state: TableState) -> GameNight:
    """Return the game night that is played.

    Raises:
        Refused: where none is.
    """
    if state.activity.game_night is None:
        raise Refused(gettext("No evening is in progress. Start one first."), "no-evening")
    return state.activity.game_night
