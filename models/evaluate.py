"""Measures the eye and the judge and prints the figures: `python -m tilekeeper.models.evaluate --help`.

    python -m tilekeeper.models.evaluate --photos PHOTOS --kept-out var/kept-out --docs docs

* photos that the networks never saw: those that ship, which learnt from rendered tables alone, read every session and
  the empty tables; or those in the folder `--unseen`. Where that holds a pair of networks for each session
  (`UNSEEN/s1/finder.onnx` …, trained on photos without that session and without the empty tables), each reads the
  session it never saw, and all the empty tables;
* rendered tables in printings kept out of training;
* melds, on those tables and on the photos whose melds were labelled by hand;
* time from a picture of a full table in memory to its melds; the size of the networks; the judge's time.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import time
from collections.abc import Sequence

import numpy as np

from tilekeeper.datasets.photos import AnnotatedPhoto, load_annotated
from tilekeeper.engine.bench import measure
from tilekeeper.engine.bench_turns import TURNS, turns
from tilekeeper.engine.editions import DEFAULT_EDITION, rule_set
from tilekeeper.models.measure import Count, Reads, photo_pictures, read_all, reader_of, rendered_pictures, seen_of
from tilekeeper.models.score import Tally
from tilekeeper.vision.manifest import networks_of, read_manifest

SESSIONS = ("s1", "s2", "s3", "s4")
PHOTOS = "Real photos, each session read by networks that never saw it"
RENDERED = "Rendered tables in printings kept out of training"


def unseen_photos(
    photos: Sequence[AnnotatedPhoto], networks: pathlib.Path | None
) -> tuple[dict[str, dict[str, float]], list[str], dict[str, tuple[int, int]]]:
    """Figures by session and pooled, the faults, and on how many photos all melds came out right, by session.

    `networks` holds some that saw no photo at all, or some for each session that was left out of their training;
    without it those that ship read them.
    """
    pooled, empty = Tally(), Tally()
    figures: dict[str, dict[str, float]] = {}
    meld_rights: dict[str, tuple[int, int]] = {}
    pictures = photo_pictures(photos)
    by_fold = networks is not None and (networks / SESSIONS[0]).is_dir()
    for session in SESSIONS:
        reader, count = reader_of(networks / session if networks and by_fold else networks), Count()
        for pictured in pictures:
            if pictured.group not in (session, "background" if by_fold or session == SESSIONS[0] else session):
                continue
            reading = reader.read(pictured.load())
            truth, seen = pictured.truth, seen_of(reading)
            if pictured.group == "background":
                empty.add(f"{pictured.name} ({session} left out)" if by_fold else pictured.name, truth, seen)
                continue
            count.add(pictured, reading)
            pooled.add(pictured.name, truth, seen)
        figures[session] = count.tally.figures()
        if count.melds_of:
            meld_rights[session] = count.melds_right, count.melds_of
    figures["pooled"] = pooled.figures()
    figures["empty tables"] = empty.figures()
    return figures, pooled.faults + empty.faults, meld_rights


def rendered(folder: pathlib.Path, reader: Reads) -> tuple[dict[str, float], list[str], tuple[int, int]]:
    """Figures on rendered tables, the faults, and on how many tables all melds came out right."""
    count = read_all(rendered_pictures(folder), reader)
    return count.tally.figures(), count.tally.faults, (count.melds_right, count.melds_of)


def full_table(reader: Reads, runs: int = 15) -> dict[str, float]:
    """Milliseconds from a 1920 × 1080 picture of 106 tiles of about 40 px in memory to melds."""
    from tilekeeper.datasets.tables import render_full_table

    image = render_full_table(np.random.default_rng(5)).image_bgr
    times = []
    for _ in range(runs + 2):
        begun = time.perf_counter()
        reading = reader.read(image)
        times.append(1000 * (time.perf_counter() - begun))
    kept = times[2:]
    return {
        "tiles_read": len(reading.tiles),
        "median_ms": statistics.median(kept),
        "best_ms": min(kept),
        "worst_ms": max(kept),
    }


def judge_times(count: int = 100) -> dict[str, dict[str, float]]:
    """Median and worst milliseconds of the judge for each kind of turn on a full table."""
    rules = rule_set(DEFAULT_EDITION)
    times = {kind: measure(turns(kind, count, 0, rules), rules, time.perf_counter).times_s for kind in TURNS}
    times["all"] = [t for kind in TURNS for t in times[kind]]
    return {kind: {"median": 1000 * statistics.median(t), "worst": 1000 * max(t)} for kind, t in times.items()}


def report(figures: dict[str, object], command: str) -> str:
    """The figures as a page of Markdown."""
    lines = [
        "# What the eye reaches",
        "",
        "Made by",
        "",
        f"    {command}",
        "",
        "on a machine with two cores and no GPU.",
        "",
    ]
    for title, rows in figures.items():
        lines += [f"## {title}", ""]
        if isinstance(rows, dict) and rows and all(isinstance(row, dict) for row in rows.values()):
            columns = list(next(iter(rows.values())))
            lines += ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
            lines += [
                f"| {name} | " + " | ".join(_number(row.get(c)) for c in columns) + " |" for name, row in rows.items()
            ]
        elif isinstance(rows, dict) and rows:
            lines += [
                "| figure | value |",
                "|---|---|",
                *(f"| {name} | {_number(value)} |" for name, value in rows.items()),
            ]
        elif isinstance(rows, list):
            lines += [f"* {row}" for row in rows] or ["none"]
        else:
            lines.append("not measured")
        lines.append("")
    return "\n".join(lines)


def _number(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def record_scores(figures: dict[str, object], photos_too: bool) -> None:
    """Write what was measured into the manifest of the shipped networks, beside what they are.

    `photos_too` says whether it was they that read the photos.
    """
    path = pathlib.Path(__file__).with_name("manifest.json")
    manifest = json.loads(path.read_text("utf-8"))
    photos = figures.get(PHOTOS)
    unseen = photos["pooled"] if isinstance(photos, dict) and photos_too else None
    scores = {RENDERED: figures.get(RENDERED), PHOTOS: unseen}
    for network in ("finder", "namer"):
        manifest[network]["scores"] = {name: value for name, value in scores.items() if value}
    path.write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")


def measure_all(args: argparse.Namespace) -> dict[str, object]:
    """All figures that the arguments ask for, by title."""
    figures: dict[str, object] = {}
    melds: dict[str, str] = {}
    if args.photos:
        by_session, faults, rights = unseen_photos(load_annotated(args.photos), args.unseen)
        figures[PHOTOS] = by_session
        figures["Every fault on the photos"] = faults
        for session, (right, photos) in sorted(rights.items()):
            melds[f"photos of {session} with every meld right"] = f"{right} of {photos}"
    shipped = reader_of(None)
    if args.kept_out:
        scores, faults, (right, tables) = rendered(args.kept_out, shipped)
        figures[RENDERED] = scores
        figures["Faults on rendered tables (the first 40)"] = faults[:40]
        melds["rendered tables with every meld right"] = f"{right} of {tables} ({right / max(tables, 1):.4f})"
    if melds:
        figures["Melds"] = melds
    figures["A full table: 106 tiles of about 40 px at 1920 × 1080, two threads"] = full_table(shipped)
    here = pathlib.Path(__file__).parent
    size = sum((here / f"{name}.onnx").stat().st_size for name in networks_of(read_manifest()))
    figures["Size of the networks"] = {"MB": size / 1e6}
    figures["The judge on full tables, ms"] = judge_times()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=pathlib.Path, help="folder of the annotated photos")
    parser.add_argument(
        "--unseen",
        type=pathlib.Path,
        help="networks that saw no photo, or a folder for each session left out (default: those that ship)",
    )
    parser.add_argument(
        "--kept-out", type=pathlib.Path, help="rendered tables (tilekeeper.datasets.tables --pool kept-out)"
    )
    parser.add_argument(
        "--docs", type=pathlib.Path, help="write evaluation.md and .json there, and the manifest's scores"
    )
    args = parser.parse_args()
    figures = measure_all(args)
    words = [f"--{name.replace('_', '-')} {value}" for name, value in vars(args).items() if value]
    page = report(figures, "python -m tilekeeper.models.evaluate " + " ".join(words))
    print(page)
    if args.docs:
        (args.docs / "evaluation.md").write_text(page, "utf-8")
        (args.docs / "evaluation.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
        record_scores(figures, photos_too=not args.unseen)


if __name__ == "__main__":
    main()
