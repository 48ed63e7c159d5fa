"""`tilekeeper run` as a process: real videos, streams and folders as sources, and a clean end."""

import json
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.companion.known_tables import FILM_AFTER, FILM_BEFORE, MarkedTables, table_reading
from tests.companion.running import REPOSITORY, free_port, running, wait_for_port

SOON_S = 20


def tilekeeper_run(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, with the known tables in place of the networks."""
    command = [sys.executable, "-m", "tests.companion.run_with_known_tables", *words]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=False)


def test_a_turn_in_a_film_is_judged(film_path: Path):
    with running("--source", str(film_path), "--port", "0") as app:
        assert app.greeting[1] == "It watches: game.mp4."
        app.until(lambda state: state["settled"] and state["reading"]["table"] == FILM_BEFORE)
        app.press("opened", opened=True)
        app.press("begin")
        app.until(lambda state: state["settled"] and state["reading"]["table"] == FILM_AFTER)
        verdict = app.press("done")["verdict"]
        assert (verdict["kind"], [tile["text"] for tile in verdict["placed"]]) == ("legal", ["R6"])


def test_a_real_mjpeg_stream_is_watched(ffmpeg_path: str, tmp_path: Path, film_path: Path):
    picture = tmp_path / "table.png"
    # The film's first table: the mark is what the reader knows it by.
    cv2.imwrite(str(picture), first_frame(film_path))
    port = free_port()
    words = ["-loglevel", "error", "-re", "-loop", "1", "-framerate", "10", "-i", str(picture)]
    stream = subprocess.Popen(
        [ffmpeg_path, *words, "-q:v", "3", "-f", "mpjpeg", "-listen", "1", f"http://127.0.0.1:{port}/stream"],
        stdin=subprocess.DEVNULL,
    )
    try:
        wait_for_port(port)
        with running("--source", f"http://127.0.0.1:{port}/stream", "--port", "0") as app:
            state = app.until(lambda state: state["settled"] and state["reading"])
            assert state["reading"]["table"] == FILM_BEFORE
            assert state["source"]["kind"] == "stream"
    finally:
        stream.terminate()
        stream.wait(timeout=10)


def test_a_folder_is_stepped_through(tmp_path: Path):
    tables = MarkedTables()
    cv2.imwrite(str(tmp_path / "table-9.jpg"), tables.picture(table_reading(FILM_BEFORE)))
    cv2.imwrite(str(tmp_path / "table-10.jpg"), tables.picture(table_reading(FILM_AFTER)))
    with running("--source", str(tmp_path), "--port", "0") as app:
        state = app.until(lambda state: state["settled"] and state["verdict"])
        assert (state["verdict"]["kind"], state["picture"]["name"]) == ("legal", "table-9.jpg")
        app.press("step", by=1)
        state = app.until(lambda state: state["settled"] and state["picture"]["name"] == "table-10.jpg")
        assert state["reading"]["table"] == FILM_AFTER


def test_it_ends_at_once_with_a_page_open_and_frees_its_port(film_path: Path):
    with running("--source", str(film_path), "--port", "0") as app:
        stream = urllib.request.urlopen(f"{app.address}events", timeout=10)
        stream.readline()
        started_s = time.monotonic()
        app.process.terminate()
        _, stderr = app.process.communicate(timeout=SOON_S)
        assert app.process.returncode == 0, stderr
        assert stderr == ""
        assert time.monotonic() - started_s < SOON_S / 2
        stream.close()
        with socket.socket() as again:
            again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            again.bind(("127.0.0.1", app.port))


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        (("--source", "nowhere/game.mp4"), 1, "nowhere/game.mp4"),
        (("--source", "http://127.0.0.1:9/stream"), 1, "http://127.0.0.1:9/stream"),
        (("--source", str(Path(__file__))), 1, "test_run_process.py"),
        (("--rules", "chess"), 2, "large-numbers"),
        (("--port", "many"), 2, "'many' is no port"),
        (("--port", "70000"), 2, "70000"),
    ],
)
def test_what_can_not_be_done_is_said_in_one_line(words, code, hint):
    done = tilekeeper_run(*words)
    assert done.returncode == code
    assert hint in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    if code == 1:
        assert len(done.stderr.splitlines()) == 1


def test_a_taken_port_is_said_in_one_line(film_path: Path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = tilekeeper_run("--source", str(film_path), "--port", str(port))
    assert done.returncode == 1
    assert done.stderr == f"tilekeeper run: port {port} is taken; end what runs there or give another with --port\n"


def first_frame(path: Path) -> np.ndarray:
    """The first picture of a film."""
    capture = cv2.VideoCapture(str(path))
    there, image = capture.read()
    capture.release()
    assert there
    return image


def test_tablets_are_let_in_with_a_code(film_path: Path):
    with running("--source", "none", "--port", "0", "--lan") as app:
        assert app.state()["source"]["kind"] == "none"
        told = re.search(r"network: http://[\d.]+:\d+/ with the join code ([2-9A-Z]{6})$", app.greeting[1])
        # A machine without a network has no address for others.
        assert told is not None or "It watches" in app.greeting[1]
        with urllib.request.urlopen(f"{app.address}api/access", timeout=10) as answer:
            access = json.load(answer)
        assert access["you"]["host"] is True
        assert told is None or access["code"] == told[1]


def test_an_evening_survives_the_end_of_the_process(tmp_path: Path):
    words = ("--source", "none", "--port", "0")
    with running(*words, data=tmp_path) as app:
        app.press("evenings", seats=[{"people": ["Ada"]}, {"people": ["Bo"]}], edition="large-numbers")
        app.press("evening/starter", revision=1, player=1)
        app.process.kill()
    with running(*words, data=tmp_path) as app:
        evening = app.state()["evening"]
        assert (evening["phase"], evening["starting"]["starter"], evening["revision"]) == ("deal", 1, 2)
