"""Makes the networks that ship from nothing, step by step; run again, it goes on where it was.

    python -m tilekeeper.models.training.recipe [--work var]

They learn from rendered tables alone, in several turns of the learning rate: what they read on real photos is then what
they may be expected to read on a table that nobody has shown them. Their weights also lie in `models/pretrained`: a
further training can start there. On two cores without a GPU: rendering 20 minutes, training 640 (finder and namer side
by side, then the namer's later turns, then the proofreader). At the end the networks are made into ones of 8 bits and
their confidence is fitted. To begin anew, empty the work folder; one with another number of tables is refused.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TABLES, CLUTTERED = 1800, 280
FINDER_TURNS = (26, 16, 22, 10, 20, 58)
NAMER_TURNS = (22, 25, 45, 50, 22)
"""Minutes of each turn of the learning rate; from its second, the namer learns from the finder what is no tile."""
FINDER_LAST, FINDER_PARTS = 55, 2
"""From there the finder has one more turn, of which the mean of the weights before, once, and after, so many times, is
kept. The minutes of last turns are those with the processor's matrix tiles, in which a step takes less than half the
time: set `ONEDNN_MAX_CPU_ISA=AVX512_CORE_AMX` where they work, and take twice as long where they don't."""
FINDER_ROUNDED = 48
"""And one with the rounding to 8 bits that ships, also from tables full of other things: the mean of before and after
ships."""
PROOFREADER_TURNS = (62, 66)
"""The proofreader begins as the namer, made wider; the mean of its turns is kept."""
PROOFREADER_CLUTTERED, PROOFREADER_LAST = 55, 31
"""From there it has one more turn, with tables full of other things, of which the mean of before and after is kept; and
one with scenes drawn anew, of which what was before counts twice."""
PROOFREADER_ROUNDED = 30, 45, 28
"""And last ones with the rounding, too, each from where the one before ended; the last ships."""


def _run(module: str, *words: object) -> None:
    command = [sys.executable, "-m", f"tilekeeper.{module}", *map(str, words)]
    print("+", *command[1:], flush=True)
    subprocess.run(command, check=True)


def render(work: pathlib.Path) -> None:
    """Render the tables to learn from, where they are not there yet.

    Raises `SystemExit` where there are others than are wanted.
    """
    _tables(work / "train", TABLES, "--seed", 11)
    _tables(work / "clutter", CLUTTERED, "--seed", 23, "--layout", "few", "--things", 12)


def _tables(folder: pathlib.Path, count: int, *words: object) -> None:
    """See that a folder holds so many tables: `photos.json` is written last, so that where it is, all of them are."""
    listed = folder / "photos.json"
    if not listed.exists():
        _run("datasets.synthesis.scene.tables", folder, "--count", count, *words)
        return
    there = len(json.loads(listed.read_text("utf-8"))["photos"])
    if there != count:
        raise SystemExit(
            f"train: {folder} holds {there} tables, and the networks learn from {count}: empty {folder.parent} to begin"
            f" anew, or remove {folder} to keep what was learnt so far and have the tables rendered anew"
        )


