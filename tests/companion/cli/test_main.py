"""The command line as a whole: help, version, exit codes, lazy imports, and a missing system library."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tilekeeper import __version__
from tilekeeper.companion.cli import COMMANDS, main
from tilekeeper.companion.cli.missing_library import missing_library

pytestmark = pytest.mark.slow

JUDGE = ("judge", "--rules", "large-numbers", "--before", "R3 R4 R5", "--after", "R3 R4 R5 | K7 B7 O7", "--opened")


def tilekeeper(*words: str, before: str = "", **options: object) -> subprocess.CompletedProcess[str]:
    """Run the command in a new Python process, after the statements `before`."""
    program = f"{before}\nimport sys\nfrom tilekeeper.companion.cli import main\nsys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, timeout=60, check=False, **options
    )


def test_version_option_prints_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    """It prints the version of the distribution and exits with 0."""
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tilekeeper {__version__}\n"


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Each command is listed once with a description."""
    assert main(["--help"]) == 0
    words = capsys.readouterr().out.split()
    assert set(COMMANDS) <= set(words)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_help_of_each_command_lists_its_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It describes the command's options."""
    assert main([command, "--help"]) == 0
    assert f"usage: tilekeeper {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "word"),
    [
        (["raed"], "raed"),
        (["--colour"], "COMMAND"),
        (["read"], "PHOTO"),
        (["read", "photo.jpg", "--jsno"], "--jsno"),
        (["judge", "--befour", "R3 R4 R5"], "--before"),
        (["run", "--port", "many"], "--port"),
    ],
)
def test_wrong_arguments_exit_with_2(words: list[str], word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the wrong argument; standard output is empty."""
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert word in captured.err
    assert "Traceback" not in captured.err


def test_module_and_command_give_the_same_output() -> None:
    """`python -m tilekeeper` does what `tilekeeper` does."""
    by_module, by_command = (
        subprocess.run([*command, *JUDGE], capture_output=True, text=True, check=False)
        for command in ([sys.executable, "-m", "tilekeeper"], [Path(sys.executable).with_name("tilekeeper")])
    )
    assert (by_module.returncode, by_module.stdout) == (by_command.returncode, by_command.stdout)
    assert by_module.returncode == 0


@pytest.mark.parametrize("words", [JUDGE, ("--help",), ("read", "--help")], ids=["judge", "help", "read-help"])
def test_commands_for_rules_import_no_vision(words: tuple[str, ...]) -> None:
    """Commands for the rules do not import OpenCV, ONNX Runtime or Flask."""
    report = "import atexit, sys\natexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))"
    result = tilekeeper(*words, before=report)
    loaded = {name.split(".")[0] for name in result.stderr.split()}
    assert result.returncode == 0
    assert "argparse" in loaded
    assert loaded & {"cv2", "onnxruntime", "numpy", "flask", "cheroot"} == set()


@pytest.mark.parametrize(
    ("message", "package"),
    [
        ("libGL.so.1: cannot open shared object file: No such file or directory", "libgl1"),
        ("libgthread-2.0.so.0: cannot open shared object file: No such file or directory", "libglib2.0-0"),
        ("libxcb.so.1: cannot open shared object file: No such file or directory", "libxcb1"),
    ],
)
@pytest.mark.parametrize("command", ["read", "run"])
def test_missing_system_library_is_reported_with_its_package(
    command: str, message: str, package: str, tmp_path: Path
) -> None:
    """If OpenCV can't be loaded, one line names the package to install, without a traceback."""
    fake = tmp_path / "cv2"
    fake.mkdir()
    (fake / "__init__.py").write_text(f"raise ImportError({message!r})\n")
    words = ["read", "photo.jpg"] if command == "read" else ["run", "--source", str(tmp_path)]
    result = tilekeeper(*words, before=f"import sys\nsys.path.insert(0, {str(tmp_path)!r})")
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert package in result.stderr
    assert message.split(":")[0] in result.stderr


def test_missing_library_without_a_known_package_is_named() -> None:
    advice = missing_library(ImportError("libodd-2.so.7: cannot open shared object file: No such file or directory"))
    assert advice is not None
    assert "libodd-2.so.7" in advice


def test_other_import_errors_keep_their_traceback() -> None:
    """Errors in the program itself keep their traceback."""
    assert missing_library(ImportError("cannot import name 'x' from 'tilekeeper'")) is None


def test_broken_pipe_exits_without_a_message() -> None:
    """If the reader of its output closes, the command ends silently."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "w") as broken_pipe:
        result = subprocess.run(
            [sys.executable, "-m", "tilekeeper", *JUDGE, "--json"],
            stdout=broken_pipe,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert result.returncode == 141
    assert result.stderr == ""


def test_interrupt_exits_without_a_message() -> None:
    """Ctrl+C ends a command with exit code 130 and without a traceback."""
    program = (
        "import signal, sys, time\nfrom tilekeeper.companion.cli import judge, main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored in whatever runs in the background
        "def wait(args):\n    print('waiting', flush=True)\n    time.sleep(60)\n"
        "judge.run = wait\nsys.exit(main())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, *JUDGE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, "")


def test_unprintable_character_is_escaped() -> None:
    """A terminal encoding that lacks a character shows its code, without a UnicodeEncodeError."""
    result = tilekeeper(
        "judge", "--before", "", "--after", "R3 – R5", env={**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    )
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
