"""Hard negatives for the classifier: false detections in drawn scenes without tiles. No PyTorch here.

Cluttered rendered tables hold only a few hundred false detections, which a network soon memorises; newly drawn scenes
never repeat.
"""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.clutter.catalogue import CLUTTER, hand, soft_shadow
from tilekeeper.datasets.synthesis.printings.printing import choices
from tilekeeper.datasets.synthesis.surfaces.catalogue import SURFACES
from tilekeeper.models.training.classifier_samples import Detect, cut_out, turned_quad

SCENE_WH = (640, 480)
"""Size of a drawn scene, in pixels."""
PX_PER_MM = (0.9, 5.0)
"""Scale of a scene: a tile of a common set would be 25 to 130 px wide."""
MAX_DRAWING_PX_PER_MM = 2.5
"""Objects are drawn at this scale at most and then enlarged: crops have no finer detail."""
OBJECTS = (3, 6)
"""Number of objects in a scene: from the first, below the second."""
HANDS = 0.25
"""Share of scenes with a hand."""
MAX_DETECTIONS, RANDOM_CROPS = 10, 2
"""At most ten false detections of a scene are used, because a calendar alone has a hundred; two crops are random."""
OBJECT_NAMES = tuple(name for name in CLUTTER if name != "empty-rack")
"""Objects of a scene; an empty rack would fill it."""


class ClutterStudio:
    """Draws scenes without tiles, and crops the false detections of `detect`."""

    def __init__(self, rng: np.random.Generator, detect: Detect) -> None:
        self._rng = rng
        self._detect = detect
        self._surfaces = choices("surfaces", tuple(SURFACES), "train")

    def draw_crops(self) -> list[np.ndarray]:
        """Draw one scene; return the crops `(128, 88, 3) uint8` of its false detections and of two random places."""
        rng = self._rng
        px_per_mm = float(np.exp(rng.uniform(*np.log(PX_PER_MM))))
        name = self._surfaces[int(rng.integers(len(self._surfaces)))]
        image = SURFACES[name](rng, SCENE_WH, px_per_mm)[: SCENE_WH[1], : SCENE_WH[0], :3].astype(np.float32)
        drawn_at = min(px_per_mm, MAX_DRAWING_PX_PER_MM)
        enlarged = px_per_mm / drawn_at
        middles = [self._put(image, self._object(drawn_at), enlarged) for _ in range(int(rng.integers(*OBJECTS)))]
        if rng.random() < HANDS:
            self._put(image, hand(rng, drawn_at), enlarged)
        scene = np.clip(image, 0, 255).astype(np.uint8)
        detected = self._detect(scene)
        quads = [detected[i] for i in rng.permutation(len(detected))[:MAX_DETECTIONS]]
        quads += [self._random_quad(middles, px_per_mm) for _ in range(RANDOM_CROPS)]
        return [cut_out(scene, quad.astype(np.float32)) for quad in quads]

    def _object(self, px_per_mm: float) -> np.ndarray:
        name = OBJECT_NAMES[int(self._rng.integers(len(OBJECT_NAMES)))]
        return CLUTTER[name](self._rng, px_per_mm)

    def _put(self, image: np.ndarray, bgra: np.ndarray, enlarged: float) -> np.ndarray:
        """Draw an object with its shadow at a random place and a slight tilt; return its centre in pixels."""
        rng = self._rng
        height, width = bgra.shape[:2]
        middle = rng.uniform(0.05, 0.95, 2) * SCENE_WH
        turn, lean = rng.uniform(-np.pi, np.pi), rng.uniform(0.7, 1.0)
        half = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2 * enlarged
        rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        corners = half @ rotation * (1, lean) * (1 + rng.normal(0, 0.03, (4, 2))) + middle
        box = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        view = cv2.getPerspectiveTransform(box, corners.astype(np.float32))
        laid = cv2.warpPerspective(bgra, view, SCENE_WH, flags=cv2.INTER_LINEAR).astype(np.float32)
        alpha = laid[..., 3:] / 255
        image *= 1 - soft_shadow(alpha[..., 0], rng)[..., None]
        image += alpha * (laid[..., :3] - image)
        return middle

    def _random_quad(self, middles: list[np.ndarray], px_per_mm: float) -> np.ndarray:
        """Return a quad of about a tile's size near one of the `middles` of objects."""
        rng = self._rng
        side = 26 * px_per_mm * np.exp(rng.normal(0, 0.3))
        centre = middles[int(rng.integers(len(middles)))] + rng.normal(0, 1.2, 2) * side
        return turned_quad(centre, float(side), rng.uniform(-np.pi, np.pi))
