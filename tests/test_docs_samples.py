"""The samples in README.md and docs/ run, and their output is as shown."""

import doctest
import importlib.util
import io
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from pathlib import Path

import pytest

from tilekeeper.companion.cli import COMMANDS, main
from tilekeeper.engine import Dealt, Game, GameStarted, StarterChosen, Table, TilesLaid

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LANGUAGES = {
    "python": "a program; what it prints is in the text block behind it, if there is one",
    "pycon": "a session with Python, `>>>`; the sessions of a document go on from one another",
    "console": "commands behind `$`, and what they print",
    "text": "what a program prints",
    "mermaid": "a drawing",
    "": "what a bench has printed, once",
}
RUN_HERE = ("judge", "arrange", "score", "rules")
"""The commands that need no camera, photos or network, and change nothing."""

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"(?:^    |`)((?:tilekeeper|make|(?:\.venv\S*/)?python -m) [^`\n]+)", re.MULTILINE)


@dataclass(frozen=True)
class Sample:
    """A block of code in a document."""

    document: Path
    language: str
    text: str
    line: int
    """The line number of its fence, from 1."""
    output: str | None
    """The block of text directly after it."""

    def __str__(self) -> str:
        return f"{self.document.name}:{self.line}"


def samples(document: Path) -> list[Sample]:
    """Return all fenced blocks."""
    text = document.read_text(encoding="utf-8")
    found = [*_FENCE.finditer(text)]
    return [
        Sample(document, fence[1], fence[2], text.count("\n", 0, fence.start()) + 1, _output_behind(text, fence, after))
        for fence, after in zip_longest(found, found[1:])
    ]


def _output_behind(text: str, fence: re.Match[str], after: re.Match[str] | None) -> str | None:
    if after is None or after[1] != "text" or text[fence.end() : after.start()].strip():
        return None
    return after[2]


def commands() -> Iterator[tuple[str, str]]:
    """Yield every command line outside of the blocks with its place, without the comment after it."""
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        for found in _COMMAND.finditer(text):
            line = text.count("\n", 0, found.start(1)) + 1
            words = re.split(r"\s+#|\s> ", found[1])[0].strip()
            yield f"{document.name}:{line}", re.sub(r"^\S*python -m tilekeeper ", "tilekeeper ", words)


SAMPLES = [sample for document in DOCUMENTS for sample in samples(document)]
COMMAND_LINES = [*commands()]
SESSIONS = sorted({sample.document for sample in SAMPLES if sample.language == "pycon"})


def of(language: str) -> list[Sample]:
    """Return the samples in a language."""
    return [sample for sample in SAMPLES if sample.language == language]


def test_each_block_is_of_a_known_kind() -> None:
    """A block of a misspelt kind would never be run; and each kind that is run has blocks."""
    assert [f"{sample} {sample.language}" for sample in SAMPLES if sample.language not in LANGUAGES] == []
    assert all(map(of, ("python", "pycon", "console")))


@pytest.mark.parametrize("sample", of("python"), ids=str)
def test_program_prints_the_shown_output(sample: Sample) -> None:
    """Each program runs by itself and prints the shown output."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(sample.text, str(sample), "exec"), {"__name__": "__main__"})
    if sample.output is not None:
        assert printed.getvalue() == sample.output


@pytest.mark.parametrize("document", SESSIONS, ids=lambda document: document.name)
def test_python_session_gives_the_shown_answers(document: Path) -> None:
    """Each line of a Python session gives the shown answer; `...` stands for any text."""
    names: dict[str, object] = {}
    output = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for sample in samples(document):
        if sample.language == "pycon":
            test = doctest.DocTestParser().get_doctest(sample.text, names, str(sample), str(document), sample.line)
            runner.run(test, out=output.write, clear_globs=False)
            names = test.globs
    assert runner.summarize(verbose=False).failed == 0, output.getvalue()
    assert runner.tries > 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the recorded game that samples name."""
    game = Game.start(GameStarted(("Ada", "Bo"), "large-numbers"))
    for event in (StarterChosen(0), Dealt(), TilesLaid(Table("K10 B10 O10"))):
        game = game.record(event)
    (tmp_path / "game.jsonl").write_text(game.format(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("sample", of("console"), ids=str)
def test_command_prints_the_shown_output(sample: Sample, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command prints the text below it, errors included."""
    for step in re.split(r"^\$ ", sample.text, flags=re.MULTILINE)[1:]:
        line, _, expected = step.partition("\n")
        program, *words = shlex.split(line)
        assert program == "tilekeeper"
        assert words[0] in RUN_HERE
        assert main(words) in (0, 1, 2)
        printed = capsys.readouterr()
        assert printed.out + printed.err == expected, line


def required(line: str) -> str:
    """Return a synopsis without optional parts, and only its first form."""
    return re.split(r" … | \| (?=--)", re.sub(r"\s*\[[^]]*\]", "", line))[0]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("place", "line"), [(place, line) for place, line in COMMAND_LINES if line.startswith("tilekeeper ")]
)
def test_command_line_has_existing_options_and_works(place: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each option in a command line exists, and commands that need no hardware work."""
    command = line.split()[1]
    assert command in COMMANDS, place
    main([*line.split()[1:3], "--help"] if line.split()[2:3] == ["certs"] else [command, "--help"])
    options = capsys.readouterr().out
    assert [option for option in re.findall(r"--[a-z-]+", line) if option not in options] == [], place
    words = shlex.split(required(line))[1:]
    if command in RUN_HERE and not any("<" in word or "…" in word for word in words) and len(words) > 1:
        assert main(words) in (0, 1), (place, capsys.readouterr().err)


@pytest.mark.parametrize(
    ("place", "line"), [(place, line) for place, line in COMMAND_LINES if not line.startswith("tilekeeper ")]
)
def test_make_target_or_module_exists(place: str, line: str) -> None:
    """Each target of `make` exists in the Makefile; each module, its options and named files exist."""
    program, *words = shlex.split(line.replace(" -m ", " ", 1))
    if program == "make":
        assert f"\n{words[0]}:" in (ROOT / "Makefile").read_text(encoding="utf-8"), place
        return
    module, *rest = words
    spec = importlib.util.find_spec(module)
    assert spec is not None, place
    if module == "pytest":
        paths = [word for before, word in pairwise(["", *rest]) if before != "-m" and not word.startswith("-")]
        assert [path for path in paths if "<" not in path and not (ROOT / path).exists()] == []
        return
    folders = spec.submodule_search_locations or [str(Path(spec.origin or "").parent)]
    sources = "".join(path.read_text(encoding="utf-8") for folder in folders for path in Path(folder).rglob("*.py"))
    assert [
        option for option in re.findall(r"--([a-z-]+)", line) if not re.search(f'"(--)?{option}"', sources)
    ] == [], place
