"""Tiles that lay on the table when the turn began and are found nowhere, though their places look as if they lay there.

Nobody took them, as far as can be seen: the eye has lost them. Each is told as a doubtful tile where it lay, so that
the page shows it, and people are asked before a turn is called illegal for it. Where the place shows the table, it was
taken.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import cv2
import numpy as np

from tilekeeper.companion.observation.crops import decoded
from tilekeeper.companion.observation.observed_table import UNSEEN, Laid, answered, is_unseen
from tilekeeper.companion.observation.start_table import lay_there
from tilekeeper.companion.session.snapshot import Picture
from tilekeeper.engine.table import Place
from tilekeeper.vision.geometry.quads import centres_px, sizes_wh_px
from tilekeeper.vision.types import (
    IN_THE_WAY,
    INKS,
    JOINT_JOKER,
    NO_TILE_LABEL,
    NOT_A_TILE,
    NUMBERS,
    ReadTile,
    Sighting,
    TableReading,
    TileNames,
    label_of,
    number_and_ink,
)

TAKEN_AWAY = -1
"""The track of one of which a person said that it lies there no more."""
SAME_PLACE = 0.6
"""In tile widths: where another tile is found nearer than this, it lies in the place of the one that is missed."""
BESIDE = 0.45
"""In tile widths: a tile whose middle is nearer than this to the next place in the row lies in it."""
AROUND = (1.25, 1.45)
"""The table is looked at along outlines so many times as large as the place."""
MOST_TILES, FEWEST = 6, 8
"""So many tiles show how a tile looks here; with fewer looks at the table nobody can tell, and people are asked."""
ALIKE = 18.0
"""In CIE L*a*b*: a table whose colour is nearer to that of the tiles than this says nothing of a place."""
LIKELY = 0.6
"""How likely a tile that is missed lies there still, as far as the judge is told: people are asked in any case."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A person's word for a place: the label of the tile that lies there still, `no-tile` for none."""

    centre_px: tuple[float, float]
    label: str


class StillThere:
    """Adds to readings what lies there still; remembers what people said of it. Not for several threads at once."""

    def __init__(self) -> None:
        """Begin with nothing said."""
        self._said: tuple[_Said, ...] = ()

    def tells(self, tile: ReadTile) -> bool:
        """Whether it is told by this and not by the eye, be it that a person has said that it lies there."""
        return is_unseen(tile) or any(_near(one, tile.sighting.quad_px) for one in self._said)

    def say(self, tile: ReadTile, label: str) -> None:
        """Take a person's word for such a tile; `no-tile` where it lies there no more."""
        here = _middle(tile.sighting.quad_px)
        self._said = (*(one for one in self._said if not _near(one, tile.sighting.quad_px)), _Said(here, label))

    def applied(
        self, start: Laid | None, reading: TableReading, picture: Picture | None, inks: tuple[str, str, str, str]
    ) -> TableReading:
        """Return a reading with the tiles that are missed and may lie there still, the doubtful ones last.

        Args:
            start: the table at the start of the turn; none where no turn is played.
            reading: what was read.
            picture: the picture of it; without one nothing is added.
            inks: the names of the inks.
        """
        # what is found again is told by the eye, and what was said of its place is over
        self._said = tuple(
            one for one in self._said if not any(_near(one, tile.sighting.quad_px) for tile in reading.tiles)
        )
        missed = () if start is None else _missed(start, reading)
        if start is None or picture is None or not missed:
            return reading
        for place in missed:
            quad_px = np.array(start.quads_px[place.meld][place.position], np.float32)
            label = start.table.tile_at(place).label
            said = next((one.label for one in self._said if _near(one, quad_px)), None)
            if _in_the_way(reading, quad_px) or not _shows_a_tile(picture, quad_px, reading):
                continue
            track = start.tracks[place.meld][place.position] if start.tracks else len(reading.tiles)
            reading = _with(reading, _unseen(track, quad_px, label, inks))
            if said is not None:
                reading = said_of_unseen(reading, len(reading.tiles) - 1, said)
        return reading


