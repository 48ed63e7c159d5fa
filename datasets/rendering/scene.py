"""Compose and render one image with ground truth: racks of players, or melds on a table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from tilekeeper.datasets.rendering import objects
from tilekeeper.datasets.rendering.arrangement import fill_rack, full_stock, lay_flat, move, scatter_near, turn_about_z
from tilekeeper.datasets.rendering.camera import Phone, develop, hold_phone
from tilekeeper.datasets.rendering.light import draw_light
from tilekeeper.datasets.rendering.racks import Rack, build_rack, designs
from tilekeeper.datasets.rendering.raytracer import Part, trace
from tilekeeper.datasets.rendering.tiles import PlacedTile, build_tiles
from tilekeeper.datasets.rendering.truth import annotate, see_tiles
from tilekeeper.datasets.synthesis.printings.printing import Pool, Printing, draw_printing
from tilekeeper.datasets.synthesis.scene.layouts import draw_melds, lay_melds

Layout = Literal["rack", "melds"]
SIZES = ((960, 720), (720, 960), (960, 720), (960, 540))
MORE_RACKS = (0.68, 0.27, 0.05)  # shares of images with no, one and two racks besides the first
PLACES = {"left": 0.27, "right": 0.27, "behind": 0.22, "across": 0.24}
"""Places of further racks, with their shares; a rack across the table is an opponent's, seen from its back."""
MELDS_MM = 420.0, 320.0
WORN = 0.5  # share of sets with yellowed, dirty or scratched tiles


