"""The command line; each command has a module, which is imported only if the command is called.

Exit codes of all commands: 0 success, 1 the answer is no or something could not be read or opened, 2 wrong arguments,
130 interrupted by Ctrl+C, 141 the output was closed by its reader (broken pipe). A command's module has
`add_parser(subparsers)`, which describes its options, and `run(args) -> int`.
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

# The summaries are here and not in the commands' modules, so that the list of commands imports none of them.
COMMANDS = {
    "run": gettext_noop(
        "watch a table (camera, stream, video or photos) and show it on a page with the referee's decisions"
    ),
    "doctor": gettext_noop("check the camera, port, disk, clock, https certificate and speed of this machine"),
    "read": gettext_noop("read photos of a table: every tile, its place and the sets"),
    "adapt": gettext_noop("adapt the reader to your own tiles, with tiles that you corrected"),
    "judge": gettext_noop("judge a turn from the table before it and the table after it"),
    "arrange": gettext_noop("arrange a table, or find the turn that lays the most tiles of a rack"),
    "score": gettext_noop(
        "score rounds or a recorded game: print the score sheet and totals, and check that plus and minus points are "
        "equal"
    ),
    "backup": gettext_noop("write all game nights and their pictures to one file"),
    "restore": gettext_noop("read game nights from a file that `tilekeeper backup` wrote"),
    "club": gettext_noop(
        "run a tournament of many tables: rounds, disputes, standings; or make the security files for its network"
    ),
    "rules": gettext_noop("list the editions, or the rules of one edition"),
}

WITHOUT_COMMAND = ("run", "--open")
"""The arguments that are used if there are none, for example after a double click on the program."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command in the language of `--language` or of the shell, and return its exit code.

    Args:
        argv: the arguments after the program's name; by default those of this process.
    """
    words, language = _split_language(list(sys.argv[1:] if argv is None else argv))
    _escape_unprintable_characters()
    try:
        with _use_language(language):
            code = _dispatch(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # For example `tilekeeper read ... | head`: discard the rest of the output.
        _discard_output()
        return BROKEN_PIPE
    return code


def _split_language(words: list[str]) -> tuple[list[str], str]:
    """Return the arguments without `--language CODE`, which may be anywhere, and the language code to use."""
    for at, word in enumerate(words):
        option, equals, code = word.partition("=")
        if option == "--language":
            count = 1 if equals else 2
            value = code if equals else "".join(words[at + 1 : at + 2])
            # Argparse reports an unknown language.
            if (language := language_of(value)) is not None:
                return words[:at] + words[at + count :], language
    return words, language_of_shell(os.environ)


@contextmanager
def _use_language(language: str) -> Iterator[None]:
    """Use a language while the context is open, also for argparse's own sentences (from the same catalogues)."""
    translations, before = translations_of(language), (vars(argparse)["_"], vars(argparse)["ngettext"])
    # By default argparse uses functions of the standard library, which can't read a compressed catalogue.
    vars(argparse).update(_=translations.gettext, ngettext=translations.ngettext)
    try:
        with use_language(translations):
            yield
    finally:
        vars(argparse).update(_=before[0], ngettext=before[1])


def _dispatch(words: list[str]) -> int:
    words = words or list(WITHOUT_COMMAND)
    command = next((word for word in words if not word.startswith("-")), None)
    try:
        module = _load(command) if command in COMMANDS else None
        args = _parse(words, command, module)
        if module is None:
            raise AssertionError("argparse lets no unknown command through")
        if not getattr(args, "json", False):
            return module.run(args)
        with use_language(ENGLISH):  # output for scripts is the same in all languages
            return module.run(args)
    except ImportError as error:
        advice = missing_library(error)
        if advice is None:
            raise
        print(f"tilekeeper: {advice}", file=sys.stderr)
        return 1
    except SystemExit as exit_request:  # argparse exits by itself after --help (0) and after a usage error (2)
        if exit_request.code is None or isinstance(exit_request.code, int):
            return exit_request.code or 0
        print(exit_request.code, file=sys.stderr)
        return 1


class _CommandModule(Protocol):
    """The functions of a command's module."""

    def add_parser(self, subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None: ...
    def run(self, args: argparse.Namespace) -> int: ...


def _load(command: str) -> _CommandModule:
    # `command` is a key of COMMANDS, and its module has the two functions of the protocol.
    return cast(_CommandModule, importlib.import_module(f"tilekeeper.companion.cli.{command}"))


def _parse(words: list[str], command: str | None, module: _CommandModule | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tilekeeper", description=gettext("A referee for a real Rummikub table."), allow_abbrev=False
    )
    parser.add_argument(
        "--language",
        choices=[*LANGUAGES],
        help=gettext("the language of the output (default: that of the shell)"),
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, title=gettext("commands"))
    for name, summary in COMMANDS.items():
        if module is not None and name == command:
            module.add_parser(subparsers)
        else:
            subparsers.add_parser(name, help=gettext(summary))
    return parser.parse_args(words)


def _escape_unprintable_characters() -> None:
    """Print characters that the terminal's encoding lacks as escape sequences, instead of raising an error."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # standard output is not a file, so nothing is flushed at exit
        return
