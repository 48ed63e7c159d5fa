"""Decides which tile of now is which of before: by place, by a move that most made together, by their appearance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from tilekeeper.vision.config import config
from tilekeeper.vision.geometry.proximity import nearest_first
from tilekeeper.vision.geometry.quads import centres_px, distances_px, sizes_wh_px
from tilekeeper.vision.scoring.candidates import Candidate, Standing
from tilekeeper.vision.scoring.evidence import Evidence, likeness


@dataclass(frozen=True, slots=True, eq=False)
class Lying:
    """Tiles in a picture: `quads_px (N, 4, 2)` and what they look like."""

    quads_px: np.ndarray
    evidence: Sequence[Evidence]


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """What was observed at one place: the quad with mended corners, evidence, and whether a tile was found there."""

    quad_px: np.ndarray
    evidence: Evidence
    found: bool


def matched(
    touched: Sequence[Candidate], observations: Sequence[Observation], next_id: int
) -> tuple[list[Candidate], int]:
    """Return the tracks of a part of the table after it was looked at again, and the next free id.

    `touched` are the tracks that were there before. Each look goes to one track at most; the tracks that no look goes
    to are gone, and observations that go to none become new tracks where the finder found them.
    """
    limits = config().tracking
    matches: dict[int, Candidate] = {}
    free = set(range(len(observations)))

    def give(pairs: Mapping[int, int], of: Sequence[int], to: Sequence[int], least: float) -> None:
        for one, other in pairs.items():
            track, observation = touched[of[one]], observations[to[other]]
            if likeness(track.evidence, observation.evidence) >= least:
                matches[of[one]] = _updated(track, observation)
                free.discard(to[other])

    def rest() -> tuple[list[int], list[int]]:
        gone = [at for at, track in enumerate(touched) if at not in matches and track.evidence.is_tile]
        new = [at for at in sorted(free) if observations[at].found and observations[at].evidence.is_tile]
        return gone, new

    everywhere = list(range(len(touched)))
    for found in (True, False):
        of, to = (
            [at for at in everywhere if at not in matches],
            [at for at in sorted(free) if observations[at].found == found],
        )
        pairs = by_place(_quads([touched[at].quad_px for at in of]), _quads([observations[at].quad_px for at in to]))
        give(pairs, of, to, config().tracking.alike if found else limits.still_there)
    gone, new = rest()
    if len(gone) >= limits.moved_together:
        before, after = _lying(touched, gone), _lying(observations, new)
        move = common_move(before, after)
        if move is not None:
            there = cv2.perspectiveTransform(before.quads_px, move)
            give(by_place(there, after.quads_px), gone, new, config().tracking.alike)
            gone, new = rest()
    give(by_look(_lying(touched, gone), _lying(observations, new)), gone, new, config().tracking.alike)
    fresh = [observations[at] for at in sorted(free) if observations[at].found]
    new_tracks = [Candidate(next_id + at, one.quad_px, one.evidence) for at, one in enumerate(fresh)]
    return [*(matches[at] for at in sorted(matches)), *new_tracks], next_id + len(new_tracks)


def _updated(track: Candidate, observation: Observation) -> Candidate:
    """Return a track with one more observation, at the place where it lies now."""
    limits = config().tracking
    width = max(float(np.linalg.norm(track.quad_px[1] - track.quad_px[0])), 1.0)
    far = float(np.linalg.norm(observation.quad_px.mean(axis=0) - track.quad_px.mean(axis=0))) / width
    evidence = track.evidence.plus(observation.evidence, far > limits.nudged)
    standing = Standing.NEW if track.standing is Standing.FOREIGN else track.standing
    return replace(track, quad_px=observation.quad_px, evidence=evidence, hidden=False, standing=standing)


def _lying(tiles: Sequence[Candidate] | Sequence[Observation], which: Sequence[int]) -> Lying:
    return Lying(_quads([tiles[at].quad_px for at in which]), [tiles[at].evidence for at in which])


def _quads(quads_px: Sequence[np.ndarray]) -> np.ndarray:
    return np.array(quads_px, np.float64).reshape(-1, 4, 2)


def by_place(before_px: np.ndarray, after_px: np.ndarray, within: float | None = None) -> dict[int, int]:
    """Return which quad after `(M, 4, 2)` lies where each before `(N, 4, 2)` lay; each once, the nearest first."""
    limits = config().tracking
    if not len(before_px) or not len(after_px):
        return {}
    widths = sizes_wh_px(before_px)[:, 0]
    apart = distances_px(centres_px(before_px), centres_px(after_px)) / widths[:, None]
    along, along_after = _downward(before_px), _downward(after_px)
    apart[np.abs(along @ along_after.T) < limits.turned_cosine] = np.inf
    return nearest_first(apart, config().tracking.same_place if within is None else within)


def by_look(before: Lying, after: Lying) -> dict[int, int]:
    """Return which tile after looks like each of those before and may be it; of twins the nearest."""
    limits = config().tracking
    if not len(before.evidence) or not len(after.evidence):
        return {}
    alike = np.array([[likeness(one, other) for other in after.evidence] for one in before.evidence])
    apart = distances_px(centres_px(before.quads_px), centres_px(after.quads_px))
    apart /= max(float(apart.max()), 1.0)
    # twins are equally alike to a hair: the distance decides between them, and never makes up for another name
    return nearest_first(np.where(alike >= limits.alike, 1 - np.round(alike, 1) + 0.09 * apart, np.inf), 2.0)


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
