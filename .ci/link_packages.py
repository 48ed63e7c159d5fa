"""Make `.packages/tilekeeper`, by which Python and tools see the rooms of the checkout as one package.

Usage: python .ci/link_packages.py
"""

import shutil
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ROOT / ".packages"
ROOMS = ("companion", "datasets", "engine", "models", "vision")
FILES = ("__init__.py", "__main__.py", "py.typed")


def link(name: Path, target: Path) -> None:
    """Make a link; on Windows, where not everybody may make one, a junction of a folder or a copy of a file."""
    if sys.platform != "win32":
        name.symlink_to(Path("..", "..") / target.relative_to(ROOT))
    elif target.is_dir():
        import _winapi

        _winapi.CreateJunction(str(target), str(name))
    else:
        shutil.copyfile(target, name)


def main() -> None:
    """Make the folder anew and let this environment's Python search it."""
    package = PACKAGES / "tilekeeper"
    if package.exists():
        for path in package.iterdir():  # not rmtree of all, which follows junctions before Python 3.12
            if path.name == "__pycache__":
                shutil.rmtree(path)
            elif path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink()
    package.mkdir(parents=True, exist_ok=True)
    for room in ROOMS:
        link(package / room, ROOT / room)
    for file in FILES:
        link(package / file, ROOT / "companion" / "tilekeeper" / file)
    place = Path(sysconfig.get_path("purelib"), "tilekeeper-checkout.pth")
    place.write_text(f"{PACKAGES}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
