"""Data types of vision: detections, class probabilities, and the tiles, rows and image problems of a reading.

The classifier knows the numbers 1 to 13, jokers, "no tile" and four inks in the order of `INKS`. The third is the warm
ink, which one edition prints orange and another yellow; a `TileSet` holds an edition's names of the inks.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from tilekeeper.vision.arrays import expect_shape, no_quads

INKS = ("black", "blue", "orange", "red")  # inks in the classifier's order
NUMBERS = 13  # numbers that the classifier knows; its two further classes are `JOKER` and `NOT_A_TILE`
JOKER, NOT_A_TILE = 13, 14  # indices into `LabelProbabilities.number_log_probs`
JOINT_JOKER, JOINT_NOT_A_TILE = NUMBERS * len(INKS), NUMBERS * len(INKS) + 1
"""Indices into `LabelProbabilities.log_probs`."""
WHITE = 160  # level of a tile's white in the classifier's input crops; 255, the largest byte, is 1.6 times as bright
NO_TILE_LABEL, JOKER_LABEL = "no-tile", "joker"
OK = "ok"  # status of a reading that can be trusted

TOO_DARK, TOO_BLURRED, GLARE, TOO_SMALL = "too-dark", "too-blurred", "glare", "too-small"
CUT_OFF, IN_THE_WAY, RED_AND_ORANGE = "cut-off", "in-the-way", "red-and-orange"
TROUBLE_KINDS = (TOO_DARK, TOO_BLURRED, GLARE, TOO_SMALL, CUT_OFF, IN_THE_WAY, RED_AND_ORANGE)
"""Values of `Trouble.kind`."""

Inks = tuple[str, str, str, str]  # an edition's names of `INKS`, in that order

Rows = tuple[tuple[int, ...], ...]  # rows of tile indices, each in reading order


@dataclass(frozen=True, slots=True)
class TileSet:
    """An edition's tile set: the names of its four inks, and the copies of each tile; `ValueError` for other counts."""

    inks: Inks = INKS
    copies: int = 2

    def __post_init__(self) -> None:
        if len(self.inks) != len(INKS):
            raise ValueError(f"there are {len(INKS)} inks, got {len(self.inks)}")


@dataclass(frozen=True, slots=True, eq=False)
class FaceMap:
    """Where an image shows faces of tiles: a logit for each cell, `(h, w) float32`, -inf where nobody searched.

    `cell_px (2,)`: width and height of a cell in pixels of the image.
    """

    logits: np.ndarray
    cell_px: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """Detections in an image, highest score first.

    `quads_px`: tiles `(N, 4, 2) float32`, each clockwise from its own top left; `scores`: `(N,) float64`, 0 to 1;
    `faint_px`: weak detections `(K, 4, 2) float32`, whose scores are too low for a tile; `faces`: where the image shows
    faces of tiles, None if unknown.
    """

    quads_px: np.ndarray = field(default_factory=no_quads)
    scores: np.ndarray = field(default_factory=lambda: np.zeros(0))
    faint_px: np.ndarray = field(default_factory=no_quads)
    faces: FaceMap | None = None

    def select_inside(self, boxes_px: np.ndarray) -> "Detections":
        """Return the detections whose centre is in any of the boxes `(M, 4)`: left, top, right, bottom."""
        is_inside, is_faint_inside = (
            ((centres >= boxes_px[:, :2]) & (centres <= boxes_px[:, 2:])).all(axis=2).any(axis=1)
            for centres in (self.quads_px.mean(axis=1)[:, None], self.faint_px.mean(axis=1)[:, None])
        )
        return Detections(self.quads_px[is_inside], self.scores[is_inside], self.faint_px[is_faint_inside], self.faces)


