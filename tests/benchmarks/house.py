"""Code metrics of each room: files, lines, public names, types, import cycles, complexity, size of the wheel.

    python -m tests.benchmarks.house [--before OTHER-CHECKOUT] [--docs docs] [--row "test time=9 min|4 min"]

With `--before` the table also has the figures of another checkout. `--row` adds a figure from elsewhere. `--docs`
writes the table to `house.md` in a folder.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOMS = ("engine", "vision", "companion", "models", "datasets", "tests")
PACKAGE = "tilekeeper."
CHECKOUT = Path(__file__).parents[2]


def main() -> None:
    """Print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="DIR", type=Path, help="another checkout to compare with")
    parser.add_argument("--docs", metavar="DIR", type=Path, help="write house.md there")
    parser.add_argument("--row", metavar="NAME=BEFORE|AFTER", action="append", default=[], help="one more line")
    args = parser.parse_args()
    now = figures_of(CHECKOUT)
    before = figures_of(args.before.resolve()) if args.before else {}
    lines = ["| figure | before | now |", "|---|---:|---:|"]
    lines += [f"| {name} | {before.get(name, '')} | {value} |" for name, value in now.items()]
    for row in args.row:
        name, _, values = row.partition("=")
        lines.append(f"| {name} | {' | '.join(values.split('|'))} |")
    table = "\n".join(lines) + "\n"
    if args.docs:
        head = "# The house in figures\n\nCounted by `python -m tests.benchmarks.house`.\n\n"
        (args.docs / "house.md").write_text(head + table, "utf-8")
    print(table)


def figures_of(root: Path) -> dict[str, str]:
    """Return all figures of a checkout as text, by name."""
    trees = {path: ast.parse(path.read_text("utf-8")) for path in _sources(root)}
    figures = {}
    for room in ROOMS:
        inside = {path: tree for path, tree in trees.items() if path.relative_to(root).parts[0] == room}
        lines = sum(len(path.read_text("utf-8").splitlines()) for path in inside)
        public = sum(len(_public_names(tree)) for tree in inside.values())
        figures[f"`{room}/`: files, lines, public names"] = f"{len(inside):,}, {lines:,}, {public:,}"
        kinds = np.sum([_kinds_of_lines(path.read_text("utf-8"), tree) for path, tree in inside.items()], axis=0)
        figures[f"`{room}/`: lines of code, of words, imports and blank"] = ", ".join(f"{count:,}" for count in kinds)
    rooms = {path: tree for path, tree in trees.items() if path.relative_to(root).parts[0] != "tests"}
    figures["largest folder, in files"] = _largest_folder(root, rooms)
    figures["pairs of packages that import each other"] = str(len(_circles(root, rooms)))
    figures["type errors (mypy --strict)"] = _type_errors(root)
    figures["most complex function"] = _worst_complexity(root)
    figures["wheel, MB"] = f"{_wheel_bytes(root) / 1e6:.1f}"
    return figures


def _sources(root: Path) -> Iterator[Path]:
    for room in ROOMS:
        yield from sorted((root / room).rglob("*.py"))


def _public_names(tree: ast.Module) -> set[str]:
    """Return the public classes, functions and constants of a module."""
    names = set()
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.Assign(targets=targets):
                names |= {target.id for target in targets if isinstance(target, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    return {name for name in names if not name.startswith("_")}


def _kinds_of_lines(text: str, tree: ast.Module) -> tuple[int, int, int]:
    """Return the numbers of lines of code, of docstrings and comments, and of imports and blank lines."""
    lines, words, rest = text.splitlines(), set[int](), set[int]()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                words |= set(range(node.lineno - 1, node.end_lineno or node.lineno))
            case ast.Import() | ast.ImportFrom() if node in tree.body:
                rest |= set(range(node.lineno - 1, node.end_lineno or node.lineno))
    rest |= {at for at, line in enumerate(lines) if not line.strip()} - words
    words |= {at for at, line in enumerate(lines) if line.strip().startswith("#")} - rest
    return len(lines) - len(words) - len(rest), len(words), len(rest)


def _largest_folder(root: Path, trees: dict[Path, ast.Module]) -> str:
    folders: defaultdict[Path, int] = defaultdict(int)
    for path in trees:
        folders[path.parent.relative_to(root)] += 1
    largest = max(folders, key=folders.__getitem__)
    return f"{folders[largest]} (`{largest}/`)"


def _circles(root: Path, trees: dict[Path, ast.Module]) -> set[frozenset[str]]:
    """Return pairs of folders that import each other, neither inside the other."""
    modules = {".".join(path.relative_to(root).with_suffix("").parts): path for path in trees}
    arrows = set()
    for path, tree in trees.items():
        here = path.parent.relative_to(root)
        for name in _imported(tree):
            target = modules.get(name) or modules.get(f"{name}.__init__")
            if target is not None:
                arrows.add((here, target.parent.relative_to(root)))
    return {
        frozenset((str(one), str(other)))
        for one, other in arrows
        if (other, one) in arrows and not one.is_relative_to(other) and not other.is_relative_to(one)
    }


def _imported(tree: ast.Module) -> Iterator[str]:
    """Return the imported modules of the project, without the prefix `tilekeeper.`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(PACKAGE):
            base = node.module.removeprefix(PACKAGE)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _type_errors(root: Path) -> str:
    """Return the errors of mypy in another checkout with the settings of this one."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder, "tilekeeper")
        package.mkdir()
        for source in ("__init__.py", "__main__.py"):
            (package / source).symlink_to(root / "companion" / "tilekeeper" / source)
        for room in ROOMS[:-1]:
            (package / room).symlink_to(root / room)
        settings = (CHECKOUT / "pyproject.toml").read_text("utf-8").replace("$MYPY_CONFIG_FILE_DIR/.packages", folder)
        config = Path(folder, "pyproject.toml")
        config.write_text(settings, "utf-8")
        command = [sys.executable, "-m", "mypy", "--config-file", config, "--cache-dir", Path(folder, "cache")]
        printed = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder).stdout
    found = re.search(r"Found (\d+) errors?|no issues found", printed)
    return (found[1] or "0") if found else "not counted"


def _worst_complexity(root: Path) -> str:
    """Return the highest cyclomatic complexity by ruff, without functions with a stated exception."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "C901", "--output-format", "json"]
    command += ["--config", "lint.mccabe.max-complexity=5", *(str(root / room) for room in ROOMS)]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    worst = max(found, key=_complexity, default=None)
    if worst is None:
        return "5 or less"
    name = worst["message"].split("`")[1]
    return f"{_complexity(worst)} (`{Path(worst['filename']).relative_to(root)}`, `{name}`)"


def _complexity(finding: dict[str, str]) -> int:
    return int(finding["message"].split("(")[1].split()[0])


def _wheel_bytes(root: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "sources")
        subprocess.run(["git", "clone", "--quiet", "--shared", root, copy], check=True)
        words = ["wheel", copy, "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder]
        subprocess.run([sys.executable, "-m", "pip", *words], check=True, capture_output=True)
        (wheel,) = Path(folder).glob("*.whl")
        return wheel.stat().st_size


if __name__ == "__main__":
    main()
