"""What the players agree on before a game night, and the same agreement for a rematch."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tilekeeper.companion.game_night.settings import GameNightSettings
from tilekeeper.companion.game_night.state import GameNightState
from tilekeeper.engine.game.events import GameStarted
from tilekeeper.engine.game.game import effective_events


@dataclass(frozen=True, slots=True)
class Agreement:
    """The choices of the players before a game night."""

    seats: tuple[tuple[str, ...], ...]
    """The people at each seat, clockwise; mostly one a seat."""
    edition: str
    house: tuple[str, ...]
    rounds: int | None
    first_acquaintance: bool
    leader: int | None
    settings: GameNightSettings

    @classmethod
    def for_rematch(cls, night: GameNightState) -> Agreement:
        """Return the agreement of a game night for another one: its rules, and the people who have not left."""
        (_, start), *_ = effective_events(night.recorded.game.entries)
        assert isinstance(start, GameStarted)  # every game begins with it
        people, present = night.recorded.people, night.state.present
        limits_s = tuple(night.settings.limit_s_of(seat) or 0 for seat in present)
        return cls(
            seats=tuple(people[seat] for seat in present),
            edition=start.edition,
            house=start.house,
            rounds=start.rounds,
            first_acquaintance=start.first_acquaintance,
            leader=present.index(start.leader) if start.leader in present else None,
            settings=replace(night.settings, limits_s=limits_s, ends_at=""),
        )
