"""Rendered turns judged by the whole app with the shipped networks, recorded, and resumed later."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmarks.companion import false_fouls
from tests.benchmarks.companion.false_fouls import TURNS_FILE, Game, OtherNetworks, judge_turns
from tests.benchmarks.companion.feed import Feed
from tests.benchmarks.companion.filmed_game import FPS, Filmed, plan_of
from tests.benchmarks.companion.outcome import Outcome
from tilekeeper.datasets.photos import load_annotated
from tilekeeper.datasets.synthesis.recordings.studio import Looks


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Game]]:
    """Judge two turns of one game; return them and the folder of their record."""
    folder = tmp_path_factory.mktemp("turns")
    heard: list[int] = []
    games = judge_turns(2, 1, folder, False, heard.append)
    assert sum(heard) == 2
    return folder, games


def test_foul_and_legal_turn_get_their_verdicts(judged: tuple[Path, list[Game]]) -> None:
    """The first foul of a game is an opening with too few points, and its correction is legal.

    Games with a misread first table are recorded as such and replaced by others.
    """
    *not_begun, game = judged[1]
    assert all(other.not_begun and not other.turns for other in not_begun)
    outcomes = game.turns
    assert [(one.number, one.legal) for one in outcomes] == [(0, False), (1, True)]
    assert {one.seed for one in outcomes} == {game.seed}
    assert outcomes[0].kind == "open-too-low"
    assert [one.said for one in outcomes] == ["illegal", "legal"]
    assert all(one.exact for one in outcomes)


def test_recorded_turns_are_not_judged_again(judged: tuple[Path, list[Game]]) -> None:
    """An incomplete line is ignored."""
    folder, games = judged
    with (folder / TURNS_FILE).open("a") as notes:
        notes.write('{"seed": 1, "tur')
    assert judge_turns(2, 1, folder, True, lambda more: None) == games


def test_turns_of_other_networks_are_refused(judged: tuple[Path, list[Game]], tmp_path: Path) -> None:
    lines = (judged[0] / TURNS_FILE).read_text().splitlines()
    lines[0] = json.dumps({"networks": {"detector": "another"}})
    (tmp_path / TURNS_FILE).write_text("\n".join(lines) + "\n")
    with pytest.raises(OtherNetworks, match="other networks"):
        judge_turns(2, 1, tmp_path, True, lambda more: None)


def test_game_with_the_photos_shows_their_tiles(
    photos_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game has the tiles of one session on an empty table of the photos."""
    photos = load_annotated(photos_folder, ["s3", "background"])
    monkeypatch.setattr(false_fouls, "load_annotated", lambda folder: photos if folder == photos_folder else [])
    monkeypatch.setattr(false_fouls, "_reader", None)
    monkeypatch.setattr(false_fouls, "_looks", None)
    played: list[Looks | None] = []

    def play(seed: int, reader: object, keep: object, looks: Looks | None) -> Iterator[Outcome]:
        played.append(looks)
        yield from ()

    monkeypatch.setattr(false_fouls, "play_before_app", play)
    false_fouls._begin_work(photos_folder)
    assert false_fouls._job(0, 1, tmp_path) == Game(0, ())
    (looks,) = played
    assert looks is not None
    assert looks.surface in {photo.file for photo in photos if not photo.tiles}
    table = Filmed(plan_of(0), Feed(FPS), looks)
    assert table.shooting.studio.surface == looks.surface
