"""Training batches of the classifier and the verifier: the shares of photos, tables, drawn tiles and clutter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilekeeper.models.training import classifier_batches
from tilekeeper.models.training.classifier_batches import ASLANT, CLUTTER, SCENES, SampleOptions, batches
from tilekeeper.models.training.classifier_samples import STORE_WH, uncertainty_of
from tilekeeper.vision.recognition.classifier import CROP_WH
from tilekeeper.vision.types import JOKER, NOT_A_TILE


class ThirteensStudio:
    """A studio that draws only black 13s."""

    def __init__(self, rng: object, wh: tuple[int, int], quad_px: np.ndarray) -> None:
        self.crop = np.full((wh[1], wh[0], 3), 200, np.uint8)

    def draw_crops(self, count: int) -> list[tuple[np.ndarray, int, int]]:
        return [(self.crop, 12, 0)] * count


@pytest.fixture
def few_drawn_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Store only a few drawn tiles, because drawing thousands takes long."""
    monkeypatch.setattr(classifier_batches, "KEPT_DRAWN_TILES", 48)


@pytest.mark.usefixtures("few_drawn_tiles")
def test_drawn_tiles_alone_make_batches() -> None:
    """Batches without tables and photos have the shapes for training and follow the seed."""
    first, repeated, other = (
        [next(fed) for _ in range(3)] for fed in (batches(SampleOptions(24), seed) for seed in (4, 4, 5))
    )
    for crops, numbers, inks, turned, corners in first:
        assert crops.shape == (24, CROP_WH[1], CROP_WH[0], 3)
        assert crops.dtype == np.float16
        assert corners.shape == (24, 8)
        assert corners.dtype == np.float32
        assert numbers.min() >= 0
        assert numbers.max() <= NOT_A_TILE
        assert ((inks >= 0) == (numbers < JOKER)).all()
        assert not turned[numbers == NOT_A_TILE].any()
    assert all(
        np.array_equal(a, b)
        for batch, same_batch in zip(first, repeated, strict=True)
        for a, b in zip(batch, same_batch, strict=True)
    )
    assert not np.array_equal(first[0][0], other[0][0])


@pytest.mark.usefixtures("few_drawn_tiles")
def test_verifier_learns_from_crops_of_which_the_classifier_is_unsure(repository: Path) -> None:
    """It gets the less certain half of the crops."""
    classifier = repository / "models" / "classifier.onnx"
    doubt = uncertainty_of(classifier)
    plain, unsure = (next(batches(SampleOptions(64, unsure=network), 4)) for network in (None, classifier))
    assert len(unsure[0]) == 64
    verifier_doubt, classifier_doubt = (doubt(batch[0].astype(np.float32)) for batch in (unsure, plain))
    assert np.isfinite(verifier_doubt).all()
    assert np.median(verifier_doubt) > np.median(classifier_doubt)


@pytest.mark.usefixtures("few_drawn_tiles")
def test_photos_tables_and_drawn_tiles_have_their_shares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is half tables and half drawn tiles, or all drawn tiles if there are no tables."""
    monkeypatch.setattr(classifier_batches, "photo_sources", lambda folder, leave_out: ["photos"])
    monkeypatch.setattr(classifier_batches, "rendered_sources", lambda folder: ["tables"] * 3)

    def collected(sources: list[str], rng: object, **options: object) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return red 5s for photos and blue 7s for tables."""
        number, ink = (4, 3) if sources[0] == "photos" else (6, 1)
        crops = np.full((len(sources), STORE_WH[1], STORE_WH[0], 3), 200, np.uint8)
        return crops, np.full(len(sources), number), np.full(len(sources), ink)

    monkeypatch.setattr(classifier_batches, "collect_crops", collected)

    monkeypatch.setattr(classifier_batches, "FaceStudio", ThirteensStudio)

    def shares(rendered: tuple[Path, ...], photos: Path | None, photo_share: float) -> list[float]:
        _, numbers, inks, turned, _ = next(
            batches(SampleOptions(500, rendered, photos=photos, photo_share=photo_share), 1)
        )
        assert 0.05 < turned.mean() < 0.3
        assert sorted(set(zip(numbers.tolist(), inks.tolist(), strict=True)) - {(4, 3), (6, 1), (12, 0)}) == [
            (NOT_A_TILE, -1)
        ]
        aslant = numbers == NOT_A_TILE  # sideways crops of some tiles
        assert 0.5 * ASLANT < aslant.mean() < 2 * ASLANT
        assert not turned[aslant].any()
        return [float((numbers[~aslant] == number).mean()) for number in (4, 6, 12)]

    assert shares((tmp_path,), tmp_path, 0.6) == pytest.approx([0.6, 0.2, 0.2], abs=0.07)
    assert shares((), tmp_path, 0.3) == pytest.approx([0.3, 0.0, 0.7], abs=0.07)
    assert shares((tmp_path,), None, 0.6) == pytest.approx([0.0, 0.5, 0.5], abs=0.07)


