"""Checks wheels and an sdist as a user installs them: in a new environment, with the pinned requirements.

    python -m tests.support.check_release dist/tilekeeper-1.0.0-py3-none-any.whl dist/tilekeeper-1.0.0.tar.gz

For each file: install it, ask for the version, read a photo, and start and end `tilekeeper run`. A wheel of the engine
alone is installed in an environment without anything else, and runs the programs of docs/engine.md. Prints one line
per file, or says what failed and ends with exit code 1.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Sequence
from pathlib import Path

import cv2

from tilekeeper import __version__
from tilekeeper.companion.capture.source_choice import demo_path

REPOSITORY = Path(__file__).parents[2]
TABLE_FRAME = 3
"""The first frame of the demo film at which the table has settled."""
LEAST_TILES = 20
"""The table of that frame has 23 tiles."""
WITHIN_S = 120
ENGINE = "tilekeeper_engine-"
"""The beginning of the name of a wheel of the engine alone."""


class CheckFailed(Exception):  # noqa: N818, the name says it
    """A check of a release that failed."""


def main(files: Sequence[str]) -> int:
    """Check the files one after another in one new environment; return the exit code."""
    paths = list(map(Path, files))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        photo = _save_photo(folder / "photo.png")
        try:
            for file in [path for path in paths if path.name.startswith(ENGINE)]:
                programs = _check_engine(file, folder)
                print(f"{file.name}, {file.stat().st_size / 1e6:.2f} MB: installs alone, runs {programs} programs")
            python = _new_environment(folder / "environment")
            for file in [path for path in paths if not path.name.startswith(ENGINE)]:
                pip(python, "install", "--no-deps", "--no-build-isolation", "--force-reinstall", str(file.resolve()))
                tiles = _check(python.with_name("tilekeeper"), photo, folder)
                print(f"{file.name}, {file.stat().st_size / 1e6:.2f} MB: installs, reads {tiles} tiles, runs and ends")
        except CheckFailed as error:
            print(f"The release is not good: {error}", file=sys.stderr)
            return 1
    return 0


def _save_photo(path: Path) -> Path:
    film = cv2.VideoCapture(str(demo_path()))
    for _ in range(TABLE_FRAME):
        film.grab()
    cv2.imwrite(str(path), film.read()[1])
    return path


def _new_environment(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    pip(python, "install", "--require-hashes", "--only-binary", ":all:", "-r", str(REPOSITORY / "requirements.txt"))
    return python


def _check_engine(wheel: Path, folder: Path) -> int:
    """Install the engine without anything else and run the programs of its page; return their number."""
    environment = folder / "engine"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    pip(python, "install", "--no-index", str(wheel.resolve()))
    where = "import tilekeeper.engine, pathlib; print(pathlib.Path(tilekeeper.engine.__file__).parent)"
    package = Path(_run([str(python), "-c", where], folder).strip())
    if environment not in package.parents or not (package / "py.typed").exists():
        raise CheckFailed(f"the engine is imported from {package}, or is not marked as typed")
    page = (REPOSITORY / "docs" / "engine.md").read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```\n+```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    for program, expected in programs:
        if (printed := _run([str(python), "-c", program], folder)) != expected:
            raise CheckFailed(f"a program of docs/engine.md prints {printed}")
    return len(programs)


def pip(python: Path, *words: str) -> None:
    """Run pip of an environment; raises `CheckFailed`."""
    _run([str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet", *words], python.parent, 900)


def _check(tilekeeper: Path, photo: Path, folder: Path) -> int:
    """Ask for the version, read a photo, and serve a page; return the number of tiles on the photo."""
    version = _run([str(tilekeeper), "--version"], folder)
    if version.split() != ["tilekeeper", __version__]:
        raise CheckFailed(f"the version is {version.strip()}, not {__version__}")
    (read,) = json.loads(_run([str(tilekeeper), "read", "--json", str(photo)], folder))["photos"]
    if read["status"] != "ok" or len(read["tiles"]) < LEAST_TILES:
        raise CheckFailed(f"the photo is read as {read['status']}, with {len(read['tiles'])} tiles")
    _start_and_end(tilekeeper, folder)
    return len(read["tiles"])


def _start_and_end(tilekeeper: Path, folder: Path) -> None:
    command = [str(tilekeeper), "run", "--source", "none", "--port", "0", "--data", str(folder / "data")]
    with subprocess.Popen(
        command, cwd=folder, env=_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            words = process.stdout.readline().split()
            if not words:
                raise CheckFailed(f"the app does not start: {process.communicate(timeout=WITHIN_S)[1].strip()}")
            with urllib.request.urlopen(words[-1].partition("host/")[0], timeout=WITHIN_S) as answer:
                page = answer.read().decode("utf-8")
        finally:
            process.terminate()
        errors = process.communicate(timeout=WITHIN_S)[1].strip()
    if "<html" not in page or process.returncode != 0 or errors:
        raise CheckFailed(f"the app serves no page, or ends with {process.returncode}: {errors}")


def _run(words: Sequence[str], folder: Path, within_s: float = WITHIN_S) -> str:
    result = subprocess.run(
        words, cwd=folder, env=_environment(), capture_output=True, text=True, check=False, timeout=within_s
    )
    if result.returncode != 0:
        raise CheckFailed(
            f"{' '.join(words)} ends with {result.returncode}: {(result.stderr or result.stdout).strip()}"
        )
    return result.stdout


def _environment() -> dict[str, str]:
    """Return this process's environment without variables that would make Python import from the checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | {"LANGUAGE": "en", "PYTHONUNBUFFERED": "1"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