def said_of_unseen(reading: TableReading, index: int, label: str) -> TableReading:
    """Return a reading with a person's word for a tile that is not seen.

    One that lies there no more lay there when the turn began, and was taken; any other was so from the beginning.
    """
    if label != NO_TILE_LABEL:
        return answered(reading, index, label)
    tile = reading.tiles[index]
    gone = replace(
        tile,
        label=NO_TILE_LABEL,
        runner_up=NO_TILE_LABEL,
        doubtful=False,
        confidence=1.0,
        sighting=replace(tile.sighting, track=TAKEN_AWAY),
    )
    rows: list[tuple[int, ...]] = []
    for row in reading.rows:  # what lies on either side of the gap lies in a row of its own
        cut = row.index(index) if index in row else len(row)
        rows += [part for part in (row[:cut], row[cut + 1 :]) if part]
    return replace(reading, tiles=(*reading.tiles[:index], gone, *reading.tiles[index + 1 :]), rows=tuple(rows))


def _missed(start: Laid, reading: TableReading) -> tuple[Place, ...]:
    """The places of tiles that are missed, and in which no other tile is found.

    Of tiles that are alike only so many are missed as lie nowhere else.
    """
    there = Counter(tile.label for tile in reading.tiles)
    lay = Counter(tile.label for _, tile in start.table.places())
    if not lay - there:
        return ()
    known = set(lay_there(start, reading).values())
    found = []
    for place, tile in start.table.places():
        quad = start.quads_px[place.meld][place.position]
        if place in known or not quad or place.meld in start.loose or lay[tile.label] <= there[tile.label]:
            continue
        quad_px = np.array(quad, np.float32)
        if not any(_is_near(quad_px, other.sighting.quad_px) for other in reading.tiles):
            found.append(place)
    return tuple(found)


def _unseen(track: int, quad_px: np.ndarray, label: str, inks: tuple[str, str, str, str]) -> ReadTile:
    joint = next((at for at in range(JOINT_JOKER + 1) if label_of(at, inks) == label), JOINT_JOKER)
    number, ink = number_and_ink(joint)
    numbers, colours = np.full(NUMBERS + 2, 1e-6), np.full(len(INKS), 1e-6)
    numbers[number], numbers[NOT_A_TILE] = LIKELY, 1 - LIKELY
    colours[ink] = 1.0
    names = TileNames(np.log(numbers / numbers.sum()), np.log(colours / colours.sum()))
    return ReadTile(Sighting(track, quad_px, names), label, UNSEEN, NO_TILE_LABEL, doubtful=True)


def _with(reading: TableReading, tile: ReadTile) -> TableReading:
    """The reading with one tile more, in the row or between the rows that lie beside it."""
    index, quad_px = len(reading.tiles), tile.sighting.quad_px
    across = (quad_px[1] - quad_px[0] + quad_px[2] - quad_px[3]) / 2
    middles = centres_px(np.array([one.sighting.quad_px for one in (*reading.tiles, tile)]))
    near = BESIDE * float(np.linalg.norm(across))
    rows = [
        row
        for row in reading.rows
        if any(np.linalg.norm(middles[at] - middles[index] - side * across) < near for at in row for side in (-1, 1))
    ]
    longest = max(rows, key=len, default=())
    along = middles[longest[-1]] - middles[longest[0]] if len(longest) > 1 else across
    merged = tuple(sorted((index, *(at for row in rows for at in row)), key=lambda at: float(middles[at] @ along)))
    first = min((reading.rows.index(row) for row in rows), default=len(reading.rows))
    kept = [row for row in reading.rows if row not in rows]
    others = tuple(one for one in reading.other_rows if not any(set(row) & set(merged) for row in one.rows))
    rows_now = (*kept[:first], merged, *kept[first:])
    return replace(reading, tiles=(*reading.tiles, tile), rows=rows_now, other_rows=others)


