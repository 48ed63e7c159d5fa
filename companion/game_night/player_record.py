"""The record of one player over all game nights: history, streaks, head to head, longest run and fastest turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tilekeeper.companion.game_night.evening_result import EveningResult
from tilekeeper.companion.game_night.standings import PlayerTotals, standings
from tilekeeper.engine.game.scoring import Points
from tilekeeper.engine.rules.policies import Totals


@dataclass(frozen=True, slots=True)
class DatedResult:
    """The result of a game night, with the game night's id and the time of its beginning."""

    id: str
    begun_at: str
    result: EveningResult


@dataclass(frozen=True, slots=True)
class PlayedEvening:
    """A game night from the view of one player."""

    id: str
    begun_at: str
    edition: str
    place: int
    """The player's place by the totals, from 1; players with equal totals share a place."""
    players: int
    total: Points
    counts: Totals
    """What the total counts: points, or rounds won."""
    won: bool


@dataclass(frozen=True, slots=True)
class Rival:
    """Somebody with whom the player has played, and how often each of the two had the higher total."""

    name: str
    evenings: int = 0
    ahead: int = 0
    behind: int = 0


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """The record of one player; game nights without a scored round do not count."""

    totals: PlayerTotals
    evenings: tuple[PlayedEvening, ...]
    """The newest first."""
    streak: int
    """How many of the newest game nights the player has won in a row."""
    longest_streak: int
    rivals: tuple[Rival, ...]
    """Those with the most common game nights first."""
    longest_run: int
    """The most tiles of a run that the player has made; 0 for none."""
    fastest_s: float | None
    """The duration of the fastest turn in which the player laid tiles; None if none was timed."""


def record_of(name: str, results: Sequence[DatedResult]) -> PlayerRecord:
    """Return the record of the player with a name; `results` are all game nights, in any order."""
    played = sorted(
        (
            dated
            for dated in results
            if dated.result.rounds and any(player.name == name for player in dated.result.players)
        ),
        key=lambda dated: dated.begun_at,
        reverse=True,
    )
    evenings = tuple(_evening(name, dated) for dated in played)
    own_results = [player for dated in played for player in dated.result.players if player.name == name]
    totals = next((one for one in standings(dated.result for dated in played) if one.name == name), PlayerTotals(name))
    fastest = [player.fastest_s for player in own_results if player.fastest_s is not None]
    return PlayerRecord(
        totals=totals,
        evenings=evenings,
        streak=_streak(evenings),
        longest_streak=max((_streak(evenings[at:]) for at in range(len(evenings))), default=0),
        rivals=_rivals(name, [dated.result for dated in played]),
        longest_run=max((player.longest_run for player in own_results), default=0),
        fastest_s=min(fastest, default=None),
    )


def _evening(name: str, dated: DatedResult) -> PlayedEvening:
    sheet = dated.result.sheet
    seat = _seat(name, dated.result)
    return PlayedEvening(
        id=dated.id,
        begun_at=dated.begun_at,
        edition=dated.result.edition,
        place=1 + sum(total > sheet.totals[seat] for total in sheet.totals),
        players=len(sheet.players),
        total=sheet.totals[seat],
        counts=sheet.counts,
        won=seat in sheet.leaders,
    )


def _seat(name: str, result: EveningResult) -> int:
    return next(seat for seat, player in enumerate(result.players) if player.name == name)


def _streak(evenings: Sequence[PlayedEvening]) -> int:
    """Return how many game nights at the beginning of the sequence were won."""
    return next((at for at, evening in enumerate(evenings) if not evening.won), len(evenings))


def _rivals(name: str, results: Sequence[EveningResult]) -> tuple[Rival, ...]:
    rivals: dict[str, Rival] = {}
    for result in results:
        totals = result.sheet.totals
        own_totals = totals[_seat(name, result)]
        for player, total in zip(result.players, totals, strict=True):
            if player.name == name:
                continue
            rival = rivals.get(player.name, Rival(player.name))
            rivals[player.name] = replace(
                rival,
                evenings=rival.evenings + 1,
                ahead=rival.ahead + (own_totals > total),
                behind=rival.behind + (own_totals < total),
            )
    return tuple(sorted(rivals.values(), key=lambda rival: (-rival.evenings, rival.name)))
