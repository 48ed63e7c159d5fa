"""Plays rendered games before the app in several processes and counts false fouls, missed fouls and questions."""

from __future__ import annotations

import itertools
import json
import multiprocessing
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2

from tests.benchmarks.companion.filmed_game import NotBegun, plan_of, play_before_app
from tests.benchmarks.companion.outcome import Outcome, Shot, outcome_from_json
from tests.benchmarks.vision.photo_looks import PhotoLooks
from tests.support.drawing import draw_reading
from tilekeeper.datasets.photos import load_annotated
from tilekeeper.datasets.synthesis.recordings.foul_tables import ALIKE
from tilekeeper.models.evaluation.reliability import share_at_most
from tilekeeper.vision.manifest import digests_of_all, read_manifest
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.shipped import load_reader

TURNS_FILE = "turns.jsonl"
EVENING = 120
"""Number of turns of a game night."""
CONFUSABLE = frozenset(kind for kind, _ in ALIKE)

OnProgress = Callable[[int], None]
"""Is called with the number of newly judged turns."""


@dataclass(frozen=True, slots=True)
class Game:
    """The outcome of one game: its turns, and why it could not begin (empty if it did)."""

    seed: int
    turns: tuple[Outcome, ...]
    not_begun: str = ""

    def as_line(self) -> str:
        """Return one line of JSON."""
        turns = [one.as_json() for one in self.turns]
        return json.dumps({"seed": self.seed, "turns": turns, "not_begun": self.not_begun}) + "\n"


def game_from_line(line: str) -> Game:
    """Return the game that `as_line` wrote."""
    data = json.loads(line)
    return Game(data["seed"], tuple(map(outcome_from_json, data["turns"])), data["not_begun"])


class OtherNetworks(Exception):  # noqa: N818, the name says it
    """The recorded turns were judged with other networks; the message is for people."""


def judge_turns(
    turns: int, jobs: int, keep: Path, resume: bool, on_progress: OnProgress, photos: Path | None = None
) -> list[Game]:
    """Judge turns, half of them fouls; return the outcome of each game.

    Args:
        turns: the smallest number of turns.
        jobs: the number of processes.
        keep: the folder for recorded turns, and for images of turns to look at.
        resume: whether to continue with the recorded turns.
        heard: is called with the number of newly judged turns.
        photos: a folder of annotated photos, whose tiles and empty tables make the games; None for rendered printings
            and surfaces.

    Raises:
        OtherNetworks: if the recorded turns were judged by other networks.
    """
    keep.mkdir(parents=True, exist_ok=True)
    notes = keep / TURNS_FILE
    lines = _noted_lines(notes) if resume and notes.is_file() else [json.dumps({"networks": _digests()}) + "\n"]
    notes.write_text("".join(lines), "utf-8")
    games = [game_from_line(line) for line in lines[1:]]
    done = {game.seed for game in games}
    judged = sum(len(game.turns) for game in games)
    on_progress(judged)
    context = multiprocessing.get_context("spawn")
    seeds = (seed for seed in itertools.count() if seed not in done)
    workers = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin_work, initargs=(photos,))
    with workers, notes.open("a") as file:
        at_work: set[Future[Game]] = set()
        while judged < turns:
            at_work |= {workers.submit(_job, next(seeds), turns - judged, keep) for _ in range(jobs - len(at_work))}
            finished, at_work = wait(at_work, return_when=FIRST_COMPLETED)
            for future in finished:
                game = future.result()
                file.write(game.as_line())
                file.flush()
                games.append(game)
                judged += len(game.turns)
                on_progress(len(game.turns))
        for future in at_work:
            future.cancel()
    return games


