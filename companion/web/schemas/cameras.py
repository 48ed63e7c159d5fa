"""Answers about what is watched: cameras to choose from, the play area, racks that were scanned, the self-test."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.answer import DESCRIBED
from tilekeeper.companion.web.schemas.tiles import ReadTileJson


@with_config(DESCRIBED)
class CameraJson(TypedDict):
    """A camera to choose; `POST /api/sources/preview` has a picture of it."""

    source: str
    """As `POST /api/source` takes it."""
    name: str


@with_config(DESCRIBED)
class CameraPicturesJson(TypedDict):
    """Pictures of a camera: as they were asked for, or as it gives them."""

    width_px: int
    height_px: int
    mjpg: bool
    """Whether they come compressed, as JPEG."""
    fps: float | None
    """How many a second; null where it is not known."""
    exposure_s: float | None
    """For how long each is exposed; asked for, null lets the camera choose; given, null is not known."""


@with_config(DESCRIBED)
class CameraStateJson(TypedDict):
    """What the camera was asked for, and what it says that it gives."""

    asked: CameraPicturesJson
    gives: CameraPicturesJson | None
    """Null until it has been opened."""


@with_config(DESCRIBED)
class SourcesJson(TypedDict):
    """What can be watched."""

    cameras: list[CameraJson]
    watched: str
    """The source that is watched now, as it was named."""
    camera: CameraStateJson | None
    """What the watched camera gives (`POST /api/camera` asks for something else); null where no camera is watched."""
    demo: bool
    """Whether there is a recorded table (`demo`)."""
    play_area: list[list[float]] | None
    """The corners of the play area, as shares of width and height; null where all of the picture is seen."""
    whole: bool
    """Whether the whole picture may be looked at now (`/api/whole.jpg`): while no racks can be in it."""


@with_config(DESCRIBED)
class FoundAreaJson(TypedDict):
    """The play area as it was found on the picture, to be looked at before it is kept."""

    corners: list[list[float]] | None
    """In order around it, as shares of width and height; null where none can be told."""


@with_config(DESCRIBED)
class ScanJson(TypedDict):
    """Tiles that were read on a picture of a rack; nothing is recorded."""

    status: str
    """`ok`, or why the reading can't be trusted."""
    width: int
    height: int
    tiles: list[ReadTileJson]
    text: str
    """The tiles in the notation, row by row, as `rack` takes them."""
    count: int
    points: int | None
    """What they count by the rules in play; null where stars are counted."""
    doubtful: list[int]
    """The indices of the tiles that a person should look at."""


@with_config(DESCRIBED)
class FindingOfTestJson(TypedDict):
    """One thing that the self-test found."""

    code: str
    """`too-dark`, `too-blurred`, `glare`, `too-small`, `cut-off`, `in-the-way`, `red-and-orange`, `no-tiles` or
    `no-picture`."""
    text: str
    """In plain words: what is wrong, and what to do."""
    boxes: list[list[float]]
    """Where, each as left, top, right, bottom in shares of the picture; empty for all of it."""


@with_config(DESCRIBED)
class PlacementAdviceJson(TypedDict):
    """One thing to do with camera or lamp."""

    move: str
    """`nearer`, `farther`, `left`, `right`, `up`, `down` (on the picture), `more-lamp`, `less-lamp`, `whiter-lamp`,
    `still`, `clear` or `tiles`."""
    text: str
    """The same in a few words."""


@with_config(DESCRIBED)
class SelfTestJson(TypedDict):
    """What is wrong with the picture, if anything; the picture is the one with the number `picture`."""

    good: bool
    picture: int | None
    findings: list[FindingOfTestJson]
    advice: list[PlacementAdviceJson]
    """What to do about them, the most pressing first; empty where all is well, or where there is no picture."""
