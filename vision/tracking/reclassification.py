"""Looks again at tiles whose names are not sure: at other cuts of the same print, and anew from where they are found.

The namer is misled by one cut of a print and not by the next, a little turned, larger or shifted: the mean of several
is right more often, and above all less sure where it is wrong. Corners that were mended into a wrong place stay wrong
in every frame; only a find of a newer frame, mended from several starts, gets out of there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tilekeeper.vision.config import config
from tilekeeper.vision.geometry.proximity import nearest_first
from tilekeeper.vision.geometry.quads import centres_px, distances_px, sizes_wh_px, upside_down
from tilekeeper.vision.geometry.table_plane import axes_of, fit_plane
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.recognition.appearance import Appearances, Namer
from tilekeeper.vision.recognition.augmentation import cuts_of, mean_of_cuts
from tilekeeper.vision.recognition.refinement.proposals import certain_enough, name_mended
from tilekeeper.vision.scoring.candidates import Candidate, Standing
from tilekeeper.vision.scoring.evidence import Evidence
from tilekeeper.vision.tracking.redetection import taken
from tilekeeper.vision.types import JOKER


def reclassified(namer: Namer, image: np.ndarray, tracks: Sequence[Candidate]) -> list[Candidate]:
    """Return the tracks with one more look at each, the mean of several cuts; turned where all looks say so."""
    quads_px = np.array([track.quad_px for track in tracks])
    cuts = cuts_of(quads_px, np.array([track.evidence.looks for track in tracks]))
    seen = namer(image, cuts.reshape(-1, 4, 2))
    means = Appearances(*(mean_of_cuts(getattr(seen, field)) for field in Appearances.__slots__))
    after = []
    for at, track in enumerate(tracks):
        evidence = track.evidence.plus(
            Evidence.of_cuts(means, at, track.evidence.score, config().recognition.cuts), moved=False
        )
        quad_px = track.quad_px
        if evidence.upside_down_log_odds > 0 and evidence.is_tile:
            quad_px = upside_down(quad_px)
            evidence = replace(evidence, upside_down_log_odds=-evidence.upside_down_log_odds)
        after.append(replace(track, quad_px=quad_px, evidence=evidence))
    return after


def is_uncertain(track: Candidate) -> bool:
    """Whether a tile should be found and mended anew: the finder is sure of it, and the namer is not."""
    limits = config().tracking
    if (
        track.standing is Standing.FOREIGN
        or track.evidence.looks not in limits.anew_after
        or track.evidence.score < config().scoring.firm_score
    ):
        return False
    return not track.evidence.is_tile or track.evidence.sureness < limits.anew_below


def redetected(
    reader: Reader, image: np.ndarray, tracks: Sequence[Candidate], known: Sequence[Candidate]
) -> list[Candidate]:
    """Return those of the tracks that are seen better from where the finder sees them in this picture, as seen so.

    `known` are the other tiles, whose places none of these can take.
    """
    limits = config().tracking
    sure_px = np.array(
        [track.quad_px for track in known if track.evidence.is_tile and track.evidence.sureness >= limits.anew_below],
        np.float32,
    ).reshape(-1, 4, 2)
    found, scores = _found(reader, image, tracks, sure_px)
    starts = [_starts(quad_px, sure_px) for quad_px in found]
    whose = np.repeat(np.arange(len(tracks)), [len(those) for those in starts])
    seen = name_mended(reader.namer, image, np.concatenate(starts))
    mended = seen.quads_px.astype(np.float32)
    sureness = np.where(seen.upside_down_log_odds > 0, 0.0, seen.certainty())
    if len(sure_px):
        sureness[taken(mended, sure_px)] = 0.0
    jokers = seen.number_log_probs.argmax(axis=1) == JOKER
    better = []
    for at, track in enumerate(tracks):
        mine = np.flatnonzero(whose == at)
        best = mine[sureness[mine].argmax()]
        if sureness[best] > certain_enough(track.evidence.sureness, jokers[best], config().refinement.gain):
            evidence = replace(
                Evidence.of(seen, best, max(scores[at], track.evidence.score)), looks=track.evidence.looks + 1
            )
            better.append(replace(track, quad_px=mended[best], evidence=evidence, locked=None))
    return better


def _found(
    reader: Reader, image: np.ndarray, tracks: Sequence[Candidate], sure_px: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return where the finder sees each track now, `(N, 4, 2) float32`, its own place if nowhere, and the scores."""
    limits = config().tracking
    own = np.array([track.quad_px for track in tracks], np.float32)
    scores = np.zeros(len(own))
    if not len(sure_px):
        return own, scores
    usual = sizes_wh_px(sure_px)[:, 0]
    middles, widths = own.mean(axis=1), _widths(own, usual)[:, None]
    boxes = np.concatenate([middles - widths, middles + widths], axis=1)
    detections = reader.detector.detect_in(image, boxes.astype(np.float32), sure_px)
    seen = [tile for tile in detections.found if not taken(tile.quad_px[None], sure_px)[0]]
    if not seen:
        return own, scores
    places = np.array([tile.quad_px for tile in seen], np.float32)
    apart = distances_px(middles, places.mean(axis=1)) / widths
    for track, find in nearest_first(apart, limits.anew_near).items():
        own[track], scores[track] = places[find], seen[find].score
    return own, scores


def _widths(quads_px: np.ndarray, usual_px: np.ndarray) -> np.ndarray:
    """Widths of quads that may have collapsed: no less than is usual."""
    return np.asarray(np.maximum(sizes_wh_px(quads_px)[:, 0], np.median(usual_px)))


def _starts(found_px: np.ndarray, sure_px: np.ndarray) -> np.ndarray:
    """Return what is mended of a find `(4, 2)`: itself, in a tile's shape there, and turned as the tile next to it."""
    starts = [found_px]
    if (plane := fit_plane(sure_px)) is not None:
        middle = centres_px(found_px[None])
        nearest = np.linalg.norm(centres_px(sure_px) - middle, axis=1).argmin()
        for like in (found_px, sure_px[nearest]):
            starts.append(plane.shapes(middle, axes_of(like[None], plane.aspect))[0])
    return np.array(starts, np.float32)
