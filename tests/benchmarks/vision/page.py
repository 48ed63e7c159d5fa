"""The pages about what was measured: `bench-vision.md` with every figure, `calibration.md` with two drawings."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.report import as_json, figure_lines, part_lines
from tests.benchmarks.vision.diagrams import reliability_svg, trade_svg
from tests.benchmarks.vision.figures import figures_of
from tests.benchmarks.vision.run import Measured
from tilekeeper.models.evaluation.harder import WAYS
from tilekeeper.models.evaluation.reliability import (
    bins_of,
    calibration_error,
    confidence_arrays,
    share_at_most,
    thresholds_of,
)
from tilekeeper.vision.manifest import read_manifest

JSON_FILE = "bench-vision.json"
MOST_FAULTS = 25
"""So many faults of each set are listed on the page; the JSON has all."""
FINE = 1 - np.geomspace(0.5, 1e-5, 120)
"""Thresholds that the curve is drawn through."""


def as_document(measured: Measured, command: str) -> dict[str, Any]:
    """Everything as one JSON document."""
    return {
        "command": command,
        "python": platform.python_version(),
        "networks": measured.networks,
        "figures": as_json(figures_of(measured.figures)),
        "details": measured.figures,
    }


def with_earlier(document: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The document with what lies in a folder of topics that were not in this run, measured with the same networks.

    `earlier` names the command that measured each of these.
    """
    file = folder / JSON_FILE
    kept = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    networks, own = kept.get("networks", {}), document["networks"]
    if any(networks.get(kind, own[kind]) != own[kind] for kind in own):
        kept = {}
    topics = {topic: value for topic, value in kept.get("details", {}).items() if topic not in document["details"]}
    commands = {topic: kept.get("earlier", {}).get(topic, kept["command"]) for topic in topics}
    details = {**topics, **document["details"]}
    more = {"networks": {**kept.get("networks", {}), **own}, "details": details, "earlier": commands}
    return {**document, **more, "figures": as_json(figures_of(details))}


