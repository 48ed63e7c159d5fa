"""Words for a draw for the first player that decided nothing."""

import pytest

BACK = "First put all drawn tiles back and mix them."
JOKER = f"Ada drew a joker, which decides nothing, so Ada draws again. {BACK}"


@pytest.mark.parametrize(
    ("draws", "words"),
    [
        (["R11 B11 K9"], f"Ada and Bo both drew 11: draw again. {BACK}"),
        (["R11 B11 K11"], f"Ada, Bo and Cleo all drew 11: draw again. {BACK}"),
        (["J B11 K9"], JOKER),
        (["J J K9"], f"Ada and Bo drew a joker, which decides nothing, so they draw again. {BACK}"),
        # Ada draws again alone: she ties with Bo, or lets Bo and Cleo tie, who did not draw this time.
        (["J B11 K9", "R11"], f"Ada and Bo both drew 11: draw again. {BACK}"),
        (["J B11 K11", "R5"], f"Bo and Cleo both drew 11: draw again. {BACK}"),
        (["R3 B11 K9"], ""),
    ],
)
def test_tie_is_never_told_as_a_joker(by_hand, draws, words) -> None:
    by_hand.begin("Ada", "Bo", "Cleo")
    for tiles in draws:
        evening = by_hand.act("lots", tiles=tiles)
    assert evening["starting"]["again"] == words


def test_deal_tells_all_lots_that_were_drawn(by_hand):
    """The second draw alone would be a tile of one player."""
    by_hand.begin("Ada", "Bo", "Cleo")
    assert by_hand.act("lots", tiles="J R11 R6")["starting"]["drawn"] == ""
    first, second = "Drawn: Ada joker, Bo red 11, Cleo red 6. Draw again.", "Drawn: Ada red 13. Ada begins."
    assert by_hand.act("lots", tiles="R13")["starting"]["drawn"] == f"{first} {second}"
    by_hand.act("undo")
    assert by_hand.act("starter", player=1, overruled=True)["starting"]["drawn"] == ""
