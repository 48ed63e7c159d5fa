"""Keeps a name that was sure once, so that the noise of one picture never turns a tile into another and back.

A name is locked once it was sure in several looks, and stays until it is clearly otherwise; a name that a person gave
stays as long as the tile does. In a table that is seen once no name is locked, and nothing changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tilekeeper.vision.config import config
from tilekeeper.vision.scoring.candidates import Candidate, certain
from tilekeeper.vision.types import JOINT_NOT_A_TILE, ReadTile, TileNames, TileSet, labels_of


def with_locked_names(
    tiles: Sequence[ReadTile], candidates: Mapping[int, Candidate], doubtful_below: float, tile_set: TileSet
) -> tuple[list[ReadTile], dict[int, int | None]]:
    """Return the tiles with the names that are locked, and the name to lock from now on by track, None for none.

    `candidates` has the candidate of each tile by its track; a tile with less confidence than `doubtful_below` is in
    doubt.
    """
    after: list[ReadTile] = []
    locked: dict[int, int | None] = {}
    labels = labels_of(tile_set.inks)
    for tile in tiles:
        candidate = candidates[tile.sighting.track]
        if candidate.person is not None:
            sighting = replace(tile.sighting, names=TileNames(*certain(candidate.person)), locked_by_person=True)
            label = labels[candidate.person]
            after.append(replace(tile, sighting=sighting, label=label, confidence=1.0, doubts=()))
            locked[candidate.track] = None
            continue
        held = _with_locked_name(tile, candidate.locked, doubtful_below, labels)
        after.append(held)
        locked[candidate.track] = _name_to_lock(tile, held, candidate, doubtful_below, labels)
    return after, locked


def _with_locked_name(tile: ReadTile, locked: int | None, doubtful_below: float, labels: Sequence[str]) -> ReadTile:
    limits = config().scoring
    if locked is None:
        return tile
    likely = float(np.exp(tile.sighting.log_probs[locked]))
    if labels[locked] != tile.label and likely < limits.unlock_below:
        return tile
    doubts = tile.doubts if tile.confidence < _at_odds(doubtful_below, 1 / limits.lock_margin) else ()
    if labels[locked] == tile.label:
        return replace(tile, doubts=doubts)
    doubts = tuple(replace(doubt, alternative=tile.label) for doubt in doubts)
    return replace(tile, label=labels[locked], confidence=likely, runner_up=tile.label, doubts=doubts)


def _name_to_lock(
    tile: ReadTile, held: ReadTile, candidate: Candidate, doubtful_below: float, labels: Sequence[str]
) -> int | None:
    """Return the name that was locked where it still stands, or the one that has become sure."""
    limits = config().scoring
    locked = candidate.locked
    if locked is not None and held.label == labels[locked] and held.confidence >= limits.unlock_below:
        return locked
    is_sure = held.confidence >= _at_odds(doubtful_below, limits.lock_margin) and not held.doubtful
    if not is_sure or candidate.evidence.looks < limits.lock_after:
        return None
    return int(tile.sighting.log_probs[:JOINT_NOT_A_TILE].argmax())


def _at_odds(chance: float, times: float) -> float:
    """Return the chance whose odds are so many times those of another."""
    return chance * times / (chance * times + 1 - chance)
