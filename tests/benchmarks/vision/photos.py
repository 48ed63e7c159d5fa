"""Read the real photos, held out from training, as they are and with each degradation."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping, Sequence

import numpy as np

from tests.benchmarks.progress import Watch, unwatched
from tilekeeper.models.evaluation.harder import FAR_WAYS, SEED, WAYS, Harder, median_width_px
from tilekeeper.models.evaluation.measure import Count, Pictured, PictureReader, reader_of
from tilekeeper.vision.manifest import networks_of, read_manifest

SESSIONS = ("s1", "s2", "s3", "s4")
"""The sessions of photos with tiles."""
EMPTY = "background"
"""The session of photos without tiles."""
DRAWS = 3
"""Number of random views of each photo for low cameras and phones: their figures vary between views."""


class PhotosSeen(Exception):  # noqa: N818, the name says it
    """The shipped networks were trained on these photos and cannot be measured on them; the message names the fix."""


def readers_of(networks: pathlib.Path | None) -> dict[str, PictureReader]:
    """Return a reader for each session that held it out: one for all, or one for each fold (folders `s1` …).

    Without `networks` the shipped ones read all sessions. Raises `PhotosSeen` if these were trained on photos.
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
    """Read each photo with the reader that held out its session, and the empty tables with all readers.

    Returns the counts of each session and, under `pooled`, of all sessions with the empty tables. `way` is a key of
    `WAYS`; without one the photos are read as they are. Far ways depend on the place of the camera, so there all photos
    are read `DRAWS` times.
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
    """Return the median tile width over all photos with tiles."""
    widths = [width for width in (median_width_px(pictured.truth) for pictured in pictures) if width]
    return float(np.median(widths)) if widths else 1.0
