"""Answers about the table: the source, the picture, its reading, the turn, the hall and the storage."""

from typing import Self

from tilekeeper.companion.game_night.state import halt_words
from tilekeeper.companion.hub_link.link import Hall
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
    """The newest picture; its JPEG is at `/picture/{number}.jpg`."""

    number: int
    width: int
    """The width in pixels before scaling for the page; corners use this scale."""
    height: int
    name: str
    area: list[int]
    """Left, top, width and height of the play area, in pixels before scaling; the picture is black outside."""

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> Self | None:
        """Return the newest picture; None before the first one."""
        picture = snapshot.picture
        if picture is None:
            return None
        width_px, height_px = picture.image_wh
        return cls(
            number=picture.number, width=width_px, height=height_px, name=picture.name, area=list(picture.area_px)
        )


class ReadingJson(Answer):
    """The newest reading, which is of the last settled table."""

    number: int
    status: str
    """`ok`, or why the reading can't be trusted."""
    trusted: bool
    judged: bool
    """Whether a turn may be judged on this reading; true for an empty table, false for a dark or blurred picture."""
    width: int
    height: int
    tiles: list[ReadTileJson]
    melds: list[list[int]]
    """The melds, each as a list of indices into `tiles`."""
    table: str
    """The table in the notation."""

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> Self | None:
        """Return the newest reading; None before the first one."""
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
    """The link to the table's hall."""

    table: str
    """The table's name in the hall."""
    notice: str
    """A sentence if there is no connection to the hall; else empty."""
    halt: str
    """A sentence about why the hall has halted the table; empty if it has not."""
    called: bool
    """Whether the arbiter was called and has not decided yet."""

    @classmethod
    def from_hall(cls, hall: Hall, state: TableState) -> Self:
        """Return the state of the link to the hall, and why the hall has halted the game night, if it has."""
        night = state.activity.game_night
        halt = None if night is None else night.state.halt
        return cls(
            table=hall.name.table,
            notice=translate(hall.notice),
            halt="" if halt is None else halt_words(halt),
            called=bool(hall.hands),
        )


class StorageJson(Answer):
    """The state of the storage of game nights."""

    trouble: str
    """A sentence about why the newest turns are not stored; empty if all are stored."""
    notices: list[str]
    """Sentences about stored game nights, for example about a repair."""

    @classmethod
    def from_game_nights(cls, game_nights: GameNights) -> Self:
        """Return the trouble and the notices of the storage."""
        return cls(trouble=translate(game_nights.trouble), notices=[*map(translate, game_nights.notices)])


class SourceJson(Answer):
    """The current source of pictures."""

    kind: str
    """`camera`, `stream`, `phone`, `video`, `photos`, or `none` if everything is entered by hand."""
    watched: str
    """The name of the source, to show."""
    notice: str
    """A sentence about why this source was chosen; empty if the user named it."""
    trouble: str
    """A sentence about why no newer picture comes; empty if pictures come."""
    index: int | None
    """The index of the shown photo in its folder, from 0; null for other sources."""
    count: int | None
    """The number of photos in the folder; null for other sources."""

    @classmethod
    def from_source(cls, source: WatchedSource, snapshot: Snapshot) -> Self:
        """Return the source and its trouble."""
        return cls(
            kind=source.kind,
            watched=translate(source.watched),
            notice=translate(source.notice),
            trouble=as_sentence(snapshot.trouble) if snapshot.trouble else "",
            index=source.index,
            count=source.count,
        )


class TurnJson(Answer):
    """The current turn, or the judging of a photo."""

    begun: bool
    """Whether a turn of a game night is being played."""
    before: list[list[TileJson]]
    """The melds at the start of the turn."""
    opened: bool
    """Whether the player had opened in an earlier turn."""
    finished: int
    """How many turns of the round have ended."""
    can_undo: bool
    """Whether there is an action to undo."""
    waiting_to: str | None
    """`done` if Done was pressed and waits for a settled table or for the verdict; else null."""

    @classmethod
    def from_turn(cls, turn: TurnView) -> Self:
        """Return the turn for the page."""
        return cls(
            begun=turn.begun,
            before=melds_json(turn.before),
            opened=turn.opened,
            finished=turn.finished,
            can_undo=turn.can_undo,
            waiting_to=turn.waiting_to,
        )