@dataclass(frozen=True, slots=True, eq=False)
class LabelProbabilities:
    """Class probabilities of one tile, as natural logarithms; the probabilities of each array sum to 1.

    `number_log_probs`: `(15,)` for 1 to 13, joker, no tile; `ink_log_probs`: `(4,)` for `INKS`; `own_number_log_probs`:
    `number_log_probs` before the comparison with the other tiles, or None. Raises `ValueError` for other shapes.
    """

    number_log_probs: np.ndarray
    ink_log_probs: np.ndarray
    own_number_log_probs: np.ndarray | None = None

    def __post_init__(self) -> None:
        expect_shape("number_log_probs", self.number_log_probs, (NUMBERS + 2,))
        expect_shape("ink_log_probs", self.ink_log_probs, (len(INKS),))

    @property
    def log_probs(self) -> np.ndarray:
        """Log probabilities `(54,)`: number by number in each ink (inks in order), joker, no tile."""
        return joint_log_probs(self.number_log_probs, self.ink_log_probs)

    @property
    def own_log_probs(self) -> np.ndarray:
        """`log_probs (54,)` before the comparison with the other tiles of the table."""
        numbers = self.number_log_probs if self.own_number_log_probs is None else self.own_number_log_probs
        return joint_log_probs(numbers, self.ink_log_probs)


def number_and_ink(label_index: int) -> tuple[int, int]:
    """Return number and ink index of an entry of `LabelProbabilities.log_probs`; jokers and non-tiles get ink 0."""
    return divmod(label_index, len(INKS)) if label_index < JOINT_JOKER else (label_index - JOINT_JOKER + JOKER, 0)


