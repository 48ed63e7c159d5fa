"""Groups tiles into rows again only where something changed: the rest of the table lies in the rows it lay in."""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.geometry import centres_px
from tilekeeper.vision.grouping import group_with_doubt
from tilekeeper.vision.sighting import Grouping

Rows = tuple[tuple[int, ...], ...]

NEAR = 1.3
"""Tiles whose middles are nearer than this, in sums of how far their corners reach, may touch (as in `grouping`)."""
AROUND = 2
"""So many times the rows near those that changed are added: one of them may have got its neighbour from the next."""
MOST = 0.6
"""Where more of the table than this would be looked at, all of it is."""


class Grouped:
    """Keeps the rows of a table, and finds them again around the tiles that came, went or moved."""

    def __init__(self) -> None:
        self._quads_px = np.zeros((0, 4, 2), np.float32)
        self._rows: Rows = ()
        self._others: tuple[Grouping, ...] = ()

    def __call__(self, quads_px: np.ndarray) -> tuple[Rows, tuple[Grouping, ...]]:
        """Return the rows of tiles `(N, 4, 2)` and what they could as well be, as `group_with_doubt` does."""
        if quads_px.shape == self._quads_px.shape and (quads_px == self._quads_px).all():
            return self._rows, self._others
        parts = self._parts(quads_px)
        self._rows, self._others = group_with_doubt(quads_px) if parts is None else self._together(quads_px, *parts)
        self._quads_px = quads_px.copy()
        return self._rows, self._others

    def _parts(self, quads_px: np.ndarray) -> tuple[np.ndarray, dict[int, int]] | None:
        """Return which tiles are to be grouped again, `(N,)` bool, and where each old tile that stays is now."""
        at = {quad.tobytes(): index for index, quad in enumerate(quads_px)}
        lay = [quad.tobytes() for quad in self._quads_px]
        if len(at) < len(quads_px) or len(set(lay)) < len(lay):  # two in one place: there is no telling which is which
            return None
        now = {index: at[key] for index, key in enumerate(lay) if key in at}
        gone = [index for index in range(len(self._quads_px)) if index not in now]
        again = np.ones(len(quads_px), bool)
        again[list(now.values())] = False
        if not now or again.sum() + len(gone) > MOST * len(quads_px):
            return None
        middles, reach = _middles_and_reach(np.concatenate([quads_px, self._quads_px[gone]]))
        touched = np.concatenate([again, np.ones(len(gone), bool)])
        rows = [[now[index] for index in row if index in now] for row in self._rows]
        for _ in range(AROUND):
            apart = np.linalg.norm(middles[:, None] - middles[touched][None], axis=2)
            near = (apart < NEAR * (reach[:, None] + reach[touched][None])).any(axis=1)
            for row in rows:
                if near[row].any():
                    touched[row] = True
        again = touched[: len(quads_px)]
        return None if again.mean() > MOST else (again, now)

    def _together(
        self, quads_px: np.ndarray, again: np.ndarray, now: dict[int, int]
    ) -> tuple[Rows, tuple[Grouping, ...]]:
        """Return the rows found anew among the tiles `again` with all those that stay."""
        at = np.flatnonzero(again)
        rows, others = group_with_doubt(quads_px[at])

        def stays(old: Rows) -> bool:
            return all(index in now and not again[now[index]] for row in old for index in row)

        kept = [tuple(now[index] for index in row) for row in self._rows if stays((row,))]
        every = [*kept, *(tuple(int(at[index]) for index in row) for row in rows)]
        middles = centres_px(quads_px)
        ordered = tuple(sorted(every, key=lambda row: tuple(middles[list(row)].min(axis=0)[::-1])))
        doubts = [
            *(Grouping(_moved(one.rows, now), one.weight) for one in self._others if stays(one.rows)),
            *(Grouping(_moved(one.rows, dict(enumerate(at.tolist()))), one.weight) for one in others),
        ]
        return ordered, tuple(sorted(doubts, key=lambda one: -one.weight))


def _moved(rows: Rows, places: dict[int, int]) -> Rows:
    return tuple(tuple(places[index] for index in row) for row in rows)


def _middles_and_reach(quads_px: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    middles = centres_px(quads_px)
    return middles, np.linalg.norm(quads_px - middles[:, None], axis=2).max(axis=1)
