"""A namer with an own last layer: the network's features, named by what was fitted to one set of tiles."""

from __future__ import annotations

from tilekeeper.engine.language import lazy_gettext
from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.finetune.layer import LastLayer
from tilekeeper.vision.finetune.own_sets import OwnSet
from tilekeeper.vision.manifest import ModelsMissing, Sessions
from tilekeeper.vision.recognition.classifier import Namer
from tilekeeper.vision.recognition.glyph_embedding import FigureSpace
from tilekeeper.vision.runtime.network import DescribedNetwork, Network


def namer_of(sessions: Sessions, own_set: OwnSet | None = None) -> Namer:
    """The namer of the networks, or with the last layer of an own set, where there is one.

    Raises `OwnSetRefused` for a set that was fitted for another network.
    """
    if own_set is None:
        return Namer(sessions.namer, sessions.proofreader, sessions.figures)
    own_set.require_for(sessions.manifest)
    return AdaptedNamer(sessions.namer, own_set.layer, sessions.proofreader, sessions.figures)


class AdaptedNamer(Namer):
    """Names as `Namer` does, `layer` in place of the network's last."""

    def __init__(
        self,
        session: DescribedNetwork,
        layer: LastLayer,
        proofreader: Network | None = None,
        space: FigureSpace | None = None,
    ) -> None:
        """Take a session; raises `ModelsMissing` for one that tells no features."""
        super().__init__(session, proofreader, space)
        require_features(session)
        self._layer = layer

    def _answers(self, squares: Image) -> tuple[Floats, Floats]:
        features = self._session.run(["features"], {"crops": squares})[0]
        return self._layer.logits(features), self._figures(features)


def require_features(session: DescribedNetwork) -> None:
    """Raise `ModelsMissing` where a namer's session tells no features, as networks of earlier versions don't."""
    if "features" not in [output.name for output in session.get_outputs()]:
        raise ModelsMissing(
            lazy_gettext("this namer tells no features, so that no own last layer fits it; install tilekeeper again")
        )
