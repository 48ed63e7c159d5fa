"""Render images of tables with ground truth, from a seed; the command renders whole folders.

    python -m tilekeeper.datasets.synthesis.scene.tables OUT --count 300 --pool kept-out --seed 7
    python -m tilekeeper.datasets.synthesis.scene.tables OUT --count 300 --layout few --things 12

writes `NNNNN.jpg` and one `photos.json` in the format of the annotated photos (`polygon_px` is the tile's quad,
clockwise from its own top left), with `ignore_px` for tiles that are mostly covered.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import pathlib
from dataclasses import dataclass, replace

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.clutter.catalogue import CLUTTER, hand
from tilekeeper.datasets.synthesis.printings.printing import INKS, Pool, Printing, as_okey, choices, draw_printing
from tilekeeper.datasets.synthesis.scene.camera import Camera, look_at
from tilekeeper.datasets.synthesis.scene.composition import Scene, Sprite, TrueTile
from tilekeeper.datasets.synthesis.scene.layouts import (
    FlatTile,
    draw_melds,
    lay_melds,
    lay_scatter,
    lay_shelves,
    stock,
    turn_some_down,
)
from tilekeeper.datasets.synthesis.scene.light import illuminate, take
from tilekeeper.datasets.synthesis.scene.racks import lay_rack
from tilekeeper.datasets.synthesis.surfaces.catalogue import SURFACES

LAYOUTS = {
    "melds": 0.34,
    "tight": 0.12,
    "shelves": 0.14,
    "scatter": 0.16,
    "pile": 0.05,
    "rack": 0.1,
    "few": 0.05,
    "none": 0.04,
}
LOW_DEG, NEAR_OF_FAR = (18.0, 40.0), (2.0, 4.5)
"""Elevation of low cameras in degrees, and the ratio of the scale at the near edge to that at the far edge."""
LOW_TILE_PX, LOW_TURN = (20, 90), 0.35
"""For low cameras: width of a tile in the middle of the image, and the largest rotation of the table in radians."""
LINES = 0.25
"""For low cameras: share of sets whose jokers are drawn in thin lines."""
BLUR_FAR_PX = 2.0
"""Standard deviation of the blur of distant surfaces, against aliasing."""
EDGE = 0.09
"""Margin between given melds and the edges, as a share of width and height."""


@dataclass(frozen=True, slots=True)
class RenderedTable:
    """A rendered image `(H, W, 3) uint8` BGR with its tiles; `layout`: key of `LAYOUTS`; `low`: from a low camera."""

    image_bgr: np.ndarray
    tiles: tuple[TrueTile, ...]
    layout: str
    low: bool = False


def _place_tiles(
    rng: np.random.Generator,
    layout: str,
    width_mm: float,
    height_mm: float,
    printing: Printing,
    melds: list[list[str]] | None = None,
    jokers: int = 2,
) -> list[FlatTile]:
    if melds is not None:  # their place in the image depends on the camera, so they keep a margin
        off_mm = EDGE * width_mm, EDGE * height_mm
        room_mm = width_mm - 2 * off_mm[0], height_mm - 2 * off_mm[1]
        inner = lay_melds(rng, melds, *room_mm, printing, tight=layout == "tight")
        return [replace(tile, x_mm=tile.x_mm + off_mm[0], y_mm=tile.y_mm + off_mm[1]) for tile in inner]
    room = width_mm * height_mm / (printing.width_mm * printing.height_mm)
    if layout == "none":
        return lay_scatter(rng, ["blank"] * int(rng.integers(0, 6)), width_mm, height_mm, printing, pile=True)
    if layout == "few":
        return lay_scatter(
            rng, stock(rng, jokers=jokers)[: int(rng.integers(1, 4))], width_mm, height_mm, printing, pile=False
        )
    count = int(min(104, rng.uniform(0.12, 0.5) * room))
    if layout in ("scatter", "pile"):
        laid = lay_scatter(
            rng, stock(rng, jokers=jokers)[: max(2, count)], width_mm, height_mm, printing, pile=layout == "pile"
        )
    elif layout == "shelves":
        laid = lay_shelves(rng, draw_melds(rng, max(3, int(min(104, room * 0.8)))), width_mm, height_mm, printing)
    else:
        laid = lay_melds(rng, draw_melds(rng, max(3, count)), width_mm, height_mm, printing, tight=layout == "tight")
    return turn_some_down(rng, laid, rng.uniform(0, 0.3)) if rng.random() < 0.15 else laid


def _low_camera(
    rng: np.random.Generator, wh: tuple[int, int], px_per_mm: float, elevation_deg: float
) -> tuple[Camera, float, float]:
    """Return a low camera at the near side of the table, and the width and depth of its view in mm.

    `px_per_mm`: scale in the middle of the image.
    """
    elevation, ratio = np.radians(elevation_deg), rng.uniform(*NEAR_OF_FAR)
    # the scale at image height y, in focal lengths, is proportional to sin(elevation) + y cos(elevation)
    half = (ratio - 1) / (ratio + 1) * np.tan(elevation)
    focal = wh[1] / 2 / half
    height = focal / px_per_mm * np.sin(elevation)
    near, middle, far = (height / np.tan(elevation + angle) for angle in (np.arctan(half), 0, -np.arctan(half)))
    width_mm, turn = 1.3 * wh[0] / px_per_mm, rng.uniform(-LOW_TURN, LOW_TURN)
    field = 2 * np.arctan(wh[0] / 2 / focal)
    camera = look_at(wh, (width_mm / 2, far - middle), px_per_mm, np.pi / 2 - elevation, turn, turn, field)
    return camera, width_mm, far - near


def _ground(rng: np.random.Generator, surface: str, camera: Camera, px_per_mm: float, low: bool = False) -> np.ndarray:
    """Return the image of the surface as the camera sees it, mirrored beyond the texture's edges."""
    width, height = camera.wh
    texture = SURFACES[surface](rng, (width, height), px_per_mm)
    centre = np.linalg.inv(camera.plane()) @ [width / 2, height / 2, 1]
    x_mm, y_mm = centre[:2] / centre[2]
    to_mm = np.array(
        [[1 / px_per_mm, 0, x_mm - width / 2 / px_per_mm], [0, 1 / px_per_mm, y_mm - height / 2 / px_per_mm], [0, 0, 1]]
    )

    def warp(texture: np.ndarray) -> np.ndarray:
        return cv2.warpPerspective(
            texture, camera.plane() @ to_mm, camera.wh, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101
        )

    if not low:
        return warp(texture)
    far = np.linspace(1, 0, height, dtype=np.float32)[:, None, None]
    blurred = warp(cv2.GaussianBlur(texture, (0, 0), BLUR_FAR_PX)).astype(np.float32)
    mixed: np.ndarray = np.clip(blurred * far + warp(texture) * (1 - far), 0, 255).astype(np.uint8)
    return mixed


