"""The verdict: what the judge returns for one turn."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.engine.judge.sentences import fault_text, points_words, sentence
from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.engine.rules.violations import Side, Violation
from tilekeeper.engine.tiles.table import Place, Table
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.engine.tiles.words import meld_words, tile_words


@dataclass(frozen=True, slots=True)
class StandIn:
    """The tile that a joker in a valid meld of the table after stands for, in the reading that is worth most."""

    place: Place
    tile: Tile


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judge's result for one turn; `str(verdict)` is the whole of it in words, as the command line prints it."""

    before: Table
    """The table at the start of the turn."""
    after: Table
    """The table at its end."""
    violations: tuple[Violation, ...]
    """All violations, in the order of `Code`."""
    standing: tuple[Violation, ...]
    """What is wrong with melds that lie as they lay before the turn: to be told, but no fault of this turn."""
    placed: tuple[Tile, ...]
    """The tiles that came from the rack, sorted by colour and number, jokers last."""
    points: int | None
    """What the new sets from the rack are worth for the opening; none where the player had opened before."""
    opens: bool
    """Whether the player opens with this turn."""
    stand_ins: tuple[StandIn, ...]
    """What the jokers stand for."""
    new_melds: tuple[int, ...]
    """The valid melds of the table after that hold no numbered tile of the table before, as indices."""
    replaced: int
    """How many jokers were replaced; 0 where the edition does not limit how jokers leave their sets."""
    relaid: int
    """How many jokers may have come from the rack besides those in `placed`, as many as went there when replaced."""
    proved: bool
    """Whether the search for a legal provenance was complete. If not, violations that depend on it are left out."""

    @property
    def legal(self) -> bool:
        """Whether there are no violations."""
        return not self.violations

    @property
    def summary(self) -> str:
        """Whether the turn was legal, and what was laid, in one sentence."""
        if not self.legal:
            return ngettext("Illegal: {count} problem.", "Illegal: {count} problems.", len(self.violations))
        tiles = " ".join(map(str, self.placed))
        if self.opens:
            return ngettext(
                "Legal: {count} tile laid ({tiles}) for {points}, which opens the game.",
                "Legal: {count} tiles laid ({tiles}) for {points}, which opens the game.",
                len(self.placed),
                tiles=tiles,
                points=points_words(self.points or 0),
            )
        return ngettext(
            "Legal: {count} tile laid ({tiles}).", "Legal: {count} tiles laid ({tiles}).", len(self.placed), tiles=tiles
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is wrong, a sentence for each violation, in their order."""
        return tuple(sentence(violation, self.before, self.after) for violation in self.violations)

    @property
    def caveats(self) -> tuple[str, ...]:
        """One sentence where the judge could not look into everything; none where it could."""
        if self.proved:
            return ()
        return (gettext("There are too many ways to lay this, so only the result was checked, not the way there."),)

    @property
    def standing_notes(self) -> tuple[str, ...]:
        """What is wrong with melds that lie as they lay before the turn, a sentence for each fault."""
        return tuple(
            gettext(
                "Already wrong before the turn, so it does not count: {fault}.", fault=fault_text(fault, self.after)
            )
            for fault in self.standing
        )

    @property
    def stand_in_sentences(self) -> tuple[str, ...]:
        """What each joker in a valid meld stands for, a sentence each."""
        return tuple(
            gettext(
                "The joker in {meld} stands for {tile}.",
                meld=meld_words(self.after.melds[stand_in.place.meld]),
                tile=tile_words(stand_in.tile),
            )
            for stand_in in self.stand_ins
        )

    def tiles_of(self, violation: Violation) -> tuple[Tile, ...]:
        """The tiles that one of the violations names; none where it is about the turn as a whole."""
        table = self.before if violation.side is Side.BEFORE else self.after
        return tuple(map(table.tile_at, violation.tiles))

    def __str__(self) -> str:
        faults = (f"- {words}" for words in self.sentences)
        return "\n".join([self.summary, *faults, *self.caveats, *self.standing_notes, *self.stand_in_sentences])
