"""The package's front: every name that is promised is there."""

import doctest
import inspect
import io
import types
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import tilekeeper.engine
from tests.support.public_names import BEGINNING, LISTING, UNRELEASED, not_told, read, updated

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"


def test_every_name_is_there() -> None:
    """What the front names it has, and it has nothing else that is public but its modules."""
    front = vars(tilekeeper.engine)
    there = {
        name for name, value in front.items() if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert there == set(tilekeeper.engine.__all__)
    assert len(tilekeeper.engine.__all__) == len(set(tilekeeper.engine.__all__))


def handed_out(value: object) -> set[type]:
    """The engine's classes in what a function takes and returns, or in the fields and methods of a class."""
    found: list[object] = [*get_type_hints(value).values()]
    for name, member in vars(value).items() if inspect.isclass(value) else ():
        function = getattr(member, "fget", None) or getattr(member, "__func__", member)
        if not name.startswith("_") and inspect.isfunction(function):
            found += get_type_hints(function).values()
    whole = set()
    while found:
        hint = found.pop()
        found += get_args(hint)
        if inspect.isclass(hint) and hint.__module__.startswith("tilekeeper."):
            whole.add(hint)
    return whole


def test_what_is_handed_out_is_public() -> None:
    """Whoever gets a value of the engine can write down its type, but for a few that serve messages."""
    public = [getattr(tilekeeper.engine, name) for name in tilekeeper.engine.__all__]
    classes = {value for value in public if inspect.isclass(value)}
    assert tilekeeper.engine.Seat in handed_out(tilekeeper.engine.Round)
    callables = [value for value in public if inspect.isclass(value) or inspect.isfunction(value)]
    private = {kind.__name__ for value in callables for kind in handed_out(value) - classes}
    assert private == {"Inks", "Number", "Policy", "Truth"}


def test_public_names_change_with_the_changelog_alone() -> None:
    """What is promised stands in a list, each change of it in the changelog; the list's head says how to mend it."""
    listing = LISTING.read_text(encoding="utf-8")
    assert updated(listing) == listing, f"names or signatures have changed; see the head of {LISTING.name}"
    missing = not_told(listing, CHANGELOG.read_text(encoding="utf-8"))
    assert missing == [], f"CHANGELOG.md does not tell of these; see the head of {LISTING.name}"


def test_a_change_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is new, has changed or is gone comes below [Unreleased], and must be told of there."""
    listing = LISTING.read_text(encoding="utf-8")
    first = next(name for name in read(listing)[BEGINNING] if name != "judge")
    monkeypatch.delattr(tilekeeper.engine, first)
    monkeypatch.setattr(tilekeeper.engine, "judge", lambda before, after: None)
    monkeypatch.setattr(tilekeeper.engine, "fresh", lambda before: None, raising=False)
    kept = [name for name in tilekeeper.engine.__all__ if name != first]
    monkeypatch.setattr(tilekeeper.engine, "__all__", [*kept, "fresh"])
    after = read(updated(listing))
    assert first not in after[BEGINNING]
    assert after[UNRELEASED][first] == ""
    assert after[UNRELEASED]["judge"].startswith("judge(before, after)")
    assert after[UNRELEASED]["fresh"].startswith("fresh(before)")
    assert read(updated(updated(listing))) == after
    told = "## [Unreleased]\n- `judge` and `fresh(before)`\n\n## [1.0.0]\n"
    assert first in not_told(updated(listing), told)
    assert not {"judge", "fresh"} & {*not_told(updated(listing), told)}


def test_the_samples_in_docstrings() -> None:
    """Each does what it shows, with the public names at hand."""
    names = {name: getattr(tilekeeper.engine, name) for name in tilekeeper.engine.__all__}
    runner, told = doctest.DocTestRunner(verbose=False), io.StringIO()
    for name, value in {"tilekeeper.engine": tilekeeper.engine, **names}.items():
        text = value.__doc__ or ""
        test = doctest.DocTestParser().get_doctest(text, dict(names), name, None, None)
        runner.run(test, out=told.write)
    assert runner.summarize(verbose=False).failed == 0, told.getvalue()
    assert runner.tries >= 15
