"""Answers about sources: cameras to choose from, the play area, racks that were scanned, the self-test."""

from typing import Literal

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED
from tilekeeper.companion.web.schemas.table import PictureJson
from tilekeeper.companion.web.schemas.tiles import ReadTileJson


@with_config(DESCRIBED)
class CameraJson(TypedDict):
    """A camera to choose; `POST /api/sources/preview` has a picture of it."""

    source: str
    """The value for `POST /api/source`."""
    name: str


@with_config(DESCRIBED)
class CameraPicturesJson(TypedDict):
    """The settings of a camera: as requested, or as reported by the camera."""

    width_px: int
    height_px: int
    mjpg: bool
    """Whether pictures are compressed as JPEG."""
    fps: float | None
    """Pictures a second; null if unknown."""
    exposure_s: float | None
    """The exposure time; null in a request lets the camera choose, null in a report means unknown."""


@with_config(DESCRIBED)
class CameraStateJson(TypedDict):
    """The requested settings of a camera, and those that it reports."""

    asked: CameraPicturesJson
    gives: CameraPicturesJson | None
    """Null until the camera has been opened."""


@with_config(DESCRIBED)
class SourcesJson(TypedDict):
    """The available sources."""

    cameras: list[CameraJson]
    watched: str
    """The present source, as it was named."""
    camera: CameraStateJson | None
    """The settings of the watched camera (`POST /api/camera` changes them); null for other sources."""
    demo: bool
    """Whether there is a recorded table (`demo`)."""
    play_area: list[list[float]] | None
    """The corners of the play area, as shares of width and height; null for the whole picture."""
    host: bool
    """Whether the sender is the host, who alone sees whole pictures and changes the source and the play area."""
    racks: bool
    """Whether racks may stand around the table, so that not even the host sees whole pictures."""


@with_config(DESCRIBED)
class FoundAreaJson(TypedDict):
    """The play area that was found in the picture, for a person to check."""

    corners: list[list[float]] | None
    """The corners in order, as shares of width and height; null if no area was found."""


class ScannedTileJson(ReadTileJson):
    """A tile as it was read in a picture of a rack."""

    row: int | None
    """The tile's row, from the back, which is at the top, to the front, from 0; null if it is not on the rack."""
    place: int | None
    """The tile's place in its row, from the left, from 0."""


@with_config(DESCRIBED)
class ScanJson(TypedDict):
    """The tiles that were read in a picture of a rack; nothing is recorded."""

    status: str
    """`ok`, or why the reading can't be trusted."""
    width: int
    height: int
    picture: PictureJson | None
    """The table camera's picture; null for a picture that was sent, which the app does not keep."""
    tiles: list[ScannedTileJson]
    rows: list[list[int]]
    """The rows from the back to the front: the indices of their tiles, from left to right, each tile once."""
    text: str
    """The tiles in the notation, row by row, as the value for `rack`."""
    count: int
    expected: int | None
    """How many tiles the ledger expects on the rack of `player`; null if unknown."""
    points: int | None
    """Their points by the rules in play; null in editions with stars."""
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
    """The places, each as left, top, right, bottom in shares of the picture; empty for all of it."""


@with_config(DESCRIBED)
class PlacementAdviceJson(TypedDict):
    """Advice on camera or lamp."""

    move: str
    """`nearer`, `farther`, `left`, `right`, `up`, `down` (in the picture), `more-lamp`, `less-lamp`, `whiter-lamp`,
    `still`, `clear` or `tiles`."""
    text: str
    """The advice in a few words."""


@with_config(DESCRIBED)
class CameraControlJson(TypedDict):
    """A control of the camera: set by the app, or refused by the camera."""

    control: Literal["focus", "exposure", "white-balance"]
    state: Literal["settling", "locked", "automatic", "refused", "chosen"]
    """`settling`: being set now; `locked`: set, and stays so; `automatic`: the camera goes on by itself; `refused`: the
    camera does not allow it; `chosen`: a person has chosen the value."""
    text: str
    """The same in plain words."""


@with_config(DESCRIBED)
class SelfTestJson(TypedDict):
    """The problems of the picture with the number `picture`."""

    good: bool
    picture: int | None
    findings: list[FindingOfTestJson]
    advice: list[PlacementAdviceJson]
    """What to do about them, the most urgent first; empty without problems or without a picture."""
    controls: list[CameraControlJson]
    """The controls that were set or refused; empty without such controls, or with `--camera-controls off`."""
