"""The benchmark of proofs measures what it says: every edition and size has its line."""

import pytest

from tests.benchmarks.engine.proofs import main, sizes_of
from tilekeeper.engine.rules.editions import rule_set


def test_a_line_for_each_size(capsys: pytest.CaptureFixture[str]) -> None:
    """How many best plays are proved, and the times."""
    assert main(["--count", "1", "--edition", "junior", "--cpu"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["edition", "tiles"]
    assert len(lines) == len(sizes_of(rule_set("junior")))
    assert all(" of 1 " in line for line in lines)
