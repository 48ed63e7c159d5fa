"""The command line speaks the language that is asked for, or that of the shell; what scripts read stays as it is."""

import os

import pytest

from tilekeeper.companion.cli import main

TURN = ["judge", "--before", "R3 R4 R5", "--after", "R3 R4 R5 K7 | B7 O7", "--opened"]
HEADS = {"en": "Illegal: 2 problems.", "de": "Ungültig: 2 Fehler.", "fi": "Ei sallittu: 2 virhettä."}


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    main(words)
    captured = capsys.readouterr()
    return captured.out + captured.err


@pytest.mark.parametrize("language", HEADS)
def test_an_option_anywhere_chooses_the_language(capsys, language):
    assert printed(capsys, "--language", language, *TURN).startswith(HEADS[language])
    assert printed(capsys, *TURN, f"--language={language}").startswith(HEADS[language])


def test_without_it_the_shells_language_is_spoken(capsys, monkeypatch):
    monkeypatch.delenv("LANGUAGE")
    monkeypatch.setenv("LC_ALL", "fi_FI.UTF-8")
    assert printed(capsys, *TURN).startswith(HEADS["fi"])
    assert "LANGUAGE" not in os.environ


def test_help_and_mistakes_are_told_in_it_too(capsys):
    """Argparse's own sentences as well."""
    told = printed(capsys, "--language", "de", "judge", "--help")
    assert told.startswith("Aufruf: tilekeeper judge")
    assert "der Tisch vor dem Zug" in told
    assert "diese Argumente fehlen: --before" in printed(capsys, "--language", "de", "judge", "--after", "")
    assert "'X' ist keine Farbe" in printed(capsys, "--language", "de", "judge", "--before", "X1", "--after", "")


def test_a_language_that_there_is_not_is_a_mistake(capsys):
    assert main(["--language", "sv", *TURN]) == 2
    assert "'sv'" in capsys.readouterr().err


def test_what_scripts_read_is_the_same_in_every_language(capsys):
    documents = {printed(capsys, "--language", language, *TURN, "--json", "--explain") for language in HEADS}
    assert len(documents) == 1
