"""The atlas of typefaces: it is complete, and every licence lets this project ship printed images."""

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


def test_atlas_has_exactly_the_listed_typefaces() -> None:
    """Each name is listed once."""
    names = [row["typeface"] for row in sources()]
    assert sorted(names) == list(typefaces())
    assert len(set(names)) == len(names)


def test_every_typeface_has_a_source_and_a_licence() -> None:
    """The licences let anybody use and share what is printed with the typeface."""
    for row in sources():
        assert row["package"], row
        assert row["file"].endswith((".ttf", ".otf")), row
        assert row["licence"] in LICENCES, row


@pytest.mark.parametrize("face", ["roboto-bold", "dejavu-serif-bold"])
def test_typeface_has_all_characters_and_wordmarks(face: str) -> None:
    """Characters have the height of the digits, and masks have only the grey levels of the atlas."""
    masks = atlas()
    for character in CHARACTERS:
        mask = masks[f"{face}/{character}"]
        assert mask.shape[0] == GLYPH_PX
        assert mask.max() > 200
        assert not (mask % (255 // (LEVELS - 1))).any()
    for word in WORDMARKS:
        assert masks[f"{face}/*{word}"].shape[0] == WORDMARK_PX
        assert masks[f"{face}/*{word}"].shape[1] > 2 * WORDMARK_PX
