"""Logistic regression of tile or no tile: the features of a candidate among the tiles around it, and their weights."""

import numpy as np
import pytest

from tests.support.tile_tables import table_of, tile_row
from tests.vision.scoring.test_tileness_rims import IVORY, quad, table
from tilekeeper.vision.manifest import read_manifest
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.scoring.calibration import TileOrNot
from tilekeeper.vision.scoring.membership import MIN_UNFLAGGED_TILE_PROB, differences_of, need_tile_check
from tilekeeper.vision.scoring.tileness import FEATURES, AmongTiles, tileness_features
from tilekeeper.vision.tile_table import TileTable
from tilekeeper.vision.types import NOT_A_TILE


def among(
    last: TileTable, image: np.ndarray | None = None, quads: np.ndarray | None = None, others: int = 4
) -> AmongTiles:
    """Return separate confident tiles on wood and, last, one candidate."""
    if image is None or quads is None:
        image, quads, _ = table(others)
    tiles = table_of([*(tile_row("blue-3", corners, 0.9999, False) for corners in quads[:-1]), last])
    sure = np.array([True] * (len(tiles) - 1) + [False])
    return AmongTiles(image, tiles, sure, differences_of(Scene(image), tiles.quads_px, sure))


def features(tiles_around: AmongTiles) -> dict[str, float]:
    """Return the features of the last tile by name."""
    return dict(
        zip(FEATURES, tileness_features(tiles_around, np.array([len(tiles_around.tiles) - 1]))[0].tolist(), strict=True)
    )


def place(left: float) -> np.ndarray:
    """Return a quad in the row of `table`: at 340 there is room for one more tile, and 480 is inside the page."""
    return np.array(quad(left, 100), np.float32)


def test_candidate_in_a_page_has_fainter_rims_than_a_tile() -> None:
    page = features(among(tile_row("red-7", place(480), 0.5, True)))
    image, quads, _ = table()
    image[100:156, 340:380] = IVORY
    tile = features(
        among(tile_row("red-7", place(340), 0.5, True), image, np.concatenate([quads[:-1], place(340)[None]]))
    )
    assert page["rim"] < tile["rim"] - 0.5
    assert abs(tile["rim"]) < 0.2
    assert (tile["tint"], tile["size"]) == pytest.approx((0, 0), abs=0.1)


def test_tint_of_bare_wood_counts_three_units_at_most() -> None:
    assert features(among(tile_row("red-7", place(340), 0.5, True)))["tint"] == 3


def test_too_large_and_too_small_candidates_have_the_same_size_feature() -> None:
    large, small = (
        features(among(tile_row("red-7", np.array(quad(480, 60, width), np.float32), 0.5, True)))
        for width in (80.0, 20.0)
    )
    assert large["size"] == pytest.approx(small["size"], rel=0.02)
    assert large["size"] > 1.5


def test_label_probability_of_a_joker_does_not_count() -> None:
    """The classifier labels clutter as confidently joker as it labels jokers. For a number the probability counts."""
    sure, unsure = (features(among(tile_row("joker", place(480), chance, True))) for chance in (0.99, 0.3))
    assert sure["number_log_odds"] == unsure["number_log_odds"] == 0
    assert (sure["joker"], features(among(tile_row("red-7", place(480), 0.99, True)))["joker"]) == (1, 0)
    assert features(among(tile_row("red-7", place(480), 0.99, True)))["number_log_odds"] == pytest.approx(np.log(99))


def test_some_tile_feature_is_the_log_odds_against_no_tile() -> None:
    """With 15 equally likely labels the odds are 14 to 1."""
    last = tile_row("red-7", place(480), 0.5, True)
    assert features(among(last))["some_tile"] == pytest.approx(np.log(14), abs=1e-4)
    last.joint_number_log_probs[:] = np.log(0.001)
    last.joint_number_log_probs[0, NOT_A_TILE] = np.log(0.986)
    assert features(among(last))["some_tile"] == pytest.approx(np.log(0.014 / 0.986), abs=1e-4)


def test_candidate_beside_a_tile_is_not_lone() -> None:
    assert features(among(tile_row("red-7", place(302), 0.5, True)))["lone"] == 0
    assert features(among(tile_row("red-7", place(480), 0.5, True)))["lone"] == 1


