"""Makes the shipped networks and those that leave a session out, from nothing, step by step; run again, it goes on.

    python -m tilekeeper.models.train --photos PHOTOS [--work var] [--only pretrain folds shipped]

The weights pretrained on rendered tables alone lie in `models/pretrained`: `--only folds shipped` can start there.
Rendered tables pretrain both networks; each fold and the shipped pair are tuned from there on rendered tables and
photos. On two cores without a GPU: rendering 5 minutes, finder 42, namer 4, the folds (two at a time) 30, the shipped
pair 20.
"""

from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SESSIONS = ("s1", "s2", "s3", "s4")


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
    for folder, count, seed in (("train", 960, 1), ("train-more", 360, 2)):
        if not (work / folder / "photos.json").exists():
            _run("datasets.tables", work / folder, "--count", count, "--seed", seed)


def pretrain(work: pathlib.Path) -> None:
    """Train both networks on rendered tables alone, the finder in two turns of the learning rate."""
    tables = ("--rendered", work / "train")
    first, finder, namer = (work / f"{name}.pt" for name in ("finder-first", "finder-pretrained", "namer-pretrained"))
    _run("models.train_finder", *tables, "--bfloat16", "--minutes", 26, "--out", first)
    _run("models.train_finder", *tables, "--bfloat16", "--minutes", 16, "--start", first, "--out", finder)
    _run("models.train_namer", *tables, "--minutes", 4, "--out", namer)
    _export(work, "pretrained", work / "pretrained")


def tune(
    work: pathlib.Path,
    photos: pathlib.Path,
    name: str,
    leave_out: tuple[str, ...],
    minutes: tuple[float, float],
    cores: int,
    tables: tuple[pathlib.Path, ...],
) -> None:
    """Tune both pretrained networks on photos (less the sessions left out) and rendered tables, for so many minutes."""
    data = ("--rendered", *tables, "--photos", photos, "--leave-out", *leave_out)
    start, out = _pretrained(work, "finder"), work / f"finder-{name}.pt"
    finder = ("--bfloat16", "--rate", 1.5e-3, "--feeders", cores, "--start", start, "--out", out)
    _run("models.train_finder", *data, "--threads", cores, "--minutes", minutes[0], *finder)
    start, out = _pretrained(work, "namer"), work / f"namer-{name}.pt"
    namer = ("--rate", 1.5e-3, "--tables", 300, "--start", start, "--out", out)
    _run("models.train_namer", *data, "--threads", cores, "--minutes", minutes[1], *namer)


def tune_fold(work: pathlib.Path, photos: pathlib.Path, session: str) -> None:
    """Tune without one session and without the empty tables, on one core, and export to `work/folds/SESSION`."""
    tune(work, photos, session, (session, "background"), (10, 2.5), 1, (work / "train",))
    _export(work, session, work / "folds" / session)


def _export(work: pathlib.Path, name: str, target: pathlib.Path) -> None:
    _run("models.export", "--finder", work / f"finder-{name}.pt", "--namer", work / f"namer-{name}.pt", "--to", target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=pathlib.Path, required=True, help="folder of the annotated photos")
    parser.add_argument(
        "--work", type=pathlib.Path, default=pathlib.Path("var"), help="folder of checkpoints and rendered tables"
    )
    steps = ("pretrain", "folds", "shipped")
    parser.add_argument("--only", nargs="*", choices=steps, default=steps)
    args = parser.parse_args()
    render(args.work)
    if "pretrain" in args.only:
        pretrain(args.work)
    if "folds" in args.only:
        with ThreadPoolExecutor(2) as two_at_a_time:
            for done in [two_at_a_time.submit(tune_fold, args.work, args.photos, session) for session in SESSIONS]:
                done.result()
    if "shipped" in args.only:
        tables = (args.work / "train", args.work / "train-more")
        tune(args.work, args.photos, "shipped", (), (14.5, 4.5), 2, tables)
        _export(args.work, "shipped", pathlib.Path(__file__).parent)


if __name__ == "__main__":
    main()
