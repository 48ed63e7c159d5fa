"""Modules and styles are bundled into one file each, with private names; unsupported modules are reported."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tilekeeper.companion.web.assets.bundles import Part, Unbundled, join_scripts, join_styles
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


def no_part(part: Part) -> str:
    raise AssertionError(f"{part.path} is no part of its own")


def test_each_module_runs_once_before_its_importers_with_private_names(modules):
    folder = modules(
        words='const draw = "private";\nexport const greet = (name) => `${draw} ${name}`;\nconsole.log("words");\n',
        inner__shout='import { greet } from "../words.js";\n\nexport function draw(name) {\n  return greet(name);\n}\n',
        main='import { draw as shout } from "./inner/shout.js";\nimport { greet } from "./words.js";\n'
        'const draw = "main";\nconsole.log(shout("a"), greet("b"), draw);\n',
    )
    assert run(join_scripts(folder, "main.js", store_part=no_part)).splitlines() == [
        "words",
        "private a private b main",
    ]


def test_type_comment_before_a_value_keeps_the_value(modules):
    """A comment ends at its end, even in the middle of a line, and the next comment is a separate one."""
    one, two = "const one =\n  /** @type {number} */ (1);\n", "/** Two. */\nconst two = 2;\n"
    folder = modules(main=f"{one}{two}console.log(one + two);\n")
    assert run(join_scripts(folder, "main.js", store_part=no_part)) == "3"


def test_part_is_loaded_when_it_is_needed_and_shares_the_modules_of_the_page(modules, tmp_path):
    """A module that two parts need runs once, and an import that has failed is tried again."""
    folder = modules(
        page='console.log("page");\nexport const at = "page";\n',
        both='console.log("both");\nexport const two = 2;\n',
        one='import { two } from "./both.js";\nimport { at } from "./page.js";\n\n'
        "export const say = () => `one ${two} ${at}`;\n",
        other='import { two } from "./both.js";\nexport const say = () => `other ${two} ${catalogue.yes}`;\n',
        main='import { at } from "./page.js";\nconst load = () => import("./other.js");\n'
        'load().catch(() => console.log("fails")).then(async () => {\n'
        'const { say } = await import("./one.js");\nconsole.log(say());\nconsole.log((await load()).say(), at);\n});\n',
    )

    def store_part(part: Part) -> str:
        (tmp_path / f"part-{part.path}".replace(".js", ".mjs")).write_text(part.script('{"yes": "ja"}'))
        return (
            "file:///nowhere"
            if part.path == "other.js"
            else (tmp_path / f"part-{part.path}").as_uri().replace(".js", ".mjs")
        )

    script = join_scripts(folder, "main.js", store_part)
    address = (tmp_path / "part-other.mjs").as_uri()
    # In place of a network that fails once.
    script = script.replace(
        "import(failures ?", 'import(failures && address.endsWith("nowhere") ? "ADDRESS" : failures ?'
    )
    (tmp_path / "main.mjs").write_text(f"const catalogue = {{}};\n{script.replace('ADDRESS', address)}")
    assert run(f'import("{(tmp_path / "main.mjs").as_uri()}")').splitlines() == [
        *("page", "fails", "both", "one 2 page", "other 2 ja page")
    ]


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
        join_scripts(folder, "main.js", store_part=no_part)


def test_styles_name_files_by_their_new_addresses():
    sheet = join_styles(STATIC / "css", ["base", "layout"], lambda path: f"/assets/{path}")
    assert "url(/assets/fonts/manrope.woff2)" in sheet
    assert "../" not in sheet
    assert sheet.index(":root") < sheet.index(".view {")
