"""The public names of the package: they exist, they are complete, and changes are in the changelog."""

import doctest
import inspect
import io
import types
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import tilekeeper.engine
from tests.support.public_names import BEGINNING, LISTING, UNRELEASED, read, unmentioned, update

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"


def test_public_names_of_the_package_are_those_in_all() -> None:
    """No name of `__all__` is missing or doubled, and only modules are public besides."""
    members = vars(tilekeeper.engine)
    public = {
        name for name, value in members.items() if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert public == set(tilekeeper.engine.__all__)
    assert len(tilekeeper.engine.__all__) == len(set(tilekeeper.engine.__all__))


def classes_in_signature(value: object) -> set[type]:
    """Return the classes of the engine in the signature of a function, or in the fields and methods of a class."""
    found: list[object] = [*get_type_hints(value).values()]
    for name, member in vars(value).items() if inspect.isclass(value) else ():
        function = getattr(member, "fget", None) or getattr(member, "__func__", member)
        if not name.startswith("_") and inspect.isfunction(function):
            found += get_type_hints(function).values()
    classes = set()
    while found:
        hint = found.pop()
        found += get_args(hint)
        if inspect.isclass(hint) and hint.__module__.startswith("tilekeeper."):
            classes.add(hint)
    return classes


def test_class_in_a_public_signature_is_public() -> None:
    """So that callers can annotate their values; except a few classes that serve messages only."""
    public = [getattr(tilekeeper.engine, name) for name in tilekeeper.engine.__all__]
    classes = {value for value in public if inspect.isclass(value)}
    assert tilekeeper.engine.Seat in classes_in_signature(tilekeeper.engine.Round)
    callables = [value for value in public if inspect.isclass(value) or inspect.isfunction(value)]
    private = {kind.__name__ for value in callables for kind in classes_in_signature(value) - classes}
    assert private == {"Inks", "Number", "Policy", "Truth"}


def test_changed_public_name_is_in_the_listing_and_the_changelog() -> None:
    """The head of the listing says how to update it."""
    listing = LISTING.read_text(encoding="utf-8")
    assert update(listing) == listing, f"names or signatures have changed; see the head of {LISTING.name}"
    missing = unmentioned(listing, CHANGELOG.read_text(encoding="utf-8"))
    assert missing == [], f"CHANGELOG.md does not mention these; see the head of {LISTING.name}"


def test_new_changed_and_removed_names_move_below_unreleased(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each must be mentioned in that section of the changelog."""
    listing = LISTING.read_text(encoding="utf-8")
    first = next(name for name in read(listing)[BEGINNING] if name != "judge")
    monkeypatch.delattr(tilekeeper.engine, first)
    monkeypatch.setattr(tilekeeper.engine, "judge", lambda before, after: None)
    monkeypatch.setattr(tilekeeper.engine, "fresh", lambda before: None, raising=False)
    remaining = [name for name in tilekeeper.engine.__all__ if name != first]
    monkeypatch.setattr(tilekeeper.engine, "__all__", [*remaining, "fresh"])
    after = read(update(listing))
    assert first not in after[BEGINNING]
    assert after[UNRELEASED][first] == ""
    assert after[UNRELEASED]["judge"].startswith("judge(before, after)")
    assert after[UNRELEASED]["fresh"].startswith("fresh(before)")
    assert read(update(update(listing))) == after
    changelog = "## [Unreleased]\n- `judge` and `fresh(before)`\n\n## [1.0.0]\n"
    assert first in unmentioned(update(listing), changelog)
    assert not {"judge", "fresh"} & {*unmentioned(update(listing), changelog)}


def test_doctests_of_public_names_pass() -> None:
    """They may use all public names without an import."""
    names = {name: getattr(tilekeeper.engine, name) for name in tilekeeper.engine.__all__}
    runner, output = doctest.DocTestRunner(verbose=False), io.StringIO()
    for name, value in {"tilekeeper.engine": tilekeeper.engine, **names}.items():
        text = value.__doc__ or ""
        test = doctest.DocTestParser().get_doctest(text, dict(names), name, None, None)
        runner.run(test, out=output.write)
    assert runner.summarize(verbose=False).failed == 0, output.getvalue()
    assert runner.tries >= 15
