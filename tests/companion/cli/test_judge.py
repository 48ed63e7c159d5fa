"""`tilekeeper judge`: the exact words, JSON and exit codes that scripts rely on."""

import json

import pytest

from tests.support.known_tables import TOO_MANY_WAYS
from tilekeeper.companion.cli import main
from tilekeeper.engine.provenance import single_moves
from tilekeeper.engine.rules.editions import RULE_SETS

BEFORE = ["--before", "R3 R4 R5"]
BOTH = [*BEFORE, "--after", "R3 R4 R5 | K7 B7 O7"]


def judged(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Return the exit code, standard output and standard error."""
    code = main(["judge", *words])
    streams = capsys.readouterr()
    return code, streams.out, streams.err


def test_legal_turn_exits_with_0_and_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = judged(capsys, "--rules", "large-numbers", *BOTH, "--opened")
    assert (code, out, err) == (0, "Allowed: 3 tiles laid (K7 B7 O7).\n", "")


def test_legal_turn_names_the_tiles_of_its_jokers(capsys: pytest.CaptureFixture[str]) -> None:
    """The tiles of jokers are printed, in the reading with the most points."""
    code, out, _ = judged(capsys, "--before", "", "--after", "r9 j j")
    assert code == 0
    assert out.splitlines() == [
        "Allowed: 3 tiles laid (R9 J J) for 30 points, which opens the game.",
        "The joker in red 9, joker and joker stands for red 10.",
        "The joker in red 9, joker and joker stands for red 11.",
    ]


def test_opening_that_is_too_low_names_the_tiles_of_its_jokers(capsys: pytest.CaptureFixture[str]) -> None:
    """The reading with the most points counts in an illegal turn too: the run begins with 5."""
    code, out, _ = judged(capsys, "--before", "", "--after", "R5 J J")
    assert code == 1
    assert out.splitlines() == [
        "Not allowed: 1 problem.",
        (
            "- The opening needs at least 30 points in new sets from the rack alone. These count "
            "18 points: 12 are missing."
        ),
        "The joker in red 5, joker and joker stands for red 6.",
        "The joker in red 5, joker and joker stands for red 7.",
    ]


def test_illegal_turn_exits_with_1_and_its_violations(capsys: pytest.CaptureFixture[str]) -> None:
    """An illegal turn exits with 1 and one sentence per violation; the edition has a default."""
    code, out, err = judged(capsys, *BOTH)
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        "Not allowed: 1 problem.",
        (
            "- The opening needs at least 30 points in new sets from the rack alone. These count "
            "21 points: 9 are missing."
        ),
    ]


def test_faults_from_before_the_turn_are_noted_and_the_turn_is_legal(capsys: pytest.CaptureFixture[str]) -> None:
    """An invalid meld that did not change is a note, and a separate key in the JSON."""
    turn = ["--before", "R1 R2 | B1 B2 B3", "--after", "R1 R2 | B1 B2 B3 B4", "--opened"]
    assert judged(capsys, *turn) == (
        0,
        "Allowed: 1 tile laid (B4).\n"
        "Already wrong before the turn, so it does not count: red 1 and red 2: only 2 tiles, "
        "but a set needs at least 3.\n",
        "",
    )
    code, out, _ = judged(capsys, *turn, "--json")
    assert (code, json.loads(out)["violations"]) == (0, [])
    assert json.loads(out)["standing"] == [
        {"code": "meld-too-short", "side": "after", "melds": [0], "tiles": ["R1", "R2"]}
    ]


def test_json_of_a_legal_turn(capsys: pytest.CaptureFixture[str]) -> None:
    """The document has exactly these keys; a player who has opened gets no points."""
    code, out, err = judged(capsys, *BOTH, "--opened", "--json")
    assert (code, err) == (0, "")
    expected = {
        "outcome": "legal",
        "legal": True,
        "violations": [],
        "placed": ["K7", "B7", "O7"],
        "points": None,
        "opens": False,
    }
    assert json.loads(out) == expected
    assert list(json.loads(out)) == ["outcome", "legal", "violations", "placed", "points", "opens"]


def test_json_of_an_opening(capsys: pytest.CaptureFixture[str]) -> None:
    """The document has the points of the opening, and that it opens."""
    code, out, _ = judged(capsys, "--before", "", "--after", "k10 b10 j", "--json")
    assert code == 0
    assert json.loads(out) == {
        "outcome": "legal",
        "legal": True,
        "violations": [],
        "placed": ["K10", "B10", "J"],
        "points": 30,
        "opens": True,
    }


def test_json_says_that_a_turn_may_earn_more_stars(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the count of replaced jokers is not proved, the document says so."""
    turn = ["--rules", "junior", "--before", "J K3 J", "--after", "K3 K4 J J", "--json"]
    assert "fewest_replaced" not in json.loads(judged(capsys, *turn)[1])
    for budget in ("_HASTY_BUDGET", "_FEWEST_BUDGET"):
        monkeypatch.setattr(single_moves, budget, 0)
    code, out, _ = judged(capsys, *turn)
    assert (code, json.loads(out)["fewest_replaced"]) == (0, False)


def test_json_of_an_illegal_turn(capsys: pytest.CaptureFixture[str]) -> None:
    """Melds are indices into the table named by `side`, tiles are in notation."""
    code, out, err = judged(capsys, "--before", "R3 R4 R5 R6", "--after", "R12 R13 R1 | r3 r4 r5", "--json", "--opened")
    assert (code, err) == (1, "")
    assert json.loads(out) == {
        "outcome": "illegal",
        "legal": False,
        "violations": [
            {"code": "wraps-past-highest", "side": "after", "melds": [0], "tiles": ["R13", "R1"]},
            {"code": "tile-taken", "side": "before", "melds": [0], "tiles": ["R6"]},
        ],
        "placed": ["R1", "R12", "R13"],
        "points": None,
        "opens": False,
    }


def test_json_with_explain_has_stand_ins(capsys: pytest.CaptureFixture[str]) -> None:
    """`--explain` adds two keys: the explanation, and the tile for which each joker stands."""
    code, out, _ = judged(capsys, "--before", "R3 R4 J", "--after", "R3 R4 J | R9 J R11", "--explain", "--json")
    document = json.loads(out)
    assert code == 0
    assert list(document)[6:] == ["explained", "stand_ins"]
    assert document["explained"] == "laid red 9, joker and red 11 as a new run"
    assert document["stand_ins"] == [{"at": [0, 2], "tile": "R5"}, {"at": [1, 1], "tile": "R10"}]


@pytest.mark.parametrize("text", ["R12 R13 R14", "K3 B3 Y3"])
def test_tile_that_the_edition_lacks_is_illegal(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A readable tile that the edition lacks is a violation, not an error."""
    code, out, err = judged(capsys, "--before", "", "--after", text, "--opened", "--json")
    assert (code, err) == (1, "")
    assert [violation["code"] for violation in json.loads(out)["violations"]] == ["unknown-tile"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            [*BEFORE, "--after", "R3 R4 R5 | Q7 B7 O7"],
            "tilekeeper judge: --after: 'Q' is not a colour: a tile is a colour letter (K black, B blue, O orange, "
            "R red, Y yellow) and a number, or J for a joker\n"
            "  R3 R4 R5 | Q7 B7 O7\n"
            "             ^\n",
        ),
        (
            ["--before", "R3 R4 |", "--after", "Q7"],
            "tilekeeper judge: --before: write a tile after this |; every set has at least one\n  R3 R4 |\n        ^\n",
        ),
        (
            [*BOTH, "--rules", "klingon"],
            f"tilekeeper judge: --rules: there is no edition 'klingon'; choose {', '.join(RULE_SETS)}\n",
        ),
    ],
)
def test_invalid_table_exits_with_2(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One message on standard error points to the place; nothing else is printed."""
    assert judged(capsys, *words) == (2, "", message)


@pytest.mark.parametrize(
    "words", [BEFORE, ["--after", "R3"], [*BOTH, "--jsno"], [*BOTH, "--open"], [*BOTH, "more"], [*BEFORE, "--after"]]
)
def test_wrong_options_exit_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the wrong or missing option."""
    code, out, err = judged(capsys, *words)
    assert (code, out) == (2, "")
    assert "error:" in err


def test_undecided_turn_exits_with_3(capsys: pytest.CaptureFixture[str]) -> None:
    """A sentence for people and keys for scripts; it never counts as legal."""
    before, after = TOO_MANY_WAYS
    turn = ["--before", before, "--after", after, "--opened", "--house", "stock.jokers=8"]
    code, out, _ = judged(capsys, *turn, "--explain")
    assert code == 3
    assert out.splitlines()[0] == "I can't decide this turn: please check together."
    assert "too many ways to lay this" in out.splitlines()[1]
    assert out.splitlines()[-1].startswith("In words: ")
    code, out, _ = judged(capsys, *turn, "--json")
    assert code == 3
    verdict = json.loads(out)
    assert (verdict["outcome"], verdict["legal"], verdict["opens"]) == ("undecided", False, False)
    assert (verdict["violations"], verdict["proved"]) == ([], False)
