"""Recorded games: their truth is what the judge says, what the frames show and what lies still."""

from __future__ import annotations

import functools
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from tilekeeper.datasets.synthesis.recordings.games import Game, play_game
from tilekeeper.datasets.synthesis.recordings.moves import MOVES
from tilekeeper.datasets.synthesis.recordings.pieces import table_of
from tilekeeper.datasets.synthesis.recordings.places import LEAST_GAP, Floor
from tilekeeper.datasets.synthesis.recordings.recording import Plan, main, shoot
from tilekeeper.datasets.synthesis.recordings.truth import Recording, load_recording, save_recording
from tilekeeper.datasets.synthesis.recordings.video import VideoFailed, VideoWriter, h264_ffmpeg
from tilekeeper.engine import TurnContext, parse_table, rule_set
from tilekeeper.engine.judge.judge import judge
from tilekeeper.vision.layout.rows import group_rows
from tilekeeper.vision.scene import State
from tilekeeper.vision.tracking.motion_detection import MotionDetector

WH, FPS = (400, 240), 8.0
SMALL = ["--size", f"{WH[0]}x{WH[1]}", "--tile-px", "15", "--fps", str(FPS)]
RULES = rule_set("large-numbers")
STILL_AFTER_S = 0.35
"""How long the page waits for calm before it reads a table."""


def frames_of(path: Path) -> list[np.ndarray]:
    """Every frame that OpenCV gets out of a video."""
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    frames = []
    while True:
        there, image = capture.read()
        if not there:
            capture.release()
            return frames
        frames.append(image)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Recording, list[np.ndarray]]:
    """A small recording made by the command: its video, its truth and its frames as they decode."""
    path = tmp_path_factory.mktemp("recorded") / "game.mp4"
    assert main([str(path), "--seed", "3", "--turns", "3", "--melds", "3", *SMALL]) == 0
    return path, load_recording(path.with_suffix(".json")), frames_of(path)


def assert_judged_as_told(recording: Recording) -> None:
    """The judge says of every turn what the truth says of it, from the table that the truth names."""
    rules = rule_set(recording.rules)
    assert recording.stills[0].turn is None
    legal = 0
    for index, still in enumerate(recording.stills[1:], 1):
        turn = still.turn
        assert turn is not None
        assert turn.before == legal
        before, after = parse_table(recording.stills[turn.before].table), parse_table(still.table)
        verdict = judge(before, after, TurnContext(rules, turn.opened))
        assert (verdict.legal, verdict.points) == (turn.legal, turn.points)
        assert tuple(violation.code.value for violation in verdict.violations) == turn.violations
        assert tuple(map(str, verdict.placed)) == turn.placed
        legal = index if verdict.legal else legal


def assert_fouls_are_mended(recording: Recording, fouls: int) -> None:
    """As many turns as planned go wrong at first, and the same player mends each at once."""
    turns = [still.turn for still in recording.stills[1:]]
    wrong = [index for index, turn in enumerate(turns) if turn and not turn.legal]
    assert len(wrong) == fouls
    for index in wrong:
        foul, mended = turns[index], turns[index + 1]
        assert foul is not None
        assert mended is not None
        assert mended.legal
        assert foul.violations
        assert (mended.number, mended.player, mended.before) == (foul.number, foul.player, foul.before)


def assert_quads_show_the_table(recording: Recording) -> None:
    """Each tile has its corners, whole inside the picture, and grouping them finds the melds in their order."""
    for still in recording.stills:
        melds = parse_table(still.table).melds
        assert [len(quads) for quads in still.quads_px] == [len(meld) for meld in melds]
        quads_px = np.concatenate(still.quads_px)
        assert (quads_px > 0).all()
        assert (quads_px < recording.wh).all()
        starts = np.cumsum([0, *map(len, melds)])
        expected = {tuple(range(start, end)) for start, end in pairwise(starts.tolist())}
        assert set(group_rows(quads_px)) == expected


def assert_gate_settles_once_a_still(recording: Recording, frames: list[np.ndarray]) -> None:
    """Whoever waits for calm reads every table of the truth once, and never one with a hand over it."""
    gate = MotionDetector(STILL_AFTER_S)
    rests = [gate.push(frame, index / recording.fps) for index, frame in enumerate(frames)]
    settled = [index for index, rest in enumerate(rests) if rest.settled and rest.state is State.STILL]
    assert len(settled) == len(recording.stills)
    for index, still in zip(settled, recording.stills, strict=True):
        assert still.first_frame <= index <= still.last_frame


def test_command_writes_video_and_truth(recorded: tuple[Path, Recording, list[np.ndarray]]) -> None:
    """The video decodes to as many frames of the size and pace as the truth says."""
    path, recording, frames = recorded
    assert len(frames) == recording.frames
    assert {frame.shape for frame in frames} == {(WH[1], WH[0], 3)}
    assert cv2.VideoCapture(str(path)).get(cv2.CAP_PROP_FPS) == pytest.approx(FPS)
    assert recording.wh == WH
    assert recording.stills[0].first_frame == 0
    assert recording.stills[-1].last_frame == recording.frames - 1
    assert len(recording.stills) == 1 + 3 + 2


