"""The sentences of a verdict on the page: the headline, what to do next, and questions about doubtful tiles."""

from enum import StrEnum

from tilekeeper.companion.adjudication.turn import Judged
from tilekeeper.engine.language import gettext, ngettext


class VerdictKind(StrEnum):
    """The kind of a verdict on the page."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    UNSURE = "unsure"


def verdict_kind(judged: Judged) -> VerdictKind:
    """Return the kind of a verdict; a certain fault makes it illegal, whatever else is doubtful."""
    if judged.weighed.certain:
        return VerdictKind.ILLEGAL
    return VerdictKind.LEGAL if judged.sure else VerdictKind.UNSURE


def turn_verdict_words(judged: Judged) -> tuple[str, str]:
    """Return the headline of a verdict on a turn, and what to do next."""
    verdict = judged.weighed.verdict
    match verdict_kind(judged):
        case VerdictKind.UNSURE:
            return gettext("Not sure"), _doubt_words(judged)
        case VerdictKind.ILLEGAL:
            return gettext("Not legal"), gettext("Mend it and press Done again, or put everything back as it lay.")
        case VerdictKind.LEGAL if verdict.opens:
            return gettext("Legal"), ngettext(
                "The player has opened, with {count} point.",
                "The player has opened, with {count} points.",
                verdict.points or 0,
            )
        case VerdictKind.LEGAL:
            return gettext("Legal"), gettext("The next turn starts from this table.")


def photo_verdict_words(judged: Judged) -> tuple[str, str]:
    """Return the headline of a verdict on the table of a photo, and the explanation."""
    melds = len(judged.weighed.observed.table.melds)
    kind = verdict_kind(judged)
    if kind is VerdictKind.UNSURE:
        return gettext("Not sure"), _doubt_words(judged)
    if kind is VerdictKind.LEGAL:
        return gettext("A legal table"), ngettext(
            "The meld is valid as it lies.", "All {count} melds are valid.", melds
        )
    faulty = {meld for fault in judged.weighed.certain for meld in fault.melds}
    if not faulty:
        return gettext("Not a legal table"), ""
    if melds == 1:
        return gettext("Not a legal table"), gettext("It is no valid meld as it lies.")
    return gettext("Not a legal table"), ngettext(
        "{count} of {melds} melds is not in order.",
        "{count} of {melds} melds are not in order.",
        len(faulty),
        melds=melds,
    )


def melds_words(count: int) -> str:
    """Return a number of melds in words: `1 meld`, `2 melds`."""
    return ngettext("{count} meld", "{count} melds", count)


def _doubt_words(judged: Judged) -> str:
    if judged.weighed.waits:
        return gettext(
            "Something covers a part of the table on which it turns. Clear the view, or say what lies there."
        )
    tiles = len(judged.weighed.unsure)
    if not tiles:
        return gettext("It turns on where one meld ends and the next begins. How do these tiles lie?")
    if judged.weighed.groupings:
        return ngettext(
            "It turns on this tile, and on where one meld ends and the next begins.",
            "It turns on these {count} tiles, and on where one meld ends and the next begins.",
            tiles,
        )
    return ngettext("It turns on this tile. What is it?", "It turns on these {count} tiles. What are they?", tiles)
