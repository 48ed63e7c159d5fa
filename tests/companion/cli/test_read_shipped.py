"""`tilekeeper read` with the shipped networks, on real photos and on pictures without a table."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np
import pytest

from tilekeeper.engine.tiles.notation import parse_table

pytestmark = pytest.mark.slow

# One or two photos of each session, and an empty table.
PHOTOS_PER_SESSION = 2


@pytest.fixture(scope="module", autouse=True)
def shipped_networks(repository: Path) -> None:
    """These tests are about the networks in models/."""
    if not (repository / "models" / "manifest.json").is_file():
        pytest.skip("the networks are not in models/; train and export them")


def tilekeeper_read(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tilekeeper", "read", *words], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture(scope="module")
def truths(photos_folder: Path) -> list[dict]:
    """The annotations of a few photos, the first of each session."""
    chosen: dict[str, list[dict]] = {}
    for photo in json.loads((photos_folder / "photos.json").read_text())["photos"]:
        chosen.setdefault(photo["session"], []).append(photo)
    return [photo for session in chosen.values() for photo in session[:PHOTOS_PER_SESSION]]


@pytest.fixture(scope="module")
def entries(photos_folder: Path, truths: list[dict]) -> list[dict]:
    """The entries of `read --json` for those photos, in one batch."""
    result = tilekeeper_read(*(photos_folder / "images" / Path(truth["file"]).name for truth in truths), "--json")
    assert result.returncode in (0, 1), result.stderr
    return json.loads(result.stdout)["photos"]


@pytest.fixture(scope="module")
def scorer(photos_folder: Path) -> ModuleType:
    """The script that scores readings, which others use too."""
    path = photos_folder.parent / "score_reading.py"
    if not path.is_file():
        pytest.skip("no score_reading.py beside the real photos")
    spec = importlib.util.spec_from_file_location("score_reading", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_real_photos_are_read(truths: list[dict], entries: list[dict], scorer: ModuleType) -> None:
    """The scoring script accepts the output, and nearly every tile of known photos is detected and read correctly."""
    total = right = invented = 0
    for truth, entry in zip(truths, entries, strict=True):
        assert (entry["width"], entry["height"]) == (truth["width"], truth["height"])
        pairs, unmatched = scorer.match(truth, entry["tiles"])
        whole = [(tile, read) for tile, read in pairs if not tile.get("cut")]
        total += len(whole)
        right += sum(read is not None and read["label"] == tile["label"] for tile, read in whole)
        invented += len(unmatched)
    assert total > 50
    assert right / total >= 0.97
    assert invented / total <= 0.02


def test_table_and_tiles_of_the_json_agree(entries: list[dict]) -> None:
    """The tiles of an entry are those of its table, in order, with corners inside the photo."""
    for entry in entries:
        table = parse_table(entry["table"])
        laid = [(meld, tile.label) for meld, tiles in enumerate(table.melds) for tile in tiles]
        assert laid == [(tile["meld"], tile["label"]) for tile in entry["tiles"]]
        for tile in entry["tiles"]:
            quad = np.array(tile["corners_px"])
            assert quad.shape == (4, 2)
            assert 0 <= quad.mean(axis=0)[0] <= entry["width"]
            assert 0 <= quad.mean(axis=0)[1] <= entry["height"]
            # clockwise on a picture, whose y axis points down: the signed area is positive
            assert cv2.contourArea(quad.astype(np.float32), oriented=True) > 0
            assert 0 <= tile["confidence"] <= 1


def test_turned_photo_is_read_as_a_person_sees_it(
    photos_folder: Path, truths: list[dict], scorer: ModuleType, tmp_path: Path
) -> None:
    """A photo stored sideways with an EXIF orientation gives the corners in the upright photo."""
    truth = max(truths, key=lambda photo: len(photo["tiles"]))
    upright = cv2.imread(str(photos_folder / "images" / Path(truth["file"]).name))
    _, stored = cv2.imencode(".jpg", cv2.rotate(upright, cv2.ROTATE_90_COUNTERCLOCKWISE))
    # APP1 with one entry of its first directory: tag 0x0112 (orientation), value 6, "turn right to see it"
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    data = stored.tobytes()
    path = tmp_path / "sideways.jpg"
    path.write_bytes(data[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + data[2:])
    (entry,) = json.loads(tilekeeper_read(path, "--json").stdout)["photos"]
    assert (entry["width"], entry["height"]) == (truth["width"], truth["height"])
    pairs, _ = scorer.match(truth, entry["tiles"])
    whole = [(tile, read) for tile, read in pairs if not tile.get("cut")]
    assert sum(read is not None and read["label"] == tile["label"] for tile, read in whole) >= 0.9 * len(whole)


def test_picture_without_tiles_is_reported(tmp_path: Path) -> None:
    """A plain table top is no trusted reading: one line and the exit code say so."""
    path = tmp_path / "bare.png"
    grain = np.random.default_rng(3).normal(0, 6, (600, 800, 1))
    cv2.imwrite(str(path), np.clip(np.float64([60, 95, 140]) + grain, 0, 255).astype(np.uint8))
    result = tilekeeper_read(path)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith(f"tilekeeper read: {path}: ")
    assert result.stderr.count("\n") == 1
    assert "tile" in result.stderr
