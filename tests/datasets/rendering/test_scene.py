"""Ray-traced racks: the annotations match the pixels, and the seed determines the image."""

from dataclasses import replace

import numpy as np
import pytest

from tilekeeper.datasets.rendering import raytracer
from tilekeeper.datasets.rendering.arrangement import move
from tilekeeper.datasets.rendering.camera import Phone
from tilekeeper.datasets.rendering.light import Light
from tilekeeper.datasets.rendering.racks import DESIGNS, Rack, build_rack
from tilekeeper.datasets.rendering.raytracer import Part, trace
from tilekeeper.datasets.rendering.scene import Picture, render_picture
from tilekeeper.datasets.rendering.tiles import PlacedTile, build_tiles
from tilekeeper.datasets.rendering.truth import SeenTile, annotate, see_tiles
from tilekeeper.datasets.synthesis.printings.printing import Printing, draw_printing

WH = 320, 240


@pytest.fixture(scope="module", autouse=True)
def without_compiler() -> None:
    """Use the variant without a compiler: tiny images are faster, and equal on every machine."""
    raytracer.choose_variant("scalar_rgb")


@pytest.fixture(scope="module")
def printing() -> Printing:
    return replace(draw_printing(np.random.default_rng(5)), corner_of_width=0.05)


@pytest.fixture(scope="module")
def rack(printing: Printing) -> Rack:
    design = next(design for design in DESIGNS if design.name == "three-step")
    return build_rack(np.random.default_rng(2), replace(design, rise_of_height=(0.5, 0.5)), printing)


def place_tile(rack: Rack, printing: Printing, row: int, label: str, raised_mm: float = 0.0) -> PlacedTile:
    rotation = np.column_stack([[1.0, 0, 0], rack.up, rack.normal])
    high_mm = raised_mm + printing.height_mm / 2
    return PlacedTile(label, 0, rack.rests_mm[row] + rack.up * high_mm, rotation, row, 0)


def render_rack(rack: Rack, printing: Printing, tiles: list[PlacedTile]) -> tuple[list[SeenTile], np.ndarray]:
    """Render tiles on a rack from 25 degrees above, straight from the front."""
    target = tiles[0].position_mm
    away = np.array([0.0, -np.cos(np.radians(25)), np.sin(np.radians(25))]) * 300
    phone = Phone(target + away, target, np.array([0.0, 0, 1]), 0.6, WH, 0.0, 300.0)
    meshes = build_tiles(tiles, printing, 64)
    parts = [Part(meshes.bodies), Part(rack.solid)]
    light = Light(np.ones((4, 8, 3), np.float32))
    _, triangle = trace(parts, Part(meshes.faces, texture_bgr=meshes.atlas_bgr), light, phone, 1, 1)
    owner = np.where(triangle < 0, -1, triangle // meshes.triangles_per_face)
    return see_tiles(tiles, printing, owner, phone.projection()), owner


def test_quad_of_a_whole_tile_lies_on_its_pixels(rack: Rack, printing: Printing) -> None:
    """The centre of its pixels is the centre of its quad, and all of its face and number is visible."""
    visible_tiles, owner = render_rack(
        rack, printing, [place_tile(rack, printing, 0, "red-7", raised_mm=10)]
    )  # raised above the rim of the rack
    (tile,) = visible_tiles
    ys, xs = np.nonzero(owner == 0)
    assert np.linalg.norm(tile.quad_px.mean(axis=0) - (xs.mean() + 0.5, ys.mean() + 0.5)) < 1.5
    assert tile.visible > 0.96
    assert tile.readable > 0.96
    assert tile.quad_px[0, 0] < tile.quad_px[1, 0]
    assert tile.quad_px[0, 1] < tile.quad_px[3, 1]


def test_row_in_front_hides_a_part_and_the_tile_still_counts(rack: Rack, printing: Printing) -> None:
    """Its outline stays whole and its visible share falls. The annotation lists the back row first."""
    (alone,), _ = render_rack(rack, printing, [place_tile(rack, printing, 0, "red-7")])
    visible_tiles, owner = render_rack(
        rack, printing, [place_tile(rack, printing, 0, "red-7"), place_tile(rack, printing, 1, "blue-12")]
    )
    behind = next(tile for tile in visible_tiles if tile.tile.label == "red-7")
    assert behind.visible < alone.visible - 0.1
    assert np.allclose(behind.quad_px, alone.quad_px)
    entry, mask = annotate(visible_tiles, owner, "00000.jpg", "rack", "three-step")
    assert [tile["label"] for tile in entry["tiles"]] == ["red-7", "blue-12"]
    assert set(np.unique(mask)) == {0, 1, 2}
    assert (mask == 1).sum() == (owner == 0).sum()


def test_tile_upside_down_behind_a_row_is_ignored(rack: Rack, printing: Printing) -> None:
    """The row in front covers its number, so nobody can read it."""
    hidden = place_tile(rack, printing, 0, "red-7")
    hidden = replace(hidden, rotation=hidden.rotation @ np.diag([-1.0, -1.0, 1.0]))
    visible_tiles, owner = render_rack(rack, printing, [hidden, place_tile(rack, printing, 1, "blue-12")])
    entry, _ = annotate(visible_tiles, owner, "00000.jpg", "rack", "three-step")
    assert [tile["label"] for tile in entry["tiles"]] == ["blue-12"]
    assert len(entry["ignore_px"]) == 1


def test_rack_of_an_opponent_shows_no_face(rack: Rack, printing: Printing) -> None:
    """A rack that is turned away is in the picture, and none of its tiles is in the truth."""
    faces_away = move([place_tile(rack, printing, 0, "red-7", raised_mm=15)], np.pi, np.zeros(3))
    assert render_rack(rack, printing, faces_away)[0] == []


def test_worn_tile_is_yellower_and_darker_than_a_new_one(printing: Printing) -> None:
    """Wear is the same for the same set, and takes more blue than red."""
    tile = PlacedTile("red-7", 0, np.zeros(3), np.eye(3), 0)
    new, worn, again = (build_tiles([tile], printing, 64, wear).atlas_bgr.astype(int) for wear in (0.0, 1.0, 1.0))
    assert np.array_equal(worn, again)
    blue, _, red = worn.mean(axis=(0, 1)) / new.mean(axis=(0, 1))
    assert blue < red < 1


@pytest.mark.parametrize("layout", ["rack", "melds"])
def test_same_seed_gives_the_same_picture(layout: str) -> None:

    def render() -> Picture:
        return render_picture(np.random.default_rng(8), layout=layout, samples=1, wh=(160, 120))

    first, second = render(), render()
    assert np.array_equal(first.image_bgr, second.image_bgr)
    assert first.entry == second.entry
    assert first.entry["session"] == layout
    assert first.image_bgr.shape == (120, 160, 3)
