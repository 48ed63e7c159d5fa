"""Makes the shipped networks and those that leave a session out, from nothing, step by step; run again, it goes on.

    python -m tilekeeper.models.train --photos PHOTOS [--work var] [--only pretrain folds shipped]

Rendered tables pretrain both networks; each fold and the shipped pair are tuned from there on rendered tables and
photos. On two cores without a GPU: rendering 5 minutes, finder 32, namer 4, each fold 8.5, the shipped pair 13.
"""

from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys

SESSIONS = ("s1", "s2", "s3", "s4")


def _run(module: str, *words: object) -> None:
    command = [sys.executable, "-m", f"tilekeeper.{module}", *map(str, words)]
    print("+", *command[1:], flush=True)
    subprocess.run(command, check=True)


def pretrain(work: pathlib.Path) -> None:
    """Render the tables and train both networks on them alone."""
    if not (work / "train" / "photos.json").exists():
        _run("datasets.tables", work / "train", "--count", 960, "--seed", 1)
    _run(
        "models.train_finder",
        "--rendered",
        work / "train",
        "--minutes",
        32,
        "--bfloat16",
        "--out",
        work / "finder-pretrained.pt",
    )
    _run("models.train_namer", "--rendered", work / "train", "--minutes", 4, "--out", work / "namer-pretrained.pt")
    _export(work, "pretrained", work / "pretrained")


def tune(
    work: pathlib.Path, photos: pathlib.Path, name: str, leave_out: tuple[str, ...], minutes: tuple[float, float]
) -> None:
    """Tune both pretrained networks on photos (less the sessions left out) and rendered tables."""
    data = ("--rendered", work / "train", "--photos", photos, "--leave-out", *leave_out)
    _run(
        "models.train_finder", *data, "--rate", 1e-3, "--bfloat16", "--minutes", minutes[0],
        "--start", work / "finder-pretrained.pt", "--out", work / f"finder-{name}.pt",
    )  # fmt: skip
    _run(
        "models.train_namer", *data, "--rate", 1.5e-3, "--tables", 400, "--minutes", minutes[1],
        "--start", work / "namer-pretrained.pt", "--out", work / f"namer-{name}.pt",
    )  # fmt: skip


def _export(work: pathlib.Path, name: str, target: pathlib.Path) -> None:
    _run("models.export", "--finder", work / f"finder-{name}.pt", "--namer", work / f"namer-{name}.pt", "--to", target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=pathlib.Path, required=True, help="folder of the annotated photos")
    parser.add_argument(
        "--work", type=pathlib.Path, default=pathlib.Path("var"), help="folder of checkpoints and rendered tables"
    )
    parser.add_argument(
        "--only", nargs="*", choices=("pretrain", "folds", "shipped"), default=("pretrain", "folds", "shipped")
    )
    args = parser.parse_args()
    if "pretrain" in args.only:
        pretrain(args.work)
    if "folds" in args.only:
        for session in SESSIONS:
            tune(args.work, args.photos, session, (session, "background"), (7, 1.5))
            _export(args.work, session, args.work / "folds" / session)
    if "shipped" in args.only:
        tune(args.work, args.photos, "shipped", (), (10, 3))
        _export(args.work, "shipped", pathlib.Path(__file__).parent)


if __name__ == "__main__":
    main()
