"""Differences in size and tint between a tile and its nearest confident tiles, in shadow and under a tilted camera."""

import math
import statistics

import numpy as np
import pytest

from tilekeeper.vision.geometry.face_color import (
    FACE_BRIGHTNESS_RANGE_SHARE,
    LOG_LIGHT_OFFSET_LEVELS,
    measure_face_whites,
)
from tilekeeper.vision.geometry.quads import TILE_ASPECT
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.scoring.membership import PEER_NEIGHBOUR_COUNT, against_peers, as_large, differences_of

WOOD = (60, 80, 120)
IVORY = (205, 228, 238)


def quad(x: float, y: float, width: float = 40.0) -> list[list[float]]:
    height = 1.4 * width
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]


def table(*, shadow: float = 1.0, knot_px: float = 40.0) -> tuple[np.ndarray, np.ndarray]:
    """Return an image and quads: five ivory tiles in a row on wood, the last one in shade, and one bare place."""
    image = np.full((200, 520, 3), WOOD, np.uint8)
    quads = [quad(20 + 70 * k, 60) for k in range(5)] + [quad(420, 60, knot_px)]
    for k in range(5):
        left = 20 + 70 * k
        image[60:116, left : left + 40] = IVORY
        image[75:95, left + 10 : left + 28] = (30, 30, 30)  # the number
    image[:, 290:350] = (image[:, 290:350] * shadow).astype(np.uint8)
    return image, np.array(quads, np.float32)


SURE = np.array([True] * 5 + [False])


def abs_differences(image: np.ndarray, quads: np.ndarray, sure: np.ndarray = SURE) -> tuple[np.ndarray, np.ndarray]:
    """Return the absolute differences of each tile from the confident ones in size and in tint, `(N,)` each."""
    differences = differences_of(Scene(image), quads, sure)
    return np.abs(differences.size), differences.tint


def has_same_size(image: np.ndarray, quads: np.ndarray, sure: np.ndarray = SURE) -> np.ndarray:
    """Return which tiles are as large as the confident ones."""
    return as_large(differences_of(Scene(image), quads, sure).size, sure)


def test_bare_wood_differs_in_tint_and_not_in_size() -> None:
    size, tint = abs_differences(*table())
    assert size == pytest.approx(0, abs=0.01)
    assert (tint > 0.2).tolist() == [False] * 5 + [True]


@pytest.mark.parametrize("shadow", [0.3, 0.5, 0.8])
def test_shadow_does_not_change_the_tint(shadow: float) -> None:
    assert abs_differences(*table(shadow=shadow))[1][:5].max() < 0.1


@pytest.mark.parametrize(("width", "stays"), [(12.0, False), (30.0, True), (52.0, True), (110.0, False)])
def test_far_too_small_or_large_white_quad_has_another_size(width: float, stays: bool) -> None:
    image, quads = table(knot_px=width)
    image[40:, 400:] = IVORY
    assert bool(has_same_size(image, quads)[5]) is stays


@pytest.mark.parametrize(
    ("width", "height", "stays"), [(40, 56, True), (56, 40, True), (60, 60, False), (40, 44, True)]
)
def test_tile_lying_across_has_the_same_size_under_a_tilted_camera(width: int, height: int, stays: bool) -> None:
    """The tilt halves all heights in the image. A large square still has another size."""
    image, quads = table()
    image[:] = IVORY
    sides = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    quads[5] = np.array([420, 60]) + (np.roll(sides, -1, axis=0) if width > height else sides)
    quads[..., 1] *= 0.5
    assert bool(has_same_size(image, quads)[5]) is stays


def test_two_confident_tiles_show_only_that_a_speck_has_another_size() -> None:
    """The speck is a sixth as wide as a tile. Confident tiles always have the right size."""
    image, quads = table()
    sure = np.array([True, True, False, False, False, False])
    assert has_same_size(image, quads, sure).all()
    quads[5] = quad(420, 60, 6.5)
    assert has_same_size(image, quads, sure).tolist() == [True] * 5 + [False]
    assert has_same_size(image, quads, np.zeros(6, bool)).all()
    assert has_same_size(image, quads[[0, 5]], np.array([True, True])).all()


def test_tile_in_half_the_light_has_the_same_size_and_tint() -> None:
    image, quads = table(shadow=0.5)
    differences = against_peers(Scene(image), quads, SURE)
    assert differences.size[4] == pytest.approx(0, abs=1e-6)
    assert differences.tint[4] < 0.03


def test_warm_lamp_without_blue_gives_no_tint() -> None:
    """Under a very warm lamp the blue of a white tile is only noise between 1 and 7."""
    image, quads = table()
    for k, blue in enumerate((5, 1, 7, 3, 4, 1)):
        left = int(quads[k][0][0])
        image[60:116, left : left + 40] = (blue, 90, 168)
    sure = np.ones(6, bool)
    assert abs_differences(image, quads, sure)[1].max() < 0.4
    image[60:116, 420:460] = (60, 90, 110)
    assert (abs_differences(image, quads, sure)[1] > 0.4).tolist() == [False] * 5 + [True]


