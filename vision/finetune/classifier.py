"""Classifier with a fine-tuned last layer on the features of the shipped network."""

from __future__ import annotations

from tilekeeper.engine.language import lazy_gettext
from tilekeeper.vision.finetune.own_sets import OwnSet
from tilekeeper.vision.manifest import ModelsMissing, Sessions
from tilekeeper.vision.recognition.classifier import TileClassifier
from tilekeeper.vision.runtime.network import DescribedNetwork


def build_classifier(sessions: Sessions, own_set: OwnSet | None = None) -> TileClassifier:
    """Return the classifier of the networks, with the last layer of an own set if one is given.

    Raises `OwnSetRefused` for a set that was fitted for other networks, `ModelsMissing` for a network without features.
    """
    if own_set is None:
        return TileClassifier(sessions.classifier, sessions.verifier, sessions.figures)
    own_set.require_network(sessions.manifest)
    require_features(sessions.classifier)
    return TileClassifier(sessions.classifier, sessions.verifier, sessions.figures, own_set.layer.logits)


def require_features(session: DescribedNetwork) -> None:
    """Raise `ModelsMissing` if a classifier has no output `features`, as in earlier versions."""
    if "features" not in [output.name for output in session.get_outputs()]:
        raise ModelsMissing(
            lazy_gettext(
                "this classifier gives no features, so your own last layer does not fit it; install tilekeeper again"
            )
        )
