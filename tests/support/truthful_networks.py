"""Stand-ins for the two networks that know the truth of a drawn table, with faults that a test asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from tilekeeper.vision.geometry.quads import centres_px
from tilekeeper.vision.recognition.appearance import Appearances
from tilekeeper.vision.recognition.ink_pairs import INK_ABSORPTION_RGB_SHARE
from tilekeeper.vision.types import INKS, NOT_A_TILE, Detections

USUAL_INKS = np.array(INK_ABSORPTION_RGB_SHARE)
UNIT_INKS = USUAL_INKS / np.linalg.norm(USUAL_INKS, axis=1, keepdims=True)


MISREAD_OFF = 0.03
"""A tile whose quad lies further beside it than this, in tile widths, is misread, where a test asks for no other."""


@dataclass
class Truth:
    """Tiles at `quads_px` with `labels` such as `red-7`, `joker` or `no-tile`, in a picture of `image_wh`.

    `sure`: how much of the certainty the right number gets; `none`: how likely it is that it is no tile.
    `found_on_head`: tiles whose quads the detector turns round.
    `open_inks`: two inks, indices into `INKS`, that look alike and of which the first is a little likelier on both.
    `found_beside`: how far to the right of the tile the detector's quad lies, in tile widths; the classifier mends it.
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

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Find every tile, in pixels of whatever size of the picture is shown; nothing is faint."""
        self.looks.append((image_bgr.shape[1], image_bgr.shape[0]))
        quads = self.quads_px * self._scale(image_bgr)
        for at, off in self.found_beside.items():
            quads[at] += off * (quads[at][1] - quads[at][0])
        for at in self.found_on_head:
            quads[at] = np.roll(quads[at], 2, axis=0)
        return Detections(quads.astype(np.float32), np.array([self.scores.get(at, 0.9) for at in range(len(quads))]))

    def detect_in(self, image_bgr: np.ndarray, boxes_px: np.ndarray, known_px: np.ndarray) -> Detections:
        """Find every tile whose middle lies in the boxes."""
        return self.detect(image_bgr).inside(boxes_px)

    def classifier(self, image_bgr: np.ndarray, quads_px: np.ndarray) -> Appearances:
        """Name each quad by the true tile at its place, whose corners it gets.

        One on its head is told so and misread as a 1, and one that lies beside its tile is misread as a 13.
        """
        self.named.append(np.array(quads_px))
        scale = self._scale(image_bgr)
        true_quads = self.quads_px * scale
        numbers, inks, odds, mended = [], [], [], []
        for quad, middle in zip(quads_px, centres_px(quads_px), strict=True):
            at = int(np.linalg.norm(centres_px(true_quads) - middle, axis=1).argmin())
            on_head = bool(np.dot(quad[0] - quad[3], true_quads[at][0] - true_quads[at][3]) < 0)
            number, ink = self._classes(self.labels[at])
            own = np.roll(true_quads[at], 2, axis=0) if on_head else true_quads[at]
            off = np.linalg.norm(quad - own, axis=1).mean() / np.linalg.norm(own[1] - own[0])
            if number != NOT_A_TILE:  # from wherever it is looked at
                number = 0 if on_head else 12 if off > self.misread_off else number
            sure = self.sure if isinstance(self.sure, float) else self.sure.get(at, 0.99)
            shares = np.array(_certain(number, 15, sure)) * (1 - self.none.get(at, 0.0))
            shares[NOT_A_TILE] += self.none.get(at, 0.0)
            numbers.append(shares)
            inks.append(self._ink_shares(ink))
            odds.append(4.0 if on_head else -4.0)
            mended.append(own)
        return Appearances(
            np.log(np.array(numbers)).astype(np.float32),
            np.log(np.array(inks)).astype(np.float32),
            np.array(odds),
            np.array(mended, np.float32),
            UNIT_INKS[np.array(inks).argmax(axis=1)],
            np.zeros((len(mended), 0), np.float32),
        )

    def _ink_shares(self, ink: int) -> list[float]:
        """What the classifier makes of an ink, `(4,)`."""
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


def _certain(index: int, count: int, sure: float) -> list[float]:
    """Give `sure` to one of `count`, two thirds of the rest to the next, and share what is left."""
    rest = 1 - sure
    shares = [rest / 3 / (count - 2)] * count
    shares[(index + 1) % count] = rest * 2 / 3
    shares[index] = sure
    return shares
