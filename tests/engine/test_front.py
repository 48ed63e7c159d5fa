"""The package's front: every name that is promised is there, and the example in the docs does what it says."""

import ast
import types
from pathlib import Path

import tilekeeper.engine

DOCS = Path(__file__).parents[2] / "docs" / "game.md"


def test_every_name_is_there() -> None:
    """What the front names it has, and it has nothing else that is public but its modules."""
    front = vars(tilekeeper.engine)
    there = {
        name for name, value in front.items() if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert there == set(tilekeeper.engine.__all__)
    assert len(tilekeeper.engine.__all__) == len(set(tilekeeper.engine.__all__))


def test_the_example_in_the_docs() -> None:
    """Each line with a comment is what the comment says."""
    code = DOCS.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    names: dict[str, object] = {}
    checked = 0
    for line in code.splitlines():
        statement, _, expected = line.partition("  # ")
        if expected:
            assert eval(statement, names) == ast.literal_eval(expected), line
            checked += 1
        else:
            exec(statement, names)
    assert checked >= 4
