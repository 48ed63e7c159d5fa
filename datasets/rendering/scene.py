"""Compose and render one picture: racks of players, or melds on a table, with truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from tilekeeper.datasets.rendering import objects
from tilekeeper.datasets.rendering.arrangement import (
    fill_rack,
    full_stock,
    lay_flat,
    move,
    scatter_near,
    turn_about_z,
)
from tilekeeper.datasets.rendering.camera import Phone, hold_phone
from tilekeeper.datasets.rendering.develop import develop
from tilekeeper.datasets.rendering.light import draw_lamps, draw_room
from tilekeeper.datasets.rendering.racks import Rack, build_rack, designs
from tilekeeper.datasets.rendering.raytracer import Part, Surface, trace
from tilekeeper.datasets.rendering.tiles import PlacedTile, build_tiles
from tilekeeper.datasets.rendering.truth import SeenTile, annotate, see_tiles
from tilekeeper.datasets.synthesis.printings.printing import Pool, Printing, draw_printing
from tilekeeper.datasets.synthesis.scene.layouts import draw_melds, lay_melds

Layout = Literal["rack", "melds"]
SIZES = ((960, 720), (720, 960), (960, 720), (960, 540))
MORE_RACKS = 0.3
"""Share of pictures with a second rack beside or behind the first; a third one is half as likely."""
MELDS_MM = 420.0, 320.0


@dataclass(slots=True)
class Stage:
    """What stands in a scene: all tiles, other parts, and the size and middle of what the phone looks at, in mm."""

    tiles: list[PlacedTile] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    width_mm: float = 300.0
    middle_mm: np.ndarray = field(default_factory=lambda: np.zeros(3))
    depth_mm: float = 100.0
    design: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A rendered picture `(H, W, 3) uint8` BGR, its entry in `photos.json` and its mask of faces `(H, W) uint8`."""

    image_bgr: np.ndarray
    entry: dict[str, Any]
    mask: np.ndarray
    seen: tuple[SeenTile, ...]


def _rows_above(tiles: Sequence[PlacedTile]) -> int:
    return max((tile.row for tile in tiles), default=-1) + 1


def _put_rack(
    rng: np.random.Generator,
    stage: Stage,
    rack: Rack,
    surface: Surface,
    printing: Printing,
    labels: list[str],
    turn: float,
    position_mm: np.ndarray,
    index: int,
) -> None:
    tiles = fill_rack(rng, rack, printing, labels, index, _rows_above(stage.tiles))
    stage.tiles += move(tiles, turn, position_mm)
    stage.parts.append(Part(rack.solid.moved(turn_about_z(turn), position_mm), surface))


def stage_racks(rng: np.random.Generator, printing: Printing, pool: Pool) -> Stage:
    """Set up one to three racks of one design, each for its own player, with loose tiles around them."""
    choices = designs(pool)
    design = choices[int(rng.integers(len(choices)))]
    labels = full_stock(rng)
    rack = build_rack(rng, design, printing)
    surface = objects.rack_surface(rng, rack.material)
    depth = float(rack.solid.points_mm[:, 1].max())
    top = float(rack.rests_mm[0, 2] + printing.height_mm)
    stage = Stage(width_mm=2 * rack.half_width_mm + 8, depth_mm=depth, design=design.name)
    stage.middle_mm = np.array([0.0, depth / 2, top * 0.5])
    _put_rack(rng, stage, rack, surface, printing, labels, rng.normal(0, 0.03), np.zeros(3), 0)
    if rng.random() < MORE_RACKS:
        side = float(rng.choice([-1, 1]))
        beside = rng.random() < 0.6
        turn = -side * rng.uniform(0, 0.7) if beside else rng.normal(0, 0.15)
        gap = rng.uniform(8, 60) + rack.half_width_mm * abs(1 - np.cos(turn)) * 0.2
        away = np.array([side * (2 * rack.half_width_mm + gap + 8), -abs(np.sin(turn)) * rack.half_width_mm * 0.4, 0.0])
        if not beside:
            away = np.array([rng.normal(0, 50), depth + rng.uniform(15, 120), 0.0])
        _put_rack(rng, stage, rack, surface, printing, labels, turn, away, 1)
        if rng.random() < 0.6:
            stage.width_mm += abs(away[0])
            stage.middle_mm = stage.middle_mm + away / 2
    if rng.random() < 0.35:
        area = (-stage.width_mm / 2, -150.0, stage.width_mm / 2, -45.0)
        stage.tiles += scatter_near(rng, labels, area, _rows_above(stage.tiles))
    return stage


