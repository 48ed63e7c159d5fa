"""The turn at the table: from which table it began, what is to be judged and was, the way back; no clock, no page."""

from dataclasses import dataclass, replace

from tilekeeper.companion.adjudication.uncertainty import Weighed
from tilekeeper.companion.adjudication.verdict_cache import weigh_once
from tilekeeper.companion.observation.observed_table import ObservedTable, by_hand, observed_table
from tilekeeper.companion.observation.start_table import corrected_start
from tilekeeper.engine.judge.judge import judge_once
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.table import Table
from tilekeeper.vision.types import NO_TILE_LABEL, TableReading

# How many presses of Done can be taken back.
MOST_STEPS_BACK = 50
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


@dataclass(frozen=True, slots=True)
class Turn:
    """One player's turn; every step gives a new one and leaves this as it is.

    Attributes:
        rules: the edition in play.
        before: the table at the start of the turn; None until somebody has said which table to begin with.
        opened: whether the player opened in an earlier turn.
        judged: the last verdict, if any.
        called_wrong: whether it has been called wrong before; who presses Done all the same is asked sooner.
        finished: how many turns have been found legal since the beginning.
        past: the turns as they were before each step, the latest last.
    """

    rules: RuleSet
    before: ObservedTable | None = None
    opened: bool = False
    judged: Judged | None = None
    called_wrong: bool = False
    finished: int = 0
    past: tuple["Turn", ...] = ()

    def begin(self, reading: TableReading) -> "Turn":
        """Take the table of a reading as the beginning of a turn, unjudged."""
        return replace(self, before=observed_table(reading), judged=None, called_wrong=False, past=self._with_me())

    def case(self, reading: TableReading, reading_number: int) -> Case:
        """Return the turn as it is to be judged, on a reading of the table at its end.

        Raises:
            ValueError: where the turn has no beginning yet.
        """
        if self.before is None:
            raise ValueError("a turn can be judged only once the table that it starts from is known")
        before = corrected_start(self.before, reading)
        return Case(before, reading, TurnContext(self.rules, self.opened), reading_number, self.called_wrong)

    def with_verdict(self, judged: Judged) -> "Turn":
        """Return what follows: a legal table is what the next turn starts from, else the turn goes on."""
        weighed = judged.weighed
        if weighed.verdict.legal and judged.sure:
            return replace(
                self,
                before=weighed.observed,
                judged=judged,
                called_wrong=False,
                finished=self.finished + 1,
                past=self._with_me(),
            )
        called_wrong = self.called_wrong or bool(weighed.certain)
        return replace(self, judged=judged, called_wrong=called_wrong, past=self._with_me())

    def with_opened(self, opened: bool) -> "Turn":
        """Say whether the player has opened in an earlier turn."""
        return replace(self, opened=opened)

    def undone(self) -> "Turn":
        """Take back the last step; the first turn stays as it is."""
        return replace(self.past[-1], past=self.past[:-1]) if self.past else self

    def _with_me(self) -> tuple["Turn", ...]:
        # A turn of the past is kept without its own, or a long evening would hang together for ever.
        return (*self.past, replace(self, past=()))[-MOST_STEPS_BACK:]
