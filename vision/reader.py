"""Reads a whole picture of a table: finds the tiles, names them, judges how sure it is, and groups them into rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from tilekeeper.vision.beside import look_beside
from tilekeeper.vision.decoding import decode
from tilekeeper.vision.geometry import as_quads, centres_px, shares_inside, sizes_wh_px
from tilekeeper.vision.grouping import group_rows
from tilekeeper.vision.looks import NamesOfTiles, look_at
from tilekeeper.vision.palette import joint_inks
from tilekeeper.vision.peers import belongs
from tilekeeper.vision.pieces import FoundTile, find_in_pieces
from tilekeeper.vision.sighting import (
    INKS,
    JOINT_JOKER,
    JOINT_NOT_A_TILE,
    NOT_A_TILE,
    OK,
    ReadTile,
    Sighting,
    TableReading,
    TileNames,
    label_of,
)
from tilekeeper.vision.trust import is_colourless, status_of

LEAST_INSIDE = 0.65
"""A doubtful tile of which the picture shows a smaller share than this is cut off: there is no telling what it is."""


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """What the reader is sure of; the manifest of the networks may bring its own.

    `doubtful_below`: a tile with less confidence is doubtful; with less than `no_tile_below` it is none. `sure_score`:
    from this score on, the finder's word for "a tile" is taken as certain; that it is none is for the namer to say.
    `working_px`: pictures with more pixels are read smaller.
    """

    doubtful_below: float = 0.8
    sure_score: float = 0.5
    no_tile_below: float = 0.2
    working_px: int = 12_000_000

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> "ReaderLimits":
        """Return the limits that the manifest names under `reader`, the rest as they are here."""
        own = manifest.get("reader", {})
        return cls(**{name: own[name] for name in cls.__dataclass_fields__ if name in own})


class Reader:
    """Picture in, `TableReading` out. Keeps nothing from one picture to the next."""

    def __init__(
        self,
        finder: Callable[[np.ndarray], Sequence[FoundTile]],
        namer: Callable[[np.ndarray, np.ndarray], NamesOfTiles],
        limits: ReaderLimits | None = None,
    ) -> None:
        """`finder(image_bgr)` finds quads, `namer(image_bgr, quads_px)` names those that are handed to it."""
        self._finder = finder
        self._namer = namer
        self._limits = limits or ReaderLimits()

    @classmethod
    def shipped(cls, threads: int = 2) -> "Reader":
        """Return a reader with the networks that ship with the project; raises `ModelsMissing`."""
        from tilekeeper.vision.finder import Finder
        from tilekeeper.vision.manifest import load_sessions
        from tilekeeper.vision.namer import Namer

        sessions = load_sessions(threads)
        return cls(Finder(sessions.finder), Namer(sessions.namer), ReaderLimits.of_manifest(sessions.manifest))

    def read(
        self, image_bgr: np.ndarray, inks: tuple[str, str, str, str] = INKS, *, time_s: float | None = None
    ) -> TableReading:
        """Return what lies on the table in a picture `(H, W, 3) uint8`.

        `inks` are the edition's names of `INKS`, in that order. Corners are in pixels of the picture, or of the photo
        where `load_photo` reduced it (`LoadedPhoto`). Raises `ValueError` for what is no such picture.
        """
        if image_bgr.ndim != 3 or image_bgr.shape[2] != 3 or image_bgr.dtype != np.uint8:
            raise ValueError(f"a picture must be (H, W, 3) uint8, got {image_bgr.shape} {image_bgr.dtype}")
        if len(inks) != len(INKS):
            raise ValueError(f"there are {len(INKS)} inks, got {len(inks)}")
        height, width = image_bgr.shape[:2]
        image_wh = getattr(image_bgr, "full_wh", None) or (width, height)
        image = np.asarray(image_bgr)
        small = _shrunk(image, self._limits.working_px)
        colourless = is_colourless(small)
        found = self._tiles(small, inks, colourless)
        quads_px = np.array([tile.sighting.quad_px for tile in found]).reshape(-1, 4, 2)
        rows = group_rows(quads_px)
        tiles = _decoded(found, rows, inks)
        status = status_of(small, quads_px, tuple(tile.doubtful for tile in tiles), colourless)
        scale = np.array(image_wh, np.float32) / np.array(small.shape[1::-1], np.float32)
        return TableReading(tuple(_scaled(tile, scale) for tile in tiles), rows, image_wh, status, time_s)

    def _tiles(self, image: np.ndarray, inks: tuple[str, str, str, str], colourless: bool) -> list[ReadTile]:
        """Return the tiles in a picture, each place once, in the order in which the finder saw them."""
        found = find_in_pieces(self._finder, image)
        quads_px = as_quads([tile.quad_px for tile in found]).astype(np.float32)
        if not len(quads_px):
            return []
        looked = look_beside(self._namer, image, look_at(self._namer, image, quads_px))
        scores = np.concatenate([[tile.score for tile in found], np.ones(len(looked.quads_px) - len(found))])
        inks_of = joint_inks(looked.ink_log_probs, looked.ink_colours, looked.number_log_probs)
        names = map(TileNames, looked.number_log_probs, inks_of)
        tiles: list[ReadTile] = []
        for score, quad_px, name in zip(scores, looked.quads_px, names, strict=True):
            if name.number_log_probs.argmax() == NOT_A_TILE:
                continue
            log_probs = name.log_probs
            best = int(log_probs[:JOINT_NOT_A_TILE].argmax())
            second = next(int(at) for at in log_probs.argsort()[::-1] if at != best)
            confidence = float(np.exp(log_probs[best])) * min(1.0, float(score) / self._limits.sure_score)
            confidence = min(1.0, max(0.0, confidence))
            if confidence < self._limits.no_tile_below:
                continue
            doubtful = confidence < self._limits.doubtful_below or (colourless and best != JOINT_JOKER)
            sighting = Sighting(len(tiles), quad_px, name)
            tiles.append(ReadTile(sighting, label_of(best, inks), confidence, label_of(second, inks), doubtful))
        return self._of_one_set(image, _without_doubles(tiles))

    def _of_one_set(self, image: np.ndarray, tiles: list[ReadTile]) -> list[ReadTile]:
        """Return the tiles less what differs in size and white from those around it, and stumps at the edge."""
        if not tiles:
            return tiles
        sure = np.array([not tile.doubtful for tile in tiles])
        quads_px = np.array([tile.sighting.quad_px for tile in tiles])
        stays = belongs(image, quads_px, sure) & (sure | (shares_inside(quads_px, image.shape[1::-1]) >= LEAST_INSIDE))
        kept = [tile for tile, stay in zip(tiles, stays, strict=True) if stay]
        return [_tracked(tile, track) for track, tile in enumerate(kept)]


def _shrunk(image: np.ndarray, most_px: int) -> np.ndarray:
    """Return the picture with at most so many pixels; the very same where it has no more."""
    height, width = image.shape[:2]
    factor = (most_px / (height * width)) ** 0.5
    if factor >= 1:
        return image
    size_wh = max(1, round(width * factor)), max(1, round(height * factor))
    return cv2.resize(image, size_wh, interpolation=cv2.INTER_AREA)


def _without_doubles(tiles: list[ReadTile]) -> list[ReadTile]:
    """Return the tiles less those whose middle lies well inside a surer one: a place holds one tile."""
    if len(tiles) < 2:
        return tiles
    quads_px = np.array([tile.sighting.quad_px for tile in tiles])
    middles, widths = centres_px(quads_px), sizes_wh_px(quads_px).min(axis=1)
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    same = apart < 0.4 * np.maximum(widths[:, None], widths[None])
    kept: list[int] = []
    for at in sorted(range(len(tiles)), key=lambda at: -tiles[at].confidence):
        if not same[at, kept].any():
            kept.append(at)
    return [_tracked(tiles[at], track) for track, at in enumerate(sorted(kept))]


def _decoded(
    tiles: list[ReadTile], rows: tuple[tuple[int, ...], ...], inks: tuple[str, str, str, str]
) -> tuple[ReadTile, ...]:
    """Return the tiles with the names that they have together, all those in doubt that are then."""
    if not tiles:
        return ()
    doubtful = np.array([tile.doubtful for tile in tiles])
    names, asked = decode(np.array([tile.sighting.log_probs for tile in tiles]), doubtful, rows)
    return tuple(
        _in_question(tile, int(name), inks) if in_doubt else tile
        for tile, name, in_doubt in zip(tiles, names, asked, strict=True)
    )


def _in_question(tile: ReadTile, name: int, inks: tuple[str, str, str, str]) -> ReadTile:
    label = label_of(name, inks)
    if label == tile.label:
        return replace(tile, doubtful=True)
    confidence = min(tile.confidence, float(np.exp(tile.sighting.log_probs[name])))
    return replace(tile, label=label, confidence=confidence, runner_up=tile.label, doubtful=True)


def _tracked(tile: ReadTile, track: int) -> ReadTile:
    sighting = Sighting(track, tile.sighting.quad_px, tile.sighting.names, tile.sighting.locked_by_person)
    return ReadTile(sighting, tile.label, tile.confidence, tile.runner_up, tile.doubtful)


def _scaled(tile: ReadTile, scale: np.ndarray) -> ReadTile:
    """Return the tile with its corners in pixels of the photo: pixel centres lie at whole numbers, as in OpenCV."""
    quad_px = ((tile.sighting.quad_px + 0.5) * scale - 0.5).astype(np.float32)
    sighting = Sighting(tile.sighting.track, quad_px, tile.sighting.names, tile.sighting.locked_by_person)
    return ReadTile(sighting, tile.label, tile.confidence, tile.runner_up, tile.doubtful)


__all__ = ["OK", "FoundTile", "NamesOfTiles", "Reader", "ReaderLimits"]