def train(work: pathlib.Path) -> None:
    """Train the networks, finder and namer first, each on a core of its own."""
    with ThreadPoolExecutor(2) as side_by_side:
        finder = side_by_side.submit(_turns, work, "finder", FINDER_TURNS)
        namer = side_by_side.submit(_turns, work, "namer", NAMER_TURNS[:1])
        finder_turns, namer_turns = finder.result(), namer.result()
    learnt = work / "learnt"
    _export(learnt, finder=finder_turns[-1], namer=namer_turns[-1])
    namer_turns = _turns(work, "namer", NAMER_TURNS, "--finder", learnt / "finder.onnx")
    shutil.copyfile(namer_turns[-1], work / "namer.pt")
    _train("finder", work, work / "finder-last.pt", FINDER_LAST, "--start", finder_turns[-1])
    shaded, rounded = work / "finder-shaded.pt", work / "finder-rounded.pt"
    parts = (finder_turns[-1], *(work / "finder-last.pt",) * FINDER_PARTS)
    _run("models.export.averaging", *parts, "--out", shaded)
    tables = ("--rendered", work / "train", work / "clutter")
    _train("finder", work, rounded, FINDER_ROUNDED, "--start", shaded, *tables, "--rounded", "--rate", 1.5e-3)
    _run("models.export.averaging", shaded, rounded, "--out", work / "finder.pt")
    _export(learnt, finder=finder_turns[-1], namer=work / "namer.pt")
    # what the namer doubts, and what the finder takes for tiles
    lessons: tuple[object, ...] = ("--unsure", learnt / "namer.onnx", "--finder", learnt / "finder.onnx")
    lessons = (*lessons, "--rate", 2.5e-3)
    begun = ("--widen", work / "namer.pt", *lessons)
    turns = _turns(work, "proofreader", PROOFREADER_TURNS, *lessons, first=begun)
    mean, cluttered, before, last, shaded = (
        work / f"proofreader-{word}.pt" for word in ("mean", "cluttered", "before", "last", "shaded")
    )
    _run("models.export.averaging", *turns, "--out", mean)
    lessons = (*lessons, "--clutter", work / "clutter")
    _train("proofreader", work, cluttered, PROOFREADER_CLUTTERED, "--start", mean, *lessons)
    _run("models.export.averaging", mean, cluttered, "--out", before)
    _train("proofreader", work, last, PROOFREADER_LAST, "--start", before, *lessons, "--scenes", "--bfloat16")
    _run("models.export.averaging", before, before, last, "--out", shaded)
    lessons = (*lessons, "--scenes", "--bfloat16", "--rounded", "--rate", 1.5e-3)
    for turn, minutes in enumerate(PROOFREADER_ROUNDED, 1):
        rounded = work / f"proofreader-rounded-{turn}.pt"
        _train("proofreader", work, rounded, minutes, "--start", shaded, *lessons)
        shaded = rounded
    shutil.copyfile(shaded, work / "proofreader.pt")


def ship(work: pathlib.Path) -> None:
    """Export the networks into the package, in eight bits, and fit their confidence."""
    package = pathlib.Path(__file__).parents[1]
    _export(package, **{network: work / f"{network}.pt" for network in ("finder", "namer", "proofreader")})
    _run("models.export.quantisation", package, "--tables", work / "train")
    _run("models.calibration.calibrate", "--tables", work / "calibration", "--cluttered", work / "calibration-things")


def _turns(
    work: pathlib.Path, network: str, minutes: tuple[float, ...], *later: object, first: tuple[object, ...] = ()
) -> list[pathlib.Path]:
    """Train a network in turns, each from where the last one ended, all but the first with the words `later` as well.

    Returns the turns' checkpoints. Turns that are done are gone through at once.
    """
    turns: list[pathlib.Path] = []
    for turn, length in enumerate(minutes):
        out = work / f"{network}-turn-{turn + 1}.pt"
        _train(network, work, out, length, *(("--start", turns[-1], *later) if turns else first))
        turns.append(out)
    return turns


def _train(network: str, work: pathlib.Path, out: pathlib.Path, minutes: float, *more: object) -> None:
    kind = ("--bfloat16",) if network == "finder" else ("--proofreader",) if network == "proofreader" else ()
    words = ("--rendered", work / "train", "--threads", 1, "--feeders", 1, "--minutes", minutes, "--out", out)
    _run("models.training.train_finder" if network == "finder" else "models.training.train_namer", *words, *kind, *more)


def _export(target: pathlib.Path, **networks: pathlib.Path) -> None:
    """Export checkpoints of networks, by name, into a folder."""
    words = (word for name, checkpoint in networks.items() for word in (f"--{name}", checkpoint))
    _run("models.export.to_onnx", *words, "--to", target, "--no-photos")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--work", type=pathlib.Path, default=pathlib.Path("var"), help="folder of checkpoints and rendered tables"
    )
    work = parser.parse_args().work
    render(work)
    train(work)
    ship(work)


if __name__ == "__main__":
    main()
