"""Stand-ins for detector and classifier with the ground truth of a drawn table, and faults selected by a test.

`Truth` is the stand-in. The functions below it draw a table on wood; `Played` shows such a table to a `FrameReader`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from tests.support.frames import Frame
from tilekeeper.vision.geometry.quads import centres_px
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.recognition.inks import INK_ABSORPTION_RGB_SHARE
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.scoring.calibration import Calibration
from tilekeeper.vision.scoring.tileness import IsTile
from tilekeeper.vision.tile_table import Appearances
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import INKS, NOT_A_TILE, Detections, FaceMap, TableReading

USUAL_INKS = np.array(INK_ABSORPTION_RGB_SHARE)
UNIT_INKS = USUAL_INKS / np.linalg.norm(USUAL_INKS, axis=1, keepdims=True)


MISREAD_OFF = 0.03
"""A tile with a quad further beside it than this, in tile widths, is misread, unless a test sets another limit."""


@dataclass
class Truth:
    """Tiles at `quads_px` with `labels` such as `red-7`, `joker` or `no-tile`, in a picture of `image_wh`.

    `sure`: the probability of the right number; `none`: the probability of "no tile".
    `found_on_head`: tiles whose quads the detector rotates by 180°.
    `open_inks`: two inks, indices into `INKS`, that look alike; the first is a little likelier for both.
    `found_beside`: the offset of the detector's quad to the right, in tile widths; the classifier corrects it.
    """

    quads_px: np.ndarray
    labels: Sequence[str]
    image_wh: tuple[int, int]
    sure: float | Mapping[int, float] = 0.99
    none: Mapping[int, float] = field(default_factory=dict)
    found_on_head: Sequence[int] = ()
    found_beside: Mapping[int, float] = field(default_factory=dict)
    scores: Mapping[int, float] = field(default_factory=dict)
    misread_off: float = MISREAD_OFF
    open_inks: tuple[int, int] | None = None
    looks: list[tuple[int, int]] = field(default_factory=list)
    named: list[np.ndarray] = field(default_factory=list)
    """The quads of each call of the classifier."""

    def detect(self, scene: Scene) -> Detections:
        """Detect every tile, in pixels of the given picture size, without faint detections."""
        self.looks.append(scene.wh)
        quads = self.quads_px * self._scale(scene.image_bgr)
        for at, off in self.found_beside.items():
            quads[at] += off * (quads[at][1] - quads[at][0])
        for at in self.found_on_head:
            quads[at] = np.roll(quads[at], 2, axis=0)
        scores = np.array([self.scores.get(at, 0.9) for at in range(len(quads))])
        return Detections(quads.astype(np.float32), scores, faces=face_map(quads, scene.wh))

    def detect_in(self, scene: Scene, boxes_px: np.ndarray, known_px: np.ndarray) -> Detections:
        """Detect every tile whose middle is in the boxes."""
        return self.detect(scene).select_inside(boxes_px)

    def classifier(self, image_bgr: np.ndarray, quads_px: np.ndarray) -> Appearances:
        """Classify each quad by the true tile at its place, and return that tile's corners.

        A quad that is upside down is reported and misread as a 1; one beside its tile is misread as a 13.
        """
        self.named.append(np.array(quads_px))
        scale = self._scale(image_bgr)
        true_quads = self.quads_px * scale
        numbers, inks, odds, mended = [], [], [], []
        for quad, middle in zip(quads_px, centres_px(quads_px), strict=True):
            at = int(np.linalg.norm(centres_px(true_quads) - middle, axis=1).argmin())
            on_head = bool(np.dot(quad[0] - quad[3], true_quads[at][0] - true_quads[at][3]) < 0)
            number, ink = self._classes(self.labels[at])
            turned = np.roll(true_quads[at], 2, axis=0) if on_head else true_quads[at]
            off = np.linalg.norm(quad - turned, axis=1).mean() / np.linalg.norm(turned[1] - turned[0])
            if number != NOT_A_TILE:  # non-tiles are recognised in every crop
                number = 0 if on_head else 12 if off > self.misread_off else number
            sure = self.sure if isinstance(self.sure, float) else self.sure.get(at, 0.99)
            shares = np.array(_certain(number, 15, sure)) * (1 - self.none.get(at, 0.0))
            shares[NOT_A_TILE] += self.none.get(at, 0.0)
            numbers.append(shares)
            inks.append(self._ink_shares(ink))
            odds.append(4.0 if on_head else -4.0)
            mended.append(turned)
        return Appearances(
            np.log(np.array(numbers)).astype(np.float32),
            np.log(np.array(inks)).astype(np.float32),
            np.array(odds),
            np.array(mended, np.float32),
            UNIT_INKS[np.array(inks).argmax(axis=1)],
            np.zeros((len(mended), 0), np.float32),
        )

    def _ink_shares(self, ink: int) -> list[float]:
        """Return the classifier's probabilities for an ink, `(4,)`."""
        if self.open_inks is None or ink not in self.open_inks:
            return _certain(ink, 4, 0.997)
        first, second = self.open_inks
        return [{first: 0.6, second: 0.398}.get(at, 0.001) for at in range(4)]

    def picture(self) -> np.ndarray:
        """Draw ivory tiles with a dark bar on brown."""
        image = np.full((self.image_wh[1], self.image_wh[0], 3), (40, 60, 90), np.uint8)
        for quad in self.quads_px:
            cv2.fillConvexPoly(image, np.round(quad).astype(np.int32), (225, 240, 245))
            upper = quad[0] + (quad[3] - quad[0]) * 0.3, quad[1] + (quad[2] - quad[1]) * 0.3
            ends = [upper[0] + (upper[1] - upper[0]) * share for share in (0.35, 0.65)]
            cv2.line(image, *(tuple(int(v) for v in end) for end in ends), (20, 20, 20), 3)
        return image

    def _scale(self, image_bgr: np.ndarray) -> np.ndarray:
        return np.array(image_bgr.shape[1::-1], np.float32) / np.array(self.image_wh, np.float32)

    @staticmethod
    def _classes(label: str) -> tuple[int, int]:
        if label == "joker":
            return 13, 0
        if label == "no-tile":
            return NOT_A_TILE, 0
        ink, number = label.split("-")
        return int(number) - 1, INKS.index(ink)


