"""Answers about players: their profiles, and the record of one player."""

from typing import Self

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.game_night.player_record import PlayedEvening, PlayerRecord, Rival
from tilekeeper.companion.game_night.profiles import Animal, Profile
from tilekeeper.companion.text.names import edition_words
from tilekeeper.companion.web.schemas.answer import DESCRIBED, Answer
from tilekeeper.companion.web.schemas.past_evenings import StandingJson
from tilekeeper.companion.web.schemas.score_sheet import PointsJson
from tilekeeper.engine.rules.policies import Totals


class ProfileJson(Answer):
    """The profile of a player."""

    name: str
    """The name that pages show."""
    others: list[str]
    """Other names under which the same person has played."""
    colour: int | None
    """The number of the colour, from 0; null for none."""
    animal: Animal | None

    @classmethod
    def from_profile(cls, profile: Profile) -> Self:
        """Return a profile."""
        return cls(name=profile.name, others=list(profile.others), colour=profile.colour, animal=profile.animal)


@with_config(DESCRIBED)
class PlayersJson(TypedDict):
    """The profiles of everybody who has played, sorted by name."""

    players: list[ProfileJson]


class PlayedEveningJson(Answer):
    """A game night from the view of one player."""

    id: str
    begun_at: str
    edition_name: str
    place: int
    """The player's place, from 1; players with equal totals share a place."""
    players: int
    total: PointsJson
    won: bool

    @classmethod
    def from_evening(cls, evening: PlayedEvening) -> Self:
        """Return a game night of a player."""
        return cls(
            id=evening.id,
            begun_at=evening.begun_at,
            edition_name=edition_words(evening.edition),
            place=evening.place,
            players=evening.players,
            total=PointsJson.from_points(evening.total, signed=evening.counts is Totals.HIGHEST_TOTAL),
            won=evening.won,
        )


class RivalJson(Answer):
    """Somebody with whom the player has played."""

    name: str
    evenings: int
    """The number of common game nights."""
    ahead: int
    """In how many of them the player had the higher total."""
    behind: int

    @classmethod
    def from_rival(cls, rival: Rival) -> Self:
        """Return a rival."""
        return cls(name=rival.name, evenings=rival.evenings, ahead=rival.ahead, behind=rival.behind)


@with_config(DESCRIBED)
class PlayerRecordJson(TypedDict):
    """The record of one player over all game nights with a scored round."""

    profile: ProfileJson
    totals: StandingJson
    streak: int
    """How many of the newest game nights the player has won in a row."""
    longest_streak: int
    longest_run: int
    """The most tiles of a run that the player has made; 0 for none."""
    fastest_s: float | None
    """The duration of the fastest turn with tiles, in seconds; null if none was timed."""
    evenings: list[PlayedEveningJson]
    """The newest first."""
    rivals: list[RivalJson]
    """Those with the most common game nights first."""
    strangers: list[str]
    """The names of players who have never met this one, and so may be the same person."""
    unread: int
    """How many game nights still lack a computed result; repeat the request to get more."""


def record_json(profile: Profile, record: PlayerRecord, strangers: tuple[str, ...], unread: int) -> PlayerRecordJson:
    """Return the record of a player."""
    return {
        "profile": ProfileJson.from_profile(profile),
        "totals": StandingJson.from_totals(record.totals, profile),
        "streak": record.streak,
        "longest_streak": record.longest_streak,
        "longest_run": record.longest_run,
        "fastest_s": record.fastest_s,
        "evenings": [PlayedEveningJson.from_evening(evening) for evening in record.evenings],
        "rivals": [RivalJson.from_rival(rival) for rival in record.rivals],
        "strangers": list(strangers),
        "unread": unread,
    }