def _shows_a_tile(picture: Picture, quad_px: np.ndarray, reading: TableReading) -> bool:
    """Whether a place on the picture looks like the tiles beside it rather than like the table around it."""
    image, scale = decoded(picture)
    seen = [tile.sighting.quad_px for tile in reading.tiles if tile.confidence > UNSEEN and not tile.sighting.hidden]
    if not seen:
        return False
    seen_px, here = np.array(seen, np.float32) * scale, np.asarray(quad_px, np.float32) * scale
    nearest = np.argsort(np.linalg.norm(seen_px.mean(axis=1) - here.mean(axis=0), axis=1))[:MOST_TILES]
    face = np.median([np.median(_colours(image, _within(seen_px[at])), axis=0) for at in nearest], axis=0)
    around = _ring(here)
    bare = around[[not _in_any(point, seen_px) for point in around]]
    place = _colours(image, _within(here))
    table = _colours(image, bare) if len(bare) else place[:0]
    if len(table) < FEWEST or not len(place):
        return bool(len(place))
    ground = np.median(table, axis=0)
    if np.linalg.norm(face - ground) < ALIKE:
        return True
    like_tile = np.linalg.norm(place - face, axis=1) < np.linalg.norm(place - ground, axis=1)
    return float(like_tile.mean()) > 0.5


def _in_the_way(reading: TableReading, quad_px: np.ndarray) -> bool:
    """Whether something covers a place: what lies beneath is waited for, not guessed."""
    regions = [trouble.region_px for trouble in reading.troubles if trouble.kind == IN_THE_WAY]
    return any(cv2.pointPolygonTest(region.astype(np.float32), _middle(quad_px), False) >= 0 for region in regions)


def _colours(image_bgr: np.ndarray, points_px: np.ndarray) -> np.ndarray:
    """The colours `(N, 3)` of an image at points, in CIE L*a*b*; those outside the image are left out."""
    at = points_px.round().astype(int)
    at = at[((at >= 0) & (at < image_bgr.shape[1::-1])).all(axis=1)]
    if not len(at):
        return np.zeros((0, 3), np.float32)
    pixels = image_bgr[at[:, 1], at[:, 0]].astype(np.float32)[None] / 255
    return cv2.cvtColor(pixels, cv2.COLOR_BGR2LAB)[0]


def _within(quad: np.ndarray) -> np.ndarray:
    """Points `(N, 2)` all over the inner part of a quad."""
    right, down = np.meshgrid(np.linspace(0.15, 0.85, 12), np.linspace(0.12, 0.88, 16))
    right, down = right.reshape(-1, 1), down.reshape(-1, 1)
    top, bottom = quad[0] + right * (quad[1] - quad[0]), quad[3] + right * (quad[2] - quad[3])
    return top + down * (bottom - top)


def _ring(quad: np.ndarray) -> np.ndarray:
    """Points `(N, 2)` around a quad."""
    middle, along = quad.mean(axis=0), np.linspace(0, 1, 12, endpoint=False)[:, None]
    rings = [middle + (quad - middle) * larger for larger in AROUND]
    return np.concatenate([ring[at] + along * (ring[(at + 1) % 4] - ring[at]) for ring in rings for at in range(4)])


def _in_any(point: np.ndarray, quads: np.ndarray) -> bool:
    x, y = float(point[0]), float(point[1])
    return any(cv2.pointPolygonTest(quad, (x, y), False) >= 0 for quad in quads)


def _middle(quad_px: np.ndarray) -> tuple[float, float]:
    x, y = centres_px(quad_px[None])[0]
    return float(x), float(y)


def _near(said: _Said, quad_px: np.ndarray) -> bool:
    apart = np.subtract(_middle(quad_px), said.centre_px)
    return float(np.hypot(*apart)) < SAME_PLACE * float(sizes_wh_px(quad_px[None])[0, 0])


def _is_near(quad_px: np.ndarray, other_px: np.ndarray) -> bool:
    return _near(_Said(_middle(other_px), ""), quad_px)
