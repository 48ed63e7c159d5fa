"""`tilekeeper read`: the output that scripts rely on, bad input, and batches; with real photo files."""

import argparse
import json
import os
import pty
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.support.doubts import doubts_if
from tilekeeper.companion.cli import main, read
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.vision.types import GLARE, INKS, LabelProbabilities, ReadTile, Sighting, TableReading, TileSet, Trouble

QUAD_PX = np.array([[10, 20], [40, 20.26], [40, 60], [10, 60]], np.float32)
NAMES = LabelProbabilities(np.full(15, -np.log(15), np.float32), np.full(4, -np.log(4), np.float32))


def tile(label: str, *, track: int, runner_up: str = "", confidence: float = 0.99) -> ReadTile:
    """Return a tile `track` tiles to the right, doubtful if it has a runner-up."""
    sighting = Sighting(track, QUAD_PX + np.float32([40 * track, 0]), NAMES)
    return ReadTile(sighting, label, confidence, runner_up or "no-tile", doubts_if(runner_up))


def reading(*rows: tuple[ReadTile, ...], status: str = "ok") -> TableReading:
    """Return a reading whose tiles are not in the order of the rows."""
    found = sorted((each for row in rows for each in row), key=lambda each: -each.sighting.track)
    places = {id(each): place for place, each in enumerate(found)}
    return TableReading(
        tuple(found), tuple(tuple(places[id(each)] for each in row) for row in rows), (640, 480), status
    )


TABLE = reading(
    (tile("red-5", track=0), tile("red-6", track=1), tile("joker", track=2)),
    (tile("black-8", track=3), tile("blue-8", track=4, runner_up="blue-3", confidence=0.55), tile("orange-8", track=5)),
    (tile("red-13", track=6, runner_up="no-tile", confidence=0.31234567),),
)


class FixedReader:
    """A reader with one answer for every picture, which records its arguments."""

    def __init__(self, answer: TableReading = TABLE) -> None:
        self.answer = answer
        self.shapes: list[tuple[int, ...]] = []
        self.inks: set[tuple[str, ...]] = set()
        self.copies: set[int] = set()

    def read(self, image_bgr: np.ndarray, tile_set: TileSet) -> TableReading:
        assert image_bgr.dtype == np.uint8
        self.shapes.append(image_bgr.shape)
        self.inks.add(tile_set.inks)
        self.copies.add(tile_set.copies)
        return self.answer


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """A real JPEG."""
    path = tmp_path / "table.jpg"
    write_picture(path)
    return path


def write_picture(path: Path, image: np.ndarray | None = None) -> None:
    noise = np.random.default_rng(7).integers(0, 255, (480, 640, 3), np.uint8)
    written, data = cv2.imencode(path.suffix, noise if image is None else image)
    assert written
    path.write_bytes(data.tobytes())


def read_photos(*paths: Path, reader: FixedReader | None = None, json_wanted: bool = False) -> int:
    return read.read_photos(paths, reader or FixedReader(), TileSet(), json_wanted=json_wanted)  # type: ignore[arg-type]


def test_json_has_the_promised_shape(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every key, tiles in the order of the table, plain numbers, and `meld` as an index into `table`."""
    assert read_photos(photo, json_wanted=True) == 0
    (entry,) = json.loads(capsys.readouterr().out)["photos"]
    assert entry == {
        "file": str(photo),
        "width": 640,
        "height": 480,
        "status": "ok",
        "table": "R5 R6 J | K8 B8 O8 | R13",
        "troubles": [],
        "face_down": 0,
        "tiles": [
            {
                "label": label,
                "corners_px": [[10 + dx, 20.0], [40 + dx, 20.3], [40 + dx, 60.0], [10 + dx, 60.0]],
                "confidence": confidence,
                "doubtful": doubtful,
                "doubts": [{"reason": "unsure-number", "alternative": None}] if doubtful else [],
                "meld": meld,
            }
            for dx, label, confidence, doubtful, meld in (
                (0, "red-5", 0.99, False, 0),
                (40, "red-6", 0.99, False, 0),
                (80, "joker", 0.99, False, 0),
                (120, "black-8", 0.99, False, 1),
                (160, "blue-8", 0.55, True, 1),
                (200, "orange-8", 0.99, False, 1),
                (240, "red-13", 0.3123, True, 2),
            )
        ],
    }
    assert str(parse_table(entry["table"]).melds[0][2]) == "J"


def test_text_is_one_line_with_its_doubts(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table is one line with marked doubts, which are listed below it."""
    assert read_photos(photo) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{photo}: R5 R6 J | K8 B8? O8 | R13?",
        "  B8? in set 2 (55% sure, maybe B3)",
        "  R13? in set 3 (31% sure, maybe no tile)",
    ]


