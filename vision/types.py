"""The data types of vision: what a detector returns, and the tiles, rows and troubles of a reading.

The classifier knows numbers 1 to 13, jokers, "no tile", and four inks in the order of `INKS`; the third is "the warm
ink", which one edition prints orange and another yellow. The names that an edition gives to the inks are handed in
(`TileSet`).
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

import numpy as np

from tilekeeper.vision.arrays import expect_shape

INKS = ("black", "blue", "orange", "red")
"""The inks as the classifier orders them."""
NUMBERS = 13
"""How many numbers the classifier knows; its further two answers are `JOKER` and `NOT_A_TILE`."""
JOKER, NOT_A_TILE = 13, 14
"""Indices into `TileNames.number_log_probs`."""
JOINT_JOKER, JOINT_NOT_A_TILE = NUMBERS * len(INKS), NUMBERS * len(INKS) + 1
"""Indices into `TileNames.log_probs`."""
WHITE = 160
"""What the white of a tile is in the crops that the classifier is shown, which are bytes: 1.6 times as bright is cut
off."""
NO_TILE_LABEL, JOKER_LABEL = "no-tile", "joker"
OK = "ok"
"""The status of a reading that can be trusted."""

TOO_DARK = "too-dark"
TOO_BLURRED = "too-blurred"
GLARE = "glare"
TOO_SMALL = "too-small"
CUT_OFF = "cut-off"
IN_THE_WAY = "in-the-way"
RED_AND_ORANGE = "red-and-orange"
TROUBLE_KINDS = (TOO_DARK, TOO_BLURRED, GLARE, TOO_SMALL, CUT_OFF, IN_THE_WAY, RED_AND_ORANGE)
"""The kinds of `Trouble`."""


Inks = tuple[str, str, str, str]
"""The names that an edition gives to `INKS`, in that order."""


Rows = tuple[tuple[int, ...], ...]
"""Rows of tiles as indices, each in reading order."""


@dataclass(frozen=True, slots=True)
class TileSet:
    """The set of tiles on the table: what its inks are called, and how many copies of each tile it has.

    Raises `ValueError` where the inks are not four.
    """

    inks: Inks = INKS
    copies: int = 2

    def __post_init__(self) -> None:
        if len(self.inks) != len(INKS):
            raise ValueError(f"there are {len(INKS)} inks, got {len(self.inks)}")


def no_quads() -> np.ndarray:
    """Return no quads, `(0, 4, 2) float32`."""
    return np.zeros((0, 4, 2), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """What a detector found in a picture, best first.

    `quads_px (N, 4, 2) float32` are tiles, clockwise from each one's own top left, and `scores (N,) float64`, 0 to 1,
    theirs; `faint_px (K, 4, 2) float32` are places that are too faint to be called tiles.
    """

    quads_px: np.ndarray = field(default_factory=no_quads)
    scores: np.ndarray = field(default_factory=lambda: np.zeros(0))
    faint_px: np.ndarray = field(default_factory=no_quads)

    def inside(self, boxes_px: np.ndarray) -> "Detections":
        """Return those whose middles lie in any of the boxes `(M, 4)`, x and y of two corners."""

        def within(quads_px: np.ndarray) -> np.ndarray:
            middles = quads_px.mean(axis=1)[:, None]
            inside: np.ndarray = ((middles >= boxes_px[:, :2]) & (middles <= boxes_px[:, 2:])).all(axis=2).any(axis=1)
            return inside

        tiles = within(self.quads_px)
        return Detections(self.quads_px[tiles], self.scores[tiles], self.faint_px[within(self.faint_px)])


class Detector(Protocol):
    """Finds tiles in a picture `(H, W, 3) uint8` BGR."""

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Find the tiles of the whole picture."""
        ...

    def detect_in(self, image_bgr: np.ndarray, boxes_px: np.ndarray, known_px: np.ndarray) -> Detections:
        """Find the tiles whose middles lie in the boxes `(M, 4)`, x and y of two corners.

        `known_px (N, 4, 2)`, N at least 1, are tiles that lie elsewhere in the picture: they show how large a tile is.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class TileNames:
    """What one tile may be: `number_log_probs` `(15,)` for 1 to 13, joker, no tile; `ink_log_probs` `(4,)` for `INKS`.

    Both are natural logarithms of probabilities that add up to one. `own_number_log_probs` is what it looked like by
    itself, before it was compared with the others of its table; None where it was not. Raises `ValueError` for other
    shapes.
    """

    number_log_probs: np.ndarray
    ink_log_probs: np.ndarray
    own_number_log_probs: np.ndarray | None = None

    def __post_init__(self) -> None:
        expect_shape("number_log_probs", self.number_log_probs, (NUMBERS + 2,))
        expect_shape("ink_log_probs", self.ink_log_probs, (len(INKS),))

    @property
    def log_probs(self) -> np.ndarray:
        """`(54,)`: each number in each ink (number by number, inks in order), then joker, then no tile."""
        return in_inks(self.number_log_probs, self.ink_log_probs)

    @property
    def own_log_probs(self) -> np.ndarray:
        """`(54,)`, as `log_probs`, by what the tile looked like by itself."""
        own = self.number_log_probs if self.own_number_log_probs is None else self.own_number_log_probs
        return in_inks(own, self.ink_log_probs)


def number_and_ink(name: int) -> tuple[int, int]:
    """Return the indices of number and ink of an entry of `TileNames.log_probs`; the ink is 0 for what has none."""
    return divmod(name, len(INKS)) if name < JOINT_JOKER else (name - JOINT_JOKER + JOKER, 0)


def in_inks(number_log_probs: np.ndarray, ink_log_probs: np.ndarray) -> np.ndarray:
    """Return each number in each ink, then what has none: of one tile, or of many along the first axis.

    `number_log_probs (..., 15)` and `ink_log_probs (..., 4)` make `(..., 54)`, as in `TileNames.log_probs`.
    """
    numbered = number_log_probs[..., :NUMBERS, None] + ink_log_probs[..., None, :]
    flat = numbered.reshape(*number_log_probs.shape[:-1], JOINT_JOKER)
    return np.concatenate([flat, number_log_probs[..., NUMBERS:]], axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """One tile seen in a picture.

    `track` stays with a tile while it lies or slides (in a single photo it is just its index); `quad_px` `(4, 2)
    float32`, clockwise from the tile's own top left, in pixels of the picture as a person sees it; `names`, what it may
    be; `locked_by_person`, whether a person has said what it is; `hidden`, whether something lies over it now, so that
    it is told as it was seen last; `score`, 0 to 1, how surely the detector saw it.
    """

    track: int
    quad_px: np.ndarray
    names: TileNames
    locked_by_person: bool = False
    hidden: bool = False
    score: float = 1.0

    def __post_init__(self) -> None:
        expect_shape("quad_px", self.quad_px, (4, 2))

    @property
    def log_probs(self) -> np.ndarray:
        """`(54,)`, see `TileNames.log_probs`."""
        return self.names.log_probs


class DoubtReason(StrEnum):
    """Why a person should look at a tile before a verdict turns on it."""

    UNSURE_NUMBER = "unsure-number"
    """Another number, or a joker, is nearly as likely."""
    UNSURE_INK = "unsure-ink"
    """The same number in another ink is nearly as likely."""
    UNLIKE_ITS_PRINTING = "unlike-its-printing"
    """By itself it looks like another number than beside the figures of the other tiles on the table."""
    NO_COLOURS = "no-colours"
    """The picture shows no colours, by which inks are known."""
    HARDLY_A_TILE = "hardly-a-tile"
    """The detector is sure of a tile, and the classifier finds none or is not sure of one."""
    UNLIKE_THE_OTHERS = "unlike-the-others"
    """It differs from the tiles around it in size, white or rims, as what is no tile does."""
    HARDLY_FOUND = "hardly-found"
    """The detector found nothing there by itself, or is hardly sure of it where few tiles are sure of themselves."""
    CUT_BY_THE_EDGE = "cut-by-the-edge"
    """The edge of the picture cuts it, and what is cut looks most like a joker."""
    UNSURE_END = "unsure-end"
    """The edge of the picture cuts a 6 or a 9, and with it what shows which end is up."""
    TOO_MANY_ALIKE = "too-many-alike"
    """The set has fewer tiles of this name than are read, so that one of them is another."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason to doubt a tile, and the label that it may have instead, where that is known."""

    reason: DoubtReason
    alternative: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ReadTile:
    """A tile and its best name.

    `label` and `runner_up` are like `red-7`, `joker` (the runner-up also `no-tile`); `confidence` is from 0 to 1;
    `doubts` are the reasons for which a person should look at it before a verdict turns on it, none where it is sure.
    """

    sighting: Sighting
    label: str
    confidence: float
    runner_up: str
    doubts: tuple[Doubt, ...] = ()

    @property
    def doubtful(self) -> bool:
        """Whether there is any reason to doubt it."""
        return bool(self.doubts)

    def doubted(self, *doubts: Doubt) -> "ReadTile":
        """Return the tile with more reasons to doubt it, each of which counts once; the very same where none is new."""
        known = {doubt.reason for doubt in self.doubts}
        new = [doubt for doubt in doubts if doubt.reason not in known]
        return replace(self, doubts=(*self.doubts, *new)) if new else self


