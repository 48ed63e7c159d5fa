"""Draws what is no tile for the classifier: things that lie about a table, where a detector takes them for tiles. No
torch.

Rendered tables full of other things hold a few hundred such finds, which a network soon knows by heart; drawn anew,
they never come twice.
"""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.clutter.catalogue import CLUTTER, hand, soft_shadow
from tilekeeper.datasets.synthesis.printings.printing import choices
from tilekeeper.datasets.synthesis.surfaces.catalogue import SURFACES
from tilekeeper.models.training.classifier_samples import Look, cut_out, turned_quad

SCENE_WH = (640, 480)
"""Size of a drawn scene, in pixels."""
PX_PER_MM = (0.9, 5.0)
"""How large things are drawn: a tile of a usual set would be 25 to 130 px wide."""
MOST_PX_PER_MM = 2.5
"""Things are drawn no larger than this, and enlarged: the crops are not finer."""
THINGS = (3, 6)
"""How many lie in a scene, at least and fewer than."""
HANDS = 0.25
"""Share of scenes with a hand in them."""
MOST_FINDS, BY_CHANCE = 10, 2
"""So many of a scene's finds are taken, for a calendar has a hundred, and so many places wherever they fall."""
NO_TILE_BY_NAME = tuple(name for name in CLUTTER if name != "empty-rack")
"""What may lie there; an empty rack would fill the scene."""


class ClutterStudio:
    """Draws scenes without tiles and cuts out what `look` takes for some."""

    def __init__(self, rng: np.random.Generator, look: Look) -> None:
        self._rng = rng
        self._look = look
        self._surfaces = choices("surfaces", tuple(SURFACES), "train")

    def some(self) -> list[np.ndarray]:
        """The crops of one scene, as many as there are."""
        rng = self._rng
        px_per_mm = float(np.exp(rng.uniform(*np.log(PX_PER_MM))))
        name = self._surfaces[int(rng.integers(len(self._surfaces)))]
        image = SURFACES[name](rng, SCENE_WH, px_per_mm)[: SCENE_WH[1], : SCENE_WH[0], :3].astype(np.float32)
        drawn_at = min(px_per_mm, MOST_PX_PER_MM)
        enlarged = px_per_mm / drawn_at
        middles = [self._put(image, self._thing(drawn_at), enlarged) for _ in range(int(rng.integers(*THINGS)))]
        if rng.random() < HANDS:
            self._put(image, hand(rng, drawn_at), enlarged)
        scene = np.clip(image, 0, 255).astype(np.uint8)
        found = self._look(scene)
        taken = [found[i] for i in rng.permutation(len(found))[:MOST_FINDS]]
        by_chance = [self._anywhere(middles, px_per_mm) for _ in range(BY_CHANCE)]
        return [cut_out(scene, quad.astype(np.float32)) for quad in [*taken, *by_chance]]

    def _thing(self, px_per_mm: float) -> np.ndarray:
        name = NO_TILE_BY_NAME[int(self._rng.integers(len(NO_TILE_BY_NAME)))]
        return CLUTTER[name](self._rng, px_per_mm)

    def _put(self, image: np.ndarray, bgra: np.ndarray, enlarged: float) -> np.ndarray:
        """Lay a thing with its shadow anywhere, seen a little from aside; returns where its middle lies."""
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

    def _anywhere(self, middles: list[np.ndarray], px_per_mm: float) -> np.ndarray:
        """A quad of a tile's size near the middle of one of the things."""
        rng = self._rng
        side = 26 * px_per_mm * np.exp(rng.normal(0, 0.3))
        centre = middles[int(rng.integers(len(middles)))] + rng.normal(0, 1.2, 2) * side
        return turned_quad(centre, float(side), rng.uniform(-np.pi, np.pi))
