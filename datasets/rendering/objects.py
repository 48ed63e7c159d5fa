"""Other things in a scene: the table top, sheets and small things that lie flat, boxes, cups, phones and fingers."""

from __future__ import annotations

import numpy as np

from tilekeeper.datasets.rendering.arrangement import turn_about_z
from tilekeeper.datasets.rendering.raytracer import Part, Surface
from tilekeeper.datasets.rendering.solids import capsule, merge, prism, revolve, rounded_box, sheet
from tilekeeper.datasets.synthesis.clutter.catalogue import CLUTTER
from tilekeeper.datasets.synthesis.noise import any_colour, hsv
from tilekeeper.datasets.synthesis.printings.printing import Pool, choices
from tilekeeper.datasets.synthesis.surfaces.catalogue import SURFACES
from tilekeeper.datasets.synthesis.surfaces.wood import board

RAISED_THINGS = ("cup", "glass", "bowl", "candle", "box-open", "empty-rack")
"""Things that are drawn with visible sides, so they can't lie flat."""
FLAT_THINGS = tuple(name for name in CLUTTER if name not in RAISED_THINGS)
TABLE_PX, TABLE_PX_PER_MM = 1280, 1.7
"""Size and scale of the texture of a table; beyond it the texture is mirrored."""


def table_top(rng: np.random.Generator, pool: Pool, behind_mm: float) -> Part:
    """Return a table top, `behind_mm` deep behind the origin, with a surface of the pool."""
    names = choices("surfaces", tuple(SURFACES), pool)
    texture = SURFACES[names[int(rng.integers(len(names)))]](rng, (TABLE_PX, TABLE_PX), TABLE_PX_PER_MM)
    size = TABLE_PX / TABLE_PX_PER_MM
    wide = 2500.0
    corners = np.array([[-wide, -wide], [wide, -wide], [wide, behind_mm], [-wide, behind_mm]])
    turn = turn_about_z(rng.choice([0, np.pi / 2]) + rng.normal(0, 0.15))[:2, :2]
    uv = corners @ turn.T / size + rng.uniform(0, 1, 2)
    roughness = rng.uniform(0.08, 0.4) if rng.random() < 0.5 else None
    return Part(sheet(corners, uv), Surface(texture_bgr=texture, roughness=roughness))


def rack_surface(rng: np.random.Generator, material: str) -> Surface:
    """Return black, white or coloured plastic, or painted or plain wood."""
    if material == "wood":
        tone, value = rng.uniform(10, 36), rng.uniform(0.25, 0.95)
        stops = [hsv(tone, 0.6, value * 0.65), hsv(tone + 3, 0.5, value)]
        texture = board(rng, (512, 512), 4.0, stops, rng.uniform(0.5, 1.1))
        return Surface(texture_bgr=texture, roughness=rng.uniform(0.12, 0.5) if rng.random() < 0.6 else None)
    if material == "black":
        colour = hsv(rng.uniform(0, 360), rng.uniform(0, 0.25), rng.uniform(0.04, 0.2))
    elif material == "white":
        colour = hsv(rng.uniform(20, 60), rng.uniform(0, 0.15), rng.uniform(0.78, 0.97))
    else:
        colour = any_colour(rng, (0.3, 1.0), (0.2, 0.9))
    return Surface(colour, roughness=float(np.exp(rng.uniform(np.log(0.04), np.log(0.4)))))


def flat_thing(rng: np.random.Generator, spot_mm: tuple[float, float], number: int) -> Part:
    """Return one thing of the clutter catalogue, drawn from above, as a thin sheet on the table."""
    scale = 2.0
    bgra = CLUTTER[FLAT_THINGS[int(rng.integers(len(FLAT_THINGS)))]](rng, scale)
    half_h, half_w = np.array(bgra.shape[:2]) / scale / 2
    corners = np.array([[-half_w, half_h], [-half_w, -half_h], [half_w, -half_h], [half_w, half_h]])
    solid = sheet(corners, np.array([[0, 0], [0, 1], [1, 1], [1, 0]]))
    at = np.array([*spot_mm, 0.4 + 0.2 * number])
    return Part(solid.moved(turn_about_z(rng.uniform(-np.pi, np.pi)), at), Surface(texture_bgr=bgra))


def standing_thing(rng: np.random.Generator, spot_mm: tuple[float, float]) -> Part:
    """Return a box, a cup or a bottle on the table."""
    at, turn = np.array([*spot_mm, 0.0]), turn_about_z(rng.uniform(-np.pi, np.pi))
    surface = Surface(any_colour(rng, (0.0, 0.9), (0.1, 1.0)), roughness=rng.uniform(0.05, 0.4))
    kind = rng.random()
    if kind < 0.45:
        radius, height, wall = rng.uniform(28, 45), rng.uniform(60, 110), rng.uniform(2, 5)
        foot = radius * rng.uniform(0.6, 1.0)
        profile = [(0, 0), (foot, 0), (foot + 1, 2), (radius, height), (radius - wall, height)]
        profile += [(foot - wall, height * 0.3), (0, height * 0.28)]
        return Part(revolve(np.array(profile)).moved(turn, at), surface)
    if kind < 0.6:
        radius, height = rng.uniform(25, 40), rng.uniform(150, 260)
        profile = [(0, 0), (radius, 0), (radius, height * 0.6), (radius * 0.35, height * 0.8), (radius * 0.35, height)]
        return Part(revolve(np.array([*profile, (0, height)])).moved(turn, at), surface)
    width, depth, height = rng.uniform(60, 260), rng.uniform(60, 200), rng.uniform(12, 120)
    box = merge(list(rounded_box(width, depth, height, 2.0, 1.0)))
    return Part(box.moved(turn, at), surface)


def fingers(rng: np.random.Generator, at_mm: np.ndarray) -> Part:
    """Return a few fingers and a palm, as capsules, that hold something at `at_mm` from the front or the side."""
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
    skin = hsv(rng.uniform(12, 28), rng.uniform(0.28, 0.6), rng.uniform(0.28, 0.92))
    return Part(merge(parts), Surface(skin, roughness=0.35))


def wall(rng: np.random.Generator, y_mm: float) -> Part:
    """Return a wall or a sofa behind the table."""
    polygon = np.array([[y_mm, -800.0], [y_mm, rng.uniform(100, 1500)], [y_mm + 20, 1500.0], [y_mm + 20, -800.0]])
    colour = hsv(rng.uniform(0, 360), rng.uniform(0, 0.5), rng.uniform(0.15, 0.95))
    return Part(prism(polygon, -3000.0, 3000.0), Surface(colour))
