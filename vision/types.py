"""What vision says of one picture: the tiles it saw, what stands on each with how much certainty, and their rows.

The namer knows numbers 1 to 13, jokers, "no tile", and four inks in the order of `INKS`; the third is "the warm ink",
which one edition prints orange and another yellow. Its name for people is handed in with the others (`inks`).
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tilekeeper.vision.trouble import Trouble

INKS = ("black", "blue", "orange", "red")
"""The inks as the namer orders them."""
NUMBERS = 13
"""How many numbers the namer knows; its further two answers are `JOKER` and `NOT_A_TILE`."""
JOKER, NOT_A_TILE = 13, 14
"""Indices into `TileNames.number_log_probs`."""
JOINT_JOKER, JOINT_NOT_A_TILE = NUMBERS * len(INKS), NUMBERS * len(INKS) + 1
"""Indices into `TileNames.log_probs`."""
WHITE = 160
"""What the white of a tile is in the crops that the namer is shown, which are bytes: 1.6 times as bright is cut off."""
NO_TILE_LABEL = "no-tile"
OK = "ok"
"""The status of a reading that can be trusted."""


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
        for name, values, length in (
            ("number_log_probs", self.number_log_probs, NUMBERS + 2),
            ("ink_log_probs", self.ink_log_probs, len(INKS)),
        ):
            if values.shape != (length,):
                raise ValueError(f"{name} must be ({length},), got {values.shape}")

    @property
    def log_probs(self) -> np.ndarray:
        """`(54,)`: each number in each ink (number by number, inks in order), then joker, then no tile."""
        return in_inks(self.number_log_probs, self.ink_log_probs)

    @property
    def own_log_probs(self) -> np.ndarray:
        """`(54,)`, as `log_probs`, by what the tile looked like by itself."""
        own = self.number_log_probs if self.own_number_log_probs is None else self.own_number_log_probs
        return in_inks(own, self.ink_log_probs)


def log_probs_of(names: Sequence[TileNames]) -> np.ndarray:
    """Return the `log_probs` of N tiles at once, `(N, 54)`."""
    numbers = np.array([one.number_log_probs for one in names]).reshape(-1, NUMBERS + 2)
    inks = np.array([one.ink_log_probs for one in names]).reshape(-1, len(INKS))
    return in_inks(numbers, inks)


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
    it is told as it was seen last; `score`, 0 to 1, how surely the finder saw it.
    """

    track: int
    quad_px: np.ndarray
    names: TileNames
    locked_by_person: bool = False
    hidden: bool = False
    score: float = 1.0

    def __post_init__(self) -> None:
        if self.quad_px.shape != (4, 2):
            raise ValueError(f"quad_px must be (4, 2), got {self.quad_px.shape}")

    @property
    def log_probs(self) -> np.ndarray:
        """`(54,)`, see `TileNames.log_probs`."""
        return self.names.log_probs


@dataclass(frozen=True, slots=True, eq=False)
class ReadTile:
    """A tile and its best name.

    `label` and `runner_up` are like `red-7`, `joker` (the runner-up also `no-tile`); `confidence` is from 0 to 1;
    `doubtful` marks one that a person should look at before a verdict turns on it.
    """

    sighting: Sighting
    label: str
    confidence: float
    runner_up: str
    doubtful: bool


@dataclass(frozen=True, slots=True)
class Grouping:
    """Rows that all hold the same tiles as some rows of the reading, and how likely they lie so, 0 to 1.

    `rows` are indices into the tiles, each in reading order, as in `TableReading.rows`.
    """

    rows: tuple[tuple[int, ...], ...]
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
    rows: tuple[tuple[int, ...], ...]
    image_wh: tuple[int, int]
    status: str = OK
    time_s: float | None = None
    troubles: tuple[Trouble, ...] = ()
    face_down: np.ndarray = field(default_factory=lambda: np.zeros((0, 4, 2), np.float32))
    other_rows: tuple[Grouping, ...] = ()


def label_of(index: int, inks: tuple[str, str, str, str] = INKS) -> str:
    """Return the label of an entry of `TileNames.log_probs`, its ink named as the edition in play names it."""
    if index == JOINT_JOKER:
        return "joker"
    if index == JOINT_NOT_A_TILE:
        return NO_TILE_LABEL
    number, ink = divmod(index, len(INKS))
    if not 0 <= number < NUMBERS:
        raise ValueError(f"there are {JOINT_NOT_A_TILE + 1} names, no number {index}")
    return f"{inks[ink]}-{number + 1}"


@functools.cache
def labels_of(inks: tuple[str, str, str, str] = INKS) -> tuple[str, ...]:
    """Return the label of every entry of `TileNames.log_probs`, made once for each edition's inks."""
    return tuple(label_of(index, inks) for index in range(JOINT_NOT_A_TILE + 1))
