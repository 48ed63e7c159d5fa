"""Answers about the table: what is watched, the picture, what was read on it, the turn, the hall and the storage."""

from typing import Self

from tilekeeper.companion.game_night.state import halt_words
from tilekeeper.companion.hall.hall import Hall
from tilekeeper.companion.observation.observed_table import can_be_judged, table_and_rows
from tilekeeper.companion.session.repository import GameNights
from tilekeeper.companion.session.snapshot import Snapshot, WatchedSource
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.session.turn_view import TurnView
from tilekeeper.companion.web.schemas.answer import Answer
from tilekeeper.companion.web.schemas.tiles import ReadTileJson, TileJson, melds_json
from tilekeeper.engine.language import as_sentence, gettext, translate
from tilekeeper.engine.tiles.notation import format_table
from tilekeeper.vision.types import OK


class PictureJson(Answer):
    """The newest picture; fetched from `/picture/{number}.jpg`."""

    number: int
    width: int
    """In pixels before it was scaled for the page: what corners are measured in."""
    height: int
    name: str
    area: list[int]
    """What of it is not black, as left, top, width and height in the same pixels: where the play area lies."""

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> Self | None:
        """Return the newest picture; None before the first."""
        picture = snapshot.picture
        if picture is None:
            return None
        width_px, height_px = picture.image_wh
        return cls(
            number=picture.number, width=width_px, height=height_px, name=picture.name, area=list(picture.area_px)
        )


class ReadingJson(Answer):
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

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> Self | None:
        """Return the newest reading; None before the first."""
        reading = snapshot.reading
        if reading is None:
            return None
        table, rows = table_and_rows(reading)
        width_px, height_px = reading.image_wh
        return cls(
            number=snapshot.reading_number,
            status=reading.status if reading.status == OK else gettext(reading.status),
            trusted=reading.status == OK,
            judged=can_be_judged(reading),
            width=width_px,
            height=height_px,
            tiles=ReadTileJson.from_reading(reading),
            melds=[list(row) for row in rows],
            table=format_table(table),
        )


class HallJson(Answer):
    """The link to the hall that the table plays in."""

    table: str
    """What the table is called there."""
    notice: str
    """That the hall can't be reached, in a sentence; else empty."""
    halt: str
    """Why no turn goes on until the hall says so, in a sentence; else empty."""
    called: bool
    """Whether the arbiter was called and has not decided yet."""

    @classmethod
    def from_hall(cls, hall: Hall, state: TableState) -> Self:
        """Return what the page says of the hall."""
        night = state.activity.game_night
        halt = None if night is None else night.state.halt
        return cls(
            table=hall.name.table,
            notice=translate(hall.notice),
            halt="" if halt is None else halt_words(halt),
            called=bool(hall.hands),
        )


class StorageJson(Answer):
    """How evenings are kept."""

    trouble: str
    """Why the newest turns are not on the disk; else empty."""
    notices: list[str]
    """What people should know of how the evenings were found, in sentences."""

    @classmethod
    def from_game_nights(cls, game_nights: GameNights) -> Self:
        """Return how the game nights of the data folder are kept."""
        return cls(trouble=translate(game_nights.trouble), notices=[*map(translate, game_nights.notices)])


class SourceJson(Answer):
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

    @classmethod
    def from_source(cls, source: WatchedSource, snapshot: Snapshot) -> Self:
        """Return what is watched, with why there is no newer picture."""
        return cls(
            kind=source.kind,
            watched=translate(source.watched),
            notice=translate(source.notice),
            trouble=as_sentence(snapshot.trouble) if snapshot.trouble else "",
            index=source.index,
            count=source.count,
        )


class TurnJson(Answer):
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

    @classmethod
    def from_turn(cls, turn: TurnView) -> Self:
        """Return the turn."""
        return cls(
            begun=turn.begun,
            before=melds_json(turn.before),
            opened=turn.opened,
            finished=turn.finished,
            can_undo=turn.can_undo,
            waiting_to=turn.waiting_to,
        )
