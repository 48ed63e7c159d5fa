"""`tilekeeper run` as a process: real videos, streams and folders as sources, and a clean end."""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.benchmarks.companion.app_process import AppProcess
from tests.benchmarks.companion.jpeg_stream import JpegStream
from tests.support.app_process import KNOWN_TABLES, REPOSITORY, running
from tests.support.judged_turns import JudgedTurns
from tests.support.known_tables import FILM_AFTER, FILM_BEFORE, MarkedTables, table_reading
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.capture.source_choice import ChosenSource
from tilekeeper.companion.cli import main, run
from tilekeeper.companion.cli.process_end import LONGEST_END_S
from tilekeeper.companion.messaging.shared_key import HUB_KEY
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.companion.web.api.extensions import AppParts
from tilekeeper.companion.web.server import Listening

pytestmark = pytest.mark.slow

SOON_S = 20
HANGS = "tests.support.run_and_hang"
FREES_SLOWLY = "tests.support.run_and_free_slowly"
ROOM_S = 3.0  # for a busy machine; without a time limit the end would take as long as the hanging camera and reader


def tilekeeper_run(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, with known tables instead of the networks."""
    command = [sys.executable, "-m", "tests.support.run_with_known_tables", *words]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=False)


def test_turn_in_a_video_is_judged(film_path: Path):
    with running("--source", str(film_path)) as app:
        assert app.greeting[1] == "Watching: game.mp4."
        app.until(lambda state: state["settled"] and state["reading"]["table"] == FILM_BEFORE)
        turns = JudgedTurns(app.post, lambda: app.state)
        turns.begin()
        app.until(lambda state: state["settled"] and state["reading"]["table"] == FILM_AFTER)
        verdict = turns.done()["verdict"]
        assert (verdict["kind"], [tile["text"] for tile in verdict["placed"]]) == ("legal", ["R6"])


def test_mjpeg_stream_is_watched(ffmpeg_path: str, film_path: Path):
    # The reader knows the film's first table by its mark.
    _, jpeg = cv2.imencode(".jpg", first_frame(film_path))
    stream = JpegStream(lambda _: jpeg.tobytes(), 10)
    try:
        with running("--source", stream.address) as app:
            state = app.until(lambda state: state["settled"])
            assert state["reading"]["table"] == FILM_BEFORE
            assert state["source"]["kind"] == "stream"
    finally:
        stream.close()


def test_photos_of_a_folder_are_shown_one_after_another(tmp_path: Path):
    tables = MarkedTables()
    cv2.imwrite(str(tmp_path / "table-9.jpg"), tables.picture(table_reading(FILM_BEFORE)))
    cv2.imwrite(str(tmp_path / "table-10.jpg"), tables.picture(table_reading(FILM_AFTER)))
    with running("--source", str(tmp_path)) as app:
        state = app.until(lambda state: state["settled"] and state["verdict"])
        assert (state["verdict"]["kind"], state["picture"]["name"]) == ("legal", "table-9.jpg")
        app.post("step", by=1)
        state = app.until(lambda state: state["settled"] and state["picture"]["name"] == "table-10.jpg")
        assert state["reading"]["table"] == FILM_AFTER


def test_app_ends_at_once_with_an_open_page_and_frees_its_port(film_path: Path):
    """Python would free each object at its end, which may take very long on a busy machine."""
    with running(KNOWN_TABLES, "--source", str(film_path), module=FREES_SLOWLY) as app:
        stream = urllib.request.urlopen(app.request("events"), timeout=10)
        stream.readline()
        started_s = time.monotonic()
        app.process.terminate()
        _, stderr = app.process.communicate(timeout=SOON_S)
        assert app.process.returncode == 0, stderr
        assert stderr == ""
        assert time.monotonic() - started_s < SOON_S / 2
        stream.close()
        with socket.socket() as second:
            second.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            second.bind(("127.0.0.1", app.port))


def test_app_with_a_hanging_reader_and_camera_ends_in_bounded_time(film_path: Path):
    """A reading takes a minute, and a camera sends nothing while its preview is requested."""
    with socket.socket() as silent, running("--source", str(film_path), module=HANGS) as app:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        app.until(lambda state: state["picture"])
        source = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        threading.Thread(target=previewed, args=(app, source), daemon=True).start()
        request, _ = silent.accept()
        with request:
            started_s = time.monotonic()
            app.process.terminate()
            assert app.process.wait(timeout=SOON_S) == 0
            assert time.monotonic() - started_s < LONGEST_END_S + ROOM_S


def test_app_ends_in_bounded_time_although_nobody_reads_what_it_writes():
    """A thread that waits for room in a full pipe holds the lock of the log."""
    program = """
import logging, threading, time
from tilekeeper.companion.cli.process_end import end_within
def write():
    while True:
        logging.warning("x" * 10_000)
threading.Thread(target=write, daemon=True).start()
time.sleep(0.3)
end_within(0.1)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", program], cwd=REPOSITORY, stderr=subprocess.PIPE) as process:
        assert process.wait(timeout=SOON_S) == 0


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        (("--source", "nowhere/game.mp4"), 1, "nowhere/game.mp4"),
        (("--source", "http://127.0.0.1:9/stream"), 1, "http://127.0.0.1:9/stream"),
        (("--source", str(Path(__file__))), 1, "test_run.py"),
        (("--rules", "chess"), 2, "large-numbers"),
        (("--port", "many"), 2, "'many' is not a port"),
        (("--port", "70000"), 2, "70000"),
        (("--hall", "mqtts://hall.local"), 2, "'mqtts://hall.local' is not a tournament address"),
        (("--hall", "nowhere/7.json"), 2, "nowhere/7.json can't be read"),
        (("--hall", "mqtts://hall.local/club"), 2, "Name this table with --table-id"),
        (("--hall", "mqtts://hall.local/club", "--table-id", "a/b"), 2, "Name this table with --table-id"),
        (("--hall", "mqtts://7:word@hall.local/club", "--table-id", "8"), 2, "card of table 7, not of table 8"),
        (("--table-id", "7"), 2, "Give the tournament of table 7 with --hall"),
        (
            ("--hall", "http://127.0.0.1:8650/club", "--table-id", "7"),
            2,
            "needs the key of the hub: set TILEKEEPER_HUB",
        ),
    ],
)
def test_impossible_start_is_refused_in_one_line(words, code, hint, capsys: pytest.CaptureFixture[str]):
    assert main(["run", *words]) == code
    lines = capsys.readouterr().err.splitlines()
    assert hint in lines[-1]
    if code == 1:
        assert len(lines) == 1


