"""What is played on the desk: a single turn, photos judged as they lie, or an evening; all are used alike."""

from typing import Protocol

from tilekeeper.companion.observation.observed_table import Laid
from tilekeeper.companion.web.schemas.game_night import EveningJson
from tilekeeper.companion.web.schemas.table import TurnJson, VerdictJson
from tilekeeper.engine.rules.ruleset import RuleSet


class Play(Protocol):
    """One way of playing. The desk calls all of these with its lock held."""

    @property
    def rules(self) -> RuleSet:
        """The edition in play, with house rules."""
        ...

    def start(self) -> Laid | None:
        """The table at the start of the turn as it was seen; None where no turn is played."""
        ...

    def table_read(self) -> None:
        """The table came to rest and has been read anew; the snapshot has it."""
        ...

    def tile_corrected(self, anew: bool = False) -> None:
        """A person said what a tile of the present reading is; the snapshot has it.

        `anew` where the eye itself knows better by now what the table is on which the verdict is not sure: then it has
        another number.
        """
        ...

    def start_over(self) -> None:
        """What is watched starts from its beginning, or can't be read at all."""
        ...

    @property
    def judged_this(self) -> bool | None:
        """Whether the verdict on the table as it lies is sure; None where there is none."""
        ...

    @property
    def waits(self) -> bool:
        """Whether something was pressed that waits for the table to lie still; read without the lock."""
        ...

    def turn_json(self) -> TurnJson:
        """The turn, for the page."""
        ...

    def verdict_json(self) -> VerdictJson | None:
        """The last verdict, for the page."""
        ...

    def evening_json(self) -> EveningJson | None:
        """The evening, for the page; none where none is played."""
        ...

    @property
    def ticking(self) -> bool:
        """Whether a clock runs, so that an answer grows old by itself."""
        ...
