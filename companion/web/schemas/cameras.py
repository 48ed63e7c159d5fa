"""Answers about what is watched: cameras to choose from, the play area, racks that were scanned, the self-test."""

from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.table import DESCRIBED, ReadTileJson


class CameraJson(TypedDict):
    """A camera to choose; its preview is at `/api/sources/preview.jpg?source=…`."""

    __pydantic_config__ = DESCRIBED
    source: str
    """As `POST /api/source` takes it."""
    name: str


class CameraPicturesJson(TypedDict):
    """Pictures of a camera: as they were asked for, or as it gives them."""

    __pydantic_config__ = DESCRIBED
    width_px: int
    height_px: int
    mjpg: bool
    """Whether they come compressed, as JPEG."""
    fps: float | None
    """How many a second; null where it is not known."""
    exposure_s: float | None
    """For how long each is exposed; asked for, null lets the camera choose; given, null is not known."""


class CameraStateJson(TypedDict):
    """What the camera was asked for, and what it says that it gives."""

    __pydantic_config__ = DESCRIBED
    asked: CameraPicturesJson
    gives: CameraPicturesJson | None
    """Null until it has been opened."""


class SourcesJson(TypedDict):
    """What can be watched."""

    __pydantic_config__ = DESCRIBED
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


class FoundAreaJson(TypedDict):
    """The play area as it was found on the picture, to be looked at before it is kept."""

    __pydantic_config__ = DESCRIBED
    corners: list[list[float]] | None
    """In order around it, as shares of width and height; null where none can be told."""


class ScanJson(TypedDict):
    """Tiles that were read on a picture of a rack; nothing is recorded."""

    __pydantic_config__ = DESCRIBED
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


class FindingOfTestJson(TypedDict):
    """One thing that the self-test found."""

    __pydantic_config__ = DESCRIBED
    code: str
    """`too-dark`, `too-blurred`, `glare`, `too-small`, `cut-off`, `in-the-way`, `red-and-orange`, `no-tiles` or
    `no-picture`."""
    text: str
    """In plain words: what is wrong, and what to do."""
    boxes: list[list[float]]
    """Where, each as left, top, right, bottom in shares of the picture; empty for all of it."""


class SelfTestJson(TypedDict):
    """What is wrong with the picture, if anything; the picture is the one with the number `picture`."""

    __pydantic_config__ = DESCRIBED
    good: bool
    picture: int | None
    findings: list[FindingOfTestJson]
