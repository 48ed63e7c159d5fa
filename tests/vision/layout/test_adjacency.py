"""Tiles that lie side by side share a joint, and joints outlive what changes elsewhere on the table."""

from tests.support.projected_tiles import TILE_WH_MM, row_mm, seen_by_camera
from tilekeeper.vision.layout.adjacency import Joints, find_joints, select_joints

WIDTH, HEIGHT = TILE_WH_MM


def as_set(joints: Joints) -> set[tuple[tuple[int, ...], float, float]]:
    """The joints in no order, with figures as far as they can be told."""
    return {
        (tuple(sorted(sides)), round(gap, 6), round(askew, 6))
        for sides, gap, askew in zip(joints.sides.tolist(), joints.gaps.tolist(), joints.askew.tolist(), strict=True)
    }


def test_two_tiles_share_the_joint_at_which_they_lie() -> None:
    """The right side of the first and the left one of the second, with the gap in tile widths."""
    joints = find_joints(seen_by_camera(row_mm((0, 0), 2, gaps_mm=0.1 * WIDTH), 20).astype(float))
    assert joints.sides.tolist() == [[1, 2]]
    assert abs(joints.gaps[0] - 0.1) < 0.01
    assert joints.askew[0] < 0.1
    assert joints.tiles.tolist() == [[0, 1]]


def test_a_tile_on_its_head_offers_its_other_side() -> None:
    """What lies to the right of its neighbour is its own right side."""
    joints = find_joints(seen_by_camera(row_mm((0, 0), 2, on_head=[1])).astype(float))
    assert joints.sides.tolist() == [[1, 3]]


def test_tiles_far_apart_share_none() -> None:
    """Nor does one tile by itself."""
    for tiles in (row_mm((0, 0), 2, gaps_mm=2 * WIDTH), row_mm((0, 0), 1)):
        assert not len(find_joints(seen_by_camera(tiles).astype(float)).gaps)


def test_each_side_takes_the_neighbour_that_fits_best() -> None:
    """A tile pushed half below the last one of a row lies worse beside the middle one than the last one does."""
    quads = seen_by_camera([*row_mm((0, 0), 3), *row_mm((2 * (WIDTH + 0.6), HEIGHT / 2 + 4), 1)]).astype(float)
    joints = find_joints(quads)
    assert joints.at(select_joints(joints)).tiles.tolist() == [[0, 1], [1, 2]]
