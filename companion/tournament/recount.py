"""Verification of a record and its standings: recounts the criteria slowly, by code that the standings do not share."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise, permutations

from tilekeeper.companion.tournament.criteria import KNOCK_OUT, Criterion
from tilekeeper.companion.tournament.record import GameResult, PairedRound, Player, TournamentRecord
from tilekeeper.companion.tournament.scoring import TournamentScoring
from tilekeeper.companion.tournament.standings import Ranking, Standing


class FaultKind(StrEnum):
    """A mistake in a record or in its standings."""

    TWO_PLACES = "two-places"
    """A player has two seats or byes in a round."""
    WRONG_GAMES = "wrong-games"
    """A table has a different number of games than the format."""
    OTHER_PLAYERS = "other-players"
    """A game has players who do not sit together in its round."""
    WRONG_WINNER = "wrong-winner"
    """A winner has fewer points than somebody else at the table."""
    WRONG_VALUE = "wrong-value"
    """A value in the standings differs from the recounted one."""
    WRONG_ORDER = "wrong-order"
    """A player is placed ahead of a better one."""
    WRONG_PLACE = "wrong-place"
    """A player has another place than the recounted one, or none."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a record or its standings; `round` and `criterion` are None if they do not apply."""

    kind: FaultKind
    players: tuple[Player, ...]
    round: int | None = None
    criterion: Criterion | None = None


RECOUNTED = (
    Criterion.TILE_POINTS,
    Criterion.PLACEMENT_POINTS,
    Criterion.WINS,
    Criterion.BEST_GAME,
    Criterion.BUCHHOLZ,
    Criterion.BUCHHOLZ_CUT_1,
    Criterion.BUCHHOLZ_MEDIAN,
    Criterion.PROGRESSIVE,
)
"""The criteria that have a value for each player; `expected_places` also compares by all others."""


def find_faults(record: TournamentRecord, ranking: Ranking, lines: Sequence[Standing]) -> tuple[Fault, ...]:
    """Return the faults of a record and of its standings `lines`; empty if everything is right."""
    faults = [
        fault
        for number, paired in enumerate(record.rounds, start=1)
        for fault in _check_round(number, paired, record.games, ranking.games_per_round)
    ]
    return (*faults, *_check_standings(record, ranking, lines))


def _check_round(number: int, paired: PairedRound, games: Sequence[GameResult], count: int) -> Iterator[Fault]:
    places = [player for table in paired.tables for player in table] + [bye.player for bye in paired.byes]
    for player in sorted(set(places)):
        if places.count(player) > 1:
            yield Fault(FaultKind.TWO_PLACES, (player,), number)
    played = [game for game in games if game.round == number]
    for table in paired.tables:
        at_table = [game for game in played if set(game.points) == set(table)]
        if len(at_table) not in (0, count):
            yield Fault(FaultKind.WRONG_GAMES, table, number)
    for game in played:
        if not any(set(game.points) == set(table) for table in paired.tables):
            yield Fault(FaultKind.OTHER_PLAYERS, tuple(game.points), number)
        if any(game.points[winner] < max(game.points.values()) for winner in game.won):
            yield Fault(FaultKind.WRONG_WINNER, tuple(sorted(game.won)), number)


def _check_standings(record: TournamentRecord, ranking: Ranking, lines: Sequence[Standing]) -> Iterator[Fault]:
    values = recount(record, ranking)
    for line in lines:
        for criterion in RECOUNTED:
            if criterion in line.values and line.values[criterion] != values[line.player][criterion]:
                yield Fault(FaultKind.WRONG_VALUE, (line.player,), criterion=criterion)
    places, places_shown = expected_places(record, ranking, values), {line.player: line.place for line in lines}
    for player, place in places.items():
        if places_shown.get(player) != place:
            yield Fault(FaultKind.WRONG_PLACE, (player,))
    for line, lower in pairwise(lines):
        if places[line.player] > places[lower.player]:
            yield Fault(FaultKind.WRONG_ORDER, (line.player, lower.player))


