"""Groups tiles into rows again, with joints looked for only where something changed."""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.geometry.quads import as_quads
from tilekeeper.vision.layout.adjacency import Joints, find_joints
from tilekeeper.vision.layout.rows import Rows, group_with_doubt
from tilekeeper.vision.types import Grouping


class Grouped:
    """Keeps the rows of a table and the joints in it: a joint is what it was for as long as both of its tiles stay."""

    def __init__(self) -> None:
        self._quads_px = np.zeros((0, 4, 2), np.float32)
        self._joints = Joints.none()
        self._grouped: tuple[Rows, tuple[Grouping, ...]] = (), ()

    def __call__(self, quads_px: np.ndarray) -> tuple[Rows, tuple[Grouping, ...]]:
        """Return the rows of tiles `(N, 4, 2)` and what they could as well be, as `group_with_doubt` does."""
        if quads_px.shape == self._quads_px.shape and (quads_px == self._quads_px).all():
            return self._grouped
        quads, places = as_quads(quads_px), self._places(quads_px)
        fresh = np.ones(len(quads), bool)
        fresh[places[places >= 0]] = False
        self._joints = Joints.joined([self._joints.moved(places), find_joints(quads, fresh=fresh)])
        self._grouped = group_with_doubt(quads, joints=self._joints)
        self._quads_px = quads_px.copy()
        return self._grouped

    def _places(self, quads_px: np.ndarray) -> np.ndarray:
        """Return which of the quads each old one is now, `(M,)` int; -1 for one that does not stay."""
        at = {quad.tobytes(): index for index, quad in enumerate(quads_px)}
        lay = [quad.tobytes() for quad in self._quads_px]
        if len(at) < len(quads_px) or len(set(lay)) < len(lay):  # two in one place: there is no telling which is which
            at = {}
        return np.array([at.get(key, -1) for key in lay], int)