def face_white_slowly(image: np.ndarray, quad_px: np.ndarray) -> list[float]:
    """Return the mean logarithm of the brighter ones of 12 × 16 samples of the face, without the brightest."""
    samples = []
    for row in range(16):
        for column in range(12):
            u, v = 0.08 + 0.84 * (column + 0.5) / 12, 0.08 + 0.84 * (row + 0.5) / 16
            top = quad_px[0] + u * (quad_px[1] - quad_px[0])
            bottom = quad_px[3] + u * (quad_px[2] - quad_px[3])
            x, y = top + v * (bottom - top)
            column_px, row_px = math.floor(x), math.floor(y)
            right, down = x - column_px, y - row_px
            nearest = image[row_px : row_px + 2, column_px : column_px + 2].astype(float)
            samples.append(
                (nearest[0, 0] * (1 - right) + nearest[0, 1] * right) * (1 - down)
                + (nearest[1, 0] * (1 - right) + nearest[1, 1] * right) * down
            )
    first, end = (int(share * len(samples)) for share in FACE_BRIGHTNESS_RANGE_SHARE)
    brighter = sorted(samples, key=lambda sample: math.prod(LOG_LIGHT_OFFSET_LEVELS + sample))[first:end]
    return [statistics.mean(math.log(LOG_LIGHT_OFFSET_LEVELS + sample[k]) for sample in brighter) for k in range(3)]


def logs_of_size(quad_px: np.ndarray, peer_px: np.ndarray) -> tuple[float, float]:
    """Return the logarithms of how much wider and higher a tile is than a peer, measured along the peer's sides."""
    (across, down), (wide, high) = (
        ((q[1] - q[0] + q[2] - q[3]) / 2, (q[3] - q[0] + q[2] - q[1]) / 2) for q in (peer_px, quad_px)
    )
    down = down / TILE_ASPECT
    cross = across[0] * down[1] - across[1] * down[0]

    def length(side: np.ndarray) -> float:
        x, y = (side[0] * down[1] - side[1] * down[0]) / cross, (across[0] * side[1] - across[1] * side[0]) / cross
        return math.hypot(x, y)

    return math.log(length(wide)), math.log(length(high) / TILE_ASPECT)


def differences_slowly(image: np.ndarray, quads: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """Return the differences in size and tint, computed tile by tile."""
    whites = measure_face_whites(image, quads.astype(np.float64))
    centres = []
    for quad_px in quads.astype(float):
        diagonal, other_diagonal = quad_px[2] - quad_px[0], quad_px[3] - quad_px[1]
        cross = diagonal[0] * other_diagonal[1] - diagonal[1] * other_diagonal[0]
        start = quad_px[1] - quad_px[0]
        centres.append(quad_px[0] + diagonal * (start[0] * other_diagonal[1] - start[1] * other_diagonal[0]) / cross)
    differences = np.zeros((len(quads), 2))
    for at in range(len(quads)):
        peers = [i for i in range(len(quads)) if sure[i] and i != at]
        nearest = sorted(peers, key=lambda i: math.dist(centres[i], centres[at]))[:PEER_NEIGHBOUR_COUNT]
        if nearest:
            logs = [logs_of_size(quads[at].astype(float), quads[i].astype(float)) for i in nearest]
            differences[at, 0] = max((statistics.median(side) for side in zip(*logs, strict=True)), key=abs)
        if nearest:
            tints = [
                (whites[at][k] - whites[at][1]) - statistics.median(whites[i][k] - whites[i][1] for i in nearest)
                for k in (0, 2)
            ]
            differences[at, 1] = math.hypot(*tints)
    return differences


def scattered(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return an image of soft colours and scattered quads of random angles and sizes."""
    rng = np.random.default_rng(seed)
    ys, xs = np.mgrid[:400, :600]
    waves = [np.sin(xs / rng.uniform(20, 60) + rng.uniform(0, 6)) + np.cos(ys / rng.uniform(20, 60)) for _ in range(3)]
    image = np.clip(130 + 60 * np.stack(waves, axis=2), 0, 255).astype(np.uint8)
    quads = []
    for _ in range(count):
        width, turn = rng.uniform(15, 60), rng.uniform(0, 2 * np.pi)
        local = np.array([[-1, -1.4], [1, -1.4], [1, 1.4], [-1, 1.4]]) * width / 2
        spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        quads.append(local @ spin * rng.uniform(0.9, 1.1, (4, 2)) + rng.uniform((60, 60), (540, 340)))
    return image, np.array(quads, np.float32)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("count", "sure_share"), [(1, 1.0), (3, 0.7), (4, 1.0), (7, 1.0), (20, 0.4), (20, 0.0)])
def test_vectorised_differences_equal_those_tile_by_tile(seed: int, count: int, sure_share: float) -> None:
    """Each tile is compared with the nearest confident tiles and never with itself."""
    image, quads = scattered(seed, count)
    sure = np.random.default_rng(seed).random(count) < sure_share
    differences = against_peers(Scene(image), quads, sure)
    vectorised = np.column_stack([differences.size, differences.tint])
    assert vectorised == pytest.approx(differences_slowly(image, quads, sure), abs=1e-6)


def test_white_of_a_face_is_the_mean_of_its_brighter_samples() -> None:
    image, quads = scattered(3, 8)
    wanted = np.array([face_white_slowly(image, quad_px) for quad_px in quads.astype(float)])
    # OpenCV rounds the positions of samples to 1/32 pixel
    assert measure_face_whites(image, quads.astype(np.float64)) == pytest.approx(wanted, abs=0.02)


def test_red_print_in_the_sun_does_not_tint_a_half_shaded_face() -> None:
    image = np.full((120, 120, 3), IVORY, np.uint8)
    image[40:60, 45:75] = (40, 40, 210)
    image[62:] = (image[62:] * 0.45).astype(np.uint8)
    white = measure_face_whites(image, np.array([quad(40, 30)]))[0]
    plain = np.log(LOG_LIGHT_OFFSET_LEVELS + np.array(IVORY))
    assert np.abs((white - plain)[1:] - (white - plain)[:-1]).max() < 0.2


def test_empty_table_has_no_differences() -> None:
    """NumPy must not warn about an empty mean."""
    image, _ = scattered(1, 1)
    assert len(against_peers(Scene(image), np.zeros((0, 4, 2)), np.zeros(0, bool))) == 0