def face_map(quads_px: np.ndarray, image_wh: tuple[int, int], cell_px: int = 4) -> FaceMap:
    """Return where an image of this size shows the faces of tiles at `quads_px`, with square cells."""
    logits = np.full((image_wh[1] // cell_px, image_wh[0] // cell_px), -6.0, np.float32)
    for quad in quads_px:
        cv2.fillConvexPoly(logits, np.round(quad / cell_px - 0.5).astype(np.int32), 6.0)
    return FaceMap(logits, np.full(2, cell_px))


def _certain(index: int, count: int, sure: float) -> list[float]:
    """Give `sure` to one of `count`, two thirds of the rest to the next, and share the remainder."""
    rest = 1 - sure
    shares = [rest / 3 / (count - 2)] * count
    shares[(index + 1) % count] = rest * 2 / 3
    shares[index] = sure
    return shares


def planes_in(squares: np.ndarray) -> np.ndarray:
    """Undo space-to-depth: return squares `(N, H/2, W/2, 12) uint8` as images `(N, 3, H, W) uint8` RGB."""
    assert squares.dtype == np.uint8
    count, rows, columns, channels = squares.shape
    assert channels == 12
    pixels = squares.reshape(count, rows, columns, 2, 2, 3).transpose(0, 5, 1, 3, 2, 4)
    return pixels.reshape(count, 3, 2 * rows, 2 * columns)[:, ::-1]


WH = (960, 540)


def wood(seed: int = 1) -> np.ndarray:
    """Return a table top with grain and knots, `(540, 960, 3) uint8`."""
    rng = np.random.default_rng(seed)
    grain = cv2.GaussianBlur(rng.normal(0, 60, (WH[1], WH[0])).astype(np.float32), (0, 0), 9, sigmaY=2)
    picture = np.array((60, 95, 140), np.float32) + grain[..., None]
    for x, y in rng.uniform((0, 0), WH, (60, 2)):
        cv2.circle(picture, (int(x), int(y)), 4, (40, 60, 90), -1)
    return np.clip(picture, 0, 255).astype(np.uint8)


def with_tiles(picture: np.ndarray, middles_px: list[tuple[int, int]], digit: str = "5") -> np.ndarray:
    """Return the image with tiles 24 px wide."""
    picture = picture.copy()
    for x, y in middles_px:
        cv2.rectangle(picture, (x - 12, y - 17), (x + 12, y + 17), (215, 232, 236), -1)
        cv2.putText(picture, digit, (x - 7, y + 5), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (40, 40, 200), 2, cv2.LINE_AA)
    return picture


def with_arm(picture: np.ndarray, tip_px: tuple[int, int], bgr: tuple[int, int, int] = (110, 140, 205)) -> np.ndarray:
    """Return the image with an arm that reaches in from the lower edge."""
    picture = picture.copy()
    x, y = tip_px
    outline = np.array([[x - 30, y], [x + 30, y], [x + 110, WH[1] + 20], [x - 10, WH[1] + 20]])
    cv2.fillPoly(picture, [outline], bgr, cv2.LINE_AA)
    return picture


def lit(picture: np.ndarray, gain: float, tilt: float = 0.0) -> np.ndarray:
    """Return the image under another lamp: `gain` brighter, and at the right edge `tilt` more than in the middle."""
    gains = gain * (1 + tilt * np.linspace(-1, 1, picture.shape[1], dtype=np.float32))
    return np.clip(picture * gains[None, :, None], 0, 255).astype(np.uint8)


def noisy(picture: np.ndarray, seed: int, sigma: float = 4.0) -> np.ndarray:
    """Return the image with the noise of poor light."""
    noise = np.random.default_rng(seed).normal(0, sigma, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def shifted(picture: np.ndarray, right_px: float, down_px: float, turn_degrees: float = 0.0) -> np.ndarray:
    """Return the image after a bump of the camera."""
    view = cv2.getRotationMatrix2D((WH[0] / 2, WH[1] / 2), turn_degrees, 1.0)
    view[:, 2] += right_px, down_px
    return cv2.warpAffine(picture, view, WH, borderMode=cv2.BORDER_REFLECT)


Lying = tuple[int, int, str]
"""The middle of a tile in pixels, and its label."""
WOOD = wood()


def quad_at(x: float, y: float) -> np.ndarray:
    """Return the quad of an upright tile 24 px wide."""
    return np.array([[x - 12, y - 17], [x + 12, y - 17], [x + 12, y + 17], [x - 12, y + 17]], np.float64)


def row(x: int, y: int, *labels: str) -> list[Lying]:
    """Return tiles side by side, starting at the left one."""
    return [(x + 25 * at, y, label) for at, label in enumerate(labels)]


def picture(tiles: Sequence[Lying], ground: np.ndarray = WOOD) -> np.ndarray:
    """Return an image of the table with tiles and the last character of their labels."""
    image = ground
    for x, y, label in tiles:
        image = with_tiles(image, [(x, y)], label[-1])
    return image


class PlayedTable:
    """Show frames of a table to a `FrameReader`, 0.2 seconds apart; a still is four equal frames."""

    def __init__(self, sure: float = 0.999, is_tile: IsTile | None = None) -> None:
        self.truth = Truth(
            np.zeros((0, 4, 2)), (), WH, sure=sure, misread_off=0.2
        )  # crops for further views are beside the tile on purpose
        self.reader = FrameReader(
            Reader(self.truth, self.truth.classifier, Calibration(is_tile=is_tile)), still_after_s=0.2
        )
        self.time_s = 0.0

    def know(self, tiles: Sequence[Lying]) -> None:
        """Give the stand-ins the ground truth."""
        self.truth.quads_px = np.array([quad_at(x, y) for x, y, _ in tiles]).reshape(-1, 4, 2)
        self.truth.labels = [label for *_, label in tiles]

    def frame(self, image: np.ndarray) -> TableReading:
        """Show one frame."""
        self.time_s += 0.2
        return self.reader.push(Frame(image, self.time_s))

    def still(self, tiles: Sequence[Lying], image: np.ndarray | None = None, frames: int = 4) -> TableReading:
        """Show a still table, by default a drawn one."""
        self.know(tiles)
        image = picture(tiles) if image is None else image
        return [self.frame(image) for _ in range(frames)][-1]


def labels_by_track(reading: TableReading) -> dict[int, str]:
    """Return the labels by track."""
    return {tile.sighting.track: tile.label for tile in reading.tiles}


def places(reading: TableReading) -> dict[tuple[int, int], int]:
    """Return the tracks by the middles of their tiles."""
    return {
        tuple(np.round(t.sighting.quad_px.mean(axis=0)).astype(int).tolist()): t.sighting.track for t in reading.tiles
    }
