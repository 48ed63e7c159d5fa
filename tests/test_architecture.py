"""The architecture: directions of imports, the engine's dependencies, installed packages, and mirrored tests."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOMS = ("companion", "datasets", "engine", "models", "vision")
INSTALLED = ("companion", "engine", "vision")
MOST_LINES_OF_VISION = 8_910
"""Raise it only with a reason in the commit message: a new special case replaces an old one (CONTRIBUTING.md)."""


def sources(repository: Path, *rooms: str) -> Iterator[Path]:
    for room in rooms:
        yield from sorted((repository / room).rglob("*.py"))


def assemble(repository: Path, folder: Path) -> Path:
    """Return a copy of the sources in the layout of the package, into which a test can put files."""
    shutil.copytree(repository / "companion" / "tilekeeper", folder / "tilekeeper")
    for room in ROOMS:
        shutil.copytree(repository / room, folder / "tilekeeper" / room, ignore=_no_source)
    return folder


def _no_source(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if _is_no_source(Path(folder, name))}


def _is_no_source(path: Path) -> bool:
    return path.name == "node_modules" if path.is_dir() else path.suffix != ".py"


def lint_imports(repository: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--config", repository / "pyproject.toml", "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_imports_keep_their_direction(repository: Path, tmp_path: Path) -> None:
    """Each import contract in pyproject.toml is kept."""
    result = lint_imports(repository, assemble(repository, tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0 broken" in result.stdout


WRONG = (
    ("engine/tiles", "import tilekeeper.vision"),
    ("engine/tiles", "import numpy"),
    ("engine/tiles", "from tilekeeper.datasets import photos"),
    ("engine/tiles", "import tilekeeper.engine.rules.ruleset"),
    ("engine/provenance", "import tilekeeper.engine.judge.verdict"),
    ("engine/judge", "import tilekeeper.engine.solver.arrange"),
    ("engine/solver", "import tilekeeper.engine.game.events"),
    ("vision", "from tilekeeper.companion import cli"),
    ("vision", "import tilekeeper.models"),
    ("vision", "import tilekeeper.engine.rules.ruleset"),
    ("vision/runtime", "import tilekeeper.vision.recognition.classifier"),
    ("vision/scoring", "import tilekeeper.vision.tracking.tracker"),
    ("vision", "import torch"),
    ("companion", "import tilekeeper.datasets"),
    ("companion/cli", "import tilekeeper.models"),
    ("companion/observation", "import cv2"),
    ("companion/session", "import tilekeeper.companion.web.schemas.tiles"),
    ("companion/text", "import tilekeeper.companion.session.session"),
    ("companion/game_night", "import tilekeeper.companion.storage.store"),
    ("companion/web/schemas", "import tilekeeper.companion.web.api.endpoint"),
)
"""A package, and a module that nothing in it may import."""


@pytest.fixture(scope="module")
def wrong_imports(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report on a copy of the sources with every wrong import, each in a new file of its own."""
    folder = assemble(repository, tmp_path_factory.mktemp("planted"))
    for number, (room, statement) in enumerate(WRONG):
        (folder / "tilekeeper" / room / f"planted_{number:02}.py").write_text(f"{statement}\n")
    result = lint_imports(repository, folder)
    assert result.returncode == 1, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize("number", range(len(WRONG)), ids=[f"{room}: {statement}" for room, statement in WRONG])
def test_wrong_import_is_reported(number: int, wrong_imports: str) -> None:
    """The contracts report one wrong import in any package."""
    assert f".planted_{number:02} -> " in wrong_imports


def test_engine_imports_only_the_standard_library(repository: Path) -> None:
    """Files of the engine import only the engine and the standard library."""
    allowed = sys.stdlib_module_names | {"tilekeeper", "_typeshed"}  # the last one for type checkers only
    strangers = [
        f"{path.name}: {name}"
        for path in sources(repository, "engine")
        for node in ast.walk(ast.parse(path.read_text()))
        for name in imported(node)
        if name.split(".")[0] not in allowed or (name.startswith("tilekeeper.") and "engine" not in name)
    ]
    assert strangers == []


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or "."]
    return []


def test_packages_used_at_the_table_are_installed(repository: Path) -> None:
    """Packages used at the table are in pyproject.toml; of the training code only the networks are."""
    with (repository / "pyproject.toml").open("rb") as file:
        named = set(tomllib.load(file)["tool"]["setuptools"]["packages"])
    folders = {path.parent for path in sources(repository, *INSTALLED)}
    rooms = {".".join(folder.relative_to(repository).parts) for folder in folders}
    assert named == {"tilekeeper", "tilekeeper.models"} | {
        f"tilekeeper.{room}" for room in rooms if room != "companion.tilekeeper"
    }


def test_distribution_of_the_engine_is_that_of_the_app_without_the_rest(repository: Path) -> None:
    """It has the same version and the same packages of the engine, and needs no other distribution."""
    with (repository / "pyproject.toml").open("rb") as file:
        app = tomllib.load(file)
    with (repository / "engine" / "pyproject.toml").open("rb") as file:
        engine = tomllib.load(file)
    packages = [name for name in app["tool"]["setuptools"]["packages"] if name.startswith("tilekeeper.engine")]
    assert engine["tool"]["setuptools"]["packages"] == packages
    assert engine["project"]["version"] == app["project"]["version"]
    assert engine["project"]["dependencies"] == []


