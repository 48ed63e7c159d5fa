"""What pages send: one model a kind of action, checked before anything else happens."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Seat = Annotated[int, Field(ge=0, le=7)]
Tiles = Annotated[str, Field(max_length=1500)]
Count = Annotated[int, Field(ge=0, le=999)]


class ApiBody(BaseModel):
    """A body in JSON: no field too many, none of another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)


class NoBody(ApiBody):
    """Nothing but an empty object."""


class Revised(ApiBody):
    """An action; it is refused (409, `stale`) where the evening has moved on since the page was drawn."""

    revision: int
    """The evening's revision that the page shows."""


class PrivatePageBody(ApiBody):
    """Whose private page."""

    player: Seat


class PhoneBody(ApiBody):
    """Which phone is the camera."""

    device: Annotated[str, Field(max_length=40)] | None
    """Null for none."""


class TableBody(Revised):
    """An action on a table."""

    table: Tiles | None = None
    """The table in the notation, where it was entered by hand; otherwise the camera looks."""


class DoneBody(TableBody):
    """A turn that is done."""

    left: Count | None = None
    """How many tiles are left on the player's rack, where somebody counted; the ledger is put right by it."""


class SettingsBody(ApiBody):
    """What the people agreed upon; what is left out stays as it is, or as it is by default."""

    timer: Literal["off", "friendly", "strict"] | None = None
    """No clock; one that rings and waits (the default); one after which the turn has failed."""
    tournament: bool | None = None
    """A clock for each player as well, ten minutes and ten seconds a turn, from the next deal on."""
    penalty_at_once: bool | None = None
    """A wrong layout costs the penalty at once, instead of being mended."""
    notices_done: bool | None = None
    """The app sees by itself that a turn is done."""
    control: Literal["all", "host"] | None = None
    """Whose tablets may press buttons."""


class SettingsAction(SettingsBody, Revised):
    """Other settings, from now on."""


class SeatBody(ApiBody):
    """A seat at the table."""

    people: Annotated[list[Annotated[str, Field(max_length=400)]], Field(min_length=1, max_length=4)]
    """Who sits there; several names where they share a rack."""


class BeginBody(ApiBody):
    """An evening to begin."""

    seats: Annotated[list[SeatBody], Field(min_length=1, max_length=8)]
    """Clockwise."""
    edition: str
    """The name of an edition; `GET /api/editions` lists them."""
    house: list[Annotated[str, Field(max_length=100)]] = Field(default_factory=list, max_length=80)
    """House rules, each `part.field=value`; `GET /api/editions` lists them."""
    rounds: Annotated[int, Field(ge=1, le=99)] | None = None
    """Over how many rounds; null for an open end."""
    first_acquaintance: bool = False
    """The game for the youngest, in editions with stars."""
    leader: Seat | None = None
    """Who is in charge of that; null for somebody who does not play."""
    settings: SettingsBody = SettingsBody()


class OpenBody(ApiBody):
    """A kept evening to open."""

    id: Annotated[str, Field(max_length=32)]


class StarterBody(Revised):
    """Who begins."""

    player: Seat
    overruled: bool = False
    """That they agreed upon it although the edition has lots drawn."""


class RackBody(Revised):
    """Tiles of a player."""

    player: Seat
    tiles: Tiles
    """In the notation; bars mean nothing, and an empty text is an empty rack."""
    sure: bool = False
    """That these are the tiles, even where the box can't hold so many of one."""


class TilesBody(Revised):
    """Some tiles."""

    tiles: Tiles
    """In the notation, parted by spaces."""


class TileBody(Revised):
    """One tile."""

    tile: Annotated[str, Field(max_length=8)]


class FoundBody(TileBody):
    """A tile that a player found."""

    player: Seat


class DealBody(Revised):
    """The deal."""

    counts: Annotated[list[Count], Field(max_length=8)] | None = None
    """How many tiles each took; null for as many as the edition says."""


class SureBody(Revised):
    """Drawing instead of laying."""

    sure: bool = False
    """That the table is right, although the camera sees it otherwise than at the start of the turn."""


class PassBody(SureBody):
    """Passing."""

    can_lay: bool = False
    """That the player could have laid a tile; `junior` asks a star for that."""


class RestoredBody(TableBody):
    """The table after a turn that has failed."""

    as_it_lies: bool = False
    """That it stays as it lies, since nobody knows the places any more."""


class ReasonBody(Revised):
    """An overrule."""

    reason: Annotated[str, Field(max_length=2000)]
    legal: bool = True
    """That what lies there stands; false lets the last turn, found legal, count as failed."""


class TableNowBody(TableBody):
    """The present table as the new beginning."""

    reason: Annotated[str, Field(max_length=300)] = ""
    sure: bool = False
    """That everything is a tile that lies alone and was taken for one in doubt."""


