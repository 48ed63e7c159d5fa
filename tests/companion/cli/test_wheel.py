"""An installed wheel is small, contains only packages used at the table, and works from any folder."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tilekeeper.engine import Dealt, Game, GameStarted, StarterChosen, Table, TilesLaid

pytestmark = pytest.mark.slow

ROOMS = ("companion", "datasets", "engine", "models", "vision")
MOST_BYTES = 5_300_000
NOT_AT_THE_TABLE = ("datasets", "models/training", "models/calibration", "models/evaluation", "models/export")
"""Folders of `tilekeeper` that only a checkout has: training, fitting, the renderer."""


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the sources, so that it contains no leftovers of earlier builds."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "sources"
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(repository / name, copy)
    for room in ROOMS:
        shutil.copytree(repository / room, copy / room, ignore=shutil.ignore_patterns("__pycache__"))
    pip("wheel", str(copy), "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder))
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of a new environment with the wheel; it borrows the dependencies of this environment."""
    environment = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    pip("--python", str(python), "install", "--no-deps", "--no-index", str(wheel))
    # A path from a .pth file is searched last, and the .pth files in it (the checkout's own among them) are not read.
    purelib = Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))
    (purelib / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return environment / "bin"


def pip(*words: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_wheel_installs_only_into_its_own_package(wheel: Path) -> None:
    """The top level of site-packages gets `tilekeeper` and the metadata, and no tests."""
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"tilekeeper"}
    assert len(tops) == 2
    assert not [name for name in names if "/tests/" in name or "__pycache__" in name or "/root/" in name]
    assert [name for name in names if name.endswith("licenses/NOTICE")]


def test_wheel_has_only_packages_that_run_at_the_table(wheel: Path) -> None:
    """It contains no training code, renderer, glyphs, benchmarks or weights for training."""
    assert wheel.stat().st_size <= MOST_BYTES
    names = zipfile.ZipFile(wheel).namelist()
    folders = tuple(f"tilekeeper/{folder}/" for folder in NOT_AT_THE_TABLE)
    assert [name for name in names if name.startswith(folders)] == []
    assert [name for name in names if name.endswith((".pt", "glyphs.npz")) or "bench" in name] == []


def test_wheel_has_all_data(wheel: Path, repository: Path) -> None:
    """Each data file of a package in the checkout is in the wheel."""
    names = set(zipfile.ZipFile(wheel).namelist())
    data = [
        *(repository / "models").glob("*.onnx"),
        *(repository / "models").glob("manifest.json"),
        *(repository / "models").glob("*.npz"),
        *(
            path
            for folder in ("web/templates", "web/static", "capture/demo")
            for path in (repository / "companion" / folder).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        ),
    ]
    assert data
    assert {f"tilekeeper/{path.relative_to(repository)}" for path in data} - names == set()


def test_installed_commands_work_from_any_folder(installed: Path, tmp_path: Path) -> None:
    """Both entry points judge a turn with the installed files."""
    words = ["judge", "--rules", "large-numbers", "--before", "", "--after", "R10 B10 K10", "--json"]
    results = [
        subprocess.run(command + words, cwd=tmp_path, capture_output=True, text=True, check=False)
        for command in ([str(installed / "tilekeeper")], [str(installed / "python"), "-m", "tilekeeper"])
    ]
    assert [result.returncode for result in results] == [0, 0], results
    assert results[0].stdout == results[1].stdout
    where = subprocess.run(
        [installed / "python", "-c", "import tilekeeper.engine as it; print(it.__file__)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(where.stdout.strip()).is_relative_to(installed.parent)


def test_programs_that_import_the_wheel_get_types(installed: Path, repository: Path, tmp_path: Path) -> None:
    """A program on the engine, and the one in the docs, pass `mypy --strict` against the wheel, and run."""
    docs = (repository / "docs" / "engine.md").read_text(encoding="utf-8")
    (tmp_path / "twenty_lines.py").write_text(docs.split("```python\n")[1].split("```")[0], encoding="utf-8")
    shutil.copy(repository / "tests" / "support" / "coach.py", tmp_path)
    game = Game.start(GameStarted(("Ada", "Bo"), "large-numbers")).record(StarterChosen(0)).record(Dealt())
    (tmp_path / "game.jsonl").write_text(game.record(TilesLaid(Table("K10 B10 O10"))).format(), encoding="utf-8")
    clean = {name: value for name, value in os.environ.items() if name not in ("MYPYPATH", "PYTHONPATH")}
    for words in (
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--python-executable", installed / "python", "."],
        [installed / "python", "-I", "coach.py", "game.jsonl"],
        [installed / "python", "-I", "twenty_lines.py"],
    ):
        result = subprocess.run(words, cwd=tmp_path, env=clean, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("command", ["judge", "read", "rules", "adapt"])
def test_installed_command_explains_itself(installed: Path, tmp_path: Path, command: str) -> None:
    """Each command imports all that it needs from the installed files."""
    words = [installed / "tilekeeper", command, "--help"]
    result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"usage: tilekeeper {command}")


def test_installed_doctor_reports_on_each_part_of_the_machine(installed: Path, tmp_path: Path) -> None:
    """It finds the recording and the networks of the wheel; its JSON is in English."""
    words = [installed / "tilekeeper", "--language", "de", "doctor", "--json", "--data", tmp_path]
    result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    checks = {check["name"]: check for check in json.loads(result.stdout)["checks"]}
    assert list(checks) == ["camera", "port", "disk", "clock", "certificate", "speed"], result.stderr
    assert checks["speed"]["status"] != "fault", checks
    assert checks["clock"]["text"].startswith("Clock: ")


def test_installed_app_serves_its_page(installed: Path, repository: Path, tmp_path: Path) -> None:
    """Without a camera the installed app plays the demo recording of the wheel, and serves its page and files."""
    if not (repository / "models" / "manifest.json").is_file():
        pytest.skip("the networks are not in models/; train and export them")
    if list(Path("/dev").glob("video*")):
        pytest.skip("there is a camera here, which the app would watch instead of the recorded table")
    command = [installed / "tilekeeper", "run", "--port", "0"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            first = process.stdout.readline()
            assert "http://127.0.0.1:" in first, process.communicate(timeout=10)
            address = first.split()[-1].partition("host/")[0]
            with urllib.request.urlopen(address, timeout=20) as answer:
                page = answer.read().decode()
            watched = process.stdout.readline()
        finally:
            process.terminate()
            _, errors = process.communicate(timeout=30)
    assert "<html" in page
    assert "recorded table" in watched
    assert (process.returncode, errors) == (0, "")
