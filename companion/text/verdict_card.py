"""The sentences of a verdict on the page: the headline, what to do next, and what is asked about doubtful tiles."""

from enum import StrEnum

from tilekeeper.companion.adjudication.turn import Judged
from tilekeeper.companion.text.names import label_words


class VerdictKind(StrEnum):
    """What the page shows of a verdict."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    UNSURE = "unsure"


def verdict_kind(judged: Judged) -> VerdictKind:
    """Return the kind of a verdict: a fault that every likely reading has makes it illegal, whatever is in doubt."""
    if judged.weighed.certain:
        return VerdictKind.ILLEGAL
    return VerdictKind.LEGAL if judged.sure else VerdictKind.UNSURE


def turn_verdict_words(judged: Judged) -> tuple[str, str]:
    """Return the headline of a verdict on a turn, and what to do next."""
    verdict = judged.weighed.verdict
    match verdict_kind(judged):
        case VerdictKind.UNSURE:
            return "Not sure", _doubt_words(judged)
        case VerdictKind.ILLEGAL:
            return "Not legal", "Mend it and press Done again, or put everything back as it lay."
        case VerdictKind.LEGAL if verdict.opens:
            return "Legal", f"The player has opened, with {_count(verdict.points or 0, 'point')}."
        case VerdictKind.LEGAL:
            return "Legal", "The next turn starts from this table."


def photo_verdict_words(judged: Judged) -> tuple[str, str]:
    """Return the headline of a verdict on a photo, which is judged as it lies, and what it is about."""
    melds = len(judged.weighed.observed.table.melds)
    kind = verdict_kind(judged)
    if kind is VerdictKind.UNSURE:
        return "Not sure", _doubt_words(judged)
    if kind is VerdictKind.LEGAL:
        return "A legal table", "The meld is valid as it lies." if melds == 1 else f"All {melds} melds are valid."
    faulty = {meld for fault in judged.weighed.certain for meld in fault.melds}
    if not faulty:
        return "Not a legal table", ""
    if melds == 1:
        return "Not a legal table", "It is no valid meld as it lies."
    return "Not a legal table", f"{len(faulty)} of {melds} melds {'is' if len(faulty) == 1 else 'are'} not in order."


def hidden_tiles_advice(count: int) -> str:
    """Return what to do where the verdict turns on `count` tiles that the camera does not see any more."""
    which = "A tile of the table" if count == 1 else "Some tiles of the table"
    return f"{which} can't be made out any more, and the verdict turns on it."


def hidden_tile_question(label: str) -> str:
    """Return the question whether a tile that the camera does not see any more is still there."""
    return f"Does the {label_words(label)} still lie here?"


def melds_words(count: int) -> str:
    """Return a number of melds in words: `1 meld`, `2 melds`."""
    return _count(count, "meld")


def _doubt_words(judged: Judged) -> str:
    if judged.weighed.waits:
        return "Something covers a part of the table on which it turns. Clear the view, or say what lies there."
    tiles = len(judged.weighed.unsure)
    melds = "on where one meld ends and the next begins"
    if not tiles:
        return f"It turns {melds}. How do these tiles lie?"
    which = "this tile" if tiles == 1 else f"these {tiles} tiles"
    if judged.weighed.groupings:
        return f"It turns on {which}, and {melds}."
    return f"It turns on {which}. What {'is it' if tiles == 1 else 'are they'}?"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
