"""Each reason for a doubt has a sentence."""

from dataclasses import replace

import numpy as np

from tests.support.known_tables import UNKNOWN
from tilekeeper.companion.text.doubts import SENTENCES, why_asked
from tilekeeper.vision.types import Doubt, DoubtReason, ReadTile, Sighting


def test_every_reason_has_a_sentence() -> None:
    """One line with a full stop, different for each reason."""
    assert set(SENTENCES) == set(DoubtReason)
    assert len(set(SENTENCES.values())) == len(SENTENCES)
    assert all(sentence.endswith(".") and "\n" not in sentence for sentence in SENTENCES.values())


def test_sentence_for_several_doubts_is_that_of_the_first() -> None:
    """A certain tile has no sentence."""
    sure = ReadTile(Sighting(0, np.zeros((4, 2), np.float32), UNKNOWN), "red-7", 0.99, "red-9")
    assert why_asked(sure) == ""
    doubtful = replace(sure, doubts=(Doubt(DoubtReason.UNSURE_INK, "orange-7"), Doubt(DoubtReason.TOO_MANY_ALIKE)))
    assert why_asked(doubtful) == "Its colour is hard to see in this light."
