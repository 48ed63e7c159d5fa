"""Prints the size of the code, the docs and the wheel, beside that of another checkout.

python -m tests.benchmarks.house [OTHER-CHECKOUT]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOMS = ("engine", "vision", "companion", "models", "datasets", "tests")
PICTURES = (".jpg", ".png", ".svg")
CHECKOUT = Path(__file__).parents[2]


def main() -> None:
    """Print one table in Markdown."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.house", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("before", type=Path, nargs="?", help="another checkout, whose figures come first")
    args = parser.parse_args()
    roots = {"now": CHECKOUT} if args.before is None else {"before": args.before.resolve(), "now": CHECKOUT}
    columns = [figures_of(root) for root in roots.values()]
    print("| figure |", *(f"{name} |" for name in roots))
    print("|---|" + "---:|" * len(roots))
    for figure in columns[-1]:
        print(f"| {figure} |", *(f"{column[figure]} |" for column in columns))


def figures_of(root: Path) -> dict[str, str]:
    """Return the figures of a checkout as text, by their names."""
    figures = {}
    for room in ROOMS:
        sources = [path.read_text("utf-8") for path in (root / room).rglob("*.py") if "node_modules" not in path.parts]
        figures[f"`{room}/`: lines, files"] = f"{sum(len(text.splitlines()) for text in sources):,}, {len(sources)}"
    words = sum(len(page.read_text("utf-8").split()) for page in (root / "docs").rglob("*.md"))
    pictures = [path.stat().st_size for path in (root / "docs").rglob("*") if path.suffix in PICTURES]
    figures["`docs/`: words"] = f"{words:,}"
    figures["`docs/`: pictures, MB"] = f"{len(pictures)}, {sum(pictures) / 1e6:.1f}"
    figures["wheel, MB"] = f"{wheel_bytes(root) / 1e6:.2f}"
    return figures


def wheel_bytes(root: Path) -> int:
    """Return the size of the wheel of the newest commit of a checkout, built in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "sources")
        subprocess.run(["git", "clone", "--quiet", "--shared", root, copy], check=True)
        build = [sys.executable, "-m", "pip", "wheel", copy, "--quiet", "--no-deps", "--no-build-isolation"]
        subprocess.run([*build, "--wheel-dir", folder], check=True, capture_output=True)
        (wheel,) = Path(folder).glob("*.whl")
        return wheel.stat().st_size


if __name__ == "__main__":
    main()
