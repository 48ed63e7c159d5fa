"""Sentences that explain why a tile is doubtful."""

from tilekeeper.engine.language import gettext, gettext_noop
from tilekeeper.vision.types import DoubtReason, ReadTile

SENTENCES = {
    DoubtReason.UNSURE_NUMBER: gettext_noop("Its number is hard to read."),
    DoubtReason.UNSURE_INK: gettext_noop("Its colour is hard to see in this light."),
    DoubtReason.UNLIKE_ITS_PRINTING: gettext_noop("Its number looks different from the numbers on the other tiles."),
    DoubtReason.NO_COLOURS: gettext_noop("The picture shows no colours."),
    DoubtReason.HARDLY_A_TILE: gettext_noop("Maybe it is not a tile."),
    DoubtReason.UNLIKE_THE_OTHERS: gettext_noop("It does not look like the tiles around it."),
    DoubtReason.HARDLY_FOUND: gettext_noop("It is hard to see in the picture."),
    DoubtReason.CUT_BY_THE_EDGE: gettext_noop("The edge of the picture cuts it off."),
    DoubtReason.UNSURE_END: gettext_noop("The picture does not show which end of it is up."),
    DoubtReason.TOO_MANY_ALIKE: gettext_noop("The picture shows more of these tiles than the box has."),
}


def why_asked(tile: ReadTile) -> str:
    """Return a sentence with the first reason why a tile is doubtful; empty for a tile without doubts."""
    return gettext(SENTENCES[tile.doubts[0].reason]) if tile.doubts else ""
