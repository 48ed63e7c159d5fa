"""Switches off each part of the eye in turn and counts what that costs: `python -m tests.benchmarks.vision.ablation`.

    python -m tests.benchmarks.vision.ablation --kind refinement --kind naming --work var/ablation --docs docs

A fixed set of pictures is read with everything on and then with each switch (`switches`) off: every photo as it is,
every fifth in each of the ways of `models/evaluation/harder.py`, and rendered tables kept out of training, some with
few tiles, some with much beside them that is no tile; `--full` takes all of them. What each picture comes to is held
against what it comes to with everything on, and a switch *pays* where pictures got worse without it and that is no
chance (sign test over the pictures that changed, p < 0.05). The networks remember their answers, and so do the
stages before the one in which something is switched off, so that a pass takes little more than the time of the code
after them; `crops` says how many the namer was asked about, against those
with everything on. What lies face down and what is wrong with a picture is not looked for.

What was measured stands in `--work`, a line of JSON for each switch, and is not measured again for the same code.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.resources
import json
import math
import pickle
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from tests.benchmarks.vision.photos import usual_width_px
from tests.benchmarks.vision.remembered_networks import Networks
from tests.benchmarks.vision.switches import DETECTED, FOUND, Switch, replaced, switches, together
from tilekeeper.datasets.photos import load_annotated
from tilekeeper.models.evaluation.harder import WAYS, Harder
from tilekeeper.models.evaluation.measure import Count, Pictured, photo_pictures, tables_in
from tilekeeper.models.evaluation.score import Truth
from tilekeeper.vision import pipeline
from tilekeeper.vision.finetune.classifier import namer_of
from tilekeeper.vision.manifest import digests_of, load_sessions
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.scoring import calibration, tileness
from tilekeeper.vision.types import TableReading

SETS = ("photos", "hard photos", "rendered", "few", "cluttered")
LOSSES = ("wrong", "silent", "melds", "doubted", "turned")
"""What is counted of each picture, less being better: tiles missed, misnamed or invented; those of them that nobody is
asked about; whether the melds differ; right tiles in doubt; tiles whose wrong end is up."""
HARD, RENDERED, FEW, CLUTTERED = 5, 60, 60, 60
KEPT_OUT_SEED, KEPT_OUT, FEW_SEED = 7, 300, 31
CLUTTERED_SEED, THINGS, CLUTTERED_TABLES = 43, 7, 120
"""What is no tile hardly lies on the other tables: on these lie seven keys, dominoes, pages and the like each."""
CHANCE = 0.05
KINDS = ("refinement", "naming", "sign", "limit")

Outcome = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A picture of one of the `SETS`."""

    part: str
    pictured: Pictured


def shown_pictures(
    photos: Path, kept_out: Path, few: Path, cluttered: Path, work: Path, full: bool = False
) -> list[Shown]:
    """Return the pictures that are read; photos made harder are kept in `work`, since making them takes a while."""
    plain = photo_pictures(load_annotated(photos))
    usual_px = usual_width_px(plain)
    shown = [Shown("photos", one) for one in plain]
    for way in WAYS:
        harder = Harder(way, usual_px)
        for at in range(0, len(plain), 1 if full else HARD):
            kept = work / "harder" / f"{way}-{plain[at].name}.pickle"
            shown.append(Shown("hard photos", _kept(kept, harder, at, plain[at])))
    rendered = tables_in(kept_out, KEPT_OUT, "kept-out", KEPT_OUT_SEED)
    alone = tables_in(few, KEPT_OUT, "kept-out", FEW_SEED, layout="few")
    shown += [Shown("rendered", one) for one in rendered[: None if full else RENDERED]]
    shown += [Shown("few", one) for one in alone[: None if full else FEW]]
    things = tables_in(cluttered, CLUTTERED_TABLES, "kept-out", CLUTTERED_SEED, things=THINGS)
    return shown + [Shown("cluttered", one) for one in things[: None if full else CLUTTERED]]


