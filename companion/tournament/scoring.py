"""Scoring of games: tile points, placement points and wins, with caps, bonuses, byes and penalties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tilekeeper.companion.tournament.criteria import MEASURES, Criterion
from tilekeeper.companion.tournament.record import Bye, GameResult, Player, TournamentRecord
from tilekeeper.engine.game.scoring import Points, simplify_points
from tilekeeper.engine.language import gettext

_MOST_POINTS = 10_000


@dataclass(frozen=True, slots=True)
class Scoring:
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


@dataclass(frozen=True, slots=True)
class GameScore:
    """What one game, or one game of a bye, counts for one player."""

    round: int
    tile_points: Points
    placement_points: Points
    wins: Points
    is_bye: bool = False

    def measure(self, criterion: Criterion) -> Points:
        """Return one of `MEASURES`.

        Raises:
            ValueError: for another criterion.
        """
        match criterion:
            case Criterion.TILE_POINTS:
                return self.tile_points
            case Criterion.PLACEMENT_POINTS:
                return self.placement_points
            case Criterion.WINS:
                return self.wins
        raise ValueError(f"{criterion} is none of {MEASURES}")


@dataclass(frozen=True, slots=True)
class PlayerScore:
    """The counted games of one player."""

    games: list[GameScore] = field(default_factory=list)
    """The games that count, byes included, in the order of rounds."""
    penalties: dict[int, Points] = field(default_factory=dict)
    """The deducted points by round; they are taken from the score."""
    opponents: dict[int, set[Player]] = field(default_factory=dict)
    """The opponents by round."""


def score_game(result: GameResult, scoring: Scoring) -> dict[Player, GameScore]:
    """Return what a game counts for each of its players."""
    points = _charge_unopened(result, scoring)
    places = _placement_points(result, scoring)
    winners = len(result.won) or 1
    scores = {}
    for player, tile_points in points.items():
        counted = tile_points
        if scoring.loss_cap is not None:
            counted = max(counted, -scoring.loss_cap)
        if player in result.won and scoring.win_bonus:
            counted += Fraction(scoring.win_bonus, winners)
        scores[player] = GameScore(result.round, simplify_points(counted), places[player], int(player in result.won))
    return scores


def _charge_unopened(result: GameResult, scoring: Scoring) -> Mapping[Player, Points]:
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
        points[player] += Fraction(pot) / len(result.won)
    return points


def _placement_points(result: GameResult, scoring: Scoring) -> dict[Player, Points]:
    """Return the placement points of each player: winners first, then by tile points; equal players share them."""
    keys = {player: (player in result.won, points) for player, points in result.points.items()}
    order = sorted(keys, key=lambda player: keys[player], reverse=True)
    available = [*scoring.placement, *[0] * len(order)]
    placed: dict[Player, Points] = {}
    begin = 0
    while begin < len(order):
        equal = [player for player in order[begin:] if keys[player] == keys[order[begin]]]
        shared = simplify_points(Fraction(sum(available[begin : begin + len(equal)]), len(equal)))
        placed |= dict.fromkeys(equal, shared)
        begin += len(equal)
    return placed


def _score_bye(round_: int, bye: Bye, scoring: Scoring) -> GameScore:
    """Return what one game of a bye counts: the share of a win that its kind has."""
    share, first = bye.kind.share, scoring.placement[0] if scoring.placement else 0
    tile_points, placement_points, wins = (simplify_points(share * worth) for worth in (scoring.bye_points, first, 1))
    return GameScore(round_, tile_points, placement_points, wins, is_bye=True)


def score_players(
    record: TournamentRecord, scoring: Scoring, score: Criterion, games_per_round: int = 1
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
        table = result.points.keys()
        for player, counted in score_game(result, scoring).items():
            scores[player].games.append(counted)
            scores[player].opponents.setdefault(result.round, set()).update(table - {player})
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
    best = sorted(range(len(ordered)), key=lambda index: (-ordered[index].measure(score), index))[:count]
    return [ordered[index] for index in sorted(best)]
