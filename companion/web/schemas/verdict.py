"""Answers about a verdict: its sentences, and the tiles and melds of the picture that each of them is about."""

from typing import Self

from tilekeeper.companion.adjudication.turn import Judged
from tilekeeper.companion.observation.groupings import Rows, replaced_rows
from tilekeeper.companion.observation.observed_table import NO_INDEX, ObservedTable, tile_of
from tilekeeper.companion.session.game_night import FoundFix
from tilekeeper.companion.text.doubts import why_asked
from tilekeeper.companion.text.verdict_card import (
    VerdictKind,
    melds_words,
    photo_verdict_words,
    turn_verdict_words,
    verdict_kind,
)
from tilekeeper.companion.web.schemas.answer import Answer
from tilekeeper.companion.web.schemas.tiles import ChoiceJson, GoneJson, MoveJson, PartJson, TileJson, melds_json
from tilekeeper.engine.judge.sentences import sentence, sentence_parts
from tilekeeper.engine.judge.verdict import StandIn
from tilekeeper.engine.rules.violations import Side, Violation
from tilekeeper.vision.types import TableReading


class FaultJson(Answer):
    """One thing that is wrong with a turn."""

    code: str
    """The engine's code, such as `run-broken`."""
    text: str
    """One sentence for people."""
    parts: list[PartJson]
    """The same sentence in parts, for those who draw its tiles."""
    melds: list[int]
    """The melds of the table after that it concerns."""
    tiles: list[int]
    """Indices into the reading's tiles; empty where the table was entered by hand."""
    gone: list[GoneJson]
    """Tiles of the table before."""

    @classmethod
    def from_violation(cls, fault: Violation, judged: Judged) -> Self:
        """Return a fault of the turn that was judged."""
        before, after = judged.before, judged.weighed.observed
        there: ObservedTable = after if fault.side is Side.AFTER else before
        return cls(
            code=str(fault.code),
            text=sentence(fault, before.table, after.table),
            parts=PartJson.from_parts(sentence_parts(fault, before.table, after.table)),
            # Only tiles of the present picture can be outlined by their index; those of the table before have corners.
            melds=list(fault.melds) if fault.side is Side.AFTER else [],
            tiles=[
                index
                for place in (fault.tiles if fault.side is Side.AFTER else ())
                if (index := there.rows[place.meld][place.position]) != NO_INDEX
            ],
            gone=[GoneJson.from_place(before, place) for place in (fault.tiles if fault.side is Side.BEFORE else ())],
        )


class StandInJson(TileJson):
    """What a joker stands for."""

    tile: int
    """The joker's index in the reading; -1 where the table was entered by hand."""

    @classmethod
    def from_stand_in(cls, stand_in: StandIn, observed: ObservedTable) -> Self:
        """Return what a joker of the table that was judged stands for."""
        index = observed.rows[stand_in.place.meld][stand_in.place.position]
        return cls(**dict(TileJson.from_tile(stand_in.tile)), tile=index)


class QuestionJson(Answer):
    """A doubtful tile on which the verdict turns; its crop is at `/crop/{reading}/{tile}.jpg`."""

    tile: int
    """Its index in the reading."""
    choices: list[ChoiceJson]
    """The likelier first; the last is that it is no tile."""
    why: str
    """Why the tile is in doubt, in a sentence; empty where it is read surely and lay there with another name."""

    @classmethod
    def from_judged(cls, judged: Judged, reading: TableReading) -> list[Self]:
        """Return the doubtful tiles in the order of the melds, as they are listed beside the picture."""
        unsure = judged.weighed.unsure
        return [
            cls(
                tile=index,
                choices=[ChoiceJson.from_label(label) for label in judged.choices(reading, index)],
                why=why_asked(reading.tiles[index]),
            )
            for row in judged.weighed.observed.rows
            for index in row
            if index in unsure
        ]


class WayJson(Answer):
    """Melds in which some tiles may lie; a picture of them is at `/crop/{reading}/rows/{rows}.jpg`."""

    rows: list[list[int]]
    """Indices into the reading's tiles; in the path of the picture `0.1.2-3.4.5`."""
    melds: list[list[TileJson]]
    name: str
    """`1 meld`, `2 melds`."""

    @classmethod
    def from_rows(cls, reading: TableReading, rows: Rows) -> Self:
        """Return some rows of a reading as one way in which their tiles may lie."""
        tiles = [[tile_of(reading.tiles[index].label) for index in row] for row in rows]
        return cls(
            rows=[list(row) for row in rows],
            melds=[[TileJson.from_tile(tile) for tile in row if tile is not None] for row in tiles],
            name=melds_words(len(rows)),
        )


