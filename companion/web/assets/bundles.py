"""Joins the page's modules into one script and its styles into one sheet, so that a page asks for few files."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"(\.[^"]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (\w+))", re.MULTILINE)
LEFT = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)
COMMENT = re.compile(r"^\s*(?:/\*\*(?:(?!\*/).)*\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
STYLE_COMMENT = re.compile(r"^\s*/\*(?:(?!\*/).)*\*/\n", re.MULTILINE | re.DOTALL)
URL = re.compile(r"url\((\.\./[\w./-]+)\)")


class Unbundled(ValueError):  # noqa: N818, the name says it
    """A module is written in a way that can't be joined with others; the message says which, and how."""


def join_scripts(folder: Path, entry: str) -> str:
    """One script of a module and of all that it imports, each before those that need it.

    Every module becomes a function that gives what it exports, so its own names stay its own. Modules import names
    (`import { make } from "./dom.js"`) and export declarations other than `let`; none may import itself in a circle.

    Args:
        folder: where the modules lie.
        entry: the path of the module in it, such as `game_night/main.js`.

    Raises:
        Unbundled: where a module imports or exports otherwise, or in a circle.
    """
    joined: dict[str, str] = {}
    _add_module(folder, entry, joined, ())
    return "const modules = {};\n" + "".join(joined.values())


def _add_module(folder: Path, path: str, joined: dict[str, str], importers: tuple[str, ...]) -> None:
    if path in importers:
        raise Unbundled(f"these modules import each other: {', '.join((*importers, path))}")
    if path in joined:
        return
    text = COMMENT.sub("", (folder / path).read_text("utf-8"))
    for _, address in IMPORT.findall(text):
        _add_module(folder, _beside(path, address), joined, (*importers, path))
    exported = EXPORT.findall(text)
    body = EXPORT.sub("", IMPORT.sub(lambda found: _taken(found[1], _beside(path, found[2])), text))
    if left := LEFT.search(body):
        raise Unbundled(f"{path}: can't be joined with other modules: {left[0]}")
    given = f"return {{ {', '.join(exported)} }};\n" if exported else ""
    joined[path] = f'modules["{path}"] = (() => {{\n{body}{given}}})();\n'


def _taken(names: str | None, path: str) -> str:
    if names is None:
        return ""
    return f'const {{ {" ".join(names.replace(" as ", ": ").split())} }} = modules["{path}"];'


def join_styles(folder: Path, names: Sequence[str], address: Callable[[str], str]) -> str:
    """One sheet of the styles of these names, in this order.

    Args:
        folder: where the styles lie.
        names: their files, without `.css`.
        address: gives the address of a file that they name by `url(../…)`, by its path beside the folder.
    """
    text = "".join((folder / f"{name}.css").read_text("utf-8") for name in names)
    return URL.sub(lambda found: f"url({address(found[1].removeprefix('../'))})", STYLE_COMMENT.sub("", text))


def _beside(path: str, address: str) -> str:
    """The path of a module that another names by its address."""
    parts: list[str] = []
    for part in (PurePosixPath(path).parent / address).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)
