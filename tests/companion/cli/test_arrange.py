"""The output and the exit codes of `tilekeeper arrange`."""

import json

import pytest

from tilekeeper.companion.cli import main
from tilekeeper.engine.solver.exact_cover import cover_task


def arranged(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["arrange", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_tangled_table_is_arranged(capsys: pytest.CaptureFixture[str]) -> None:
    """The output has the arranged table, and each move to it."""
    code, out, err = arranged(capsys, "R3 R4 | R5 B5 K5 O5")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "All tiles can be arranged, with 1 move (fewer are not enough):",
        "  R3 R4 R5 | B5 K5 O5",
        "- take R5 from R5 B5 K5 O5, for R3 R4 R5",
    ]
    assert arranged(capsys, "R3 R4 R5") == (0, "All sets are valid.\n", "")


def test_tiles_that_fit_nowhere_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1 if not all tiles can be arranged, with the tiles to take off."""
    code, out, _ = arranged(capsys, "R3 R4 R5 | K9 K12")
    assert code == 1
    assert out.splitlines() == [
        "Not all tiles can be arranged; these can, with 2 moves (fewer are not enough):",
        "  R3 R4 R5",
        "- take K9 off the table, from K9 K12",
        "- take K12 off the table, from K9 K12",
    ]


def test_tiles_without_any_meld_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """If nothing can be arranged, no empty table is printed."""
    code, out, _ = arranged(capsys, "R3 R4")
    assert code == 1
    assert out.splitlines() == [
        "These tiles make no set:",
        "- take R3 off the table, from R3 R4",
        "- take R4 off the table, from R3 R4",
    ]


def test_impossible_tiles_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """Tiles on the table or rack that the edition lacks, or of which it has fewer copies, are named."""
    code, out, _ = arranged(capsys, "R3 R4 R5 | R3 B3 O3", "--rack", "R3 R14 R6", "--opened")
    assert code == 0
    assert out.splitlines()[-2:] == [
        "- The box has no red 14, but one was read.",
        "- Red 3 is on the table 3 times, but the box has only 2: the table was misread.",
    ]
    code, out, _ = arranged(capsys, "R3 R4 R5 | Y3", "--json")
    assert code == 1
    assert json.loads(out)["misread"] == [{"code": "unknown-tile", "tiles": ["Y3"]}]


def test_json_of_an_arrangement(capsys: pytest.CaptureFixture[str]) -> None:
    """Places are the index of a meld and the position in it; a removed tile has no goal."""
    code, out, _ = arranged(capsys, "R3 R4 | R5 B5 K5 O5 | K1", "--json")
    assert code == 1
    assert json.loads(out) == {
        "complete": False,
        "table": "R3 R4 R5 | B5 K5 O5",
        "left": ["K1"],
        "moves": [{"tile": "R5", "from": [1, 0], "to": [0, 2]}, {"tile": "K1", "from": [2, 0], "to": None}],
        "proved": True,
    }


def test_rack_option_prints_the_best_play(capsys: pytest.CaptureFixture[str]) -> None:
    """With a rack, the best turn; exit code 1 if there is none."""
    code, out, _ = arranged(capsys, "K1 K2 K3", "--rack", "K4 R10 B10 O10")
    assert code == 0
    assert out.splitlines()[0] == "You can open with 3 tiles (B10 O10 R10); no turn lays more:"
    code, out, _ = arranged(capsys, "K1 K2 K3", "--rack", "K4", "--opened", "--json", "--aim", "points")
    assert (code, json.loads(out)) == (
        0,
        {"laid": ["K4"], "points": 4, "opens": False, "table": "K1 K2 K3 K4", "proved": True},
    )
    assert arranged(capsys, "K1 K2 K3", "--rack", "K4") == (1, "You can't lay anything.\n", "")
    code, out, _ = arranged(capsys, "K1 K2 K3", "--rack", "K4", "--json")
    assert (code, json.loads(out)["laid"], json.loads(out)["table"]) == (1, [], None)


def test_search_that_is_too_large_exits_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output says that the search gave up."""
    monkeypatch.setattr("tilekeeper.engine.solver.play_search._SEARCH_BUDGET", 0)
    words = ["K1 K2 K3", "--rack", "K4", "--opened"]
    assert arranged(capsys, *words) == (1, "No turn was found.\n", "")
    assert json.loads(arranged(capsys, *words, "--json")[1])["proved"] is False
    monkeypatch.setattr("tilekeeper.engine.solver.solve.cover_task", lambda task, rules, _: cover_task(task, rules, 1))
    code, out, err = arranged(capsys, "K1 K2 | K3 R4 B4 O4", "--house", "joker.alone=yes")
    assert (code, out, err) == (1, "", "tilekeeper arrange: there are too many ways to check them all\n")


def test_house_rule_changes_the_arrangement(capsys: pytest.CaptureFixture[str]) -> None:
    """A house rule changes which melds are valid."""
    words = ("", "--rack", "R10 B10 O10", "--house", "opening.minimum_points=31")
    assert arranged(capsys, *words)[0] == 1
    assert arranged(capsys, *words[:3])[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["R3 Q4"], "tilekeeper arrange: TABLE: 'Q' is not a colour"),
        (["R3", "--rack", "R"], "tilekeeper arrange: --rack: 'R' has no number"),
        (["R3", "--rules", "klingon"], "tilekeeper arrange: --rules: there is no edition 'klingon'"),
        (["R3", "--house", "no.such=1"], "tilekeeper arrange: --house:"),
    ],
)
def test_invalid_arguments_exit_with_2(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 with one message on standard error."""
    code, out, err = arranged(capsys, *words)
    assert (code, out) == (2, "")
    assert err.startswith(message)
