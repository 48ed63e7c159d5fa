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