def test_source_that_is_still_opening_is_closed_after_a_refused_start(monkeypatch: pytest.MonkeyPatch):
    """The camera opens in parallel; a program that calls this goes on without it. Its process gets no key of a hub."""
    closed = threading.Event()
    keys: list[str | None] = []

    class Opened(NoSource):
        def close(self) -> None:
            closed.set()

    def choose(named: str, _: UserSettings) -> ChosenSource:
        time.sleep(0.3)  # as slow as a camera
        keys.append(os.environ.get(HUB_KEY))
        return ChosenSource(Opened(), named)

    monkeypatch.setattr("tilekeeper.companion.capture.source_choice.choose_source", choose)
    monkeypatch.setenv(HUB_KEY, "secret")
    assert main(["run", "--source", "0", "--table-id", "7"]) == 2
    assert closed.wait(SOON_S)
    assert keys == [None]


def test_browser_that_the_app_opens_gets_a_link_for_one_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Other users of the computer can read the browser's command line, and not what the app prints."""
    links: list[str] = []

    def serve(app: AppParts, listening: Listening, opened: str) -> None:
        app.close()
        listening.server.stop()
        key, opened_key = app.settings.host_key, opened.rpartition("/")[2]
        assert (key.opens(opened_key), key.opens(opened_key)) == (True, False)
        links.extend((key.link(listening.address), opened))

    monkeypatch.setattr("tilekeeper.vision.shipped.load_reader", lambda *_, **__: None)
    monkeypatch.setattr("tilekeeper.companion.session.observer.NetworkObserver", lambda _: MarkedTables())
    monkeypatch.setattr(run, "_serve_until_asked_to_end", serve)
    monkeypatch.setattr(run, "leave", lambda: 0)
    assert main(["run", "--source", "none", "--port", "0", "--data", str(tmp_path), "--open"]) == 0
    printed = capsys.readouterr().out
    assert [link in printed for link in links] == [True, False]


