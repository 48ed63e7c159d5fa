"""Rendered recordings of games: the truth equals the judge's verdicts, the frames and the still stretches."""

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
"""How long a table must be still before the app reads it."""


def frames_of(path: Path) -> list[np.ndarray]:
    """Return every frame that OpenCV decodes from a video."""
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    frames = []
    while True:
        has_frame, image = capture.read()
        if not has_frame:
            capture.release()
            return frames
        frames.append(image)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Recording, list[np.ndarray]]:
    """Make a small recording with the command; return its video, its truth and its decoded frames."""
    path = tmp_path_factory.mktemp("recorded") / "game.mp4"
    assert main([str(path), "--seed", "3", "--turns", "3", "--melds", "3", *SMALL]) == 0
    return path, load_recording(path.with_suffix(".json")), frames_of(path)


def assert_truth_equals_the_verdicts(recording: Recording) -> None:
    """Check that the judge's verdict of every turn is the one in the truth."""
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


def assert_fouls_are_corrected(recording: Recording, fouls: int) -> None:
    """Check the number of fouls, and that the same player corrects each foul in the next turn."""
    turns = [still.turn for still in recording.stills[1:]]
    wrong = [index for index, turn in enumerate(turns) if turn and not turn.legal]
    assert len(wrong) == fouls
    for index in wrong:
        foul, corrected = turns[index], turns[index + 1]
        assert foul is not None
        assert corrected is not None
        assert corrected.legal
        assert foul.violations
        assert (corrected.number, corrected.player, corrected.before) == (foul.number, foul.player, foul.before)


def assert_quads_show_the_table(recording: Recording) -> None:
    """Check that all quads are inside the image and that their rows are the melds."""
    for still in recording.stills:
        melds = parse_table(still.table).melds
        assert [len(quads) for quads in still.quads_px] == [len(meld) for meld in melds]
        quads_px = np.concatenate(still.quads_px)
        assert (quads_px > 0).all()
        assert (quads_px < recording.wh).all()
        starts = np.cumsum([0, *map(len, melds)])
        expected = {tuple(range(start, end)) for start, end in pairwise(starts.tolist())}
        assert set(group_rows(quads_px)) == expected


def assert_detector_settles_once_per_still(recording: Recording, frames: list[np.ndarray]) -> None:
    """Check that the motion detector settles once in each still stretch and never under a hand."""
    detector = MotionDetector(STILL_AFTER_S)
    rests = [detector.push(frame, index / recording.fps) for index, frame in enumerate(frames)]
    settled = [index for index, rest in enumerate(rests) if rest.settled and rest.state is State.STILL]
    assert len(settled) == len(recording.stills)
    for index, still in zip(settled, recording.stills, strict=True):
        assert still.first_frame <= index <= still.last_frame


def test_command_writes_video_and_truth(recorded: tuple[Path, Recording, list[np.ndarray]]) -> None:
    """The video has the number of frames, the size and the frame rate of the truth."""
    path, recording, frames = recorded
    assert len(frames) == recording.frames
    assert {frame.shape for frame in frames} == {(WH[1], WH[0], 3)}
    assert cv2.VideoCapture(str(path)).get(cv2.CAP_PROP_FPS) == pytest.approx(FPS)
    assert recording.wh == WH
    assert recording.stills[0].first_frame == 0
    assert recording.stills[-1].last_frame == recording.frames - 1
    assert len(recording.stills) == 1 + 3 + 2


def test_truth_equals_the_verdicts(recorded: tuple[Path, Recording, list[np.ndarray]]) -> None:
    """Legal turns, planted fouls, points and placed tiles are those of the judge."""
    _, recording, _ = recorded
    assert_truth_equals_the_verdicts(recording)
    assert_fouls_are_corrected(recording, 2)


def test_quads_are_on_the_melds_of_the_image(recorded: tuple[Path, Recording, list[np.ndarray]]) -> None:
    """The image is brighter inside the quads than around them."""
    _, recording, frames = recorded
    assert_quads_show_the_table(recording)
    for still in recording.stills:
        image = frames[still.first_frame].astype(np.float32).mean(axis=2)
        on_tiles = np.zeros(image.shape, np.uint8)
        for quads in still.quads_px:
            cv2.fillPoly(on_tiles, [np.round(quad).astype(np.int32) for quad in quads], 1)
        around = cv2.dilate(on_tiles, np.ones((15, 15), np.uint8)) - cv2.dilate(on_tiles, np.ones((7, 7), np.uint8))
        assert image[on_tiles > 0].mean() > image[around > 0].mean() + 25