@dataclass(frozen=True, slots=True, eq=False)
class Trouble:
    """Something that is wrong with a picture of a table, and where.

    `kind` is one of `TROUBLE_KINDS`, `words` say in a line what it is and what to do. `region_px (4, 2) float32` is
    where it is, clockwise from its top left, in pixels of the picture that the reading's corners are measured in; the
    whole picture where it is everywhere. Raises `ValueError` for unknown kinds and other shapes.
    """

    kind: str
    words: str
    region_px: np.ndarray

    def __post_init__(self) -> None:
        if self.kind not in TROUBLE_KINDS:
            raise ValueError(f"unknown kind of trouble {self.kind!r}; there are {', '.join(TROUBLE_KINDS)}")
        expect_shape("region_px", self.region_px, (4, 2))


@dataclass(frozen=True, slots=True)
class Grouping:
    """Rows that all hold the same tiles as some rows of the reading, and how likely they lie so, 0 to 1.

    `rows` are indices into the tiles, each in reading order, as in `TableReading.rows`.
    """

    rows: Rows
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class TableReading:
    """Everything read in one picture.

    `rows` are indices into `tiles`, each row in reading order, every tile in one row, a lone tile in a row of one, what
    a person called no tile in none;
    `image_wh` is the size of the picture that the corners are measured in; `status` is `ok` or, in one line, why the
    reading can't be trusted and what to do; `time_s` is the time of the frame where it has one. `troubles` say what is
    wrong with the picture and where, also where the reading can be trusted for all that. `face_down (M, 4, 2) float32`
    are the quads of the tiles that lie face down, whichever end is up. `other_rows` are the places where the tiles can
    as well be grouped otherwise.
    """

    tiles: tuple[ReadTile, ...]
    rows: Rows
    image_wh: tuple[int, int]
    status: str = OK
    time_s: float | None = None
    troubles: tuple[Trouble, ...] = ()
    face_down: np.ndarray = field(default_factory=no_quads)
    other_rows: tuple[Grouping, ...] = ()

    @property
    def quads_px(self) -> np.ndarray:
        """The corners of the tiles, `(N, 4, 2) float32`, as in `Sighting`."""
        return np.array([tile.sighting.quad_px for tile in self.tiles], np.float32).reshape(-1, 4, 2)

    def scaled_to(self, image_wh: tuple[int, int]) -> "TableReading":
        """Return the reading with all corners in pixels of the same picture in another size.

        Pixel centres lie at whole numbers, as in OpenCV.
        """
        if image_wh == self.image_wh:
            return self
        scale = np.array(image_wh, np.float32) / np.array(self.image_wh, np.float32)
        return self.moved(lambda points_px: ((points_px + 0.5) * scale - 0.5).astype(np.float32), image_wh)

    def moved(self, to_px: Callable[[np.ndarray], np.ndarray], image_wh: tuple[int, int]) -> "TableReading":
        """Return the reading in pixels of another picture, to which `to_px` leads points `(..., 2)` of this one."""
        tiles = tuple(
            replace(tile, sighting=replace(tile.sighting, quad_px=to_px(tile.sighting.quad_px))) for tile in self.tiles
        )
        troubles = tuple(replace(trouble, region_px=to_px(trouble.region_px)) for trouble in self.troubles)
        return replace(self, tiles=tiles, image_wh=image_wh, troubles=troubles, face_down=to_px(self.face_down))


