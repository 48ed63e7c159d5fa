"""Makes the networks that ship from nothing, step by step; run again, it goes on where it stopped.

    python -m tilekeeper.models.training.recipe {train,train-classifier,export,calibrate} [--work var] [--share 0.01]

`train` trains all networks, exports them and fits their confidence; the others are steps by themselves, as
`make train-classifier`, `make export` and `make calibrate` call them. What is trained lies in the work folder; of
networks that are not there, `export` takes the weights in `models/pretrained`.

They learn from rendered tables alone, in several turns of the learning rate: what they read on real photos is then
what they may be expected to read on a table that nobody has shown them. On two cores without a GPU rendering takes 20
minutes and training 762: detector and classifier side by side, then the classifier's later turns, then the verifier.
`--share 0.01` tries the training in minutes. To begin anew, empty the work folder; one with another number of tables is
refused.

What ships was not made in one go. Phones in the evening (`classifier_samples.EVENING`) were shown to it in the
verifier's last turn alone, one in seven of them under two lamps, on 900 tables and 140 full of other things (seeds 311
and 323). What was shaken was smeared by whole pixels in all of its turns, and is to a fraction of one now. From
nothing, each turn of classifier and verifier shows them, on the same tables as all others.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

TABLES, CLUTTERED = 1800, 280
DETECTOR_TURNS = (26, 16, 22, 10, 20, 58)
CLASSIFIER_TURNS = (22, 25, 45, 50, 22)
"""Minutes of each turn of the learning rate; from its second, the classifier learns from the detector what is no
tile."""
DETECTOR_LAST, DETECTOR_PARTS = 55, 2
"""From there the detector has one more turn, of which the mean of the weights before, once, and after, so many times,
is kept. The minutes of last turns are those with the processor's matrix tiles, in which a step takes less than half the
time: set `ONEDNN_MAX_CPU_ISA=AVX512_CORE_AMX` where they work, and take twice as long where they don't."""
DETECTOR_ROUNDED = 48
"""And one with the rounding to 8 bits that ships, also from tables full of other things: the mean of before and after
ships."""
VERIFIER_TURNS = (62, 66)
"""The verifier begins as the classifier, made wider; the mean of its turns is kept."""
VERIFIER_CLUTTERED, VERIFIER_LAST = 55, 31
"""From there it has one more turn, with tables full of other things, of which the mean of before and after is kept; and
one with scenes drawn anew, of which what was before counts twice."""
VERIFIER_ROUNDED = 30, 45, 28
"""And further ones with the rounding, too, each from where the one before ended."""
VERIFIER_EVENING, VERIFIER_PARTS = 48, 2
"""And the last, of which the mean of before, once, and after, so many times, ships."""
MODELS = pathlib.Path(__file__).parents[1]
NETWORKS = ("detector", "classifier", "verifier")


