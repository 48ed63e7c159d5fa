"""Standings of a tournament: players ranked by a list of criteria, and why each is ahead of the next.

The first criterion is the score. Players who are equal in all criteria share a place; the next places are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tilekeeper.companion.tournament.criteria import KNOCK_OUT, MEASURES, TIE_BREAKS, Criterion
from tilekeeper.companion.tournament.record import Player, TournamentRecord
from tilekeeper.companion.tournament.scoring import TournamentScoring
from tilekeeper.companion.tournament.tie_breaks import TieBreaks
from tilekeeper.engine.game.scoring import Points
from tilekeeper.engine.language import gettext


@dataclass(frozen=True, slots=True)
class Ranking:
    """How the players of a tournament are ranked.

    Raises:
        ValueError: if the criteria do not begin with a score or are repeated. The message has no capital letter and
            no full stop, so that it fits into a sentence.
    """

    criteria: tuple[Criterion, ...]
    """The score, one of `MEASURES`, then the tie-breaks in the order in which they decide."""
    scoring: TournamentScoring = field(default_factory=TournamentScoring)
    table_size: int = 4
    """The number of players at a full table."""
    games_per_round: int = 1
    knock_out_from: int | None = None
    """The first knock-out round, from 1; None if there is none."""

    def __post_init__(self) -> None:
        """Validate the criteria."""
        if not self.criteria or self.criteria[0] not in MEASURES:
            raise ValueError(gettext("tile points, placement points or wins must count first"))
        if len(set(self.criteria)) < len(self.criteria) or not set(self.criteria) <= set(TIE_BREAKS):
            raise ValueError(gettext("each tie-break can be chosen once"))

    def tie_breaks(self, record: TournamentRecord) -> TieBreaks:
        """Return an object that computes the criteria for all players of a record.

        Raises:
            KeyError: if the record names an unknown player.
        """
        return TieBreaks(
            record,
            self.scoring,
            self.criteria[0],
            table_size=self.table_size,
            games_per_round=self.games_per_round,
            knock_out_from=self.knock_out_from,
        )


@dataclass(frozen=True, slots=True)
class Lead:
    """Why a player is ahead of the next line of the standings."""

    criterion: Criterion
    own: Points
    """The player's value in the deciding comparison; direct encounter may be compared several times."""
    other: Points
    """The value of the player in the next line."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings."""

    place: int
    """The place, from 1; equal players share it."""
    player: Player
    score: Points
    """The value of the first criterion."""
    values: Mapping[Criterion, Points]
    """The value of each criterion; direct encounter and decision by hand are missing if they were not compared."""
    played: int
    """The number of rounds played, without byes."""
    lead: Lead | None = None
    """Why this player is ahead of the next line; None in the last line, and if both share a place."""


def standings(record: TournamentRecord, ranking: Ranking) -> tuple[Standing, ...]:
    """Return the standings, best first; players who share a place are in the order of entry.

    Raises:
        KeyError: if the record names an unknown player.
    """
    tie_breaks = ranking.tie_breaks(record)
    is_knock_out = ranking.knock_out_from is not None and len(record.rounds) >= ranking.knock_out_from
    criteria = (*KNOCK_OUT, *ranking.criteria) if is_knock_out else ranking.criteria
    compared: dict[Player, dict[Criterion, Points]] = {player: {} for player in record.players}
    clusters = _rank(tie_breaks, list(record.players), criteria, compared)
    lines: list[Standing] = []
    for index, (_, cluster) in enumerate(clusters):
        place = len(lines) + 1
        lead = clusters[index + 1][0] if index + 1 < len(clusters) else None
        for player in cluster:
            values = {
                criterion: tie_breaks.values(criterion)[player]
                for criterion in criteria
                if criterion not in (Criterion.DIRECT_ENCOUNTER, Criterion.BY_HAND)
            } | compared[player]
            is_last = player == cluster[-1]
            lines.append(
                Standing(
                    place,
                    player,
                    tie_breaks.scores[player],
                    values,
                    len(tie_breaks.players[player].tables),
                    lead if is_last else None,
                )
            )
    return tuple(lines)


def lead_over(lines: Sequence[Standing], index: int, lower: int, criteria: Sequence[Criterion]) -> Lead | None:
    """Return why a line is ahead of a lower one, which need not be the next; None if both share a place.

    Args:
        lines: the standings.
        index: the index of the line.
        lower: the index of the lower line.
        criteria: the criteria in the order in which they decide.
    """
    leads = [line.lead for line in lines[index:lower] if line.lead is not None]
    if not leads:
        return None
    first = min((lead.criterion for lead in leads), key=criteria.index)
    deciding = [lead for lead in leads if lead.criterion is first]
    return Lead(first, deciding[0].own, deciding[-1].other)


def _rank(
    tie_breaks: TieBreaks,
    group: list[Player],
    criteria: Sequence[Criterion],
    compared: dict[Player, dict[Criterion, Points]],
) -> list[tuple[Lead | None, list[Player]]]:
    """Return groups of equal players, best first, each with the lead of the group before it; None for the first.

    Args:
        tie_breaks: the values of the criteria.
        group: players who are equal so far.
        criteria: the criteria that remain.
        compared: filled with the values of criteria that are compared only within a group.
    """
    if len(group) < 2 or not criteria:
        return [(None, group)] if group else []
    first, *rest = criteria
    clusters = tie_breaks.split(first, group)
    # Direct encounter is applied again to players who are still equal after it.
    is_repeated = first is Criterion.DIRECT_ENCOUNTER and len(clusters) > 1
    ranked: list[tuple[Lead | None, list[Player]]] = []
    for index, (value, cluster) in enumerate(clusters):
        lead = Lead(first, clusters[index - 1][0], value) if index else None
        if first in (Criterion.DIRECT_ENCOUNTER, Criterion.BY_HAND) and len(clusters) > 1:
            for player in cluster:
                compared[player].setdefault(first, value)
        (_, head), *tail = _rank(tie_breaks, cluster, criteria if is_repeated else rest, compared)
        ranked += [(lead, head), *tail]
    return ranked
