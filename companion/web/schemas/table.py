"""Answers about the table: the picture, what was read on it, and the verdict on a turn."""

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

DESCRIBED = ConfigDict(use_attribute_docstrings=True, extra="forbid")


@with_config(DESCRIBED)
class TileJson(TypedDict):
    """A tile, with what it takes to draw it."""

    text: str
    """In the notation: `R7`, `J`; empty where the camera saw that it is no tile."""
    name: str
    """In words: `red 7`, `joker`."""
    ink: str | None
    """`black`, `blue`, `orange`, `red` or `yellow`; null for a joker."""
    number: int | None


class ReadTileJson(TileJson):
    """A tile as it was read; its place in the list is its index everywhere else."""

    there: bool
    """Whether it is a tile at all."""
    label: str
    """What it was read as: `red-7`, `joker`, `no-tile`."""
    quad: list[list[float]]
    """Its corners, clockwise from its own top left, in pixels of the reading's `width` and `height`."""
    confidence: float
    doubtful: bool
    hidden: bool
    """Whether something covers it now, so that it is told as it was seen last."""
    runner_up: str
    """What else it may be, in words."""
    runner_up_label: str
    """The same as a label; `no-tile` where it may be none."""


@with_config(DESCRIBED)
class PictureJson(TypedDict):
    """The newest picture; fetched from `/picture/{number}.jpg`."""

    number: int
    width: int
    """In pixels before it was scaled for the page: what corners are measured in."""
    height: int
    name: str
    area: list[int]
    """What of it is not black, as left, top, width and height in the same pixels: where the play area lies."""


@with_config(DESCRIBED)
class ReadingJson(TypedDict):
    """What was read when the table last lay still."""

    number: int
    status: str
    """`ok`, or why the reading can't be trusted."""
    trusted: bool
    judged: bool
    """Whether it may be judged: an empty table may, a dark or blurred one not."""
    width: int
    height: int
    tiles: list[ReadTileJson]
    melds: list[list[int]]
    """The melds, each the indices of its tiles."""
    table: str
    """The table in the notation."""


@with_config(DESCRIBED)
class HallJson(TypedDict):
    """The link to the hall that the table plays in."""

    table: str
    """What the table is called there."""
    notice: str
    """That the hall can't be reached, in a sentence; else empty."""
    halt: str
    """Why no turn goes on until the hall says so, in a sentence; else empty."""
    called: bool
    """Whether the arbiter was called and has not decided yet."""


@with_config(DESCRIBED)
class StorageJson(TypedDict):
    """How evenings are kept."""

    trouble: str
    """Why the newest turns are not on the disk; else empty."""
    notices: list[str]
    """What people should know of how the evenings were found, in sentences."""


class SourceJson(TypedDict):
    """What is watched."""

    kind: str
    """`camera`, `stream`, `phone`, `video`, `photos`, or `none` where everything is entered by hand."""
    watched: str
    """In a few words for people."""
    notice: str
    """Why it is watched, where nobody chose it; else empty."""
    trouble: str
    """Why there is no newer picture; else empty."""
    index: int | None
    """Which photo of a folder is shown, from 0."""
    count: int | None


@with_config(DESCRIBED)
class TurnJson(TypedDict):
    """The turn on the table."""

    begun: bool
    """Whether the table at its start is known."""
    before: list[list[TileJson]]
    """The melds at its start."""
    opened: bool
    finished: int
    can_undo: bool
    waiting_to: str | None
    """`done`, where that was pressed and waits for the table to lie still or for the verdict; else null."""


class GoneJson(TileJson):
    """A tile that lay on the table before the turn."""

    quad: list[list[float]]
    """Where it lay; empty where nobody saw it."""


@with_config(DESCRIBED)
class PartJson(TypedDict):
    """A part of a sentence: words, or tiles to be drawn."""

    text: str
    """Empty where it is tiles."""
    tiles: list[TileJson]
    """Tiles that stand in a row; none where it is words."""


@with_config(DESCRIBED)
class FaultJson(TypedDict):
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


class StandInJson(TileJson):
    """What a joker stands for."""

    tile: int
    """The joker's index in the reading; -1 where the table was entered by hand."""


@with_config(DESCRIBED)
class ChoiceJson(TypedDict):
    """A name that a doubtful tile may have."""

    label: str
    name: str
    tile: TileJson | None
    """Null for "no tile"."""


@with_config(DESCRIBED)
class QuestionJson(TypedDict):
    """A doubtful tile on which the verdict turns; its crop is at `/crop/{reading}/{tile}.jpg`."""

    tile: int
    """Its index in the reading."""
    choices: list[ChoiceJson]
    """The likelier first; the last is that it is no tile."""
    why: str
    """Why the tile is in doubt, in a sentence; empty where it is read surely and lay there with another name."""


@with_config(DESCRIBED)
class WayJson(TypedDict):
    """Melds in which some tiles may lie; a picture of them is at `/crop/{reading}/rows/{rows}.jpg`."""

    rows: list[list[int]]
    """Indices into the reading's tiles; in the path of the picture `0.1.2-3.4.5`."""
    melds: list[list[TileJson]]
    name: str
    """`1 meld`, `2 melds`."""


@with_config(DESCRIBED)
class GroupingJson(TypedDict):
    """Tiles of which the verdict turns on where one meld ends and the next begins; answered with `/api/group`."""

    choices: list[WayJson]
    """The likelier first."""


@with_config(DESCRIBED)
class MoveJson(TypedDict):
    """A tile to be moved."""

    tile: TileJson
    from_meld: int | None
    """The meld in which it lies now; null for a tile that lies nowhere on the table."""
    from_position: int | None
    from_tile: int | None
    """Its index in the reading, where it was seen."""
    to_meld: int | None
    """The meld of the table that is wanted; null for off the table."""
    to_position: int | None
    text: str
    """The move in words."""


@with_config(DESCRIBED)
class FixJson(TypedDict):
    """The smallest set of moves so far that makes the turn legal; smaller ones come with later states."""

    moves: list[MoveJson]
    """In the order in which hands make them, one meld after the other."""
    melds: list[list[TileJson]]
    """The table after them."""
    smallest: bool
    """Whether it is proved that no fewer would do."""
    improving: bool
    """Whether fewer are still looked for."""


@with_config(DESCRIBED)
class VerdictJson(TypedDict):
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
