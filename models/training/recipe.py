"""Train the shipped networks from random weights, export and calibrate them; a second run resumes where it stopped.

    python -m tilekeeper.models.training.recipe {train,train-classifier,export,calibrate} [--work var] [--share 0.01]

`train` trains all networks, exports them and fits their confidence. The other steps do one part each, for
`make train-classifier`, `make export` and `make calibrate`. The work folder holds the checkpoints; `export` takes the
weights in `models/pretrained` for networks that have no checkpoint there.

The networks learn only from rendered tables and racks, in several cycles of the learning rate. So all real photos are
held out, and the scores on them show what to expect on a new table. On two cores without a GPU, rendering takes 45
minutes and training 867: detector and classifier side by side, then the classifier's later cycles, then the verifier.
`--share 0.01` tries the training in minutes. Empty the work folder to train from the beginning; a folder with another
number of tables is refused.

The shipped networks were trained in several runs, which differ from this recipe. Dim crops
(`classifier_samples.EVENING`) were part of the verifier's last cycle only, one in seven of them under two lamps, on 900
tables and 140 cluttered ones (seeds 311 and 323). Motion blur was rounded to whole pixels in all of the verifier's
cycles; today it is exact. This recipe has dim crops in each cycle of classifier and verifier, on the same tables as all
other crops. Racks were part of the last cycle of each network only, with 640 tables (seeds 11 and 12011), 34 of a low
camera and 60 cluttered ones.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

TABLES, CLUTTERED, RACKS = 1800, 280, 500
DETECTOR_TURNS = (26, 16, 22, 10, 20, 58)
CLASSIFIER_TURNS = (22, 25, 45, 50, 22)
"""Minutes of each cycle of the learning rate. From the second cycle on, the detector's false detections are training
samples of the classifier."""
DETECTOR_LAST, DETECTOR_PARTS = 55, 2
"""Minutes of the detector's next cycle, and how often its weights count in the mean with the previous weights, which
count once. The minutes of the last cycles assume a processor with AMX, on which a step takes less than half the time.
Set `ONEDNN_MAX_CPU_ISA=AVX512_CORE_AMX` if AMX works, and double the minutes if it does not."""
DETECTOR_ROUNDED = 48
"""Minutes of the detector's last cycle on tables, cluttered ones included, with rounding to 8 bits. The mean of the
weights before and after the cycle is kept."""
VERIFIER_TURNS = (62, 66)
"""Minutes of the verifier's first cycles. It starts as a widened classifier; the mean of both cycles is kept."""
VERIFIER_CLUTTERED, VERIFIER_LAST = 55, 31
"""Minutes of a cycle with cluttered tables, averaged with the weights before it, and of a cycle with newly drawn
scenes, averaged with the weights before it, which count twice."""
VERIFIER_ROUNDED = 30, 45, 28
"""Minutes of the cycles with rounding to 8 bits; each starts from the end of the previous cycle."""
VERIFIER_EVENING, VERIFIER_PARTS = 48, 2
"""Minutes of the last cycle on tables, and how often its weights count in the mean with the previous weights, which
count once."""
DETECTOR_RACKS, CLASSIFIER_RACKS, VERIFIER_RACKS = 25, 40, 40
"""Minutes of the last cycle of each network, on tables and on racks, where the row in front hides a part of a tile."""
RACKS_PARTS = 2
"""How often the weights of classifier and verifier after that cycle count in the mean with the previous weights, which
count once. This mean is shipped; for the detector, the weights after the cycle are shipped."""
MODELS = pathlib.Path(__file__).parents[1]
NETWORKS = ("detector", "classifier", "verifier")


