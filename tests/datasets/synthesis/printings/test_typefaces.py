"""The typefaces: all that the list names are in the atlas, whole, and under licences that let us ship their print."""

from __future__ import annotations

import pytest

from tilekeeper.datasets.synthesis.printings.typeface_atlas import LEVELS, sources
from tilekeeper.datasets.synthesis.printings.typefaces import (
    CHARACTERS,
    GLYPH_PX,
    WORDMARK_PX,
    WORDMARKS,
    atlas,
    typefaces,
)

LICENCES = {"OFL", "Apache", "GUST", "MIT", "BSD-3-Clause", "Bitstream Vera", "public domain"}


def test_the_atlas_holds_what_the_list_names() -> None:
    """No typeface is drawn that the list does not name, and none is missing; each name is there once."""
    names = [row["typeface"] for row in sources()]
    assert sorted(names) == list(typefaces())
    assert len(set(names)) == len(names)


def test_every_typeface_says_where_it_is_from() -> None:
    """A package, a file and a licence that lets anybody use and pass on what is printed with it."""
    for row in sources():
        assert row["package"], row
        assert row["file"].endswith((".ttf", ".otf")), row
        assert row["licence"] in LICENCES, row


@pytest.mark.parametrize("face", ["roboto-bold", "dejavu-serif-bold"])
def test_a_typeface_is_whole(face: str) -> None:
    """All characters at the height of the digits, all wordmarks, in no more shades than the atlas keeps."""
    masks = atlas()
    for character in CHARACTERS:
        mask = masks[f"{face}/{character}"]
        assert mask.shape[0] == GLYPH_PX
        assert mask.max() > 200
        assert not (mask % (255 // (LEVELS - 1))).any()
    for word in WORDMARKS:
        assert masks[f"{face}/*{word}"].shape[0] == WORDMARK_PX
        assert masks[f"{face}/*{word}"].shape[1] > 2 * WORDMARK_PX
