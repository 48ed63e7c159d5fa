"""The command line: each command in a module of its own that is imported only when the command is called.

Exit codes that hold for every command: 0 all well, 1 the answer is no or something could not be read or opened,
2 the words on the command line could not be understood, 130 interrupted by Ctrl+C, 141 whoever read the output left.
A command's module offers `add_parser(subparsers)`, which describes its options, and `run(args) -> int`.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, cast

from tilekeeper import __version__
from tilekeeper.companion.cli.missing_library import missing_library
from tilekeeper.companion.languages import LANGUAGES, language_of, language_of_shell, translations_of
from tilekeeper.engine.language import ENGLISH, gettext, gettext_noop, use_language

INTERRUPTED = 130
BROKEN_PIPE = 141

# What each command does, told here so that a list of them loads none of their modules.
COMMANDS = {
    "run": gettext_noop(
        "watch a table (camera, stream, video or photos) and show it on a page with the referee's decisions"
    ),
    "read": gettext_noop("read photos of a table: every tile, its place and the sets"),
    "adapt": gettext_noop("adapt the reader to your own set of tiles, from tiles that you corrected"),
    "judge": gettext_noop("judge a turn from the table before it and the table after it"),
    "arrange": gettext_noop("sort out a table, or find the turn that lays the most of a rack"),
    "score": gettext_noop("score rounds or a recorded game: the sheet, the totals, and whether plus equals minus"),
    "backup": gettext_noop("write all game nights and their pictures to one file"),
    "restore": gettext_noop("read game nights from a file that `tilekeeper backup` wrote"),
    "club": gettext_noop("run a tournament of many tables: rounds, disputes, standings; or write its certificates"),
    "rules": gettext_noop("list the editions, or the rules of one of them"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code, in the language of `--language` or of the shell.

    Args:
        argv: the words after the program's name; by default those of this process.
    """
    words, language = _without_language(list(sys.argv[1:] if argv is None else argv))
    _write_any_character()
    try:
        with _speaking(language):
            code = _dispatch(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # `tilekeeper read ... | head` has what it wants; whatever is still buffered has nowhere to go.
        _discard_output()
        return BROKEN_PIPE
    return code


def _without_language(words: list[str]) -> tuple[list[str], str]:
    """The words without `--language CODE`, which may stand anywhere, and the language that holds."""
    for at, word in enumerate(words):
        option, equals, code = word.partition("=")
        if option == "--language":
            taken = 1 if equals else 2
            named = code if equals else "".join(words[at + 1 : at + 2])
            # What names no language is left to argparse, which says so.
            if (language := language_of(named)) is not None:
                return words[:at] + words[at + taken :], language
    return words, language_of_shell(os.environ)


@contextmanager
def _speaking(language: str) -> Iterator[None]:
    """Speak a language, and let argparse, whose own sentences are in the same catalogues, speak it too."""
    translations, before = translations_of(language), (vars(argparse)["_"], vars(argparse)["ngettext"])
    # It takes the functions of the standard library, which would look for a catalogue that is not compressed.
    vars(argparse).update(_=translations.gettext, ngettext=translations.ngettext)
    try:
        with use_language(translations):
            yield
    finally:
        vars(argparse).update(_=before[0], ngettext=before[1])


def _dispatch(words: list[str]) -> int:
    command = next((word for word in words if not word.startswith("-")), None)
    try:
        module = _load(command) if command in COMMANDS else None
        args = _parse(words, command, module)
        if module is None:
            raise AssertionError("argparse lets no unknown command through")
        if not getattr(args, "json", False):
            return module.run(args)
        with use_language(ENGLISH):  # what scripts read is the same everywhere
            return module.run(args)
    except ImportError as error:
        advice = missing_library(error)
        if advice is None:
            raise
        print(f"tilekeeper: {advice}", file=sys.stderr)
        return 1
    except SystemExit as leaving:  # argparse leaves by itself after --help (0) and after a usage error (2)
        if leaving.code is None or isinstance(leaving.code, int):
            return leaving.code or 0
        print(leaving.code, file=sys.stderr)
        return 1


class _CommandModule(Protocol):
    """What the module of a command offers."""

    def add_parser(self, subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None: ...
    def run(self, args: argparse.Namespace) -> int: ...


def _load(command: str) -> _CommandModule:
    # A module of this package named in COMMANDS; its two functions are what the protocol asks for.
    return cast(_CommandModule, importlib.import_module(f"tilekeeper.companion.cli.{command}"))


def _parse(words: list[str], command: str | None, module: _CommandModule | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tilekeeper", description=gettext("A referee for a real Rummikub table."), allow_abbrev=False
    )
    parser.add_argument(
        "--language",
        choices=[*LANGUAGES],
        help=gettext("the language of what is printed (default: that of the shell)"),
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, title=gettext("commands"))
    for name, summary in COMMANDS.items():
        if module is not None and name == command:
            module.add_parser(subparsers)
        else:
            subparsers.add_parser(name, help=gettext(summary))
    return parser.parse_args(words)


def _write_any_character() -> None:
    """Let a terminal that can't show a character show its code instead of ending the program."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # standard output is no file of this process, so nothing is flushed at its end
        return
