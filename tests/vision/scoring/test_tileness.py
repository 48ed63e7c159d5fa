"""Tests of what tells a tile from what only looks like one: its signs among the tiles around it, and their weights."""

import numpy as np
import pytest

from tests.support.tile_tables import table_of, tile_row
from tests.vision.scoring.test_tileness_rims import IVORY, quad, table
from tilekeeper.vision.manifest import read_manifest
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.scoring.membership import MIN_UNFLAGGED_TILE_PROB, differences_of
from tilekeeper.vision.scoring.tile_table import TileTable
from tilekeeper.vision.scoring.tileness import SIGNS, AmongTiles, TileOrNot, signs_of, worth_asking
from tilekeeper.vision.types import NOT_A_TILE


def among(
    last: TileTable, image: np.ndarray | None = None, quads: np.ndarray | None = None, others: int = 4
) -> AmongTiles:
    """Sure tiles apart from one another on wood, and after them one that is not sure."""
    if image is None or quads is None:
        image, quads, _ = table(others)
    tiles = table_of([*(tile_row("blue-3", one, 0.9999, False) for one in quads[:-1]), last])
    sure = np.array([True] * (len(tiles) - 1) + [False])
    return AmongTiles(image, tiles, sure, differences_of(Scene(image), tiles.quads_px, sure))


def signs(them: AmongTiles) -> dict[str, float]:
    """Those of the last one, by their names."""
    return dict(zip(SIGNS, signs_of(them, np.array([len(them.tiles) - 1]))[0].tolist(), strict=True))


def place(left: float) -> np.ndarray:
    """A place in the row of `table`: another tile could lie at 340, and amid the page at 480."""
    return np.array(quad(left, 100), np.float32)


def test_a_place_in_a_page_has_fainter_rims_than_a_tile() -> None:
    """A tile that lies where one could ends as the others do."""
    page = signs(among(tile_row("red-7", place(480), 0.5, True)))
    image, quads, _ = table()
    image[100:156, 340:380] = IVORY
    tile = signs(among(tile_row("red-7", place(340), 0.5, True), image, np.concatenate([quads[:-1], place(340)[None]])))
    assert page["rim"] < tile["rim"] - 0.5
    assert abs(tile["rim"]) < 0.2
    assert (tile["tint"], tile["size"]) == pytest.approx((0, 0), abs=0.1)


def test_tint_of_bare_wood_counts_three_units_at_most() -> None:
    assert signs(among(tile_row("red-7", place(340), 0.5, True)))["tint"] == 3


def test_size_is_told_either_way() -> None:
    """One twice as wide is as odd as one half as wide."""
    large, small = (
        signs(among(tile_row("red-7", np.array(quad(480, 60, width), np.float32), 0.5, True))) for width in (80.0, 20.0)
    )
    assert large["size"] == pytest.approx(small["size"], rel=0.02)
    assert large["size"] > 1.5


def test_how_sure_a_jokers_name_is_tells_nothing() -> None:
    """Clutter is named a joker as surely as jokers are; a number's confidence counts."""
    sure, unsure = (signs(among(tile_row("joker", place(480), chance, True))) for chance in (0.99, 0.3))
    assert sure["number_log_odds"] == unsure["number_log_odds"] == 0
    assert (sure["joker"], signs(among(tile_row("red-7", place(480), 0.99, True)))["joker"]) == (1, 0)
    assert signs(among(tile_row("red-7", place(480), 0.99, True)))["number_log_odds"] == pytest.approx(np.log(99))


def test_what_the_classifier_takes_for_no_tile_counts() -> None:
    """All 15 names are as likely: 14 to 1 that it is some tile."""
    last = tile_row("red-7", place(480), 0.5, True)
    assert signs(among(last))["some_tile"] == pytest.approx(np.log(14), abs=1e-4)
    last.joint_number_log_probs[:] = np.log(0.001)
    last.joint_number_log_probs[0, NOT_A_TILE] = np.log(0.986)
    assert signs(among(last))["some_tile"] == pytest.approx(np.log(0.014 / 0.986), abs=1e-4)


def test_beside_a_tile_is_not_lone() -> None:
    """A tile's width and a bit from middle to middle is beside; a row further away is not."""
    assert signs(among(tile_row("red-7", place(302), 0.5, True)))["lone"] == 0
    assert signs(among(tile_row("red-7", place(480), 0.5, True)))["lone"] == 1