class CountBody(Revised):
    """A count of the pool."""

    tiles: Count


class RackCountBody(CountBody):
    """A count of a rack."""

    player: Seat


class PlayerBody(Revised):
    """A player."""

    player: Seat


class RackPointsBody(PlayerBody):
    """What is left on a rack, in points."""

    points: Count
    """0 for an empty rack."""


class RackOfBody(ApiBody):
    """How many tiles a player has."""

    player: Seat
    tiles: Annotated[int, Field(ge=1, le=999)]


class BegunBody(Revised):
    """How a game stands that began without the app; what is left out stays as it is."""

    opened: Annotated[list[Seat], Field(max_length=8)] | None = None
    """Who has opened; all others have not. Null where nobody knows."""
    racks: Annotated[list[RackOfBody], Field(max_length=8)] = Field(default_factory=list)
    pool: Count | None = None
    """How many tiles the pool holds; null where nobody counted."""


class MoreTimeBody(Revised):
    """More time for this turn."""

    seconds: Annotated[float, Field(gt=0, le=3600)] = 30


class LostBody(Revised):
    """A tile that was lost, or found again."""

    tile: Annotated[str, Field(max_length=8)] | None = None
    """Which; null where nobody knows, since it lay face down."""
    player: Seat | None = None
    """From whose rack it was lost; null for the pool."""


class JoinBody(Revised):
    """Somebody who sits down late, or comes back to the seat they left."""

    name: Annotated[str, Field(max_length=400)]
    deals: bool = True
    """Whether they take tiles at once; otherwise they wait for the next round."""


class PlayerOpenedBody(PlayerBody):
    """Whether a player has opened."""

    opened: bool = True


class UndoBody(Revised):
    """Steps to take back."""

    steps: Annotated[int, Field(ge=1, le=10000)] = 1


class AmendBody(Revised):
    """An earlier entry, put right."""

    place: Annotated[int, Field(ge=0)]
    """Which, as in the history."""
    event: dict[str, object]
    """What should have been recorded, in the form of the game's file (`docs/engine.md`)."""
    reason: Annotated[str, Field(max_length=300)] = ""


class JudgeBody(ApiBody):
    """A table to be judged without anything being recorded, while it is entered by hand."""

    table: Tiles


class PracticeBody(ApiBody):
    """A practice turn of the first start."""

    before: Tiles | None = None
    """The table at its start, where it was seen by the camera."""
    table: Tiles
    """The table at its end."""


class AnswerBody(ApiBody):
    """What a tile is."""

    reading: int
    """The number of the reading that the page shows."""
    tile: int
    """The tile's index in it."""
    label: Annotated[str, Field(max_length=20)]
    """`red-7`, `joker`, or `no-tile`."""


class GroupBody(ApiBody):
    """In which melds some tiles lie."""

    reading: int
    """The number of the reading that the page shows."""
    rows: Annotated[list[Annotated[list[int], Field(min_length=1, max_length=40)]], Field(min_length=1, max_length=40)]
    """One of the choices of a question in `verdict.groupings`."""


class OpenedBody(ApiBody):
    """Whether the player has opened, for a single turn."""

    opened: bool


class StepBody(ApiBody):
    """Another photo of a folder."""

    by: int
    """1 for the next, -1 for the one before."""


class JoinCodeBody(ApiBody):
    """The join code."""

    code: Annotated[str, Field(max_length=40)]
    name: Annotated[str, Field(max_length=400)] = ""
    """How the tablet is called in the history."""


class ControlBody(ApiBody):
    """Whether a tablet may press buttons."""

    device: Annotated[str, Field(max_length=20)]
    controls: bool


class SourceBody(ApiBody):
    """What to watch."""

    source: Annotated[str, Field(max_length=500)]
    """A camera (`0`), an address (`http://…`, `rtsp://…`), a video, a folder of pictures, `demo`, or `none`."""


class CameraBody(ApiBody):
    """What the watched camera is asked for; it gives what it has."""

    width_px: Annotated[int, Field(ge=160, le=8192)]
    height_px: Annotated[int, Field(ge=120, le=8192)]
    mjpg: bool = True
    """Compressed pictures: most cameras give full HD at full pace in no other way."""
    exposure_s: Annotated[float, Field(gt=0, le=2)] | None = None
    """For how long each picture is exposed; null lets the camera choose."""


class AreaBody(ApiBody):
    """The play area."""

    corners: list[list[float]] | None
    """Corners as shares of width and height from 0 to 1, in order around it; null for all of the picture."""


class ConsentBody(ApiBody):
    """The answer to the question whether corrected tiles may be kept."""

    agreed: bool
    """False keeps nothing from now on; what was kept stays until it is forgotten."""
    forget: bool = False
    """That everything kept of this set of tiles is deleted."""
