"""Endless batches of training samples for the classifier: photos, rendered tables, drawn tiles and clutter."""

from __future__ import annotations

import itertools
import pathlib
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.models.training.classifier_clutter import ClutterStudio
from tilekeeper.models.training.classifier_faces import FaceStudio
from tilekeeper.models.training.classifier_samples import (
    STORE_WH,
    Detect,
    collect_crops,
    detector_of,
    draw_crop,
    store_quad,
    uncertainty_of,
)
from tilekeeper.models.training.sources import photo_sources, rendered_sources
from tilekeeper.vision.types import NOT_A_TILE

UPSIDE_DOWN, ASLANT = 0.2, 0.1
"""Shares of tiles cropped upside down, and cropped aslant or on their sides. An aslant crop counts as a non-tile, so
that the reader turns the crop before it reads a number."""
ANY_DIRECTION = 0.5
"""Share of non-tiles that are cropped in any direction: the reader proposes such crops, too."""
CLUTTER = 0.12
"""Share of samples that are false detections on cluttered tables, if there are such tables."""
SCENES, KEPT_SCENE_CROPS, SCENE_INTERVAL_BATCHES = 0.07, 3000, 3
"""Share of samples that are false detections in drawn scenes; how many such crops are kept; and after how many batches
a new scene is drawn."""
CANDIDATES_PER_SAMPLE = 2
"""For a verifier twice as many crops are sampled, and the half of which the classifier is least certain is used."""
KEPT_DRAWN_TILES, TILES_PER_PRINTING = 6000, 16
"""How many tiles drawn one by one are kept, in groups of one printing. Each batch replaces the oldest group."""


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """The sources of training samples and the size of a batch."""

    batch: int
    rendered: tuple[pathlib.Path, ...] = ()
    """Folders of rendered tables, of which at most `max_tables` are used."""
    max_tables: int = 700
    photos: pathlib.Path | None = None
    """Folder of the annotated photos without the sessions `leave_out`; `photo_share` of all crops come from them."""
    leave_out: frozenset[str] = frozenset()
    photo_share: float = 0.5
    detector: pathlib.Path | None = None
    """ONNX file of a detector: its false detections become samples of non-tiles."""
    clutter: tuple[pathlib.Path, ...] = ()
    """Folders of cluttered rendered tables, of which only the non-tiles are used (`CLUTTER`)."""
    scenes: bool = False
    """Whether false detections in scenes without tiles are samples, too (`SCENES`)."""
    unsure: pathlib.Path | None = None
    """ONNX file of a classifier: batches hold the crops of which it is least certain."""
    part: tuple[int, int] = 0, 1
    """Index of this process and the number of processes that make batches; each keeps its share of all crops."""


class _Store:
    """Crops in memory to sample from, with their share of all samples; `replace_oldest` is a ring buffer's write."""

    def __init__(self, share: float, crops: np.ndarray, numbers: np.ndarray, inks: np.ndarray) -> None:
        self.share = share
        self.crops, self.numbers, self.inks = crops, numbers, inks
        self._oldest = 0

    def replace_oldest(self, drawn: list[tuple[np.ndarray, int, int]]) -> None:
        for crop, number, ink in drawn:
            self.crops[self._oldest], self.numbers[self._oldest], self.inks[self._oldest] = crop, number, ink
            self._oldest = (self._oldest + 1) % len(self.crops)


