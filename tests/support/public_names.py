"""The public names of `tilekeeper.engine`, with their signatures, fields and members.

    python -m tests.support.public_names

updates `tests/engine/public_names.txt`. There every name is below the section of CHANGELOG.md that mentions it in its
current form: new, changed and removed names are below [Unreleased].
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Final, ForwardRef

import tilekeeper.engine

LISTING: Final = Path(__file__).parents[1] / "engine" / "public_names.txt"
UNRELEASED: Final = "[Unreleased]"
BEGINNING: Final = "[the beginning]"
_REMOVED: Final = "removed: "
_HEAD: Final = """\
# The public names of tilekeeper.engine. Each is below the section of CHANGELOG.md that names it as it is now; the names
# below [the beginning] came with release 1.0.0.
# If a test says that this list is wrong: name the change in CHANGELOG.md below [Unreleased], with the names in
# backticks, and run `python -m tests.support.public_names`. At a release [Unreleased] here gets its name, too.
"""


def entries() -> dict[str, str]:
    """Return every public name with its description, one line or more."""
    return {name: "\n".join(_describe(name, getattr(tilekeeper.engine, name))) for name in tilekeeper.engine.__all__}


def read(text: str) -> dict[str, dict[str, str]]:
    """Parse the sections of a listing: the description of each name; empty for removed names."""
    found: dict[str, dict[str, str]] = {}
    section: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = found.setdefault(line, {})
        elif line.startswith(_REMOVED):
            section[line.removeprefix(_REMOVED)] = ""
        elif line.startswith("    "):
            section[name] += f"\n{line}"
        elif line and not line.startswith("#"):
            name = re.split(r"\W", line.removeprefix("class "))[0]
            section[name] = line
    return found


def unmentioned(text: str, changelog: str) -> list[str]:
    """Return the names in a listing that the section of the changelog does not mention."""
    missing = []
    for section, names in read(text).items():
        notes = re.search(rf"^## {re.escape(section)}.*?(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
        if section != BEGINNING:
            missing += [name for name in names if not re.search(rf"`{name}\b", notes[0] if notes else "")]
    return missing


def update(text: str) -> str:
    """Return a listing with everything that has changed below [Unreleased]."""
    now, old = entries(), read(text)
    sections = {
        section: {name: entry for name, entry in names.items() if now.get(name, "") == entry}
        for section, names in old.items()
    }
    known = {name for names in sections.values() for name in names}
    before = {name for names in old.values() for name in names}
    unreleased = sections.setdefault(UNRELEASED, {})
    unreleased.update({name: entry for name, entry in now.items() if name not in known})
    unreleased.update(dict.fromkeys(before - set(now) - known, ""))
    parts = [f"\n{section}\n{_format(names)}" for section, names in sections.items() if names or section == UNRELEASED]
    return _HEAD + "".join(parts)


def _format(names: Mapping[str, str]) -> str:
    return "".join(f"{entry or _REMOVED + name}\n" for name, entry in sorted(names.items()))


def _describe(name: str, value: Any) -> Iterator[str]:
    if inspect.isclass(value):
        parents = ", ".join(parent.__name__ for parent in value.__bases__ if parent is not object)
        yield f"class {name}({parents})" if parents else f"class {name}"
        yield from (f"    {line}" for line in _members(value))
    elif inspect.isroutine(value) or hasattr(value, "__wrapped__"):
        yield f"{name}{_signature(value)}"
    elif isinstance(value, tilekeeper.engine.Tile):
        yield f"{name}: Tile"
    elif isinstance(value, Mapping):
        yield f"{name} with {', '.join(map(str, value))}"
    else:
        shown = repr(value)
        yield f"{name} = {re.sub(r'tilekeeper[.](?:[a-z_]+[.])+', '', shown)}"


def _members(kind: type) -> Iterator[str]:
    if issubclass(kind, Enum):
        yield from (f"{member.name} = {member.value!r}" for member in kind)
    elif issubclass(kind, tuple):
        yield from (f"{name}: {_annotation(annotation)}" for name, annotation in vars(kind)["__annotations__"].items())
    elif dataclasses.is_dataclass(kind):
        yield from (_field(field) for field in dataclasses.fields(kind))
    if issubclass(kind, Exception) and "__init__" in vars(kind):
        yield f"__init__{_signature(vars(kind)['__init__'])}"
    for name, member in sorted(vars(kind).items()):
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"{name} -> {_annotation(inspect.signature(member.fget).return_annotation)}" if member.fget else name
        elif isinstance(member, classmethod):
            yield f"classmethod {name}{_signature(member.__func__)}"
        elif inspect.isfunction(member):
            yield f"{name}{_signature(member)}"


def _field(field: dataclasses.Field[Any]) -> str:
    default = "" if field.default is dataclasses.MISSING else f" = {field.default!r}"
    return f"{field.name}: {_annotation(field.type)}{default}"


def _signature(function: Any) -> str:
    signature = inspect.signature(function)
    words = []
    for parameter in signature.parameters.values():
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        kind = "" if parameter.annotation is parameter.empty else f": {_annotation(parameter.annotation)}"
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        words.append(f"{stars}{parameter.name}{kind}{default}")
    return f"({', '.join(words)}) -> {_annotation(signature.return_annotation)}"


def _annotation(annotation: object) -> str:
    if isinstance(annotation, ForwardRef):
        return annotation.__forward_arg__
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


if __name__ == "__main__":
    LISTING.write_text(update(LISTING.read_text(encoding="utf-8") if LISTING.exists() else ""), encoding="utf-8")
