"""The hands in a recorded game: each reaches in from its player's side, moves tiles, and leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.clutter.catalogue import hand
from tilekeeper.datasets.synthesis.recordings.places import Arrangement
from tilekeeper.datasets.synthesis.recordings.studio import HAND_Z_MM, Edges, Pose, Studio
from tilekeeper.datasets.synthesis.scene.composition import Sprite

SIDES = {1: ("south",), 2: ("south", "north"), 3: ("south", "west", "east"), 4: ("south", "west", "north", "east")}
"""The sides of the players, in the order of play, by number of players."""
HANDFUL = 4
"""Maximum number of tiles in a hand."""
LIFT_MM = 14.0
OUT_OF_SIGHT_MM = 70.0
"""Distance of a rack from the image's edge; if it were larger, the table would seem settled between two trips."""
SHOULDER_MM = 420.0
SPEED_MM_S = 600.0
MOST_S = 1.1


@dataclass(frozen=True, slots=True)
class Arm:
    """A player's hand and arm, fingers up: `bgra (h, w, 4) uint8`, and the point between the fingertips in pixels."""

    bgra: np.ndarray
    px_per_mm: float
    grip_px: tuple[float, float]

    def reaching(self, grip_mm: np.ndarray, shoulder_mm: np.ndarray) -> Sprite:
        """Return the arm as a sprite that reaches from `shoulder_mm (2,)` to the point `grip_mm (2,)` on the table."""
        along = grip_mm - shoulder_mm
        turn = float(np.arctan2(along[0], -along[1]))
        height, width = self.bgra.shape[:2]
        from_grip = (np.array([width / 2, height / 2]) - self.grip_px) / self.px_per_mm
        cos, sin = np.cos(turn), np.sin(turn)
        middle = grip_mm + np.array([[cos, -sin], [sin, cos]]) @ from_grip
        return Sprite(self.bgra, self.px_per_mm, float(middle[0]), float(middle[1]), turn, HAND_Z_MM, True)


def draw_arm(rng: np.random.Generator, px_per_mm: float, reach_mm: float) -> Arm:
    """Draw a hand with stretched fingers on an arm of at least `reach_mm`, which extends beyond the image."""
    drawn = [hand(np.random.default_rng(int(seed)), px_per_mm) for seed in rng.integers(2**31, size=5)]

    def fingers(bgra: np.ndarray) -> float:
        palm = bgra.shape[1] / 2.6  # width of the sprite in palms; the fingers end near its top
        return float((bgra[round(0.25 * palm) : round(0.9 * palm), :, 3] > 127).mean())

    bgra = max(drawn, key=lambda one: fingers(one) + 0.05 * one.shape[0] / one.shape[1])
    height, width = bgra.shape[:2]
    palm = width / 2.6
    grip = (width / 2, 0.42 * palm)
    missing = round(reach_mm * px_per_mm) - height
    if missing > 0:
        # The forearm is stretched, whose end is outside the image.
        start = min(height - 4, round(2.6 * palm))
        lower = cv2.resize(bgra[start:], (width, height - start + missing), interpolation=cv2.INTER_LINEAR)
        bgra = np.vstack([bgra[:start], lower])
    return Arm(bgra, px_per_mm, grip)


@dataclass(frozen=True, slots=True)
class Instant:
    """One frame of a turn: poses of lying and of carried pieces by key, and the hand's place, None if outside."""

    lying: dict[int, Pose]
    carried: dict[int, Pose]
    grip_mm: np.ndarray | None


@dataclass(frozen=True, slots=True)
class _Trip:
    """Pieces that a hand moves together; `start` is None if they come from the rack, `end` if they go to it."""

    keys: tuple[int, ...]
    start: dict[int, Pose] | None
    end: dict[int, Pose] | None


