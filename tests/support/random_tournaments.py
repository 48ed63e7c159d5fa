"""Random tournaments: paired rounds with random results, byes of each kind, penalties, late and leaving players."""

from __future__ import annotations

import random

from tilekeeper.companion.tournament.formats import Format
from tilekeeper.companion.tournament.pairing import Pairing, pair
from tilekeeper.companion.tournament.record import ArbiterPenalty, Bye, ByeKind, PairedRound, TournamentRecord
from tilekeeper.companion.tournament.simulation import random_result
from tilekeeper.companion.tournament.standings import standings
from tilekeeper.engine.rules.policies import Totals


def random_tournament(players: int, rounds: int, chosen: Format, rng: random.Random) -> TournamentRecord:
    """Return the record of a tournament; rounds without two players are left out."""
    names = tuple(f"p{number:03}" for number in range(players))
    record = TournamentRecord(names, lot_seed=str(rng.random()))
    leaving = {name: rng.randint(2, rounds + 1) for name in names if rng.random() < 0.1}
    late = {name: rng.randint(2, rounds + 1) for name in names if rng.random() < 0.1}
    way = Pairing.SWISS if chosen.pairing is Pairing.KNOCK_OUT else chosen.pairing
    for number in range(1, rounds + 1):
        present = [name for name in names if late.get(name, 1) <= number < leaving.get(name, rounds + 2)]
        absent = {name: rng.choice(list(ByeKind)[1:]) for name in present if rng.random() < 0.05}
        playing = [name for name in present if name not in absent]
        if len(playing) < 2:
            break
        ranking = [line.player for line in standings(record, chosen.ranking(Totals.HIGHEST_TOTAL))]
        paired = pair(way, playing, record.rounds, rng, ranking, table_size=chosen.table_size)
        missed = [Bye(name, ByeKind.ZERO) for name, begins in late.items() if begins > number]
        byes = (*paired.byes, *(Bye(name, kind) for name, kind in absent.items()), *missed)
        results = [random_result(number, table, rng) for table in paired.tables for _ in range(chosen.games)]
        record = TournamentRecord(
            names,
            (*record.rounds, PairedRound(paired.tables, byes)),
            (*record.games, *results),
            record.penalties,
            lot_seed=record.lot_seed,
        )
    penalties = tuple(
        ArbiterPenalty(rng.choice(names), rng.randint(1, len(record.rounds)), rng.randint(1, 20))
        for _ in range(rng.randint(0, 2) if record.rounds else 0)
    )
    return TournamentRecord(names, record.rounds, record.games, penalties, lot_seed=record.lot_seed)