class GroupingJson(Answer):
    """Tiles of which the verdict turns on where one meld ends and the next begins; answered with `/api/group`."""

    choices: list[WayJson]
    """The likelier first."""

    @classmethod
    def from_judged(cls, judged: Judged, reading: TableReading) -> list[Self]:
        """Return the doubts about melds on which the verdict turns, each with its two ways."""
        return [
            cls(choices=[WayJson.from_rows(reading, rows) for rows in (replaced_rows(reading, doubt.rows), doubt.rows)])
            for doubt in judged.weighed.groupings
        ]


class FixJson(Answer):
    """The smallest set of moves so far that makes the turn legal; smaller ones come with later states."""

    moves: list[MoveJson]
    """In the order in which hands make them, one meld after the other."""
    melds: list[list[TileJson]]
    """The table after them."""
    smallest: bool
    """Whether it is proved that no fewer would do."""
    improving: bool
    """Whether fewer are still looked for."""

    @classmethod
    def from_fix(cls, fix: FoundFix, judged: Judged) -> Self:
        """Return the smallest fix so far of the layout that was judged."""
        arrangement = fix.arrangement
        return cls(
            moves=MoveJson.from_moves(arrangement.moves, arrangement.table, judged.weighed.observed.rows),
            melds=melds_json(arrangement.table),
            smallest=arrangement.nearest,
            improving=fix.improving,
        )


class VerdictJson(Answer):
    """What the judge says."""

    kind: str
    """`legal`, `illegal` or `unsure`."""
    headline: str
    advice: str
    caveat: str
    """What the judge could not look into, in one line for people; empty where it looked into everything."""
    standing: list[str]
    """What was wrong on the table before the turn and lies there as it lay, a sentence each; no fault of the turn."""
    current: bool
    """Whether it is about the reading that is shown, so that tiles can be outlined."""
    reading_number: int
    """Which reading was judged; 0 where the table was entered by hand."""
    faults: list[FaultJson]
    placed: list[TileJson]
    points: int | None
    """What new sets from the rack are worth for the opening; null for a player who had opened."""
    opens: bool
    stand_ins: list[StandInJson]
    questions: list[QuestionJson]
    groupings: list[GroupingJson]
    melds: list[list[TileJson]]
    """The table that was judged."""
    fix: FixJson | None
    """How it becomes legal, in an evening; null where it is legal, or nothing but going back helps, or it is looked
    for still: then it comes with a later state."""

    @classmethod
    def from_judged(
        cls,
        judged: Judged,
        reading: TableReading | None = None,
        reading_number: int = -1,
        *,
        photos: bool = False,
        fix: FoundFix | None = None,
    ) -> Self:
        """Return a verdict for the page.

        Args:
            judged: the turn that was judged.
            reading: the newest reading of the table.
            reading_number: its number; tiles are named by their indices only where it is the one that was judged.
            photos: whether a photo was judged as it lies rather than a turn.
            fix: the smallest fix of a wrong layout, where one has been found.
        """
        current = judged.reading_number == reading_number
        weighed, kind = judged.weighed, verdict_kind(judged)
        verdict, observed = weighed.verdict, weighed.observed
        headline, advice = photo_verdict_words(judged) if photos else turn_verdict_words(judged)
        # While doubtful tiles are asked about, nothing is shown but what they decide.
        unsure = kind is VerdictKind.UNSURE
        asks = current and reading is not None
        return cls(
            kind=kind.value,
            headline=headline,
            advice=advice,
            caveat="" if unsure else " ".join(verdict.caveats),
            standing=[] if unsure else list(verdict.standing_notes),
            current=current,
            reading_number=judged.reading_number,
            faults=[FaultJson.from_violation(fault, judged) for fault in weighed.certain],
            placed=[] if photos else [TileJson.from_tile(tile) for tile in verdict.placed],
            points=verdict.points,
            opens=verdict.opens,
            stand_ins=[StandInJson.from_stand_in(one, observed) for one in verdict.stand_ins],
            questions=QuestionJson.from_judged(judged, reading) if asks and reading is not None else [],
            groupings=GroupingJson.from_judged(judged, reading) if asks and reading is not None else [],
            melds=melds_json(observed.table),
            fix=None if fix is None else FixJson.from_fix(fix, judged),
        )
