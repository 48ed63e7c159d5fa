"""`tilekeeper doctor`: each check by a machine that has the fault, and `tilekeeper` without a command."""

import json
import os
import socket
from collections import namedtuple
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tilekeeper.companion.capture import devices, source_choice
from tilekeeper.companion.capture.devices import Camera
from tilekeeper.companion.capture.sources import Frame, SourceUnavailable
from tilekeeper.companion.cli import doctor, main, run
from tilekeeper.companion.cli.doctor import Check, Status
from tilekeeper.companion.storage.certificates import Certificates
from tilekeeper.companion.web import server

NAMES = ["camera", "port", "disk", "clock", "certificate", "speed"]


@pytest.mark.slow
def test_sound_machine_passes_in_words_and_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is stored, and the JSON names the machine but no person."""
    monkeypatch.setattr(devices, "cameras", lambda: ())
    folder = tmp_path / "new"
    assert main(["doctor", "--json", "--data", str(folder)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [check["name"] for check in found["checks"]] == NAMES
    assert {"version", "python", "system", "machine", "cores"} < set(found)
    assert not folder.exists()
    monkeypatch.setattr(doctor, "check_speed", lambda: Check("speed", Status.GOOD, "fast"))
    assert main(["--language", "de", "doctor", "--data", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(NAMES)
    assert lines[0].startswith(" ! Kamera")


def test_fault_is_told_with_exit_code_1_and_the_other_checks_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> Check:
        raise RuntimeError("no such\nlibrary")

    monkeypatch.setattr(doctor, "check_camera", broken)
    monkeypatch.setattr(doctor, "check_speed", lambda: Check("speed", Status.GOOD, "Speed: fast."))
    assert main(["doctor", "--data", str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == " X camera: this check failed (RuntimeError: no such library)."
    assert lines[-1] == "ok Speed: fast."


class _FakeSource:
    name, trouble = "Camera 1", "its pictures are black"

    def __init__(self, frames: int) -> None:
        self.frames, self.closed = frames, False

    def read(self, timeout_s: float) -> Frame | None:
        return Frame(np.zeros((720, 1280, 3), np.uint8), 0.0, "", 0) if self.frames else None

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(("frames", "status", "word"), [(1, Status.GOOD, "1280 × 720"), (0, Status.WARNING, "black")])
def test_camera_must_deliver_a_picture(frames: int, status: Status, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first camera can't be opened; Windows and macOS list such ones."""
    source = _FakeSource(frames)

    def open_source(named: str) -> _FakeSource:
        if named == "0":
            raise SourceUnavailable("no camera")
        return source

    monkeypatch.setattr(devices, "cameras", lambda: (Camera("0", "Camera 0"), Camera("1", "Camera 1")))
    monkeypatch.setattr(source_choice, "open_source", open_source)
    monkeypatch.setattr(doctor, "_FIRST_PICTURE_S", 0.01)
    check = doctor.check_camera()
    assert (check.status, source.closed) == (status, True)
    assert word in check.text


def test_taken_port_is_a_warning_and_no_free_one_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(server, "DEFAULT_PORT", taken.getsockname()[1])
        assert doctor.check_port().status is Status.WARNING
        monkeypatch.setattr(server, "MORE_PORTS", 1)
        assert doctor.check_port().status is Status.FAULT


def test_full_disk_is_a_fault_and_a_nearly_full_one_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "free")
    for free_bytes, status in ((1e6, Status.FAULT), (1e9, Status.WARNING), (1e11, Status.GOOD)):
        monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _place, free=free_bytes: usage(free))
        assert doctor.check_disk(tmp_path / "not" / "yet").status is status


def test_folder_that_can_not_be_written_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(dir: Path) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(doctor, "tempfile", SimpleNamespace(TemporaryFile=refuse))
    assert "Read-only file system" in doctor.check_disk(tmp_path).text


def test_clock_before_the_files_of_the_evenings_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "evenings.sqlite3").touch()
    os.utime(tmp_path / "evenings.sqlite3", (2e9, 2e9))  # 2033
    written = datetime.fromtimestamp(2e9, UTC)
    assert doctor.check_clock(tmp_path, written - timedelta(days=2)).status is Status.FAULT
    assert doctor.check_clock(tmp_path, written).status is Status.GOOD
    assert doctor.check_clock(tmp_path / "none", datetime(1970, 1, 1, tzinfo=UTC)).status is Status.FAULT


def test_certificate_that_has_not_begun_is_a_warning(tmp_path: Path) -> None:
    """The check changes no certificate."""
    assert doctor.check_certificate(tmp_path / "https").text == "Certificate: none yet; --https makes one."
    assert not (tmp_path / "https").exists()
    for days, status in ((0, Status.GOOD), (400, Status.WARNING)):
        folder = tmp_path / str(days)
        Certificates(folder, ["localhost"], lambda days=days: datetime.now(UTC) + timedelta(days=days))
        before = [path.read_bytes() for path in sorted(folder.iterdir())]
        assert doctor.check_certificate(folder).status is status
        assert [path.read_bytes() for path in sorted(folder.iterdir())] == before


def test_command_without_words_starts_the_app_and_opens_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    monkeypatch.setattr(run, "run", lambda args: started.append((args.command, args.open)) or 0)
    assert main([]) == 0
    assert main(["run"]) == 0
    assert started == [("run", True), ("run", False)]


@pytest.mark.parametrize(
    ("system", "display", "opens"), [("linux", "", False), ("linux", ":0", True), ("darwin", "", True)]
)
def test_page_is_opened_only_on_a_screen(
    system: str, display: str, opens: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a server a browser for the terminal would take it over."""
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(run, "sys", SimpleNamespace(platform=system))
    monkeypatch.setattr(run.threading, "Thread", lambda target, args, **_: SimpleNamespace(start=lambda: target(*args)))
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.setenv(name, display)
    run.open_page("http://127.0.0.1:8645/")
    assert opened == ["http://127.0.0.1:8645/"] * opens
