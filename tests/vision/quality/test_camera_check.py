"""The camera check reports the reflection of a lamp, but not white tiles that are as bright."""

import json
from dataclasses import replace

import cv2
import numpy as np

from tests.support.known_tables import table_reading
from tilekeeper.companion.capture.source_choice import demo_path
from tilekeeper.vision.quality.camera_check import check_camera
from tilekeeper.vision.types import ReadTile, TableReading

LAMP = (900, 120, 1000, 190)
"""Left, top, right and bottom of the reflection, in pixels."""


def recorded() -> tuple[np.ndarray, TableReading]:
    """Return a frame of the recorded table with forty tiles, and its reading."""
    demo = demo_path()
    assert demo is not None
    still = json.loads(demo.with_suffix(".json").read_text("utf-8"))["stills"][5]
    film = cv2.VideoCapture(str(demo))
    film.set(cv2.CAP_PROP_POS_FRAMES, still["last_frame"])
    has_frame, image = film.read()
    assert has_frame
    known = table_reading("R1 R2 R3").tiles[0]

    def tile(quad: list[list[float]]) -> ReadTile:
        return replace(known, sighting=replace(known.sighting, quad_px=np.array(quad, np.float32)))

    tiles = tuple(tile(quad) for meld in still["quads_px"] for quad in meld)
    return image, TableReading(tiles, tuple((at,) for at in range(len(tiles))), image.shape[1::-1])


def test_white_tiles_in_good_light_are_no_glare():
    """Their faces are as bright as possible and still readable."""
    image, reading = recorded()
    assert (cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) >= 252).mean() > 0.005
    assert [problem.code for problem in check_camera(image, reading)] == []


def test_lamp_reflected_beside_the_tiles_is_glare():
    image, reading = recorded()
    left, top, right, bottom = LAMP
    cv2.rectangle(image, (left, top), (right, bottom), (255, 255, 255), -1)
    (problem,) = check_camera(image, reading)
    assert problem.code == "glare"
    height, width = image.shape[:2]
    assert np.allclose(problem.boxes, [[left / width, top / height, right / width, bottom / height]], atol=0.005)
