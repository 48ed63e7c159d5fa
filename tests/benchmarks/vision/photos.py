"""Reads the real photos with networks that never saw them, as they are and made harder in each way on its own."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping, Sequence

import numpy as np

from tests.benchmarks.progress import Watch, unwatched
from tilekeeper.models.evaluation.harder import FAR_WAYS, SEED, WAYS, Harder, median_width_px
from tilekeeper.models.evaluation.measure import Count, Pictured, PictureReader, reader_of
from tilekeeper.vision.manifest import networks_of, read_manifest

SESSIONS = ("s1", "s2", "s3", "s4")
"""The sessions of the photos that show tiles in play."""
EMPTY = "background"
"""The session of the photos that show no tile in play."""
DRAWS = 3
"""So often a low camera and a phone see each photo, each time from elsewhere: one draw tells little of the next."""


class PhotosSeen(Exception):  # noqa: N818, the name says it
    """The networks that ship can't be measured on photos that they have learnt from; the message says what to do."""


def readers_of(networks: pathlib.Path | None) -> dict[str, PictureReader]:
    """For each session a reader that never saw it: one for all, or where there are folds (`s1` …) each one's own.

    Without `networks` those that ship read them all. Raises `PhotosSeen` where these have seen photos.
    """
    manifest = read_manifest()
    learnt_from = [data for name in networks_of(manifest) for data in manifest[name]["training_data"]]
    if networks is None and any("photos" in data for data in learnt_from):
        raise PhotosSeen("the networks that ship have learnt from photos: name some that have not with --unseen")
    if networks and (networks / SESSIONS[0]).is_dir():
        return {session: reader_of(networks / session) for session in SESSIONS}
    reader = reader_of(networks)
    return dict.fromkeys(SESSIONS, reader)


def read_photos(
    pictures: Sequence[Pictured], readers: Mapping[str, PictureReader], way: str | None = None, watch: Watch = unwatched
) -> dict[str, Count]:
    """Read each photo with the reader that never saw its session, the empty tables with every one there is.

    Returns what came of each session and, under `pooled`, of all of them with the empty tables. `way` is a key of
    `WAYS`; without one the photos are read as they are. What comes of far ways hangs on where the camera stands: there
    all photos are read `DRAWS` times.
    """
    usual_px = usual_width_px(pictures)
    seeds = range(SEED, SEED + (DRAWS if way in FAR_WAYS else 1))
    draws = [Harder(way, usual_px, seed) for seed in seeds] if way else [None]
    different = list(dict.fromkeys(map(id, readers.values())))
    by_id = {id(reader): reader for reader in readers.values()}
    counts = {session: Count() for session in (*readers, "pooled")}
    words = f"Photos, {WAYS[way][0]}" if way else "Photos as they are"
    drawn = [(harder, index, pictured) for harder in draws for index, pictured in enumerate(pictures)]
    for harder, index, pictured in watch(drawn, words):
        image, truth = harder.apply(index, pictured) if harder else (pictured.load(), pictured.truth)
        shown = Pictured(pictured.name, pictured.group, truth, pictured.rows, lambda image=image: image)
        if pictured.group == EMPTY:
            for one in different:
                counts["pooled"].add(shown, by_id[one].read(image))
        elif pictured.group in readers:
            reading = readers[pictured.group].read(image)
            counts[pictured.group].add(shown, reading)
            counts["pooled"].add(shown, reading)
    return counts


def usual_width_px(pictures: Sequence[Pictured]) -> float:
    """How wide tiles are on the middle one of the photos that show any."""
    widths = [width for width in (median_width_px(pictured.truth) for pictured in pictures) if width]
    return float(np.median(widths)) if widths else 1.0