def stage_melds(rng: np.random.Generator, printing: Printing) -> Stage:
    """Lay melds flat on the table, as the layouts of drawn tables do."""
    width, height = MELDS_MM
    laid = lay_melds(rng, draw_melds(rng, int(rng.integers(8, 40))), width, height, printing, tight=rng.random() < 0.4)
    tiles = lay_flat(laid, (-width / 2, height / 2), 0, rng.integers(0, 2, len(laid)))
    return Stage(tiles, [], width, np.zeros(3), height / 2)


def _furnish(rng: np.random.Generator, stage: Stage, pool: Pool) -> None:
    """Add the table, other things around the racks, sometimes a wall behind the table and a hand at a rack."""
    behind = stage.depth_mm + (rng.uniform(60, 500) if rng.random() < 0.4 else 2500.0)
    stage.parts.append(objects.table_top(rng, pool, behind))
    if rng.random() < 0.5:
        stage.parts.append(objects.wall(rng, behind + rng.uniform(100, 900)))
    half = stage.width_mm / 2
    for number in range(int(rng.integers(0, 4))):
        spot = rng.uniform(-1.1, 1.1) * half, stage.depth_mm + rng.uniform(70, 300)
        if rng.random() < 0.3:
            spot = rng.uniform(-1, 1) * half, -rng.uniform(150, 260)
        stage.parts.append(objects.flat_thing(rng, spot, number))
    for _ in range(int(rng.integers(0, 3))):
        spot = rng.uniform(-1.2, 1.2) * half, stage.depth_mm + rng.uniform(150, 380)
        stage.parts.append(objects.standing_thing(rng, spot))
    if rng.random() < 0.12:
        tile = stage.tiles[int(rng.integers(len(stage.tiles)))] if stage.tiles else None
        at = tile.position_mm + np.array([0, -14.0, 6.0]) if tile else np.zeros(3)
        stage.parts.append(objects.fingers(rng, at + rng.normal(0, 8, 3)))


def _tile_px(phone: Phone, printing: Printing, tiles: Sequence[PlacedTile]) -> float:
    """Return the width of the nearest tile in pixels."""
    focal = phone.wh[0] / 2 / np.tan(phone.field_x / 2)
    distances = [float(np.linalg.norm(tile.position_mm - phone.position_mm)) for tile in tiles]
    return float(printing.width_mm * focal / min(distances, default=500.0))


def render_picture(
    rng: np.random.Generator,
    pool: Pool = "train",
    layout: Layout = "rack",
    name: str = "00000.jpg",
    samples: int | None = None,
    wh: tuple[int, int] | None = None,
) -> Picture:
    """Render one picture; `samples` of light per pixel and size default to those of the variant and to `SIZES`."""
    printing = draw_printing(rng, pool)
    stage = stage_racks(rng, printing, pool) if layout == "rack" else stage_melds(rng, printing)
    _furnish(rng, stage, pool)
    size = SIZES[int(rng.integers(len(SIZES)))]
    elevation = (15.0, 60.0) if layout == "rack" else (18.0, 88.0)
    phone = hold_phone(rng, wh or size, stage.middle_mm, stage.width_mm, printing.width_mm, elevation)
    near_px = _tile_px(phone, printing, stage.tiles)
    blank = PlacedTile("blank", 0, np.array([0.0, 0, -500]), np.eye(3), -1)
    tiles = stage.tiles or [blank]
    meshes = build_tiles(tiles, printing, int(np.clip(1.6 * near_px, 40, 176)))
    gloss = 0.34 - 0.28 * printing.gloss
    faces = Part(meshes.faces, Surface(texture_bgr=meshes.atlas_bgr, roughness=gloss))
    bodies = Part(meshes.bodies, Surface(printing.base_bgr, roughness=gloss))
    room, lamps = draw_room(rng), draw_lamps(rng, stage.middle_mm)
    seed = int(rng.integers(2**31))
    traced = trace([bodies, *stage.parts], faces, room, rng.uniform(0, 2 * np.pi), lamps, phone, seed, samples)
    owner = np.where(traced.face_triangle >= 0, traced.face_triangle // meshes.triangles_per_face, -1).astype(np.int32)
    seen = see_tiles(tiles, printing, owner, phone.projection())
    image = develop(rng, traced.linear_rgb, owner >= 0, near_px)
    entry, mask = annotate(seen, owner, name, layout, stage.design)
    return Picture(image, entry, mask, tuple(seen))
