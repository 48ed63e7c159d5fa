"""Try `tilekeeper adapt` on held-out sets of tiles and print the results.

    python -m tests.benchmarks.vision.finetune_trial [--sets 6] [--networks FOLDER]

Each set is a held-out printing in a typeface that is sometimes misread, seen by a camera slightly worse than usual. The
bench reads its first tables and simulates a person's corrections: at most 20 tiles that were misread or flagged, the
least confident first. It refits the last layer to those crops, and reads other tables of the same printing with and
without it. A set without any flagged tile has nothing to correct: it is counted and skipped.
"""

from __future__ import annotations

import argparse
import pathlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tilekeeper.datasets.synthesis.printings.printing import Printing, draw_printing
from tilekeeper.datasets.synthesis.scene.tables import RenderedTable, as_annotation, render_table
from tilekeeper.models.evaluation.measure import Count, Pictured, pictured_entry, predictions_of, read_all
from tilekeeper.models.evaluation.score import match
from tilekeeper.vision.finetune.labelled_crops import LabelledCrops, feature_extractor, load_shipped_crops
from tilekeeper.vision.finetune.own_sets import build_classifier, load_shipped_layer
from tilekeeper.vision.finetune.procedure import MIN_FINETUNE_CROPS, AdaptationResult, adapt
from tilekeeper.vision.manifest import Sessions, load_sessions
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.recognition.classifier import TileClassifier, crop_tiles

TYPEFACES = ("yusei-magic", "open-din")
"""Held-out typefaces with unusual fours and sevens."""
TILE_PX, WH, ROUGH = 34.0, (1100, 800), 1.6
MOST_CORRECTED, FIRST_TABLES, OTHER_TABLES = 20, 2, 4
SEED = 2026


@dataclass(frozen=True, slots=True)
class Tried:
    """The results of one set."""

    name: str
    corrected: int
    before: Count
    after: Count
    measured: AdaptationResult
    fit_s: float


def tables_of(printing: Printing, seed: int, count: int) -> list[Pictured]:
    """Render `count` tables of one printing, each with its own light and layout."""
    tables = []
    for i in range(count):
        rng = np.random.default_rng([SEED, seed, i])
        table = render_table(rng, "kept-out", WH, "shelves", TILE_PX, ROUGH, hands=False, printing=printing)
        tables.append(_pictured(table, f"{seed}-{i}"))
    return tables


def _pictured(table: RenderedTable, name: str) -> Pictured:
    return pictured_entry(as_annotation(table, name), lambda: table.image_bgr)


def corrections(pictures: Sequence[Pictured], reader: Reader) -> LabelledCrops:
    """Return crops and true labels of at most `MOST_CORRECTED` misread or flagged tiles, the least confident first."""
    misread: list[tuple[float, np.ndarray, str]] = []
    for pictured in pictures:
        image = pictured.load()
        reading = reader.read(image)
        for i, j in enumerate(match(pictured.truth, predictions_of(reading))):
            if j is None or pictured.truth.cut[i]:
                continue
            tile, label = reading.tiles[j], pictured.truth.labels[i]
            if tile.doubtful or tile.label != label:
                crop = crop_tiles(image, tile.sighting.quad_px[None])[0][0].round().astype(np.uint8)
                misread.append((tile.confidence, crop, label))
    misread.sort(key=lambda one: one[0])
    return LabelledCrops.from_labels(
        [crop for _, crop, _ in misread][:MOST_CORRECTED], [label for *_, label in misread][:MOST_CORRECTED]
    )


def try_set(number: int, sessions: Sessions, networks: pathlib.Path | None) -> Tried | None:
    """Try one set; None if too few tiles are flagged to learn from."""
    typeface = TYPEFACES[number % len(TYPEFACES)]
    printing = replace(draw_printing(np.random.default_rng([SEED, number]), "kept-out"), typeface=typeface)
    pictures = tables_of(printing, number, FIRST_TABLES + OTHER_TABLES)
    shipped_reader = Reader.of(sessions, build_classifier(sessions))
    corrected_crops = corrections(pictures[:FIRST_TABLES], shipped_reader)
    if len(corrected_crops) < MIN_FINETUNE_CROPS:
        return None
    start_s = time.perf_counter()
    shipped, crops = load_shipped_layer(sessions.manifest, networks), load_shipped_crops(networks)
    layer, measured = adapt(corrected_crops, feature_extractor(sessions.classifier), shipped, crops)
    fit_s = time.perf_counter() - start_s
    test_pictures = pictures[FIRST_TABLES:]
    classifier = TileClassifier(sessions.classifier, sessions.verifier, sessions.figures, layer.logits)
    before = read_all(test_pictures, shipped_reader)
    after = read_all(test_pictures, Reader.of(sessions, classifier))
    return Tried(f"{typeface} {number}", len(corrected_crops), before, after, measured, fit_s)


COLUMNS = (
    "set", "corrected", "tiles", "right before", "right after", "silent before", "silent after", "doubted before",
    "doubted after", "shipped crops before", "shipped crops after", "seconds",
)  # fmt: skip


def as_rows(tried: Sequence[Tried]) -> list[str]:
    """Return the table in Markdown; `silent` are counts, `right` and `doubted` shares."""
    rows = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for one in tried:
        before, after, shipped = one.before.tally.figures(), one.after.tally.figures(), one.measured.shipped
        cells = [
            one.name,
            str(one.corrected),
            str(before["tiles"]),
            *(f"{figures['right']:.4f}" for figures in (before, after)),
            *(str(count.tally.silent) for count in (one.before, one.after)),
            *(f"{figures['doubted']:.4f}" for figures in (before, after)),
            *(f"{right / shipped:.4f}" for right in (one.measured.shipped_before, one.measured.shipped_after)),
            f"{one.fit_s:.1f}",
        ]
        rows.append("| " + " | ".join(cells) + " |")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=6, help="how many sets to try")
    parser.add_argument("--networks", type=pathlib.Path, help="a folder of networks to try instead of the shipped ones")
    args = parser.parse_args()
    sessions = load_sessions(2, folder=args.networks)
    tried = []
    for number in range(args.sets):
        one = try_set(number, sessions, args.networks)
        if one is not None:
            tried.append(one)
            print("\n".join(as_rows(tried[-1:])[2:]), flush=True)
    rows = [*as_rows(tried), "", f"Of {args.sets} sets {args.sets - len(tried)} had nothing to correct."]
    print("\n".join(rows))


if __name__ == "__main__":
    main()