def joint_log_probs(number_log_probs: np.ndarray, ink_log_probs: np.ndarray) -> np.ndarray:
    """Combine `number_log_probs (..., 15)` and `ink_log_probs (..., 4)` to `LabelProbabilities.log_probs (..., 54)`."""
    numbered = number_log_probs[..., :NUMBERS, None] + ink_log_probs[..., None, :]
    flat = numbered.reshape(*number_log_probs.shape[:-1], JOINT_JOKER)
    return np.concatenate([flat, number_log_probs[..., NUMBERS:]], axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """One tile seen in an image.

    `track`: number that stays with a tile over frames (in a photo its index); `quad_px`: `(4, 2) float32`, clockwise
    from the tile's own top left, in pixels of the upright image; `names`: class probabilities of its label;
    `locked_by_person`: whether a person confirmed the label; `hidden`: whether something covers the tile now, so that
    its last visible state is reported; `score`: the detector's score, 0 to 1.
    """

    track: int
    quad_px: np.ndarray
    names: LabelProbabilities
    locked_by_person: bool = False
    hidden: bool = False
    score: float = 1.0

    def __post_init__(self) -> None:
        expect_shape("quad_px", self.quad_px, (4, 2))

    @property
    def log_probs(self) -> np.ndarray:
        """Log probability of each label, `(54,)`, in the order of `LabelProbabilities.log_probs`."""
        return self.names.log_probs


class DoubtReason(StrEnum):
    """Why a person should check a tile before a verdict depends on it."""

    UNSURE_NUMBER = "unsure-number"  # another number, or a joker, is nearly as likely
    UNSURE_INK = "unsure-ink"  # the same number in another ink is nearly as likely
    UNLIKE_ITS_PRINTING = "unlike-its-printing"  # alone it looks like another number than beside the other tiles
    NO_COLOURS = "no-colours"  # the image has no colours, so inks cannot be told apart
    HARDLY_A_TILE = "hardly-a-tile"  # "not a tile" is the classifier's most likely or second most likely class
    UNLIKE_THE_OTHERS = "unlike-the-others"  # it differs from the tiles around it in size, white or rims
    HARDLY_FOUND = "hardly-found"  # the detector has no clear detection, or a low score where few tiles are certain
    CUT_BY_THE_EDGE = "cut-by-the-edge"  # the edge of the image cuts it, and the visible part most resembles a joker
    UNSURE_END = "unsure-end"  # a 6 or 9 whose upper end is unclear: cut by the image's edge, or upside down in a rack
    TOO_MANY_ALIKE = "too-many-alike"  # more tiles have this label than the set holds, so one of them is misread


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason to doubt a tile, and the alternative label if there is one."""

    reason: DoubtReason
    alternative: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ReadTile:
    """A tile with its most likely label.

    `label` and `runner_up` are like `red-7`, `joker` or `no-tile`, which as a label means that a person rejected it;
    `confidence` is 0 to 1; `doubts` are the reasons to check the tile, empty if it is certain.
    """

    sighting: Sighting
    label: str
    confidence: float
    runner_up: str
    doubts: tuple[Doubt, ...] = ()

    @property
    def doubtful(self) -> bool:
        """Whether the tile has at least one doubt."""
        return bool(self.doubts)


@dataclass(frozen=True, slots=True, eq=False)
class Trouble:
    """A problem of an image, and where it is.

    `kind`: one of `TROUBLE_KINDS`; `words`: one line for the page on what to do; `region_px`: `(4, 2) float32`,
    clockwise from its top left, in the same pixels as the reading's corners (the whole image if the problem is
    everywhere). Raises `ValueError` for an unknown kind or another shape.
    """

    kind: str
    words: str
    region_px: np.ndarray

    def __post_init__(self) -> None:
        if self.kind not in TROUBLE_KINDS:
            raise ValueError(f"unknown kind of trouble {self.kind!r}; there are {', '.join(TROUBLE_KINDS)}")
        expect_shape("region_px", self.region_px, (4, 2))


@dataclass(frozen=True, slots=True)
class AlternativeGrouping:
    """Another grouping of the tiles of some rows of a reading: the `rows`, and `weight`, their probability 0 to 1."""

    rows: Rows
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class TableReading:
    """The reading of one image.

    `tiles`: all tiles; `rows`: indices into `tiles`, each row in reading order (a lone tile is a row of one; a tile
    with the label `no-tile` is in no row); `image_wh`: size of the image in whose pixels the corners are;
    `status`: `ok`, or one line on why the reading cannot be trusted and what to do; `time_s`: time of the frame, None
    for a photo; `troubles`: problems of the image, also of a reading that can be trusted; `face_down`: quads `(M, 4, 2)
    float32` of face-down tiles, whose direction is unknown; `other_rows`: other likely groupings of some of the tiles.
    """

    tiles: tuple[ReadTile, ...]
    rows: Rows
    image_wh: tuple[int, int]
    status: str = OK
    time_s: float | None = None
    troubles: tuple[Trouble, ...] = ()
    face_down: np.ndarray = field(default_factory=no_quads)
    other_rows: tuple[AlternativeGrouping, ...] = ()

    @property
    def quads_px(self) -> np.ndarray:
        """Corners of the tiles, `(N, 4, 2) float32`."""
        return np.array([tile.sighting.quad_px for tile in self.tiles], np.float32).reshape(-1, 4, 2)

    def scale_to(self, image_wh: tuple[int, int]) -> "TableReading":
        """Return the reading in pixels of its image resized to `image_wh`; pixel centres have whole coordinates."""
        if image_wh == self.image_wh:
            return self
        scale = np.array(image_wh, np.float32) / np.array(self.image_wh, np.float32)
        return self.map_points(lambda points_px: ((points_px + 0.5) * scale - 0.5).astype(np.float32), image_wh)

    def map_points(self, map_px: Callable[[np.ndarray], np.ndarray], image_wh: tuple[int, int]) -> "TableReading":
        """Return the reading in pixels of another image, to which `map_px` maps points `(..., 2)` of this one."""
        tiles = tuple(
            replace(tile, sighting=replace(tile.sighting, quad_px=map_px(tile.sighting.quad_px))) for tile in self.tiles
        )
        troubles = tuple(replace(trouble, region_px=map_px(trouble.region_px)) for trouble in self.troubles)
        return replace(self, tiles=tiles, image_wh=image_wh, troubles=troubles, face_down=map_px(self.face_down))


def label_of(index: int, inks: Inks = INKS) -> str:
    """Return the label at an index of `LabelProbabilities.log_probs`; raise `ValueError` if there is no such index."""
    if not 0 <= index <= JOINT_NOT_A_TILE:
        raise ValueError(f"there are {JOINT_NOT_A_TILE + 1} names, no number {index}")
    return labels_of(inks)[index]


@functools.cache
def labels_of(inks: Inks = INKS) -> tuple[str, ...]:
    """Return the labels of all entries of `LabelProbabilities.log_probs`, cached for each edition's inks."""
    return (*(f"{ink}-{number + 1}" for number in range(NUMBERS) for ink in inks), JOKER_LABEL, NO_TILE_LABEL)
