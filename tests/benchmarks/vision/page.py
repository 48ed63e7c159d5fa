"""The page of the reader's measured figures: `bench-vision.md`, and every figure in `bench-vision.json`."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.report import MARKS, as_json, figure, figure_lines
from tests.benchmarks.vision.figures import figures_of, other_figures, sets_of
from tests.benchmarks.vision.run import Measured
from tilekeeper.models.evaluation.reliability import bins_of, calibration_error, confidence_arrays, share_at_most

JSON_FILE, PAGE_FILE = "bench-vision.json", "bench-vision.md"
CONFIDENCE = "confidence, "
"""Prefix of the topics with the calibration error of a set."""


def as_document(measured: Measured, command: str) -> dict[str, Any]:
    """Return everything as one JSON document."""
    details = {**measured.figures, **confidence_of(measured)}
    return {
        "command": command,
        "python": platform.python_version(),
        "networks": measured.networks,
        "figures": as_json(figures_of(details)),
        "details": details,
    }


def confidence_of(measured: Measured) -> dict[str, dict[str, float]]:
    """Return the number of tiles, of wrong tiles and the calibration error, for each set of scored tiles."""
    topics = {}
    for name, scored in measured.scored.items():
        confidences, right, _ = confidence_arrays(scored, measured.doubtful_below)
        error = calibration_error(bins_of(confidences, right))
        topics[CONFIDENCE + name] = {"tiles": len(scored), "wrong": int((~right).sum()), "error": error}
    return topics


def with_earlier(document: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Add the topics in a folder that were not in this run, if the same networks measured them.

    `earlier` names the command that measured each of these.
    """
    file = folder / JSON_FILE
    kept = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    networks, measured_networks = kept.get("networks", {}), document["networks"]
    if any(networks.get(kind, measured_networks[kind]) != measured_networks[kind] for kind in measured_networks):
        kept = {}
    topics = {topic: value for topic, value in kept.get("details", {}).items() if topic not in document["details"]}
    commands = {topic: kept.get("earlier", {}).get(topic, kept["command"]) for topic in topics}
    details = {**topics, **document["details"]}
    more = {"networks": {**kept.get("networks", {}), **measured_networks}, "details": details, "earlier": commands}
    return {**document, **more, "figures": as_json(figures_of(details))}


def write_docs(folder: Path, document: Mapping[str, Any]) -> None:
    """Write the page and the JSON to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / JSON_FILE).write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    (folder / PAGE_FILE).write_text(bench_page(document), "utf-8")


def bench_page(document: Mapping[str, Any]) -> str:
    """Return the page: a table of the sets, a table of the other figures, and how they were measured."""
    details = document["details"]
    commands = dict.fromkeys((document["command"], *document.get("earlier", {}).values()))
    lines = ["# Measured: the reader", "", *_who_read(document), "", *set_lines(details), ""]
    lines += [*figure_lines(other_figures(details)), "", *_confidence_lines(details), HOW, "## Commands", ""]
    return "\n".join([*lines, *(f"    {command} --docs docs" for command in commands), ""])


def set_lines(details: Mapping[str, Any]) -> list[str]:
    """Return the table of sets: right tiles, silent errors with their upper bound, flagged tiles, refused images."""
    lines = [*SET_HEAD]
    for name, limits, part in sets_of(details):
        if part is None or "tiles" not in part:
            continue
        tiles = int(part["tiles"])
        silent, refused = round(part["silent_per_1000"] * tiles / 1000), part.get("silent_unreadable", 0)
        lines.append(
            f"| {name} | {tiles} | {part['right']:.4f} | {silent} | {1000 * share_at_most(silent, tiles):.2f} "
            f"| {1000 * part['doubted']:.1f} | {refused} | {MARKS[figure(name, limits, part).met]} |"
        )
    return lines


def _confidence_lines(details: Mapping[str, Any]) -> list[str]:
    lines = []
    for topic, part in details.items():
        if topic.startswith(CONFIDENCE):
            lines.append(
                f"* Calibration error of the confidence, {topic.removeprefix(CONFIDENCE)}: {part['error']:.5f} "
                f"({part['tiles']} tiles, {part['wrong']} wrong)."
            )
    return [*lines, ""] if lines else []


def _who_read(document: Mapping[str, Any]) -> list[str]:
    """Return a sentence about the networks that were measured; photos may be read by other networks."""
    if "photos" not in document["details"]:
        return [SHIPPED_READ]
    others = document["networks"].get("unseen") != document["networks"]["shipped"]
    return [OTHERS_READ_PHOTOS if others else SHIPPED_READ_PHOTOS]


SET_HEAD = (
    "| set | tiles | right | silent errors | at most, per 1,000 | flagged, per 1,000 | on refused images | target |",
    "|---|---|---|---|---|---|---|---|",
)
SHIPPED_READ = "The shipped networks read every set."
SHIPPED_READ_PHOTOS = """\
The shipped networks read every set. They were trained on rendered tables alone, so all photos are held out
([ADR 5](adr/0005-measured-on-photos-never-seen.md)). Rendered tables have printings and surfaces that were held out."""
OTHERS_READ_PHOTOS = """\
Other networks than the shipped ones read the photos (`--unseen`); they saw none of the photos that they read
([ADR 5](adr/0005-measured-on-photos-never-seen.md)). The shipped networks read every other set."""
HOW = """\
## How it is measured

A *silent error* is a tile that is missed, misread or falsely detected while nobody is asked. *At most* is the upper
end of its exact 95 % interval; tiles of one picture fail together, so the true bound is a little higher. *Flagged* are
right tiles that a person is asked about. *On refused images* are further errors without a flag, on images that the app
judges nothing by, because they are too blurred, too small or too doubtful; it asks for another one. Targets for tiles
read right: all on photos and in everyday conditions, 0.998 on rendered tables, 0.995 elsewhere. On 96 of 100 rendered
tables everything must be right. Targets for silent errors: none, but 0.3 per 1,000 on rendered tables and 0.02 on
streams.

Each condition of a photo is applied alone; only the phone has lamp, dimness, noise, shake and JPEG at once. Low
cameras and the phone see each photo three times. Tiles lower than 12 px and tiles that the edge cuts do not count.
*Hidden*: the detector suppresses one tile of a picture after the other. *Changes*: the picture is shifted, turned,
zoomed, relit or replaced at 8 frames a second. The time until the state is right again counts; a phantom is a tile
that stays although no tile is there. Times come from two cores.
"""
