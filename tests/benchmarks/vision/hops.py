"""Counts the hops of a settling frame and of a button press: how often a reader of the code changes the file.

    python -m tests.benchmarks.vision.hops

A hop is a distinct pair (calling function, called function) in different files. A lambda or a comprehension counts as
a part of its function. Calls are recorded with `sys.setprofile`.

* A frame is one of the demo film at which the table has settled; the files are those of `vision/`. Helpers in
  `geometry/`, `arrays.py` and `imaging.py` are not counted: a call that a helper makes counts as its caller's.
* A press is a POST of a game night without a camera, sent to the Flask app with a table that was entered by hand; the
  files are those of `companion/` and `engine/`. Each button is pressed once before, so that imports are not counted.

To count an older checkout, run this file from there: `PYTHONPATH=. .venv/bin/python /path/to/this/hops.py`.
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import cv2
import numpy as np

import tilekeeper.vision
from tests.support.frames import Frame
from tests.support.game_night_client import EveningClient
from tests.support.known_tables import MarkedTables
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.capture.source_choice import demo_path
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.app import create_app
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.vision.shipped import load_reader
from tilekeeper.vision.tracking.tracker import FrameReader

PACKAGE = f"{Path(tilekeeper.vision.__file__).parents[1]}/"
HELPERS = ("vision/geometry/", "vision/arrays.py", "vision/imaging.py")
STILL_AFTER_S = 0.25
NESTED = re.compile(r"(\.<locals>\.<[a-z]+>)+$")
T = TypeVar("T")
GROUP, RUN = "K10 B10 O10", "R3 R4 R5"


@dataclass(slots=True)
class Hops:
    """The calls between files that were recorded."""

    rooms: tuple[str, ...]
    """Folders of the package, such as `vision/`, whose files are counted."""
    pairs: set[tuple[str, str]] = field(default_factory=set)
    """Calling and called function, each as `file:function`."""
    files: set[str] = field(default_factory=set)

    def record(self, work: Callable[..., T], *arguments: object) -> T:
        """Do the work, record its calls in this thread, and return what it returns."""
        sys.setprofile(self._note)
        try:
            return work(*arguments)
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call" or (called := self._function(frame)) is None:
            return
        file = called.partition(":")[0]
        self.files.add(file)
        back = frame.f_back
        while back is not None:
            if (calling := self._function(back)) is not None:
                if calling.partition(":")[0] != file:
                    self.pairs.add((calling, called))
                return
            back = back.f_back

    def _function(self, frame: FrameType) -> str | None:
        """Return a frame's function as `file:function`; None for one that is not counted."""
        file = frame.f_code.co_filename
        if not file.startswith(PACKAGE) or frame.f_code.co_name == "<module>":
            return None
        file = file.removeprefix(PACKAGE)
        if not file.startswith(self.rooms) or file.startswith(HELPERS):
            return None
        return f"{file}:{NESTED.sub('', frame.f_code.co_qualname)}"


def settling_frames() -> Iterator[tuple[str, Hops]]:
    """Yield the hops of each frame of the demo film at which the table has settled."""
    path = demo_path()
    assert path is not None, "the demo film is not installed"
    film = cv2.VideoCapture(str(path))
    fps, number = film.get(cv2.CAP_PROP_FPS), 0
    reader = FrameReader(load_reader(2), STILL_AFTER_S)
    while (image := film.read()[1]) is not None:
        hops = Hops(("vision/",))
        hops.record(reader.push, Frame(np.asarray(image, np.uint8), number / fps))
        if reader.rest.settled:
            yield f"frame {number}", hops
        number += 1


def presses() -> Iterator[tuple[str, Hops]]:
    """Yield the hops of each button of a short game night, which is played twice."""
    for is_warm in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            source = NoSource()
            app = create_app(Settings(rule_set("large-numbers"), source, MarkedTables(), source.name, Path(folder)))
            try:
                yield from (pressed for pressed in _play(EveningClient(app)) if is_warm)
            finally:
                parts(app).close()


def _play(client: EveningClient) -> Iterator[tuple[str, Hops]]:
    client.begin("Ada", "Bo")
    buttons: tuple[tuple[str, dict[str, Any]], ...] = (
        ("starter", {"player": 0, "overruled": True}),
        ("deal", {}),
        ("done", {"table": GROUP}),
        ("draw", {}),
        ("done", {"table": f"{GROUP} | {RUN}"}),
        ("undo", {}),
    )
    for button, body in buttons:
        revision, hops = client.evening["revision"], Hops(("companion/", "engine/"))
        answer = hops.record(client.send, f"/api/evening/{button}", {"revision": revision, **body})
        assert answer.status_code == 200, f"{button} was refused"
        yield button, hops


def main() -> None:
    """Print each count, and the median and the largest of a frame and of a press."""
    for what, counted in (("settling frame", settling_frames()), ("press", presses())):
        hops, files = [], []
        for name, one in counted:
            hops.append(len(one.pairs))
            files.append(len(one.files))
            print(f"  {name}: {hops[-1]} hops among {files[-1]} files")
        print(
            f"{what}: median {statistics.median(hops):g} hops among {statistics.median(files):g} files, "
            f"at most {max(hops)} among {max(files)}, of {len(hops)}"
        )


if __name__ == "__main__":
    main()
