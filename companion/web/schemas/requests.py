"""What pages send, checked before anything else happens; for the buttons of a game night see `game_night/commands`."""

from typing import Annotated

from pydantic import BaseModel, Field

from tilekeeper.companion.game_night.action import GameNightAction
from tilekeeper.companion.game_night.fields import CHECKED, SeatIndex, Tiles
from tilekeeper.companion.game_night.settings import SettingsChange


class ApiBody(BaseModel):
    """A body in JSON: no field too many, none of another type."""

    model_config = CHECKED


class NoBody(ApiBody):
    """Nothing but an empty object."""


class Revised(ApiBody, GameNightAction):
    """A button of a game night; refused (409, `stale`) where the evening has moved on since the page was drawn."""

    revision: int
    """The evening's revision that the page shows."""


class PrivatePageBody(ApiBody):
    """Whose private page."""

    player: SeatIndex


class PhoneBody(ApiBody):
    """Which phone is the camera."""

    device: Annotated[str, Field(max_length=40)] | None
    """Null for none."""


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
    leader: SeatIndex | None = None
    """Who is in charge of that; null for somebody who does not play."""
    settings: SettingsChange = SettingsChange()


class OpenBody(ApiBody):
    """A kept evening to open."""

    id: Annotated[str, Field(max_length=32)]


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
