"""The sentences of the page about a verdict: headline, what to do next, and questions about doubtful tiles."""

from enum import StrEnum

from tilekeeper.companion.adjudication.turn import Judged
from tilekeeper.engine.language import gettext, ngettext


class VerdictKind(StrEnum):
    """The kind of a verdict, which decides how the page shows it."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    UNSURE = "unsure"
    """Doubtful tiles, melds or covered tiles can change the verdict, so the app asks."""
    UNDECIDED = "undecided"
    """The table was read without doubt, but the judge can't decide, so the players do."""


def verdict_kind(judged: Judged) -> VerdictKind:
    """Return the kind of a verdict; a certain violation makes the turn illegal, whatever else is doubtful."""
    if judged.weighed.certain:
        return VerdictKind.ILLEGAL
    if not judged.sure:
        return VerdictKind.UNSURE
    return VerdictKind.UNDECIDED if judged.weighed.verdict.undecided else VerdictKind.LEGAL


def turn_verdict_words(judged: Judged) -> tuple[str, str]:
    """Return two sentences on a judged turn: the headline, and what to do next."""
    verdict = judged.weighed.verdict
    match verdict_kind(judged):
        case VerdictKind.UNSURE:
            return gettext("Not sure"), _doubt_words(judged)
        case VerdictKind.ILLEGAL:
            return gettext("Not allowed"), gettext("Fix it and press Done again, or put everything back.")
        case VerdictKind.UNDECIDED:
            return gettext("I can't decide this turn"), gettext("Please check together. Is it allowed?")
        case VerdictKind.LEGAL if verdict.opens:
            return gettext("Allowed"), ngettext(
                "The player has opened, with {count} point.",
                "The player has opened, with {count} points.",
                verdict.points or 0,
            )
        case VerdictKind.LEGAL:
            return gettext("Allowed"), gettext("The next turn starts from this table.")


def photo_verdict_words(judged: Judged) -> tuple[str, str]:
    """Return two sentences on the judged table of a photo: the headline, and an explanation, which may be empty."""
    melds = len(judged.weighed.observed.table.melds)
    kind = verdict_kind(judged)
    if kind is VerdictKind.UNSURE:
        return gettext("Not sure"), _doubt_words(judged)
    if kind in (VerdictKind.LEGAL, VerdictKind.UNDECIDED):
        return gettext("All is right"), ngettext("The set is valid.", "All {count} sets are valid.", melds)
    faulty = {meld for fault in judged.weighed.certain for meld in fault.melds}
    if not faulty:
        return gettext("Something is wrong"), ""
    if melds == 1:
        return gettext("Something is wrong"), gettext("This is not a valid set.")
    return gettext("Something is wrong"), ngettext(
        "{count} of {melds} sets is wrong.",
        "{count} of {melds} sets are wrong.",
        len(faulty),
        melds=melds,
    )


def melds_words(count: int) -> str:
    """Return a number of melds in the page's words: `1 set`, `2 sets`."""
    return ngettext("{count} set", "{count} sets", count)


def _doubt_words(judged: Judged) -> str:
    if judged.weighed.waits:
        return gettext("Something covers an important part of the table. Take it away, or say what is there.")
    tiles = len(judged.weighed.unsure)
    if not tiles:
        return gettext("I can't see where one set ends and the next begins. Which is right?")
    if judged.weighed.groupings:
        return ngettext(
            "I can't read this tile, nor see where one set ends and the next begins.",
            "I can't read these {count} tiles, nor see where one set ends and the next begins.",
            tiles,
        )
    return ngettext("I can't read this tile. What is it?", "I can't read these {count} tiles. What are they?", tiles)
