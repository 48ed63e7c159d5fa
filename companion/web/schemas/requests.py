"""The JSON bodies of requests and their limits; the bodies of a game night's buttons are in `game_night/commands`."""

from typing import Annotated, Final, Self

from pydantic import BaseModel, Field, field_validator, model_validator

from tilekeeper.companion.capture.camera_controls import ControlState
from tilekeeper.companion.game_night.action import GameNightAction
from tilekeeper.companion.game_night.fields import CHECKED, Count, SeatIndex, Tiles
from tilekeeper.companion.game_night.profiles import MOST_NAMES, Animal, Colour, Name
from tilekeeper.companion.game_night.settings import SettingsChange
from tilekeeper.engine.language import gettext

MOST_WHOLE: Final = 2**31 - 1
"""The largest whole number in a request: every database can store it."""


class ApiBody(BaseModel):
    """A JSON body. Unknown fields, values of a wrong type and whole numbers beyond `MOST_WHOLE` are refused."""

    model_config = CHECKED

    @field_validator("*")
    @classmethod
    def _must_be_storable(cls, value: object) -> object:
        expect_storable(value)
        return value


def expect_storable(value: object) -> None:
    """Raise `ValueError` if a value is a whole number beyond `MOST_WHOLE`, or contains one."""
    if isinstance(value, list | tuple):
        for part in value:
            expect_storable(part)
    elif isinstance(value, int) and abs(value) > MOST_WHOLE:
        raise ValueError(gettext("This number is too large."))


def whole_number(text: str) -> int:
    """Return the number in a query's text; raise `ValueError` for other texts and numbers beyond `MOST_WHOLE`."""
    number = int(text)
    expect_storable(number)
    return number


class NoBody(ApiBody):
    """An empty object."""


class Revised(ApiBody, GameNightAction):
    """The body of a game night's button; refused (409, `stale`) if the game night has a newer revision."""

    revision: int
    """The revision of the game night that the page shows."""


class PrivatePageBody(ApiBody):
    """The player whose private page is meant."""

    player: SeatIndex


class OwnRackBody(ApiBody):
    """The rack of a player at the end of a round, counted on the own phone."""

    round: int
    """The round's number in `counting`."""
    tiles: Tiles | None = None
    """Tiles in the notation; bars are ignored, and an empty text is an empty rack. Null in editions with stars."""
    count: Count | None = None
    """How many tiles the rack has, in editions with stars; else null."""
    sure: bool = False
    """True to accept more copies of a tile than the box has."""

    @model_validator(mode="after")
    def _must_have_one_count(self) -> Self:
        if (self.tiles is None) == (self.count is None):
            raise ValueError("send either tiles or count")
        return self


class HintBody(ApiBody):
    """The tiles on the player's rack."""

    tiles: Tiles
    """Tiles in the notation; bars are ignored."""


class PhoneBody(ApiBody):
    """Which of the phones that ask becomes the camera."""

    device: Annotated[str, Field(max_length=40)] | None
    """The id of the phone; null to have no phone as the camera."""


class PhoneControlsBody(ApiBody):
    """The state of each camera control of the phone that is the camera."""

    focus: ControlState
    exposure: ControlState
    white_balance: ControlState


class SeatBody(ApiBody):
    """The people at one seat of the table."""

    people: Annotated[list[Annotated[str, Field(max_length=400)]], Field(min_length=1, max_length=4)]
    """The people at the seat; several names if they share a rack."""


class BeginBody(ApiBody):
    """A game night to begin."""

    seats: Annotated[list[SeatBody], Field(min_length=1, max_length=8)]
    """The seats, clockwise."""
    edition: str
    """The name of an edition; `GET /api/editions` lists them."""
    house: list[Annotated[str, Field(max_length=100)]] = Field(default_factory=list, max_length=80)
    """House rules, each `part.field=value`; `GET /api/editions` lists them."""
    rounds: Annotated[int, Field(ge=1, le=99)] | None = None
    """The agreed number of rounds; null for an open end."""
    first_acquaintance: bool = False
    """Whether to play the first-acquaintance game, in editions with stars."""
    leader: SeatIndex | None = None
    """The seat of the leader of the first-acquaintance game; null if the leader does not play."""
    settings: SettingsChange = SettingsChange()


class ProfileBody(ApiBody):
    """The profile of a player."""

    name: Name
    """A name of the player, which pages show from now on."""
    others: Annotated[list[Name], Field(max_length=MOST_NAMES)] | None = None
    """All other names under which the same person has played."""
    colour: Colour | None = None
    """The number of a colour, from 0; null for none."""
    animal: Animal | None = None


class OpenBody(ApiBody):
    """A stored game night to open."""

    id: Annotated[str, Field(max_length=32)]


class JudgeBody(ApiBody):
    """A table that somebody is still entering by hand, to be judged."""

    table: Tiles
    """The table in the notation."""


class PracticeBody(ApiBody):
    """A practice turn of the first steps."""

    before: Tiles | None = None
    """The table at the start of the turn; null for the invented table."""
    table: Tiles
    """The table at the end of the turn."""


class AnswerBody(ApiBody):
    """A person's label for a tile."""

    reading: int
    """The number of the reading that the page shows."""
    tile: int
    """The tile's index in the reading."""
    label: Annotated[str, Field(max_length=20)]
    """`red-7`, `joker`, or `no-tile`."""


class GroupBody(ApiBody):
    """A person's answer to a question about melds."""

    reading: int
    """The number of the reading that the page shows."""
    rows: Annotated[list[Annotated[list[int], Field(min_length=1, max_length=40)]], Field(min_length=1, max_length=40)]
    """The `rows` of one of the choices in `verdict.groupings`."""


class StepBody(ApiBody):
    """A step in a folder of photos."""

    by: int
    """1 for the next photo, -1 for the previous photo."""


class JoinCodeBody(ApiBody):
    """The join code, as a person entered it."""

    code: Annotated[str, Field(max_length=40)]
    name: Annotated[str, Field(max_length=400)] = ""
    """The name for the tablet, which the history shows."""


class ControlBody(ApiBody):
    """Whether a tablet may press buttons while the settings allow only the host to."""

    device: Annotated[str, Field(max_length=20)]
    controls: bool


class SourceBody(ApiBody):
    """A source to use or to preview."""

    source: Annotated[str, Field(max_length=500)]
    """A camera (`0`), an address (`http://…`, `rtsp://…`), a video, a folder of pictures, `demo`, or `none`."""


class CameraBody(ApiBody):
    """The settings to request from the current camera, which may refuse any of them."""

    width_px: Annotated[int, Field(ge=160, le=8192)]
    height_px: Annotated[int, Field(ge=120, le=8192)]
    mjpg: bool = True
    """Whether to request pictures as JPEG, without which most cameras can't deliver full HD at full rate."""
    exposure_s: Annotated[float, Field(gt=0, le=2)] | None = None
    """The exposure time in seconds; null lets the camera choose."""


class AreaBody(ApiBody):
    """The play area to set."""

    corners: list[list[float]] | None
    """The corners in order, x and y from 0 to 1; null for the whole picture."""


class ConsentBody(ApiBody):
    """The answer to the question whether corrected tiles may be stored."""

    agreed: bool
    """Whether corrected tiles may be stored from now on; tiles that are stored already stay until `forget`."""
    forget: bool = False
    """Whether to delete all stored tiles of the set of tiles in play."""