def test_still_stretches_are_still_and_a_hand_moves_between_them(
    recorded: tuple[Path, Recording, list[np.ndarray]],
) -> None:
    """A still stretch has nothing but noise."""
    _, recording, frames = recorded
    grey = [cv2.blur(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), (7, 7)).astype(int) for frame in frames]
    for still in recording.stills:
        first = grey[still.first_frame]
        assert all(np.abs(first - grey[i]).max() < 12 for i in range(still.first_frame, still.last_frame + 1))
    for earlier, later in pairwise(recording.stills):
        assert later.first_frame - earlier.last_frame > FPS
        middle = range(earlier.last_frame + 1, later.first_frame)
        assert max(np.abs(grey[earlier.last_frame] - grey[i]).max() for i in middle) > 40
    assert_detector_settles_once_per_still(recording, frames)


def test_shipped_demo_is_a_game_that_can_be_followed(repository: Path) -> None:
    """The demo of the app is short and small, begins with melds, and its truth is right."""
    path = repository / "companion" / "capture" / "demo" / "game.mp4"
    recording = load_recording(path.with_suffix(".json"))
    assert path.stat().st_size <= 1e6
    assert 40 <= recording.frames / recording.fps <= 90
    assert recording.stills[0].first_frame == 0
    assert len(parse_table(recording.stills[0].table).melds) >= 3
    assert_truth_equals_the_verdicts(recording)
    assert_fouls_are_corrected(recording, 2)
    assert_quads_show_the_table(recording)
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    detector, settled, count = MotionDetector(STILL_AFTER_S), [], 0
    while capture.grab():
        if count % 2 == 0:  # every second frame is enough, in half the time
            has_frame, image = capture.retrieve()
            assert has_frame
            assert image.shape == (recording.wh[1], recording.wh[0], 3)
            rest = detector.push(image, count / recording.fps)
            if rest.settled and rest.state is State.STILL:
                settled.append(count)
        count += 1
    capture.release()
    assert count == recording.frames
    assert len(settled) == len(recording.stills)
    assert all(s.first_frame <= at <= s.last_frame for at, s in zip(settled, recording.stills, strict=True))


def test_truth_is_loaded_as_it_was_saved(recorded: tuple[Path, Recording, list[np.ndarray]], tmp_path: Path) -> None:
    """The file names the command, but no folder."""
    path, recording, _ = recorded
    save_recording(recording, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == path.with_suffix(".json").read_text()
    made_by = json.loads(path.with_suffix(".json").read_text())["made_by"]
    assert made_by.startswith("python -m tilekeeper.datasets.synthesis.recordings.recording game.mp4 --seed 3")
    assert "400x240" in made_by


class EnoughError(Exception):
    """Raised to end a recording early."""


@functools.cache
def first_frames(seed: int, count: int = 8) -> tuple[np.ndarray, ...]:
    """Return the first frames of a recording, in which a hand comes in."""
    frames: list[np.ndarray] = []

    def put(image: np.ndarray) -> None:
        frames.append(image)
        if len(frames) == count:
            raise EnoughError

    with pytest.raises(EnoughError):
        shoot(Plan(seed=seed, turns=2, melds=2, wh=WH, tile_px=15, fps=8, still_s=0.5), put)
    return tuple(frames)


def test_same_seed_gives_the_same_recording() -> None:
    """Noise is equal too, and another seed gives another table."""
    first = first_frames(5)
    first_frames.cache_clear()
    assert all(np.array_equal(a, b) for a, b in zip(first, first_frames(5), strict=True))
    assert not np.array_equal(first[0], first[1])
    assert np.abs(first[0].astype(int) - first_frames(6)[0]).mean() > 5


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_games_have_every_move_and_the_stock_of_one_box(players: int) -> None:
    """Each player opens before other moves, and no seed exceeds the stock."""
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
    """Check that untouched rows keep their places, and that rows in one line keep their distance."""
    for earlier, later in pairwise([game.begin, *(attempt.laid for attempt in game.attempts)]):
        for row in later.rows:
            if row in earlier.rows:
                assert all(earlier.spots[piece.key] == later.spots[piece.key] for piece in row)
        rows_by_line = [
            (place.line, place.left, place.left + len(row)) for place, row in zip(later.places, later.rows, strict=True)
        ]
        for (line, _, end), (next_line, start, _) in pairwise(sorted(rows_by_line)):
            assert line != next_line or start - end >= LEAST_GAP - 1e-6


def test_game_from_an_empty_table_begins_with_openings() -> None:
    """Each player's first legal turn is an opening."""
    game = play_game(np.random.default_rng(2), RULES, Floor(8, 24.0), 6, 3, melds=0, fouls=0)
    assert game.begin.rows == ()
    assert [attempt.verdict.opens for attempt in game.attempts] == [True, True, True, False, False, False]
    assert all((attempt.verdict.points or 0) >= 30 for attempt in game.attempts[:3])


def test_game_without_room_is_refused() -> None:
    """The table is too small for one meld."""
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
    """Both writers refuse it."""
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
    """The decoded video has the same number of frames and the same colours."""
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
