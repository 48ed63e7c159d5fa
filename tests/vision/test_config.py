"""Tests of the limits: each has a unit, a range and a sentence, and lies in its range."""

import ast
import contextlib
import inspect
import itertools
from dataclasses import fields, replace
from pathlib import Path

import pytest

from tilekeeper.vision.config import VisionConfig, config, configured
from tilekeeper.vision.config.limit import Limits, numbers_of

STAGES = [one.name for one in fields(VisionConfig)]


def documented(stage: Limits) -> dict[str, str]:
    """The docstring below each field of a stage's config."""
    (body,) = (node.body for node in ast.parse(inspect.getsource(type(stage))).body if isinstance(node, ast.ClassDef))
    return {
        field.target.id: text.value.value
        for field, text in itertools.pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    }


@pytest.mark.parametrize("name", STAGES)
def test_each_limit_says_what_it_is(name: str) -> None:
    """A unit, a range that holds its value and is no single number, and a sentence."""
    stage = getattr(config(), name)
    sentences = documented(stage)
    for one in fields(stage):
        least, most = one.metadata["least"], one.metadata["most"]
        assert one.metadata["unit"], one.name
        assert least < most, one.name
        assert all(least <= number <= most for number in numbers_of(getattr(stage, one.name))), one.name
        assert sentences.get(one.name, "").endswith("."), one.name


@pytest.mark.parametrize("name", STAGES)
def test_each_limit_is_read(name: str) -> None:
    """None is left over: its name stands somewhere in vision outside the configs."""
    folder = Path(inspect.getfile(VisionConfig)).parents[1]
    sources = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py") if path.parent.name != "config"]
    text = "\n".join(sources)
    unread = [one.name for one in fields(getattr(config(), name)) if f".{one.name}" not in text]
    assert unread == []


def test_a_limit_out_of_its_range_is_refused() -> None:
    """The message names the limit and its range."""
    with pytest.raises(ValueError, match=r"overlap must be from 0\.05 to 1"):
        replace(config().detection, overlap=1.5)
    with pytest.raises(ValueError, match="white_shares"):
        replace(config().geometry, white_shares=(0.6, 1.2))


def test_other_limits_hold_for_as_long_as_the_block_runs() -> None:
    """After it, also after an error, the former ones are in force."""
    before = config()
    other = replace(before, layout=replace(before.layout, joint_gap=0.6))
    with configured(other):
        assert config() is other
    assert config() is before
    with contextlib.suppress(KeyError), configured(other):
        raise KeyError
    assert config() is before
