"""The page of the app's measured figures: `bench-companion.md`, and every figure in `bench-companion.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.companion.figures import figures_of
from tests.benchmarks.report import as_json, figure_lines

JSON_FILE, PAGE_FILE = "bench-companion.json", "bench-companion.md"
PARTS = {
    "fouls": "rendered turns",
    "photo-fouls": "turns with the tiles and tables of the photos",
    "verdict": "Done to verdict",
    "phone": "Done to verdict, a phone films the table",
    "listeners": "an event to the tablets",
    "busy": "another tablet during hands-free Done",
    "done": "another tablet while somebody presses Done",
    "start": "start",
    "first": "restart in a turn",
    "rest": "a table at rest",
    "memory": "memory",
}
TURNS_HEAD = (
    "| turns | judged | legal called illegal | illegal passed | wrong per evening, at most | questions per evening |",
    "|---|---|---|---|---|---|",
)
HOW = """
## How it is measured

*Turns*: every game has a printing, a table, a camera, light and hands of its own. Frames are 1280 × 720 with tiles 22
to 31 px wide; the printings are held out. Every other turn is a foul, half of them with a tile that looks like the
right one. The app gets frames as from a camera and is pressed through its API, in half of the turns while the hand is
still there. Nobody corrects a tile unless the app asks. An *evening* has 120 turns; *at most* is the upper end of the
exact 95 % interval, which 5,000 turns can't bring below 0.09.

*Done to verdict*: from the click to the painted verdict in Chromium, while a stream of 1920 × 1080 at 30 frames a
second runs. If the hand covers the table at Done, the time counts from its last frame. *Event*: from the request to
the last byte at each of 50 tablets. *Start*: from the start of the process to the first page, with a warm disk cache;
*restart*: to the verdict on the turn that was interrupted. *Rest*: the stream at 15 frames a second; *wakes*: from a
changed frame to "moving". *Memory*: app and camera process over 120 turns; growth counts the app's own memory, without
libraries.
"""


def as_document(measured: Mapping[str, Any], command: str) -> dict[str, Any]:
    """Return everything as one JSON document; each part names the command that measured it."""
    parts = {name: {**figures, "command": command} for name, figures in measured.items() if name in PARTS}
    return _document(measured["networks"], measured["machine"], parts)


def with_earlier(document: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Add the parts in a folder that were not in this run.

    A part that other networks measured names them under `networks`.
    """
    file = folder / JSON_FILE
    earlier = json.loads(file.read_text("utf-8")) if file.is_file() else {"parts": {}}
    parts = {
        name: {**figures, "networks": figures.get("networks", earlier["networks"])}
        for name, figures in earlier["parts"].items()
    }
    for figures in parts.values():
        if figures["networks"] == document["networks"]:
            del figures["networks"]
    return _document(document["networks"], document["machine"], {**parts, **document["parts"]})


def _document(networks: object, machine: object, parts: Mapping[str, Any]) -> dict[str, Any]:
    in_order = {name: parts[name] for name in PARTS if name in parts}
    return {"networks": networks, "machine": machine, "figures": as_json(figures_of(in_order)), "parts": in_order}


def write_docs(folder: Path, document: Mapping[str, Any]) -> None:
    """Write the page and the JSON to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / JSON_FILE).write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    (folder / PAGE_FILE).write_text(bench_page(document), "utf-8")


def bench_page(document: Mapping[str, Any]) -> str:
    """Return the page: a table of the figures, a table of the judged turns, and how they were measured."""
    parts = document["parts"]
    commands = dict.fromkeys(figures["command"] for figures in parts.values())
    machine = f"Python {document['machine']['python']}, {document['machine']['cores']} cores"
    lines = ["# Measured: the app", "", f"Measured with {machine}.", "", *figure_lines(figures_of(parts))]
    lines += [*_turn_lines(parts), *_other_networks(parts), HOW, "## Commands", ""]
    return "\n".join([*lines, *(f"    {command} --docs docs" for command in commands), ""])


def _turn_lines(parts: Mapping[str, Any]) -> list[str]:
    rows = [
        f"| {PARTS[part]} | {figures['turns']} | {figures['false_fouls']} | {figures['passed']} "
        f"| {figures['wrong_of_120_at_most']:.2f} | {figures['asked_of_120']:.2f} |"
        for part, figures in parts.items()
        if "wrong_of_120" in figures
    ]
    return ["", *TURNS_HEAD, *rows] if rows else []


def _other_networks(parts: Mapping[str, Any]) -> list[str]:
    """Say which parts were measured with networks that are no longer shipped."""
    titles = [f"*{PARTS[part]}*" for part, figures in parts.items() if "networks" in figures]
    return ["", f"Measured with the networks of an earlier version: {', '.join(titles)}."] if titles else []
