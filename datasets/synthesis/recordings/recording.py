"""Render videos of whole games with exact ground truth: a fixed camera over a table where hands lay and move tiles.

    python -m tilekeeper.datasets.synthesis.recordings.recording game.mp4 --seed 3 --turns 10 --pool kept-out

writes the video and, beside it, the ground truth `game.json` (`recordings.truth`). The same seed gives the same frames.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.printings.printing import Pool
from tilekeeper.datasets.synthesis.recordings.confusions import CLUMSY, CONFUSED
from tilekeeper.datasets.synthesis.recordings.fouls import FOULS, PlantFoul
from tilekeeper.datasets.synthesis.recordings.games import Attempt, Game, play_game
from tilekeeper.datasets.synthesis.recordings.hands import SIDES, Arm, carry, draw_arm, shoulder_of
from tilekeeper.datasets.synthesis.recordings.pieces import Piece, table_of
from tilekeeper.datasets.synthesis.recordings.places import Arrangement
from tilekeeper.datasets.synthesis.recordings.studio import Looks, Pose, Studio
from tilekeeper.datasets.synthesis.recordings.truth import Recording, Still, TurnTruth, save_recording
from tilekeeper.datasets.synthesis.recordings.video import VideoFailed, VideoWriter, h264_ffmpeg
from tilekeeper.engine.rules.editions import DEFAULT_EDITION, UnknownEdition, rule_set
from tilekeeper.engine.tiles.notation import format_table


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of a recording.

    Attributes:
        seed: the seed of all randomness.
        turns: number of turns.
        fouls: number of turns that start with an illegal attempt, which the player corrects in the same turn.
        foul_kinds: the kinds of illegal attempts, a key of `FOUL_KINDS`.
        melds: number of melds at the start; with any, all players but the last one have opened.
        players: number of players, 1 to 4.
        pool: the pool of printings, surfaces and clutter.
        surface: name of the surface, in any pool; None for a random one of `pool`.
        fps: frames per second.
        wh: size of the image in pixels, even numbers.
        tile_px: width of a tile in the middle of the image.
        still_s: mean pause after each turn, in seconds.
        rules: the edition.
    """

    seed: int = 1
    turns: int = 10
    fouls: int = 2
    foul_kinds: str = "usual"
    melds: int = 5
    players: int = 2
    pool: Pool = "kept-out"
    surface: str | None = None
    fps: float = 12.0
    wh: tuple[int, int] = (1280, 720)
    tile_px: float = 42.0
    still_s: float = 1.8
    rules: str = DEFAULT_EDITION

    def command(self, name: str) -> str:
        """Return the command that makes the same recording in the file `name`, without options that have defaults."""
        words = ["python -m tilekeeper.datasets.synthesis.recordings.recording", name]
        usual = Plan()
        for field in fields(self):
            value = getattr(self, field.name)
            if value != getattr(usual, field.name) or field.name == "seed":
                text = (
                    f"{value[0]}x{value[1]}"
                    if field.name == "wh"
                    else f"{value:g}"
                    if isinstance(value, float)
                    else value
                )
                words.append(f"--{OPTIONS.get(field.name, field.name)} {text}")
        return " ".join(words)


OPTIONS = {"wh": "size", "tile_px": "tile-px", "still_s": "still", "foul_kinds": "foul-kinds"}
FOUL_KINDS: dict[str, tuple[Mapping[str, PlantFoul], ...]] = {"usual": (FOULS,), "alike": (CLUMSY, CONFUSED)}
"""Groups of illegal turns, used in rotation: only common mistakes, or every second time a swap of similar tiles."""


