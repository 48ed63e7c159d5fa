"""The states of a game night after its corrections: what happened, without undone events and with corrected ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.engine.game.events import Commanded, Corrected, Event, Undone
from tilekeeper.engine.game.fold import step
from tilekeeper.engine.game.game import Game, effective_events
from tilekeeper.engine.game.state import EventRefused, GameState, Round


def corrected_states(recorded: RecordedGame) -> tuple[GameState, ...]:
    """Return the states after the start and each later event that counts, corrected ones in their new form.

    Each event is replayed by the rules that were in force when it was recorded.
    """
    try:
        return tuple(_by_rules_then(recorded))
    except EventRefused:  # a turn was corrected after the rules had changed, and later events fit only the new rules
        return tuple(_by_rules_now(recorded))


def ended_rounds(states: Iterable[GameState]) -> tuple[Round, ...]:
    """Return the rounds of `corrected_states` as they ended, and the last one as it stands."""
    newest = {state.round.number: state.round for state in states if state.round is not None}
    return tuple(newest.values())


def _by_rules_then(recorded: RecordedGame) -> Iterator[GameState]:
    state = replace(recorded.states[0], rounds_agreed=recorded.state.rounds_agreed)
    yield state
    for place, event in _events(recorded):
        state = step(replace(state, rules=recorded.states[place - 1].rules), event)
        yield state


def _by_rules_now(recorded: RecordedGame) -> Iterator[GameState]:
    (_, start), *later = effective_events(recorded.game.entries)
    state = Game.replay((start,)).state
    yield state
    for _, event in later:
        state = step(state, event)
        yield state


def _events(recorded: RecordedGame) -> Iterable[tuple[int, Event]]:
    """Return the events after the start that count, with their indices, as before all changes of the agreement.

    Such a change is a correction of the start; further corrections in its step only keep the verdicts on earlier turns.
    """
    records = [(place, recorded.records[place]) for place in recorded.valid_places()[1:]]
    corrections = [record for _, record in records if isinstance(record.entry, Corrected) and record.entry.place == 0]
    agreement_steps = {record.note.step for record in corrections}
    events: dict[int, Event] = {}
    for place, record in records:
        entry = record.entry
        if isinstance(entry, Corrected):
            if record.note.step not in agreement_steps:
                events[entry.place] = entry.instead
        elif not isinstance(entry, Undone | Commanded):
            events[place] = entry
    return events.items()
