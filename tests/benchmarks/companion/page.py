"""The page about what the app reaches: `bench-companion.md`, and every figure in `bench-companion.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.companion.figures import figures_of
from tests.benchmarks.report import as_json, figure_lines, part_lines

JSON_FILE = "bench-companion.json"
PARTS = {
    "fouls": "False fouls",
    "photo-fouls": "False fouls, games of the photos' tiles",
    "verdict": "From Done to the verdict",
    "phone": "From Done to the verdict, a phone filming",
    "listeners": "From an event to the tablets",
    "busy": "Another tablet while hands-free Done is judged",
    "done": "Another tablet while somebody presses Done",
    "start": "Starting",
    "first": "Starting again in a turn",
    "rest": "A table at rest",
    "memory": "Memory",
}
UNTOLD = ("faults", "command", "networks")
"""What of a part is no row of its table."""
MOST_FAULTS = 40
"""So many turns are listed on the page; the JSON has all."""
NOTES = """
*False fouls*: every game has a printing kept out of training, a table, a camera, light that drifts and hands of its
own, in 1280 × 720 with tiles 22 to 31 pixels wide. Every other turn is a foul: half of them a tile laid for one that
is easily confused with it, the others a broken run, a colour twice, a set too short, any other tile, a tile taken off
the table, too low an opening. The app gets the frames as from a camera, a hand that comes and goes, then the table
lying still, and is pressed over its API: in half of the turns Done comes while the hand is still there. Nobody
corrects what is misread but where the app asks; only on the table on which a game begins are misread and doubtful
tiles named, as in an evening they were when they were laid. Every legal turn mends the foul before it, and who mends
what was called wrong is asked sooner than who presses Done for the first time. A game ends with the first wrong
verdict. *Asked* are turns on which the verdict turns on a doubtful tile, and turns that could not be judged. *In an
evening* are 120 of these turns, of which more are fouls than people lay; *at most* is the upper end of the exact
interval of 95 %: 5,000 turns of which none is wrong would allow 0.09 in an evening still, so that they cannot show the
0.01 that is wanted, but only that they do not speak against it. *Games of the photos' tiles* are such games, too, with
the tiles of those photo sessions that show a whole set, each cut out of a photo, on the photos' empty tables.

*From Done to the verdict*: an evening in Chromium, the app a process of its own, watching 1920 × 1080 at 30 frames a
second, MJPEG by ffmpeg over loopback http; from the click to the painted verdict. Where Done was pressed before the
hand had gone: from the last picture of the hand. *A phone filming*: Chromium's fake camera shows the recorded game to
the page of the phone, 1280 × 720 at 30 frames a second, on the same machine, which so encodes and decodes as well; each
table lies for six seconds. *Tablets*: from before the request is sent to the last byte of the news, over all events and
listeners, the same stream running. *Starting*: from starting the process, with no data folder yet, to the first page in
hand; the disk's cache is warm. *Starting again in a turn*: from starting the process on an evening that was broken off,
before the same stream, until the table is read and, Done pressed then, until the verdict on the turn that lies there is
known. *Memory*: what app and camera process hold, what they share with each other or with other programs once and in
full, over the turns of an hour played without their pauses before the same stream; the most also of the turns before,
in which caches fill. What it has grown by is told of what is *own*, without the pages of libraries, which come and go
as the system has room for them: from the first tenth to the last of the turns after those. *A table at rest*: an
evening before the same stream at 15 pictures a second, each of the table as it lies; then another table from one
picture to the next, and how long after that picture has gone out the app says that something moves. *Clock over
processor time* tells how much else the machine had to do meanwhile: how many seconds by the clock one second of work
took; 1 is a machine that does nothing else.
"""


def as_document(measured: Mapping[str, Any], command: str) -> dict[str, Any]:
    """Everything as one JSON document; each part tells the command that measured it."""
    parts = {name: {**figures, "command": command} for name, figures in measured.items() if name in PARTS}
    return _document(measured["networks"], measured["machine"], parts)


def with_earlier(document: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The document with what lies in a folder of parts that were not in this run.

    Parts that other networks were measured with have these under `networks`.
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
    (folder / "bench-companion.md").write_text(bench_page(document), "utf-8")


def bench_page(document: Mapping[str, Any]) -> str:
    """Targets and figures, then the details of each part and the turns to look at."""
    commands = dict.fromkeys(figures["command"] for figures in document["parts"].values())
    machine = f"Python {document['machine']['python']}, {document['machine']['cores']} cores"
    lines = ["# What the app reaches", "", f"Made on {machine} by", ""]
    lines += [*(f"    {command} --docs docs" for command in commands), ""]
    lines += [*figure_lines(figures_of(document["parts"])), *_other_networks(document["parts"]), NOTES]
    for part, figures in document["parts"].items():
        lines += part_lines(
            PARTS[part], figures, "Judged wrongly or asked about", MOST_FAULTS, lambda name, _: name not in UNTOLD
        )
    return "\n".join(lines)


def _other_networks(parts: Mapping[str, Any]) -> list[str]:
    """Which parts were measured with networks that do not ship any more."""
    titles = [f"*{PARTS[part]}*" for part, figures in parts.items() if "networks" in figures]
    return ["", f"Measured with the networks of an earlier version: {', '.join(titles)}."] if titles else []
