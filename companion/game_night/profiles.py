"""Player profiles: which names belong to one person, and the person's colour and animal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Any, Final, TypeAlias, TypedDict

from pydantic import Field, TypeAdapter, ValidationError

from tilekeeper.companion.game_night.evening_result import EveningResult

COLOURS: Final = 8
"""The number of colours of players in the styles."""
MOST_NAMES: Final = 20
MOST_PROFILES: Final = 1000
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=300)]
"""The name of a seat, which two people may share: `Ada & Bo`."""
Colour: TypeAlias = Annotated[int, Field(ge=0, lt=COLOURS)]


class Animal(StrEnum):
    """The animals that a player can have as a sign."""

    FOX = "fox"
    BEAR = "bear"
    CAT = "cat"
    DOG = "dog"
    RABBIT = "rabbit"
    OWL = "owl"
    PENGUIN = "penguin"
    LION = "lion"
    FROG = "frog"
    TURTLE = "turtle"
    PANDA = "panda"
    OCTOPUS = "octopus"


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of one player."""

    name: Name
    """The name that pages show."""
    others: Annotated[tuple[Name, ...], Field(max_length=MOST_NAMES)] = ()
    """Other names under which the same person has played."""
    colour: Colour | None = None
    animal: Animal | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All names of the player."""
        return self.name, *self.others

    @property
    def is_plain(self) -> bool:
        """Whether the profile says nothing that the name alone does not."""
        return not self.others and self.colour is None and self.animal is None


class ProfileChange(TypedDict, total=False):
    """The changed fields of a profile; missing fields keep their value."""

    others: tuple[str, ...]
    colour: int | None
    animal: Animal | None


@dataclass(frozen=True, slots=True)
class Profiles:
    """All profiles that say something; each name belongs to one of them at most."""

    all: tuple[Profile, ...] = ()
    _by_name: dict[str, Profile] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_name = {name: profile for profile in self.all for name in profile.names}
        object.__setattr__(self, "_by_name", by_name)

    def of(self, name: str) -> Profile:
        """Return the profile to which a name belongs; a plain one for an unknown name."""
        return self._by_name.get(name) or Profile(name)

    def changed(self, name: str, change: ProfileChange) -> Profile:
        """Return the profile of `name`, which becomes the shown name, with a change.

        A name that is new to the profile brings all names of the profile to which it belonged.
        """
        profile = self.of(name)
        names = dict.fromkeys((name, *change.get("others", profile.names)))
        brought = (other for one in names for other in ((one,) if one in profile.names else self.of(one).names))
        others = tuple(dict.fromkeys(other for other in (*names, *brought) if other != name))
        return Profile(name, others, change.get("colour", profile.colour), change.get("animal", profile.animal))

    def with_profile(self, profile: Profile) -> Profiles:
        """Return the profiles with this one; it takes its names from other profiles, which keep the rest of theirs."""
        taken = frozenset(profile.names)
        kept = [left for other in self.all if (left := _without(other, taken)) is not None]
        return Profiles((*kept, *(() if profile.is_plain else (profile,))))

    def shown_names(self, seated: Sequence[str]) -> tuple[str, ...]:
        """Return the shown names of the players of one game night.

        If two of them would be the same, they are different people after all, and all keep their names.
        """
        shown = tuple(self.of(name).name for name in seated)
        return shown if len(set(shown)) == len(shown) else tuple(seated)

    def renamed(self, result: EveningResult) -> EveningResult:
        """Return the result of a game night with the shown names of its players."""
        names = self.shown_names([player.name for player in result.players])
        players = tuple(replace(player, name=name) for player, name in zip(result.players, names, strict=True))
        return replace(result, players=players)

    def as_json(self) -> list[dict[str, Any]]:
        """Return the profiles as plain data for JSON, for `profiles_from_json`."""
        plain: list[dict[str, Any]] = _PROFILES.dump_python(self.all, mode="json")
        return plain


_PROFILE: Final = TypeAdapter(Profile)
_PROFILES: Final = TypeAdapter(tuple[Profile, ...])


def profiles_from_json(stored: object) -> Profiles:
    """Return the stored profiles without those that `Profiles.as_json` can't have made."""
    if not isinstance(stored, list):
        return Profiles()
    return Profiles(tuple(profile for one in stored if (profile := _profile_from_json(one)) is not None))


def _profile_from_json(stored: object) -> Profile | None:
    try:
        return _PROFILE.validate_python(stored)
    except ValidationError:
        return None


def can_be_stored(profile: Profile) -> bool:
    """Return whether the values of a profile are within the limits, so that `profiles_from_json` accepts it."""
    return _profile_from_json(_PROFILE.dump_python(profile, mode="json")) is not None


def have_met(names: Iterable[str], seatings: Iterable[Sequence[str]]) -> bool:
    """Return whether two of the names have played in one game night, so that they can't be the same person.

    Args:
        names: the names.
        seatings: the names of the seats of each game night.
    """
    wanted = frozenset(names)
    return any(sum(name in wanted for name in seating) > 1 for seating in seatings)


def _without(profile: Profile, taken: frozenset[str]) -> Profile | None:
    """Return a profile without some names; None if none of its names is left, or nothing else is in it."""
    names = [name for name in profile.names if name not in taken]
    if not names:
        return None
    left = replace(profile, name=names[0], others=tuple(names[1:]))
    return None if left.is_plain else left
