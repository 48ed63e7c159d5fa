"""README.md and docs/ as a whole: links, pictures, length, and figures."""

import re
from pathlib import Path

import pytest

from tilekeeper import __version__
from tilekeeper.vision.types import DoubtReason

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")), *sorted(DOCS.rglob("*.md"))]
MOST_WORDS = 25_000
MOST_PICTURE_BYTES = 250_000

_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"")
_HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def links(page: Path) -> list[str]:
    """Return the targets of a page's links and pictures, except those in code and on other sites."""
    text = _CODE.sub("", page.read_text(encoding="utf-8"))
    found = [first or second for first, second in _LINK.findall(text)]
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, in GitHub's form."""
    headings = _HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    """Relative links and pictures exist; the part behind `#` is a heading of the page it names."""
    broken = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_every_picture_is_shown_by_a_page_and_is_small() -> None:
    """A picture that no page shows is deleted; `python -m docs.screenshots` makes the others."""
    shown = {(page.parent / link).resolve() for page in PAGES for link in links(page)}
    pictures = [path for path in DOCS.rglob("*") if path.suffix in (".jpg", ".png", ".svg")]
    assert pictures
    assert [path.name for path in pictures if path not in shown] == []
    assert [path.name for path in pictures if path.stat().st_size > MOST_PICTURE_BYTES] == []


def test_docs_are_short_enough_for_an_afternoon() -> None:
    """All pages of docs/, decisions included, have at most 25,000 words; a bar of a table is no word."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    assert len(re.findall(r"\S*\w\S*", text)) <= MOST_WORDS


def test_every_figure_of_the_readme_is_on_a_generated_page() -> None:
    """Counts and measured decimals of README.md are on pages that the benchmarks write."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    claims = text[text.index("## What it reaches") : text.index("## Read on")]
    measured = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("bench-*.md")).replace(",", "")
    figures = [figure.replace(",", "") for figure in re.findall(r"\d[\d,]*\.\d+|\d[\d,]{2,}", claims)]
    assert len(figures) > 15
    assert [figure for figure in figures if not re.search(rf"(?<![\d.]){figure}(?![\d])", measured)] == []


def test_changelog_is_a_history_by_version() -> None:
    """Its first version is the program's own; every line is short and stands below Added, Changed or Fixed."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## \[(.+?)\]", text, re.MULTILINE)
    assert headings[:2] == ["Unreleased", __version__]
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= {"Added", "Changed", "Fixed", "Removed"}
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert [line for line in lines if len(line) > 160] == []
    assert not re.search(r"^  \S", text, re.MULTILINE), "one line per change"


def test_every_file_that_a_page_names_exists() -> None:
    """Paths from the top of the repository lead to a file or a folder; `<name>` and `*` do not count."""
    rooms = "companion|datasets|docs|engine|models|tests|vision"
    named = re.compile(rf"`((?:{rooms})/[\w./-]+)`")
    # A changelog names files of its time, and `docs/rules.md` is generated.
    pages = [page for page in PAGES if page.name != "CHANGELOG.md"]
    paths = {path for page in pages for path in named.findall(page.read_text(encoding="utf-8"))}
    assert len(paths) > 30
    assert sorted(path for path in paths if not (ROOT / path).exists()) == []


def test_every_reason_of_doubt_is_in_the_table_of_the_command_line() -> None:
    """`read --json` prints the values of `DoubtReason`; the page explains each."""
    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    table = text[text.index("| reason | when |") :].partition("\n\n")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE) == [reason.value for reason in DoubtReason]
