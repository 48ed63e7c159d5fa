"""Values for judging a turn: all inputs of a verdict, and the verdict with its questions."""

from dataclasses import dataclass

from tilekeeper.companion.adjudication.uncertainty import Weighed
from tilekeeper.companion.adjudication.verdict_cache import weigh_once
from tilekeeper.companion.observation.observed_table import ObservedTable, by_hand
from tilekeeper.engine.judge.judge import judge_once
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.table import Table
from tilekeeper.vision.types import NO_TILE_LABEL, TableReading

MOST_CHOICES = 3
"""The maximum number of labels that are offered for a doubtful tile, in addition to "no tile"."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A turn after it was judged: the verdict, and what could change it.

    Attributes:
        before: the table at the start of the turn.
        weighed: the verdict and the questions on which it depends.
        reading_number: the number of the judged reading; its tiles may be outlined only on that reading's picture.
    """

    before: ObservedTable
    weighed: Weighed
    reading_number: int

    @property
    def sure(self) -> bool:
        """Whether no doubtful tile, doubtful meld or covered tile can change the verdict."""
        return self.weighed.stands

    def choices(self, reading: TableReading, index: int) -> tuple[str, ...]:
        """Return the labels to offer for the doubtful tile `index` of the judged reading.

        First come the two likeliest labels, then other labels that change the verdict, and "no tile" last.
        """
        tile = reading.tiles[index]
        further = [label for at, label in self.weighed.labels if at == index]
        labels = [label for label in dict.fromkeys((tile.label, tile.runner_up, *further)) if label != NO_TILE_LABEL]
        return (*labels[:MOST_CHOICES], NO_TILE_LABEL)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A turn to be judged, with all inputs of its verdict; two cases are equal only if they are the same object.

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
        """Judge the turn; a turn with the same inputs is judged only once."""
        if isinstance(self.after, TableReading):
            weighed = weigh_once(self.before, self.after, self.context, self.insisted)
        else:
            verdict = judge_once(self.before.table, self.after, self.context)
            weighed = Weighed(by_hand(self.after), verdict, (), verdict.violations)
        return Judged(self.before, weighed, self.reading_number)
