"""Converts the stored tournament into values of the package `tournament`; a `Player` there is a row's id as text."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Final

from pydantic import TypeAdapter
from sqlalchemy import select
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.schema import (
    AbsenceRow,
    ApartRow,
    HallRow,
    HandOrderRow,
    PenaltyRow,
    PlayerRow,
    RoundRow,
    SeatingRow,
)
from tilekeeper.companion.hub.settings import HallSettings
from tilekeeper.companion.tournament.conflicts import Conflict, find_conflicts
from tilekeeper.companion.tournament.knock_out import advance, qualify
from tilekeeper.companion.tournament.pairing import FORBIDDEN, UNWANTED, Pairing, pair
from tilekeeper.companion.tournament.record import (
    ArbiterPenalty,
    Bye,
    ByeKind,
    GameResult,
    HandDecision,
    PairedRound,
    Player,
    TournamentRecord,
)
from tilekeeper.companion.tournament.scoring import parse_points
from tilekeeper.companion.tournament.standings import Standing, standings
from tilekeeper.engine.game.scoring import simplify_points
from tilekeeper.engine.language import gettext


@dataclass(frozen=True, slots=True)
class PairingBasis:
    """All inputs of a pairing apart from the past rounds, stored so that the same pairing can be drawn again."""

    way: Pairing
    """How players are assigned to tables: at random, by standing, fixed, or knock-out."""
    seed: str
    """The seed of the random numbers."""
    players: tuple[Player, ...]
    """The players of the round, in the order of entry."""
    ranking: tuple[Player, ...]
    """The standings before the round, best first."""
    table_size: int
    apart: tuple[tuple[Player, Player, int], ...] = ()
    """Pairs of players that the pairing keeps apart, each with its cost, `FORBIDDEN` or `UNWANTED`."""

    def draw(self, past: Sequence[PairedRound]) -> PairedRound:
        """Pair the round; `past` are the rounds before it.

        Raises:
            ValueError: if there are too few players. The message has no capital letter and no full stop, so that it
                fits into a sentence.
        """
        apart = {frozenset((one, other)): cost for one, other, cost in self.apart}
        rng = random.Random(self.seed)
        return pair(self.way, self.players, past, rng, self.ranking, table_size=self.table_size, apart=apart)

    def as_json(self) -> dict[str, Any]:
        """Return the basis as JSON for the database."""
        stored: dict[str, Any] = _BASIS.dump_python(self, mode="json")
        return stored

    @classmethod
    def of(cls, kept: dict[str, Any]) -> PairingBasis:
        """Return the basis from its stored form.

        Raises:
            ValueError: if the stored form is not valid.
        """
        return _BASIS.validate_python(kept)


_BASIS: Final = TypeAdapter(PairingBasis)


@dataclass(frozen=True)
class StoredTournament:
    """All rows of a tournament, with the record, standings and pairing inputs computed from them."""

    settings: HallSettings
    seed: int
    redraws: int
    """How often a pairing was withdrawn."""
    players: Sequence[PlayerRow]
    """The players in the order of entry."""
    rounds: Sequence[RoundRow]
    seatings: Sequence[SeatingRow]
    absences: Sequence[AbsenceRow]
    apart: Sequence[ApartRow]
    penalties: Sequence[PenaltyRow]
    hand_orders: Sequence[HandOrderRow]

    @cached_property
    def record(self) -> TournamentRecord:
        """The tournament as a value of the package `tournament`."""
        return TournamentRecord(
            players=tuple(str(row.id) for row in self.players),
            rounds=tuple(paired_rounds(self.rounds, self.seatings)),
            games=tuple(results_of(self.seatings)),
            penalties=tuple(ArbiterPenalty(str(row.player), row.round, row.points) for row in self.penalties),
            decisions=tuple(HandDecision(tuple(map(str, row.players))) for row in self.hand_orders),
            lot_seed=str(self.seed),
        )

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """The standings, best first."""
        return standings(self.record, self.settings.ranking)

    @property
    def count_rounds(self) -> int:
        """The number of rounds to be played, final rounds included."""
        return self.settings.format.count_rounds(len(self.players))

    def costs_apart(self, round_: int) -> dict[frozenset[Player], int]:
        """Return the pairs of players to keep apart in a round, with the cost of seating them together."""
        clubs: dict[str, list[Player]] = {}
        for row in self.players:
            if row.club and round_ <= self.settings.format.clubs_apart:
                clubs.setdefault(row.club.casefold(), []).append(str(row.id))
        costs = {frozenset(two): UNWANTED for mates in clubs.values() for two in combinations(mates, 2)}
        return costs | {frozenset((str(row.one), str(row.other))): FORBIDDEN for row in self.apart}

    def byes_asked(self) -> dict[Player, ByeKind]:
        """Return the byes that players have asked for in the next round, by player."""
        absent = {str(row.player): ByeKind(row.kind) for row in self.absences if row.round == len(self.rounds) + 1}
        return {player: absent[player] for player in self.remaining_players if player in absent}

    @cached_property
    def remaining_players(self) -> tuple[Player, ...]:
        """The players of the next round in the order of entry, byes included; without those eliminated in a knock-out.

        Raises:
            ValueError: if the knock-out is over. The message has no capital letter and no full stop, so that it fits
                into a sentence.
        """
        number, format_ = len(self.rounds) + 1, self.settings.format
        active = [str(row.id) for row in self.players if not row.gone]
        if format_.knock_out_from is None or number < format_.knock_out_from:
            return tuple(active)
        going_on = self._knock_out_players(number, [line.player for line in self.standings])
        return tuple(player for player in active if player in going_on)

    def next_basis(self) -> PairingBasis:
        """Return the inputs for pairing the next round.

        Raises:
            ValueError: if the knock-out is over. The message has no capital letter and no full stop, so that it fits
                into a sentence.
        """
        number, format_ = len(self.rounds) + 1, self.settings.format
        ranking = tuple(line.player for line in self.standings)
        byes = self.byes_asked()
        playing = [player for player in self.remaining_players if player not in byes]
        is_knock_out = format_.knock_out_from is not None and number >= format_.knock_out_from
        way = Pairing.KNOCK_OUT if is_knock_out else format_.pairing
        costs = self.costs_apart(number)
        return PairingBasis(
            way,
            f"{self.seed + self.redraws} {number - 1}",
            tuple(playing),
            ranking,
            format_.table_size,
            tuple(sorted((min(two), max(two), cost) for two, cost in costs.items())),
        )

    def _knock_out_players(self, number: int, ranking: Sequence[Player]) -> Sequence[Player]:
        """Return the players who have reached a knock-out round; some of them may have left the event."""
        format_ = self.settings.format
        if number == format_.knock_out_from:
            absent = {str(row.player) for row in self.absences if row.round == number}
            withdrawn = {str(row.id) for row in self.players if row.gone}
            candidates = [player for player in ranking if player not in absent | withdrawn]
            return qualify(candidates, format_.finalists) if format_.finalists else ranking
        last = self.record.rounds[-1]
        tie_breaks = self.settings.ranking.tie_breaks(self.record)
        scores = {player: tie_breaks.round_score(player, number - 1) for player in last.players}
        going_on = advance(last, scores, ranking, format_.advancing)
        if not going_on:
            raise ValueError(gettext("the final is played"))
        return going_on

    def conflicts(self, paired: PairedRound, number: int) -> tuple[Conflict, ...]:
        """Return the conflicts in the pairing of round `number`."""
        players = [player for player in self.record.players if player in paired.players]
        is_waiting = number == len(self.rounds) and self.rounds[-1].state == "seated"
        return find_conflicts(
            paired,
            players,
            self.record.rounds[: number - 1],
            table_size=self.settings.format.table_size,
            apart=self.costs_apart(number),
            left={str(row.id) for row in self.players if row.gone and is_waiting},
        )


def read_tournament(session: Session) -> StoredTournament:
    """Read all rows of the tournament from the database."""
    hall = session.get_one(HallRow, 1)
    return StoredTournament(
        HallSettings.of(hall.settings),
        hall.seed,
        hall.redraws,
        players_of(session),
        rounds_of(session),
        seatings_of(session),
        list(session.scalars(select(AbsenceRow))),
        list(session.scalars(select(ApartRow))),
        list(session.scalars(select(PenaltyRow).order_by(PenaltyRow.id))),
        list(session.scalars(select(HandOrderRow).order_by(HandOrderRow.id))),
    )


def players_of(session: Session) -> list[PlayerRow]:
    """Return all players, in the order in which they were entered."""
    return list(session.scalars(select(PlayerRow).order_by(PlayerRow.id)))


def rounds_of(session: Session) -> list[RoundRow]:
    """Return all rounds in order."""
    return list(session.scalars(select(RoundRow).order_by(RoundRow.number)))


def seatings_of(session: Session, round_: int | None = None) -> list[SeatingRow]:
    """Return the seatings of one round, or of all rounds for None, sorted by round and place."""
    query = select(SeatingRow).order_by(SeatingRow.round, SeatingRow.place)
    return list(session.scalars(query if round_ is None else query.where(SeatingRow.round == round_)))


def paired_rounds(rounds: Sequence[RoundRow], seatings: Sequence[SeatingRow]) -> list[PairedRound]:
    """Combine rounds and seatings: return each round with its tables and byes."""
    tables: dict[int, list[tuple[Player, ...]]] = {}
    for seating in seatings:
        tables.setdefault(seating.round, []).append(tuple(map(str, seating.players)))
    return [
        PairedRound(
            tuple(tables.get(row.number, ())),
            tuple(Bye(str(bye["player"]), ByeKind(bye["kind"])) for bye in row.byes),
        )
        for row in rounds
    ]


def results_of(seatings: Sequence[SeatingRow]) -> list[GameResult]:
    """Return the results of all games of those seatings that have results."""
    return [
        GameResult(
            row.round,
            {
                str(player): simplify_points(parse_points(points))
                for player, points in zip(row.players, game["points"], strict=False)
            },
            _players_at(row, game["won"]),
            _players_at(row, game.get("unopened", ())),
        )
        for row in seatings
        for game in row.games or ()
    ]


def _players_at(row: SeatingRow, seats: Sequence[int]) -> frozenset[Player]:
    return frozenset(str(row.players[seat]) for seat in seats if seat < len(row.players))
