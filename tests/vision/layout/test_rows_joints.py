"""Joints between tiles side by side."""

from tests.support.projected_tiles import TILE_WH_MM, row_mm, seen_by_camera
from tilekeeper.vision.layout.rows import Joints, find_joints, select_joints

WIDTH, HEIGHT = TILE_WH_MM


def as_set(joints: Joints) -> set[tuple[tuple[int, ...], float, float]]:
    """Return the rounded joints without order."""
    return {
        (tuple(sorted(sides)), round(gap, 6), round(askew, 6))
        for sides, gap, askew in zip(joints.sides.tolist(), joints.gaps.tolist(), joints.askew.tolist(), strict=True)
    }


def test_two_adjacent_tiles_share_one_joint() -> None:
    joints = find_joints(seen_by_camera(row_mm((0, 0), 2, gaps_mm=0.1 * WIDTH), 20).astype(float))
    assert joints.sides.tolist() == [[1, 2]]
    assert abs(joints.gaps[0] - 0.1) < 0.01
    assert joints.askew[0] < 0.1
    assert joints.tiles.tolist() == [[0, 1]]


def test_upside_down_tile_joins_with_its_other_side() -> None:
    joints = find_joints(seen_by_camera(row_mm((0, 0), 2, on_head=[1])).astype(float))
    assert joints.sides.tolist() == [[1, 3]]


def test_distant_tiles_and_a_single_tile_have_no_joint() -> None:
    for tiles in (row_mm((0, 0), 2, gaps_mm=2 * WIDTH), row_mm((0, 0), 1)):
        assert not len(find_joints(seen_by_camera(tiles).astype(float)).gaps)


def test_side_with_two_neighbours_joins_the_better_one() -> None:
    quads = seen_by_camera([*row_mm((0, 0), 3), *row_mm((2 * (WIDTH + 0.6), HEIGHT / 2 + 4), 1)]).astype(float)
    joints = find_joints(quads)
    assert joints.at(select_joints(joints)).tiles.tolist() == [[0, 1], [1, 2]]
