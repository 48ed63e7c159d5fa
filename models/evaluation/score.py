"""Score readings against the ground truth: missed, misread, false detections, silent errors, direction, corners, melds.

A true tile is matched by the read tile whose centre is inside its outline, the nearest if there are several. Tiles cut
by the edge of the image and tiles in ignored boxes do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, slots=True)
class Truth:
    """The ground truth of an image: labels, outlines `(K, 2)`, whether the edge cuts a tile, ignored boxes `(M, 4)`."""

    labels: tuple[str, ...]
    outlines_px: tuple[np.ndarray, ...]
    cut: tuple[bool, ...]
    ignored_px: np.ndarray
    quads_px: np.ndarray | None = None
    """`(N, 4, 2)` clockwise from each tile's own top left; None if unknown."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """One read tile, reduced to what is scored: its label, its quad `(4, 2)`, and whether it is flagged."""

    label: str
    quad_px: np.ndarray
    doubtful: bool


@dataclass(slots=True)
class Tally:
    """Counts over images.

    `found`: true tiles with a matching read tile; `right`: those with the right label; `invented`: false detections;
    `exact`: images without any error; `silent`: errors that are not flagged; `doubted`: right tiles that are flagged;
    `upright`: tiles read in the right direction; `corner_errors`: in tile widths; `faults`: a line for each error.
    """

    photos: int = 0
    tiles: int = 0
    found: int = 0
    right: int = 0
    invented: int = 0
    exact: int = 0
    silent: int = 0
    doubted: int = 0
    upright: int = 0
    corner_errors: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def add(self, name: str, truth: Truth, predictions: Sequence[Prediction]) -> list[int | None]:
        """Add one image; return for each true tile the index of the matching read tile, None if it was missed."""
        matches = match(truth, predictions)
        is_exact = True
        for i, j in enumerate(matches):
            if truth.cut[i]:
                continue
            self.tiles += 1
            if j is not None:
                self.found += 1
                if truth.quads_px is not None:
                    self._measure_corners(truth.quads_px[i], predictions[j].quad_px)
                if predictions[j].label == truth.labels[i]:
                    self.right += 1
                    self.doubted += predictions[j].doubtful
                    continue
            is_exact = False
            is_flagged = j is not None and predictions[j].doubtful
            self.silent += not is_flagged
            what = "missed" if j is None else f"read as {predictions[j].label}"
            self.faults.append(f"{name}: {truth.labels[i]} {what}{' (doubted)' if is_flagged else ''}")
        for j in sorted(set(range(len(predictions))) - set(matches) - ignored(truth, predictions)):
            invented = predictions[j]
            x, y = invented.quad_px.mean(axis=0)
            is_exact = False
            self.invented += 1
            self.silent += not invented.doubtful
            doubted = " (doubted)" if invented.doubtful else ""
            self.faults.append(f"{name}: invented {invented.label} at {x:.0f},{y:.0f}{doubted}")
        self.photos += 1
        self.exact += is_exact
        return matches

    def _measure_corners(self, true_px: np.ndarray, read_px: np.ndarray) -> None:
        by_turn = [np.linalg.norm(np.roll(read_px, k, axis=0) - true_px, axis=1).mean() for k in range(4)]
        self.upright += int(np.argmin(by_turn)) == 0
        width = np.linalg.norm(true_px[1] - true_px[0]) / 2 + np.linalg.norm(true_px[2] - true_px[3]) / 2
        self.corner_errors.append(float(min(by_turn) / width))

    def figures(self) -> dict[str, float]:
        """Return the counts and rates by name, as `score_reading` defines them."""
        tiles = max(self.tiles, 1)
        figures: dict[str, float] = {
            "photos": self.photos,
            "tiles": self.tiles,
            "missed_or_misnamed": self.tiles - self.right,
            "invented": self.invented,
            "found": self.found / tiles,
            "right": self.right / tiles,
            "spurious_per_1000": 1000 * self.invented / tiles,
            "exact": self.exact / max(self.photos, 1),
            "silent_per_1000": 1000 * self.silent / tiles,
            "doubted": self.doubted / max(self.right, 1),
        }
        if self.corner_errors:
            figures |= {
                "upright": self.upright / len(self.corner_errors),
                "corner_error_of_width": float(np.mean(self.corner_errors)),
            }
        return figures


def match(truth: Truth, predictions: Sequence[Prediction]) -> list[int | None]:
    """Return for each true tile the index of the matching read tile, None if it was missed; one read tile matches once.

    Unlike in `score_reading`, whole tiles are matched first: a cut tile may overlap a whole one, and because cut tiles
    do not count, it must not take its match.
    """
    centres = [np.asarray(tile.quad_px, np.float64).mean(axis=0) for tile in predictions]
    matched: set[int] = set()
    matches: list[int | None] = [None] * len(truth.outlines_px)
    for at in sorted(range(len(matches)), key=lambda at: truth.cut[at]):
        polygon = np.asarray(truth.outlines_px[at], np.float64)
        middle = polygon.mean(axis=0)
        inside = [j for j, centre in enumerate(centres) if j not in matched and _contains(polygon, centre)]
        best = min(inside, key=lambda j: float(np.linalg.norm(centres[j] - middle)), default=None)
        if best is not None:
            matched.add(best)
        matches[at] = best
    return matches


def _contains(polygon_px: np.ndarray, point_px: np.ndarray) -> bool:
    """Even-odd rule: return whether a ray from the point to the right crosses the outline an odd number of times."""
    (x, y), starts, ends = point_px, polygon_px, np.roll(polygon_px, -1, axis=0)
    start_x, start_y, end_x, end_y = *starts.T, *ends.T
    crosses = (start_y > y) != (end_y > y)
    rise = np.where(crosses, end_y - start_y, 1.0)
    return bool(np.count_nonzero(crosses & (x < (end_x - start_x) * (y - start_y) / rise + start_x)) % 2)


def ignored(truth: Truth, predictions: Sequence[Prediction]) -> frozenset[int]:
    """Return the indices of the read tiles whose centre is in an ignored box."""
    centres = [np.asarray(tile.quad_px, np.float64).mean(axis=0) for tile in predictions]
    return frozenset(
        j
        for j, (x, y) in enumerate(centres)
        if any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in truth.ignored_px)
    )


def rows_right(
    true_rows: Sequence[Sequence[int]],
    read_rows: Sequence[Sequence[int]],
    matches: Sequence[int | None],
    left_out: frozenset[int],
    ignored_read: frozenset[int] = frozenset(),
) -> bool:
    """Return whether exactly the true melds were read, each in order or reversed.

    True tiles in `left_out` (cut or covered), and read tiles in `ignored_read` that match no true tile, are removed
    first. Any other false detection makes the rows wrong, even if it is a row of its own.
    """
    true_index = {j: i for i, j in enumerate(matches) if j is not None}
    removed = {j for j, i in true_index.items() if i in left_out} | (ignored_read - true_index.keys())
    expected = {_one_way([i for i in row if i not in left_out]) for row in true_rows} - {()}
    actual = {_one_way([true_index.get(j, -1 - j) for j in row if j not in removed]) for row in read_rows} - {()}
    return expected == actual


def _one_way(row: Sequence[int]) -> tuple[int, ...]:
    forward = tuple(row)
    return min(forward, forward[::-1])