def test_store_replaces_its_oldest_crops() -> None:
    """The store is a ring buffer."""
    store = classifier_batches._Store(0.5, np.zeros((5, 2, 2, 3), np.uint8), np.zeros(5, int), np.zeros(5, int))

    def drawn(*values: int) -> list[tuple[np.ndarray, int, int]]:
        return [(np.full((2, 2, 3), value, np.uint8), value, value % 4) for value in values]

    store.replace_oldest(drawn(1, 2, 3))
    assert store.numbers.tolist() == [1, 2, 3, 0, 0]
    store.replace_oldest(drawn(4, 5, 6))
    assert store.numbers.tolist() == [6, 2, 3, 4, 5]
    assert store.inks.tolist() == [2, 2, 3, 0, 1]
    assert store.crops[:, 0, 0, 0].tolist() == [6, 2, 3, 4, 5]


@pytest.mark.usefixtures("few_drawn_tiles")
def test_cluttered_tables_give_only_non_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their tiles are dropped, and the false detections have their share."""
    monkeypatch.setattr(classifier_batches, "rendered_sources", lambda folder: ["tables"] * 3)
    monkeypatch.setattr(classifier_batches, "ASLANT", 0.0)

    def collected(sources: list[str], rng: object, **options: object) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return blue 7s and twice as many non-tiles."""
        crops = np.full((30, STORE_WH[1], STORE_WH[0], 3), 200, np.uint8)
        is_tile = np.arange(30) % 3 == 0
        return crops, np.where(is_tile, 6, NOT_A_TILE), np.where(is_tile, 1, -1)

    monkeypatch.setattr(classifier_batches, "collect_crops", collected)

    monkeypatch.setattr(classifier_batches, "FaceStudio", ThirteensStudio)
    numbers = next(batches(SampleOptions(500, clutter=(Path("clutter"),)), 1))[1]
    assert set(numbers.tolist()) == {12, NOT_A_TILE}
    assert (numbers == NOT_A_TILE).mean() == pytest.approx(CLUTTER / (1 + CLUTTER), abs=0.04)


@pytest.mark.usefixtures("few_drawn_tiles")
def test_scenes_without_tiles_have_their_share_and_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """All their crops are non-tiles, and a new scene is drawn every few batches."""
    drawn = []

    class Scenes:
        """A studio that draws grey crops and counts its scenes."""

        def __init__(self, *options: object) -> None:
            pass

        def draw_crops(self) -> list[np.ndarray]:
            drawn.append(1)
            return [np.full((STORE_WH[1], STORE_WH[0], 3), 90, np.uint8)] * 5

    monkeypatch.setattr(classifier_batches, "ClutterStudio", Scenes)
    monkeypatch.setattr(classifier_batches, "KEPT_SCENE_CROPS", 20)
    monkeypatch.setattr(classifier_batches, "detector_of", lambda detector: lambda image: [])
    monkeypatch.setattr(classifier_batches, "ASLANT", 0.0)
    monkeypatch.setattr(classifier_batches, "FaceStudio", ThirteensStudio)
    fed = batches(SampleOptions(500, detector=Path("detector.onnx"), scenes=True), 1)
    numbers = next(fed)[1]
    assert set(numbers.tolist()) == {12, NOT_A_TILE}
    assert (numbers == NOT_A_TILE).mean() == pytest.approx(SCENES / (1 + SCENES), abs=0.04)
    scene_count = len(drawn)
    for _ in range(classifier_batches.SCENE_INTERVAL_BATCHES):
        next(fed)
    assert (scene_count, len(drawn)) == (5, 6)


@pytest.mark.usefixtures("few_drawn_tiles")
def test_each_worker_process_keeps_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Together they load each table once and keep as many drawn tiles as one process."""
    tables = [Path(str(at)) for at in range(7)]
    shares: list[list[Path]] = []
    monkeypatch.setattr(classifier_batches, "rendered_sources", lambda folder: tables)

    def collect(sources: list[Path], *_: object, **__: object) -> tuple[np.ndarray, ...]:
        shares.append(sources)
        return np.full((2, STORE_WH[1], STORE_WH[0], 3), 200, np.uint8), np.array([1, 2]), np.array([0, 0])

    drawn: list[int] = []

    class CountingStudio(ThirteensStudio):
        def draw_crops(self, count: int) -> list[tuple[np.ndarray, int, int]]:
            drawn.append(count)
            return super().draw_crops(count)

    monkeypatch.setattr(classifier_batches, "collect_crops", collect)
    monkeypatch.setattr(classifier_batches, "FaceStudio", CountingStudio)
    for part in range(3):
        next(batches(SampleOptions(4, (Path("a"),), part=(part, 3)), 4))
    assert sorted(path for paths in shares for path in paths) == sorted(tables)
    assert max(map(len, shares)) == 3
    assert sum(drawn) == 48 + 3 * 16
