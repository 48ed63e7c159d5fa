"""The verdict of the judge on one turn."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tilekeeper.engine.judge.sentences import fault_text, points_words, sentence
from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.engine.rules.violations import Side, Violation
from tilekeeper.engine.tiles.table import Place, Table
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.engine.tiles.words import meld_words, tile_words


@dataclass(frozen=True, slots=True)
class StandIn:
    """The tile that a joker in a valid meld stands for, in the reading with the most points."""

    place: Place
    tile: Tile


class Outcome(StrEnum):
    """The result of judging a turn in one word."""

    LEGAL = "legal"
    """The judge proved that no rule was broken."""
    ILLEGAL = "illegal"
    """At least one rule was broken, whatever moves the player made."""
    UNDECIDED = "undecided"
    """The search exceeded its budget and no violation is known, so the players decide."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of judging one turn; `str(verdict)` puts it into words, as the command line prints it."""

    before: Table
    """The table at the start of the turn."""
    after: Table
    """The table at the end of the turn."""
    violations: tuple[Violation, ...]
    """All violations, in the order of `Code`."""
    standing: tuple[Violation, ...]
    """The faults of unchanged melds: the player should know them, but they do not make the turn illegal."""
    placed: tuple[Tile, ...]
    """The tiles that came from the rack, sorted by colour and number, jokers last."""
    points: int | None
    """The points of the opening; None if the player had opened before or the edition requires no points."""
    opens: bool
    """Whether the player opens with this turn."""
    stand_ins: tuple[StandIn, ...]
    """For each joker in a valid meld, the tile that it stands for."""
    new_melds: tuple[int, ...]
    """The indices, after the turn, of valid melds whose numbered tiles can all have come from the rack."""
    replaced: int
    """The number of replaced jokers; 0 if the edition lets jokers leave their sets in any way."""
    relaid: int
    """The most jokers that may have come from the rack without being in `placed`.

    While such a joker was laid, a replaced joker went to the rack, so the table has as many jokers as before.
    """
    fewest_replaced: bool
    """Whether it is proved that no legal way replaces fewer jokers; if not, the turn may earn more stars."""
    proved: bool
    """Whether the search for a legal provenance was complete; if not, violations that depend on it are missing."""

    @property
    def outcome(self) -> Outcome:
        """Whether the turn is legal; undecided if no violation was found, but the search was not complete."""
        if self.violations:
            return Outcome.ILLEGAL
        return Outcome.LEGAL if self.proved else Outcome.UNDECIDED

    @property
    def legal(self) -> bool:
        """Whether the turn is proved to have no violations."""
        return self.outcome is Outcome.LEGAL

    @property
    def undecided(self) -> bool:
        """Whether the judge could not decide the turn, so that the players must decide."""
        return self.outcome is Outcome.UNDECIDED

    @property
    def summary(self) -> str:
        """One sentence that says whether the turn is legal and, if so, which tiles were laid."""
        if self.undecided:
            return gettext("I can't decide this turn: please check together.")
        if self.violations:
            return ngettext("Not allowed: {count} problem.", "Not allowed: {count} problems.", len(self.violations))
        tiles = " ".join(map(str, self.placed))
        if self.opens:
            return ngettext(
                "Allowed: {count} tile laid ({tiles}) for {points}, which opens the game.",
                "Allowed: {count} tiles laid ({tiles}) for {points}, which opens the game.",
                len(self.placed),
                tiles=tiles,
                points=points_words(self.points or 0),
            )
        return ngettext(
            "Allowed: {count} tile laid ({tiles}).",
            "Allowed: {count} tiles laid ({tiles}).",
            len(self.placed),
            tiles=tiles,
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence for each violation, in the same order."""
        return tuple(sentence(violation, self.before, self.after) for violation in self.violations)

    @property
    def caveats(self) -> tuple[str, ...]:
        """One sentence about what was not checked, if the search was not complete; else empty."""
        if self.legal and not self.fewest_replaced:
            return (gettext("There are too many ways to lay this, so it may earn more stars."),)
        if self.proved:
            return ()
        if self.undecided:
            return (gettext("There are too many ways to lay this. All sets are valid, but not every way was checked."),)
        return (gettext("There are too many ways to lay this, so maybe more is wrong."),)

    @property
    def standing_notes(self) -> tuple[str, ...]:
        """One sentence for each fault of an unchanged meld."""
        return tuple(
            gettext(
                "Already wrong before the turn, so it does not count: {fault}.", fault=fault_text(fault, self.after)
            )
            for fault in self.standing
        )

    @property
    def stand_in_sentences(self) -> tuple[str, ...]:
        """One sentence for each joker in a valid meld."""
        return tuple(
            gettext(
                "The joker in {meld} stands for {tile}.",
                meld=meld_words(self.after.melds[stand_in.place.meld]),
                tile=tile_words(stand_in.tile),
            )
            for stand_in in self.stand_ins
        )

    def tiles_of(self, violation: Violation) -> tuple[Tile, ...]:
        """Return the tiles of a violation; empty if it concerns the turn as a whole."""
        table = self.before if violation.side is Side.BEFORE else self.after
        return tuple(map(table.tile_at, violation.tiles))

    def __str__(self) -> str:
        faults = (f"- {words}" for words in self.sentences)
        return "\n".join([self.summary, *faults, *self.caveats, *self.standing_notes, *self.stand_in_sentences])
