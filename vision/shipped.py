"""The reader with the networks that ship with the project."""

from __future__ import annotations

from tilekeeper.vision.finetune.classifier import build_classifier
from tilekeeper.vision.finetune.own_sets import OwnSet
from tilekeeper.vision.manifest import load_sessions
from tilekeeper.vision.pipeline import Reader


def load_reader(threads: int = 2, own_set: OwnSet | None = None) -> Reader:
    """Return a reader with the shipped networks, each on `threads` threads, and the last layer of `own_set` if given.

    Raises `ModelsMissing`, and `OwnSetRefused` for a set that was fitted for other networks.
    """
    sessions = load_sessions(threads)
    return Reader.of(sessions, build_classifier(sessions, own_set))