def test_paths_in_the_architecture_page_exist(repository: Path) -> None:
    """Each step of the diagrams and each path in the text is a file or a folder; the package may be left out."""
    text = (repository / "docs" / "architecture.md").read_text()
    named = set(re.findall(r"(?:<code>|`)(\w+/[\w/.]*)", text))
    assert len(named) > 20
    assert [
        path for path in named if not any((repository / room / path).exists() for room in ("", "companion", "vision"))
    ] == []


def test_each_source_file_has_a_docstring(repository: Path) -> None:
    """Every source file begins with a docstring."""
    silent = []
    for path in sources(repository, *ROOMS, "tests"):
        text = path.read_text()
        if text.strip() and ast.get_docstring(ast.parse(text)) is None:
            silent.append(path.relative_to(repository))
    assert silent == []


def test_vision_does_not_grow(repository: Path) -> None:
    """All files of `vision/` together have at most `MOST_LINES_OF_VISION` lines."""
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in sources(repository, "vision"))
    assert lines <= MOST_LINES_OF_VISION


def test_tests_mirror_the_tree(repository: Path) -> None:
    """Each test file is named after the source or folder that it tests, or is listed as one of several sources."""
    listed = (repository / "tests" / "of_several_sources.txt").read_text().splitlines()
    of_several = set()
    for room in ROOMS:
        for path in (repository / "tests" / room).rglob("test_*.py"):
            test = path.relative_to(repository / "tests")
            words, beside = test.stem.split("_")[1:], repository / test.parent
            names = ["_".join(words[:count]) for count in range(1, len(words) + 1)]
            if not any((beside / name).is_dir() or (beside / f"{name}.py").is_file() for name in names):
                of_several.add(str(test if beside.is_dir() else test.parent))
    assert sorted(of_several) == [line for line in listed if not line.startswith("#")]


@pytest.mark.parametrize(
    "lock",
    [f"requirements{kind}.txt" for kind in ("", "-test", "-bench", "-release", "-club")],
)
def test_lock_is_hashed_and_names_no_index(repository: Path, lock: str) -> None:
    """The lock pins every distribution with hashes, and names no package index."""
    lines = [line for line in (repository / lock).read_text().splitlines() if not line.lstrip().startswith("#")]
    pins = [line for line in lines if not line.startswith(" ")]
    assert pins
    assert all("==" in pin and pin.endswith("\\") for pin in pins)
    assert all(line.strip().startswith("--hash=sha256:") for line in lines if line.startswith(" "))


def test_locks_agree(repository: Path) -> None:
    """The test lock has every pin of those that people install, so tests run with the released versions."""

    def pins(lock: str) -> set[str]:
        return {line for line in (repository / lock).read_text().splitlines() if "==" in line}

    assert pins("requirements.txt") < pins("requirements-club.txt") < pins("requirements-test.txt")


def test_club_lock_has_what_a_hall_needs_and_is_looked_through_for_holes(repository: Path) -> None:
    """`make club` installs each distribution of the extra with hashes, and the audit of a release reads that lock."""
    with (repository / "pyproject.toml").open("rb") as file:
        extra = tomllib.load(file)["project"]["optional-dependencies"]["club"]
    lock = (repository / "requirements-club.txt").read_text()
    assert [name for name in extra if f"\n{re.split('[^a-z-]', name)[0]}==" not in lock] == []
    makefile = (repository / "Makefile").read_text()
    assert "--require-hashes --only-binary :all: -r requirements-club.txt" in makefile
    assert "pip-audit --disable-pip --require-hashes -r requirements-club.txt" in makefile


def test_pictures_from_outside_are_decoded_in_limited_processes(repository: Path) -> None:
    """Decoder, camera and film have processes with limits; `encoding` decodes what the app itself has encoded."""
    decodes = re.compile(r"\b(imdecode|imread|decode_photo|load_photo|VideoCapture)\(|\bImage\.open\(")
    found = {path.name for path in sources(repository, "companion") if decodes.search(path.read_text(encoding="utf-8"))}
    assert found == {"decoder.py", "video_capture.py", "time_lapse.py", "encoding.py"}


def test_no_text_names_a_package_that_is_not_published(repository: Path) -> None:
    """Whoever registers a name that a text tells people to install would be installed by them."""
    texts = [*sources(repository, "companion"), *repository.glob("*.md"), *(repository / "docs").rglob("*.md")]
    install_command = re.compile(r"(pipx?|uvx?|uv tool)( \w+)? (install |run )?['\"]?tilekeeper\b(?![/-])")
    assert [path.name for path in texts if install_command.search(path.read_text(encoding="utf-8"))] == []


def test_notice_names_every_dependency(repository: Path) -> None:
    """Each pinned distribution has a line with its licence in NOTICE."""
    lock = (repository / "requirements-test.txt").read_text().splitlines()
    pinned = {line.split("==")[0] for line in lock if "==" in line}
    listed = {
        line.split()[0].replace(".", "-") for line in (repository / "NOTICE").read_text().splitlines() if "  " in line
    }
    assert pinned - listed == set()
