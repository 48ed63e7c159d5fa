"""Scoring of games in a tournament: tile points, placement points and wins, with caps, bonuses, byes and penalties."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
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
        ValueError: for a number out of range. The message has no capital letter and no full stop, so that it fits into
            a sentence.
    """

    placement: tuple[int, ...] = (4, 3, 1, 0)
    """The placement points of the first, second, … place (Germany: 4, 3, 1, 0). A smaller table does not
    use the last ones. Winners come first, then the order is by tile points after `unopened_points`, before cap and
    bonus. Equal players share their placement points."""
    bye_points: int = 50
    """The tile points of a full bye, for each game of the round; 50 as in Scrabble associations."""
    loss_cap: int | None = None
    """The maximum number of tile points that a player can lose in a game; None without a cap."""
    win_bonus: int = 0
    """The tile points that a winner gets in addition; winners who share a win share the bonus."""
    unopened_points: int | None = None
    """The tile points that a loser who never opened pays to the winners instead of the rack's value (Mind Sports
    Olympiad: 100); None to pay the rack's value."""
    best_games: int | None = None
    """The number of each player's best games that count; None for all games."""

    def __post_init__(self) -> None:
        """Validate the numbers."""
        numbers = [*self.placement, self.bye_points, self.win_bonus, self.loss_cap or 0, self.unopened_points or 0]
        if any(not 0 <= number <= _MOST_POINTS for number in numbers):
            raise ValueError(gettext("points are numbers from 0 to {most}", most=_MOST_POINTS))
        if len(self.placement) > 4 or list(self.placement) != sorted(self.placement, reverse=True):
            raise ValueError(gettext("placement points are up to four numbers, the largest first"))
        if self.best_games is not None and self.best_games < 1:
            raise ValueError(gettext("at least one game must count"))


class GameScore(NamedTuple):
    """The value of one game for one player, by each measure; a bye has one such value per game of its round."""

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
"""For each criterion of `MEASURES` a function that returns a game's value."""
_ROUND: Final = attrgetter("round")


_POINTS: Final = re.compile(r"-?[0-9]{1,20}(/0*[1-9][0-9]{0,19})?")


def parse_points(text: str) -> Fraction:
    """Return points that `str` has written; the text may come from a file that somebody made.

    Raises:
        ValueError: for any other text, such as `1e999999999`, with which `Fraction` would fill the memory.
        TypeError: for a value that is no text.
    """
    if not _POINTS.fullmatch(text):
        raise ValueError(f"{text[:20]!r} is not a number of points")
    return Fraction(text)


@dataclass(frozen=True, slots=True)
class PlayerScore:
    """The games, penalties and tables of one player."""

    games: list[GameScore] = field(default_factory=list)
    """The scores of all games, byes included, in the order of rounds."""
    counted: list[GameScore] = field(default_factory=list)
    """Those of `games` that count in the standings: all, or only the best."""
    penalties: dict[int, Points] = field(default_factory=dict)
    """The penalty points in each round; the score is reduced by them."""
    tables: dict[int, Set[Player]] = field(default_factory=dict)
    """For each round all players at the player's table, the player included."""


def score_game(result: GameResult, scoring: TournamentScoring) -> dict[Player, GameScore]:
    """Return the score of a game for each of its players."""
    points = _charge_unopened(result, scoring)
    places = _placement_points(points, result.won, scoring)
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
    """Return the tile points after losers who never opened have paid `unopened_points` instead of the rack's value."""
    charged = result.unopened - result.won
    if scoring.unopened_points is None or not charged or not result.won:
        return result.points
    points = dict(result.points)
    pot: Points = 0
    for player in charged:
        pot += points[player] + scoring.unopened_points
        points[player] = -scoring.unopened_points
    share = pot if len(result.won) == 1 else Fraction(pot) / len(result.won)
    for player in result.won:
        points[player] = simplify_points(points[player] + share)
    return points


def _placement_points(
    points_by_player: Mapping[Player, Points], won: frozenset[Player], scoring: TournamentScoring
) -> dict[Player, Points]:
    """Return the placement points of each player: winners first, then by tile points; equal players share points."""
    order = sorted(((player in won, points, player) for player, points in points_by_player.items()), reverse=True)
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
    """Return the score of one game of a bye: a win's points times the share of the bye's kind."""
    share, first = bye.kind.share, scoring.placement[0] if scoring.placement else 0
    tile_points, placement_points, wins = (simplify_points(share * worth) for worth in (scoring.bye_points, first, 1))
    return GameScore(round_, tile_points, placement_points, wins, is_bye=True)


def score_players(
    record: TournamentRecord,
    game_scores: Sequence[Mapping[Player, GameScore]],
    scoring: TournamentScoring,
    score: Criterion,
    games_per_round: int = 1,
) -> dict[Player, PlayerScore]:
    """Return games, penalties and tables of each player, in the order of entry.

    Args:
        record: the tournament.
        game_scores: for each game of the record the result of `score_game`.
        scoring: how games count.
        score: the measure that the standings begin with; it decides which games are a player's best.
        games_per_round: the number of games that a bye replaces.

    Raises:
        KeyError: if a result, a bye or a penalty names an unknown player.
    """
    scores = {player: PlayerScore() for player in record.players}
    for result, game in zip(record.games, game_scores, strict=True):
        at_table = result.points.keys()
        for player, game_score in game.items():
            of_player = scores[player]
            of_player.games.append(game_score)
            known = of_player.tables.get(result.round)
            if known is None:
                of_player.tables[result.round] = at_table
            elif known != at_table:
                of_player.tables[result.round] = known | at_table
    for number, paired in enumerate(record.rounds, start=1):
        for bye in paired.byes:
            scores[bye.player].games.extend([_score_bye(number, bye, scoring)] * games_per_round)
    for penalty in record.penalties:
        by_round = scores[penalty.player].penalties
        by_round[penalty.round] = by_round.get(penalty.round, 0) + penalty.points
    for of_player in scores.values():
        of_player.games.sort(key=_ROUND)
        of_player.counted.extend(_best_games(of_player.games, scoring.best_games, score))
    return scores


def _best_games(games: Sequence[GameScore], count: int | None, score: Criterion) -> Sequence[GameScore]:
    """Return the `count` best games by the score, in the order of rounds; of equal games the earlier ones."""
    if count is None or len(games) <= count:
        return games
    value = MEASURE[score]
    best = sorted(range(len(games)), key=lambda index: (-value(games[index]), index))[:count]
    return [games[index] for index in sorted(best)]