def _clutter(
    rng: np.random.Generator,
    laid: list[FlatTile],
    width_mm: float,
    height_mm: float,
    px_per_mm: float,
    count: int,
) -> list[Sprite]:
    """Place `count` random objects, each at the one of twelve random places that is farthest from all tiles."""
    spots = np.array([[t.x_mm, t.y_mm] for t in laid] or [[-1e4, -1e4]])
    names = tuple(CLUTTER)
    scale = min(px_per_mm, 3.0)
    sprites = []
    for _ in range(count):
        bgra = CLUTTER[names[int(rng.integers(len(names)))]](rng, scale)
        tries = np.column_stack([rng.uniform(-0.1, 1.1, 12) * width_mm, rng.uniform(-0.1, 1.1, 12) * height_mm])
        nearest = np.linalg.norm(tries[:, None] - spots[None], axis=2).min(axis=1)
        x, y = tries[int(nearest.argmax())]
        reach = np.hypot(*bgra.shape[:2]) / 2 / scale
        over = bool(nearest.max() > reach + 30) and rng.random() < 0.5
        sprites.append(Sprite(bgra, scale, float(x), float(y), float(rng.uniform(-np.pi, np.pi)), 0.0, over))
    return sprites


def _of_kind(rng: np.random.Generator, printing: Printing, low: bool, okey: bool, lines: float) -> Printing:
    """Return the printing, in the style of 101 Okey if `okey`; a share of the printings gets jokers in thin lines.

    This share is `LINES` for low cameras and `lines` for other cameras.
    """
    if okey:
        printing = as_okey(printing, rng)
    # For other cameras a separate seed is used, so that nothing else on the table changes.
    drawn = rng.random() < LINES if low else np.random.default_rng(printing.joker_seed).random() < lines
    return replace(printing, joker_lines=printing.joker_lines or bool(drawn))


