"""Random tournaments: paired rounds with random results, byes of each kind, penalties, late and leaving players."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.formats import FORMATS, Format
from tilekeeper.companion.tournament.knock_out import advance, qualify
from tilekeeper.companion.tournament.pairing import Pairing, pair
from tilekeeper.companion.tournament.record import (
    ArbiterPenalty,
    Bye,
    ByeKind,
    HandDecision,
    PairedRound,
    Player,
    TournamentRecord,
)
from tilekeeper.companion.tournament.simulation import random_result
from tilekeeper.companion.tournament.standings import standings
from tilekeeper.engine.rules.policies import Totals

_ORDER: Final = (Criterion.WINS, Criterion.DIRECT_ENCOUNTER, Criterion.TILE_POINTS, Criterion.LOT)
EVERY_FORMAT: Final[Mapping[str, Format]] = {
    **FORMATS,
    "fixed": Format(pairing=Pairing.FIXED, table_size=3, games=2, criteria=_ORDER),
    "knock-out": Format(pairing=Pairing.KNOCK_OUT, criteria=_ORDER),
    "knock-out of two": Format(pairing=Pairing.KNOCK_OUT, table_size=2, advancing=1, criteria=_ORDER),
    "final": Format(pairing=Pairing.SWISS, finalists=16, games=2, criteria=_ORDER),
}
"""The ready-made formats, and one for each other way to play."""


def random_tournament(players: int, chosen: Format, rng: random.Random) -> TournamentRecord:
    """Return the record of a tournament; it ends before its last round if fewer than two players are left."""
    names = tuple(f"p{number:03}" for number in range(players))
    record = TournamentRecord(names, lot_seed=str(rng.random()))
    rounds = chosen.count_rounds(players)
    leaving = {name: rng.randint(2, rounds + 1) for name in names if rng.random() < 0.1}
    late = {name: rng.randint(2, rounds + 1) for name in names if rng.random() < 0.1}
    for number in range(1, rounds + 1):
        present = [name for name in names if late.get(name, 1) <= number < leaving.get(name, rounds + 2)]
        ranking = [line.player for line in standings(record, chosen.ranking(Totals.HIGHEST_TOTAL))]
        way = chosen.pairing
        if chosen.knock_out_from is not None and number >= chosen.knock_out_from:
            way, going_on = Pairing.KNOCK_OUT, _going_on(record, chosen, present, ranking)
            present = [name for name in present if name in going_on]
        absent = {name: rng.choice(list(ByeKind)[1:]) for name in present if rng.random() < 0.05}
        playing = [name for name in present if name not in absent]
        if len(playing) < 2:
            break
        paired = pair(way, playing, record.rounds, rng, ranking, table_size=chosen.table_size)
        missed = [Bye(name, ByeKind.ZERO) for name, begins in late.items() if begins > number]
        byes = (*paired.byes, *(Bye(name, kind) for name, kind in absent.items()), *missed)
        results = [random_result(number, table, rng) for table in paired.tables for _ in range(chosen.games)]
        record = TournamentRecord(
            names,
            (*record.rounds, PairedRound(paired.tables, byes)),
            (*record.games, *results),
            lot_seed=record.lot_seed,
        )
    penalties = tuple(
        ArbiterPenalty(rng.choice(names), rng.randint(1, len(record.rounds)), rng.randint(1, 20))
        for _ in range(rng.randint(0, 2) if record.rounds else 0)
    )
    decisions = tuple(HandDecision(tuple(rng.sample(names, len(names)))) for _ in range(rng.randint(0, 1)))
    return TournamentRecord(names, record.rounds, record.games, penalties, decisions, lot_seed=record.lot_seed)


def _going_on(
    record: TournamentRecord, chosen: Format, present: Sequence[Player], ranking: Sequence[Player]
) -> Collection[Player]:
    """Return the players of the next knock-out round."""
    if len(record.rounds) + 1 == chosen.knock_out_from:
        candidates = [player for player in ranking if player in present]
        return qualify(candidates, chosen.finalists) if chosen.finalists else candidates
    last, tie_breaks = record.rounds[-1], chosen.ranking(Totals.HIGHEST_TOTAL).tie_breaks(record)
    scores = {player: tie_breaks.round_score(player, len(record.rounds)) for player in last.players}
    return advance(last, scores, ranking, chosen.advancing)
