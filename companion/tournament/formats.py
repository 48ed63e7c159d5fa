"""Tournament formats: tables, rounds, pairing, scoring and criteria in one value, and ready-made formats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.knock_out import LARGEST_FINAL, count_rounds
from tilekeeper.companion.tournament.pairing import MOST_AT_TABLE, Pairing
from tilekeeper.companion.tournament.record import ByeKind
from tilekeeper.companion.tournament.scoring import TournamentScoring
from tilekeeper.companion.tournament.standings import Ranking
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.policies import Totals

MOST_ROUNDS: Final = 50
MOST_GAMES: Final = 12


@dataclass(frozen=True, slots=True)
class Format:
    """How a tournament is played.

    Raises:
        ValueError: for settings out of range or in contradiction. The message has no capital letter and no full stop,
            so that it fits into a sentence.
    """

    table_size: int = MOST_AT_TABLE
    """The number of players at a full table, 2 to 4."""
    games: int = 1
    """The number of games in a round, all at the same table."""
    rounds: int = 5
    """The number of rounds before the final; in a pure knock-out it is ignored."""
    pairing: Pairing = Pairing.RANDOM
    advancing: int = 2
    """The number of players who advance from each table in a knock-out."""
    finalists: int = 0
    """The number of best players who play a knock-out final after the rounds; 0 without a final."""
    criteria: tuple[Criterion, ...] = ()
    """The score, then the tie-breaks; empty for the criteria of the edition."""
    scoring: TournamentScoring = field(default_factory=TournamentScoring)
    late_until: int = MOST_ROUNDS
    """The last round that a late player can join; nobody can join a knock-out that has begun."""
    late_bye: ByeKind = ByeKind.ZERO
    """The kind of bye that a late player gets for each missed round."""
    asked_bye: ByeKind = ByeKind.HALF
    """The kind of bye that the page proposes for a player who asks in advance."""
    clubs_apart: int = 0
    """The number of first rounds in which players of one club should not meet."""

    def __post_init__(self) -> None:
        """Validate the settings."""
        if not 2 <= self.table_size <= MOST_AT_TABLE:
            raise ValueError(gettext("a table has 2 to 4 players"))
        if not 1 <= self.games <= MOST_GAMES:
            raise ValueError(gettext("a round has 1 to {most} games", most=MOST_GAMES))
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise ValueError(gettext("there are 1 to {most} rounds", most=MOST_ROUNDS))
        if not 1 <= self.advancing < self.table_size:
            raise ValueError(gettext("at each table, some players go on and some are out"))
        if self.finalists and not 2 <= self.finalists <= LARGEST_FINAL:
            raise ValueError(gettext("a final has 2 to {most} players", most=LARGEST_FINAL))
        if self.finalists and self.pairing is Pairing.KNOCK_OUT:
            raise ValueError(gettext("a knock-out has no separate final"))
        if self.criteria:
            Ranking(self.criteria, self.scoring)

    @property
    def knock_out_from(self) -> int | None:
        """The first knock-out round; None if there is none."""
        if self.pairing is Pairing.KNOCK_OUT:
            return 1
        return self.rounds + 1 if self.finalists else None

    @property
    def last_to_join(self) -> int:
        """The last round that a late player can join."""
        if self.knock_out_from is None:
            return self.late_until
        return min(self.late_until, max(1, self.knock_out_from - 1))

    def count_rounds(self, players: int) -> int:
        """Return the number of rounds for this number of players, final rounds included."""
        if self.pairing is Pairing.KNOCK_OUT:
            return count_rounds(players, self.table_size, self.advancing)
        return self.rounds + count_rounds(min(self.finalists, players), self.table_size, self.advancing)

    def ranking(self, totals: Totals) -> Ranking:
        """Return how players are ranked; if the format has no criteria, `totals`, a rule of the edition, decides."""
        return Ranking(
            self.criteria or default_criteria(totals), self.scoring, self.table_size, self.games, self.knock_out_from
        )


def default_criteria(totals: Totals) -> tuple[Criterion, ...]:
    """Return the usual criteria for an edition; `totals` is the edition's rule for the winner of several rounds."""
    first = (Criterion.TILE_POINTS, Criterion.WINS)
    if totals is Totals.ROUNDS_WON:
        first = (Criterion.WINS, Criterion.TILE_POINTS)
    return (*first, Criterion.BUCHHOLZ, Criterion.BEST_GAME)


CLUB_EVENING: Final = Format()
"""A short evening: players meet as many others as possible; the edition decides the criteria."""
GERMAN: Final = Format(
    games=4,
    rounds=3,
    pairing=Pairing.RANDOM,
    criteria=(
        Criterion.PLACEMENT_POINTS,
        Criterion.TILE_POINTS,
        Criterion.WINS,
        Criterion.DIRECT_ENCOUNTER,
        Criterion.BEST_GAME,
        Criterion.LOT,
    ),
)
"""The format of German championships: three rounds of four games, placement points 4, 3, 1, 0."""
MSO: Final = Format(
    table_size=2,
    rounds=5,
    pairing=Pairing.SWISS,
    advancing=1,
    criteria=(Criterion.WINS, Criterion.DIRECT_ENCOUNTER, Criterion.TILE_POINTS, Criterion.BUCHHOLZ_CUT_1),
    scoring=TournamentScoring(placement=(1, 0), unopened_points=100),
)
"""The format of the Mind Sports Olympiad (2019): two at a table, five rounds Swiss; wins, then its tie-breaks."""
LEAGUE: Final = Format(
    games=3,
    rounds=4,
    pairing=Pairing.SWISS,
    criteria=(Criterion.TILE_POINTS, Criterion.WINS, Criterion.BEST_GAME, Criterion.PROGRESSIVE),
    scoring=TournamentScoring(loss_cap=100, win_bonus=20, best_games=9),
)
"""A league evening: four rounds of three games, of which each player's best nine count; losses are capped."""

FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {"club": CLUB_EVENING, "german": GERMAN, "mso": MSO, "league": LEAGUE}
)
"""The ready-made formats by name."""