class Shooting:
    """A recording in progress: renders the frames of a game and passes each to `put`."""

    def __init__(self, plan: Plan, put: Callable[[np.ndarray], None], looks: Looks | None = None) -> None:
        """Generate the game and everything around it; `looks` replace the random appearance of tiles and table.

        Raises `ValueError` if the plan is impossible.
        """
        studio_rng, game_rng, arm_rng, self._rng = (np.random.default_rng([plan.seed, part]) for part in range(4))
        self.plan, self._put = plan, put
        self.frames = 0
        self.stills: list[Still] = []
        self.studio = Studio(studio_rng, plan.pool, plan.wh, plan.tile_px, plan.surface, looks=looks)
        self.game: Game = play_game(
            game_rng,
            rule_set(plan.rules),
            self.studio.floor,
            plan.turns,
            plan.players,
            plan.melds,
            plan.fouls,
            FOUL_KINDS[plan.foul_kinds],
        )
        laid = [self.game.begin, *(attempt.laid for attempt in self.game.attempts)]
        self._pieces: dict[int, Piece] = {piece.key: piece for one in laid for row in one.rows for piece in row}
        edges = self.studio.edges
        reach_mm = 500 + max(edges.east_mm - edges.west_mm, 2 * (edges.south_mm - edges.north_mm)) / 2
        scale = min(2.2, 1.1 * self.studio.px_per_mm)
        self._arms: list[Arm] = [draw_arm(arm_rng, scale, reach_mm) for _ in range(plan.players)]

    def _lying(self, poses: dict[int, Pose]) -> list[tuple[Piece, Pose]]:
        return [(self._pieces[key], pose) for key, pose in poses.items()]

    def hold(self, laid: Arrangement, seconds: float, turn: TurnTruth | None) -> Still:
        """Record a pause with nothing moving; return its ground truth, of which `turn` is a part."""
        poses = {key: self.studio.pose(spot) for key, spot in laid.spots.items()}
        scene, on_tiles, quads = self.studio.paint(self._lying(poses))
        first = self.frames
        exposed = self.studio.expose(scene, on_tiles)
        for _ in range(max(2, round(seconds * self.plan.fps))):
            self._shoot(exposed)
        quads_px = tuple(np.array([quads[piece.key] for piece in row], np.float32) for row in laid.rows)
        still = Still(first, self.frames - 1, format_table(table_of(laid.rows)), quads_px, turn)
        self.stills.append(still)
        return still

    def play(self, before: Arrangement, attempt: Attempt, most: int | None = None) -> None:
        """Record a player's hand that changes the table, in at most `most` frames if it is given."""
        side = SIDES[self.plan.players][attempt.player]
        painted: tuple[frozenset[tuple[int, Pose]], np.ndarray, np.ndarray] | None = None
        instants = list(carry(before, attempt.laid, side, self.studio, self.plan.fps))
        if most is not None and len(instants) > most:
            instants = [instants[int(at)] for at in np.linspace(0, len(instants) - 1, most)]
        for instant in instants:
            # The table changes only when the hand picks up or lays down a piece, so it is painted only then.
            lying = frozenset(instant.lying.items())
            if painted is None or painted[0] != lying:
                scene, on_tiles, _ = self.studio.paint(self._lying(instant.lying))
                painted = lying, scene, on_tiles
            reaching = None
            if instant.grip_mm is not None:
                shoulder = shoulder_of(side, self.studio.edges, instant.grip_mm)
                reaching = self._arms[attempt.player].reaching(instant.grip_mm, shoulder)
            over = self.studio.paint_over(painted[1], painted[2], self._lying(instant.carried), reaching)
            self._shoot(self.studio.expose(*over))

    def _shoot(self, exposed: np.ndarray) -> None:
        self._put(self.studio.take_again(self._rng, exposed))
        self.frames += 1

    def pause_s(self) -> float:
        """Return a random length for the next pause, in seconds."""
        return self.plan.still_s * float(self._rng.uniform(0.85, 1.2))


