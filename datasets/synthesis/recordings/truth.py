"""The ground truth of a recorded game: when the table is settled, its tiles and their places, and the verdicts.

The ground truth of `game.mp4` is in `game.json` beside it. Melds are in table notation; corners are in pixels of a
frame, clockwise from the tile's own top left.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class TurnTruth:
    """One attempt at a turn; a foul and its correction are two attempts at the same turn.

    Attributes:
        number: the turn, from 0.
        player: the player, from 0.
        opened: whether the player had opened in an earlier turn.
        before: index of the still with the table at the start of the turn.
        kind: the name of the move or of the illegal turn.
        legal: whether the attempt is legal.
        violations: the codes of all violations, in the judge's order.
        placed: the tiles laid from the rack since `before`.
        points: the points of the opening; None if the player had opened before.
    """

    number: int
    player: int
    opened: bool
    before: int
    kind: str
    legal: bool
    violations: tuple[str, ...]
    placed: tuple[str, ...]
    points: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Still:
    """A pause: the frames from `first_frame` to `last_frame`, inclusive, without movement.

    `table`: the melds in table notation; `quads_px`: for each meld the corners of its tiles, `(N, 4, 2) float32`;
    `turn`: the attempt before the pause, None for the first table of the recording.
    """

    first_frame: int
    last_frame: int
    table: str
    quads_px: tuple[np.ndarray, ...]
    turn: TurnTruth | None


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """The ground truth of a recorded game; `made_by` is the command that makes the same recording.

    `wh`: size in pixels; `frames`: number of frames; `rules`, `pool`, `surface`, `typeface`: names.
    """

    wh: tuple[int, int]
    fps: float
    frames: int
    rules: str
    players: int
    pool: str
    surface: str
    typeface: str
    made_by: str
    stills: tuple[Still, ...]


def save_recording(recording: Recording, path: Path) -> None:
    """Write the ground truth as JSON, one pause per line."""
    head = {name: value for name, value in asdict(replace(recording, stills=())).items() if name != "stills"}
    stills = ",\n".join(f"    {json.dumps(_still_as_json(still))}" for still in recording.stills)
    text = json.dumps({**head, "stills": []}, indent=2)
    path.write_text(text.replace('"stills": []', f'"stills": [\n{stills}\n  ]') + "\n", encoding="utf-8")


def load_recording(path: Path) -> Recording:
    """Load the ground truth of a recording.

    Raises `OSError` for a missing file, and `ValueError`, `KeyError` or `TypeError` for wrong content.
    """
    data = json.loads(path.read_text(encoding="utf-8"))
    stills = tuple(_still_from_json(still) for still in data.pop("stills"))
    return Recording(**{**data, "wh": tuple(data["wh"])}, stills=stills)


def _still_as_json(still: Still) -> dict[str, object]:
    return {
        "first_frame": still.first_frame,
        "last_frame": still.last_frame,
        "table": still.table,
        "turn": asdict(still.turn) if still.turn else None,
        "quads_px": [np.round(quads.astype(float), 1).tolist() for quads in still.quads_px],
    }


def _still_from_json(data: dict[str, Any]) -> Still:
    turn = data["turn"]
    if turn is not None:
        turn = TurnTruth(**{**turn, "violations": tuple(turn["violations"]), "placed": tuple(turn["placed"])})
    quads_px = tuple(np.array(quads, np.float32) for quads in data["quads_px"])
    return Still(data["first_frame"], data["last_frame"], data["table"], quads_px, turn)
