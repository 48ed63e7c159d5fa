"""Batches of the classifier's training samples without end, mixed of photos, rendered tables, drawn tiles and
clutter."""

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
    Look,
    collect,
    doubts_of,
    draw_crop,
    look_with,
    store_quad,
)
from tilekeeper.models.training.sources import photo_sources, rendered_sources
from tilekeeper.vision.types import NOT_A_TILE

UPSIDE_DOWN, ASLANT = 0.2, 0.1
"""Shares of tiles that are cut out standing on their heads, and lying aslant or on their sides: those are no tile as
they are seen, so that the reader turns the crop instead of believing it."""
ANYHOW = 0.5
"""Share of what is no tile that is cut out from any side and turned: the eye looks at it from all sides, too."""
CLUTTER = 0.12
"""Share of what the detector took for tiles on tables full of other things, where there are such tables."""
SCENES, KEPT_OF_SCENES, EVERY = 0.07, 3000, 3
"""Share of what it takes for tiles in scenes drawn for it, of which so many crops are kept; every so many batches a
scene is new."""
AMONG = 2
"""Of so many times as many crops as a batch has a verifier learns from those that the classifier is least sure of."""
FRESH, SET = 6000, 16
"""So many tiles drawn one by one are kept, in sets of one printing; one set is new with every batch."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """What a classifier learns from, and how many crops make a batch."""

    batch: int
    rendered: tuple[pathlib.Path, ...] = ()
    """Folders of rendered tables, of which at most `most` are taken."""
    most: int = 700
    photos: pathlib.Path | None = None
    """Folder of the annotated photos, less the sessions to `leave_out`; of all crops they have the `photo_share`."""
    leave_out: frozenset[str] = frozenset()
    photo_share: float = 0.5
    detector: pathlib.Path | None = None
    """ONNX file of a detector: what it takes for tiles and aren't is taught as such."""
    clutter: tuple[pathlib.Path, ...] = ()
    """Folders of rendered tables full of other things, of which only what is no tile is taken (`CLUTTER`)."""
    scenes: bool = False
    """Whether what the detector takes for tiles in scenes drawn without any is taught, too (`SCENES`)."""
    unsure: pathlib.Path | None = None
    """ONNX file of a classifier: batches hold what that one is least sure of."""
    part: tuple[int, int] = 0, 1
    """Which of how many processes that make batches side by side this is: each keeps its share of all crops."""


class _Store:
    """Crops kept in memory to be drawn from; `renewed` changes the oldest for new ones."""

    def __init__(self, share: float, crops: np.ndarray, numbers: np.ndarray, inks: np.ndarray) -> None:
        self.share = share
        self.crops, self.numbers, self.inks = crops, numbers, inks
        self._oldest = 0

    def renewed(self, drawn: list[tuple[np.ndarray, int, int]]) -> None:
        for crop, number, ink in drawn:
            self.crops[self._oldest], self.numbers[self._oldest], self.inks[self._oldest] = crop, number, ink
            self._oldest = (self._oldest + 1) % len(self.crops)


def _no_tiles(studio: ClutterStudio, wanted: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Crops of drawn scenes, as many as are wanted or a few more, with their numbers and inks."""
    crops: list[np.ndarray] = []
    while len(crops) < wanted:
        crops += studio.some()
    return np.stack(crops), np.full(len(crops), NOT_A_TILE), np.full(len(crops), -1)


def _collected(lessons: Lessons, rng: np.random.Generator, look: Look | None, others: float) -> list[_Store]:
    """Crops cut out once and kept: of rendered tables, half the share `others`; of photos; of what is no tile."""
    stores, (part, parts) = [], lessons.part
    if lessons.rendered:
        tables = [source for folder in lessons.rendered for source in rendered_sources(folder)]
        order = np.random.default_rng(parts).permutation(len(tables)) if parts > 1 else rng.permutation(len(tables))
        order = order[: lessons.most][part::parts]
        stores.append(_Store(others / 2, *collect([tables[i] for i in order], rng, look=look)))
    if lessons.photos:
        real = collect(photo_sources(lessons.photos, lessons.leave_out), rng, negatives=0.5, look=look)
        stores.append(_Store(lessons.photo_share, *real))
    if lessons.clutter:
        sources = [source for folder in lessons.clutter for source in rendered_sources(folder)][part::parts]
        cluttered = collect(sources, rng, look=look)
        none = cluttered[1] == NOT_A_TILE
        stores.append(_Store(CLUTTER, *(part[none] for part in cluttered)))
    return stores


def _sample(rng: np.random.Generator, store: _Store) -> tuple[np.ndarray, int, int, bool, np.ndarray]:
    """A crop of a store, some upside down or aslant: crop, number, ink, whether upside down, and its corners."""
    i = int(rng.integers(len(store.crops)))
    chance = rng.random() if store.numbers[i] != NOT_A_TILE else 1.0
    upside_down, aslant = chance < UPSIDE_DOWN, UPSIDE_DOWN <= chance < UPSIDE_DOWN + ASLANT
    anyhow = bool(store.numbers[i] == NOT_A_TILE and rng.random() < ANYHOW)
    crop, corners = draw_crop(rng, store.crops[i], upside_down, aslant, anyhow=anyhow)
    number, ink = (NOT_A_TILE, -1) if aslant else (store.numbers[i], store.inks[i])
    return crop, number, ink, upside_down, corners


def batches(lessons: Lessons, seed: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Batches without end: crops float16, numbers, inks, which stand on their heads, and `corners (N, 8)`.

    What the photos leave is half from rendered tables and half from tiles drawn one by one, which are drawn anew all
    the time, as scenes are.
    """
    rng = np.random.default_rng(seed)
    cv2.setRNGSeed(seed)
    look = look_with(lessons.detector) if lessons.detector else None
    doubt = doubts_of(lessons.unsure) if lessons.unsure else None
    others = 1 - lessons.photo_share if lessons.photos else 1.0
    stores = _collected(lessons, rng, look, others)
    studio = FaceStudio(rng, STORE_WH, store_quad())
    parts = lessons.part[1]
    drawn = [one for _ in range(max(1, FRESH // SET // parts)) for one in studio.some(SET)]
    crops, kept_numbers, kept_inks = (np.array(part) for part in zip(*drawn, strict=True))
    fresh = _Store(others / (2 if lessons.rendered else 1), crops, kept_numbers, kept_inks)
    stores.append(fresh)
    things, clutter_studio = None, None
    if look and lessons.scenes:
        clutter_studio = ClutterStudio(rng, look)
        things = _Store(SCENES, *_no_tiles(clutter_studio, KEPT_OF_SCENES // parts))
        stores.append(things)
    shares = np.array([store.share for store in stores])
    for count in itertools.count():
        fresh.renewed(studio.some(SET))
        if things and clutter_studio and count % EVERY == 0:
            things.renewed([(crop, NOT_A_TILE, -1) for crop in clutter_studio.some()])
        samples = []
        for _ in range(lessons.batch * (AMONG if doubt else 1)):
            samples.append(_sample(rng, stores[int(rng.choice(len(stores), p=shares / shares.sum()))]))
        if doubt:
            order = np.argsort(-doubt(np.stack([sample[0] for sample in samples])), kind="stable")
            samples = [samples[i] for i in order[: lessons.batch]]
        crops, numbers, inks, turned, corners = (np.array(part) for part in zip(*samples, strict=True))
        yield crops.astype(np.float16), numbers, inks, turned, corners.astype(np.float32)