def render_table(
    rng: np.random.Generator,
    pool: Pool = "train",
    wh: tuple[int, int] = (1280, 960),
    layout: str | None = None,
    tile_px: float | None = None,
    rough: float = 1.0,
    hands: bool = True,
    melds: list[list[str]] | None = None,
    printing: Printing | None = None,
    things: int | None = None,
    low: bool = False,
    okey: bool = False,
    jokers: int = 2,
    lines: float = 0.0,
) -> RenderedTable:
    """Render one image of a table; what is None is sampled.

    Args:
        rng: source of all randomness.
        pool: pool of printings and surfaces.
        wh: size of the image in pixels.
        layout: a key of `LAYOUTS`.
        tile_px: width of a tile in the middle of the image.
        rough: factor on blur and noise.
        hands: whether some images have a hand over the tiles.
        melds: labels of the melds to lay, close together in the layout `tight`; melds without room are dropped.
        printing: the set of tiles, for several tables of one set.
        things: number of other objects.
        low: whether the camera is low, 18 to 40° above the table, so that tiles show their sides.
        okey: whether the set is printed in the style of 101 Okey.
        jokers: number of jokers in the stock of a scatter.
        lines: share of sets with jokers in thin lines; low cameras have their own share, `LINES`.
    """
    printing = _of_kind(rng, printing or draw_printing(rng, pool), low, okey, lines)
    layout = layout or str(rng.choice(list(LAYOUTS), p=list(LAYOUTS.values())))
    if tile_px is None:
        least, most = LOW_TILE_PX if low else (60, 190) if layout in ("few", "rack") else (18, 110)
        tile_px = float(np.exp(rng.uniform(np.log(least), np.log(most))))
    px_per_mm = tile_px / printing.width_mm
    width_mm, height_mm = wh[0] / px_per_mm, wh[1] / px_per_mm
    if low:
        camera, width_mm, height_mm = _low_camera(rng, wh, px_per_mm, rng.uniform(*LOW_DEG))
    else:
        tilt = abs(rng.normal(0, 0.3)) if layout != "rack" else abs(rng.normal(0, 0.15))
        camera = look_at(
            wh,
            (width_mm / 2, height_mm / 2),
            px_per_mm,
            min(tilt, 0.9),
            rng.uniform(0, 2 * np.pi),
            rng.normal(0, 0.1),
            rng.uniform(0.7, 1.25),
        )
    sprites: list[Sprite] = []
    if layout == "rack":
        laid, rack_sprite = lay_rack(rng, printing, width_mm, height_mm)
        sprites.append(rack_sprite)
    else:
        laid = _place_tiles(rng, layout, width_mm, height_mm, printing, melds, jokers)
    few = (int(rng.integers(0, 5)) if rng.random() < 0.6 else 0) + (2 if layout == "none" else 0)
    sprites += _clutter(rng, laid, width_mm, height_mm, px_per_mm, few if things is None else things)
    surfaces = choices("surfaces", tuple(SURFACES), pool)
    ground = _ground(rng, surfaces[int(rng.integers(len(surfaces)))], camera, min(px_per_mm, 8.0), low)
    scene = Scene(ground, camera, printing, rng.uniform(0, 2 * np.pi))
    for sprite in sprites:
        if not sprite.over:
            scene.put_sprite(sprite)
    quads = scene.put_tiles(laid, [int(s) for s in rng.integers(0, 2, len(laid))])
    if hands and layout != "none" and rng.random() < 0.12:
        reach = hand(rng, min(px_per_mm, 3.0))
        spot = laid[int(rng.integers(len(laid)))] if laid else FlatTile("blank", width_mm / 2, height_mm / 2, 0, 0)
        scene.put_sprite(
            Sprite(
                reach,
                min(px_per_mm, 3.0),
                spot.x_mm + rng.normal(0, 60),
                spot.y_mm + rng.normal(0, 60),
                rng.uniform(-np.pi, np.pi),
                20.0,
                True,
            )
        )
    for sprite in sprites:
        if sprite.over:
            scene.put_sprite(sprite)
    tiles = scene.truth(laid, quads)
    on_tiles = (scene.owner >= 0).astype(np.float32)
    picture = take(rng, illuminate(rng, scene.image, on_tiles, printing.gloss), tile_px, rough)
    inside = [
        t
        for t in tiles
        if (t.quad_px.mean(axis=0) > -tile_px).all() and (t.quad_px.mean(axis=0) < np.add(wh, tile_px)).all()
    ]
    return RenderedTable(picture, tuple(inside), layout, low)


def full_set() -> list[list[str]]:
    """Return the labels of all 106 tiles of a set, in runs of four and five, with each joker as a row of its own."""
    thirds = range(1, 5), range(5, 9), range(9, 14)
    return [*([f"{ink}-{n}" for n in third] for ink in INKS for third in thirds)] * 2 + [["joker"], ["joker"]]


