"""Failed turns, too slow or illegal: restored tables and penalties, by edition."""

import pytest

from tilekeeper.engine.game.failed_turns import Failure, settle_failure
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.notation import format_table, parse_table


def settled(
    edition: str, before: str, after: str, opened: bool = True, time_up: bool = True, house: tuple[str, ...] = ()
) -> Failure:
    rules = with_house_rules(rule_set(edition), house)
    return settle_failure(parse_table(before), parse_table(after), time_up, TurnContext(rules, opened))


def stays(edition: str, before: str, after: str, opened: bool = True) -> str:
    return format_table(settled(edition, before, after, opened).table)


@pytest.mark.parametrize("edition", ["large-numbers", "finnish"])
@pytest.mark.parametrize("opened", [True, False])
def test_failed_turn_restores_the_whole_table(edition: str, opened: bool) -> None:
    """Valid sets are removed too, and three tiles are drawn (large-numbers, "Strafsteine")."""
    before = parse_table("R3 R4 R5")
    expected = Failure(before, opens=False, penalty=3, like_laying_none=False)
    assert settled(edition, "R3 R4 R5", "R3 R4 R5 R6 | K13 O13 B13 | K2 K3", opened) == expected


@pytest.mark.parametrize(
    ("before", "after", "table"),
    [
        pytest.param("R3 R4 R5", "R3 R4 R5 R6 | K2 K3", "R3 R4 R5 R6", id="loose tiles of the rack go back there"),
        pytest.param("R4 R5 R6 R7", "R4 R5 R6 | R7 K7", "R4 R5 R6 R7", id="a tile goes back to the end of its run"),
        pytest.param(
            "R4 R5 R6 | K1 K2 K3",
            "R4 R5 | R6 K6 | K1 K2 K3 K4",
            "K1 K2 K3 K4 | R4 R5 R6",
            id="a meld that was torn apart is laid again, and what is valid stays",
        ),
        pytest.param(
            "R4 R5 R6 R7 R8 R9 R10",
            "R4 R5 R6 | R8 R9 R10 | R7 K7",
            "R4 R5 R6 R7 R8 R9 R10",
            id="a run that was split around a loose tile is whole again",
        ),
        pytest.param(
            "R4 R5 R6 R7 | K7 K8 K9",
            "R5 R6 | R4 B4 O4 | R7 B7 K7 | K8 K9",
            "R4 R5 R6 R7 | K7 K8 K9",
            id="where a place is gone everything goes back",
        ),
        pytest.param("R3 R4 R5 | K1 K2", "R3 R4 R5 R6 | K1 K2 | B1 B2", "R3 R4 R5 R6 | K1 K2", id="old faults stay"),
        pytest.param("R3 R4 R5", "R3 R4", "R3 R4 R5", id="a tile that was taken is laid back"),
    ],
)
def test_failed_turn_in_travel_restores_loose_tiles_only(before: str, after: str, table: str) -> None:
    """Tiles in no run or group go back to their old melds if that is possible."""
    assert parse_table(stays("travel", before, after)) == parse_table(table)
    assert settled("travel", before, after).penalty == 3


def test_remaining_tiles_below_the_opening_are_removed_too() -> None:
    """With the opening they stay, and the player has opened despite the penalty."""
    assert stays("travel", "", "R3 R4 R5 | K1 K2", opened=False) == ""
    opening = settled("travel", "", "K10 O10 R10 | K1 K2", opened=False)
    assert opening == Failure(parse_table("K10 O10 R10"), opens=True, penalty=3, like_laying_none=False)


@pytest.mark.parametrize(
    ("before", "after", "table"),
    [
        pytest.param("R3 R4 R5", "R3 R4 R5 R6 | K2 K3", "R3 R4 R5 R6", id="own cards come back"),
        pytest.param("R3 R4 R5 R6 | K1 K2 K3", "R3 R4 R5 | R6 K6 | K1 K2 K3", "R3 R4 R5 | K1 K2 K3", id="and others"),
        pytest.param("B8 K8 Y8 R8", "R8 R9 | B8 K8 | Y8", "", id="all of a set that was torn apart"),
        pytest.param("R3 J R5", "R3 R4 R5 | J K2", "R3 R4 R5", id="a joker, too"),
        pytest.param("R3 R4 | K1 K2 K3", "R3 R4 | K1 K2 K3 K4 | B1 B2", "R3 R4 | K1 K2 K3 K4", id="no old faults"),
        pytest.param("R3 J R5 | K7 K8 K9", "R3 R4 R5 | K7 K8 K9 J", "R3 J R5 | K7 K8 K9", id="a breach goes back"),
    ],
)
def test_failed_turn_in_cards_puts_loose_cards_onto_the_rack(before: str, after: str, table: str) -> None:
    """No card is drawn ("Zeitlimit")."""
    assert parse_table(stays("cards", before, after)) == parse_table(table)
    assert settled("cards", before, after).penalty == 0


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("K10 R10 B10 | K2 K3", Failure(parse_table(""), opens=False, penalty=1, like_laying_none=False)),
        ("K10 R10 B10 Y10 | K2", Failure(parse_table("K10 R10 B10 Y10"), True, 0, like_laying_none=False)),
        ("", Failure(parse_table(""), opens=False, penalty=1, like_laying_none=False)),
    ],
)
def test_cards_below_the_opening_all_go_back_for_one_penalty_card(after: str, expected: Failure) -> None:
    """Cards that reach 40 points stay and open."""
    assert settled("cards", "", after, opened=False) == expected


def test_failed_turn_without_effect_counts_as_laying_nothing() -> None:
    """A player who lays nothing draws."""
    assert settled("cards", "R3 R4 R5", "R3 R4 R5") == Failure(parse_table("R3 R4 R5"), False, 0, True)
    assert settled("junior", "R3 R4 R5", "R3 R4 R5 K6", time_up=False).like_laying_none


def test_illegal_layout_brings_no_penalty_by_house_rule() -> None:
    """Only the clock brings one then."""
    house = ("penalty.for_wrong_layout=no",)
    wrong = settled("large-numbers", "", "R3 R4", time_up=False, house=house)
    assert wrong == Failure(parse_table(""), opens=False, penalty=0, like_laying_none=True)
    assert settled("large-numbers", "", "R3 R4", time_up=True, house=house).penalty == 3


def test_penalty_before_the_opening_differs_by_house_rule() -> None:
    """The number of tiles can be higher or lower."""
    house = ("penalty.tiles=4", "penalty.tiles_before_opening=2")
    assert settled("finnish", "", "R3 R4", opened=True, house=house).penalty == 4
    assert settled("finnish", "", "R3 R4", opened=False, house=house).penalty == 2
