"""The command line: each command in a module of its own that is imported only when the command is called.

Exit codes that hold for every command: 0 all well, 1 the answer is no or something could not be read or opened,
2 the words on the command line could not be understood, 130 interrupted by Ctrl+C, 141 whoever read the output left.
A command's module offers `add_parser(subparsers)`, which describes its options, and `run(args) -> int`.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Protocol, cast

from tilekeeper import __version__
from tilekeeper.companion.cli.missing_library import missing_library

INTERRUPTED = 130
BROKEN_PIPE = 141

# What each command does, told here so that a list of them loads none of their modules.
COMMANDS = {
    "run": "watch a table (camera, stream, video or photos) and show it on a page with the referee's verdicts",
    "read": "read photos of a table: every tile, its place and the melds",
    "adapt": "refit the reader to your own set of tiles, from tiles that you corrected",
    "judge": "judge a turn from the table before it and the table after it",
    "arrange": "untangle a table, or find the most that a rack can lay on it",
    "score": "score rounds or a recorded game: the sheet, the totals, and whether plus equals minus",
    "backup": "write all evenings and their pictures to one file",
    "restore": "read evenings from a file that `tilekeeper backup` has written",
    "rules": "list the editions, or the rules of one of them",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        argv: the words after the program's name; by default those of this process.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    _write_any_character()
    try:
        code = _dispatch(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # `tilekeeper read ... | head` has what it wants; whatever is still buffered has nowhere to go.
        _discard_output()
        return BROKEN_PIPE
    return code


def _dispatch(words: list[str]) -> int:
    command = next((word for word in words if not word.startswith("-")), None)
    try:
        module = _load(command) if command in COMMANDS else None
        args = _parse(words, command, module)
        if module is None:
            raise AssertionError("argparse lets no unknown command through")
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
        prog="tilekeeper", description="A referee for a real Rummikub table.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, title="commands")
    for name, summary in COMMANDS.items():
        if module is not None and name == command:
            module.add_parser(subparsers)
        else:
            subparsers.add_parser(name, help=summary)
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