def label_of(index: int, inks: Inks = INKS) -> str:
    """Return the label of an entry of `TileNames.log_probs`, its ink named as the edition in play names it."""
    if index == JOINT_JOKER:
        return JOKER_LABEL
    if index == JOINT_NOT_A_TILE:
        return NO_TILE_LABEL
    number, ink = divmod(index, len(INKS))
    if not 0 <= number < NUMBERS:
        raise ValueError(f"there are {JOINT_NOT_A_TILE + 1} names, no number {index}")
    return f"{inks[ink]}-{number + 1}"


@functools.cache
def labels_of(inks: Inks = INKS) -> tuple[str, ...]:
    """Return the label of every entry of `TileNames.log_probs`, made once for each edition's inks."""
    return tuple(label_of(index, inks) for index in range(JOINT_NOT_A_TILE + 1))


def normalised(log_probs: np.ndarray) -> np.ndarray:
    """Return logarithms `(..., K)` less what makes their probabilities add up to one."""
    normal: np.ndarray = log_probs - np.logaddexp.reduce(log_probs, axis=-1, keepdims=True)
    return normal


def sureness_of(number_log_probs: np.ndarray, ink_log_probs: np.ndarray) -> np.ndarray:
    """Return the natural logarithm of how likely the likeliest name of each of N tiles is, `(N,)`.

    `number_log_probs (N, 15)`, `ink_log_probs (N, 4)`; for "no tile" and jokers the ink does not count.
    """
    inked = number_log_probs.argmax(axis=1) < JOKER
    sureness: np.ndarray = number_log_probs.max(axis=1) + np.where(inked, ink_log_probs.max(axis=1), 0)
    return sureness
