"""Each format at full size: recounted standings, planted errors in random events, and times.

Requirements: no difference in right events, every planted error found, pairing of 200 players in at most 1 s, and
standings of 1,000 players who have played 12 games each in at most 100 ms.
"""

from __future__ import annotations

import random
import time
from dataclasses import replace

from tests.benchmarks.reliability.report import Outcome
from tests.support.random_tournaments import EVERY_FORMAT, random_tournament
from tilekeeper.companion.tournament.formats import FORMATS, Format
from tilekeeper.companion.tournament.pairing import Pairing, pair
from tilekeeper.companion.tournament.record import Bye, ByeKind, PairedRound, TournamentRecord
from tilekeeper.companion.tournament.recount import find_faults
from tilekeeper.companion.tournament.standings import standings
from tilekeeper.engine.rules.policies import Totals

PLAYERS = 200
ROUNDS = 7
RANKED_PLAYERS = 1000
RANKED_GAMES = 12
LONGEST_PAIRING_S = 1.0
LONGEST_STANDINGS_S = 0.1
_REPEATED = 5
"""The shortest of so many measurements counts. All times are CPU time, since other programs may be running."""


def measure(count: int, seed: int = 1) -> Outcome:
    """Recount a large event of each format, time them, and check `count` small random events with planted errors."""
    outcome = Outcome()
    for name, chosen in EVERY_FORMAT.items():
        record = random_tournament(PLAYERS, replace(chosen, rounds=ROUNDS), random.Random(f"{seed} {name}"))
        outcome.cases[f"games, {name}"] += len(record.games)
        for fault in faults(record, replace(chosen, rounds=ROUNDS)):
            outcome.trouble(f"{name}: {fault}")
    _time_pairings(outcome, seed)
    _time_standings(outcome, seed)
    rng = random.Random(seed)
    for number in range(count):
        _check_random_event(outcome, number, rng)
    return outcome


def faults(record: TournamentRecord, chosen: Format) -> list[str]:
    """Return the kinds of the faults of an event."""
    ranking = chosen.ranking(Totals.HIGHEST_TOTAL)
    return [fault.kind.value for fault in find_faults(record, ranking, standings(record, ranking))]


def _time_pairings(outcome: Outcome, seed: int) -> None:
    names = [f"{number:03}" for number in range(PLAYERS)]
    for table_size in (2, 3, 4):
        for way in Pairing:
            rng, past, slowest_s = random.Random(seed), list[PairedRound](), 0.0
            for _ in range(ROUNDS):
                ranking = rng.sample(names, len(names))
                begun_s = time.process_time()
                past.append(pair(way, names, past, rng, ranking, table_size=table_size))
                slowest_s = max(slowest_s, time.process_time() - begun_s)
            outcome.figures[f"ms for the slowest pairing, {way}, tables of {table_size}"] = f"{slowest_s * 1000:.0f}"
            if slowest_s > LONGEST_PAIRING_S:
                outcome.trouble(f"{way}, tables of {table_size}: a pairing took {slowest_s:.2f} s")


def _time_standings(outcome: Outcome, seed: int) -> None:
    for name, chosen in FORMATS.items():
        rounds = RANKED_GAMES // chosen.games
        record = random_tournament(RANKED_PLAYERS, replace(chosen, rounds=rounds), random.Random(seed))
        ranking, times_s = chosen.ranking(Totals.HIGHEST_TOTAL), []
        for _ in range(_REPEATED):
            begun_s = time.process_time()
            standings(record, ranking)
            times_s.append(time.process_time() - begun_s)
        outcome.figures[f"ms for standings of {RANKED_PLAYERS} players, {name}"] = f"{min(times_s) * 1000:.0f}"
        if min(times_s) > LONGEST_STANDINGS_S:
            outcome.trouble(f"{name}: standings took {min(times_s) * 1000:.0f} ms")


def _check_random_event(outcome: Outcome, number: int, rng: random.Random) -> None:
    """Check a random event, and the same event with a doubled result, a swapped seat and a second place by a bye."""
    chosen = replace(EVERY_FORMAT[rng.choice(list(EVERY_FORMAT))], rounds=rng.randint(2, 5))
    record = random_tournament(rng.randint(14, 30), chosen, rng)
    outcome.cases["random events"] += 1
    for fault in faults(record, chosen):
        outcome.trouble(f"event {number}: {fault}")
    for kind, wrong in _planted(record).items():
        outcome.cases[f"planted: {kind}"] += 1
        if not faults(wrong, chosen):
            outcome.trouble(f"event {number}: the {kind} was not found")


def _planted(record: TournamentRecord) -> dict[str, TournamentRecord]:
    first, *later = record.rounds
    (one, *rest), (other, *others), *tables = first.tables
    swapped = replace(first, tables=((other, *rest), (one, *others), *tables))
    bye = replace(first, byes=(*first.byes, Bye(one, ByeKind.FULL)))
    return {
        "doubled result": replace(record, games=(*record.games, record.games[0])),
        "swapped seat": replace(record, rounds=(swapped, *later)),
        "wrong bye": replace(record, rounds=(bye, *later)),
    }
