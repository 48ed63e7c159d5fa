"""Make the atlas of typefaces: a mask of each character of each typeface in `typefaces.csv`.

    python -m tilekeeper.datasets.synthesis.printings.typeface_atlas [--fonts FOLDER ...]

needs the Debian packages in the list, installed or unpacked (`dpkg -x`) below one of the folders. Their
licences are OFL, Apache, GUST, MIT, BSD or Bitstream Vera, or they are in the public domain. The project ships the
masks, and no outlines of fonts.
"""

from __future__ import annotations

import argparse
import csv
import importlib.resources
import pathlib
from collections.abc import Iterator

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tilekeeper.datasets.synthesis.printings.drawn_figures import GLYPH_PX
from tilekeeper.datasets.synthesis.printings.typefaces import CHARACTERS, WORDMARK_PX, WORDMARKS

LEVELS = 16
"""Number of grey levels of a stored mask."""


def sources() -> Iterator[dict[str, str]]:
    """Return the rows of the list: `typeface`, `package` (Debian's name), `file`, `licence`."""
    with (
        importlib.resources.files("tilekeeper.datasets.synthesis.printings")
        .joinpath("typefaces.csv")
        .open(encoding="utf-8") as stream
    ):
        yield from csv.DictReader(stream)


def rasterise(font_path: pathlib.Path) -> dict[str, np.ndarray] | None:
    """Draw all characters of a font as masks by key: each character `(GLYPH_PX, w) uint8`, and `*word` for wordmarks.

    Wordmarks are `(WORDMARK_PX, w) uint8`. Returns None if a glyph is missing or the digits are old-style figures.
    """

    def draw(text: str, size: int) -> np.ndarray:
        font = ImageFont.truetype(str(font_path), size)
        picture = Image.new("L", (size * (len(text) + 2), size * 2), 0)
        ImageDraw.Draw(picture).text((size // 2, size // 4), text, fill=255, font=font)
        return np.asarray(picture)

    drawn = {character: draw(character, 300) for character in CHARACTERS}
    spans = {}
    for character, picture in drawn.items():
        rows = np.flatnonzero(picture.max(axis=1) > 40)
        columns = np.flatnonzero(picture.max(axis=0) > 40)
        if not len(rows):
            return None
        spans[character] = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    digits = [spans[d] for d in "0123456789"]
    top, bottom = min(s[0] for s in digits), max(s[1] for s in digits)
    if min(s[1] - s[0] for s in digits) < 0.9 * (bottom - top):
        return None  # old-style figures, which no set of tiles has
    masks = {}
    for character, picture in drawn.items():
        _, _, left, right = spans[character]
        masks[character] = _as_high(picture[top:bottom, left:right], GLYPH_PX)
    for word in WORDMARKS:
        picture = draw(word, 120)
        ys, xs = np.nonzero(picture > 40)
        masks["*" + word] = _as_high(picture[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1], WORDMARK_PX)
    return masks


def _as_high(picture: np.ndarray, height_px: int) -> np.ndarray:
    width = max(2, round(picture.shape[1] * height_px / picture.shape[0]))
    return cv2.resize(picture, (width, height_px), interpolation=cv2.INTER_AREA)


def _coded(masks: dict[str, np.ndarray], kind: str) -> dict[str, np.ndarray]:
    """Pack the masks of one kind for storage: all masks side by side, the end of each, and the keys."""
    line = np.hstack(list(masks.values()))
    return {
        kind: ((line.astype(np.uint16) * (LEVELS - 1) + 127) // 255).astype(np.uint8),
        f"{kind}_ends": np.cumsum([mask.shape[1] for mask in masks.values()]).astype(np.int32),
        f"{kind}_keys": np.array(list(masks)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fonts", type=pathlib.Path, nargs="*", default=[pathlib.Path("/usr/share")])
    folders: list[pathlib.Path] = parser.parse_args().fonts
    font_files = {path.name: path for folder in folders for path in sorted(folder.rglob("*.[to]tf"), reverse=True)}
    characters: dict[str, np.ndarray] = {}
    wordmarks: dict[str, np.ndarray] = {}
    from rich.progress import track

    for row in track(list(sources()), description="Drawing typefaces"):
        face, path = row["typeface"], font_files.get(row["file"])
        masks = rasterise(path) if path else None
        if masks is None:
            wrong = "old-style figures or no glyphs" if path else f"not there, install {row['package']}"
            raise SystemExit(f"{face}: {wrong}")
        for key, mask in masks.items():
            (wordmarks if key.startswith("*") else characters)[f"{face}/{key}"] = mask
    target = pathlib.Path(__file__).with_name("glyphs.npz")
    arrays = _coded(characters, "characters") | _coded(wordmarks, "wordmarks")
    np.savez_compressed(target, allow_pickle=False, **arrays)
    print(f"{len(characters) // len(CHARACTERS)} typefaces, {target.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
