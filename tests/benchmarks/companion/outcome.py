"""The outcome of one turn before the app: the verdict, the truth, and the causes of a difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tests.benchmarks.vision.frames import truth_of
from tilekeeper.datasets.synthesis.recordings.games import Attempt
from tilekeeper.datasets.synthesis.recordings.truth import Still
from tilekeeper.engine.tiles.notation import format_table, parse_table
from tilekeeper.engine.tiles.table import Table
from tilekeeper.models.evaluation.measure import predictions_of
from tilekeeper.models.evaluation.score import match
from tilekeeper.vision.types import TableReading

LEGAL, ILLEGAL, UNSURE, UNREAD = "legal", "illegal", "unsure", "unread"


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A judged turn: the truth, the image, the reading and the state of the app."""

    seed: int
    number: int
    attempt: Attempt
    start: Still
    still: Still
    image_bgr: np.ndarray
    reading: TableReading | None
    state: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The app's verdict on one turn.

    Attributes:
        seed: the game.
        number: the turn in it, from 0.
        kind: the move or the foul.
        legal: whether the turn is really legal.
        said: `legal`, `illegal`, `unsure` if a person was asked, `unread` if it could not be judged.
        answered: the verdict after a person's answer; None without a question.
        early: whether Done was pressed while the hand was over the table.
        exact: whether every tile and meld was read correctly.
        causes: the causes of an error: `missed`, `invented`, `misnamed`, `grouping`, `before`, `judge`.
        details: lines for people.
    """

    seed: int
    number: int
    kind: str
    legal: bool
    said: str
    answered: str | None
    early: bool
    exact: bool
    causes: tuple[str, ...]
    details: tuple[str, ...]

    @property
    def false_foul(self) -> bool:
        """Whether a legal turn was called illegal without a question."""
        return self.legal and self.said == ILLEGAL

    @property
    def passed(self) -> bool:
        """Whether an illegal turn was called legal without a question."""
        return not self.legal and self.said == LEGAL

    @property
    def asked(self) -> bool:
        """Whether a person had to help."""
        return self.said in (UNSURE, UNREAD)

    @property
    def wrong(self) -> bool:
        """Whether the final verdict was wrong."""
        verdict = self.answered or self.said
        return verdict != UNREAD and verdict != (LEGAL if self.legal else ILLEGAL)

    @property
    def needs_review(self) -> bool:
        """Whether the images are worth a look."""
        return self.wrong or self.asked

    def as_json(self) -> dict[str, Any]:
        """Return the outcome for JSON."""
        return asdict(self)


def outcome_from_json(data: dict[str, Any]) -> Outcome:
    """Return the outcome that `as_json` wrote."""
    return Outcome(**{**data, "causes": tuple(data["causes"]), "details": tuple(data["details"])})


def outcome_of(shot: Shot, early: bool, answer: Callable[[], dict[str, Any]]) -> Outcome:
    """Compare the verdict with the truth; `answer` answers the app's questions and returns the state after it."""
    verdict = _verdict_kind(shot.state)
    causes, details = _differences(shot)
    exact = not causes
    right = LEGAL if shot.attempt.verdict.legal else ILLEGAL
    if exact and verdict not in (right, UNSURE):
        causes = ("judge",)
    if verdict in (right, UNSURE) and exact:
        details = ()
    if verdict == UNSURE:
        details = (*details, *_questions(shot))
    if verdict == UNREAD:
        details = (*details, f"not judged: {_why_unread(shot.state)}")
    return Outcome(
        shot.seed,
        shot.number,
        shot.attempt.kind,
        shot.attempt.verdict.legal,
        verdict,
        _verdict_kind(answer()) if verdict == UNSURE else None,
        early,
        exact,
        causes,
        details,
    )


def _verdict_kind(state: dict[str, Any]) -> str:
    verdict = state["verdict"]
    if verdict is None or not verdict["current"] or state["turn"]["waiting_to"] is not None:
        return UNREAD
    return verdict["kind"]


def _why_unread(state: dict[str, Any]) -> str:
    if state["turn"]["waiting_to"] is not None:
        return "the app still waits for the table to lie still"
    return state["reading"]["status"] if state["reading"] else "nothing was read"


def _questions(shot: Shot) -> list[str]:
    assert shot.reading is not None  # a question is about some tile of it
    truth, lines = truth_of(shot.still, np.eye(3)), []
    matches = match(truth, predictions_of(shot.reading))
    for question in shot.state["verdict"]["questions"]:
        tile = shot.reading.tiles[question["tile"]]
        true = truth.labels[matches.index(question["tile"])] if question["tile"] in matches else "no tile"
        lines.append(f"asked whether {tile.label} ({tile.confidence:.4f}) or {tile.runner_up}: it is {true}")
    return lines


def _differences(shot: Shot) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the causes of wrong tiles and melds, and a line of text for each."""
    if shot.reading is None:
        return ("missed",), ("nothing was read",)
    truth = truth_of(shot.still, np.eye(3))
    matches = match(truth, predictions_of(shot.reading))
    causes, lines = [], []
    for label, at in zip(truth.labels, matches, strict=True):
        if at is None:
            causes.append("missed")
            lines.append(f"{label} missed")
        elif shot.reading.tiles[at].label != label:
            tile = shot.reading.tiles[at]
            causes.append("misnamed")
            lines.append(f"{label} read as {tile.label} ({tile.confidence:.4f}{', doubtful' if tile.doubtful else ''})")
    row_indices = {index for row in shot.reading.rows for index in row}
    for index in sorted(row_indices - {at for at in matches if at is not None}):
        causes.append("invented")
        lines.append(f"{shot.reading.tiles[index].label} invented")
    if not causes and _shape(parse_table(shot.still.table)) != _shape(parse_table(shot.state["reading"]["table"])):
        causes.append("grouping")
        lines.append(f"{shot.still.table} read as {shot.state['reading']['table']}")
    before = " | ".join(" ".join(tile["text"] for tile in meld) for meld in shot.state["turn"]["before"])
    # the next turn starts from a turn that was found legal
    if (shot.state["verdict"] or {}).get("kind") != LEGAL and not same_table(before, shot.start.table):
        causes.append("before")
        lines.append(f"the turn was taken to start from {before}, it started from {shot.start.table}")
    if not causes:
        lines.append(f"{format_table(parse_table(shot.start.table))} -> {shot.still.table}")
    return tuple(dict.fromkeys(causes)), tuple(lines)


def same_table(one: str, other: str) -> bool:
    """Return whether two tables in notation are equal, with any order of melds and either direction of each."""
    return _shape(parse_table(one)) == _shape(parse_table(other))


def _shape(table: Table) -> list[tuple[str, ...]]:
    """Return the melds sorted, each in the direction that sorts first."""
    rows = [tuple(tile.label for tile in meld) for meld in table.melds]
    return sorted(min(row, row[::-1]) for row in rows)
