"""Scoring of games: tile points, placement points and wins, with caps, bonuses, byes and penalties."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import attrgetter
from typing import Final, NamedTuple

from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.record import Bye, GameResult, Player, TournamentRecord
from tilekeeper.engine.game.scoring import Points, simplify_points
from tilekeeper.engine.language import gettext

_MOST_POINTS = 10_000


@dataclass(frozen=True, slots=True)
class TournamentScoring:
    """How games count in the standings.

    Raises:
        ValueError: for a number out of range; the message is for people.
    """

    placement: tuple[int, ...] = (4, 3, 1, 0)
    """The placement points of the first, second, … place (Germany: 4, 3, 1, 0). A smaller table leaves out the last
    ones; players with equal tile points share the points of their places."""
    bye_points: int = 50
    """The tile points of a full bye, for each game of the round. Scrabble associations count a bye as a win by 50."""
    loss_cap: int | None = None
    """A game counts at least minus this many tile points; None without a cap."""
    win_bonus: int = 0
    """Tile points that a win counts in addition; shared winners share it."""
    unopened_points: int | None = None
    """The tile points that a loser who never opened pays to the winners in place of the rack (Mind Sports Olympiad:
    100); None to count the rack."""
    best_games: int | None = None
    """Only so many of a player's games count, the best ones; None for all."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        numbers = [*self.placement, self.bye_points, self.win_bonus, self.loss_cap or 0, self.unopened_points or 0]
        if any(not 0 <= number <= _MOST_POINTS for number in numbers):
            raise ValueError(gettext("points are numbers from 0 to {most}", most=_MOST_POINTS))
        if len(self.placement) > 4 or list(self.placement) != sorted(self.placement, reverse=True):
            raise ValueError(gettext("placement points are up to four numbers, the largest first"))
        if self.best_games is not None and self.best_games < 1:
            raise ValueError(gettext("at least one game must count"))


class GameScore(NamedTuple):
    """The score of one player in one game, or in one game of a bye."""

    round: int
    tile_points: Points
    placement_points: Points
    wins: Points
    is_bye: bool = False


MEASURE: Final[Mapping[Criterion, Callable[[GameScore], Points]]] = {
    Criterion.TILE_POINTS: attrgetter("tile_points"),
    Criterion.PLACEMENT_POINTS: attrgetter("placement_points"),
    Criterion.WINS: attrgetter("wins"),
}
"""For each of `MEASURES` what a game counts."""


@dataclass(frozen=True, slots=True)
class PlayerScore:
    """The counted games of one player."""

    games: list[GameScore] = field(default_factory=list)
    """The games that count, byes included, in the order of rounds."""
    penalties: dict[int, Points] = field(default_factory=dict)
    """The deducted points by round; they are taken from the score."""
    opponents: dict[int, set[Player]] = field(default_factory=dict)
    """The opponents by round."""


def score_game(result: GameResult, scoring: TournamentScoring) -> dict[Player, GameScore]:
    """Return what a game counts for each of its players."""
    points = _charge_unopened(result, scoring)
    places = _placement_points(result, scoring)
    winners = len(result.won) or 1
    bonus = simplify_points(Fraction(scoring.win_bonus, winners)) if scoring.win_bonus else 0
    scores = {}
    for player, tile_points in points.items():
        has_won = player in result.won
        counted = tile_points
        if scoring.loss_cap is not None and counted < -scoring.loss_cap:
            counted = -scoring.loss_cap
        if has_won and bonus:
            counted = simplify_points(counted + bonus)
        scores[player] = GameScore(result.round, counted, places[player], int(has_won))
    return scores


def _charge_unopened(result: GameResult, scoring: TournamentScoring) -> Mapping[Player, Points]:
    """Return the tile points after losers who never opened have paid a fixed sum in place of their rack."""
    charged = result.unopened - result.won
    if scoring.unopened_points is None or not charged or not result.won:
        return result.points
    points = dict(result.points)
    pot: Points = 0
    for player in charged:
        pot += points[player] + scoring.unopened_points
        points[player] = -scoring.unopened_points
    for player in result.won:
        points[player] = simplify_points(points[player] + Fraction(pot) / len(result.won))
    return points


def _placement_points(result: GameResult, scoring: TournamentScoring) -> dict[Player, Points]:
    """Return the placement points of each player: winners first, then by tile points; equal players share them."""
    order = sorted(((player in result.won, points, player) for player, points in result.points.items()), reverse=True)
    available = [*scoring.placement, *[0] * len(order)]
    placed: dict[Player, Points] = {}
    begin = 0
    for end, (has_won, points, player) in enumerate(order, start=1):
        if end < len(order) and order[end][:2] == (has_won, points):
            continue
        if end - begin == 1:
            placed[player] = available[begin]
        else:
            shared = simplify_points(Fraction(sum(available[begin:end]), end - begin))
            placed |= {equal: shared for _, _, equal in order[begin:end]}
        begin = end
    return placed


def _score_bye(round_: int, bye: Bye, scoring: TournamentScoring) -> GameScore:
    """Return what one game of a bye counts: the share of a win that its kind has."""
    share, first = bye.kind.share, scoring.placement[0] if scoring.placement else 0
    tile_points, placement_points, wins = (simplify_points(share * worth) for worth in (scoring.bye_points, first, 1))
    return GameScore(round_, tile_points, placement_points, wins, is_bye=True)


def score_players(
    record: TournamentRecord, scoring: TournamentScoring, score: Criterion, games_per_round: int = 1
) -> dict[Player, PlayerScore]:
    """Return the counted games of all players, in the order of entry.

    Args:
        record: the tournament.
        scoring: how games count.
        score: the measure that the standings begin with; it decides which games are a player's best.
        games_per_round: the number of games for which a bye counts.

    Raises:
        KeyError: if a result, a bye or a penalty names an unknown player.
    """
    scores = {player: PlayerScore() for player in record.players}
    for result in record.games:
        for player, counted in score_game(result, scoring).items():
            of_player = scores[player]
            of_player.games.append(counted)
            met = of_player.opponents.get(result.round)
            if met is None:
                met = of_player.opponents[result.round] = set()
            met.update(result.points)
            met.discard(player)
    for number, paired in enumerate(record.rounds, start=1):
        for bye in paired.byes:
            scores[bye.player].games.extend([_score_bye(number, bye, scoring)] * games_per_round)
    for penalty in record.penalties:
        by_round = scores[penalty.player].penalties
        by_round[penalty.round] = by_round.get(penalty.round, 0) + penalty.points
    for counted_games in scores.values():
        counted_games.games[:] = _best_games(counted_games.games, scoring.best_games, score)
    return scores


def _best_games(games: Sequence[GameScore], count: int | None, score: Criterion) -> list[GameScore]:
    """Return the best games by the score, in the order of rounds; the earlier of two equal ones."""
    ordered = sorted(games, key=lambda game: game.round)
    if count is None or len(ordered) <= count:
        return ordered
    value = MEASURE[score]
    best = sorted(range(len(ordered)), key=lambda index: (-value(ordered[index]), index))[:count]
    return [ordered[index] for index in sorted(best)]