def _kept(path: Path, harder: Harder, at: int, plain: Pictured) -> Pictured:
    """Return a photo made harder, made once and kept in a file."""
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(harder.apply(at, plain)))

    def load() -> tuple[np.ndarray, Truth]:
        made: tuple[np.ndarray, Truth] = pickle.loads(path.read_bytes())
        return made

    return replace(plain, name=f"{harder.way} {plain.name}", truth=load()[1], load=lambda: load()[0])


def outcome_of(pictured: Pictured, reading: TableReading, before: Outcome | None = None) -> Outcome:
    """Return what a reading comes to: its tiles, its losses, and a digest of all that is told.

    Where the picture was read just so `before`, it comes to the same.
    """
    tiles = [
        (tile.label, tile.doubtful, np.round(tile.sighting.quad_px).astype(int).tolist()) for tile in reading.tiles
    ]
    told = hashlib.sha256(repr((sorted(tiles), reading.rows, reading.status)).encode()).hexdigest()[:12]
    if before and before["told"] == told:
        return before
    count = Count()
    count.add(pictured, reading)
    tally = count.tally
    return {
        "tiles": tally.tiles,
        "wrong": tally.tiles - tally.right + tally.invented,
        "silent": tally.silent,
        "melds": count.melds_of - count.melds_right,
        "doubted": tally.doubted,
        "turned": len(tally.corner_errors) - tally.upright,
        "corners": sum(tally.corner_errors),
        "told": told,
    }


def read_all(reader: Reader, pictures: Sequence[Shown], before: Sequence[Outcome | None] = ()) -> list[Outcome]:
    """Read the pictures one after the other; `before` is what they came to earlier."""
    return [
        outcome_of(one.pictured, reader.read(one.pictured.load()), was)
        for one, was in zip(pictures, before or [None] * len(pictures), strict=True)
    ]


class Remembered:
    """A function of `pipeline` that answers once for each picture; its image is the argument at `place`."""

    def __init__(self, name: str, place: int) -> None:
        self.name, self._function, self._place = name, getattr(pipeline, name), place
        self._answers: dict[bytes, Any] = {}

    def __call__(self, *args: Any) -> Any:
        """Answer as the function did with everything on."""
        image = args[self._place]
        key = repr(image.shape).encode() + np.ascontiguousarray(image[::15, ::15]).tobytes()
        if key not in self._answers:
            self._answers[key] = self._function(*args)
        return self._answers[key]


def _not_surveyed(_image_bgr: np.ndarray, reading: TableReading, _faint_px: np.ndarray) -> TableReading:
    """Stands in for `pipeline.surveyed`, which changes nothing that is counted."""
    return reading


def held_against(shown: Sequence[Shown], before: Sequence[Outcome], now: Sequence[Outcome]) -> dict[str, Any]:
    """Return for each of the sets what changed: how many readings, and for each loss the sum and who got worse."""
    parts: dict[str, Any] = {}
    for part in SETS:
        pairs = [(a, b) for one, a, b in zip(shown, before, now, strict=True) if one.part == part]
        losses = {}
        for loss in LOSSES:
            off = [b[loss] - a[loss] for a, b in pairs]
            losses[loss] = [sum(off), sum(one > 0 for one in off), sum(one < 0 for one in off)]
        corners = sum(b["corners"] - a["corners"] for a, b in pairs) / max(sum(a["tiles"] for a, _ in pairs), 1)
        changed = sum(a["told"] != b["told"] for a, b in pairs)
        parts[part] = {"pictures": len(pairs), "changed": changed, "corners": round(corners, 6), "losses": losses}
    return parts


def chance(worse: int, better: int) -> float:
    """Return how likely so one-sided a change is where nothing favours either side, 0 to 1 (two-sided sign test)."""
    total, few = worse + better, min(worse, better)
    return min(1.0, 2 * sum(math.comb(total, k) for k in range(few + 1)) / 2**total)


