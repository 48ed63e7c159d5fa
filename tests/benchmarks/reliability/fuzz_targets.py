"""Fuzz targets, each in its own process: `python -m tests.benchmarks.reliability.fuzz_targets TARGET [OPTIONS]`.

Atheris generates the bytes by coverage, with libFuzzer's options. An exception of a target that is no refusal ends the
process.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import atheris

with atheris.instrument_imports(
    include=[
        "tilekeeper.engine.tiles",
        "tilekeeper.engine.game",
        "tilekeeper.vision.photos",
        "tilekeeper.companion.capture.sources",
    ]
):
    from tilekeeper.companion.capture.video_capture import CaptureFailed, open_recording
    from tilekeeper.engine.game.events import GameStarted
    from tilekeeper.engine.game.game import Game
    from tilekeeper.engine.game.log import GameLogError, parse_log
    from tilekeeper.engine.game.state import EventRefused
    from tilekeeper.engine.tiles.errors import NotationError
    from tilekeeper.engine.tiles.notation import parse_rack, parse_table
    from tilekeeper.vision.photos import UnreadablePhoto, decode_photo

LONGEST_S = 2.0
"""Limit of processor time for one case, independent of the load of the machine."""
FRAMES = 8
PATHS = (
    "/api/evenings", "/api/evening/table", "/api/evening/amend", "/api/evening/judge", "/api/evening/lots", "/api/join",
    "/api/play-area", "/api/group", "/api/evening/begun", "/api/evening/settings", "/api/camera",
)  # fmt: skip
Target = Callable[[bytes], None]


def pictures(data: bytes) -> None:
    """Load any bytes as a photo, up to the size that a page may send."""
    from tilekeeper.companion.capture.upload import MOST_PX

    with suppress(UnreadablePhoto):
        assert decode_photo(data, MOST_PX).image_bgr.ndim == 3


def notations(data: bytes) -> None:
    """Parse any text as a table and as a rack; a parsed one must round-trip."""
    text = data.decode(errors="replace")
    with suppress(NotationError):
        table = parse_table(text)
        assert parse_table(str(table)) == table
    with suppress(NotationError):
        parse_rack(text)


def events(data: bytes) -> None:
    """Replay any lines as the file of a game, as far as possible."""
    with suppress(GameLogError, EventRefused):
        entries = parse_log(data.decode(errors="replace"))
        if entries and isinstance(entries[0], GameStarted):
            game = Game.start(entries[0])
            for entry in entries[1:]:
                game = game.record(entry)


def bodies() -> Target:
    """Send any bytes as the body of a request to a route that takes more than a number."""
    from tests.benchmarks.reliability.api_cases import prepare
    from tests.benchmarks.reliability.apps import watched

    folder = tempfile.TemporaryDirectory()
    app = watched(Path(folder.name)).__enter__()
    app.testing = False
    prepare(app)
    client = app.test_client()

    def send(data: bytes) -> None:
        path = PATHS[data[0] % len(PATHS)] if data else PATHS[0]
        answer = client.post(path, data=data[1:], content_type="application/json")
        assert answer.status_code < 500, answer.get_data(as_text=True)
        assert folder.name
        if answer.status_code == 200:
            prepare(app)

    return send


def streams() -> Target:
    """Open any bytes as a video."""
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name, "stream.mp4")

    def play(data: bytes) -> None:
        path.write_bytes(data)
        try:
            video = open_recording(path)
        except CaptureFailed:
            return
        for _ in range(FRAMES):
            if video.read() is None:
                break
        video.close()
        assert folder.name

    return play


TARGETS: dict[str, Target | Callable[[], Target]] = {
    "pictures": pictures, "notations": notations, "events": events, "bodies": bodies, "streams": streams,
}  # fmt: skip
MADE = ("bodies", "streams")
"""These entries of `TARGETS` are functions that return the target."""


def seeds(target: str) -> list[bytes]:
    """Return valid inputs from which others are generated."""
    import cv2
    import numpy as np

    picture = np.random.default_rng(1).integers(0, 255, (72, 96, 3), np.uint8)
    if target == "pictures":
        return [cv2.imencode(kind, picture)[1].tobytes() for kind in (".jpg", ".png", ".webp", ".bmp")]
    if target == "notations":
        return [b"R3 R4 J | K7 B7 O7 Y7", b"K13 K1", b"| J J"]
    if target == "streams":
        jpeg = cv2.imencode(".jpg", picture)[1].tobytes()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "film.mp4")
            writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 5, (96, 72))
            for _ in range(4):
                writer.write(picture)
            writer.release()
            return [path.read_bytes(), 3 * jpeg]
    from tests.support.games import deal_game, tiles_laid

    if target == "events":
        return [deal_game(players=3, table="R3 R4 R5").record(tiles_laid("R3 R4 R5 R6")).format().encode()]
    sent = [
        {"seats": [{"people": ["Ada"]}, {"people": ["Bo", "Cleo"]}], "edition": "large-numbers", "house": ["x.y=1"]},
        {"revision": 1, "table": "R3 R4 R5", "reason": "spilt"},
        {"revision": 1, "place": 1, "event": {"event": "dealt", "counts": [14, 14]}},
        {"table": "R3 R4 R5"}, {"revision": 1, "tiles": "R3 J"}, {"code": "ABC234", "name": "Ada"},
        {"corners": [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]]}, {"reading": 1, "rows": [[0, 1], [2]]},
        {"revision": 1, "opened": [0], "racks": [{"player": 0, "tiles": 9}], "pool": 30},
        {"revision": 1, "timer": "strict"}, {"width_px": 640, "height_px": 480, "exposure_s": 0.01},
    ]  # fmt: skip
    return [bytes([at]) + json.dumps(body).encode() for at, body in enumerate(sent)]


def main(argv: list[str]) -> None:
    """Fuzz one target with libFuzzer's options; this ends the process."""
    name, *options = argv
    found = TARGETS[name]
    target: Target = found() if name in MADE else found  # type: ignore[call-arg,assignment]  # as `MADE` says

    def one(data: bytes) -> None:
        begun_s = time.process_time()
        target(data)
        took_s = time.process_time() - begun_s
        assert took_s < LONGEST_S, f"took {took_s:.1f} s"

    with tempfile.TemporaryDirectory() as corpus:
        for at, seed in enumerate(seeds(name)):
            Path(corpus, str(at)).write_bytes(seed)
        atheris.Setup([sys.argv[0], *options, corpus], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