def _draw_non_tiles(studio: ClutterStudio, min_count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return crops of drawn scenes, all labelled as non-tiles: crops, numbers and inks, `min_count` or a few more."""
    crops: list[np.ndarray] = []
    while len(crops) < min_count:
        crops += studio.draw_crops()
    return np.stack(crops), np.full(len(crops), NOT_A_TILE), np.full(len(crops), -1)


def _collect_stores(
    options: SampleOptions, rng: np.random.Generator, detect: Detect | None, synthetic_share: float
) -> list[_Store]:
    """Return the stores whose crops are cut out only once: of rendered tables, photos and cluttered tables.

    Rendered tables get half of `synthetic_share`; the other half is for tiles drawn one by one.
    """
    stores, (part, parts) = [], options.part
    if options.rendered:
        tables = [source for folder in options.rendered for source in rendered_sources(folder)]
        order = np.random.default_rng(parts).permutation(len(tables)) if parts > 1 else rng.permutation(len(tables))
        order = order[: options.max_tables][part::parts]
        stores.append(_Store(synthetic_share / 2, *collect_crops([tables[i] for i in order], rng, detect=detect)))
    if options.photos:
        photos = photo_sources(options.photos, options.leave_out)
        stores.append(_Store(options.photo_share, *collect_crops(photos, rng, negatives=0.5, detect=detect)))
    if options.clutter:
        sources = [source for folder in options.clutter for source in rendered_sources(folder)][part::parts]
        cluttered = collect_crops(sources, rng, detect=detect)
        non_tiles = cluttered[1] == NOT_A_TILE
        stores.append(_Store(CLUTTER, *(column[non_tiles] for column in cluttered)))
    return stores


def _sample(rng: np.random.Generator, store: _Store) -> tuple[np.ndarray, int, int, bool, np.ndarray]:
    """Return a random augmented crop of a store: crop, number, ink, whether it is upside down, and its corners.

    Some crops are upside down; some are aslant, and then labelled as non-tiles.
    """
    i = int(rng.integers(len(store.crops)))
    chance = rng.random() if store.numbers[i] != NOT_A_TILE else 1.0
    upside_down, aslant = chance < UPSIDE_DOWN, UPSIDE_DOWN <= chance < UPSIDE_DOWN + ASLANT
    any_direction = bool(store.numbers[i] == NOT_A_TILE and rng.random() < ANY_DIRECTION)
    crop, corners = draw_crop(rng, store.crops[i], upside_down, aslant, any_direction=any_direction)
    number, ink = (NOT_A_TILE, -1) if aslant else (store.numbers[i], store.inks[i])
    return crop, number, ink, upside_down, corners


def batches(options: SampleOptions, seed: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield batches without end: crops float16, numbers, inks, a mask of upside-down crops, and `corners (N, 8)`.

    Apart from photos and clutter, half the samples come from rendered tables, half from tiles drawn one by one. Drawn
    tiles and drawn scenes are replaced by new ones all the time.
    """
    rng = np.random.default_rng(seed)
    cv2.setRNGSeed(seed)
    detect = detector_of(options.detector) if options.detector else None
    uncertainty = uncertainty_of(options.unsure) if options.unsure else None
    synthetic_share = 1 - options.photo_share if options.photos else 1.0
    stores = _collect_stores(options, rng, detect, synthetic_share)
    studio = FaceStudio(rng, STORE_WH, store_quad())
    parts = options.part[1]
    groups = max(1, KEPT_DRAWN_TILES // TILES_PER_PRINTING // parts)
    drawn = [tile for _ in range(groups) for tile in studio.draw_crops(TILES_PER_PRINTING)]
    crops, kept_numbers, kept_inks = (np.array(column) for column in zip(*drawn, strict=True))
    drawn_tiles = _Store(synthetic_share / (2 if options.rendered else 1), crops, kept_numbers, kept_inks)
    stores.append(drawn_tiles)
    scene_crops, clutter_studio = None, None
    if detect and options.scenes:
        clutter_studio = ClutterStudio(rng, detect)
        scene_crops = _Store(SCENES, *_draw_non_tiles(clutter_studio, KEPT_SCENE_CROPS // parts))
        stores.append(scene_crops)
    shares = np.array([store.share for store in stores])
    for count in itertools.count():
        drawn_tiles.replace_oldest(studio.draw_crops(TILES_PER_PRINTING))
        if scene_crops and clutter_studio and count % SCENE_INTERVAL_BATCHES == 0:
            scene_crops.replace_oldest([(crop, NOT_A_TILE, -1) for crop in clutter_studio.draw_crops()])
        samples = []
        for _ in range(options.batch * (CANDIDATES_PER_SAMPLE if uncertainty else 1)):
            samples.append(_sample(rng, stores[int(rng.choice(len(stores), p=shares / shares.sum()))]))
        if uncertainty:
            order = np.argsort(-uncertainty(np.stack([sample[0] for sample in samples])), kind="stable")
            samples = [samples[i] for i in order[: options.batch]]
        crops, numbers, inks, turned, corners = (np.array(part) for part in zip(*samples, strict=True))
        yield crops.astype(np.float16), numbers, inks, turned, corners.astype(np.float32)
