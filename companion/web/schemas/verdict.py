"""Answers about a verdict: its sentences, and the tiles and melds to outline in the picture."""

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
    """A violation: one rule that the turn breaks."""

    code: str
    """The engine's code, such as `run-broken`."""
    text: str
    """The violation in one sentence."""
    parts: list[PartJson]
    """The same sentence in parts, so that a page can show its tiles as pictures."""
    melds: list[int]
    """The melds with the violation, as indices into the melds of the judged table."""
    tiles: list[int]
    """The tiles with the violation, as indices into the reading's tiles; empty for a table that was entered by hand."""
    gone: list[GoneJson]
    """The tiles of the table before the turn that the violation concerns."""

    @classmethod
    def from_violation(cls, fault: Violation, judged: Judged) -> Self:
        """Return a violation of the judged turn for the page."""
        before, after = judged.before, judged.weighed.observed
        observed: ObservedTable = after if fault.side is Side.AFTER else before
        return cls(
            code=str(fault.code),
            text=sentence(fault, before.table, after.table),
            parts=PartJson.from_parts(sentence_parts(fault, before.table, after.table)),
            # The page outlines tiles of the current picture by index, and tiles of the table before by their corners.
            melds=list(fault.melds) if fault.side is Side.AFTER else [],
            tiles=[
                index
                for place in (fault.tiles if fault.side is Side.AFTER else ())
                if (index := observed.rows[place.meld][place.position]) != NO_INDEX
            ],
            gone=[GoneJson.from_place(before, place) for place in (fault.tiles if fault.side is Side.BEFORE else ())],
        )


class StandInJson(TileJson):
    """The tile that a joker stands for."""

    tile: int
    """The joker's index in the reading; -1 for a table that was entered by hand."""

    @classmethod
    def from_stand_in(cls, stand_in: StandIn, observed: ObservedTable) -> Self:
        """Return the tile that a joker of the judged table stands for."""
        index = observed.rows[stand_in.place.meld][stand_in.place.position]
        return cls(**dict(TileJson.from_tile(stand_in.tile)), tile=index)


class QuestionJson(Answer):
    """A doubtful tile on which the verdict depends; its crop is at `/crop/{reading}/{tile}.jpg`."""

    tile: int
    """The tile's index in the reading."""
    choices: list[ChoiceJson]
    """The labels to choose from, the likeliest first and "no tile" last."""
    why: str
    """A sentence why the tile is doubtful; empty for a tile without doubts that had another label before the turn."""

    @classmethod
    def from_judged(cls, judged: Judged, reading: TableReading) -> list[Self]:
        """Return the questions about tiles, in the order of the melds on the page."""
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
    """A grouping of some tiles into melds; its crop is at `/crop/{reading}/rows/{rows}.jpg`."""

    rows: list[list[int]]
    """The rows, as indices into the reading's tiles; written `0.1.2-3.4.5` in the path of the crop."""
    melds: list[list[TileJson]]
    name: str
    """`1 meld`, `2 melds`."""

    @classmethod
    def from_rows(cls, reading: TableReading, rows: Rows) -> Self:
        """Return one grouping of some tiles of a reading."""
        tiles = [[tile_of(reading.tiles[index].label) for index in row] for row in rows]
        return cls(
            rows=[list(row) for row in rows],
            melds=[[TileJson.from_tile(tile) for tile in row if tile is not None] for row in tiles],
            name=melds_words(len(rows)),
        )


class GroupingJson(Answer):
    """A question between two groupings of some tiles, on which the verdict depends; answered with `/api/group`."""

    choices: list[WayJson]
    """Both groupings, the likelier one first."""

    @classmethod
    def from_judged(cls, judged: Judged, reading: TableReading) -> list[Self]:
        """Return the questions about melds on which the verdict depends."""
        return [
            cls(choices=[WayJson.from_rows(reading, rows) for rows in (replaced_rows(reading, doubt.rows), doubt.rows)])
            for doubt in judged.weighed.groupings
        ]


class FixJson(Answer):
    """The fewest moves known so far that make the turn legal; a later state may have fewer."""

    moves: list[MoveJson]
    """The moves, one meld after the other."""
    melds: list[list[TileJson]]
    """The table after the moves."""
    proved: bool
    """Whether the app has proved that fewer moves are impossible."""
    improving: bool
    """Whether the search for fewer moves goes on."""

    @classmethod
    def from_fix(cls, fix: FoundFix, judged: Judged) -> Self:
        """Return the smallest fix of the judged table that is known so far."""
        arrangement = fix.arrangement
        return cls(
            moves=MoveJson.from_moves(arrangement.moves, arrangement.table, judged.weighed.observed.rows),
            melds=melds_json(arrangement.table),
            proved=arrangement.proved,
            improving=fix.improving,
        )


class VerdictJson(Answer):
    """The judge's verdict on a turn or a photo, with the questions on which it depends."""

    kind: str
    """`legal`, `illegal`, `unsure` (questions are open) or `undecided` (the players must decide)."""
    headline: str
    advice: str
    caveat: str
    """What the judge could not check, in one line; empty if it checked everything."""
    standing: list[str]
    """A sentence about each unchanged meld that was illegal before the turn; it is not a violation of this turn."""
    current: bool
    """Whether the verdict is about the current reading, so that a page can outline its tiles."""
    reading_number: int
    """The number of the judged reading; 0 for a table that was entered by hand."""
    faults: list[FaultJson]
    placed: list[TileJson]
    points: int | None
    """The opening points of new sets from the rack; null for a player who had opened."""
    opens: bool
    stand_ins: list[StandInJson]
    questions: list[QuestionJson]
    groupings: list[GroupingJson]
    melds: list[list[TileJson]]
    """The judged table."""
    fix: FixJson | None
    """Moves that make an illegal turn of a game night legal. Null for a legal turn, if only restoring the table
    helps, and until the search has found moves, which a later state has."""

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
            judged: the judged turn.
            reading: the newest reading of the table.
            reading_number: the number of this reading; questions are included only if it is the judged reading.
            photos: whether a photo's table was judged instead of a turn.
            fix: the smallest fix of an illegal table that is known so far.
        """
        current = judged.reading_number == reading_number
        weighed, kind = judged.weighed, verdict_kind(judged)
        verdict, observed = weighed.verdict, weighed.observed
        headline, advice = photo_verdict_words(judged) if photos else turn_verdict_words(judged)
        # The page shows only the questions while there are any.
        unsure = kind is VerdictKind.UNSURE
        may_ask = current and reading is not None
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
            stand_ins=[StandInJson.from_stand_in(stand_in, observed) for stand_in in verdict.stand_ins],
            questions=QuestionJson.from_judged(judged, reading) if may_ask and reading is not None else [],
            groupings=GroupingJson.from_judged(judged, reading) if may_ask and reading is not None else [],
            melds=melds_json(observed.table),
            fix=None if fix is None else FixJson.from_fix(fix, judged),
        )
