"""A championship of 200 players in 7 rounds, with random pairings and with Swiss pairings.

The random player plays every game tile by tile. Requirements: nobody meets twice, and the standings equal a slow
recount to the point. The recount follows the rulebook and shares no code with the engine's scoring or standings.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from tests.benchmarks.reliability.report import Outcome
from tests.support.random_games import random_game
from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.formats import default_criteria
from tilekeeper.companion.tournament.pairing import PairedRound, Pairing, pair
from tilekeeper.companion.tournament.record import GameResult, TournamentRecord
from tilekeeper.companion.tournament.standings import Ranking, Standing, standings
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.scoring import Points
from tilekeeper.engine.rules.policies import Totals

EDITION = "finnish"
"""An edition in which the losers pay the winner in every round."""
ROUNDS = 7
JOKER_COUNTS = 30
RANKING = Ranking(default_criteria(Totals.HIGHEST_TOTAL))


@dataclass(frozen=True, slots=True)
class Championship:
    """A played championship: its pairings, games and standings."""

    way: Pairing
    rounds: tuple[PairedRound, ...]
    games: tuple[tuple[int, tuple[str, ...], Game], ...]
    """Each table's game with its round, from 0."""
    lines: tuple[Standing, ...]
    pairing_s: tuple[float, ...]


def play(players: int, rounds: int, way: Pairing, seed: int) -> Championship:
    """Play a championship."""
    names, rng = [f"{number:03}" for number in range(1, players + 1)], random.Random(seed)
    past: list[PairedRound] = []
    results: list[GameResult] = []
    games, pairing_s = [], []
    for number in range(rounds):
        ranking = [line.player for line in standings(_record(names, past, results), RANKING)]
        begun_s = time.perf_counter()
        past.append(pair(way, names, past, rng, ranking))
        pairing_s.append(time.perf_counter() - begun_s)
        for at, table in enumerate(past[-1].tables):
            *_, (game, _) = random_game(random.Random(f"{seed} {way} {number} {at}"), EDITION, players=table)
            score = game.state.sheet.rounds[0]
            games.append((number, table, game))
            won = frozenset(table[winner] for winner in score.winners)
            results.append(GameResult(number + 1, dict(zip(table, score.points, strict=True)), won))
    lines = standings(_record(names, past, results), RANKING)
    return Championship(way, tuple(past), tuple(games), lines, tuple(pairing_s))


def _record(names: list[str], past: list[PairedRound], results: list[GameResult]) -> TournamentRecord:
    return TournamentRecord(tuple(names), tuple(past), tuple(results))


def measure(count: int, seed: int = 1) -> Outcome:
    """Play a championship of `count` players with each kind of pairing that avoids repeated meetings."""
    outcome = Outcome()
    for way in (Pairing.RANDOM, Pairing.SWISS):
        played = play(count, ROUNDS, way, seed)
        outcome.cases[f"games, {way}"] += len(played.games)
        outcome.counts[f"events, {way}"] += sum(len(game.entries) for _, _, game in played.games)
        outcome.counts[f"meetings repeated, {way}"] = repeated = repeats(played.rounds)
        outcome.figures[f"ms for the slowest pairing, {way}"] = f"{max(played.pairing_s) * 1000:.0f}"
        if repeated:
            outcome.trouble(f"{way}: {repeated} meetings were repeated")
        for trouble in differences(played):
            outcome.trouble(f"{way}: {trouble}")
    return outcome


def differences(played: Championship) -> list[str]:
    """Return the differences between the standings and the recount."""
    recounted = recount(played)
    found = [
        f"{line.player} stands with {_shown_points(line)}, recounted {recounted[line.player]}"
        for line in played.lines
        if _shown_points(line) != recounted[line.player]
    ]
    order = sorted(recounted.values(), reverse=True)
    if [_shown_points(line) for line in played.lines] != order:
        found.append("the standings are not in the order of totals and rounds won")
    if total := sum(line.score for line in played.lines):
        found.append(f"the totals add to {total}")
    return found


def _shown_points(line: Standing) -> tuple[Points, Points]:
    """Return the total and the number of rounds won in a line of the standings."""
    return line.score, line.values[Criterion.WINS]


def repeats(rounds: tuple[PairedRound, ...]) -> int:
    """Return the number of repeated meetings, counted pair by pair."""
    pairs: list[tuple[str, str]] = []
    for paired in rounds:
        for table in paired.tables:
            pairs += [(min(two), max(two)) for two in combinations(table, 2)]
    return len(pairs) - len(set(pairs))


def recount(championship: Championship) -> dict[str, tuple[Fraction, int]]:
    """Return each player's total and number of rounds won, from the remaining racks alone."""
    scores: dict[str, tuple[Fraction, int]] = {}
    for _, table, game in championship.games:
        play = game.state.round
        assert play is not None  # every game was played to its end
        remaining = [_left(seat.shown) for seat in play.seats]
        lowest = min((points, tiles) for points, tiles in remaining)
        winners = [at for at, rack in enumerate(remaining) if rack == lowest]
        # a player who went out has an empty rack; without one, losers pay the difference to the winner
        owed = [points - lowest[0] for points, _ in remaining]
        for at, player in enumerate(table):
            noted = Fraction(sum(owed), len(winners)) if at in winners else Fraction(-owed[at])
            total, won = scores.get(player, (Fraction(0), 0))
            scores[player] = (total + noted, won + (at in winners))
    return scores


def _left(shown: tuple[object, ...] | None) -> tuple[int, int]:
    """Return the points and the number of tiles of a rack, from its notation."""
    points = 0
    for tile in shown or ():
        number = str(tile)[1:]
        points += int(number) if number else JOKER_COUNTS
    return points, len(shown or ())
