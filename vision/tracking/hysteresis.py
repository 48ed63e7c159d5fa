"""Makes a reading of the tracks of a table: all of them are named together, and a name once sure is held.

What is locked stays so until it is clearly otherwise, so that the noise of one frame never turns a tile into another
and back; what a person said stays as long as the tile does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tilekeeper.vision.recognition.appearance import Looked
from tilekeeper.vision.recognition.glyph_embedding import FigureSpace
from tilekeeper.vision.scoring.calibration import Looks
from tilekeeper.vision.scoring.naming import ReaderLimits, named, without_doubles
from tilekeeper.vision.tracking.evidence import fused
from tilekeeper.vision.tracking.track import Track
from tilekeeper.vision.tracking.unnamed_tiles import unnamed
from tilekeeper.vision.types import (
    INKS,
    JOINT_NOT_A_TILE,
    JOKER,
    NO_TILE_LABEL,
    NOT_A_TILE,
    NUMBERS,
    ReadTile,
    Sighting,
    TileNames,
    labels_of,
    number_and_ink,
)

LOOKS_TO_LOCK, MARGIN = 2, 2.0
"""After so many looks a name is locked whose odds are this many times those at the point of doubt; once it is locked,
it is in doubt again where they are as many times below that point."""
UNLOCKED_BELOW = 0.4
"""A locked name that is less likely than this is let go."""
CERTAIN = -30.0
"""The logarithm of what is left for every other name once a person has said one."""

Inks = tuple[str, str, str, str]
"""The edition's words for `INKS`."""
Weigh = Callable[[Looks], np.ndarray]


def tell(
    tracks: Sequence[Track],
    limits: ReaderLimits,
    inks: Inks,
    colourless: bool,
    confidence: Weigh | None = None,
    space: FigureSpace | None = None,
) -> tuple[list[ReadTile], dict[int, Track]]:
    """Return the tiles, each with its track's id, and the tracks by id, locked or unlocked as their names now are.

    Names are those that each tile has for itself once the figures and inks of the table are compared: melds are weighed
    after this. What a person called no tile is told as that; what lies in a row like a tile and can't be named is one
    in doubt.
    `confidence` says how likely each name is right; without it the networks' own word is taken; `space` is that of the
    namer's figures.
    """
    told = [track for track in tracks if not track.foreign and track.person != JOINT_NOT_A_TILE]
    by_id = {track.id: track for track in tracks}
    none = [_no_tile(track, inks) for track in tracks if track.person == JOINT_NOT_A_TILE]
    if not told:
        return none, by_id
    looked, scores = looked_of(told), _scores(told)

    def weigh(names: Sequence[TileNames]) -> np.ndarray:
        assert confidence is not None
        told_by_people = np.array([track.person is not None for track in told])
        return confidence(Looks(names, looked.number_log_probs, looked.ink_log_probs, told_by_people))

    tiles = []
    for tile in named(looked, scores, limits, inks, colourless, weigh if confidence else None, space=space):
        track = told[tile.sighting.track]
        names = tile.sighting.names if track.person is None else TileNames(*_certain(track.person))
        by_person = track.person is not None
        sighting = replace(tile.sighting, track=track.id, names=names, locked_by_person=by_person, hidden=track.hidden)
        label, confidence, runner_up, doubtful = _held(tile, track, limits, inks)
        if doubtful and not track.shown and track.evidence.looks > 1:
            continue  # what was no tile at first sight must be one without a doubt
        held = _to_hold(tile, label, confidence, doubtful, track, limits, inks)
        if held != track.held or not track.shown:
            by_id[track.id] = replace(track, held=held, shown=True)
        tiles.append(ReadTile(sighting, label, confidence, runner_up, doubtful))
    tiles = without_doubles(tiles)
    for tile in (more := unnamed(told, tiles, inks)):
        by_id[tile.sighting.track] = replace(by_id[tile.sighting.track], quad_px=tile.sighting.quad_px)
    return sorted([*tiles, *more, *none], key=lambda tile: tile.sighting.track), by_id


def _no_tile(track: Track, inks: Inks) -> ReadTile:
    """Return a thing that a person called no tile, with what it looks like as its runner-up."""
    seen = TileNames(track.evidence.number_log_probs, track.evidence.ink_log_probs)
    looks_like = labels_of(inks)[int(seen.log_probs[:JOINT_NOT_A_TILE].argmax())]
    sighting = Sighting(track.id, track.quad_px, TileNames(*_certain(JOINT_NOT_A_TILE)), True, track.hidden)
    return ReadTile(sighting, NO_TILE_LABEL, 1.0, looks_like, False)


def looked_of(tracks: Sequence[Track]) -> Looked:
    """Return what all looks at each of N tracks say together; for what a person said there is nothing else."""
    numbers, inks = fused([track.evidence for track in tracks])
    for at, track in enumerate(tracks):
        if track.person is not None:
            numbers[at], inks[at] = _certain(track.person)
    return Looked(
        numbers,
        inks,
        np.array([track.evidence.upside_down_log_odds for track in tracks]),
        np.array([track.quad_px for track in tracks], np.float32),
        np.array([track.evidence.ink_colours for track in tracks]),
        np.array([track.evidence.figures for track in tracks]),
    )


def _scores(tracks: Sequence[Track]) -> np.ndarray:
    return np.array([1.0 if track.person is not None else track.evidence.score for track in tracks])


def _certain(name: int) -> tuple[np.ndarray, np.ndarray]:
    numbers, inks = np.full(NUMBERS + 2, CERTAIN), np.full(len(INKS), CERTAIN)
    number, ink = number_and_ink(name)
    numbers[number] = 0.0
    inks[:] = -np.log(len(INKS)) if number in (JOKER, NOT_A_TILE) else inks
    if number < NUMBERS:
        inks[ink] = 0.0
    return numbers, inks


def _held(tile: ReadTile, track: Track, limits: ReaderLimits, inks: Inks) -> tuple[str, float, str, bool]:
    """Return label, confidence, runner-up and doubt of a tile with its locked name, or a person's, while that holds."""
    if track.person is not None:
        return labels_of(inks)[track.person], 1.0, tile.runner_up, False
    if track.held is None:
        return tile.label, tile.confidence, tile.runner_up, tile.doubtful
    doubtful = tile.doubtful and tile.confidence < _at_odds(limits.doubtful_below, 1 / MARGIN)
    held = labels_of(inks)[track.held]
    if held == tile.label:
        return held, tile.confidence, tile.runner_up, doubtful
    likely = float(np.exp(tile.sighting.log_probs[track.held]))
    if likely < UNLOCKED_BELOW:
        return tile.label, tile.confidence, tile.runner_up, tile.doubtful
    return held, likely, tile.label, doubtful


def _to_hold(
    tile: ReadTile, label: str, confidence: float, doubtful: bool, track: Track, limits: ReaderLimits, inks: Inks
) -> int | None:
    """Return the name to lock: the one that was, where it still stands, or the one that has become sure."""
    if track.held is not None and label == labels_of(inks)[track.held] and confidence >= UNLOCKED_BELOW:
        return track.held
    if (
        confidence < _at_odds(limits.doubtful_below, MARGIN)
        or doubtful
        or track.evidence.looks < LOOKS_TO_LOCK
        or track.person is not None
    ):
        return None
    return int(tile.sighting.log_probs[:JOINT_NOT_A_TILE].argmax())


def _at_odds(chance: float, times: float) -> float:
    """Return the chance whose odds are so many times those of another."""
    return chance * times / (chance * times + 1 - chance)
