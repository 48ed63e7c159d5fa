"""A turn that is to be judged, with all that its verdict depends on, and what came of judging it."""

from dataclasses import dataclass

from tilekeeper.companion.adjudication.uncertainty import Weighed
from tilekeeper.companion.adjudication.verdict_cache import weigh_once
from tilekeeper.companion.observation.observed_table import ObservedTable, by_hand
from tilekeeper.engine.judge.judge import judge_once
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.table import Table
from tilekeeper.vision.types import NO_TILE_LABEL, TableReading

MOST_CHOICES = 3
"""So many names are offered for a doubtful tile, beside that it is no tile."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of pressing Done.

    Attributes:
        before: the table at the start of the turn that was judged.
        weighed: the verdict and what it turns on.
        reading_number: the reading that was judged, so that its tiles are outlined on no other picture.
    """

    before: ObservedTable
    weighed: Weighed
    reading_number: int

    @property
    def sure(self) -> bool:
        """Whether no doubtful tile can change the verdict, nor a doubtful meld, nor what something covers."""
        return self.weighed.stands

    def choices(self, reading: TableReading, index: int) -> tuple[str, ...]:
        """Return the labels among which people choose for a doubtful tile of the reading that was judged.

        They are the two likeliest, then the likeliest further ones on which the verdict turns, and last that it is no
        tile.
        """
        tile = reading.tiles[index]
        further = [name for at, name in self.weighed.names if at == index]
        names = [name for name in dict.fromkeys((tile.label, tile.runner_up, *further)) if name != NO_TILE_LABEL]
        return (*names[:MOST_CHOICES], NO_TILE_LABEL)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A turn that is to be judged, with everything on which the verdict depends; no two cases are equal.

    To judge takes from a millisecond to a second, so it is done while nobody waits for it.

    Attributes:
        before: the table at the start of the turn.
        after: the reading of the table at its end, or this table where it was entered by hand.
        context: the rules, and whether the player had opened.
        reading_number: the number of the reading; 0 for a table that was entered.
        insisted: whether the turn was called illegal before and people say again that it is done.
    """

    before: ObservedTable
    after: TableReading | Table
    context: TurnContext
    reading_number: int = 0
    insisted: bool = False

    def judged(self) -> Judged:
        """Judge it; the same table is judged only once."""
        if isinstance(self.after, TableReading):
            weighed = weigh_once(self.before, self.after, self.context, self.insisted)
        else:
            verdict = judge_once(self.before.table, self.after, self.context)
            weighed = Weighed(by_hand(self.after), verdict, (), verdict.violations)
        return Judged(self.before, weighed, self.reading_number)
