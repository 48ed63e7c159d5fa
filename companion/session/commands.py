"""Commands of pages and of the app's threads, as immutable values: a command computes the next state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from tilekeeper.companion.adjudication.turn import Case, Judged
from tilekeeper.companion.game_night.commands.turns import Done
from tilekeeper.companion.game_night.own_phone import hand_in
from tilekeeper.companion.game_night.player_names import APP
from tilekeeper.companion.game_night.state import GameNightState, Press
from tilekeeper.companion.observation.groupings import Rows, is_choice
from tilekeeper.companion.observation.observed_table import inks_of, tile_of
from tilekeeper.companion.observation.reading_diff import if_unchanged, visible_doubts
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.game_night import Action, GameNight
from tilekeeper.companion.session.no_game_night import NoGameNight
from tilekeeper.companion.session.snapshot import Moment
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.vision.types import NO_TILE_LABEL, TableReading, labels_of


class Command(Protocol):
    """A change of the state, as a value that knows nothing of threads, locks and the disk."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state after the change; the same object if nothing changes.

        Raises:
            Refused: if the change is not possible.
        """
        ...


# The judge.


@dataclass(frozen=True, slots=True)
class GiveVerdict:
    """Publish the verdict on a case that an earlier command has left (`Activity.case`)."""

    case: Case
    judged: Judged

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the verdict; the same state if its case is no longer the current one.

        If the verdict is unsure and the reading has been improved meanwhile, the turn is judged again.
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
    """Answer a question about a tile with one of the offered labels."""

    reading_number: int
    tile: int
    label: str

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the label; if the verdict depended on the tile, the turn is judged again."""
        tile, reading = state.tile(self.reading_number, self.tile), state.reading(self.reading_number)
        judged = state.activity.judged
        offered = {tile.label, tile.runner_up}
        if judged is not None and judged.reading_number == self.reading_number and self.tile in judged.weighed.unsure:
            offered.update(judged.choices(reading, self.tile))
        if self.label not in offered:
            raise Refused(gettext("Choose one of the tiles shown."))
        return _set_label(state, self.tile, self.label, moment)


@dataclass(frozen=True, slots=True)
class CorrectTile:
    """Set the label of any tile of the reading; `no-tile` removes the tile from the table."""

    reading_number: int
    tile: int
    label: str

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the label; if the verdict depended on the tile, the turn is judged again."""
        state.tile(self.reading_number, self.tile)
        if self.label == NO_TILE_LABEL:
            return _set_label(state, self.tile, self.label, moment)
        tile, rules = tile_of(self.label), state.activity.rules
        known = tile is not None and (rules.stock.copies_of(tile) or tile.label in labels_of(inks_of(rules)))
        if tile is None or not known:
            raise Refused(gettext("There is no tile called {label!r}.", label=self.label[:20]), "bad-table")
        return _set_label(state, self.tile, tile.label, moment)


@dataclass(frozen=True, slots=True)
class ChooseRows:
    """Choose the melds of some tiles that can be grouped in several ways."""

    reading_number: int
    rows: Rows

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with these melds; if the verdict depended on them, the turn is judged again."""
        reading = state.reading(self.reading_number)
        doubt = next((rows for rows in reading.other_rows if is_choice(reading, rows, self.rows)), None)
        if doubt is None:
            raise Refused(gettext("Choose one of the ways shown."))
        annotations = state.annotations.with_rows(reading, doubt, self.rows)
        return _apply_annotations(replace(state, annotations=annotations), moment)


def _set_label(state: TableState, index: int, label: str, moment: Moment) -> TableState:
    tile = state.tile(state.snapshot.reading_number, index)
    return _apply_annotations(replace(state, annotations=state.annotations.with_label(tile, label)), moment)


def _apply_annotations(state: TableState, moment: Moment) -> TableState:
    """Return the state with its annotations, which a person has changed, applied to the reading."""
    reading = state.annotations.applied_to(state.reading(state.snapshot.reading_number))
    snapshot = replace(state.snapshot, reading=reading)
    return replace(state, snapshot=snapshot, activity=state.activity.reading_corrected(snapshot, moment))


# A game night.


@dataclass(frozen=True, slots=True)
class PlayGameNight:
    """Play a new game night, or continue a stored one."""

    night: GameNight

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the game night as its activity."""
        return replace(state, activity=self.night)


@dataclass(frozen=True, slots=True)
class LeaveGameNight:
    """Leave the game night, which stays stored."""

    rules: RuleSet
    """The edition in play from now on."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state without a game night."""
        if state.activity.game_night is None:
            return state
        return replace(state, activity=NoGameNight.watching(self.rules, state.source.kind))


@dataclass(frozen=True, slots=True)
class PutRacksAway:
    """Confirm that no rack stands around the table, so that the whole frame may be shown again."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state in which the whole frame may be shown.

        Raises:
            Refused: if a round is being played.
        """
        night = state.activity.game_night
        if night is not None and night.racks_stand:
            raise Refused(gettext("A round is being played. Finish it or leave the evening first."))
        return replace(state, racks_may_stand=False) if state.racks_may_stand else state


@dataclass(frozen=True, slots=True)
class Act:
    """Press a button of the game night."""

    revision: int
    """The revision that the page showed; refused if the game night has a newer one."""
    action: Action
    by: str
    """The name of the tablet, for the history."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state after the action."""
        night = playing(state)
        night.expect_revision(self.revision)
        return replace(state, activity=night.after(self.action, state.snapshot, moment, self.by))


@dataclass(frozen=True, slots=True)
class HandInRack:
    """Hand in a rack that a player has counted on the own phone; players do so at the same time."""

    night_id: str
    round: int
    """The number of the round that the phone showed."""
    player: int
    rack: tuple[Tile, ...] | int
    sure: bool
    """Whether to accept more copies of a tile than the box has."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the rack, which is recorded once all racks are known.

        Raises:
            Refused: if this rack is not counted now.
        """
        night = playing(state)
        play = night.state.state.round
        if night.id != self.night_id or play is None or play.number != self.round:
            raise Refused(gettext("Your rack is not counted now."), "not-now")

        def count(state: GameNightState, press: Press) -> GameNightState:
            return hand_in(state, press, self.player, self.rack, sure=self.sure)

        by = night.state.state.players[self.player]
        return replace(state, activity=night.after(count, state.snapshot, moment, by))


@dataclass(frozen=True, slots=True)
class NoticeDone:
    """Press Done for the players after hands-free Done has judged their table legal."""

    revision: int
    reading: TableReading
    """The reading that was judged legal."""

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state after Done; the same state if the table or the game has changed meanwhile."""
        night, snapshot = state.activity.game_night, state.snapshot
        if night is None or night.revision != self.revision or snapshot.reading is None:
            return state
        if if_unchanged(self.reading, snapshot.reading) is None:
            return state
        if visible_doubts(self.reading) != visible_doubts(snapshot.reading):
            return state
        return replace(state, activity=night.after(Done().apply, snapshot, moment, APP))


@dataclass(frozen=True, slots=True)
class UpdateGameNight:
    """Change a game night without an action of a player, for example its clock after the computer slept."""

    night_id: str
    update: Callable[[GameNight], GameNight]

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state with the changed game night; the same state if another one is played, or none."""
        night = state.activity.game_night
        if night is None or night.id != self.night_id:
            return state
        return replace(state, activity=self.update(night))


def playing(state: TableState) -> GameNight:
    """Return the game night in progress.

    Raises:
        Refused: if there is none.
    """
    if state.activity.game_night is None:
        raise Refused(gettext("No evening is in progress. Start one first."), "no-evening")
    return state.activity.game_night
