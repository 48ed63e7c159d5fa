"""The command line uses the requested language or the shell's; output for scripts is always the same."""

import os

import pytest

from tilekeeper.companion.cli import main

TURN = ["judge", "--before", "R3 R4 R5", "--after", "R3 R4 R5 K7 | B7 O7", "--opened"]
HEADS = {"en": "Not allowed: 2 problems.", "de": "Ungültig: 2 Fehler.", "fi": "Ei sallittu: 2 virhettä."}


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    main(words)
    captured = capsys.readouterr()
    return captured.out + captured.err


@pytest.mark.parametrize("language", HEADS)
def test_language_option_works_at_any_position(capsys, language):
    assert printed(capsys, "--language", language, *TURN).startswith(HEADS[language])
    assert printed(capsys, *TURN, f"--language={language}").startswith(HEADS[language])


def test_language_of_the_shell_is_used_without_the_option(capsys, monkeypatch):
    monkeypatch.delenv("LANGUAGE")
    monkeypatch.setenv("LC_ALL", "fi_FI.UTF-8")
    assert printed(capsys, *TURN).startswith(HEADS["fi"])
    assert "LANGUAGE" not in os.environ


def test_help_and_usage_errors_are_translated(capsys):
    """Argparse's own sentences as well."""
    usage = printed(capsys, "--language", "de", "judge", "--help")
    assert usage.startswith("Aufruf: tilekeeper judge")
    assert "die Auslage vor dem Zug" in usage
    assert "diese Argumente fehlen: --before" in printed(capsys, "--language", "de", "judge", "--after", "")
    assert "'X' ist keine Farbe" in printed(capsys, "--language", "de", "judge", "--before", "X1", "--after", "")


def test_unknown_language_is_a_usage_error(capsys):
    assert main(["--language", "sv", *TURN]) == 2
    assert "'sv'" in capsys.readouterr().err


def test_json_is_the_same_in_all_languages(capsys):
    documents = {printed(capsys, "--language", language, *TURN, "--json", "--explain") for language in HEADS}
    assert len(documents) == 1
