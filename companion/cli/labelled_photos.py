"""Loads crops and labels from photos that a person has labelled, to fine-tune the classifier to a set of tiles.

The folder has photos and a file `labels.txt`: the output of `tilekeeper read FOLDER > FOLDER/labels.txt`, with all
wrong tiles corrected. `-` stands for no tile; question marks and the lines below a photo's own line are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from tilekeeper.companion.capture.decoder import PictureDecoder
from tilekeeper.engine.language import gettext, translate
from tilekeeper.engine.tiles.errors import NotationError
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.vision.photos import UnreadablePhoto
from tilekeeper.vision.recognition.classifier import crop_tiles
from tilekeeper.vision.types import NO_TILE_LABEL, TableReading

FILE = "labels.txt"
NO_TILE = "-"
MOST = 240
"""The maximum number of tiles that are used; misread and doubtful tiles come first."""


class LabelsRefused(Exception):  # noqa: N818, the name says it
    """The labels can't be used; the message says where and why in one line, for the command line."""


class Reads(Protocol):
    """The interface of a reader of BGR images `(H, W, 3) uint8`, such as `tilekeeper.vision.pipeline.Reader`."""

    def read(self, image_bgr: np.ndarray) -> TableReading: ...


@dataclass(frozen=True, slots=True, eq=False)
class LabelledTile:
    """A labelled tile of a photo: BGR crop `(72, 48, 3) uint8`, label, and whether it was misread or doubtful."""

    crop: np.ndarray
    label: str
    hard: bool


def labelled_tiles(folder: Path, reader: Reads) -> list[LabelledTile]:
    """Return at most `MOST` labelled tiles of the photos in a folder, hard tiles first; raise `LabelsRefused`."""
    with closing(PictureDecoder()) as decoder:
        tiles = [tile for line in _lines(folder) for tile in _tiles_of(*line, reader, decoder)]
    return sorted(tiles, key=lambda tile: not tile.hard)[:MOST]


def _lines(folder: Path) -> Iterator[tuple[str, Path, list[list[str]]]]:
    """Yield for each labelled photo the line in the file (for messages), the photo's path, and its melds' labels."""
    try:
        text = (folder / FILE).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise LabelsRefused(
            gettext(
                "{file} can't be read; make it with: tilekeeper read {folder} > {file}, then correct "
                "what is wrong in it",
                file=folder / FILE,
                folder=folder,
            )
        ) from None
    has_photos = False
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line[0].isspace():
            continue
        where = f"{folder / FILE}, line {number}"
        name, colon, table = line.rpartition(": ")
        if not colon:
            raise LabelsRefused(
                gettext("{where}: a line holds the photo's name, a colon and the tiles of its table", where=where)
            )
        path = folder / Path(name.strip()).name
        if not path.is_file():
            raise LabelsRefused(gettext("{where}: there is no photo {path}", where=where, path=path))
        has_photos = True
        yield where, path, [[_label(word, where) for word in meld.split()] for meld in table.split("|")]
    if not has_photos:
        raise LabelsRefused(gettext("{file} lists no photo", file=folder / FILE))


def _label(word: str, where: str) -> str:
    word = word.rstrip("?")
    if word == NO_TILE:
        return NO_TILE_LABEL
    try:
        ((tile,),) = parse_table(word).melds
    except (NotationError, ValueError) as error:
        raise LabelsRefused(f"{where}: {word}: {error}") from None
    return tile.label.replace("yellow", "orange")  # the classifier has one class for both inks


def _tiles_of(
    where: str, path: Path, melds: Sequence[Sequence[str]], reader: Reads, decoder: PictureDecoder
) -> list[LabelledTile]:
    try:
        image = decoder.load(path).image_bgr
    except (UnreadablePhoto, OSError) as error:
        raise LabelsRefused(f"{where}: {path}: {translate(str(error))}") from None
    reading = reader.read(image)
    lengths, read = [len(meld) for meld in melds], [len(row) for row in reading.rows]
    if lengths != read:
        raise LabelsRefused(
            gettext(
                "{where}: the photo has sets of {counted} tiles, but the line has sets of {melds}; keep every tile in "
                "its place, and write - where there is no tile",
                where=where,
                counted=_counted(read),
                melds=_counted(lengths),
            )
        )
    places = [place for row in reading.rows for place in row]
    if not places:
        return []
    quads_px = np.array([reading.tiles[place].sighting.quad_px for place in places], np.float32)
    crops = crop_tiles(image, quads_px)[0]
    labels = [label for meld in melds for label in meld]
    return [
        LabelledTile(crop, label, label != reading.tiles[place].label or reading.tiles[place].doubtful)
        for crop, label, place in zip(crops, labels, places, strict=True)
    ]


def _counted(lengths: Sequence[int]) -> str:
    return ", ".join(map(str, lengths)) or gettext("no")
