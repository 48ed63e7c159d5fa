"""Other objects in a scene: the table top, racks, flat clutter, boxes, cups, fingers and walls."""

from __future__ import annotations

import numpy as np

from tilekeeper.datasets.rendering.arrangement import turn_about_z
from tilekeeper.datasets.rendering.racks import Rack
from tilekeeper.datasets.rendering.raytracer import Part
from tilekeeper.datasets.rendering.solids import capsule, merge, prism, revolve, rounded_box, sheet
from tilekeeper.datasets.synthesis.clutter.catalogue import CLUTTER
from tilekeeper.datasets.synthesis.noise import any_colour, hsv
from tilekeeper.datasets.synthesis.printings.printing import Pool, choices
from tilekeeper.datasets.synthesis.surfaces.catalogue import SURFACES
from tilekeeper.datasets.synthesis.surfaces.wood import board

RAISED_THINGS = ("cup", "glass", "bowl", "candle", "box-open", "empty-rack")  # drawn with visible sides
FLAT_THINGS = tuple(name for name in CLUTTER if name not in RAISED_THINGS)
PLASTICS = {  # hue (degrees), saturation and value of racks
    "black": ((0, 360), (0, 0.25), (0.04, 0.2)),
    "white": ((20, 60), (0, 0.15), (0.78, 0.97)),
    "colour": ((0, 360), (0.3, 1.0), (0.2, 0.9)),
}
TABLE_PX, TABLE_PX_PER_MM = 1280, 1.7  # side and scale of a table's texture, which is mirrored beyond its edges


def table_top(rng: np.random.Generator, pool: Pool, behind_mm: float) -> Part:
    """Return a table top with a random surface of the pool; its far edge is at y = `behind_mm`."""
    names = choices("surfaces", tuple(SURFACES), pool)
    texture = SURFACES[names[int(rng.integers(len(names)))]](rng, (TABLE_PX, TABLE_PX), TABLE_PX_PER_MM)
    corners = np.array([[-2500.0, -2500.0], [2500.0, -2500.0], [2500.0, behind_mm], [-2500.0, behind_mm]])
    turn = turn_about_z(rng.choice([0, np.pi / 2]) + rng.normal(0, 0.15))[:2, :2]
    # The origin is near the middle of the texture, so that the texture's mirrored edge is seldom visible.
    uv = corners @ turn.T * TABLE_PX_PER_MM / TABLE_PX + rng.uniform(0.35, 0.65, 2)
    roughness = rng.uniform(0.08, 0.4) if rng.random() < 0.5 else None
    return Part(sheet(corners, uv), texture_bgr=texture, roughness=roughness)


def rack_part(rng: np.random.Generator, rack: Rack) -> Part:
    """Return a rack of black, white or coloured plastic, or of painted or plain wood."""
    if rack.material == "wood":
        tone, value = rng.uniform(10, 36), rng.uniform(0.25, 0.95)
        stops = [hsv(tone, 0.6, value * 0.65), hsv(tone + 3, 0.5, value)]
        texture = board(rng, (512, 512), 4.0, stops, rng.uniform(0.5, 1.1))
        roughness = rng.uniform(0.12, 0.5) if rng.random() < 0.6 else None
        return Part(rack.solid, texture_bgr=texture, roughness=roughness)
    colour = hsv(*(rng.uniform(*limits) for limits in PLASTICS[rack.material]))
    return Part(rack.solid, colour, roughness=float(np.exp(rng.uniform(np.log(0.04), np.log(0.4)))))


def flat_thing(rng: np.random.Generator, spot_mm: tuple[float, float], number: int) -> Part:
    """Return a random object of the clutter catalogue, drawn from above, as a thin sheet on the table.

    `number`: its index among the sheets, which raises each a little above the others.
    """
    scale = 2.0
    bgra = CLUTTER[FLAT_THINGS[int(rng.integers(len(FLAT_THINGS)))]](rng, scale)
    half_h, half_w = np.array(bgra.shape[:2]) / scale / 2
    corners = np.array([[-half_w, half_h], [-half_w, -half_h], [half_w, -half_h], [half_w, half_h]])
    solid = sheet(corners, np.array([[0, 0], [0, 1], [1, 1], [1, 0]]))
    at = np.array([*spot_mm, 0.4 + 0.2 * number])
    return Part(solid.moved(turn_about_z(rng.uniform(-np.pi, np.pi)), at), texture_bgr=bgra)


def standing_thing(rng: np.random.Generator, spot_mm: tuple[float, float]) -> Part:
    """Return a box or a cup that stands on the table at `spot_mm`."""
    at, turn = np.array([*spot_mm, 0.0]), turn_about_z(rng.uniform(-np.pi, np.pi))
    if rng.random() < 0.5:
        radius, height, wall = rng.uniform(28, 45), rng.uniform(60, 110), rng.uniform(2, 5)
        foot = radius * rng.uniform(0.6, 1.0)
        profile = [(0, 0), (foot, 0), (foot + 1, 2), (radius, height), (radius - wall, height)]
        solid = revolve(np.array([*profile, (foot - wall, height * 0.3), (0, height * 0.28)]))
    else:
        size = rng.uniform(60, 260), rng.uniform(60, 200), rng.uniform(12, 120)
        solid = merge(rounded_box(*size, 2.0, 1.0))
    return Part(solid.moved(turn, at), any_colour(rng, (0.0, 0.9), (0.1, 1.0)), roughness=rng.uniform(0.05, 0.4))


def fingers(rng: np.random.Generator, at_mm: np.ndarray) -> Part:
    """Return two to four fingers and a palm, made of capsules, that hold something at `at_mm (3,)`."""
    reach = rng.uniform(-0.6, 0.6)
    away = np.array([np.sin(reach), -np.cos(reach), rng.uniform(0.0, 0.5)])
    across = np.array([np.cos(reach), np.sin(reach), 0.0])
    radius = rng.uniform(7, 9.5)
    parts = []
    palm = at_mm + away * rng.uniform(75, 95)
    for finger in range(int(rng.integers(2, 5))):
        tip = at_mm + across * (finger * 2.3 * radius + rng.normal(0, 2)) + away * rng.normal(0, 7)
        knuckle = tip + away * rng.uniform(30, 42) + [0, 0, rng.uniform(4, 18)]
        parts += [capsule(tip, knuckle, radius * 0.92), capsule(knuckle, palm + across * finger * 2.1 * radius, radius)]
    middle = palm + across * 2.2 * radius
    parts.append(capsule(middle, middle + away * 260, 27.0))
    skin = hsv(rng.uniform(12, 28), rng.uniform(0.24, 0.48), rng.uniform(0.28, 0.92))
    return Part(merge(parts), skin, roughness=0.35)


def wall(rng: np.random.Generator, y_mm: float) -> Part:
    """Return a wall or the back of a sofa at `y_mm`, behind the table."""
    polygon = np.array([[y_mm, -800.0], [y_mm, rng.uniform(100, 1500)], [y_mm + 20, 1500.0], [y_mm + 20, -800.0]])
    return Part(prism(polygon, -3000.0, 3000.0), any_colour(rng, (0.0, 0.5), (0.15, 0.95)))