def test_truth_equals_the_verdicts(recorded: tuple[Path, Recording, list[np.ndarray]]) -> None:
    """Legal turns, planted fouls, points and laid tiles are those of the judge."""
    _, recording, _ = recorded
    assert_judged_as_told(recording)
    assert_fouls_are_mended(recording, 2)


def test_quads_are_the_melds_on_the_picture(recorded: tuple[Path, Recording, list[np.ndarray]]) -> None:
    """Corners are those of the tiles: they group to the melds, and light tiles show there on darker ground."""
    _, recording, frames = recorded
    assert_quads_show_the_table(recording)
    for still in recording.stills:
        image = frames[still.first_frame].astype(np.float32).mean(axis=2)
        on_tiles = np.zeros(image.shape, np.uint8)
        for quads in still.quads_px:
            cv2.fillPoly(on_tiles, [np.round(quad).astype(np.int32) for quad in quads], 1)
        around = cv2.dilate(on_tiles, np.ones((15, 15), np.uint8)) - cv2.dilate(on_tiles, np.ones((7, 7), np.uint8))
        assert image[on_tiles > 0].mean() > image[around > 0].mean() + 25


def test_still_stretches_are_still_and_the_rest_moves(recorded: tuple[Path, Recording, list[np.ndarray]]) -> None:
    """Within a still stretch there is nothing but noise; between two of them a hand goes over the picture."""
    _, recording, frames = recorded
    grey = [cv2.blur(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), (7, 7)).astype(int) for frame in frames]
    for still in recording.stills:
        first = grey[still.first_frame]
        assert all(np.abs(first - grey[i]).max() < 12 for i in range(still.first_frame, still.last_frame + 1))
    for one, two in pairwise(recording.stills):
        assert two.first_frame - one.last_frame > FPS
        middle = range(one.last_frame + 1, two.first_frame)
        assert max(np.abs(grey[one.last_frame] - grey[i]).max() for i in middle) > 40
    assert_gate_settles_once_a_still(recording, frames)


def test_shipped_demo_is_a_game_that_can_be_followed(repository: Path) -> None:
    """The recorded table that the app plays is short and small, decodes, begins with melds, and its truth is true."""
    path = repository / "companion" / "capture" / "demo" / "game.mp4"
    recording = load_recording(path.with_suffix(".json"))
    assert path.stat().st_size <= 1e6
    assert 40 <= recording.frames / recording.fps <= 90
    assert recording.stills[0].first_frame == 0
    assert len(parse_table(recording.stills[0].table).melds) >= 3
    assert_judged_as_told(recording)
    assert_fouls_are_mended(recording, 2)
    assert_quads_show_the_table(recording)
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    gate, settled, count = MotionDetector(STILL_AFTER_S), [], 0
    while capture.grab():
        if count % 2 == 0:  # half the frames show as well where nothing moves, in half the time
            there, image = capture.retrieve()
            assert there
            assert image.shape == (recording.wh[1], recording.wh[0], 3)
            rest = gate.push(image, count / recording.fps)
            if rest.settled and rest.state is State.STILL:
                settled.append(count)
        count += 1
    capture.release()
    assert count == recording.frames
    assert len(settled) == len(recording.stills)
    assert all(s.first_frame <= at <= s.last_frame for at, s in zip(settled, recording.stills, strict=True))


