"""Render pairs of small tables: one with a rule violation (a foul), and the same table without it.

Half of the fouls change a tile into a similar one. A reader that trusts likely melds more than the image would read a
legal table there.

    python -m tilekeeper.datasets.synthesis.recordings.foul_tables OUT --count 1000 --pool kept-out --seed 11

writes `NNNNN-foul.jpg` and `NNNNN-legal.jpg` and one `fouls.json`, which lists the tables in their notation.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import pathlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.printings.printing import Pool
from tilekeeper.datasets.synthesis.recordings.pieces import draw_set
from tilekeeper.datasets.synthesis.scene.tables import RenderedTable, render_table
from tilekeeper.engine import (
    DEFAULT_EDITION,
    JOKER,
    Colour,
    Place,
    RuleSet,
    Table,
    Tile,
    format_table,
    is_valid,
    rule_set,
)

ALIKE_NUMBERS = ((6, 9), (1, 7), (3, 8), (12, 13))
ALIKE_INKS = ((Colour.RED, Colour.ORANGE), (Colour.BLUE, Colour.BLACK))
SIZE_WH = 640, 480
TILE_PX = 22.0, 38.0
"""Range of the width of a tile in the image."""
FEWEST_MELDS, MOST_MELDS = 4, 8
TRIES = 40
"""Attempts to change a table so that it breaks a rule, before another table is sampled."""


def _other_number(one: int, other: int) -> Callable[[Tile], Tile | None]:
    partner = {one: other, other: one}
    return lambda tile: Tile(tile.colour, partner[tile.number]) if tile.number in partner else None


def _other_ink(one: Colour, other: Colour) -> Callable[[Tile], Tile | None]:
    partner = {one: other, other: one}
    return lambda tile: Tile(partner[tile.colour], tile.number) if tile.colour in partner else None


def _always(other: Tile) -> Callable[[Tile], Tile | None]:
    return lambda _: other


ALIKE: tuple[tuple[str, Callable[[Tile], Tile | None]], ...] = (
    *((f"{one}/{other}", _other_number(one, other)) for one, other in ALIKE_NUMBERS),
    *((f"{one.word}/{other.word}", _other_ink(one, other)) for one, other in ALIKE_INKS),
)
"""Pairs of similar tiles, each with a function that swaps them; it returns None for other tiles."""


@dataclass(frozen=True, slots=True)
class FoulTable:
    """A table with one foul, and the same table without it.

    `kind` names the rule violation: `6/9` or `red/orange` for a swapped pair, `another` for any other wrong tile,
    `short` for a meld with too few tiles.
    """

    foul: Table
    legal: Table
    kind: str


def is_legal(table: Table, rules: RuleSet) -> bool:
    """Return whether every meld is valid and no tile occurs more often than in the edition."""
    within = all(count <= rules.stock.copies_of(tile) for tile, count in table.counts.items())
    return within and all(is_valid(meld, rules) for meld in table.melds)


def draw_foul_table(rng: np.random.Generator, rules: RuleSet, confusable: bool) -> FoulTable:
    """Sample a legal table of 4 to 8 melds, and a copy of it with one rule violation.

    `confusable`: whether the violation is a tile swapped for a similar one.
    """
    anything = [Tile(ink, number) for ink in rules.stock.inks for number in range(1, rules.stock.numbers + 1)]
    while True:
        legal = _legal_table(rng, rules)
        if confusable:
            kind, change = ALIKE[int(rng.integers(len(ALIKE)))]
            planted = _replaced(rng, legal, change, rules)
        elif rng.random() < 0.25:
            kind, planted = "short", _shortened(rng, legal, rules)
        else:
            kind, planted = "another", _replaced(rng, legal, _always(anything[int(rng.integers(len(anything)))]), rules)
        if planted is not None:
            return FoulTable(planted, legal, kind)


def render_melds(
    seed: Iterable[int], table: Table, size_wh: tuple[int, int] = SIZE_WH, pool: Pool = "kept-out"
) -> RenderedTable | None:
    """Render a table in a printing of the pool; return None if a tile is covered or cut, or did not fit.

    With the same seed, the two tables of a pair get the same printing, surface, camera, light and places.
    """
    rng = np.random.default_rng(list(seed))
    tile_px = float(np.exp(rng.uniform(*np.log(TILE_PX))))
    melds = [[tile.label for tile in meld] for meld in table.melds]
    rendered = render_table(rng, pool, size_wh, "melds", tile_px, hands=False, melds=melds)
    whole_tiles = [tile for tile in rendered.tiles if tile.visible >= 0.85 and not tile.cut]
    return rendered if len(whole_tiles) == sum(map(len, melds)) else None


def _legal_table(rng: np.random.Generator, rules: RuleSet) -> Table:
    """Sample a legal table of random melds; on every third table a joker replaces a tile."""
    count = int(rng.integers(FEWEST_MELDS, MOST_MELDS + 1))
    table = Table()
    while len(table.melds) < count:
        more = Table((*table.melds, tuple(draw_set(rng, rules))))
        table = more if is_legal(more, rules) else table
    if rng.random() < 1 / 3:
        places = list(table.places())
        with_joker = _with(table, places[int(rng.integers(len(places)))][0], JOKER)
        table = with_joker if is_legal(with_joker, rules) else table
    return table


def _replaced(
    rng: np.random.Generator, legal: Table, change: Callable[[Tile], Tile | None], rules: RuleSet
) -> Table | None:
    """Return the table with one tile changed so that only its meld becomes invalid; None if no attempt succeeds."""
    places = list(legal.places())
    for _ in range(TRIES):
        place, tile = places[int(rng.integers(len(places)))]
        new = None if tile.is_joker else change(tile)
        if new is None or new == tile:
            continue
        table = _with(legal, place, new)
        if not is_valid(table.melds[place.meld], rules) and table.counts[new] <= rules.stock.copies_of(new):
            return table
    return None


def _with(table: Table, place: Place, tile: Tile) -> Table:
    """Return the table with another tile in one place."""
    meld = table.melds[place.meld]
    changed = (*meld[: place.position], tile, *meld[place.position + 1 :])
    return Table((*table.melds[: place.meld], changed, *table.melds[place.meld + 1 :]))


def _shortened(rng: np.random.Generator, legal: Table, rules: RuleSet) -> Table | None:
    """Return the table with one meld cut to one tile less than the minimum; None if that is still valid."""
    at = int(rng.integers(len(legal.melds)))
    short = legal.melds[at][: rules.melds.shortest - 1]
    table = Table((*legal.melds[:at], short, *legal.melds[at + 1 :]))
    return None if is_valid(short, rules) else table


def render_foul_tables(out: pathlib.Path, count: int, pool: Pool, seed: int, jobs: int = 2) -> None:
    """Render `count` pairs of images into `out/images`: a table with a rule violation, and the same table without it.

    In every second pair the violation is a tile swapped for a similar one. The list `fouls.json` is written last, so
    that a folder without it is incomplete.
    """
    from rich.console import Console
    from rich.progress import track

    folder = out / "images"
    folder.mkdir(parents=True, exist_ok=True)
    tasks = [(seed, index, pool, folder) for index in range(count)]
    with multiprocessing.get_context("spawn").Pool(jobs) as workers:
        done = workers.imap(_job, tasks, chunksize=4)
        bar = track(done, total=count, description="Rendering fouls", console=Console(stderr=True))
        entries = list(bar)
    (out / LIST).write_text(json.dumps({"tables": entries}, indent=0))


LIST = "fouls.json"


def _job(args: tuple[int, int, Pool, pathlib.Path]) -> dict[str, str]:
    seed, index, pool, folder = args
    cv2.setNumThreads(1)
    rules = rule_set(DEFAULT_EDITION)
    attempt = 0
    while True:
        table = draw_foul_table(np.random.default_rng([seed, index, attempt]), rules, index % 2 == 0)
        foul = render_melds((seed, index, attempt), table.foul, pool=pool)
        legal = foul and render_melds((seed, index, attempt), table.legal, pool=pool)
        if foul and legal:
            break
        attempt += 1
    names = [f"{index:05d}-{word}.jpg" for word in ("foul", "legal")]
    for name, picture in zip(names, (foul, legal), strict=True):
        cv2.imwrite(str(folder / name), picture.image_bgr, [cv2.IMWRITE_JPEG_QUALITY, 94])
    tables = {"foul": format_table(table.foul), "legal": format_table(table.legal)}
    return {"kind": table.kind, **tables, "foul_file": names[0], "legal_file": names[1]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--pool", choices=("train", "kept-out", "any"), default="kept-out")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    render_foul_tables(args.out, args.count, args.pool, args.seed, args.jobs)


if __name__ == "__main__":
    main()