def count_outcomes(games: Sequence[Game]) -> dict[str, Any]:
    """Return the figures for JSON."""
    outcomes = [one for game in games for one in game.turns]
    not_begun = [f"game {game.seed} could not begin: {game.not_begun}" for game in games if game.not_begun]
    fouls = [one for one in outcomes if not one.legal]
    questioned, unread = [one for one in outcomes if one.asked], [one for one in outcomes if one.said == "unread"]
    looked = [one for one in outcomes if one.needs_review]
    return {
        "turns": len(outcomes),
        "games": sum(bool(game.turns) for game in games),
        "games_not_begun": len(not_begun),
        "legal": len(outcomes) - len(fouls),
        "illegal": len(fouls),
        "easily_confused": sum(one.kind in CONFUSABLE for one in fouls),
        "false_fouls": sum(one.false_foul for one in outcomes),
        "passed": sum(one.passed for one in outcomes),
        "asked": len(questioned),
        "asked_share": len(questioned) / max(len(outcomes), 1),
        "asked_by_when_done_was_pressed": {
            words: f"{sum(one.asked for one in outcomes if one.early is early)} of"
            f" {sum(one.early is early for one in outcomes)}"
            for words, early in (("as the hand left", True), ("on the still table", False))
        },
        "not_judged": len(unread),
        **_of_an_evening("wrong", sum(one.false_foul or one.passed for one in outcomes), len(outcomes)),
        **_of_an_evening("asked", len(questioned), len(outcomes)),
        "wrong_after_answer": sum(one.wrong for one in questioned),
        "read_otherwise_verdict_right": sum(not one.exact and not one.needs_review for one in outcomes),
        "fouls_by_kind": dict(sorted(Counter(one.kind for one in fouls).items())),
        "causes": dict(Counter(cause for one in looked for cause in one.causes or ("doubt alone",)).most_common()),
        "faults": [*map(_line, looked), *not_begun],
    }


def _of_an_evening(what: str, count: int, turns: int) -> dict[str, float]:
    """Return the mean number of turns of the kind `what` in a game night, and its upper bound (exact 95 % interval)."""
    rate, most = count / max(turns, 1), share_at_most(count, turns) if turns else 1.0
    return {f"{what}_of_{EVENING}": EVENING * rate, f"{what}_of_{EVENING}_at_most": EVENING * most}


def _line(one: Outcome) -> str:
    true = "legal" if one.legal else "illegal"
    then = f", then {one.answered}" if one.answered else ""
    causes = f" ({', '.join(one.causes)})" if one.causes else ""
    description = f"{true} ({one.kind}), the app said {one.said}{then}{causes}"
    return f"game {one.seed}, turn {one.number}: {description}: {'; '.join(one.details)}"


_reader: Reader | None = None
_looks: PhotoLooks | None = None


def _begin_work(photos: Path | None) -> None:
    global _reader, _looks
    cv2.setNumThreads(1)
    _reader = load_reader(1)
    _looks = None if photos is None else PhotoLooks(load_annotated(photos))


def _job(seed: int, most: int, keep: Path) -> Game:
    assert _reader is not None  # the process has begun
    looks = None if _looks is None else _looks.draw(plan_of(seed).seed)
    try:
        with closing(play_before_app(seed, _reader, partial(_keep_pictures, keep), looks)) as turns:
            return Game(seed, tuple(itertools.islice(turns, most)))
    except NotBegun as why:
        return Game(seed, (), str(why))
    except ValueError:  # no room for this game; the next one has another table
        return Game(seed, ())


def _keep_pictures(folder: Path, outcome: Outcome, shot: Shot) -> None:
    """Write the image of a turn, with and without its reading."""
    stem = f"{outcome.seed:04d}-{outcome.number:02d}-{outcome.said}"
    cv2.imwrite(str(folder / f"{stem}.png"), shot.image_bgr)
    if shot.reading is not None:
        cv2.imwrite(str(folder / f"{stem}-read.png"), draw_reading(shot.image_bgr, shot.reading))
    (folder / f"{stem}.txt").write_text(_line(outcome).replace("; ", "\n") + f"\ntruth: {shot.still.table}\n", "utf-8")


def _noted_lines(notes: Path) -> list[str]:
    """Read the recorded games; an incomplete last line is skipped.

    Raises:
        OtherNetworks: if other networks judged them.
    """
    lines = [line for line in notes.read_text("utf-8").splitlines(keepends=True) if line.endswith("\n")]
    if not lines or json.loads(lines[0])["networks"] != _digests():
        raise OtherNetworks(f"{notes} was written with other networks; give another --keep or leave --resume out")
    return lines


def _digests() -> dict[str, str]:
    manifest = read_manifest()
    return digests_of_all(manifest)