@dataclass(frozen=True, slots=True)
class Recipe:
    """Where the recipe works and how much of it is done.

    Attributes:
        work: folder of checkpoints and rendered tables.
        to: folder into which networks are exported.
        share: share of the tables and minutes of the full recipe, above 0 to 1.
    """

    work: pathlib.Path
    to: pathlib.Path = MODELS
    share: float = 1.0

    def render(self) -> None:
        """Render the tables to learn from, where they are not there yet.

        Raises `SystemExit` where there are others than are wanted.
        """
        self._tables("train", TABLES, "--seed", 11)
        self._tables("clutter", CLUTTERED, "--seed", 23, "--layout", "few", "--things", 12)

    def _tables(self, name: str, full_count: int, *words: object) -> None:
        """See that a folder holds its tables: `photos.json` is written last, so that where it is, all of them are."""
        folder, count = self.work / name, max(4, round(self.share * full_count))
        listed = folder / "photos.json"
        if not listed.exists():
            _run("datasets.synthesis.scene.tables", folder, "--count", count, *words)
            return
        there = len(json.loads(listed.read_text("utf-8"))["photos"])
        if there != count:
            raise SystemExit(
                f"train: {folder} holds {there} tables, and the networks learn from {count}: empty {folder.parent} to"
                f" begin anew, or remove {folder} to keep what was learnt so far and have the tables rendered anew"
            )

    def train(self) -> None:
        """Train all networks, detector and classifier first, each on a core of its own."""
        with ThreadPoolExecutor(2) as side_by_side:
            detector = side_by_side.submit(self._turns, "detector", DETECTOR_TURNS)
            classifier = side_by_side.submit(self._turns, "classifier", CLASSIFIER_TURNS[:1])
            detector_turns, classifier_turns = detector.result(), classifier.result()
        learnt = self.work / "learnt"
        _export(learnt, detector=detector_turns[-1], classifier=classifier_turns[-1])
        self.train_classifier(learnt / "detector.onnx")
        self._finish_detector(detector_turns[-1])
        _export(learnt, detector=detector_turns[-1], classifier=self.work / "classifier.pt")
        self._train_verifier(learnt)

    def train_classifier(self, detector: pathlib.Path) -> None:
        """Train the classifier in all its turns; from the second on, the ONNX file `detector` finds what is no tile."""
        turns = self._turns("classifier", CLASSIFIER_TURNS, "--detector", detector)
        shutil.copyfile(turns[-1], self.work / "classifier.pt")

    def _finish_detector(self, begun: pathlib.Path) -> None:
        last, mean, rounded = (self.work / f"detector-{step}.pt" for step in ("last", "shaded", "rounded"))
        self._train("detector", last, DETECTOR_LAST, "--start", begun)
        _run("models.export.averaging", begun, *(last,) * DETECTOR_PARTS, "--out", mean)
        tables = ("--rendered", self.work / "train", self.work / "clutter")
        self._train("detector", rounded, DETECTOR_ROUNDED, "--start", mean, *tables, "--rounded", "--rate", 1.5e-3)
        _run("models.export.averaging", mean, rounded, "--out", self.work / "detector.pt")

    def _train_verifier(self, learnt: pathlib.Path) -> None:
        """Train it on what the classifier in the folder `learnt` doubts, and on what the detector there takes for
        tiles."""
        mean, cluttered, before, last, shaded = (
            self.work / f"verifier-{step}.pt" for step in ("mean", "cluttered", "before", "last", "shaded")
        )
        lessons: tuple[object, ...] = ("--unsure", learnt / "classifier.onnx", "--detector", learnt / "detector.onnx")
        lessons = (*lessons, "--rate", 2.5e-3)
        begun = ("--widen", self.work / "classifier.pt", *lessons)
        turns = self._turns("verifier", VERIFIER_TURNS, *lessons, first=begun)
        _run("models.export.averaging", *turns, "--out", mean)
        lessons = (*lessons, "--clutter", self.work / "clutter")
        self._train("verifier", cluttered, VERIFIER_CLUTTERED, "--start", mean, *lessons)
        _run("models.export.averaging", mean, cluttered, "--out", before)
        lessons = (*lessons, "--scenes", "--bfloat16")
        self._train("verifier", last, VERIFIER_LAST, "--start", before, *lessons)
        _run("models.export.averaging", before, before, last, "--out", shaded)
        lessons = (*lessons, "--rounded", "--rate", 1.5e-3)
        for turn, minutes in enumerate(VERIFIER_ROUNDED, 1):
            rounded = self.work / f"verifier-rounded-{turn}.pt"
            self._train("verifier", rounded, minutes, "--start", shaded, *lessons)
            shaded = rounded
        evening = self.work / "verifier-evening.pt"
        self._train("verifier", evening, VERIFIER_EVENING, "--start", shaded, *lessons)
        parts = (evening,) * VERIFIER_PARTS
        _run("models.export.averaging", shaded, *parts, "--out", self.work / "verifier.pt")

    def export(self) -> None:
        """Export the networks in eight bits, those not trained in the work folder from `models/pretrained`.

        The weights of those that were trained are laid into the folder `pretrained` beside the exported ones.
        """
        trained = {name: self.work / f"{name}.pt" for name in NETWORKS if (self.work / f"{name}.pt").exists()}
        if not trained:
            raise SystemExit(f"export: {self.work} holds no trained network; make train or make train-classifier first")
        _export(self.to, **{name: trained.get(name, MODELS / "pretrained" / f"{name}.pt") for name in NETWORKS})
        _run("models.export.quantisation", self.to, "--tables", self.work / "train")
        (self.to / "pretrained").mkdir(exist_ok=True)
        for name, checkpoint in trained.items():
            _run("models.export.averaging", checkpoint, "--out", self.to / "pretrained" / f"{name}.pt")

    def calibrate(self) -> None:
        """Fit the confidence of the exported networks, and what tells tiles from what only looks like them."""
        folders = {"--tables": "calibration", "--few": "calibration-few", "--cluttered": "calibration-things"}
        words = [word for option, name in folders.items() for word in (option, self.work / name)]
        _run("models.calibration.calibrate", *words, "--networks", self.to, "--share", self.share)

    def _turns(
        self, network: str, minutes: tuple[float, ...], *later: object, first: tuple[object, ...] = ()
    ) -> list[pathlib.Path]:
        """Train a network in turns, each from where the last one ended, all but the first with `later` as well.

        Returns the turns' checkpoints. Turns that are done end at once.
        """
        turns: list[pathlib.Path] = []
        for turn, length in enumerate(minutes):
            out = self.work / f"{network}-turn-{turn + 1}.pt"
            self._train(network, out, length, *(("--start", turns[-1], *later) if turns else first))
            turns.append(out)
        return turns

    def _train(self, network: str, out: pathlib.Path, minutes: float, *more: object) -> None:
        kind = {"detector": ("--bfloat16",), "classifier": (), "verifier": ("--verifier",)}[network]
        words = ("--rendered", self.work / "train", "--threads", 1, "--feeders", 1, "--out", out)
        module = "models.training.train_detector" if network == "detector" else "models.training.train_classifier"
        _run(module, *words, "--minutes", self.share * minutes, *kind, *more)


def _run(module: str, *words: object) -> None:
    command = [sys.executable, "-m", f"tilekeeper.{module}", *map(str, words)]
    print("+", *command[1:], flush=True)
    subprocess.run(command, check=True)


def _export(target: pathlib.Path, **networks: pathlib.Path) -> None:
    """Export checkpoints of networks, by name, into a folder."""
    words = (word for name, checkpoint in networks.items() for word in (f"--{name}", checkpoint))
    _run("models.export.to_onnx", *words, "--to", target, "--no-photos")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("train", "train-classifier", "export", "calibrate"))
    parser.add_argument(
        "--work", type=pathlib.Path, default=pathlib.Path("var"), help="folder of checkpoints and rendered tables"
    )
    parser.add_argument("--to", type=pathlib.Path, default=MODELS, help="folder to export to (default: the package's)")
    parser.add_argument("--share", type=float, default=1.0, help="share of the tables and minutes, to try the recipe")
    args = parser.parse_args()
    recipe = Recipe(args.work, args.to, args.share)
    match args.step:
        case "train":
            recipe.render()
            recipe.train()
            recipe.export()
            recipe.calibrate()
        case "train-classifier":
            recipe.render()
            recipe.train_classifier(MODELS / "detector.onnx")
        case "export":
            recipe.export()
        case "calibrate":
            recipe.calibrate()


if __name__ == "__main__":
    main()