def write_docs(folder: Path, measured: Measured, document: dict[str, Any]) -> None:
    """Write the pages, the drawings and the JSON to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / JSON_FILE).write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    (folder / "bench-vision.md").write_text(bench_page(document), "utf-8")
    if measured.scored:
        for name, drawing in drawings(measured).items():
            (folder / name).write_text(drawing, "utf-8")
        (folder / "calibration.md").write_text(calibration_page(measured, document["command"]), "utf-8")


def bench_page(document: Mapping[str, Any]) -> str:
    """Targets and figures, then the details of each set and its faults."""
    commands = dict.fromkeys((document["command"], *document.get("earlier", {}).values()))
    lines = ["# What the eye reaches", "", "Made by", "", *(f"    {command} --docs docs" for command in commands), ""]
    lines += [*figure_lines(figures_of(document["details"])), "", _who_read(document), NOTES]
    lines += silence_lines(document["details"])
    for title, figures in _sections(document["details"]):
        lines += part_lines(title, figures, "Faults", MOST_FAULTS, lambda _, value: _one(value))
    return "\n".join(lines)


def silence_lines(figures: Mapping[str, Any]) -> list[str]:
    """What passed in silence on each set, beside the most that it may be in truth: none seen is not none."""
    rows = []
    for title, part in _sections(figures):
        of = part.get("tiles", part.get("hidden"))
        if not of or "silent_per_1000" not in part:
            continue
        silent, of = round(part["silent_per_1000"] * of / 1000), int(of)
        asked = f"{1000 * part['doubted']:.1f}" if "doubted" in part else ""
        most = 1000 * share_at_most(silent, of)
        unreadable = part.get("silent_unreadable", "")
        rows.append(
            f"| {title} | {of} | {silent} | {unreadable} | {part['silent_per_1000']:.2f} | {most:.2f} | {asked} |"
        )
    return [*SILENCE_HEAD, *rows, ""] if rows else []


def _who_read(document: Mapping[str, Any]) -> str:
    """Whose the figures are: those that ship read everything, but for photos where others were named for them."""
    if "photos" not in document["details"]:
        return SHIPPED_READ
    others = document["networks"].get("unseen") != document["networks"]["shipped"]
    return OTHERS_READ_PHOTOS if others else SHIPPED_READ_PHOTOS


SILENCE_HEAD = (
    "## What passes in silence, and what it may be in truth",
    "",
    "The bound is the upper end of the exact interval of 95 %: where nothing passed in silence, it tells how much may.",
    "Tiles of one picture err together, so that it flatters a little, and more where each photo is seen three times.",
    "Where the status of a picture says that it can't be read, no turn is judged by it: that is told apart.",
    "",
    "| set | tiles | silent | of these unreadable | per 1,000 | at most | right ones asked about, per 1,000 |",
    "|---|---|---|---|---|---|---|",
)
SHIPPED_READ = "All is read by the networks that ship."
SHIPPED_READ_PHOTOS = """\
All is read by the networks that ship, which saw none of the photos ([why](adr/0005-measured-on-photos-never-seen.md));
empty tables are among them."""
OTHERS_READ_PHOTOS = """\
The photos are read by other networks than those that ship (`--unseen`), which never saw what they read
([why](adr/0005-measured-on-photos-never-seen.md)); empty tables are among them. All else is read by those that ship."""
NOTES = """
Each way to make photos harder is applied on its own: shrunk until the middle tile is 16 px wide; lit by a black body of
2700 K (von Kries in linear light, the camera believing it to be daylight); a third of the light, with the noise of
photons and of reading them out; moved by a tenth of a tile's width while the shutter is open; the plane of the photo
tilted by 45° more than it was; across its middle half the edge of a shadow in which a fifth of the light is left; taken
with twice the light that is right; seen from 35°, 30°, 25° and 20° above the table, the near tiles four times as large
as the far ones, where tiles lower than 12 px count neither way; all at once, as by a phone that is held anywhere in the
evening: any way up, up to 50° off the vertical, tiles 14 to 32 px wide, under a lamp of 3000 to 6500 K with half to all
of the light, shaken by up to 1.5 px, with noise, sharpened, as JPEG; lit by one of 31 LEDs and fluorescent lamps of
measured spectra, whose white the camera mends wholly, by half or not at all; and leant to either side by up to 0.15 of
its height and smeared, as rows are that a camera reads one by one while it moves. Low cameras and the phone see each
photo three times, each time from elsewhere. A shadow's edge, too much light, low
cameras and the phone are ways in which the eye was found to be weak: there 5 in 1,000 may be wrong, but none in
silence, and 3 % asked about (a phone's 4 %), and so it is on tables as games begin, with one to three tiles and other
things beside them; in all other ways none may be wrong, and 2 % asked about. What is read in what lies beyond a photo's
edge, as of a tile that it cuts, counts neither way, one thing beyond each edge. Made low, a photo stays as flat as it
is: no tile shows its side. Rendered tables before a low camera have sides; there, too, tiles lower than 12 px count
neither way. Sets of 101 Okey print a sign below each number, the same or one for each ink, and have two like jokers.
What is done to a phone's photos here (lamp, dimness, noise, shake, sharpening, JPEG) is also among the verifier's
lessons, on rendered tiles.

Where tiles are hidden, the detector is told to say nothing of one tile after the other, of a picture at most twelve, as
if it had missed it: what is then neither read nor asked about passes in silence. A tile that lies alone is not hidden,
for then nothing in the picture says how large tiles are. In the same pictures as they are it is counted how often a
person is asked whether there is a tile at all, for each 1,000 tiles that count, also of what is none and of tiles that
the edge cuts: looking for what was missed brings no other question. Those about inks and numbers are `doubted` in the
rows above, and are counted in the tables below.

*Beside a detector*: both read by turns, each in a process of its own with two threads; how it grows is told of the
processor's time. Two sets, read as one with four of each tile, fit on a picture of full HD only with tiles of 28 px,
which are searched for a second time in a larger picture. *A full table* is read in this very process, *alone* in a
fresh one, at first sight.

Where all that is seen changes at once, tables in the form of a camera's picture are shifted, turned, brought nearer or
further off, lit with 0.3 to 2 times the light, tinted warm or cold, laid on another table, replaced by another, seen by
a camera of another size, or lost in the dark for two minutes, three of these one after the other in each sequence,
at 8 pictures a second with noise. It is measured how soon what is told is what is seen by a reader who knows only that
picture, and stays so for two seconds; where it never is within eight, that counts as eight. A phantom is a tile that is
told in the end where no tile is seen. A tile that is told as covered and surely seen is not told.

`silent` is what is wrong with nobody asked, per 1,000 true tiles; `doubted` is the share of right tiles that a person
is asked about. How honest the confidence is: [calibration](calibration.md).
"""
CALIBRATION_NOTES = """
A confidence is honest if of all tiles read with 0.99 one in a hundred is wrong. Left: what was said against what came
true, with the interval of 95 % for each point; on the line is honest, above it too sure of itself. Right: how many
wrong tiles pass in silence against how many right ones a person is asked about, as the threshold is moved; the large
dot is the threshold in use. Missed tiles have no confidence and are not counted here; they are in
[what the eye reaches](bench-vision.md), with the bound of 95 % for what passes in silence on each set. Photos made hard
hold what low cameras and the phone see three times, as they do there.

![Reliability](calibration-reliability.svg) ![Silent errors against doubts](calibration-trade.svg)
"""


def _sections(figures: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    titles = {
        "photos": "Photos as they are, all sessions and empty tables",
        "rendered": "Rendered tables kept out of training",
        "few": "Rendered tables with one to three tiles, kept out",
        "low": "Rendered tables seen from 18 to 40° above, kept out",
        "okey": "Rendered tables of 101 Okey, kept out",
        "fouls": "Planted fouls and their legal twins",
        "hidden on photos": "Tiles of the photos hidden from the detector in turn",
        "hidden on rendered tables": "Tiles of rendered tables hidden from the detector in turn",
        "changes on photos": "Photos, all that is seen changed at once",
        "changes on rendered tables": "Rendered tables, all that is seen changed at once",
        "full table": "A full table",
        "pace": "Beside a detector of YOLOv8n's size, and how it grows",
        "models": "The networks, in a fresh process",
        "turn": "A turn on a full table",
        "streams": "Streams after fusion",
        "streams of photos": "Streams of the photos' tiles on the photos' empty tables, after fusion",
    }
    sections = [(title, figures[key]) for key, title in titles.items() if figures.get(key)]
    hard = figures.get("hard photos", {})
    at = 1 if "photos" in figures else 0
    sections[at:at] = [(f"Photos, {words}", hard[way]) for way, (words, _) in WAYS.items() if way in hard]
    return sections


def calibration_page(measured: Measured, command: str) -> str:
    """What each set's confidence is worth, and what each threshold does."""
    fitted = read_manifest().get("reader", {}).get("confidence")
    lines = ["# What confidence is worth", "", "Made by", "", f"    {command} --docs docs", ""]
    lines.append(CALIBRATION_NOTES)
    if fitted:
        lines += [
            f"The confidence weighs several signs (`vision/scoring/calibration.py`), fitted on {fitted['fitted_on']}:"
            f" {fitted['tiles']} tiles. With `doubtful_below` at {measured.doubtful_below:g}, on tables left out of the"
            f" fit, {fitted['silent_per_10000']:.2f} in 10,000 were wrong in silence and"
            f" {100 * fitted['doubted']:.2f} % of the right ones in doubt.",
            "",
        ]
    else:
        lines += [f"The confidence is the networks' own; doubt begins below {measured.doubtful_below:g}.", ""]
    if is_tile := read_manifest().get("reader", {}).get("tile_or_not"):
        kept = is_tile.get("kept_because")
        lines += [
            "Whether something is a tile at all is told by signs of its own (`vision/scoring/tileness.py`), fitted on"
            f" {is_tile['fitted_on']}{f'; with earlier networks, for {kept}' if kept else ''}. Of what was asked about"
            f" there {is_tile['no_tiles']} were no tiles; by fits that saw nothing of their table"
            f" {is_tile['no_tiles_left_out']} of these are hardly any, and {is_tile['tiles_left_out']} of"
            f" {is_tile['tiles']} tiles.",
            "",
        ]
    for name, scored in measured.scored.items():
        confidences, right, asked = confidence_arrays(scored, measured.doubtful_below)
        bins = bins_of(confidences, right)
        lines += [
            f"## {name[0].upper()}{name[1:]}",
            "",
            f"{len(scored)} tiles read, {int((~right).sum())} of them wrong; expected calibration error"
            f" {calibration_error(bins):.5f}.",
            "",
            "| doubtful below | wrong in silence, per 10,000 | right ones in doubt |",
            "|---|---|---|",
        ]
        for row in thresholds_of(confidences, right, asked):
            lines.append(f"| {row.at:g} | {row.silent_per_10000:.2f} | {100 * row.doubted:.2f} % |")
        lines += ["", "| confidence | tiles | said to be right | right |", "|---|---|---|---|"]
        for one in bins:
            share = one.right / one.tiles
            lines.append(f"| {one.low:g} to {one.high:g} | {one.tiles} | {one.confidence:.5f} | {share:.5f} |")
        lines.append("")
    return "\n".join(lines)


def drawings(measured: Measured) -> dict[str, str]:
    """Two drawings, by file name."""
    sets = {name: confidence_arrays(scored, measured.doubtful_below) for name, scored in measured.scored.items()}
    reliability = {name: bins_of(confidences, right) for name, (confidences, right, _) in sets.items()}
    trades = {name: thresholds_of(*arrays, FINE.tolist()) for name, arrays in sets.items()}
    here = {name: thresholds_of(*arrays, [measured.doubtful_below])[0] for name, arrays in sets.items()}
    return {
        "calibration-reliability.svg": reliability_svg(reliability),
        "calibration-trade.svg": trade_svg(trades, here),
    }


def _one(value: object) -> bool:
    return isinstance(value, int | float | str) or (isinstance(value, dict) and bool(value))