@dataclass(slots=True)
class Stage:
    """The contents of a scene: tiles, other parts, and the area in view, in mm.

    `width_mm`, `middle_mm (3,)`: width and centre of that area; `depth_mm`: y of its far end; `design`: name of the
    racks' design.
    """

    tiles: list[PlacedTile] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    width_mm: float = 300.0
    middle_mm: np.ndarray = field(default_factory=lambda: np.zeros(3))
    depth_mm: float = 100.0
    design: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A rendered image `(H, W, 3) uint8` BGR, its entry in `photos.json`, and its mask of faces `(H, W) uint8`."""

    image_bgr: np.ndarray
    entry: dict[str, Any]
    mask: np.ndarray


def _further_place(rng: np.random.Generator, place: str, rack: Rack, depth_mm: float) -> tuple[float, np.ndarray]:
    """Sample the rotation (radians) and the position (mm) of a rack at one of `PLACES` around the first rack.

    `depth_mm`: depth of a rack.
    """
    if place == "behind":
        return rng.normal(0, 0.15), np.array([rng.normal(0, 50), depth_mm + rng.uniform(15, 120), 0.0])
    if place == "across":
        away = np.array([rng.normal(0, 90), 2 * depth_mm + rng.uniform(200, 420), 0.0])
        return np.pi + rng.normal(0, 0.2), away
    side = -1.0 if place == "left" else 1.0
    turn = -side * rng.uniform(0, 0.7)
    apart = 2 * rack.half_width_mm + rng.uniform(16, 68) + rack.half_width_mm * (1 - np.cos(turn)) * 0.2
    return turn, np.array([side * apart, -abs(np.sin(turn)) * rack.half_width_mm * 0.4, 0.0])


def stage_racks(rng: np.random.Generator, printing: Printing, pool: Pool) -> Stage:
    """Set up one to three racks of one design with tiles, sometimes with loose tiles in front of them."""
    choices = designs(pool)
    design = choices[int(rng.integers(len(choices)))]
    labels = full_stock(rng)
    rack = build_rack(rng, design, printing)
    part = objects.rack_part(rng, rack)
    depth = float(rack.solid.points_mm[:, 1].max())
    top = float(rack.rests_mm[0, 2] + printing.height_mm)
    middle = np.array([0.0, depth / 2, top / 2])
    stage = Stage(width_mm=2 * rack.half_width_mm + 8, middle_mm=middle, depth_mm=depth, design=design.name)
    places = [(rng.normal(0, 0.03), np.zeros(3))]
    more = int(rng.choice(3, p=MORE_RACKS))
    for place in rng.choice(list(PLACES), more, replace=False, p=list(PLACES.values())):
        turn, away = _further_place(rng, str(place), rack, depth)
        places.append((turn, away))
        stage.depth_mm = max(stage.depth_mm, float(away[1]) + depth)
        if place in ("left", "right") and rng.random() < 0.6:
            stage.width_mm += abs(away[0])
            stage.middle_mm = stage.middle_mm + away / 2
    for index, (turn, away) in enumerate(places):
        tiles = fill_rack(rng, rack, printing, labels, index)
        stage.tiles += move(tiles, turn, away)
        stage.parts.append(replace(part, solid=rack.solid.moved(turn_about_z(turn), away)))
    if rng.random() < 0.35:
        stage.tiles += scatter_near(rng, labels, stage.width_mm / 2, len(places) * design.steps)
    return stage


def stage_melds(rng: np.random.Generator, printing: Printing) -> Stage:
    """Set up melds that lie flat on the table, by the same layouts as in `synthesis.scene`."""
    width, height = MELDS_MM
    laid = lay_melds(rng, draw_melds(rng, int(rng.integers(8, 40))), width, height, printing, tight=rng.random() < 0.4)
    return Stage(lay_flat(rng, laid, (-width / 2, height / 2)), width_mm=width, depth_mm=height / 2)


def _furnish(rng: np.random.Generator, stage: Stage, pool: Pool) -> None:
    """Add the table, other objects around the tiles, sometimes a wall behind the table and a hand at a tile."""
    behind = stage.depth_mm + (rng.uniform(60, 500) if rng.random() < 0.4 else 2500.0)
    stage.parts.append(objects.table_top(rng, pool, behind))
    if rng.random() < 0.5:
        stage.parts.append(objects.wall(rng, behind + rng.uniform(100, 900)))
    half = stage.width_mm / 2
    for number in range(int(rng.integers(0, 4))):
        spot = rng.uniform(-1.1, 1.1) * half, stage.depth_mm + rng.uniform(70, 300)
        if rng.random() < 0.3:
            spot = rng.uniform(-1, 1) * half, -rng.uniform(150, 260)
        if spot[1] + 70 < behind:
            stage.parts.append(objects.flat_thing(rng, spot, number))
    for _ in range(int(rng.integers(0, 3))):
        spot = rng.uniform(-1.2, 1.2) * half, stage.depth_mm + rng.uniform(150, 380)
        if spot[1] + 140 < behind:
            stage.parts.append(objects.standing_thing(rng, spot))
    if rng.random() < 0.12:
        held = stage.tiles[int(rng.integers(len(stage.tiles)))].position_mm + np.array([0, -14.0, 6.0])
        stage.parts.append(objects.fingers(rng, held + rng.normal(0, 8, 3)))


def _nearest_px(phone: Phone, printing: Printing, tiles: list[PlacedTile]) -> float:
    """Return the width of the nearest tile in pixels."""
    focal = phone.wh[0] / 2 / np.tan(phone.field_x / 2)
    return float(
        printing.width_mm * focal / min(np.linalg.norm(tile.position_mm - phone.position_mm) for tile in tiles)
    )


def render_picture(
    rng: np.random.Generator,
    pool: Pool = "train",
    layout: Layout = "rack",
    name: str = "00000.jpg",
    samples: int | None = None,
    wh: tuple[int, int] | None = None,
) -> Picture:
    """Render one image with its ground truth.

    `name`: file name in the ground truth; `samples`: samples of light per pixel, chosen by the variant if None; `wh`:
    size in pixels, one of `SIZES` if None.
    """
    printing = draw_printing(rng, pool, wide_inks=True)
    stage = stage_racks(rng, printing, pool) if layout == "rack" else stage_melds(rng, printing)
    _furnish(rng, stage, pool)
    size = SIZES[int(rng.integers(len(SIZES)))]
    elevation = (15.0, 60.0) if layout == "rack" else (18.0, 88.0)
    phone = hold_phone(rng, wh or size, stage.middle_mm, stage.width_mm, printing.width_mm, elevation)
    near_px = _nearest_px(phone, printing, stage.tiles)
    wear = rng.random() if rng.random() < WORN else 0.0
    meshes = build_tiles(stage.tiles, printing, int(np.clip(1.6 * near_px, 40, 176)), wear)
    gloss = 0.34 - 0.28 * printing.gloss
    faces = Part(meshes.faces, texture_bgr=meshes.atlas_bgr, roughness=gloss)
    bodies = Part(meshes.bodies, printing.base_bgr, roughness=gloss)
    light, seed = draw_light(rng, stage.middle_mm), int(rng.integers(2**31))
    linear_rgb, triangle = trace([bodies, *stage.parts], faces, light, phone, seed, samples)
    owner = np.where(triangle < 0, -1, triangle // meshes.triangles_per_face)
    visible_tiles = see_tiles(stage.tiles, printing, owner, phone.projection())
    image = develop(rng, linear_rgb, owner >= 0, near_px)
    entry, mask = annotate(visible_tiles, owner, name, layout, stage.design)
    return Picture(image, entry, mask)