def recount(record: TournamentRecord, ranking: Ranking) -> Mapping[Player, Mapping[Criterion, Fraction]]:
    """Return for each player the values of the criteria in `RECOUNTED`, computed from the games one by one."""
    score = ranking.criteria[0]
    counted = {player: _counted(record, ranking, player) for player in record.players}
    totals = {player: _total(record, ranking, counted[player], player, score) for player in record.players}
    rounds = max([game.round for game in record.games] + [number for number, _ in _all_byes(record)], default=0)
    values: dict[Player, dict[Criterion, Fraction]] = {}
    for player in record.players:
        opponents = _opponents(record, player, totals, rounds, ranking.table_size)
        lowest, highest = min(opponents, default=Fraction(0)), max(opponents, default=Fraction(0))
        real = [points[Criterion.TILE_POINTS] for _, points, is_bye in counted[player] if not is_bye]
        values[player] = {
            **{one: _total(record, ranking, counted[player], player, one) for one in RECOUNTED[:3]},
            Criterion.BEST_GAME: max(real, default=Fraction(0)),
            Criterion.BUCHHOLZ: sum(opponents, Fraction(0)),
            Criterion.BUCHHOLZ_CUT_1: sum(opponents, Fraction(0)) - lowest,
            Criterion.BUCHHOLZ_MEDIAN: sum(opponents, Fraction(0)) - lowest - (highest if len(opponents) > 1 else 0),
            Criterion.PROGRESSIVE: sum(
                (_after(record, counted[player], player, score, number) for number in range(1, rounds + 1)),
                Fraction(0),
            ),
        }
    return values


_Counted = tuple[int, dict[Criterion, Fraction], bool]
"""One game, or one game of a bye: its round, its value for each measure, and whether it is a bye."""


def _counted(record: TournamentRecord, ranking: Ranking, player: Player) -> list[_Counted]:
    found = _all_games(record, ranking, player)
    if ranking.scoring.best_games is not None:
        while len(found) > ranking.scoring.best_games:
            worst = min(counted[ranking.criteria[0]] for _, counted, _ in found)
            place = max(at for at, (_, counted, _) in enumerate(found) if counted[ranking.criteria[0]] == worst)
            del found[place]
    return found


def _all_games(record: TournamentRecord, ranking: Ranking, player: Player) -> list[_Counted]:
    found: list[_Counted] = []
    for number in range(1, max([len(record.rounds), *(game.round for game in record.games)], default=0) + 1):
        for game in record.games:
            if game.round == number and player in game.points:
                found.append((number, _count_game(game, ranking.scoring, player), False))
        for round_, bye in _all_byes(record):
            if round_ == number and bye[0] == player:
                found += [(number, _count_bye(ranking.scoring, bye[1]), True)] * ranking.games_per_round
    return found


def _all_byes(record: TournamentRecord) -> list[tuple[int, tuple[Player, Fraction]]]:
    return [
        (number, (bye.player, bye.kind.share))
        for number, paired in enumerate(record.rounds, start=1)
        for bye in paired.byes
    ]


def _count_bye(scoring: TournamentScoring, share: Fraction) -> dict[Criterion, Fraction]:
    return {
        Criterion.TILE_POINTS: share * scoring.bye_points,
        Criterion.PLACEMENT_POINTS: share * max([*scoring.placement, 0]),
        Criterion.WINS: share,
    }


def _count_game(game: GameResult, scoring: TournamentScoring, player: Player) -> dict[Criterion, Fraction]:
    points = {one: Fraction(noted) for one, noted in game.points.items()}
    fee = scoring.unopened_points
    if fee is not None and game.won:
        for loser in points:
            if loser in game.unopened and loser not in game.won:
                for winner in game.won:
                    points[winner] += (points[loser] + fee) / len(game.won)
                points[loser] = Fraction(-fee)
    tile_points = points[player]
    if scoring.loss_cap is not None and tile_points < -scoring.loss_cap:
        tile_points = Fraction(-scoring.loss_cap)
    if player in game.won:
        tile_points += Fraction(scoring.win_bonus) / len(game.won)
    result = (player in game.won, points[player])
    ahead = sum((one in game.won, noted) > result for one, noted in points.items())
    equal = sum((one in game.won, noted) == result for one, noted in points.items())
    shared = [scoring.placement[at] if at < len(scoring.placement) else 0 for at in range(ahead, ahead + equal)]
    return {
        Criterion.TILE_POINTS: tile_points,
        Criterion.PLACEMENT_POINTS: Fraction(sum(shared), equal),
        Criterion.WINS: Fraction(player in game.won),
    }


def _total(
    record: TournamentRecord, ranking: Ranking, counted: Sequence[_Counted], player: Player, measure: Criterion
) -> Fraction:
    total = sum((points[measure] for _, points, _ in counted), Fraction(0))
    if measure is ranking.criteria[0]:
        for penalty in record.penalties:
            if penalty.player == player:
                total -= penalty.points
    return total


def _after(
    record: TournamentRecord, counted: Sequence[_Counted], player: Player, score: Criterion, round_: int
) -> Fraction:
    total = sum((points[score] for number, points, _ in counted if number <= round_), Fraction(0))
    for penalty in record.penalties:
        if penalty.player == player and penalty.round <= round_:
            total -= penalty.points
    return total


