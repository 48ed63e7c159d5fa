"""A bundler: joins the page's modules into one script and its styles into one sheet, so that a page loads few files.

A module that is imported only when it is needed (`await import("./menu.js")`) becomes a part of its own, together with
the modules that only such parts need.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"(\.[^"]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (\w+))", re.MULTILINE)
UNSUPPORTED = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)
COMMENT = re.compile(r"^\s*(?:/\*\*(?:(?!\*/).)*\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
STYLE_COMMENT = re.compile(r"^\s*/\*(?:(?!\*/).)*\*/\n", re.MULTILINE | re.DOTALL)
LATE_IMPORT = re.compile(r'(await|=>) import\("(\.[^"]+)"\)')
LOADER = """let failures = 0;
const later = async (path, address) => {
  if (modules[path]) return modules[path];
  try {
    (await import(failures ? `${address}?${failures}` : address)).default(modules, catalogue, later);
  } catch (error) {
    failures += 1;
    throw error;
  }
  return modules[path];
};
"""
"""Loads a part, which adds its modules and sentences to those of the page.

Browsers remember that an import has failed, so the next try has another address.
"""
URL = re.compile(r"url\((\.\./[\w./-]+)\)")


class Unbundled(ValueError):  # noqa: N818, the name says it
    """A module can't be bundled: its form of import or export is unsupported, or there is an import cycle."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a page's script that is loaded when it is needed."""

    path: str
    """The path of the module that is imported."""
    code: str
    """The code that adds the part's modules to those of the page."""

    def script(self, sentences: str) -> str:
        """Return the part as a script for `LOADER`, with its translations, a JSON object."""
        return (
            "export default (modules, catalogue, later) => {\n"
            f"Object.assign(catalogue, {sentences});\n{self.code}}};\n"
        )


def join_scripts(folder: Path, entry: str, store_part: Callable[[Part], str]) -> str:
    """Return one script that contains a module and all modules that it imports, imported modules first.

    Each module becomes a function that returns the module's exports, so that its other names stay private.
    Modules may import names (`import { make } from "./dom.js"`) and export declarations other than `let`, without
    import cycles.

    Args:
        folder: the folder of the modules.
        entry: the module's path in the folder, such as `game_night/main.js`.
        store_part: stores a part that is loaded late, and returns its address.

    Raises:
        Unbundled: if a module has another form of import or export, or an import cycle.
    """
    joined: dict[str, str] = {}
    _add_module(folder, entry, joined, ())
    loader = LOADER if any(LATE_IMPORT.search(text) for text in joined.values()) else ""
    return f"const modules = {{}};\n{loader}" + _with_addresses(folder, joined, {}, store_part)


def _with_addresses(
    folder: Path, joined: dict[str, str], known: dict[str, str], store_part: Callable[[Part], str]
) -> str:
    """Return the code of some modules, in which late imports have the addresses of their parts.

    `known`: the modules that are on the page before.
    """

    def load(path: str) -> str:
        part = dict(available)
        _add_module(folder, path, part, ())
        added = {name: _once(name, text) for name, text in part.items() if name not in available}
        address = store_part(Part(path, _with_addresses(folder, added, available, store_part)))
        return f'later("{path}", "{address}")'

    available = known | joined
    return "".join(
        LATE_IMPORT.sub(lambda match, name=name: f"{match[1]} {load(_resolve(name, match[2]))}", text)  # type: ignore[misc]
        for name, text in joined.items()
    )


def _once(path: str, text: str) -> str:
    """Return the code of a module that two parts may have."""
    start = f'modules["{path}"] '
    return f"{start}??{text.removeprefix(start)}"


def _add_module(folder: Path, path: str, joined: dict[str, str], importers: tuple[str, ...]) -> None:
    if path in importers:
        raise Unbundled(f"these modules import each other: {', '.join((*importers, path))}")
    if path in joined:
        return
    text = COMMENT.sub("", (folder / path).read_text("utf-8"))
    for _, address in IMPORT.findall(text):
        _add_module(folder, _resolve(path, address), joined, (*importers, path))
    exported = EXPORT.findall(text)
    body = EXPORT.sub("", IMPORT.sub(lambda match: _import_names(match[1], _resolve(path, match[2])), text))
    if unsupported := UNSUPPORTED.search(body):
        raise Unbundled(f"{path}: can't be joined with other modules: {unsupported[0]}")
    exports = f"return {{ {', '.join(exported)} }};\n" if exported else ""
    joined[path] = f'modules["{path}"] = (() => {{\n{body}{exports}}})();\n'


def _import_names(names: str | None, path: str) -> str:
    if names is None:
        return ""
    return f'const {{ {" ".join(names.replace(" as ", ": ").split())} }} = modules["{path}"];'


def join_styles(folder: Path, names: Sequence[str], address: Callable[[str], str]) -> str:
    """Return one style sheet that joins several, in the order of `names`.

    Args:
        folder: the folder of the styles.
        names: their file names without `.css`.
        address: returns the address of a file by its path in `static`, for each `url(../…)`.
    """
    text = "".join((folder / f"{name}.css").read_text("utf-8") for name in names)
    return URL.sub(lambda match: f"url({address(match[1].removeprefix('../'))})", STYLE_COMMENT.sub("", text))


def _resolve(path: str, address: str) -> str:
    """Resolve a relative import: return the path of the module that the module at `path` imports by `address`."""
    parts: list[str] = []
    for part in (PurePosixPath(path).parent / address).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)