def shoot(
    plan: Plan,
    put: Callable[[np.ndarray], None],
    name: str = "game.mp4",
    report_progress: Callable[[int, int], None] = lambda done, turns: None,
    looks: Looks | None = None,
) -> Recording:
    """Render a game, pass every frame `(h, w, 3) uint8` BGR to `put`, and return the ground truth.

    `name`: file name of the video; `report_progress`: callback with the numbers of finished and of all attempts;
    `looks`: appearance of tiles and table instead of a random one. Raises `ValueError` if the plan is impossible (an
    image too small for its tiles, a game too long, an unknown surface), and `UnknownEdition`.
    """
    if plan.players not in SIDES:
        raise ValueError(f"1 to 4 play, not {plan.players}")
    shooting = Shooting(plan, put, looks)
    game = shooting.game
    shooting.hold(game.begin, shooting.pause_s(), None)
    laid, before = game.begin, 0
    for done, attempt in enumerate(game.attempts):
        report_progress(done, len(game.attempts))
        shooting.play(laid, attempt)
        shooting.hold(attempt.laid, shooting.pause_s(), _truth(attempt, before))
        laid = attempt.laid
        if attempt.verdict.legal:
            before = len(shooting.stills) - 1
    report_progress(len(game.attempts), len(game.attempts))
    studio = shooting.studio
    return Recording(
        plan.wh,
        plan.fps,
        shooting.frames,
        plan.rules,
        plan.players,
        plan.pool,
        studio.surface,
        studio.printing.typeface,
        plan.command(name),
        tuple(shooting.stills),
    )


def _truth(attempt: Attempt, before: int) -> TurnTruth:
    verdict = attempt.verdict
    return TurnTruth(
        attempt.turn,
        attempt.player,
        attempt.opened,
        before,
        attempt.kind,
        verdict.legal,
        tuple(violation.code.value for violation in verdict.violations),
        tuple(map(str, verdict.placed)),
        verdict.points,
    )


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    return int(width), int(height)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0, or 2 for an impossible plan."""
    plan = Plan()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT.mp4")
    parser.add_argument("--seed", type=int, default=plan.seed)
    parser.add_argument("--turns", type=int, default=plan.turns)
    parser.add_argument("--fouls", type=int, default=plan.fouls, help="turns that go wrong at first")
    parser.add_argument("--foul-kinds", choices=tuple(FOUL_KINDS), default=plan.foul_kinds)
    parser.add_argument("--melds", type=int, default=plan.melds, help="melds on the table at the start")
    parser.add_argument("--players", type=int, default=plan.players)
    parser.add_argument("--pool", choices=("train", "kept-out", "any"), default=plan.pool)
    parser.add_argument("--surface", help="a surface by name instead of one of the pool")
    parser.add_argument("--fps", type=float, default=plan.fps)
    parser.add_argument("--size", type=_size, dest="wh", default=plan.wh, metavar="1280x720")
    parser.add_argument("--tile-px", type=float, default=plan.tile_px)
    parser.add_argument("--still", type=float, dest="still_s", default=plan.still_s, help="seconds between turns")
    parser.add_argument("--rules", default=plan.rules)
    parser.add_argument("--quality", type=int, default=26, help="H.264's rate factor: 18 fine to 32 coarse")
    options = vars(parser.parse_args(arguments))
    out, quality = options.pop("out"), options.pop("quality")
    plan = Plan(**options)
    try:
        with VideoWriter(out, plan.wh, plan.fps, quality, h264_ffmpeg()) as video:
            recording = _shoot_with_progress(plan, video, out.name)
    except (ValueError, UnknownEdition, VideoFailed) as error:
        print(f"recordings: {error}", file=sys.stderr)
        return 2
    save_recording(recording, out.with_suffix(".json"))
    length_s, size_mb = recording.frames / recording.fps, out.stat().st_size / 1e6
    print(f"{out}: {length_s:.0f} s, {len(recording.stills)} tables, {size_mb:.1f} MB")
    return 0


def _shoot_with_progress(plan: Plan, video: VideoWriter, name: str) -> Recording:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("Recording turns", total=None)
        return shoot(plan, video.write, name, lambda done, turns: bar.update(task, completed=done, total=turns))


if __name__ == "__main__":
    cv2.setNumThreads(1)
    sys.exit(main())
