"""Reflections of lamps are added to a fixed share of the tiles and nowhere else."""

import numpy as np

from tilekeeper.models.evaluation.reflections import SHARE, with_reflections
from tilekeeper.models.evaluation.score import Truth

GREY = 120


def truth(count: int) -> Truth:
    """Return distant tiles 30 px wide."""
    first = np.array([[60, 60], [90, 60], [90, 102], [60, 102]])
    quads = [first + np.array([150 * k, 0]) for k in range(count)]
    return Truth(("red-1",) * count, tuple(quads), (False,) * count, np.zeros((0, 4)), np.array(quads))


def test_sixth_of_the_tiles_have_reflections() -> None:
    """They brighten the tile up to white; pixels further away stay the same."""
    tiles = truth(12)
    image = np.full((200, 1900, 3), GREY, np.uint8)
    lit = with_reflections(np.random.default_rng(2), image, tiles)
    brighter = [int(lit[60:102, 60 + 150 * k : 90 + 150 * k].max()) > GREY + 20 for k in range(12)]
    assert sum(brighter) == round(SHARE * 12)
    assert (lit >= image).all()
    dark = np.flatnonzero(~np.array(brighter))
    assert all((lit[:, 20 + 150 * k : 130 + 150 * k] == GREY).all() for k in dark)


def test_image_without_tiles_stays_the_same() -> None:
    """Tiles partly outside the image are no error."""
    image = np.full((90, 90, 3), GREY, np.uint8)
    assert with_reflections(np.random.default_rng(1), image, truth(0)) is image
    assert with_reflections(np.random.default_rng(1), image, truth(2)).shape == image.shape
