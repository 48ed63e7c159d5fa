"""Load the reader with the networks that ship with the project."""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.vision.finetune.own_sets import OwnSet, build_classifier
from tilekeeper.vision.manifest import load_sessions
from tilekeeper.vision.pipeline import Reader


def load_reader(threads: int, own_set: OwnSet | None = None, working_px: int | None = None) -> Reader:
    """Return a reader with the shipped networks, each on `threads` threads, and the last layer of `own_set` if given.

    An image of more than `working_px` pixels is read at a smaller size; if it is None, the manifest's limit counts.
    Raises `ModelsMissing` if a network is missing, `OwnSetRefused` for a set that was fitted for other networks.
    """
    sessions = load_sessions(threads)
    reader = Reader.of(sessions, build_classifier(sessions, own_set))
    if working_px is not None:
        limits = replace(reader.calibration.limits, working_px=working_px)
        reader.calibration = replace(reader.calibration, limits=limits)
    return reader
