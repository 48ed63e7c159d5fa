"""The players of all stored game nights: their profiles, which are a stored preference, and their records."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Final

from pydantic import TypeAdapter

from tilekeeper.companion.game_night.player_record import DatedResult, PlayerRecord, record_of
from tilekeeper.companion.game_night.profiles import (
    MOST_PROFILES,
    Profile,
    ProfileChange,
    Profiles,
    can_be_stored,
    have_met,
    profiles_from_json,
)
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.past_evenings import PastEvenings
from tilekeeper.companion.storage.schema import PLAYERS
from tilekeeper.companion.storage.store import Store
from tilekeeper.engine.language import gettext

_JSON: Final[TypeAdapter[object]] = TypeAdapter(object)


class Players:
    """Profiles and records of players; may be used by several threads."""

    def __init__(self, store: Store, past_evenings: PastEvenings) -> None:
        """Load the profiles from a database."""
        self._store = store
        self._past_evenings = past_evenings
        self._lock = threading.Lock()
        self._profiles = profiles_from_json(store.recall(PLAYERS, _JSON) or [])

    @property
    def profiles(self) -> Profiles:
        """The profiles that somebody has changed."""
        return self._profiles

    def known(self) -> tuple[Profile, ...]:
        """Return the profiles of everybody who has played, sorted by name."""
        return self._known(self._seatings())

    def _known(self, seatings: Iterable[Sequence[str]]) -> tuple[Profile, ...]:
        found = {self._profiles.of(name) for seating in seatings for name in seating} | set(self._profiles.all)
        return tuple(sorted(found, key=lambda profile: profile.name.casefold()))

    def change(self, name: str, change: ProfileChange) -> None:
        """Store a change of the profile of `name`; names that belonged to others belong to this player from now on.

        Raises:
            Refused: if a value is beyond the limits, or two of the names have played in the same game night.
        """
        seatings = self._seatings()
        with self._lock:
            profile = self._profiles.changed(name, change)
            profiles = self._profiles.with_profile(profile)
            if not can_be_stored(profile) or len(profiles.all) > MOST_PROFILES:
                raise Refused(gettext("That is more than a profile can hold."), "bad-input")
            if have_met(profile.names, seatings):
                raise Refused(
                    gettext("These names have played in the same evening, so they are different people."), "bad-name"
                )
            self._store.remember(PLAYERS, profiles.as_json())
            self._profiles = profiles

    def record(self, name: str) -> tuple[PlayerRecord, int]:
        """Return the record of the player to whom a name belongs, and how many game nights are not read yet."""
        past, unread = self._past_evenings.all()
        results = [
            DatedResult(evening.id, evening.begun_at, self._profiles.renamed(evening.result))
            for evening in past
            if evening.result is not None
        ]
        return record_of(self._profiles.of(name).name, results), unread

    def strangers_of(self, name: str) -> tuple[str, ...]:
        """Return the shown names of players who may be the same person, since they have never met the player."""
        profile, seatings = self._profiles.of(name), self._seatings()
        return tuple(
            other.name
            for other in self._known(seatings)
            if other != profile and not have_met((*profile.names, *other.names), seatings)
        )

    def _seatings(self) -> list[tuple[str, ...]]:
        """Return the names of the seats of each game night, as they are after its last change."""
        past, _ = self._past_evenings.all()
        return [evening.names for evening in past]
