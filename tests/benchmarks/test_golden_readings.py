"""Golden readings: equal tables give equal bytes, and a changed table is reported in plain words."""

from __future__ import annotations

import copy
import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.benchmarks.golden_readings import Record, differences, main, read_records
from tilekeeper.datasets.synthesis.scene.tables import as_annotation, render_table

MELDS = [["red-3", "red-4", "red-5"], ["blue-9", "black-9", "orange-9"]]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two rendered tables, and a still stream of the first table."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "images").mkdir()
    (folder / "streams" / "1").mkdir(parents=True)
    entries = []
    for seed in range(2):
        table = render_table(np.random.default_rng(seed), "kept-out", (640, 480), "melds", 40, hands=False, melds=MELDS)
        cv2.imwrite(str(folder / "images" / f"{seed}.png"), table.image_bgr)
        entries.append(as_annotation(table, f"{seed}.png"))
        if not seed:
            for frame in range(8):
                cv2.imwrite(str(folder / "streams" / "1" / f"{frame:04d}.jpg"), table.image_bgr)
    (folder / "photos.json").write_text(json.dumps({"photos": entries}), "utf-8")
    return folder


@pytest.fixture(scope="module")
def golden(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record the readings of the tables; return the folder."""
    folder = tmp_path_factory.mktemp("golden")
    assert main(["record", str(folder), *options(tables)]) == 0
    return folder


@pytest.fixture
def record(golden: Path) -> Record:
    """Return the record of the first table."""
    return read_records(golden / "kept-out.jsonl.gz")["0.png"]


def options(tables: Path) -> list[str]:
    return ["--kept-out", str(tables), "--streams", str(tables / "streams")]


def changes(before: Record, later: Record) -> dict[str, str]:
    return dict(differences(before, later))


def test_equal_tables_give_equal_bytes(tables: Path, golden: Path, tmp_path: Path) -> None:
    """Another number of threads changes no byte, and the data equals the reading."""
    main(["record", str(tmp_path), *options(tables), "--threads", "1"])
    for name in ("kept-out.jsonl.gz", "streams.jsonl.gz"):
        assert (tmp_path / name).read_bytes() == (golden / name).read_bytes()
    tables_read, frames_read = (read_records(golden / f"{kind}.jsonl.gz") for kind in ("kept-out", "streams"))
    assert list(tables_read) == ["0.png", "1.png"]
    assert sorted(tile["label"] for tile in tables_read["0.png"]["tiles"]) == sorted(itertools.chain(*MELDS))
    # a still table is not recorded again for every frame
    assert 1 < len(frames_read) < 8


def test_only_a_changed_image_gives_a_difference(
    tables: Path, golden: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Equal readings exit with 0; a painted-over tile is reported as missing, and the command exits with 1."""
    assert main(["compare", str(golden), *options(tables)]) == 0
    assert "kept-out: 2 compared, 0 differ" in capsys.readouterr().out
    changed = shutil.copytree(tables, tmp_path / "changed")
    image = cv2.imread(str(changed / "images" / "1.png"))
    tile = read_records(golden / "kept-out.jsonl.gz")["1.png"]["tiles"][0]
    around = cv2.convexHull(np.reshape(tile["corners"], (4, 2)).astype(np.int32))
    cv2.fillConvexPoly(image, around, (60, 80, 60))
    cv2.imwrite(str(changed / "images" / "1.png"), image)
    assert main(["compare", str(golden), "--kept-out", str(changed)]) == 1
    out = capsys.readouterr().out
    assert "kept-out: 2 compared, 1 differ" in out
    assert f"1.png: {tile['label']} at" in out
    assert "tile gone: 1" in out
    # a tenth of two images is the first one
    assert main(["compare", str(golden), "--kept-out", str(changed), "--fewer"]) == 0
    assert "kept-out: 1 compared, 0 differ" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("at", "value", "kind", "words"),
    [
        (("status",), "too dark", "status", "status was ok, is too dark"),
        (("troubles",), [["glare", [0.0] * 8]], "troubles", "glare"),
        (("rows",), [[0, 1, 2, 3, 4, 5]], "rows", " became "),
        (("tiles", 0, "label"), "joker", "label", "is joker"),
        (("tiles", 0, "doubtful"), True, "doubtful", "doubtful was False, is True"),
        (("tiles", 0, "track"), 77, "track", "is 77"),
    ],
)
def test_one_change_is_one_difference_of_its_kind(
    record: Record, at: tuple[Any, ...], value: object, kind: str, words: str
) -> None:
    """Each change of a reading has its own kind and plain words."""
    changed = copy.deepcopy(record)
    place = changed
    for step in at[:-1]:
        place = place[step]
    place[at[-1]] = value
    changed_kinds = changes(record, changed)
    assert set(changed_kinds) == {kind}
    assert words in changed_kinds[kind]


def test_rounding_is_distinguished_from_a_move(record: Record) -> None:
    """A corner 0.1 px or a confidence 0.0001 away may be rounding; more is not."""
    changed = copy.deepcopy(record)
    tile = changed["tiles"][0]
    tile["corners"][0], tile["confidence"] = tile["corners"][0] + 0.1, tile["confidence"] - 0.0001
    assert set(changes(record, changed)) == {"corners by a step of rounding", "confidence by a step of rounding"}
    tile["corners"][0], tile["confidence"] = tile["corners"][0] + 0.1, tile["confidence"] - 0.0001
    assert set(changes(record, changed)) == {"corners", "confidence"}


def test_tiles_in_another_order_are_the_same(record: Record) -> None:
    """Tiles and rows are matched by place, whatever their order in the list."""
    changed = copy.deepcopy(record)
    last = len(record["tiles"]) - 1
    changed["tiles"].reverse()
    changed["rows"] = [[last - tile for tile in row] for row in record["rows"]]
    changed["other_rows"] = [
        way | {"rows": [[last - tile for tile in row] for row in way["rows"]]} for way in record["other_rows"]
    ]
    assert set(changes(record, changed)) == {"order of tiles"}
