"""Table processes of one machine: started, restarted after a crash, adopted by the next hub, stopped with it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.notices import newest_notices, notice_words
from tilekeeper.companion.hub.table_processes import TableProcess, TableProcesses

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc"),
]

WAITS = "import sys, time; time.sleep(60)"


def wait_for(what: Callable[[], object], seconds: float = 20) -> None:
    until_s = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until_s, "the condition did not hold in time"
        time.sleep(0.05)


def table(folder: Path, program: str = WAITS) -> TableProcess:
    """A table whose process runs a program of the test."""
    one = TableProcess("1", "camera-2", folder, "http://127.0.0.1:8650/club", ["--port", "8661"])
    one.command = [sys.executable, "-c", program, str(folder)]
    return one


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """The hub's database."""
    opened = Database(f"sqlite:///{tmp_path}/club.sqlite3")
    yield opened
    opened.close()


def test_table_is_started_with_its_source_and_options(tmp_path: Path) -> None:
    """camera-2 becomes camera 2; any other source is passed on unchanged."""
    one = TableProcess("1", "camera-2", tmp_path, "http://127.0.0.1:8650/club", ["--lan"])
    assert one.command[1:6] == ["-m", "tilekeeper", "run", "--source", "1"]
    assert one.command[6:] == [
        *("--hall", "http://127.0.0.1:8650/club", "--table-id", "1", "--data", str(tmp_path), "--lan")
    ]
    assert TableProcess("1", "rtsp://x/camera-2", tmp_path, "", []).command[5] == "rtsp://x/camera-2"


def test_crashed_table_is_restarted(tmp_path: Path, database: Database) -> None:
    """A notice tells the organiser; no process is left running at the end."""
    one = table(tmp_path / "table-1")
    tables = TableProcesses([one], database)
    tables.start()
    wait_for(lambda: one.pid)
    first = one.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: one.pid not in (None, first))
    second = one.pid
    tables.close()
    with database.reading() as session:
        (notice,) = newest_notices(session)
        assert notice_words(notice).startswith("Table 1 was finished and was started again: it stopped with code -9")
    assert one.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(second or 0, 0)


def test_table_that_keeps_crashing_is_restarted_after_a_delay(tmp_path: Path, database: Database) -> None:
    """It is restarted after a delay, and other tables do not wait for it."""
    broken, sound = table(tmp_path / "broken", "raise SystemExit(3)"), table(tmp_path / "sound")
    tables = TableProcesses([broken, sound], database)
    tables.start()
    wait_for(lambda: sound.pid and broken.ended == 3)
    time.sleep(2)
    assert (tmp_path / "broken" / "log.txt").exists()
    tables.close()
    with database.reading() as session:
        assert sum(row.times for row in newest_notices(session)) <= 3


def test_next_hub_adopts_running_tables(tmp_path: Path) -> None:
    """A table process that survived its hub continues, and no second one is started."""
    first = table(tmp_path / "table-1")
    first.ensure_running()
    second = table(tmp_path / "table-1")
    second.ensure_running()
    assert second.pid == first.pid is not None
    first.end()
    first.wait(time.monotonic() + 20)
    assert first.pid is second.pid is None


def test_process_that_got_the_number_of_an_ended_table_is_left_alone(tmp_path: Path) -> None:
    """Its command line even names the folder, such as that of a program that shows the table's log."""
    folder = tmp_path / "1"
    folder.mkdir()
    table = TableProcess("1", "none", folder, "http://127.0.0.1:9/club", ())
    with subprocess.Popen([sys.executable, "-c", "input()", str(folder)], stdin=subprocess.PIPE) as other:
        for words in (f"{other.pid}", f"{other.pid} another-start 12345"):
            (folder / "pid").write_text(words)
            assert table.pid is None
            table.end()
            table.wait(0.0)
            assert other.poll() is None
        other.communicate(b"\n")