@pytest.mark.parametrize(
    ("label", "left", "confidence", "doubtful", "is_flagged"),
    [
        ("red-7", 480, 0.999, True, True),  # doubtful
        ("red-7", 302, 0.98, False, True),  # less confident than tiles usually are
        ("red-7", 302, 0.995, False, False),  # beside a tile
        ("red-7", 480, 0.995, False, True),  # isolated
        ("red-7", 480, 0.9999, False, False),  # isolated, but very confident
        ("joker", 320, 0.995, False, True),  # a joker that does not touch
        ("joker", 302, 0.995, False, False),  # one in a row
    ],
)
def test_only_doubtful_or_isolated_tiles_are_worth_asking_about(
    label: str, left: float, confidence: float, doubtful: bool, is_flagged: bool
) -> None:
    """Skipping the comparison of the other tiles saves time."""
    tiles_around = among(tile_row(label, place(left), confidence, doubtful))
    assert np.flatnonzero(
        need_tile_check(tiles_around.tiles, tiles_around.tiles.is_doubtful, tiles_around.sure)
    ).tolist() == ([4] if is_flagged else [])


def test_unsure_neighbour_does_not_make_a_candidate_confident() -> None:
    """Of two keys side by side the first is compared as if it were isolated, unless the second is confident."""
    _, quads, _ = table(4)
    keys = [tile_row("black-9", place(480), 0.995, False), tile_row("black-6", place(522), 0.9999, False)]
    tiles = table_of([*(tile_row("blue-3", corners, 0.9999, False) for corners in quads[:4]), *keys])
    for sure_key, flagged in ((False, [4]), (True, [])):
        sure = np.array([True] * 4 + [False, sure_key])
        assert np.flatnonzero(need_tile_check(tiles, tiles.is_doubtful, sure)).tolist() == flagged


def test_without_a_confident_tile_the_features_raise_an_error() -> None:
    """One confident tile to compare with is enough."""
    with pytest.raises(ValueError, match="a sure tile is needed"):
        features(among(tile_row("red-7", place(480), 0.5, True), others=0))
    assert features(among(tile_row("red-7", place(340), 0.5, True), others=1))["tint"] == 3


def test_detection_score_counts_as_log_odds_within_bounds() -> None:
    """A score of 0.5, as of a candidate that only the classifier supports, gives 0."""
    found_log_odds = [
        features(among(tile_row("red-7", place(480), 0.5, True, score)))["found_log_odds"] for score in (0.1, 0.5, 1.0)
    ]
    assert found_log_odds == pytest.approx([np.log(3 / 7), 0.0, np.log(49)], abs=1e-6)


def test_weights_are_read_from_the_manifest_by_name() -> None:
    """Without a fit there is no model, a missing feature has weight 0, and an unknown feature is an error."""
    assert TileOrNot.of_manifest({}) is None
    fitted = TileOrNot.of_manifest({"reader": {"tile_or_not": {"weights": {"joker": -1.5}, "bias": 2.0}}})
    assert fitted == TileOrNot(tuple(-1.5 if feature == "joker" else 0.0 for feature in FEATURES), 2.0)
    with pytest.raises(ValueError, match="smell"):
        TileOrNot.of_manifest({"reader": {"tile_or_not": {"weights": {"smell": 1.0}, "bias": 0.0}}})
    with pytest.raises(ValueError, match="got 1 weights"):
        TileOrNot((1.0,), 0.0)


def test_shipped_weights_separate_a_page_from_a_tile() -> None:
    """The tile stays; the candidate in the page is flagged or dropped."""
    is_tile = TileOrNot.of_manifest(read_manifest())
    assert is_tile is not None
    image, quads, _ = table()
    image[100:156, 340:380] = IVORY
    tile = among(tile_row("red-7", place(340), 0.9, True), image, np.concatenate([quads[:-1], place(340)[None]]))
    page = among(tile_row("joker", place(480), 0.9, True, 0.6))
    page.tiles.joint_number_log_probs[-1] = np.log(0.8 / 14)  # as the classifier labels such a candidate
    page.tiles.joint_number_log_probs[-1, NOT_A_TILE] = np.log(0.2)
    last = np.array([4])
    assert is_tile(tile, last)[0] > 0.9
    assert is_tile(page, last)[0] < MIN_UNFLAGGED_TILE_PROB
