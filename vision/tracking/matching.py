"""Matches what is found on a table that lies still again with the tiles that are followed on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from tilekeeper.vision.config import config
from tilekeeper.vision.scoring.candidates import Candidate, Standing
from tilekeeper.vision.scoring.evidence import Evidence, likeness
from tilekeeper.vision.tracking.association import Lying, by_look, by_place, common_move


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
