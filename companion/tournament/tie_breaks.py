"""Tie-breaks such as Buchholz and direct encounter: computes the value of each criterion for each player.

Buchholz replaces each opponent missing in an unplayed round or at a smaller table by a dummy opponent with the player's
own score (FIDE Handbook C.07, unplayed rounds). So all players add up the same number of scores.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations, groupby
from typing import Final

from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.record import Player, TournamentRecord
from tilekeeper.companion.tournament.scoring import MEASURE, PlayerScore, TournamentScoring, score_game, score_players
from tilekeeper.engine.game.scoring import Points, simplify_points

_LOT_DIGITS: Final = 13
"""The hexadecimal digits of a lot. With 1,000 players, two draw the same lot in one of nine billion events."""
_OPPONENT_CUTS: Final = {
    Criterion.BUCHHOLZ: (0, 0),
    Criterion.BUCHHOLZ_CUT_1: (1, 0),
    Criterion.BUCHHOLZ_MEDIAN: (1, 1),
}
"""By criterion: how many of the opponents' scores are left out, of the lowest and of the highest."""


def draw_lot(seed: str, player: Player) -> int:
    """Return the lot of a player, who is ahead of all with smaller lots; the same seed always draws the same lots."""
    return int(hashlib.sha256(f"{seed} {player}".encode()).hexdigest()[:_LOT_DIGITS], 16)


