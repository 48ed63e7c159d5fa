"""Answers about sources: cameras to choose from, the play area, scanned racks, the self-test."""

from typing import Literal

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED
from tilekeeper.companion.web.schemas.table import PictureJson
from tilekeeper.companion.web.schemas.tiles import ReadTileJson


@with_config(DESCRIBED)
class CameraJson(TypedDict):
    """A camera to choose; `POST /api/sources/preview` answers with a picture of it."""

    source: str
    """The value for `POST /api/source`."""
    name: str


@with_config(DESCRIBED)
class CameraPicturesJson(TypedDict):
    """The picture settings of a camera: the requested ones, or those that the camera reports."""

    width_px: int
    height_px: int
    mjpg: bool
    """Whether pictures are compressed as JPEG."""
    fps: float | None
    """Pictures per second; null if unknown."""
    exposure_s: float | None
    """The exposure time in seconds. Null in a request lets the camera choose; null in a report means unknown."""


@with_config(DESCRIBED)
class CameraStateJson(TypedDict):
    """The picture settings that were requested from a camera, and those that the camera reports."""

    asked: CameraPicturesJson
    gives: CameraPicturesJson | None
    """Null until the camera has been opened."""


@with_config(DESCRIBED)
class SourcesJson(TypedDict):
    """The available sources, and the current source with its settings."""

    cameras: list[CameraJson]
    watched: str
    """The current source, as in `POST /api/source`, but without password and query."""
    camera: CameraStateJson | None
    """The settings of the current camera, which `POST /api/camera` changes; null for other sources."""
    demo: bool
    """Whether a recorded table is installed (the source `demo`)."""
    play_area: list[list[float]] | None
    """The corners of the play area, x and y from 0 to 1; null for the whole picture."""
    host: bool
    """Whether the sender is the host; only the host sees whole pictures and changes source and play area."""
    racks: bool
    """Whether racks may stand around the table, so that not even the host sees whole pictures."""


@with_config(DESCRIBED)
class FoundAreaJson(TypedDict):
    """The play area that the app detected in the picture; a person should check it."""

    corners: list[list[float]] | None
    """The corners in order, x and y from 0 to 1; null if no area was detected."""


class ScannedTileJson(ReadTileJson):
    """A tile as it was read in a picture of a rack."""

    row: int | None
    """The index of the tile's row, from 0 for the row at the top of the picture; null if the tile is not on the
    rack."""
    place: int | None
    """The tile's position in its row, from 0 at the left; null if the tile is not on the rack."""


@with_config(DESCRIBED)
class ScanJson(TypedDict):
    """The tiles that were read in a picture of a rack; nothing is recorded."""

    status: str
    """`ok`, or why the reading can't be trusted."""
    width: int
    height: int
    picture: PictureJson | None
    """The table camera's picture; null for an uploaded picture, which the app does not store."""
    tiles: list[ScannedTileJson]
    rows: list[list[int]]
    """The rows of the rack from the top of the picture down; each lists the indices of its tiles from left to right."""
    text: str
    """The tiles in the notation, row by row, to send to `POST /api/evening/rack`."""
    count: int
    """The number of tiles on the rack, as read."""
    expected: int | None
    """How many tiles the rack of `player` (a query parameter) has by the ledger; null if unknown."""
    points: int | None
    """The points of the tiles by the rules in play; null in editions with stars."""
    doubtful: list[int]
    """The indices of the tiles that a person should check."""


@with_config(DESCRIBED)
class FindingOfTestJson(TypedDict):
    """A problem that the self-test found."""

    code: str
    """`too-dark`, `too-blurred`, `glare`, `too-small`, `cut-off`, `in-the-way`, `red-and-orange`, `no-tiles` or
    `no-picture`."""
    text: str
    """The problem and what to do, in plain words."""
    boxes: list[list[float]]
    """The places of the problem: left, top, right, bottom, each 0 to 1; empty for the whole picture."""


@with_config(DESCRIBED)
class PlacementAdviceJson(TypedDict):
    """A piece of advice for the camera, the lamp or the tiles."""

    move: str
    """`nearer`, `farther`, `left`, `right`, `up`, `down` (in the picture), `more-lamp`, `less-lamp`, `whiter-lamp`,
    `still`, `clear` or `tiles`."""
    text: str
    """The advice in a few words."""


@with_config(DESCRIBED)
class CameraControlJson(TypedDict):
    """The state of a control of the camera that the app sets."""

    control: Literal["focus", "exposure", "white-balance"]
    state: Literal["settling", "locked", "automatic", "refused", "chosen"]
    """`settling`: the app is setting it; `locked`: the camera keeps the set value; `automatic`: the camera adjusts it;
    `refused`: the camera does not let the app set it; `chosen`: a person has chosen the value."""
    text: str
    """The state in plain words."""


@with_config(DESCRIBED)
class SelfTestJson(TypedDict):
    """The result of the self-test: the problems of the picture with the number `picture`."""

    good: bool
    """Whether no problem was found."""
    picture: int | None
    """The number of the tested picture; null if there is no picture."""
    findings: list[FindingOfTestJson]
    advice: list[PlacementAdviceJson]
    """What to do about the problems, the most urgent first; empty without problems or without a picture."""
    controls: list[CameraControlJson]
    """The states of the controls; empty if the source has no controls, or with `--camera-controls off`."""
