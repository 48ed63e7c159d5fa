"""`tilekeeper score`: the sheet for people, the JSON for scripts, the exit codes, and refusals."""

import io
import json
import re
from pathlib import Path

import pytest

from tests.support.games import deal_game, rack, start_game, tiles_laid
from tilekeeper.companion.cli import main
from tilekeeper.engine.game.events import (
    Dealt,
    GameEnded,
    PoolCounted,
    RackCounted,
    RackShown,
    StarterChosen,
    TableCorrected,
)
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.tiles.notation import parse_table

PRINTED_RACKS = ["--round", "/ R5 / K13 B3 / R3", "--round", "R6 / K11 / - / R5", "--round", "J B2 / K13 / R2 / 0"]
PRINTED_POINTS = ["--points", "+24 -5 -16 -3", "--points", "-6 -11 +22 -5", "--points", "−32 −13 -2 47"]
PRINTED_SHEET = """\
           A    B    C    D
Round 1  +24   -5  -16   -3
Round 2   -6  -11  +22   -5
Round 3  -32  -13   -2  +47
Total    -14  -29   +4  +39
D leads. All points add up to 0.
"""


def scored(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Return the exit code, standard output and standard error."""
    code = main(["score", *words])
    streams = capsys.readouterr()
    return code, streams.out, streams.err


@pytest.mark.parametrize("words", [PRINTED_RACKS, PRINTED_POINTS])
def test_score_sheet_is_printed(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The example of four rulebooks, from racks or from noted points."""
    assert scored(capsys, *words) == (0, PRINTED_SHEET, "")


def test_json_has_the_documented_keys(capsys: pytest.CaptureFixture[str]) -> None:
    """The document has exactly these keys."""
    code, out, _ = scored(capsys, "--rules", "travel", "--players", "Ada, Bo,Cy", "--round", "R9/K9/R12", "--json")
    assert code == 0
    assert json.loads(out) == {
        "players": ["Ada", "Bo", "Cy"],
        "rounds": [{"points": [6, 6, -12], "winners": [0, 1], "zero_sum": True}],
        "totals": [6, 6, -12],
        "leaders": [0, 1],
        "balanced": True,
        "alarms": [],
    }


def test_shared_points_are_printed_as_fractions(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = scored(capsys, "--rules", "cards", "--round", "R9/K9/R12", "--round", "K9/R9/R10")
    assert out.splitlines()[1:] == [
        "Round 1  +1 1/2  +1 1/2  -3",
        "Round 2    +1/2    +1/2  -1",
        "Total        +2      +2  -4",
        "A and B lead together. All points add up to 0.",
    ]
    _, out, _ = scored(capsys, "--rules", "cards", "--round", "R9/K9/R12", "--json")
    assert json.loads(out)["totals"] == ["3/2", "3/2", -3]


def test_empty_pool_in_the_standard_game_gives_only_minus_points(capsys: pytest.CaptureFixture[str]) -> None:
    """All players note minus points, and no sum is checked."""
    code, out, _ = scored(capsys, "--round", "R5 R6 / J")
    assert (code, out.splitlines()[-1]) == (0, "A leads.")


def test_rack_given_as_a_sum_is_scored(capsys: pytest.CaptureFixture[str]) -> None:
    """A sum is enough if the score does not depend on the number of tiles."""
    assert scored(capsys, "--round", "0 / 16")[1].splitlines()[1] == "Round 1  +16  -16"
    assert scored(capsys, "--rules", "finnish", "--round", "4 / R5 R5")[1].splitlines()[1] == "Round 1  +6  -6"
    code, _, err = scored(capsys, "--rules", "finnish", "--round", "10 / R5 R5")
    assert (code, err) == (
        2,
        "tilekeeper score: --round '10 / R5 R5': the number of tiles decides; write the tiles, not their sum\n",
    )
    assert scored(capsys, "--house", "scoring.lowest=tiles", "--round", "4 / R5 R5")[0] == 2
    assert scored(capsys, "--house", "scoring.fewer_tiles_win=no", "--round", "10 / R5 R5")[0] == 0


def test_house_rule_changes_the_points_of_a_joker(capsys: pytest.CaptureFixture[str]) -> None:
    """A house rule for the points of a joker."""
    assert scored(capsys, "--house", "scoring.joker_points=20", "--round", "/ J")[1].splitlines()[1] == (
        "Round 1  +20  -20"
    )


def test_stars_are_counted_in_junior(capsys: pytest.CaptureFixture[str]) -> None:
    """Remaining tiles cost a star each; rounds won are counted."""
    words = ["--rules", "junior", "--stars", "9 7 4", "--round", "/ R3 J / 6", "--stars", "9 5 9", "--round", "K1//K2"]
    code, out, _ = scored(capsys, *words)
    assert code == 0
    assert out.splitlines() == [
        "            A  B  C",
        "Round 1     9  5  0",
        "Round 2     8  5  8",
        "Rounds won  2  0  1",
        "A leads.",
    ]


@pytest.mark.parametrize(
    ("words", "sentences"),
    [
        (
            ["--points", "+24 -5 -16 -3", "--points", "+10 -5 -4 -3"],
            "A leads. Round 2 does not add up: plus and minus differ by -2. "
            "The totals do not add up: plus and minus differ by -2.",
        ),
        (
            ["--points", "+5 -4", "--points", "+3 -4"],
            "A leads. Round 1 does not add up: plus and minus differ by +1. "
            "Round 2 does not add up: plus and minus differ by -1.",
        ),
    ],
)
def test_sheet_that_does_not_add_up_exits_with_1(
    words: list[str], sentences: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 1, and the rounds are named."""
    code, out, _ = scored(capsys, *words)
    assert (code, out.splitlines()[-1]) == (1, sentences)


def test_impossible_tiles_in_racks_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """Too many copies and tiles of other editions are named, and the exit code is 1."""
    code, out, _ = scored(capsys, "--round", "/ K1 K1 / K1 Y3")
    assert code == 1
    assert out.splitlines()[-2:] == [
        "- black 1 was shown 3 times, but the box has only 2.",
        "- The box has no yellow 3, but one was shown.",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give one of these: a recorded game, --round or --points"),
        (["game.jsonl", "--points", "1"], "give one of these: a recorded game, --round or --points"),
        (["--round", "/ Q7"], "--round: 'Q7': 'Q' is not a colour"),
        (["--round", "/ R1", "--round", "/ R1 / R2"], "--round '/ R1 / R2': expected 2 players, not 3"),
        (["--round", "/ R1 /"], "--round '/ R1 /': 2 racks are empty, but only one player can be out"),
        (["--points", "1 x"], "--points: 'x' is not a whole number"),
        (["--points", "1 --1"], "--points: '--1' is not a whole number"),
        (["--points", "1 9999999"], "--points: '9999999' is not a whole number"),
        (["--points", "1 -1", "--points", "1"], "--points '1': expected 2 players, not 1"),
        (["--points", " "], "--points: give at least one number"),
        (["--players", "A,B", "--points", "1 -1 0"], "--points '1 -1 0': expected 2 players, not 3"),
        (["--players", "A,", "--points", "1 -1"], "--players: every player needs a name"),
        (["--rules", "klingon", "--round", "/ R1"], "--rules: there is no edition 'klingon'"),
        (["--house", "joker=20", "--round", "/ R1"], "--house: large-numbers has no rule 'joker'"),
        (["--rules", "junior", "--round", "/ R1"], "junior needs --stars for each --round"),
        (["--stars", "1 2", "--round", "/ R1"], "large-numbers does not use --stars"),
        (["--rules", "junior", "--stars", "1", "--round", "/ R1"], "--stars '1': give 2 numbers of at least 0"),
        (["--rules", "junior", "--stars", "1 -1", "--round", "/ R1"], "--stars '1 -1': give 2 numbers of at least 0"),
        (["--rules", "junior", "--stars", "1 56", "--round", "/ R1"], "together at most 56"),
    ],
)
def test_wrong_arguments_exit_with_2(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line on standard error, nothing else, and exit code 2."""
    code, out, err = scored(capsys, *words)
    assert (code, out) == (2, "")
    assert err.startswith("tilekeeper score: ")
    assert message in err
    assert err.count("\n") == 1


def written(game: Game, tmp_path: Path) -> str:
    path = tmp_path / "game.jsonl"
    path.write_text(game.format(), encoding="utf-8")
    return str(path)


def one_round() -> Game:
    game = deal_game("travel", players=2, rounds=2).record(RackCounted(0, 0))
    return game.record(RackShown(1, rack("R5 J")))


@pytest.mark.parametrize(
    ("game", "last"),
    [
        (one_round(), "Ada leads. All points add up to 0. Round 2: who begins?"),
        (start_game(), "No round is scored yet. Round 1: who begins?"),
        (start_game().record(StarterChosen(0)), "No round is scored yet. Round 1: the tiles are not dealt yet."),
        (deal_game(), "No round is scored yet. Round 1: it is Ada's turn, 78 tiles in the pool."),
        (deal_game().record(RackCounted(0, 0)), "No round is scored yet. Round 1 is over. Now show the racks."),
        (deal_game().record(GameEnded()), "No round is scored yet. The game is over."),
    ],
)
def test_recorded_game_is_scored(game: Game, last: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sheet so far, and the next step of the game."""
    code, out, err = scored(capsys, written(game, tmp_path))
    assert err == ""
    sentences = [line for line in out.splitlines() if not line.startswith("- ")]
    assert sentences[-1] == last
    assert code == (1 if game.alarms else 0)


def test_recorded_game_as_json_has_the_ledger(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sheet, racks and pool, the next step of the game, and all alarms of the ledger."""
    game = start_game().record(StarterChosen(0)).record(Dealt()).record(tiles_laid("K10 B10 O10"))
    code, out, _ = scored(capsys, written(game, tmp_path), "--json")
    document = json.loads(out)
    assert (code, document["phase"], document["pool"], document["racks"]) == (0, "turns", 78, [11, 14])
    game = game.record(TableCorrected(parse_table("K10 B10 O10 O10 O10")))
    code, out, _ = scored(capsys, written(game, tmp_path), "--json")
    assert code == 1
    assert json.loads(out)["alarms"][1:] == [
        {"code": "too-many-copies", "player": None, "tile": "O10", "found": 3, "expected": 2},
        {"code": "too-many-tiles", "player": None, "tile": None, "found": 108, "expected": 106},
    ]
    code, out, _ = scored(capsys, written(start_game(), tmp_path), "--json")
    assert (json.loads(out)["pool"], json.loads(out)["racks"]) == (None, None)


def test_alarms_of_the_ledger_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence for each, and exit code 1."""
    game = deal_game().record(PoolCounted(77))
    code, out, _ = scored(capsys, written(game, tmp_path))
    assert code == 1
    assert out.splitlines()[-2:] == [
        "- There are 77 tiles in the pool; there should be 78.",
        "- 1 tile of the box is missing.",
    ]


def test_bank_that_owes_stars_exits_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The debt is printed, and the exit code is 0."""
    game = deal_game("junior", "stars.bank=24", "stars.tile=5").record(tiles_laid("R2 R3 R4"))
    code, out, _ = scored(capsys, written(game, tmp_path))
    assert (code, out.splitlines()[-1]) == (0, "- The bank has no coins left. It owes Ada 4 stars.")


def test_game_is_read_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A dash reads the game from standard input."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(deal_game().format().encode()), encoding="ascii"))
    assert scored(capsys, "-")[0] == 0


def test_file_with_an_incomplete_last_line_exits_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The lines before it are scored, and the message says that it is lost."""
    path = Path(written(one_round().record(StarterChosen(0, overruled=True)), tmp_path))
    path.write_bytes(path.read_bytes()[:-9])
    code, out, err = scored(capsys, str(path))
    assert (code, err) == (1, "")
    assert "Round 2: who begins?" in out
    assert out.splitlines()[-1] == ("- The last line of the file (7) is incomplete. Enter that step again.")
    code, out, _ = scored(capsys, str(path), "--json")
    assert (code, json.loads(out)["lost_line"], json.loads(out)["phase"]) == (1, 7, "starter")


def test_file_that_is_no_game_exits_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The line is named; a missing file exits with 1."""
    path = tmp_path / "game.jsonl"
    code, _, err = scored(capsys, str(path))
    assert code == 1
    assert re.fullmatch(r"tilekeeper score: .*game\.jsonl: No such file or directory\n", err)
    path.write_text('{"tilekeeper": "game", "version": 1}\n{"event": "x"}\n')
    assert scored(capsys, str(path))[2].startswith('tilekeeper score: line 2: there is no event "x"')
    path.write_text('{"tilekeeper": "game", "version": 1}\n{"event": "passed"}\n')
    assert scored(capsys, str(path))[2] == "tilekeeper score: event 0: the first event of a game must be its start\n"
    path.write_bytes(b"\xff\xfe")
    assert scored(capsys, str(path))[::2] == (2, "tilekeeper score: line 1: this is not text in UTF-8\n")
    code, _, err = scored(capsys, str(path), "--rules", "travel", "--players", "A,B")
    assert (code, err) == (
        2,
        "tilekeeper score: a recorded game already says --rules, --players; leave it out\n",
    )


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no file without an end")
def test_endless_file_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "/dev/zero"]) == 2
    errors = capsys.readouterr().err
    assert "too large for a recorded game" in errors
    assert errors.count("\n") == 1
