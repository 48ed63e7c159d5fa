"""Policies: the choices in which editions differ, as enums."""

from __future__ import annotations

from enum import Enum

from tilekeeper.engine.language import gettext_noop


class Policy(Enum):
    """A choice between rules; each member is one of them, and its value is its name in house rules."""

    says: str
    """The meaning of the member, one clause in English for `gettext`."""

    def __new__(cls, name: str, says: str) -> Policy:
        member = object.__new__(cls)
        member._value_ = name
        member.says = says
        return member

    # Members are singletons, so the hash of the object is enough. The hash of Enum is slow for the judge's inner loops.
    __hash__ = object.__hash__


class Starter(Policy):
    """Rule for the player who begins the first round."""

    CHOSEN = ("chosen", gettext_noop("the players choose, or draw for it"))
    HIGHEST_DRAWN = (
        "highest-drawn",
        gettext_noop("each draws a tile; the highest number begins; then the tiles are mixed in again"),
    )
    OLDEST = ("oldest", gettext_noop("the oldest player, or the adult in charge"))


class JokerDrawn(Policy):
    """Value of a joker that is drawn to decide who begins."""

    AGAIN = ("again", gettext_noop("whoever draws a joker draws again"))
    LOWEST = ("lowest", gettext_noop("a joker does not count: it is lower than any number"))


class NextRound(Policy):
    """Rule for the player who begins a later round."""

    AS_FIRST = ("as-first", gettext_noop("as in the first round"))
    WINNER = ("winner", gettext_noop("the winner of the round before"))
    LEFT = ("left", gettext_noop("the player to the left of the one who began the round before"))


class OpeningTable(Policy):
    """Use of the table in the turn of the opening."""

    LEFT_ALONE = ("left-alone", gettext_noop("nothing: no moving, no adding, no swapping a joker"))
    FREE_ONCE_OPEN = (
        "free-once-open",
        gettext_noop("everything, as soon as new sets from the rack alone reach the points"),
    )


class Regrouping(Policy):
    """Allowed changes to the melds on the table."""

    ANY = ("any", gettext_noop("in any way"))
    EXTEND_ONLY = ("extend-only", gettext_noop("only by adding to them"))


class JokerSets(Policy):
    """Allowed changes to a set with a joker, and ways for the joker to leave it."""

    LIKE_OTHERS = (
        "like-others",
        gettext_noop("it is changed like any other, and the joker may come free in any way"),
    )
    LOCKED = (
        "locked",
        gettext_noop("it may be extended, but not split; only a replaced joker may be taken out"),
    )
    JOKER_STAYS = (
        "joker-stays",
        gettext_noop("it may be extended and split; the joker itself may be taken out only when it is replaced"),
    )
    JOKER_MOVES = (
        "joker-moves",
        gettext_noop(
            "the joker may be taken out when it is replaced, or if every part left is valid and the joker goes at once "
            "to a run on the table"
        ),
    )


class ReplacedFrom(Policy):
    """Allowed source of the tile that replaces a joker."""

    RACK = ("rack", gettext_noop("from the rack only"))
    ANYWHERE = ("anywhere", gettext_noop("from the rack or from the table"))


class FreedJoker(Policy):
    """Allowed place for a freed joker."""

    ANY_MELD = ("any-meld", gettext_noop("into any valid set, in the same turn"))
    NEW_COMBINATION = (
        "new-combination",
        gettext_noop(
            "in the same turn into any valid set except an old one that is otherwise unchanged; if the old one still "
            "lies as it was, an equal one beside it is new"
        ),
    )
    NEW_SET = (
        "new-set",
        gettext_noop(
            "in the same turn into a new set with some tiles of the rack; adding it to an old set is not enough"
        ),
    )
    SET_FROM_RACK = (
        "set-from-rack",
        gettext_noop("in the same turn into a new set whose other tiles all come from the rack"),
    )
    RACK = ("rack", gettext_noop("into any valid set, or on the rack for a later turn"))


class PastEnd(Policy):
    """Meaning of a joker past the end of a run: after the highest number, or before 1."""

    NOTHING = ("nothing", gettext_noop("for no tile, and the run is not valid"))
    OTHER_END = ("other-end", gettext_noop("for the tile at the other end of the run"))


class Restore(Policy):
    """Restoring the table after a turn that took too long or is illegal."""

    EVERYTHING = ("everything", gettext_noop("everything goes back to where it was at the start of the turn"))
    LOOSE_TILES = (
        "loose-tiles",
        gettext_noop("tiles in no valid run or group go back to where they were; if they can't, everything does"),
    )
    LOOSE_TO_RACK = ("loose-to-rack", gettext_noop("tiles in no valid run or group go onto the player's own rack"))


class PoolEmpty(Policy):
    """End of a round once the pool is empty."""

    LAST_TURNS = ("last-turns", gettext_noop("every player has one last turn"))
    ALL_PASS = ("all-pass", gettext_noop("play goes on until all players in a row have passed"))


class Lowest(Policy):
    """The count that must be lowest to win a round that ended with an empty pool."""

    SUM = ("sum", gettext_noop("the sum of the tiles on the rack"))
    TILES = ("tiles", gettext_noop("the number of the tiles on the rack"))


class EmptyPoolScore(Policy):
    """Scoring of a round that ended with an empty pool."""

    ALL_MINUS = (
        "all-minus",
        gettext_noop("everybody, the winner too, writes down the sum of their own rack as minus points"),
    )
    DIFFERENCES = (
        "differences",
        gettext_noop(
            "losers write down, as minus points, their own sum less the winner's; the winner gets all of them as plus "
            "points"
        ),
    )
    AS_USUAL = (
        "as-usual",
        gettext_noop(
            "as in any round: losers write down their sums as minus points, the winner gets all of them as plus points"
        ),
    )


class TileValue(Policy):
    """Points of a numbered tile left on a rack."""

    NUMBER = ("number", gettext_noop("its number"))
    ONE = ("one", gettext_noop("one, whatever its number"))


class Totals(Policy):
    """Rule for the winner of several rounds."""

    HIGHEST_TOTAL = ("highest-total", gettext_noop("who has the highest total of all rounds"))
    ROUNDS_WON = ("rounds-won", gettext_noop("who has won the most rounds; each round counts by itself"))
