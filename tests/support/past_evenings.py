"""Past game nights with everything that a real one stores, made from random games."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache

from tests.support.random_games import random_game
from tilekeeper.companion.game_night.evening_result import result_of
from tilekeeper.companion.game_night.live import live_json
from tilekeeper.companion.game_night.record import Note, Record
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.settings import DEFAULT_SETTINGS
from tilekeeper.companion.game_night.state import state_of_records
from tilekeeper.companion.storage.store import SavedGameNight, Store
from tilekeeper.engine.game.events import Entry, GameStarted
from tilekeeper.engine.game.state import Phase

EDITIONS = ("large-numbers", "travel", "finnish")
PEOPLE = ("Ada", "Bo", "Cleo", "Dan & Eve", "Jörg", "Mia", "Tom", "Zoë")
LAST_DAY = datetime(2026, 11, 21, 18, 30, tzinfo=UTC)


@cache
def _entries(seed: int, edition: str, rounds: int) -> tuple[Entry, ...]:
    *_, (game, _) = random_game(random.Random(seed), edition, rounds)
    return game.entries


def evening(seed: int, rounds: int = 3, names: Sequence[str] = (), edition: str = "") -> RecordedGame:
    """Return a finished game night; players and edition depend on the seed if they are not given."""
    rng = random.Random(seed)
    start, *others = _entries(seed % 6, edition or EDITIONS[seed % len(EDITIONS)], rounds)
    assert isinstance(start, GameStarted)
    players = tuple(names[: len(start.players)]) or tuple(rng.sample(PEOPLE, len(start.players)))
    day = LAST_DAY - timedelta(days=3 * seed)
    entries = (replace(start, players=players), *others)
    return RecordedGame.replay(tuple(_records(rng, entries, day)))


def _records(rng: random.Random, entries: Sequence[Entry], begun: datetime) -> Iterator[Record]:
    for place, entry in enumerate(entries):
        at = (begun + timedelta(seconds=40 * place)).strftime("%Y-%m-%dT%H:%M:%SZ")
        yield Record(entry, Note(place + 1, at, seconds=round(rng.uniform(4, 90), 1), picture=f"{place + 1:05d}"))


def keep(store: Store, id_: str, recorded: RecordedGame, with_result: bool = True, begun_at: str = "") -> None:
    """Store a game night as the app does; without its result, as early versions did."""
    saved = SavedGameNight(
        id=id_,
        begun_at=begun_at or recorded.records[0].note.at,
        changed_at=recorded.records[-1].note.at,
        revision=len(recorded.records),
        over=recorded.state.phase is Phase.OVER,
        seated=tuple((name,) for name in recorded.state.players),
        settings=DEFAULT_SETTINGS.as_json(),
        live=live_json(state_of_records(recorded, DEFAULT_SETTINGS), 0.0),
        result=result_of(recorded).as_json() if with_result else None,
    )
    store.add(saved, recorded.records)


def keep_many(store: Store, count: int, with_result: bool = True) -> None:
    """Store several game nights, the oldest first, three days apart; some are equal."""
    played = [evening(seed, rounds=1) for seed in range(min(count, 12))]
    for place in range(count - 1, -1, -1):
        day = LAST_DAY - timedelta(days=3 * place)
        keep(store, f"{place:016x}", played[place % 12], with_result, day.strftime("%Y-%m-%dT%H:%M:%SZ"))