def _opponents(
    record: TournamentRecord, player: Player, totals: Mapping[Player, Fraction], rounds: int, table_size: int
) -> list[Fraction]:
    scores: list[Fraction] = []
    for number in range(1, rounds + 1):
        met: set[Player] = set()
        for game in record.games:
            if game.round == number and player in game.points:
                met |= set(game.points) - {player}
        scores += [totals[opponent] for opponent in met]
        scores += [totals[player]] * (table_size - 1 - len(met))
    return scores


def expected_places(
    record: TournamentRecord, ranking: Ranking, values: Mapping[Player, Mapping[Criterion, Fraction]]
) -> Mapping[Player, int]:
    """Return the place of each player: groups of equals are split by one criterion after the other.

    `values` is the result of `recount`.
    """
    is_knock_out = ranking.knock_out_from is not None and len(record.rounds) >= ranking.knock_out_from
    groups = [list(record.players)]
    for criterion in (*KNOCK_OUT, *ranking.criteria) if is_knock_out else ranking.criteria:
        before = 0
        # Direct encounter is applied again to players who stay equal; any other criterion splits nothing then.
        while len(groups) > before:
            before = len(groups)
            groups = [
                [player for player in group if among[player] == value]
                for group in groups
                for among in [_values_among(record, ranking, values, criterion, group)]
                for value in sorted(set(among.values()), reverse=True)
            ]
    ahead = [sum(map(len, groups[:index])) for index in range(len(groups))]
    return {player: count + 1 for count, group in zip(ahead, groups, strict=True) for player in group}


def _values_among(
    record: TournamentRecord,
    ranking: Ranking,
    values: Mapping[Player, Mapping[Criterion, Fraction]],
    criterion: Criterion,
    group: Sequence[Player],
) -> Mapping[Player, Fraction]:
    """Return the value of a criterion for each of some players who are equal so far."""
    match criterion:
        case Criterion.DIRECT_ENCOUNTER:
            return _encounters(record, ranking, group)
        case Criterion.BY_HAND:
            orders = [one.order for one in record.decisions if all(player in one.order for player in group)]
            return {player: Fraction(-orders[-1].index(player) if orders else 0) for player in group}
        case Criterion.LOT:
            return {player: Fraction(_lot(record.lot_seed, player)) for player in group}
        case Criterion.KNOCK_OUT_ROUND:
            return {player: Fraction(_reached(record, ranking, player)) for player in group}
        case Criterion.KNOCK_OUT_RESULT:
            return {player: _score_in_reached_round(record, ranking, player) for player in group}
        case _:
            return {player: values[player][criterion] for player in group}


def _lot(seed: str, player: Player) -> int:
    """Return the first 52 bits of the digest of seed and player."""
    digest = hashlib.sha256(f"{seed} {player}".encode()).digest()
    return int.from_bytes(digest, "big") >> (256 - 52)


def _encounters(record: TournamentRecord, ranking: Ranking, group: Sequence[Player]) -> Mapping[Player, Fraction]:
    """Return a point for each equal player with a lower score in common games, and half a point for an equal score.

    If two of them have never met, only a player whom no other could overtake has a point.
    """
    score = ranking.criteria[0]
    points, unmet = dict.fromkeys(group, Fraction(0)), dict.fromkeys(group, 0)
    for one, other in permutations(group, 2):
        common = [game for game in record.games if one in game.points and other in game.points]
        counted = [
            (_count_game(game, ranking.scoring, one), _count_game(game, ranking.scoring, other)) for game in common
        ]
        gap = sum((own[score] - opponent[score] for own, opponent in counted), Fraction(0))
        if not common:
            unmet[one] += 1
        elif gap >= 0:
            points[one] += 1 if gap else Fraction(1, 2)
    if not any(unmet.values()):
        return points
    return {
        player: Fraction(all(points[player] > points[other] + unmet[other] for other in group if other != player))
        for player in group
    }


def _reached(record: TournamentRecord, ranking: Ranking, player: Player) -> int:
    """Return the last knock-out round in which a player had a seat or a bye that counts as a win; 0 for none."""
    reached = 0
    for number, paired in enumerate(record.rounds, start=1):
        seated = any(player in table for table in paired.tables)
        has_bye = any(bye.player == player and bye.kind.share == 1 for bye in paired.byes)
        if (seated or has_bye) and number >= (ranking.knock_out_from or 0):
            reached = number
    return reached


def _score_in_reached_round(record: TournamentRecord, ranking: Ranking, player: Player) -> Fraction:
    """Return the score of the last knock-out round that a player reached, with all its games and penalties."""
    number, score = _reached(record, ranking, player), ranking.criteria[0]
    total = sum(
        (points[score] for round_, points, _ in _all_games(record, ranking, player) if round_ == number), Fraction(0)
    )
    return total - sum(one.points for one in record.penalties if one.player == player and one.round == number)