def test_truth_round_trips(recorded: tuple[Path, Recording, list[np.ndarray]], tmp_path: Path) -> None:
    """What is saved is what is loaded, and names the command but no folder."""
    path, recording, _ = recorded
    save_recording(recording, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == path.with_suffix(".json").read_text()
    made_by = json.loads(path.with_suffix(".json").read_text())["made_by"]
    assert made_by.startswith("python -m tilekeeper.datasets.synthesis.recordings.recording game.mp4 --seed 3")
    assert "400x240" in made_by


class EnoughError(Exception):
    """Ends a recording early."""


@functools.cache
def first_frames(seed: int, count: int = 8) -> tuple[np.ndarray, ...]:
    """The first frames of a recording, enough for a hand to have come in."""
    frames: list[np.ndarray] = []

    def put(image: np.ndarray) -> None:
        frames.append(image)
        if len(frames) == count:
            raise EnoughError

    with pytest.raises(EnoughError):
        shoot(Plan(seed=seed, turns=2, melds=2, wh=WH, tile_px=15, fps=8, still_s=0.5), put)
    return tuple(frames)


def test_recording_follows_its_seed_alone() -> None:
    """A seed gives the same frames, noise and all; another seed another table."""
    first = first_frames(5)
    first_frames.cache_clear()
    assert all(np.array_equal(a, b) for a, b in zip(first, first_frames(5), strict=True))
    assert not np.array_equal(first[0], first[1])
    assert np.abs(first[0].astype(int) - first_frames(6)[0]).mean() > 5


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_games_are_legal_varied_and_of_one_box(players: int) -> None:
    """Whatever the seed: every move comes up, no tile lies there too often, and each player opens before the rest."""
    kinds: Counter[str] = Counter()
    for seed in range(4):
        game = play_game(np.random.default_rng([seed, players]), RULES, Floor(8, 24.0), 12, players, melds=4)
        table, opened = table_of(game.begin.rows), set(range(players - 1))
        for attempt in game.attempts:
            after = table_of(attempt.laid.rows)
            assert attempt.opened == (attempt.player in opened)
            verdict = judge(table, after, TurnContext(RULES, attempt.opened))
            assert verdict == attempt.verdict
            assert all(count <= RULES.stock.copies_of(tile) for tile, count in after.counts.items())
            if verdict.legal:
                table = after
                opened.add(attempt.player)
            kinds[attempt.kind] += 1
        assert_melds_keep_their_places(game)
    assert set(MOVES) <= set(kinds)


def assert_melds_keep_their_places(game: Game) -> None:
    """A row that no turn touches stays where it is, and rows of one line never come near each other."""
    for one, two in pairwise([game.begin, *(attempt.laid for attempt in game.attempts)]):
        for row in two.rows:
            if row in one.rows:
                assert all(one.spots[piece.key] == two.spots[piece.key] for piece in row)
        lying = [
            (place.line, place.left, place.left + len(row)) for place, row in zip(two.places, two.rows, strict=True)
        ]
        for (line, _, end), (next_line, start, _) in pairwise(sorted(lying)):
            assert line != next_line or start - end >= LEAST_GAP - 1e-6


def test_game_from_an_empty_table_begins_with_openings() -> None:
    """With nothing on the table nobody has opened, and each player's first legal turn opens."""
    game = play_game(np.random.default_rng(2), RULES, Floor(8, 24.0), 6, 3, melds=0, fouls=0)
    assert game.begin.rows == ()
    assert [attempt.verdict.opens for attempt in game.attempts] == [True, True, True, False, False, False]
    assert all((attempt.verdict.points or 0) >= 30 for attempt in game.attempts[:3])


def test_game_without_room_is_refused() -> None:
    """A table that holds no meld is a mistake of the caller."""
    with pytest.raises(ValueError, match="no room"):
        play_game(np.random.default_rng(0), RULES, Floor(1, 4.0), 2, melds=4)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--surface", "lava"], "there is no surface 'lava'"),
        (["--size", "641x360"], "even"),
        (["--tile-px", "400"], "too small"),
        (["--rules", "chess"], "no edition 'chess'"),
        (["--players", "5"], "1 to 4 play"),
    ],
)
def test_impossible_plan_exits_with_2_and_one_line(
    options: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No incomplete video remains."""
    assert main([str(tmp_path / "game.mp4"), *SMALL, "--turns", "1", *options]) == 2
    assert complaint in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_video_in_a_missing_folder_is_refused(tmp_path: Path) -> None:
    """By either writer."""
    with pytest.raises(VideoFailed, match="can't be written"):
        VideoWriter(tmp_path / "nowhere" / "game.mp4", (64, 48), 10)
    program = h264_ffmpeg()
    if program is None:
        pytest.skip("ffmpeg is not installed; apt-get install ffmpeg")
    with (
        pytest.raises(VideoFailed, match="could not be written"),
        VideoWriter(tmp_path / "nowhere" / "game.mp4", (64, 48), 10, ffmpeg=program) as video,
    ):
        video.write(np.zeros((48, 64, 3), np.uint8))


@pytest.mark.parametrize("with_ffmpeg", [False, True])
def test_both_writers_keep_frames_and_colours(with_ffmpeg: bool, tmp_path: Path) -> None:
    """What is written comes back: as many frames, in the colours that went in."""
    program = h264_ffmpeg() if with_ffmpeg else None
    if with_ffmpeg and program is None:
        pytest.skip("ffmpeg is not installed; apt-get install ffmpeg")
    colours = [(40, 60, 200), (200, 90, 30), (60, 150, 60), (180, 190, 200)]
    path = tmp_path / "colours.mp4"
    with VideoWriter(path, (128, 96), 10, ffmpeg=program) as video:
        for colour in colours:
            video.write(np.full((96, 128, 3), colour, np.uint8))
        with pytest.raises(ValueError, match="uint8"):
            video.write(np.zeros((10, 10, 3), np.uint8))
    frames = frames_of(path)
    assert len(frames) == len(colours)
    for frame, colour in zip(frames, colours, strict=True):
        assert np.abs(frame.reshape(-1, 3).mean(axis=0) - colour).max() < 9
