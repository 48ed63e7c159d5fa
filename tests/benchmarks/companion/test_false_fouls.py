"""Rendered turns judged by the real eye and the real judge in the whole app, noted, and gone on with later."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from tests.benchmarks.companion.false_fouls import TURNS_FILE, Game, OtherNetworks, judge_turns
from tests.benchmarks.companion.filmed_game import plan_of, play_before_app
from tests.benchmarks.companion.outcome import Shot
from tests.benchmarks.vision.photo_looks import PhotoLooks
from tilekeeper.datasets.photos import load_annotated
from tilekeeper.vision.pipeline import Reader


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Game]]:
    """Two turns of one game, and the folder in which they are noted."""
    folder = tmp_path_factory.mktemp("turns")
    heard: list[int] = []
    games = judge_turns(2, 1, folder, False, heard.append)
    assert sum(heard) == 2
    return folder, games


def test_a_foul_and_a_legal_turn_are_judged(judged: tuple[Path, list[Game]]) -> None:
    """The first foul of a game is an opening of too few points; what mends it is legal.

    Games whose first table was read otherwise than it lay are noted as such, and others played in their stead.
    """
    *not_begun, game = judged[1]
    assert all(other.not_begun and not other.turns for other in not_begun)
    outcomes = game.turns
    assert [(one.number, one.legal) for one in outcomes] == [(0, False), (1, True)]
    assert {one.seed for one in outcomes} == {game.seed}
    assert outcomes[0].kind == "open-too-low"
    assert [one.said for one in outcomes] == ["illegal", "legal"]
    assert all(one.exact for one in outcomes)


def test_noted_turns_are_not_judged_again(judged: tuple[Path, list[Game]]) -> None:
    """A line that was broken off counts for nothing."""
    folder, games = judged
    with (folder / TURNS_FILE).open("a") as notes:
        notes.write('{"seed": 1, "tur')
    assert judge_turns(2, 1, folder, True, lambda more: None) == games


def test_turns_of_other_networks_are_not_gone_on_with(judged: tuple[Path, list[Game]], tmp_path: Path) -> None:
    lines = (judged[0] / TURNS_FILE).read_text().splitlines()
    lines[0] = json.dumps({"networks": {"finder": "another"}})
    (tmp_path / TURNS_FILE).write_text("\n".join(lines) + "\n")
    with pytest.raises(OtherNetworks, match="other networks"):
        judge_turns(2, 1, tmp_path, True, lambda more: None)


def test_a_game_of_the_photos_tiles_is_played_as_any_other(photos_folder: Path) -> None:
    """The tiles of a session on an empty table, both of the photos, are what the app sees; the first turn is judged."""
    looks = PhotoLooks(load_annotated(photos_folder, ["s3", "background"])).draw(plan_of(0).seed)
    assert "Background" in looks.surface
    shown: list[Shot] = []
    turns = play_before_app(0, Reader.shipped(1), lambda outcome, shot: shown.append(shot), looks)
    with closing(turns):
        outcome = next(turns)
    assert (outcome.number, outcome.legal) == (0, False)
    assert outcome.said in ("illegal", "unsure")
    assert bool(shown) is outcome.needs_review
