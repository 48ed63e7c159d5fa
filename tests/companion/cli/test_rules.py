"""`tilekeeper rules` and `--house`: the output for people and scripts, and the generated page of the docs."""

import json
from pathlib import Path

import pytest

from tilekeeper.companion.cli import main
from tilekeeper.engine.rules.editions import RULE_SETS


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    streams = capsys.readouterr()
    return code, streams.out, streams.err


def test_docs_page_of_rules_is_up_to_date(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`docs/rules.md` is the present output of the command."""
    code, out, _ = printed(capsys, "rules", "--markdown")
    assert code == 0
    assert (repository / "docs" / "rules.md").read_text(encoding="utf-8") == out, (
        "run: tilekeeper rules --markdown > docs/rules.md"
    )


def test_editions_are_listed_without_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a name the editions are listed, for people and for scripts."""
    code, out, _ = printed(capsys, "rules")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(RULE_SETS)
    code, out, _ = printed(capsys, "rules", "--json")
    assert list(json.loads(out)["editions"]) == list(RULE_SETS)


def test_rules_of_an_edition_have_values_and_sources(capsys: pytest.CaptureFixture[str]) -> None:
    """Every field has its value and its source; a house rule is marked."""
    code, out, _ = printed(capsys, "rules", "finnish", "--house", "scoring.joker_points=20")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "finnish: the classic sheet of rules: sets with a joker are locked"
    assert "opening.minimum_points = 31   how many points you need at least; 0 if there is no opening" in lines
    assert "    Aloitus: »jonka numeroiden yhteenlaskettu summa ylittää 30« (more than 30)" in lines
    assert "    ruling: the rulebook gives no number; 2 to 4 play" in lines
    assert "    not in this edition: the rulebook has no new deal" in lines
    assert "    house rule; the edition has 30" in lines


def test_json_has_every_field_of_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON has every field in the order of the page."""
    code, out, _ = printed(capsys, "rules", "junior", "--json", "--house", "stars.dealt=5")
    document = json.loads(out)
    assert (code, document["edition"]) == (0, "junior")
    rules = {rule["name"]: rule for rule in document["rules"]}
    assert list(rules) == [name for name, _, _, _ in RULE_SETS["junior"].fields()]
    assert rules["stars.bank"] == {
        "name": "stars.bank",
        "value": "56",
        "says": "how many coins there are in all",
        "allowed": "a whole number from 0 to 999",
        "source": "printed",
        "section": "Inhalt",
        "quote": "56 Sternmünzen",
        "why": "",
    }
    assert (rules["stars.dealt"]["value"], rules["stars.dealt"]["source"]) == ("5", "house")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rules", "klingon"], "tilekeeper rules: EDITION: there is no edition 'klingon'; choose large-numbers, "),
        (["rules", "junior", "--house", "x"], "tilekeeper rules: --house: 'x' is not a house rule; one looks like "),
        (["rules", "--house", "x=1"], "tilekeeper rules: --house needs an EDITION, whose rules it changes"),
        (["rules", "junior", "--markdown"], "tilekeeper rules: --markdown prints all editions; leave out the EDITION"),
        (
            ["judge", "--before", "", "--after", "", "--house", "turn.drawn=x"],
            "tilekeeper judge: --house: turn.drawn can't be 'x'; it must be a whole number from 0 to 14",
        ),
    ],
)
def test_invalid_arguments_exit_with_2(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One message on standard error, nothing else, and exit code 2."""
    code, out, err = printed(capsys, *words)
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_house_rule_changes_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    turn = ["judge", "--before", "", "--after", "K10 B10 O10"]
    assert printed(capsys, *turn)[0] == 0
    code, out, _ = printed(capsys, *turn, "--house", "opening.minimum_points=50", "--house", "melds.wraps=yes")
    assert code == 1
    assert "at least 50 points" in out
    assert printed(capsys, *turn, "--house", "opening.minimum_points=30")[0] == 0
