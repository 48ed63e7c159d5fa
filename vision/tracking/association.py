"""Decides which tile of now is which of before: by place, by a move that most made together, by their appearance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats, Ints
from tilekeeper.vision.config import config
from tilekeeper.vision.geometry.proximity import nearest_first
from tilekeeper.vision.geometry.quads import as_quads, axes_px, centres_px, distances_px, lengths, sizes_wh_px
from tilekeeper.vision.scoring.candidates import Candidates, Standing, likeness
from tilekeeper.vision.types import JOKER


def matched(touched: Candidates, seen: Candidates, next_track: int) -> Candidates:
    """Return the candidates of a part of the table after it was looked at again.

    `touched` are those that were there before, `seen` what each look shows. Each look goes to one candidate at most;
    those that no look goes to are gone, and looks that go to none are new ones, numbered from `next_track` on, where
    the detector found them.
    """
    limits = config().tracking
    look_of, free, found = np.full(len(touched), -1), np.ones(len(seen), bool), seen.score > 0

    def give(pairs: dict[int, int], of: Ints, to: Ints, least: float = limits.alike) -> None:
        ones, others = of[list(pairs)], to[list(pairs.values())]
        alike = likeness(touched.at(ones), seen.at(others)) >= least
        look_of[ones[alike]], free[others[alike]] = others[alike], False

    def rest() -> tuple[Ints, Ints]:
        return np.flatnonzero((look_of < 0) & touched.is_tile), np.flatnonzero(free & found & seen.is_tile)

    for which, least in ((found, limits.alike), (~found, limits.still_there)):
        of, to = np.flatnonzero(look_of < 0), np.flatnonzero(which)
        give(by_place(touched.quads_px[of], seen.quads_px[to]), of, to, least)
    gone, new = rest()
    if len(gone) >= limits.moved_together:
        move = common_move(touched.at(gone), seen.at(new))
        if move is not None:
            there = np.asarray(cv2.perspectiveTransform(as_quads(touched.quads_px[gone]), move), np.float64)
            give(by_place(there, seen.quads_px[new]), gone, new)
            gone, new = rest()
    give(by_look(touched.at(gone), seen.at(new)), gone, new)
    stays = look_of >= 0
    fresh = seen.at(free & found)
    fresh.track = next_track + np.arange(len(fresh))
    return Candidates.joined([_updated(touched.at(stays), seen.at(look_of[stays])), fresh])


def _updated(touched: Candidates, seen: Candidates) -> Candidates:
    """Return candidates with one more look at each, at the place where it lies now."""
    widths = np.maximum(lengths(touched.quads_px[:, 1] - touched.quads_px[:, 0]), 1.0)
    moved = lengths(seen.quads_px.mean(axis=1) - touched.quads_px.mean(axis=1)) > config().tracking.nudged * widths
    return replace(
        touched.plus(seen, moved),
        quads_px=seen.quads_px,
        score=np.maximum(touched.score, seen.score),
        hidden=np.zeros(len(seen), bool),
        standing=np.where(touched.standing == Standing.FOREIGN, Standing.NEW, touched.standing),
    )


def by_place(before_px: Floats, after_px: Floats, within: float | None = None) -> dict[int, int]:
    """Return which quad after `(M, 4, 2)` lies where each before `(N, 4, 2)` lay; each once, the nearest first."""
    limits = config().tracking
    before_px, after_px = as_quads(before_px), as_quads(after_px)
    apart = distances_px(centres_px(before_px), centres_px(after_px)) / sizes_wh_px(before_px)[:, :1]
    apart[np.abs(_downward(before_px) @ _downward(after_px).T) < limits.turned_cosine] = np.inf
    return nearest_first(apart, limits.same_place if within is None else within)


def by_look(before: Candidates, after: Candidates) -> dict[int, int]:
    """Return which tile after looks like each of those before and may be it; of twins the nearest."""
    limits = config().tracking
    one, other = np.indices((len(before), len(after))).reshape(2, -1)
    alike = likeness(before.at(one), after.at(other)).reshape(len(before), len(after))
    apart = distances_px(centres_px(before.quads_px), centres_px(after.quads_px))
    apart = apart / max(float(apart.max(initial=0.0)), 1.0)
    # twins are equally alike to a hair: the distance decides between them, and never makes up for another name
    return nearest_first(np.where(alike >= limits.alike, 1 - np.round(alike, 1) + 0.09 * apart, np.inf), 2.0)


def common_move(before: Candidates, after: Candidates) -> Floats | None:
    """Return the homography `(3, 3)` by which the bulk of the tiles moved, None where there is no such move.

    Every two tiles that look alike may be one that moved; the homography on which most agree is found by RANSAC.
    """
    limits = config().tracking
    fewest = max(limits.move_fewest, round(limits.move_share * min(len(before), len(after))))
    names, names_after = _names(before), _names(after)
    ones, others = np.nonzero(names[:, None] == names_after[None])
    if len(set(ones.tolist())) < fewest:
        return None
    one = centres_px(before.quads_px)[ones].astype(np.float32)
    two = centres_px(after.quads_px)[others].astype(np.float32)
    within_px = limits.move_within * float(np.median(sizes_wh_px(after.quads_px)[:, 0]))
    rough, agree = cv2.estimateAffinePartial2D(one, two, method=cv2.RANSAC, ransacReprojThreshold=3 * within_px)
    if rough is None or agree is None:
        return None
    found: Any = np.vstack([rough, (0, 0, 1)])
    near = agree.ravel() > 0
    if len(set(ones[near].tolist())) >= 8:  # enough to tell how the view of the table changed, too
        found, _ = cv2.findHomography(one[near], two[near], cv2.RANSAC, within_px)
    if found is None:
        return None
    there = np.asarray(cv2.perspectiveTransform(as_quads(before.quads_px), found), np.float64)
    growth = sizes_wh_px(there) / np.maximum(sizes_wh_px(before.quads_px), 1e-6)
    if growth.max() >= limits.move_growth or growth.min() <= 1 / limits.move_growth:
        return None
    kept = by_place(there, after.quads_px, limits.move_within)
    agreed: Floats = found
    return agreed if sum(names[i] == names_after[j] for i, j in kept.items()) >= fewest else None


def _names(tiles: Candidates) -> Ints:
    """Return a number for each tile's name, `(N,)`."""
    numbers, inks = tiles.number_log_probs.argmax(axis=1), tiles.ink_log_probs.argmax(axis=1)
    return np.asarray(4 * numbers + np.where(numbers < JOKER, inks, 0))


def _downward(quads_px: Floats) -> Floats:
    _, down = axes_px(quads_px)
    return np.asarray(down / np.maximum(lengths(down), 1e-9)[:, None])