@dataclass(frozen=True, slots=True)
class Recipe:
    """The steps of the recipe, with the folders that they use and the share of the work to do.

    Attributes:
        work: folder of checkpoints and rendered tables.
        to: folder into which networks are exported.
        share: share of the tables and minutes of the full recipe, above 0 to 1.
    """

    work: pathlib.Path
    to: pathlib.Path = MODELS
    share: float = 1.0

    def render(self) -> None:
        """Render the training tables and racks that are missing.

        Raises `SystemExit` if a folder holds another number of images than needed.
        """
        drawn = "datasets.synthesis.scene.tables"
        self._render_folder(drawn, "train", TABLES, "--seed", 11)
        self._render_folder(drawn, "clutter", CLUTTERED, "--seed", 23, "--layout", "few", "--things", 12)
        self._render_folder("datasets.rendering.render", "racks", RACKS, "--seed", 5)

    def _render_folder(self, module: str, name: str, full_count: int, *options: object) -> None:
        """Render a folder of images unless it is complete, that is, has a `photos.json`, which is written last."""
        folder, count = self.work / name, max(4, round(self.share * full_count))
        listed = folder / "photos.json"
        if not listed.exists():
            _run(module, folder, "--count", count, *options)
            return
        rendered_count = len(json.loads(listed.read_text("utf-8"))["photos"])
        if rendered_count != count:
            raise SystemExit(
                f"train: {folder} holds {rendered_count} pictures, and the training needs {count}: empty"
                f" {folder.parent} to train from the beginning, or remove {folder} to keep the checkpoints and render"
                " it again"
            )

    def train(self) -> None:
        """Train all networks: detector and classifier at the same time, then the verifier."""
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
        """Train the classifier in all its cycles; from the second on, `detector` (ONNX) provides false detections."""
        turns = self._turns("classifier", CLASSIFIER_TURNS, "--detector", detector)
        options = "--detector", detector, "--clutter", self.work / "clutter", "--scenes", "--rate", 2e-3
        self._learn_racks("classifier", turns[-1], CLASSIFIER_RACKS, *options)

    def _learn_racks(self, network: str, start: pathlib.Path, minutes: float, *options: object) -> None:
        """Train classifier or verifier on racks as well; keep the mean of the weights at `start` and after it."""
        after = self.work / f"{network}-racks.pt"
        self._train(network, after, minutes, "--start", start, *self._with_racks(), *options)
        parts = (after,) * RACKS_PARTS
        _run("models.export.averaging", start, *parts, "--out", self.work / f"{network}.pt")

    def _finish_detector(self, start: pathlib.Path) -> None:
        last, mean, rounded = (self.work / f"detector-{step}.pt" for step in ("last", "shaded", "rounded"))
        self._train("detector", last, DETECTOR_LAST, "--start", start)
        _run("models.export.averaging", start, *(last,) * DETECTOR_PARTS, "--out", mean)
        tables = ("--rendered", self.work / "train", self.work / "clutter")
        self._train("detector", rounded, DETECTOR_ROUNDED, "--start", mean, *tables, "--rounded", "--rate", 1.5e-3)
        tables_only = self.work / "detector-tables.pt"
        _run("models.export.averaging", mean, rounded, "--out", tables_only)
        options = (*self._with_racks("clutter"), "--rounded", "--rate", 1e-3)
        self._train("detector", self.work / "detector.pt", DETECTOR_RACKS, "--start", tables_only, *options)

    def _with_racks(self, *more: str) -> tuple[object, ...]:
        """Return the command-line options for training on tables, racks and the folders `more`."""
        return ("--rendered", *(self.work / name for name in ("train", "racks", *more)))

    def _train_verifier(self, learnt: pathlib.Path) -> None:
        """Train the verifier with the networks in the folder `learnt`.

        It learns from crops of which the classifier is uncertain, and from false detections of the detector.
        """
        mean, cluttered, before, last, shaded = (
            self.work / f"verifier-{step}.pt" for step in ("mean", "cluttered", "before", "last", "shaded")
        )
        options: tuple[object, ...] = ("--unsure", learnt / "classifier.onnx", "--detector", learnt / "detector.onnx")
        options = (*options, "--rate", 2.5e-3)
        turns = self._turns(
            "verifier", VERIFIER_TURNS, *options, first=("--widen", self.work / "classifier.pt", *options)
        )
        _run("models.export.averaging", *turns, "--out", mean)
        options = (*options, "--clutter", self.work / "clutter")
        self._train("verifier", cluttered, VERIFIER_CLUTTERED, "--start", mean, *options)
        _run("models.export.averaging", mean, cluttered, "--out", before)
        options = (*options, "--scenes", "--bfloat16")
        self._train("verifier", last, VERIFIER_LAST, "--start", before, *options)
        _run("models.export.averaging", before, before, last, "--out", shaded)
        options = (*options, "--rounded", "--rate", 1.5e-3)
        for turn, minutes in enumerate(VERIFIER_ROUNDED, 1):
            rounded = self.work / f"verifier-rounded-{turn}.pt"
            self._train("verifier", rounded, minutes, "--start", shaded, *options)
            shaded = rounded
        evening = self.work / "verifier-evening.pt"
        self._train("verifier", evening, VERIFIER_EVENING, "--start", shaded, *options)
        parts, tables_only = (evening,) * VERIFIER_PARTS, self.work / "verifier-tables.pt"
        _run("models.export.averaging", shaded, *parts, "--out", tables_only)
        self._learn_racks("verifier", tables_only, VERIFIER_RACKS, *options)

    def export(self) -> None:
        """Export the networks in 8 bits; a network without a checkpoint in the work folder is a pretrained one.

        The weights of trained networks are written into the folder `pretrained` beside the exported files.
        """
        trained = {name: self.work / f"{name}.pt" for name in NETWORKS if (self.work / f"{name}.pt").exists()}
        if not trained:
            raise SystemExit(f"export: {self.work} holds no trained network; make train or make train-classifier first")
        _export(self.to, **{name: trained.get(name, MODELS / "pretrained" / f"{name}.pt") for name in NETWORKS})
        _run("models.export.quantisation", self.to, "--tables", self.work / "train", self.work / "racks")
        _run(
            "models.calibration.face_head",
            self.to,
            "--images",
            *(self.work / name for name in ("train", "racks", "clutter")),
        )
        (self.to / "pretrained").mkdir(exist_ok=True)
        for name, checkpoint in trained.items():
            _run("models.export.averaging", checkpoint, "--out", self.to / "pretrained" / f"{name}.pt")

    def calibrate(self) -> None:
        """Fit the confidence of the exported networks and the regression that separates tiles from non-tiles."""
        folders = {
            "--tables": "calibration",
            "--few": "calibration-few",
            "--cluttered": "calibration-things",
            "--racks": "calibration-racks",
        }
        options = [word for option, name in folders.items() for word in (option, self.work / name)]
        _run("models.calibration.calibrate", *options, "--networks", self.to, "--share", self.share)

    def _turns(
        self, network: str, minutes: tuple[float, ...], *later: object, first: tuple[object, ...] = ()
    ) -> list[pathlib.Path]:
        """Train a network in cycles of the learning rate, one for each of `minutes`; return their checkpoints.

        Each cycle starts from the end of the cycle before. `first`: options of the first cycle; `later`: of all others.
        A cycle that was finished in an earlier run ends at once.
        """
        turns: list[pathlib.Path] = []
        for turn, length in enumerate(minutes):
            out = self.work / f"{network}-turn-{turn + 1}.pt"
            self._train(network, out, length, *(("--start", turns[-1], *later) if turns else first))
            turns.append(out)
        return turns

    def _train(self, network: str, out: pathlib.Path, minutes: float, *more: object) -> None:
        kind = {"detector": ("--bfloat16",), "classifier": (), "verifier": ("--verifier",)}[network]
        options = ("--rendered", self.work / "train", "--threads", 1, "--feeders", 1, "--out", out)
        module = "models.training.train_detector" if network == "detector" else "models.training.train_classifier"
        _run(module, *options, "--minutes", self.share * minutes, *kind, *more)


def _run(module: str, *options: object) -> None:
    command = [sys.executable, "-m", f"tilekeeper.{module}", *map(str, options)]
    print("+", *command[1:], flush=True)
    subprocess.run(command, check=True)


def _export(target: pathlib.Path, **networks: pathlib.Path) -> None:
    """Export the checkpoints in `networks`, by name, into the folder `target`."""
    options = (word for name, checkpoint in networks.items() for word in (f"--{name}", checkpoint))
    _run("models.export.to_onnx", *options, "--to", target, "--no-photos")


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
