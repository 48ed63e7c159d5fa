"""The button that changes the agreement of a game night: rounds, seconds per turn, opening points and names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Final

from pydantic import BaseModel, Field

from tilekeeper.companion.game_night.action import GameNightAction
from tilekeeper.companion.game_night.fields import CHECKED, SeatIndex
from tilekeeper.companion.game_night.player_names import tidy_names
from tilekeeper.companion.game_night.state import GameNightState, Press, turn_limit_s
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import Corrected, Entry, Event, GameStarted, PlayerJoined, PlayerOpened, TilesLaid
from tilekeeper.engine.game.game import Game, effective_events
from tilekeeper.engine.game.state import EventRefused, GameState
from tilekeeper.engine.judge.judge import judge_once
from tilekeeper.engine.language import gettext

_SECONDS: Final = "turn.limit_s"
_OPENING: Final = "opening.minimum_points"


class SeatName(BaseModel):
    """The new name of a seat."""

    model_config = CHECKED
    player: SeatIndex
    name: Annotated[str, Field(max_length=400)]


class ChangeAgreement(GameNightAction):
    """Change the number of rounds, the seconds per turn, the opening points or players' names.

    Turns that were played already keep their verdict. Fields that are not sent keep their value.
    """

    path = "agreement"
    rounds: Annotated[int, Field(ge=1, le=99)] | None = None
    """The agreed number of rounds; null for no fixed end."""
    limit_s: Annotated[int, Field(ge=5, le=3600)] | None = None
    """How many seconds a turn may last."""
    opening_points: Annotated[int, Field(ge=1, le=999)] | None = None
    """How many points an opening needs."""
    names: Annotated[list[SeatName], Field(max_length=8)] = Field(default_factory=list)

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the changed agreement; the current turn goes on.

        Raises:
            Refused: if a name can't be used, more rounds have begun than are now agreed, or a turn already played
                would count differently.
        """
        events = effective_events(night.recorded.game.entries)
        (_, start), *later = events
        assert isinstance(start, GameStarted)  # every game begins with it
        changed = self._renamed(night.state, later, self._new_start(night.state, start))
        if changed[-1] == Corrected(0, start):
            return night
        kept = _keep_decisions(night.recorded.game, events, changed[-1].instead)
        after = night.with_events([*kept, *changed], press, goes_on=True)
        if _played(after.state) != _played(night.state):
            raise Refused(gettext("A turn already played would count differently. Take that turn back first."))
        return replace(after, clock=replace(after.clock, limit_s=turn_limit_s(after.state, after.settings)))

    def _new_start(self, state: GameState, start: GameStarted) -> GameStarted:
        rounds = self.rounds if "rounds" in self.model_fields_set else start.rounds
        under_way = len(state.sheet.rounds) + 1
        if rounds is not None and rounds < under_way:
            raise Refused(gettext("Round {round} has begun already.", round=under_way))
        values = {_SECONDS: self.limit_s, _OPENING: self.opening_points}
        rules = {name: f"{name}={value}" for name, value in values.items() if value is not None}
        kept = (rule for rule in start.house if rule.partition("=")[0] not in rules)
        return replace(start, rounds=rounds, house=(*kept, *rules.values()))

    def _renamed(
        self, state: GameState, later: Sequence[tuple[int, Event]], start: GameStarted
    ) -> tuple[Corrected, ...]:
        """Return the corrections that rename players: those of the records of late joiners, then the one of `start`.

        Raises:
            Refused: if there is no such player, or a name can't be used.
        """
        if any(new.player >= len(state.players) for new in self.names):
            raise Refused(gettext("There is no such player."))
        new = {one.player: one.name for one in self.names}
        names = tidy_names([new.get(seat, name) for seat, name in enumerate(state.players)])
        by_old = dict(zip(state.players, names, strict=True))
        joined = (
            Corrected(place, replace(event, name=by_old[event.name]))
            for place, event in later
            if isinstance(event, PlayerJoined) and by_old[event.name] != event.name
        )
        return (*joined, Corrected(0, replace(start, players=names[: len(start.players)])))


def _keep_decisions(game: Game, events: Sequence[tuple[int, Event]], start: Event) -> Iterator[Entry]:
    """Yield corrections so that each played turn keeps its verdict, although the new `start` changes the rules."""
    assert isinstance(start, GameStarted)  # the caller passes the new start
    try:
        rules = Game.start(start).state.rules
    except EventRefused as error:
        raise Refused(error.message) from None
    (_, first), *later = events
    assert isinstance(first, GameStarted)  # every game begins with it
    earlier = Game.start(first)
    for place, event in later:
        play = earlier.state.round
        if isinstance(event, TilesLaid) and play is not None and not event.overruled:
            then = judge_once(play.table, event.after, earlier.state.context)
            now = judge_once(play.table, event.after, replace(earlier.state.context, rules=rules))
            if then.legal and not now.legal:
                yield Corrected(place, replace(event, overruled=True))
            elif now.legal and not then.legal:
                yield Corrected(place, PlayerOpened(play.turn, play.seats[play.turn].opened))
            elif event.seconds is not None:
                yield Corrected(place, replace(event, seconds=None))
        earlier = earlier.record(event)


def _played(state: GameState) -> object:
    """Return the part of the state that turns change, for a comparison; without names, rules and verdicts."""
    play = state.round
    if play is not None:
        turns = tuple(replace(turn, verdict=None, overruled=False, seconds=None) for turn in play.turns)
        play = replace(play, turns=turns, claim=None)
    return state.phase, state.starter, state.away, state.lost, state.sheet.rounds, play