def render_full_table(
    rng: np.random.Generator,
    wh: tuple[int, int] = (1920, 1080),
    tile_px: float = 40.0,
    melds: list[list[str]] | None = None,
) -> RenderedTable:
    """Render melds, by default all 106 tiles, from straight above, for measuring the time of a reading."""
    printing = draw_printing(rng, "kept-out")
    px_per_mm = tile_px / printing.width_mm
    width_mm, height_mm = wh[0] / px_per_mm, wh[1] / px_per_mm
    camera = look_at(wh, (width_mm / 2, height_mm / 2), px_per_mm, 0.0, 0.0, 0.0, 1.0)
    laid = lay_shelves(rng, full_set() if melds is None else melds, width_mm, height_mm, printing)
    scene = Scene(_ground(rng, "walnut", camera, px_per_mm), camera, printing, 1.0)
    quads = scene.put_tiles(laid, [0] * len(laid))
    picture = take(rng, illuminate(rng, scene.image, (scene.owner >= 0).astype(np.float32), 0.3), tile_px, 0.5)
    return RenderedTable(picture, tuple(scene.truth(laid, quads)), "shelves")


LEAST_PX = 12.0
"""Tiles with a shorter side in the image are ignored: a person can hardly read them."""


def _counts(tile: TrueTile) -> bool:
    edges = np.linalg.norm(np.roll(tile.quad_px, -1, axis=0) - tile.quad_px, axis=1)
    return (tile.visible >= 0.85 or tile.cut) and float((edges[:2] + edges[2:]).min() / 2) >= LEAST_PX


def as_annotation(table: RenderedTable, name: str) -> dict[str, object]:
    """Return the ground truth as an entry of `photos.json`, in the format of the annotated photos.

    Tiles with less than 0.85 of their face visible, unless the edge cuts them, and tiles smaller than `LEAST_PX` become
    boxes in `ignore_px`.
    """
    height, width = table.image_bgr.shape[:2]
    counted = [t for t in table.tiles if _counts(t)]
    hidden = [t for t in table.tiles if not _counts(t)]
    boxes = [[*t.quad_px.min(axis=0).round(1).tolist(), *t.quad_px.max(axis=0).round(1).tolist()] for t in hidden]
    tiles = [
        {
            "label": t.label,
            "polygon_px": t.quad_px.round(2).tolist(),
            "cut": t.cut,
            "row": t.row,
            "visible": round(t.visible, 3),
        }
        for t in counted
    ]
    entry = {"file": name, "width": width, "height": height, "session": table.layout, "tiles": tiles}
    return entry | {"ignore_px": boxes} | ({"low": True} if table.low else {})


def _job(args: tuple[int, int, Pool, pathlib.Path, dict[str, object]]) -> dict[str, object]:
    seed, index, pool, folder, options = args
    cv2.setNumThreads(1)
    table = render_table(np.random.default_rng([seed, index]), pool, **options)  # type: ignore[arg-type]
    name = f"{index:05d}.jpg"
    cv2.imwrite(str(folder / name), table.image_bgr, [cv2.IMWRITE_JPEG_QUALITY, 94])
    return as_annotation(table, name)


def render_folder(
    out: pathlib.Path, count: int, pool: Pool, seed: int, jobs: int = 2, hands: bool = True, **options: object
) -> None:
    """Render `count` tables into the folder `out`, each from its own seed, with a progress bar.

    `options` are passed on to `render_table`. The list `photos.json` is written last, so that a folder without it is
    incomplete.
    """
    from rich.console import Console
    from rich.progress import track

    folder = out / "images"
    folder.mkdir(parents=True, exist_ok=True)
    tasks = [(seed, i, pool, folder, {"hands": hands} | options) for i in range(count)]
    with multiprocessing.get_context("spawn").Pool(jobs) as workers:
        done = workers.imap(_job, tasks, chunksize=4)
        bar = track(done, total=len(tasks), description="Rendering tables", console=Console(stderr=True))
        photos = list(bar)
    (out / "photos.json").write_text(json.dumps({"photos": photos}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--pool", choices=("train", "kept-out", "any"), default="train")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-hands", action="store_true", help="no hands over the tiles")
    parser.add_argument("--layout", choices=LAYOUTS, help="always this layout")
    parser.add_argument("--things", type=int, help="always so many things beside the tiles")
    parser.add_argument("--low", action="store_true", help="by a camera 18 to 40 degrees above the table")
    parser.add_argument("--okey", action="store_true", help="sets of 101 Okey: signs below the numbers, like jokers")
    parser.add_argument("--jokers", type=int, default=2, help="so many of them among tiles that are scattered")
    parser.add_argument(
        "--lines", type=float, default=0.0, help="share of the sets whose jokers are thin lines, but with --low"
    )
    args = parser.parse_args()
    options = {"layout": args.layout, "things": args.things} | ({"low": True} if args.low else {})
    options |= {"okey": True} if args.okey else {}
    options |= {"jokers": args.jokers, "lines": args.lines}
    render_folder(args.out, args.count, args.pool, args.seed, args.jobs, not args.no_hands, **options)


if __name__ == "__main__":
    main()
