"""The hand-labelled melds of the photos match the annotated tiles."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tilekeeper.datasets.photos import AnnotatedPhoto, load_annotated, load_melds


@pytest.fixture(scope="module")
def photos(photos_folder: Path) -> tuple[AnnotatedPhoto, ...]:
    """Load the sessions that show melds."""
    return load_annotated(photos_folder, sessions=("s1", "s4"))


def test_each_tile_of_a_labelled_photo_is_in_one_row(photos: tuple[AnnotatedPhoto, ...]) -> None:
    """38 photos are labelled."""
    melds = load_melds(photos)
    assert len(melds) == 38
    for photo in photos:
        if photo.file in melds:
            assert sorted(at for row in melds[photo.file] for at in row) == list(range(len(photo.tiles)))


def test_rows_follow_the_direction_of_their_tiles(photos: tuple[AnnotatedPhoto, ...]) -> None:
    """The next tile of a row is to the right of an upright tile."""
    melds = load_melds(photos)
    for photo in photos:
        for row in melds.get(photo.file, ()):
            for tile_index, next_index in pairwise(row):
                quad, next_quad = photo.tiles[tile_index].quad_px, photo.tiles[next_index].quad_px
                step = next_quad.mean(axis=0) - quad.mean(axis=0)
                assert np.dot(step, quad[1] - quad[0]) > 0, (photo.file, row)


def test_nearly_all_rows_are_melds(photos: tuple[AnnotatedPhoto, ...]) -> None:
    """Rows of three or more tiles are groups or runs, except two that people really laid wrong.

    These are a run out of order and a run with a missing number, on two photos each.
    """
    melds = load_melds(photos)
    broken = []
    for photo in photos:
        for row in melds.get(photo.file, ()):
            named = [(at, photo.tiles[tile].label.split("-")) for at, tile in enumerate(row)]
            plain = [(at, label[0], int(label[1])) for at, label in named if len(label) == 2]
            one_number = len({number for _, _, number in plain}) == 1
            run = len({(ink, number - at) for at, ink, number in plain}) == 1
            if len(row) >= 3 and not one_number and not run:
                broken.append((photo.file, list(row)))
    assert sorted({file for file, _ in broken}) == ["rummy-34.jpg", "rummy-35.jpg", "rummy-36.jpg", "rummy-37.jpg"]
    assert len(broken) == 4


def test_rows_that_do_not_match_the_tiles_are_refused(photos: tuple[AnnotatedPhoto, ...]) -> None:
    """A photo with other tiles than those in its rows raises an error."""
    photo = next(photo for photo in photos if photo.file == "rummy-1.jpg")
    shorter = AnnotatedPhoto(photo.path, photo.file, photo.session, photo.image_wh, photo.tiles[:-1])
    with pytest.raises(ValueError, match=r"rummy-1\.jpg"):
        load_melds([shorter])
    assert load_melds([]) == {}
