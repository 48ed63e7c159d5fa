"""Stand-ins for the camera and the reader: pictures with known tables, and sources controlled by the test."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import cv2
import numpy as np
from flask.testing import FlaskClient

from tests.support.doubts import doubts_if
from tests.support.judged_turns import JudgedTurns
from tilekeeper.companion.adjudication.turn import Case, Judged
from tilekeeper.companion.capture.camera_controls import ControlStates
from tilekeeper.companion.capture.sources import Frame, SourceUnavailable
from tilekeeper.companion.observation.observed_table import observed_table, with_persons_label
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.tile import Colour
from tilekeeper.vision.recognition.inks import InkEvidence
from tilekeeper.vision.scene import Rest, State
from tilekeeper.vision.tracking.motion_detection import MotionDetector
from tilekeeper.vision.types import INKS, OK, LabelProbabilities, ReadTile, Sighting, TableReading, TileSet

PICTURE_WH = (960, 720)
TILE_WH = (48, 66)
MARK_PX = 24
FILM_BEFORE = "R3 R4 R5 | K8 B8 O8"
FILM_AFTER = "R3 R4 R5 R6 | K8 B8 O8"
# A turn in which eight jokers were freed at once, in 40,000 possible ways.
TOO_MANY_WAYS = (
    " | ".join(f"{ink}1 J {ink}3 {ink}4 J {ink}6 | {ink}9 {ink}10 {ink}11" for ink in "KBOR"),
    " | ".join(f"{ink}1 {ink}2 {ink}3 {ink}4 {ink}5 {ink}6 | J {ink}9 {ink}10 {ink}11 J" for ink in "KBOR"),
)
CERTAIN = 0.99995
"""The confidence of a tile without doubts."""
LABELS = ["joker", *(f"{colour.word}-{number}" for colour in Colour for number in range(100))]
UNKNOWN = LabelProbabilities(np.full(15, -np.log(15), np.float32), np.full(4, -np.log(4), np.float32))


def tile_corner_px(meld: int, position: int) -> tuple[int, int]:
    """Return the top left corner of a tile: melds are below each other in two columns."""
    return 60 + 460 * (meld % 2) + TILE_WH[0] * position, 60 + 110 * (meld // 2)


def quad_at(meld: int, position: int) -> np.ndarray:
    """Return the corners of a tile, `(4, 2) float32`, clockwise from its top left."""
    x, y = tile_corner_px(meld, position)
    w, h = TILE_WH
    return np.array([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], np.float32)


def track_of(label: str, meld: int, position: int) -> int:
    """Return the track of a tile: equal for the same tile at the same place in every reading."""
    return (100 * LABELS.index(label) + meld) * 100 + position


def names_of(likely: Mapping[str, float]) -> LabelProbabilities:
    """Return class probabilities with these shares for some labels, and nearly 0 for all others."""
    numbers, inks = np.full(15, 1e-5), np.full(4, 1e-5)
    for label, share in likely.items():
        ink, _, number = label.partition("-")
        if ink in INKS:
            numbers[int(number) - 1] += share
            inks[INKS.index(ink)] += share
        else:
            numbers[13 if label == "joker" else 14] += share
            inks += share / 4
    return LabelProbabilities(np.log(numbers / numbers.sum()), np.log(inks / inks.sum()))


def table_reading(notation: str, doubts: Mapping[tuple[int, int], str] | None = None, status: str = OK) -> TableReading:
    """Return a reading of a table; `doubts` has the runner-up labels of doubtful tiles by (meld, position)."""
    doubts = doubts or {}
    tiles, rows = [], []
    for meld, row in enumerate(parse_table(notation).melds):
        rows.append(tuple(range(len(tiles), len(tiles) + len(row))))
        for position, tile in enumerate(row):
            runner_up = doubts.get((meld, position))
            sure = runner_up is None
            names = names_of({tile.label: 0.99} if sure else {tile.label: 0.6, runner_up: 0.39})
            sighting = Sighting(track_of(tile.label, meld, position), quad_at(meld, position), names)
            tiles.append(
                ReadTile(sighting, tile.label, 0.99 if sure else 0.6, runner_up or "no-tile", doubts_if(not sure))
            )
    return TableReading(tuple(tiles), tuple(rows), PICTURE_WH, status)


def without(notation: str, *places: tuple[int, int]) -> TableReading:
    """Return a reading of a table without the tiles at some (meld, position); all others keep their places."""
    whole = table_reading(notation)
    missing = [whole.rows[meld][at] for meld, at in places]
    kept = [at for at in range(len(whole.tiles)) if at not in missing]
    rows: list[tuple[int, ...]] = []
    for row in whole.rows:
        parts: list[list[int]] = [[]]
        for at in row:
            if at in missing:
                parts.append([])
            else:
                parts[-1].append(kept.index(at))
        rows += [tuple(part) for part in parts if part]
    tiles = tuple(whole.tiles[at] for at in kept)
    return TableReading(tiles, tuple(rows), whole.image_wh)


def judged_turn(rules: RuleSet, before: str, after: TableReading, number: int = 1) -> Judged:
    """Return the verdict on a turn of a player who has opened, from a table to that of a reading."""
    return Case(observed_table(table_reading(before)), after, TurnContext(rules, opened=True), number).judged()


def sure_but(notation: str, at: int, other: str, share: float) -> TableReading:
    """Return a reading without doubts in which the classifier gives one tile another label with some probability."""
    reading = table_reading(notation)
    tiles = [replace(tile, confidence=CERTAIN) for tile in reading.tiles]
    names = names_of({tiles[at].label: 1 - share, other: share})
    tiles[at] = replace(tiles[at], sighting=replace(tiles[at].sighting, names=names))
    return replace(reading, tiles=tuple(tiles))


@dataclass
class MarkedTables:
    """Tables known by a grey mark in the picture's corner, which survives JPEG and video compression."""

    readings: list[TableReading] = field(default_factory=list)
    delay_s: float = 0.0

    def picture(self, reading: TableReading) -> np.ndarray:
        """Return a picture `(H, W, 3) uint8` that `read` reads as `reading`."""
        self.readings.append(reading)
        image = np.full((PICTURE_WH[1], PICTURE_WH[0], 3), (60, 90, 40), np.uint8)
        for tile in reading.tiles:
            cv2.fillConvexPoly(image, tile.sighting.quad_px.astype(np.int32), (225, 240, 245))
            x, y = tile.sighting.quad_px[0].astype(int)
            number = tile.label.rpartition("-")[2][:2]
            cv2.putText(image, number, (x + 6, y + 30), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (40, 40, 160), 2)
        image[:MARK_PX, :MARK_PX] = 16 * len(self.readings)
        return image

    def read(self, image_bgr: np.ndarray, tile_set: TileSet | None = None) -> TableReading:
        """Return the reading by the mark; a picture without a mark has no tiles."""
        time.sleep(self.delay_s)
        height_px, width_px = image_bgr.shape[:2]
        mark = image_bgr[4 : MARK_PX * height_px // 720 - 4, 4 : MARK_PX * width_px // 960 - 4].mean()
        return self.readings[round(mark / 16) - 1]

    def tracker(self, still_after_s: float) -> "MarkedTracker":
        """Return a tracker for these tables."""
        return MarkedTracker(self, still_after_s)


class KnownTables(Protocol):
    """Reads pictures whose tables are known."""

    def read(self, image_bgr: np.ndarray, tile_set: TileSet) -> TableReading: ...


class MarkedTracker:
    """A stand-in for the tracker: reads the mark of each settled table, and keeps people's corrections.

    A tile keeps its track while it stays, and when it is the only moved tile of its label.
    """

    def __init__(self, tables: KnownTables, still_after_s: float) -> None:
        self._tables = tables
        self._gate = MotionDetector(still_after_s)
        self._tile_set = TileSet()
        self._next = 0
        self.forget()

    @property
    def is_done(self) -> bool:
        """True: a settled table is read completely at once."""
        return self.rest.state is State.STILL and not self.rest.settled

    @property
    def ink_words(self) -> tuple[InkEvidence, ...]:
        """Return nothing, since tiles are not classified by colour here."""
        return ()

    def remember(self, words: Iterable[InkEvidence]) -> None:
        """Ignore the evidence: each tile is known by the mark."""

    def forget_inks(self) -> None:
        """Do nothing."""

    def push(self, frame: Frame) -> TableReading:
        """Process a frame and return the newest reading."""
        self.rest = self._gate.push(frame.image_bgr, frame.time_s)
        if self.rest.settled and self.rest.state is State.STILL:
            self._follow(replace(self._tables.read(frame.image_bgr, self._tile_set), time_s=frame.time_s))
            self._name()
        return self.reading

    def correct(self, track: int, label: str) -> TableReading:
        """Set the label of a tile by its track."""
        if track not in [tile.sighting.track for tile in self._read.tiles]:
            raise KeyError(track)
        self._labels[track] = label
        self._name()
        return self.reading

    def play_with(self, tile_set: TileSet) -> None:
        self._tile_set = tile_set

    def look_again(self) -> None:
        self._gate.forget()
        self.rest = Rest(State.MOVING)

    def forget(self) -> None:
        self.look_again()
        self._labels: dict[int, str] = {}
        self._tracks: dict[int, int] = {}
        """The current track of each tile, by the result of `track_of`; the two differ after a tile was moved."""
        self._read = self.reading = TableReading((), (), (0, 0))

    def _follow(self, reading: TableReading) -> None:
        """Give the tiles of a reading their earlier tracks."""
        here = [tile.sighting.track for tile in reading.tiles]
        free_tracks = {was // 10_000: track for was, track in self._tracks.items() if was not in here}
        tracks = {}
        for at in here:
            tracks[at] = self._tracks[at] if at in self._tracks else free_tracks.pop(at // 10_000, None)
            if tracks[at] is None:
                tracks[at], self._next = self._next, self._next + 1
        self._tracks = tracks
        tiles = [
            replace(tile, sighting=replace(tile.sighting, track=tracks[tile.sighting.track])) for tile in reading.tiles
        ]
        self._read = replace(reading, tiles=tuple(tiles))

    def _name(self) -> None:
        self.reading = self._read
        for index, tile in enumerate(self._read.tiles):
            if tile.sighting.track in self._labels:
                self.reading = with_persons_label(self.reading, index, self._labels[tile.sighting.track])


class PlayedSource:
    """A source that shows the images of the test, with a frame every few milliseconds."""

    def __init__(self, kind: str = "camera", name: str = "camera 0") -> None:
        self.kind, self.name, self.trouble = kind, name, ""
        self.closed = False
        self._image: np.ndarray | None = None
        self._count = 0
        self._lock = threading.Lock()

    def show(self, image_bgr: np.ndarray | None) -> None:
        """Show another image."""
        with self._lock:
            self._image = image_bgr

    def restart(self) -> None:
        """Begin again with frame 0, as a recording does."""
        with self._lock:
            self._count = 0

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        time.sleep(0.01)
        with self._lock:
            if self._image is None or self.closed:
                return None
            self._count += 1
            return Frame(self._image, time.monotonic(), self.name, self._count)

    def close(self) -> None:
        self.closed = True


class TunedSource(PlayedSource):
    """A camera with adjustable focus, exposure and white balance."""

    def __init__(self) -> None:
        super().__init__()
        self.controls: ControlStates | None = None
        self.focus_requests = 0
        self.box: tuple[float, ...] = ()

    def refocus(self) -> None:
        self.focus_requests += 1

    def look_at(self, box: tuple[float, float, float, float]) -> None:
        self.box = box


class PlayedPhotos:
    """A folder of photos in memory; None stands for a photo that can't be opened."""

    kind = "photos"
    name = "holiday"
    trouble = ""

    def __init__(self, images: list[np.ndarray | None]) -> None:
        self.images, self.index, self.count = images, 0, len(images)
        self._turned = threading.Event()
        self._turned.set()

    def step(self, by: int) -> int:
        self.index = (self.index + by) % self.count
        self._turned.set()
        return self.index

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        if not self._turned.wait(min(timeout_s, 0.05)):
            return None
        self._turned.clear()
        image = self.images[self.index]
        if image is None:
            raise SourceUnavailable(f"photo-{self.index}.jpg: no picture; save it again as JPEG or PNG")
        return Frame(image, time.monotonic(), f"photo-{self.index}.jpg", self.index)

    def close(self) -> None:
        self._turned.set()


class Player:
    """A client that presses buttons and waits for states."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        self.turns = JudgedTurns(self.press, self.state)

    def state(self) -> dict:
        return self.client.get("/api/state").get_json()

    def press(self, what: str, **body: object) -> dict:
        """Press a button that must work."""
        answer = self.client.post(f"/api/{what}", json=body)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return answer.get_json()

    def until(self, holds: Callable[[dict], object], timeout_s: float = 60.0) -> dict:
        """Wait until the state meets a condition, and return it."""
        end_s = time.monotonic() + timeout_s
        while time.monotonic() < end_s:
            state = self.state()
            if holds(state):
                return state
            time.sleep(0.01)
        raise AssertionError(f"still waiting in {state}")

    def sees(self, notation: str) -> dict:
        """Wait until the table is read as a notation and has settled."""
        return self.until(lambda s: s["settled"] and s["reading"] and s["reading"]["table"] == notation)