def verdict(parts: dict[str, Any]) -> str:
    """Say whether a part pays, from what changed without it."""
    judged = []
    for group in (("photos", "hard photos"), ("rendered", "few", "cluttered")):
        for loss in LOSSES:
            net, worse, better = np.sum([parts[part]["losses"][loss] for part in group], axis=0).tolist()
            sure = chance(worse, better) < CHANCE
            judged.append((net, worse, better, sure))
    if any(sure and worse > better for _, worse, better, sure in judged):
        return "pays"
    if not any(part["changed"] for part in parts.values()):
        return "never acts"
    if all(net <= 0 for part in parts.values() for net, *_ in part["losses"].values()):
        return "brings nothing"
    return "can't tell"


def usual_signs(reader: Reader, shown: Sequence[Shown]) -> dict[str, np.ndarray]:
    """Return the middle value of each sign, by module, as they are where the pictures are read."""
    noted: dict[str, list[np.ndarray]] = {"calibration": [], "tileness": []}

    def noting(name: str, signs_of: Any) -> Any:
        def noted_signs(*args: Any) -> np.ndarray:
            signs = signs_of(*args)
            noted[name].append(signs)
            return signs

        return noted_signs

    with (
        replaced("scoring.calibration", {"signs_of": noting("calibration", calibration.signs_of)}),
        replaced("scoring.tileness", {"signs_of": noting("tileness", tileness.signs_of)}),
    ):
        read_all(reader, shown)
    return {name: np.median(np.concatenate(signs), axis=0) for name, signs in noted.items() if signs}


def code_digest() -> str:
    """Return a digest of all of `vision/` and of the fits beside the networks."""
    root = Path(str(importlib.resources.files("tilekeeper.vision")))
    files = [*sorted(root.rglob("*.py")), root.parent / "models" / "manifest.json"]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files if file.is_file())).hexdigest()[:16]


@dataclass(slots=True)
class Bench:
    """The pictures, the reader with its remembering networks, and what they come to with everything on."""

    shown: list[Shown]
    networks: Networks
    reader: Reader
    before: list[Outcome]
    crops: int = 0
    remembered: Mapping[str, Remembered] = field(default_factory=dict)

    def parts(self) -> Iterator[tuple[str, list[Outcome]]]:
        """What each of the sets comes to with everything on."""
        for part in SETS:
            yield part, [one for shown, one in zip(self.shown, self.before, strict=True) if shown.part == part]

    def without(self, switch: Switch) -> dict[str, Any]:
        """Return what the pictures come to with a switch off."""
        begun, asked = time.process_time(), self.networks.asked[1]
        crops = self.crops if switch.stays != FOUND else 0
        stages = {switch.stays: self.remembered[switch.stays]} if switch.stays in self.remembered else {}
        with switch.off(), replaced("pipeline", {"surveyed": _not_surveyed, **stages}):
            now = read_all(self.reader, self.shown, self.before)
        parts = held_against(self.shown, self.before, now)
        return {
            "switch": switch.name,
            "kind": switch.kind,
            "seconds": round(time.process_time() - begun, 1),
            "crops": self.networks.asked[1] - asked - crops,
            "verdict": verdict(parts),
            "parts": parts,
        }


def opened(options: argparse.Namespace) -> Bench:
    """Read all pictures with everything on; the networks' answers are kept for the next time."""
    cv2.setNumThreads(1)
    sessions = load_sessions(1)
    networks = Networks.of(sessions)
    answers = options.work / f"answers-{digest_of_networks(sessions.manifest)}.pickle"
    networks.load(answers)
    reader = Reader.of(networks.sessions, namer_of(networks.sessions))
    folders = options.photos, options.kept_out, options.few, options.cluttered
    shown = shown_pictures(*folders, options.work, options.full)[:: options.every]
    if not options.full:  # 1.7 GB
        shown = [Shown(one.part, replace(one.pictured, load=partial(_same, one.pictured.load()))) for one in shown]
    had, asked = networks.known, networks.asked[1]
    remembered = {stage: Remembered(stage, place) for stage, place in ((DETECTED, 1), (FOUND, 2))}
    with replaced("pipeline", {"surveyed": _not_surveyed, **remembered}):
        before = read_all(reader, shown)
    asked = networks.asked[1] - asked
    if networks.known != had:
        networks.save(answers)
    return Bench(shown, networks, reader, before, asked, remembered)


