"""Fixtures for all tests: real photos and external programs; and a summary of skipped tests at the end."""

import os
import shutil
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.scratch import IN_MEMORY

REPOSITORY = Path(__file__).parents[1]

# FFmpeg reads its log level when this process opens the first video, in any test.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")

# The many small databases of tests wait for every write on a disk.
if IN_MEMORY is not None:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", IN_MEMORY)

# Tests expect English, whatever the language of the shell.
os.environ["LANGUAGE"] = "en"

# No example has a deadline, since a busy machine is slow; CI uses the same examples every time.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("quick", deadline=None, max_examples=25)
settings.register_profile("long", deadline=None, max_examples=5000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def photos_folder() -> Path:
    """The folder of real photos (`photos.json` and `images/`), which is beside the checkout and not part of it."""
    folder = Path(os.environ.get("TILEKEEPER_PHOTOS", REPOSITORY.parent / "shared" / "photos"))
    if not (folder / "photos.json").is_file():
        pytest.skip("no real photos here; lay them in ../shared/photos or name their folder in TILEKEEPER_PHOTOS")
    return folder


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Debian's Chromium for Playwright; its headless build starts in half the time."""
    return shutil.which("chromium-headless-shell") or _program("chromium")


@pytest.fixture(scope="session")
def ffmpeg_path() -> str:
    """Debian's ffmpeg, for real streams and videos."""
    return _program("ffmpeg")


def _program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed; apt-get install {name}")
    return path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests as slow that use a browser, stream real video, listen on a port or read the real photos."""
    for item in items:
        if {"chromium_path", "ffmpeg_path", "photos_folder", "port"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import the tests of benches where all would be deselected, unless an argument names some of them."""
    if collection_path != REPOSITORY / "tests" / "benchmarks" or "not bench" not in config.option.markexpr:
        return None
    return None if any("benchmarks" in argument for argument in config.args) else True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print each reason for skipped tests once, at the end."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        places[reason.removeprefix("Skipped: ")].append(report.nodeid.split("::")[0])
    if not places:
        return
    terminalreporter.section("not tested here")
    for reason, files in sorted(places.items()):
        tests = "1 test" if len(files) == 1 else f"{len(files)} tests"
        terminalreporter.line(f"{tests} skipped: {reason} ({', '.join(sorted(set(files)))})")