class TieBreaks:
    """Computes criteria for all players of a record; each criterion is computed on first use."""

    def __init__(
        self,
        record: TournamentRecord,
        scoring: TournamentScoring,
        score: Criterion,
        *,
        table_size: int = 4,
        games_per_round: int = 1,
        knock_out_from: int | None = None,
    ) -> None:
        """Score the games of a record.

        Args:
            record: the tournament.
            scoring: how games count.
            score: the criterion of `MEASURES` that is the score, for players and opponents.
            table_size: the number of players at a full table.
            games_per_round: the number of games that a bye replaces.
            knock_out_from: the first knock-out round, from 1; None if there is none.

        Raises:
            KeyError: if the record names an unknown player.
        """
        self._record = record
        self._score = score
        self._measure = MEASURE[score]
        self._game_scores = [score_game(result, scoring) for result in record.games]
        self._table_size = table_size
        self._knock_out_from = knock_out_from
        self.players: Mapping[Player, PlayerScore] = score_players(
            record, self._game_scores, scoring, score, games_per_round
        )
        self._values: dict[Criterion, dict[Player, Points]] = {}

    @cached_property
    def scores(self) -> Mapping[Player, Points]:
        """The score of each player, after penalties."""
        return self.values(self._score)

    @cached_property
    def rounds(self) -> int:
        """The number of rounds with a result or a bye."""
        numbers = [game.round for score in self.players.values() for game in score.games]
        numbers += [number for score in self.players.values() for number in score.tables]
        return max(numbers, default=0)

    def values(self, criterion: Criterion) -> Mapping[Player, Points]:
        """Return each player's value of a criterion; 0 for all if the criterion is compared only within a group."""
        if criterion not in self._values:
            value = self._value(criterion)
            self._values[criterion] = {player: value(player) for player in self.players}
        return self._values[criterion]

    def split(self, criterion: Criterion, group: Sequence[Player]) -> list[tuple[Points, list[Player]]]:
        """Split players who are equal so far into groups with equal values of a criterion.

        The groups come best first, each with its value; within a group the players keep their order.
        """
        values: Mapping[Player, Points]
        if criterion is Criterion.DIRECT_ENCOUNTER:
            values = self._encounter(group)
        elif criterion is Criterion.BY_HAND:
            values = self._by_hand(group)
        else:
            values = self.values(criterion)
        ordered = sorted(group, key=lambda player: -values[player])
        return [(value, list(cluster)) for value, cluster in groupby(ordered, key=lambda player: values[player])]

    def game_points(self, player: Player) -> tuple[Points, ...]:
        """Return the value of each game of a player by the score's measure, byes included, before penalties."""
        return tuple(self._measure(game) for game in self.players[player].games)

    def round_score(self, player: Player, round_: int) -> Points:
        """Return the score of a player in one round: the sum of all its games, minus penalties.

        All games count, even if the standings count only each player's best games.
        """
        score = self.players[player]
        total = sum(self._measure(game) for game in score.games if game.round == round_)
        return simplify_points(total - score.penalties.get(round_, 0))

    def _value(self, criterion: Criterion) -> Callable[[Player], Points]:
        match criterion:
            case Criterion.TILE_POINTS | Criterion.PLACEMENT_POINTS | Criterion.WINS:
                return lambda player: self._total(player, criterion)
            case Criterion.BEST_GAME:
                return self._best_game
            case Criterion.BUCHHOLZ | Criterion.BUCHHOLZ_CUT_1 | Criterion.BUCHHOLZ_MEDIAN:
                return lambda player: self._opponents(player, *_OPPONENT_CUTS[criterion])
            case Criterion.PROGRESSIVE:
                return self._progressive
            case Criterion.LOT:
                return lambda player: draw_lot(self._record.lot_seed, player)
            case Criterion.KNOCK_OUT_ROUND:
                return self._knock_out_round
            case Criterion.KNOCK_OUT_RESULT:
                return lambda player: self.round_score(player, int(self._knock_out_round(player)))
            case Criterion.DIRECT_ENCOUNTER | Criterion.BY_HAND:
                return lambda player: 0

    def _total(self, player: Player, measure: Criterion) -> Points:
        score = self.players[player]
        total = sum(map(MEASURE[measure], score.counted))
        if measure is self._score:
            total -= sum(score.penalties.values())
        return simplify_points(total)

    def _best_game(self, player: Player) -> Points:
        return max((game.tile_points for game in self.players[player].counted if not game.is_bye), default=0)

    def _opponents(self, player: Player, lowest: int, highest: int) -> Points:
        numbers = sorted(self._opponent_scores(player))
        return simplify_points(sum(numbers[lowest : len(numbers) - highest]))

    def _opponent_scores(self, player: Player) -> Iterator[Points]:
        """Yield the score of each opponent in each round, and the player's own score for each missing opponent."""
        scores, tables, alone = self.scores, self.players[player].tables, {player}
        for number in range(1, self.rounds + 1):
            at_table = tables.get(number, alone)
            for opponent in at_table:
                if opponent != player:
                    yield scores[opponent]
            for _ in range(self._table_size - len(at_table)):
                yield scores[player]

    def _progressive(self, player: Player) -> Points:
        score = self.players[player]
        weighed = sum(self._measure(game) * (self.rounds + 1 - game.round) for game in score.counted)
        deducted = sum(points * (self.rounds + 1 - number) for number, points in score.penalties.items())
        return simplify_points(weighed - deducted)

    def _knock_out_round(self, player: Player) -> int:
        """Return the last knock-out round in which a player had a seat or a bye that counts as a win; 0 for none."""
        return self._reached.get(player, 0)

    @cached_property
    def _reached(self) -> Mapping[Player, int]:
        reached: dict[Player, int] = {}
        for number, paired in enumerate(self._record.rounds, start=1):
            if self._knock_out_from is not None and number >= self._knock_out_from:
                reached |= {player: number for table in paired.tables for player in table}
                reached |= {bye.player: number for bye in paired.byes if bye.kind.is_win}
        return reached

    @cached_property
    def _games_by_player(self) -> Mapping[Player, list[int]]:
        games: dict[Player, list[int]] = {player: [] for player in self.players}
        for index, result in enumerate(self._record.games):
            for player in result.points:
                games[player].append(index)
        return games

    def _encounter(self, group: Sequence[Player]) -> Mapping[Player, Points]:
        """Return each player's points against the others of a group, as the FIDE Handbook (C.07) says.

        A player gets 1 point for each other player who scored less in their common games, and ½ for an equal score.
        If some pairs never met, a player whom nobody could overtake by the missing encounters gets 1 point, and all
        others get 0.
        """
        ahead, missing = self._count_encounters(group)
        if not any(missing.values()):
            return ahead
        equal: dict[Player, Points] = dict.fromkeys(group, 0)
        for player in group:
            if all(ahead[player] > ahead[other] + missing[other] for other in group if other != player):
                return equal | {player: 1}
        return equal

    def _count_encounters(self, group: Sequence[Player]) -> tuple[dict[Player, Points], dict[Player, int]]:
        """Return for each player the points against others of the group, and the number of others never met."""
        members = {player: index for index, player in enumerate(group)}
        gaps: dict[tuple[Player, Player], Points] = {}
        for index in sorted({index for player in group for index in self._games_by_player[player]}):
            game = self._game_scores[index]
            members_in_game = sorted((player for player in game if player in members), key=members.__getitem__)
            for one, other in combinations(members_in_game, 2):
                gap = self._measure(game[one]) - self._measure(game[other])
                gaps[one, other] = gaps.get((one, other), 0) + gap
        ahead: dict[Player, Points] = dict.fromkeys(group, 0)
        missing = dict.fromkeys(group, len(group) - 1)
        for (one, other), gap in gaps.items():
            missing[one] -= 1
            missing[other] -= 1
            if gap == 0:
                ahead[one] += Fraction(1, 2)
                ahead[other] += Fraction(1, 2)
            else:
                ahead[one if gap > 0 else other] += 1
        return {player: simplify_points(points) for player, points in ahead.items()}, missing

    def _by_hand(self, group: Sequence[Player]) -> Mapping[Player, Points]:
        for decision in reversed(self._record.decisions):
            if set(group) <= set(decision.order):
                return {player: len(decision.order) - decision.order.index(player) for player in group}
        return dict.fromkeys(group, 0)