def _same(image_bgr: np.ndarray) -> np.ndarray:
    return image_bgr


def digest_of_networks(manifest: Mapping[str, Any]) -> str:
    """Return a digest of the networks that ship."""
    return hashlib.sha256(json.dumps(digests_of(manifest), sort_keys=True).encode()).hexdigest()[:12]


def lines_in(path: Path, key: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what was measured of the same code and pictures, by switch."""
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []
    return {line["switch"]: line for line in lines if all(line.get(name) == value for name, value in key.items())}


def table(lines: Iterable[Mapping[str, Any]]) -> str:
    """Return the rows in Markdown: what is lost without each, on real and on rendered pictures, and the verdict."""
    heads = ("switched off", "verdict", "readings changed", *SETS, "crops", "s")
    rows = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for line in lines:
        parts = line["parts"]
        changed = sum(part["changed"] for part in parts.values())
        cells = [_losses_told(parts[part]["losses"]) for part in SETS]
        about = [line["switch"], line["verdict"], str(changed), *cells, f"{line['crops']:+d}", str(line["seconds"])]
        rows.append(f"| {' | '.join(about)} |")
    return "\n".join(rows) + "\n"


def _losses_told(losses: Mapping[str, Sequence[int]]) -> str:
    """Say by how much each loss is larger, and on how many pictures it became larger and smaller."""
    told = [f"{name} {net:+d} ({worse}:{better})" for name, (net, worse, better) in losses.items() if worse or better]
    return ", ".join(told) or "–"


def main(arguments: list[str] | None = None) -> int:
    """Measure what is not measured yet, print the table and write it where a folder is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=Path, default=Path("../shared/photos"), metavar="DIR")
    parser.add_argument("--kept-out", type=Path, default=Path("var/kept-out"), metavar="DIR")
    parser.add_argument("--few", type=Path, default=Path("var/kept-out-few"), metavar="DIR")
    parser.add_argument("--cluttered", type=Path, default=Path("var/kept-out-cluttered"), metavar="DIR")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only switches of these kinds")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only switches whose names begin so")
    parser.add_argument("--together", action="store_true", help="switch all of these off at once")
    parser.add_argument("--full", action="store_true", help="all pictures, not some of each set")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth of the pictures")
    parser.add_argument("--work", type=Path, default=Path("var/ablation"), metavar="DIR")
    parser.add_argument("--docs", type=Path, metavar="DIR", help="write ablation-table.md there")
    options = parser.parse_args(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    key, path = {"code": code_digest(), "full": options.full, "every": options.every}, options.work / "ablation.jsonl"
    bench = opened(options)
    every = [
        switch
        for switch in switches(usual_signs(bench.reader, bench.shown[::10]))
        if (not options.kind or switch.kind in options.kind)
        and (not options.only or switch.name.startswith(tuple(options.only)))
    ]
    if options.together:
        every = [together(every)]
    totals = {
        part: {loss: sum(one[loss] for one in some) for loss in ("tiles", *LOSSES)} for part, some in bench.parts()
    }
    print(json.dumps(totals), flush=True)
    done = lines_in(path, key)
    for switch in every:
        if switch.name in done:
            continue
        done[switch.name] = key | bench.without(switch)
        with path.open("a") as file:
            file.write(json.dumps(done[switch.name]) + "\n")
        print(table([done[switch.name]]).splitlines()[-1], flush=True)
    told = table(done[switch.name] for switch in every)
    if options.docs:
        (options.docs / "ablation-table.md").write_text(told, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
