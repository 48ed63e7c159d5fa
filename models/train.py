"""Makes the shipped networks from nothing, step by step; run again, it goes on where it was.

    python -m tilekeeper.models.train --photos PHOTOS [--work var] [--only pretrain shipped]

Rendered tables alone pretrain the networks, in several turns of the learning rate; those that ship are tuned from
there on rendered tables and photos. What the pretrained ones (`WORK/pretrained`) read on the photos is what the
shipped ones may be expected to read on a table that nobody has shown them. The pretrained weights also lie in
`models/pretrained`: `--only shipped` can start there. On two cores without a GPU: rendering 12 minutes, pretraining 478
(finder and namer side by side, then the namer's later turns, then the proofreader), the shipped ones 25. To begin anew,
empty the work folder.
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FINDER_TURNS = (26, 16, 22, 10, 20, 58)
NAMER_TURNS = (22, 25, 45, 50, 22)
"""Minutes of each turn of the learning rate on rendered tables; from its second, the namer learns from the finder what
is no tile."""
PROOFREADER_TURNS = (62, 66)
"""The proofreader begins as the namer, made wider; the mean of its turns is kept."""
PROOFREADER_LAST = 55
"""From there it has one more turn, with tables full of other things; the mean of before and after is kept."""
TUNING = {"finder": 22, "namer": 10, "proofreader": 12}
"""Minutes in which each network is tuned."""
PHOTO_SHARE = {"finder": 0.25, "namer": 0.15, "proofreader": 0.15}
"""How much of the tuning is photos: few tables and one printing, but real."""


def _run(module: str, *words: object) -> None:
    command = [sys.executable, "-m", f"tilekeeper.{module}", *map(str, words)]
    print("+", *command[1:], flush=True)
    subprocess.run(command, check=True)


def _pretrained(work: pathlib.Path, network: str) -> pathlib.Path:
    """The weights pretrained in this working folder, or those that lie beside the networks."""
    own = work / f"{network}-pretrained.pt"
    return own if own.exists() else pathlib.Path(__file__).with_name("pretrained") / f"{network}.pt"


def render(work: pathlib.Path) -> None:
    """Render the tables to learn from, where they are not there yet."""
    if not (work / "train" / "photos.json").exists():
        _run("datasets.tables", work / "train", "--count", 900, "--seed", 11)
    if not (work / "clutter" / "photos.json").exists():
        things = ("--layout", "few", "--things", 12)
        _run("datasets.tables", work / "clutter", "--count", 280, "--seed", 23, *things)


def pretrain(work: pathlib.Path) -> None:
    """Train the networks on rendered tables alone, finder and namer each on a core of its own."""
    with ThreadPoolExecutor(2) as side_by_side:
        finder = side_by_side.submit(_turns, work, "finder", FINDER_TURNS)
        namer = side_by_side.submit(_turns, work, "namer", NAMER_TURNS[:1])
        finder_turns, namer_turns = finder.result(), namer.result()
    pair = ("--finder", finder_turns[-1], "--namer", namer_turns[-1])
    _run("models.export", *pair, "--to", work / "pretrained", "--no-photos")
    namer_turns = _turns(work, "namer", NAMER_TURNS, "--finder", work / "pretrained" / "finder.onnx")
    shutil.copyfile(finder_turns[-1], work / "finder-pretrained.pt")
    shutil.copyfile(namer_turns[-1], work / "namer-pretrained.pt")
    pair = ("--finder", work / "finder-pretrained.pt", "--namer", work / "namer-pretrained.pt")
    _run("models.export", *pair, "--to", work / "pretrained", "--no-photos")
    lessons = (*_doubts(work), "--rate", 2.5e-3)
    begun = ("--widen", work / "namer-pretrained.pt", *lessons)
    turns = _turns(work, "proofreader", PROOFREADER_TURNS, *lessons, first=begun)
    mean, last = work / "proofreader-mean.pt", work / "proofreader-last.pt"
    _run("models.average", *turns, "--out", mean)
    _train("proofreader", work, last, PROOFREADER_LAST, "--start", mean, *lessons, *_clutter(work))
    _run("models.average", mean, last, "--out", work / "proofreader-pretrained.pt")
    _export(work, "pretrained", work / "pretrained", "--no-photos")


def _doubts(work: pathlib.Path) -> tuple[object, ...]:
    """What a proofreader learns from besides tables: what the namer doubts, and what the finder takes for tiles."""
    return "--unsure", work / "pretrained" / "namer.onnx", "--finder", work / "pretrained" / "finder.onnx"


def _clutter(work: pathlib.Path) -> tuple[object, ...]:
    return "--clutter", work / "clutter"


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
    _run("models.train_finder" if network == "finder" else "models.train_namer", *words, *kind, *more)


def tune(work: pathlib.Path, photos: pathlib.Path) -> None:
    """Tune the pretrained networks on photos and rendered tables and export them into the package."""
    if not (work / "pretrained" / "finder.onnx").exists():
        pair = ("--finder", _pretrained(work, "finder"), "--namer", _pretrained(work, "namer"))
        _run("models.export", *pair, "--to", work / "pretrained", "--no-photos")
    with ThreadPoolExecutor(2) as side_by_side:
        finder = side_by_side.submit(_tuned, "finder", work, photos)
        namer = side_by_side.submit(_tuned, "namer", work, photos, *_doubts(work)[2:])
        namer.result()
        _tuned("proofreader", work, photos, *_doubts(work), *_clutter(work))
        finder.result()
    # two parts as it was pretrained: tuned it errs more on prints that it did not see
    parts = (*(_pretrained(work, "proofreader"),) * 2, work / "proofreader-tuned.pt")
    _run("models.average", *parts, "--out", work / "proofreader-shipped.pt")
    _export(work, "shipped", pathlib.Path(__file__).parent)


def _tuned(network: str, work: pathlib.Path, photos: pathlib.Path, *more: object) -> None:
    begun = ("--start", _pretrained(work, network), "--rate", 2e-3)
    lessons = ("--photos", photos, "--photo-share", PHOTO_SHARE[network])
    out = work / f"{network}-{'tuned' if network == 'proofreader' else 'shipped'}.pt"
    _train(network, work, out, TUNING[network], *begun, *lessons, *more)


def _export(work: pathlib.Path, name: str, target: pathlib.Path, *more: object) -> None:
    """Export the networks called `name`."""
    networks = [(f"--{network}", work / f"{network}-{name}.pt") for network in TUNING]
    _run("models.export", *(word for words in networks for word in words), "--to", target, *more)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=pathlib.Path, help="folder of the annotated photos, for what ships")
    parser.add_argument(
        "--work", type=pathlib.Path, default=pathlib.Path("var"), help="folder of checkpoints and rendered tables"
    )
    steps = ("pretrain", "shipped")
    parser.add_argument("--only", nargs="*", choices=steps, default=steps)
    args = parser.parse_args()
    if "shipped" in args.only and not args.photos:
        parser.error("what ships is tuned on photos: name their folder with --photos, or --only pretrain")
    render(args.work)
    if "pretrain" in args.only:
        pretrain(args.work)
    if "shipped" in args.only:
        tune(args.work, args.photos)


if __name__ == "__main__":
    main()
