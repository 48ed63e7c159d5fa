"""A turn to be judged, with everything that its verdict depends on, and the judged turn."""

from dataclasses import dataclass

from tilekeeper.companion.adjudication.uncertainty import Weighed
from tilekeeper.companion.adjudication.verdict_cache import weigh_once
from tilekeeper.companion.observation.observed_table import ObservedTable, by_hand
from tilekeeper.engine.judge.judge import judge_once
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.table import Table
from tilekeeper.vision.types import NO_TILE_LABEL, TableReading

MOST_CHOICES = 3
"""At most three labels are offered for a doubtful tile, and then "no tile"."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A judged turn.

    Attributes:
        before: the table at the start of the turn that was judged.
        weighed: the verdict and the questions on which it depends.
        reading_number: the number of the judged reading; its tiles are outlined only on this reading's picture.
    """

    before: ObservedTable
    weighed: Weighed
    reading_number: int

    @property
    def sure(self) -> bool:
        """Whether no doubtful tile, doubtful meld or covered tile can change the verdict."""
        return self.weighed.stands

    def choices(self, reading: TableReading, index: int) -> tuple[str, ...]:
        """Return the labels to offer for a doubtful tile of the judged reading.

        First the two likeliest, then other labels that change the verdict, and "no tile" last.
        """
        tile = reading.tiles[index]
        further = [name for at, name in self.weighed.names if at == index]
        names = [name for name in dict.fromkeys((tile.label, tile.runner_up, *further)) if name != NO_TILE_LABEL]
        return (*names[:MOST_CHOICES], NO_TILE_LABEL)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A turn to be judged, with everything on which the verdict depends; no two cases are equal.

    Judging takes from a millisecond to a second.

    Attributes:
        before: the table at the start of the turn.
        after: the reading of the table at the end of the turn, or the table that was entered by hand.
        context: the rules, and whether the player had opened.
        reading_number: the number of the reading; 0 for a table that was entered by hand.
        insisted: whether Done was pressed again after the turn was called illegal.
    """

    before: ObservedTable
    after: TableReading | Table
    context: TurnContext
    reading_number: int = 0
    insisted: bool = False

    def judged(self) -> Judged:
        """Judge the turn; the same table is judged only once."""
        if isinstance(self.after, TableReading):
            weighed = weigh_once(self.before, self.after, self.context, self.insisted)
        else:
            verdict = judge_once(self.before.table, self.after, self.context)
            weighed = Weighed(by_hand(self.after), verdict, (), verdict.violations)
        return Judged(self.before, weighed, self.reading_number)
