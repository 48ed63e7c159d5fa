"""The benchmark of proofs prints a line for each edition and size."""

import pytest

from tests.benchmarks.engine.proofs import main, scale_sizes
from tilekeeper.engine.rules.editions import rule_set


def test_command_prints_a_line_for_each_size(capsys: pytest.CaptureFixture[str]) -> None:
    """The line has the number of proved plays and the times."""
    assert main(["--count", "1", "--edition", "junior", "--cpu"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["edition", "tiles"]
    assert len(lines) == len(scale_sizes(rule_set("junior")))
    assert all(" of 1 " in line for line in lines)
