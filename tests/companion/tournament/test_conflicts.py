"""The check of a pairing that somebody changed by hand."""

from tilekeeper.companion.tournament.conflicts import Conflict, ConflictKind, find_conflicts
from tilekeeper.companion.tournament.pairing import FORBIDDEN, UNWANTED
from tilekeeper.companion.tournament.record import Bye, ByeKind, PairedRound
from tilekeeper.companion.tournament.words import conflict_words

PLAYERS = tuple("ABCDE")
PAST = (PairedRound((("A", "B", "C", "D"),), (Bye("E", ByeKind.ALLOCATED),)),)


def test_good_pairing_has_no_conflict():
    paired = PairedRound((("A", "E"), ("B", "F")))
    assert find_conflicts(paired, tuple("ABEF"), PAST) == ()


def test_each_kind_of_conflict_is_found():
    """A sits twice, C is nowhere, X is a stranger, a table has one player, B has left, and E has a second bye."""
    paired = PairedRound((("A", "B", "D"), ("A",), ("X", "Y")), (Bye("E", ByeKind.ALLOCATED),))
    apart = {frozenset("AD"): FORBIDDEN, frozenset("BD"): UNWANTED}
    found = find_conflicts(paired, (*PLAYERS, "Y"), PAST, apart=apart, left={"B", "C"})
    assert [(one.kind.value, one.players) for one in found] == [
        ("missing", ("C",)),
        ("twice", ("A",)),
        ("stranger", ("X",)),
        ("table-size", ("A",)),
        ("left", ("B",)),
        ("met-before", ("A", "B")),
        ("forbidden", ("A", "D")),
        ("met-before", ("A", "D")),
        ("unwanted", ("B", "D")),
        ("met-before", ("B", "D")),
        ("second-bye", ("E",)),
    ]
    assert [one.is_impossible for one in found] == [True] * 4 + [False] * 7


def test_table_larger_than_the_format_is_a_conflict():
    paired = PairedRound((("A", "B", "C"),))
    (found,) = find_conflicts(paired, tuple("ABC"), (), table_size=2)
    assert (found.kind, found.players) == (ConflictKind.TABLE_SIZE, tuple("ABC"))


def test_each_conflict_has_words():
    for kind in ConflictKind:
        assert "A" in conflict_words(Conflict(kind, ("A", "B")), str)