@pytest.mark.parametrize(
    ("label", "left", "confidence", "doubtful", "is_flagged"),
    [
        ("red-7", 480, 0.999, True, True),  # in doubt
        ("red-7", 302, 0.98, False, True),  # not as sure as tiles are
        ("red-7", 302, 0.995, False, False),  # beside one: sure enough
        ("red-7", 480, 0.995, False, True),  # by itself
        ("red-7", 480, 0.9999, False, False),  # nobody asks about that
        ("joker", 320, 0.995, False, True),  # a joker that does not touch
        ("joker", 302, 0.995, False, False),  # one in a row
    ],
)
def test_what_is_worth_asking_about(
    label: str, left: float, confidence: float, doubtful: bool, is_flagged: bool
) -> None:
    """Most tiles are past asking, and cost no time."""
    them = among(tile_row(label, place(left), confidence, doubtful))
    assert np.flatnonzero(worth_asking(them.tiles, them.tiles.is_doubtful, them.sure)).tolist() == (
        [4] if is_flagged else []
    )


def test_a_key_does_not_tell_that_the_next_one_is_a_tile() -> None:
    """Two of them side by side are asked about as one by itself is; beside a sure tile it is past asking."""
    _, quads, _ = table(4)
    keys = [tile_row("black-9", place(480), 0.995, False), tile_row("black-6", place(522), 0.9999, False)]
    tiles = table_of([*(tile_row("blue-3", one, 0.9999, False) for one in quads[:4]), *keys])
    for sure_key, flagged in ((False, [4]), (True, [])):
        sure = np.array([True] * 4 + [False, sure_key])
        assert np.flatnonzero(worth_asking(tiles, tiles.is_doubtful, sure)).tolist() == flagged


def test_without_a_sure_tile_nothing_is_told() -> None:
    """There must be one to compare with; one is enough."""
    with pytest.raises(ValueError, match="a sure tile is needed"):
        signs(among(tile_row("red-7", place(480), 0.5, True), others=0))
    assert signs(among(tile_row("red-7", place(340), 0.5, True), others=1))["tint"] == 3


def test_how_surely_it_was_found_counts_within_bounds() -> None:
    """As odds; what only the classifier found, beside a tile, stands in the middle."""
    found = [
        signs(among(tile_row("red-7", place(480), 0.5, True, score)))["found_log_odds"] for score in (0.1, 0.5, 1.0)
    ]
    assert found == pytest.approx([np.log(3 / 7), 0.0, np.log(49)], abs=1e-6)


def test_weights_are_read_from_the_manifest() -> None:
    """A manifest without a fit has none, one that leaves a sign out gives it no weight, strangers are refused."""
    assert TileOrNot.of_manifest({}) is None
    fitted = TileOrNot.of_manifest({"reader": {"tile_or_not": {"weights": {"joker": -1.5}, "bias": 2.0}}})
    assert fitted == TileOrNot(tuple(-1.5 if sign == "joker" else 0.0 for sign in SIGNS), 2.0)
    with pytest.raises(ValueError, match="smell"):
        TileOrNot.of_manifest({"reader": {"tile_or_not": {"weights": {"smell": 1.0}, "bias": 0.0}}})
    with pytest.raises(ValueError, match="got 1 weights"):
        TileOrNot((1.0,), 0.0)


def test_what_ships_tells_a_page_from_a_tile() -> None:
    """With the weights that ship: the tile stays, the page is asked about or left out."""
    is_tile = TileOrNot.of_manifest(read_manifest())
    assert is_tile is not None
    image, quads, _ = table()
    image[100:156, 340:380] = IVORY
    tile = among(tile_row("red-7", place(340), 0.9, True), image, np.concatenate([quads[:-1], place(340)[None]]))
    page = among(tile_row("joker", place(480), 0.9, True, 0.6))
    page.tiles.joint_number_log_probs[-1] = np.log(0.8 / 14)  # as the classifier says of such a place
    page.tiles.joint_number_log_probs[-1, NOT_A_TILE] = np.log(0.2)
    last = np.array([4])
    assert is_tile(tile, last)[0] > 0.9
    assert is_tile(page, last)[0] < MIN_UNFLAGGED_TILE_PROB
