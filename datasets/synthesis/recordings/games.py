"""Random games from a seed: legal turns, and fouls (illegal turns) that the same player then corrects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tilekeeper.datasets.synthesis.recordings.fouls import FOULS, PlantFoul, open_too_low
from tilekeeper.datasets.synthesis.recordings.moves import MOVES, Move, lay_run, lay_set, open_game
from tilekeeper.datasets.synthesis.recordings.pieces import Piece, Rows, Unseen, table_of, whole_box
from tilekeeper.datasets.synthesis.recordings.places import NOTHING, Arrangement, Floor, arrange
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext

MOST_TRIES = 400


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt at a turn, and the table after it; an illegal attempt is followed by another at the same turn.

    `turn`, `player`: numbers from 0; `opened`: whether the player had opened in an earlier turn; `kind`: name of the
    move or foul; `laid`: the table after the attempt; `verdict`: of the turn from the last legal table to this one.
    """

    turn: int
    player: int
    opened: bool
    kind: str
    laid: Arrangement
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Game:
    """A random game: its first table (a game may begin with melds) and all attempts after it, in order."""

    rules: RuleSet
    players: int
    begin: Arrangement
    attempts: tuple[Attempt, ...]


class _Play:
    """The state of a game while it is generated."""

    def __init__(self, rng: np.random.Generator, rules: RuleSet, floor: Floor, players: int, opened: int) -> None:
        self.rng = rng
        self.rules = rules
        self.floor = floor
        self.box: tuple[Piece, ...] = whole_box(rules)
        self.laid = NOTHING
        self.opened = [player < opened for player in range(players)]
        self.used: dict[str, int] = {}

    def unseen(self) -> Unseen:
        return Unseen(self.box, self.laid.rows, self.rules)

    def judged(self, rows: Rows, opened: bool) -> Verdict:
        return judge(table_of(self.laid.rows), table_of(rows), TurnContext(self.rules, opened))

    def legal_turn(self, kind: str, move: Move, opened: bool) -> tuple[Arrangement, Verdict] | None:
        """Try a move until it is legal and fits on the table; return arrangement and verdict, None if no try does."""
        for _ in range(MOST_TRIES // 10):
            rows = move(self.rng, self.laid.rows, self.unseen())
            if rows is None:
                continue
            verdict = self.judged(rows, opened)
            arranged = arrange(self.rng, self.laid, rows, self.floor) if verdict.legal else None
            if arranged:
                self.used[kind] = self.used.get(kind, 0) + 1
                return arranged, verdict
        return None

    def try_foul(
        self, plant: PlantFoul, opened: bool
    ) -> tuple[tuple[Arrangement, Verdict], tuple[Arrangement, Verdict]] | None:
        """Try an illegal turn until the judge finds the expected violation in it, and finds its correction legal.

        Returns the arrangement and the verdict of the illegal turn and of its correction; None after `MOST_TRIES`.
        """
        for _ in range(MOST_TRIES):
            foul = plant(self.rng, self.laid.rows, self.unseen())
            if foul is None:
                continue
            wrong, right = self.judged(foul.wrong, opened), self.judged(foul.corrected, opened)
            codes = {violation.code for violation in wrong.violations}
            if not right.legal or (codes != {foul.code} if foul.code else not codes):
                continue
            first = arrange(self.rng, self.laid, foul.wrong, self.floor)
            second = first and arrange(self.rng, first, foul.corrected, self.floor)
            if first and second:
                return (first, wrong), (second, right)
        return None


def play_game(
    rng: np.random.Generator,
    rules: RuleSet,
    floor: Floor,
    turns: int = 10,
    players: int = 2,
    melds: int = 5,
    fouls: int = 2,
    plants: Sequence[Mapping[str, PlantFoul]] = (FOULS,),
) -> Game:
    """Generate a game of `turns` turns, of which `fouls` start with an illegal attempt.

    The illegal attempts come from the groups in `plants`, in rotation. The first turn is legal, so a short game may
    have fewer of them. With `melds` on the table at the start, all players but the last one have opened; without melds
    nobody has. Raises `ValueError` if the table or the box is too small for the game.
    """
    play = _Play(rng, rules, floor, players, players - 1 if melds else 0)
    for count in range(melds):
        begun = play.legal_turn("begin", lay_run if count % 2 == 0 else lay_set, True)
        if begun is None:
            raise ValueError(f"no room for {melds} melds on a table of {floor}")
        play.laid = begun[0]
    begin = play.laid
    # The first foul is in the second turn, the others are spread evenly.
    planted = min(fouls, turns - 1)
    wrong = {int(1 + step * (turns - 1) / planted) for step in range(planted)}
    attempts: list[Attempt] = []
    for turn in range(turns):
        player = turn % players
        done = sum(not attempt.verdict.legal for attempt in attempts)
        attempts += _play_turn(play, turn, player, plants[done % len(plants)] if turn in wrong else None)
        play.laid = attempts[-1].laid
        play.opened[player] = True
    return Game(rules, players, begin, tuple(attempts))


def _play_turn(play: _Play, turn: int, player: int, wrong: Mapping[str, PlantFoul] | None) -> list[Attempt]:
    opened = play.opened[player]
    if wrong is not None:
        plants = wrong if opened else {"open-too-low": open_too_low}
        for name, plant in sorted(plants.items(), key=lambda item: (play.used.get(item[0], 0), play.rng.random())):
            if pair := play.try_foul(plant, opened):
                play.used[name] = play.used.get(name, 0) + 1
                (first, fault), (second, verdict) = pair
                return [
                    Attempt(turn, player, opened, name, first, fault),
                    Attempt(turn, player, opened, "mend", second, verdict),
                ]
    moves = dict(MOVES) if opened else {"open": open_game}
    for kind, move in sorted(moves.items(), key=lambda item: (play.used.get(item[0], 0), play.rng.random())):
        if attempt := play.legal_turn(kind, move, opened):
            return [Attempt(turn, player, opened, kind, *attempt)]
    raise ValueError(f"no legal turn is left on a table of {play.floor}: play fewer turns or start with fewer melds")