def test_bad_status_is_reported_and_exits_with_1(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An untrusted reading is a line on standard error, exit code 1, and a status in the JSON."""
    empty = FixedReader(reading(status="no tiles in the picture; point the camera at the table"))
    assert read_photos(photo, reader=empty, json_wanted=True) == 1
    captured = capsys.readouterr()
    (entry,) = json.loads(captured.out)["photos"]
    assert (entry["status"], entry["tiles"], entry["table"], entry["width"]) == (empty.answer.status, [], "", 640)
    assert captured.err == f"tilekeeper read: {photo}: {empty.answer.status}\n"
    assert read_photos(photo, reader=empty) == 1
    assert capsys.readouterr().out == ""


def test_batch_goes_on_past_bad_files(photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each bad file gets one line and an entry; the good ones between them are read."""
    text, cut, empty, thumbnail = (tmp_path / name for name in ("notes.jpg", "cut.jpg", "empty.png", "thumbnail.png"))
    text.write_text("no picture at all\n" * 50)
    cut.write_bytes(photo.read_bytes()[:20_000])
    empty.touch()
    write_picture(thumbnail, np.zeros((30, 40, 3), np.uint8))
    bad = [tmp_path / "missing.jpg", text, cut, empty, thumbnail]
    reader = FixedReader()
    assert read_photos(photo, *bad, photo, reader=reader, json_wanted=True) == 1
    captured = capsys.readouterr()
    entries = json.loads(captured.out)["photos"]
    assert [entry["file"] for entry in entries] == [str(path) for path in (photo, *bad, photo)]
    assert [entry["status"] == "ok" for entry in entries] == [True, *[False] * len(bad), True]
    assert len(reader.shapes) == 2
    for path, entry, line in zip(bad, entries[1:-1], captured.err.splitlines(), strict=True):
        assert entry == {
            "file": str(path),
            "width": None,
            "height": None,
            "status": entry["status"],
            "tiles": [],
            "table": "",
            "troubles": [],
            "face_down": 0,
        }
        assert line == f"tilekeeper read: {path}: {entry['status']}"


@pytest.mark.parametrize(
    ("name", "image"),
    [
        ("grey.jpg", np.full((200, 300), 90, np.uint8)),
        ("grey.png", np.full((200, 300), 90, np.uint8)),
        ("deep.png", np.full((200, 300, 3), 30_000, np.uint16)),
        ("deep-grey.png", np.full((200, 300), 30_000, np.uint16)),
        ("alpha.png", np.full((200, 300, 4), 90, np.uint8)),
        ("panorama.jpg", np.full((900, 12_000, 3), 90, np.uint8)),
    ],
)
def test_odd_pictures_reach_the_reader_as_bgr(name: str, image: np.ndarray, tmp_path: Path) -> None:
    """Grey, 16-bit, transparent and very wide pictures are read like any other."""
    write_picture(tmp_path / name, image)
    reader = FixedReader()
    assert read_photos(tmp_path / name, reader=reader) == 0
    ((height, width, channels),) = reader.shapes
    assert channels == 3
    assert width / height == pytest.approx(image.shape[1] / image.shape[0], rel=0.02)


def test_photos_of_a_folder_are_read_in_natural_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder stands for its pictures, 2 before 10, without hidden and other files or subfolders."""
    for name in ("photo-10.jpg", "photo-2.png", ".photo-1.jpg", "PHOTO-3.JPG"):
        write_picture(tmp_path / name)
    (tmp_path / "notes.txt").write_text("nothing")
    (tmp_path / "more.jpg").mkdir()
    assert read_photos(tmp_path, json_wanted=True) == 0
    files = [Path(entry["file"]).name for entry in json.loads(capsys.readouterr().out)["photos"]]
    assert files == ["photo-2.png", "PHOTO-3.JPG", "photo-10.jpg"]


def test_folder_without_pictures_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty folder is an error, not a silent success."""
    assert read_photos(tmp_path) == 1
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert "no pictures in this folder" in captured.err


def test_unknown_edition_lists_the_known_ones(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is 2, and no model is loaded."""
    assert main(["read", str(photo), "--rules", "large-number"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "'large-number'" in captured.err
    assert "large-numbers" in captured.err.replace("'large-number'", "")


def test_empty_name_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    """An empty variable in a script must not read the current folder by accident."""
    assert main(["read", ""]) == 2
    assert "the name is empty" in capsys.readouterr().err


def test_inks_and_copies_come_from_the_rules(photo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader gets the edition's names of inks, in its own order, and the number of copies of each tile."""
    reader = FixedReader()
    monkeypatch.setattr("tilekeeper.vision.shipped.load_reader", lambda *_: reader)
    how = {"photos": [photo], "rules": "large-numbers", "json": False, "rack": False, "own_set": None}
    assert read.run(argparse.Namespace(house=["stock.copies=3"], **how)) == 0
    assert reader.inks == {INKS}
    assert reader.copies == {3}
    assert read.run(argparse.Namespace(house=["stock.copies=5"], **how)) == 2


def troubled() -> TableReading:
    """A table with glare on the right and two tiles face down."""
    box = np.float32([[500, 200], [620, 200], [620, 260], [500, 260]])
    glare = Trouble(GLARE, "glare here: turn the lamp", box)
    return replace(TABLE, troubles=(glare,), face_down=np.float32([QUAD_PX + 200, QUAD_PX + 260]))


def test_troubles_and_face_down_tiles_are_printed(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Problems and their places are in the JSON and in words; the reading is still trusted."""
    assert read_photos(photo, reader=FixedReader(troubled()), json_wanted=True) == 0
    (entry,) = json.loads(capsys.readouterr().out)["photos"]
    region = [[500.0, 200.0], [620.0, 200.0], [620.0, 260.0], [500.0, 260.0]]
    assert entry["troubles"] == [{"kind": "glare", "words": "glare here: turn the lamp", "region_px": region}]
    assert entry["face_down"] == 2
    assert len(entry["tiles"]) == 7
    assert read_photos(photo, reader=FixedReader(troubled())) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  glare here: turn the lamp (right)" in lines
    assert lines[-1] == "  2 tiles face down"


def test_rack_option_prints_rows_count_and_points(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The tiles are one row whatever the melds, with their number and points; a joker counts by the rules."""
    scoring = rule_set("large-numbers").scoring
    assert read.read_photos([photo], FixedReader(), TileSet(), json_wanted=True, rack=scoring) == 0
    (entry,) = json.loads(capsys.readouterr().out)["photos"]
    assert entry["table"] == "R5 R6 J K8 B8 O8 R13"
    assert entry["rack"] == {"rows": [7], "count": 7, "points": 5 + 6 + scoring.joker_points + 3 * 8 + 13}
    assert {tile["meld"] for tile in entry["tiles"]} == {0}
    junior = rule_set("junior").scoring
    assert read.read_photos([photo], FixedReader(), TileSet(), json_wanted=False, rack=junior) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{photo}: R5 R6 J K8 B8? O8 R13?"
    assert lines[1].startswith("  B8? in row 1 (55% sure")
    assert lines[-1] == "  7 tiles, worth 7 if left on the rack"


def test_rack_in_two_rows_prints_the_count_of_each_row(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lower = [
        replace(tile, sighting=replace(tile.sighting, quad_px=tile.sighting.quad_px + np.float32([0, 70])))
        for tile in TABLE.tiles[4:]
    ]
    two_rows = replace(TABLE, tiles=(*TABLE.tiles[:4], *lower))
    scoring = rule_set("junior").scoring
    assert read.read_photos([photo], FixedReader(two_rows), TileSet(), json_wanted=False, rack=scoring) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{photo}: ")
    assert lines[0].count(" | ") == 1
    assert lines[-1] == "  4 + 3 = 7 tiles, worth 7 if left on the rack"
    assert read.read_photos([photo], FixedReader(two_rows), TileSet(), json_wanted=True, rack=scoring) == 0
    (entry,) = json.loads(capsys.readouterr().out)["photos"]
    assert entry["rack"] == {"rows": [4, 3], "count": 7, "points": 7}


def test_progress_bar_is_shown_only_on_a_terminal(photo: Path, tmp_path: Path) -> None:
    """The bar is on standard error if that is a terminal; the output in the file is unchanged."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\nfrom test_read import read_photos\n"
        "sys.exit(read_photos(*[Path(sys.argv[2])] * 3, json_wanted=True))"
    )
    terminal, screen = pty.openpty()
    try:
        result = subprocess.run(
            [sys.executable, "-c", program, Path(__file__).parent, photo],
            stdout=subprocess.PIPE,
            stderr=screen,
            text=True,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
            check=False,
        )
        os.close(screen)
        shown = os.read(terminal, 65536).decode(errors="ignore")  # the buffer may end within a letter
    finally:
        os.close(terminal)
    assert result.returncode == 0, shown
    assert len(json.loads(result.stdout)["photos"]) == 3
    assert "Reading" in shown
