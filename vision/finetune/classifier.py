"""A namer with an own last layer: the network's features, named by what was fitted to one set of tiles."""

from __future__ import annotations

from tilekeeper.engine.language import lazy_gettext
from tilekeeper.vision.finetune.own_sets import OwnSet
from tilekeeper.vision.manifest import ModelsMissing, Sessions
from tilekeeper.vision.recognition.classifier import Namer
from tilekeeper.vision.runtime.network import DescribedNetwork


def namer_of(sessions: Sessions, own_set: OwnSet | None = None) -> Namer:
    """The namer of the networks, or with the last layer of an own set, where there is one.

    Raises `OwnSetRefused` for a set that was fitted for another network, `ModelsMissing` for one without features.
    """
    if own_set is None:
        return Namer(sessions.namer, sessions.proofreader, sessions.figures)
    own_set.require_for(sessions.manifest)
    require_features(sessions.namer)
    return Namer(sessions.namer, sessions.proofreader, sessions.figures, own_set.layer.logits)


def require_features(session: DescribedNetwork) -> None:
    """Raise `ModelsMissing` where a namer's session tells no features, as networks of earlier versions don't."""
    if "features" not in [output.name for output in session.get_outputs()]:
        raise ModelsMissing(
            lazy_gettext(
                "this classifier gives no features, so your own last layer does not fit it; install tilekeeper again"
            )
        )
