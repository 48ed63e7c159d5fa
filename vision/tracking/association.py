"""Follows tiles from one still picture to the next: by place, by a move that most made together, by their looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.vision.config import config
from tilekeeper.vision.geometry.quads import centres_px, distances_px, sizes_wh_px
from tilekeeper.vision.scoring.evidence import Evidence, likeness


@dataclass(frozen=True, slots=True, eq=False)
class Lying:
    """Tiles in a picture: `quads_px (N, 4, 2)` and what they look like."""

    quads_px: np.ndarray
    evidence: Sequence[Evidence]


def by_place(before_px: np.ndarray, after_px: np.ndarray, within: float | None = None) -> dict[int, int]:
    """Return which quad after `(M, 4, 2)` lies where each before `(N, 4, 2)` lay; each once, the nearest first."""
    limits = config().tracking
    if not len(before_px) or not len(after_px):
        return {}
    widths = sizes_wh_px(before_px)[:, 0]
    apart = distances_px(centres_px(before_px), centres_px(after_px)) / widths[:, None]
    along, along_after = _downward(before_px), _downward(after_px)
    apart[np.abs(along @ along_after.T) < limits.turned_cosine] = np.inf
    return _nearest_first(apart, config().tracking.same_place if within is None else within)


def by_look(before: Lying, after: Lying) -> dict[int, int]:
    """Return which tile after looks like each of those before and may be it; of twins the nearest."""
    limits = config().tracking
    if not len(before.evidence) or not len(after.evidence):
        return {}
    alike = np.array([[likeness(one, other) for other in after.evidence] for one in before.evidence])
    apart = distances_px(centres_px(before.quads_px), centres_px(after.quads_px))
    apart /= max(float(apart.max()), 1.0)
    # twins are equally alike to a hair: the distance decides between them, and never makes up for another name
    return _nearest_first(np.where(alike >= limits.alike, 1 - np.round(alike, 1) + 0.09 * apart, np.inf), 2.0)


def common_move(before: Lying, after: Lying) -> np.ndarray | None:
    """Return the homography `(3, 3)` by which the bulk of the tiles moved, None where there is no such move.

    Every two tiles that look alike may be one that moved; the homography on which most agree is found by RANSAC.
    """
    limits = config().tracking
    fewest = max(limits.move_fewest, round(limits.move_share * min(len(before.evidence), len(after.evidence))))
    names, names_after = ([_name(tile) for tile in lying.evidence] for lying in (before, after))
    pairs = [(i, j) for i, name in enumerate(names) for j, other in enumerate(names_after) if name == other]
    if len({i for i, _ in pairs}) < fewest:
        return None
    at = np.array(pairs)
    one = centres_px(before.quads_px)[at[:, 0]].astype(np.float32)
    two = centres_px(after.quads_px)[at[:, 1]].astype(np.float32)
    within_px = limits.move_within * float(np.median(sizes_wh_px(after.quads_px)[:, 0]))
    rough, agree = cv2.estimateAffinePartial2D(one, two, method=cv2.RANSAC, ransacReprojThreshold=3 * within_px)
    if rough is None or agree is None:
        return None
    found: np.ndarray | None = np.vstack([rough, (0, 0, 1)])
    near = agree.ravel() > 0
    if len({i for i, _ in at[near]}) >= 8:  # enough to tell how the view of the table changed, too
        found, _ = cv2.findHomography(one[near], two[near], cv2.RANSAC, within_px)
    if found is None or not _is_sound(found, before.quads_px):
        return None
    there = cv2.perspectiveTransform(before.quads_px.astype(np.float64), found)
    kept = by_place(there, after.quads_px, limits.move_within)
    right = [i for i, j in kept.items() if names[i] == names_after[j]]
    return found if len(right) >= fewest else None


def _name(tile: Evidence) -> tuple[int, int]:
    number = int(tile.number_log_probs.argmax())
    return number, int(tile.ink_log_probs.argmax()) if number < 13 else 0


def _is_sound(move: np.ndarray, quads_px: np.ndarray) -> bool:
    limits = config().tracking
    there = np.asarray(cv2.perspectiveTransform(quads_px.astype(np.float64), move), np.float64)
    growth = sizes_wh_px(there) / np.maximum(sizes_wh_px(quads_px), 1e-6)
    return bool(np.all(growth < limits.move_growth) and np.all(growth > 1 / limits.move_growth))


def _downward(quads_px: np.ndarray) -> np.ndarray:
    down = (quads_px[:, 3] - quads_px[:, 0] + quads_px[:, 2] - quads_px[:, 1]).astype(np.float64)
    return np.asarray(down / np.maximum(np.linalg.norm(down, axis=1, keepdims=True), 1e-9))


def _nearest_first(apart: np.ndarray, within: float) -> dict[int, int]:
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    ones, others = np.nonzero(apart < within)
    for at in np.argsort(apart[ones, others], kind="stable"):
        one, other = int(ones[at]), int(others[at])
        if one not in pairs and other not in taken:
            pairs[one] = other
            taken.add(other)
    return pairs
