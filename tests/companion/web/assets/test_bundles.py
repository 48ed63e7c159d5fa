"""Modules and styles are bundled into one file each, with private names; unsupported modules are reported."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tilekeeper.companion.web.assets.bundles import Unbundled, join_scripts, join_styles
from tilekeeper.companion.web.assets.store import STATIC


@pytest.fixture
def modules(tmp_path: Path) -> Callable[..., Path]:
    """Writes modules to a folder, by their paths."""

    def write(**texts: str) -> Path:
        for name, text in texts.items():
            path = tmp_path / f"{name.replace('__', '/')}.js"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def run(script: str) -> str:
    """Return the output of a script."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    return subprocess.run([node, "-"], input=script, capture_output=True, text=True, check=True).stdout.strip()


def test_each_module_runs_once_before_its_importers_with_private_names(modules):
    folder = modules(
        words='const draw = "private";\nexport const greet = (name) => `${draw} ${name}`;\nconsole.log("words");\n',
        inner__shout='import { greet } from "../words.js";\n\nexport function draw(name) {\n  return greet(name);\n}\n',
        main='import { draw as shout } from "./inner/shout.js";\nimport { greet } from "./words.js";\n'
        'const draw = "main";\nconsole.log(shout("a"), greet("b"), draw);\n',
    )
    assert run(join_scripts(folder, "main.js")).splitlines() == ["words", "private a private b main"]


def test_type_comment_before_a_value_keeps_the_value(modules):
    """A comment ends at its end, even in the middle of a line, and the next comment is a separate one."""
    one, two = "const one =\n  /** @type {number} */ (1);\n", "/** Two. */\nconst two = 2;\n"
    folder = modules(main=f"{one}{two}console.log(one + two);\n")
    assert run(join_scripts(folder, "main.js")) == "3"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("export let count = 0;\n", "export let count"),
        ("export default 3;\n", "export default"),
        ('import * as all from "./main.js";\n', "import . as all"),
        ('import { a } from "./main.js";\nexport const b = a;\n', "import each other: main.js, other.js, main.js"),
    ],
)
def test_module_that_can_not_be_bundled_is_reported(modules, text, says):
    folder = modules(main='import { b } from "./other.js";\nexport const a = b;\n', other=text)
    with pytest.raises(Unbundled, match=says):
        join_scripts(folder, "main.js")


def test_styles_name_files_by_their_new_addresses():
    sheet = join_styles(STATIC / "css", ["base", "layout"], lambda path: f"/assets/{path}")
    assert "url(/assets/fonts/manrope.woff2)" in sheet
    assert "../" not in sheet
    assert sheet.index(":root") < sheet.index(".view {")