def _trips(before: Arrangement, after: Arrangement, studio: Studio) -> list[_Trip]:
    """Return the trips of a turn: first those off the table, then those across it, then those onto it."""
    from_row = {piece.key: index for index, row in enumerate(before.rows) for piece in row}
    removed = [piece.key for row in before.rows for piece in row if piece.key not in after.spots]
    parties: dict[tuple[int, int | None, float, float], list[int]] = {}
    for index, row in enumerate(after.rows):
        for piece in row:
            old, new = before.spots.get(piece.key), after.spots[piece.key]
            if old != new:
                # Tiles of one meld that move alike go together; so do tiles from the rack that join the same meld.
                way = (0.0, 0.0) if old is None else (round(new.x - old.x, 0), round(new.y - old.y, 0))
                parties.setdefault((index, from_row.get(piece.key), *way), []).append(piece.key)
    off, about, onto = [], [], []
    for key in removed:
        off.append(_Trip((key,), {key: studio.pose(before.spots[key])}, None))
    for (_, origin, *_), keys in parties.items():
        size = (
            len(keys) if origin is not None else -(-len(keys) // -(-len(keys) // HANDFUL))
        )  # five tiles make trips of three and two
        for first in range(0, len(keys), size):
            load = tuple(keys[first : first + size])
            end = {key: studio.pose(after.spots[key]) for key in load}
            if origin is None:
                onto.append(_Trip(load, None, end))
            else:
                about.append(_Trip(load, {key: studio.pose(before.spots[key]) for key in load}, end))
    return [*off, *_unblocked(about, studio.printing.width_mm), *onto]


def _unblocked(trips: list[_Trip], width_mm: float) -> list[_Trip]:
    """Order the trips so that, if possible, no tile is laid on an occupied spot."""
    waiting, ordered = list(trips), []
    while waiting:

        def blocked(trip: _Trip) -> bool:
            waiting_poses = [pose for other in waiting if other is not trip for pose in (other.start or {}).values()]
            goals = (trip.end or {}).values()
            return any(
                abs(o.x_mm - g.x_mm) < width_mm * 0.9 and abs(o.y_mm - g.y_mm) < width_mm
                for o in waiting_poses
                for g in goals
            )

        free = next((trip for trip in waiting if not blocked(trip)), waiting[0])
        waiting.remove(free)
        ordered.append(free)
    return ordered


def _home(side: str, edges: Edges, towards: np.ndarray, beyond_mm: float) -> np.ndarray:
    """Return a point `(2,)` in mm, `beyond_mm` outside a side of the image, from which a hand reaches `towards`."""
    return {
        "south": np.array([0.55 * towards[0], edges.south_mm + beyond_mm]),
        "north": np.array([0.55 * towards[0], edges.north_mm - beyond_mm]),
        "west": np.array([edges.west_mm - beyond_mm, 0.55 * towards[1]]),
        "east": np.array([edges.east_mm + beyond_mm, 0.55 * towards[1]]),
    }[side]


def shoulder_of(side: str, edges: Edges, grip_mm: np.ndarray) -> np.ndarray:
    """Return the place `(2,)` of the shoulder in mm while the hand is at `grip_mm (2,)`."""
    return _home(side, edges, grip_mm, SHOULDER_MM)


def _middle(poses: dict[int, Pose]) -> np.ndarray:
    middle: np.ndarray = np.mean([[pose.x_mm, pose.y_mm] for pose in poses.values()], axis=0)
    return middle


def carry(before: Arrangement, after: Arrangement, side: str, studio: Studio, fps: float) -> Iterator[Instant]:
    """Yield the frames in which a player's hand changes one table into another, until it has left the image."""
    lying = {key: studio.pose(spot) for key, spot in before.spots.items()}
    trips = _trips(before, after, studio)
    at: np.ndarray | None = None  # None while the hand is outside the image, where it moves without any frames
    for trip in trips:
        goal = _middle(trip.end if trip.end is not None else trip.start or {})
        home = _home(side, studio.edges, goal, OUT_OF_SIGHT_MM)
        pick = home if trip.start is None else _middle(trip.start)
        drop = home if trip.end is None else goal
        if at is not None:
            way = _way(at, pick, fps, "begin" if trip.start is None else "both")
        else:
            way = [] if trip.start is None else _way(home, pick, fps, "end")
        for grip in way:
            yield Instant(dict(lying), {}, grip)
        for key in trip.keys:
            lying.pop(key, None)
        way = _way(pick, drop, fps, "end" if trip.start is None else "begin" if trip.end is None else "both")
        for step, grip in enumerate(way):
            yield Instant(dict(lying), _carried(trip, grip, pick, goal, (step + 1) / len(way)), grip)
        lying |= trip.end or {}
        at = None if trip.end is None else drop
        if at is not None:
            yield Instant(dict(lying), {}, at)
    if at is not None:
        for grip in _way(at, _home(side, studio.edges, at, OUT_OF_SIGHT_MM), fps, "begin"):
            yield Instant(dict(lying), {}, grip)


def _way(start: np.ndarray, end: np.ndarray, fps: float, gentle: str = "both") -> list[np.ndarray]:
    """Return the points of a movement, one per frame, without its start; none if it has no length.

    `gentle`: where the movement is slow, `both`, `begin` or `end`.
    """
    distance = float(np.linalg.norm(end - start))
    if distance < 1.0:
        return []
    frames = max(2, round(fps * min(MOST_S, 0.3 + distance / SPEED_MM_S)))
    shares = np.arange(1, frames + 1) / frames
    paces = {"both": shares * shares * (3 - 2 * shares), "begin": shares**2, "end": 1 - (1 - shares) ** 2}
    return [start + (end - start) * share for share in paces[gentle]]


def _carried(trip: _Trip, grip: np.ndarray, pick: np.ndarray, goal: np.ndarray, share: float) -> dict[int, Pose]:
    """Return the poses of the pieces in a hand after `share` of its way, 0 to 1; they are lifted on the way."""
    start, end = trip.start, trip.end
    rise, fall = (1.0 if start is None else 4 * share), (1.0 if end is None else 4 * (1 - share))
    lift = LIFT_MM * min(1.0, rise, fall)
    poses = {}
    for key in trip.keys:
        first, last = (start or {}).get(key), (end or {}).get(key)
        offset = np.zeros(2)
        turn = 0.0
        if first is not None:
            offset += (np.array([first.x_mm, first.y_mm]) - pick) * (1.0 if last is None else 1 - share)
            turn += first.turn * (1.0 if last is None else 1 - share)
        if last is not None:
            offset += (np.array([last.x_mm, last.y_mm]) - goal) * (1.0 if first is None else share)
            turn += last.turn * (1.0 if first is None else share)
        poses[key] = Pose(float(grip[0] + offset[0]), float(grip[1] + offset[1]), turn, lift)
    return poses