def test_taken_port_is_reported_in_one_line(film_path: Path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = tilekeeper_run("--source", str(film_path), "--port", str(port))
    assert done.returncode == 1
    assert (
        done.stderr
        == f"tilekeeper run: port {port} is taken; end the program that uses it, or give another port with --port\n"
    )


def previewed(app: AppProcess, source: str) -> None:
    """Request a preview that may never come."""
    request = app.request("api/sources/preview", {"source": source})
    with contextlib.suppress(OSError), urllib.request.urlopen(request) as answer:
        answer.read()


def first_frame(path: Path) -> np.ndarray:
    """Return the first frame of a film."""
    capture = cv2.VideoCapture(str(path))
    was_read, image = capture.read()
    capture.release()
    assert was_read
    return image


def test_tablet_joins_with_the_code(film_path: Path):
    with running("--source", "none", "--lan") as app:
        assert app.state["source"]["kind"] == "none"
        greeting = re.search(r"network: http://[\d.]+:\d+/ with the join code ([2-9A-Z]{9})$", app.greeting[1])
        # A machine without a network has no address for tablets.
        assert greeting is not None or "It watches" in app.greeting[1]
        with urllib.request.urlopen(app.request("api/access"), timeout=10) as answer:
            access = json.load(answer)
        assert access["you"]["host"] is True
        assert greeting is None or access["code"] == greeting[1]
        # Another user of this machine is not the host, and has no key.
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"{app.address}api/access", timeout=10)


def test_game_night_survives_a_restart_of_the_process(tmp_path: Path):
    words = ("--source", "none")
    with running(*words, data=tmp_path) as app:
        app.post("evenings", seats=[{"people": ["Ada"]}, {"people": ["Bo"]}], edition="large-numbers")
        app.post("evening/starter", revision=1, player=1)
        app.process.kill()
    # Other users of the computer read neither the join code nor pictures.
    assert [path for path in tmp_path.rglob("*") if path.stat().st_mode & 0o077] == []
    with running(*words, data=tmp_path) as app:
        evening = app.state["evening"]
        assert (evening["phase"], evening["starting"]["starter"], evening["revision"]) == ("deal", 1, 2)


@pytest.mark.parametrize(
    ("option", "variable"), [(("--hook", "file:///secret"), ""), ((), "http://lamp/a ftp://secret")]
)
def test_wrong_address_of_a_hook_ends_the_command_without_repeating_it(monkeypatch, capsys, option, variable):
    monkeypatch.setenv("TILEKEEPER_HOOKS", variable)
    assert main(["--language", "en", "run", "--source", "none", *option]) == 2
    printed = capsys.readouterr()
    assert "--hook takes an address such as" in printed.err
    assert "secret" not in printed.err


def test_hooks_of_options_and_of_the_environment_reach_the_app(monkeypatch, tmp_path):
    class Made(Exception):  # noqa: N818, it is no error
        pass

    def make(settings: Settings) -> None:
        raise Made(settings.hooks)

    monkeypatch.setenv("TILEKEEPER_HOOKS", "http://lamp/b https://bell/c")
    monkeypatch.setattr("tilekeeper.vision.shipped.load_reader", lambda *_: None)
    monkeypatch.setattr("tilekeeper.companion.web.app.create_app", make)
    with pytest.raises(Made) as made:
        main(["run", "--data", str(tmp_path), "--source", "none", "--hook", "http://lamp/a", "--hook", "http://lamp/b"])
    assert made.value.args == (("http://lamp/a", "http://lamp/b", "https://bell/c"),)
    assert "TILEKEEPER_HOOKS" not in os.environ  # processes that decode pictures would inherit it
