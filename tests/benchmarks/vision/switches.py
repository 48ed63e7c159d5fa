"""What of `vision/` can be switched off: each refinement, each step of naming, each sign of doubt and each limit.

A switch replaces what a module of `vision/` names, in that module and in all that import it, for as long as it is off.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from typing import Any

import numpy as np

import tilekeeper.vision
from tilekeeper.vision.config import config, configured
from tilekeeper.vision.recognition.appearance import name_upright
from tilekeeper.vision.recognition.refinement.refine import ROUNDS
from tilekeeper.vision.scoring import calibration, tileness

ROOT = "tilekeeper.vision"
STAGES = ("detection", "geometry", "recognition", "refinement", "scoring", "layout")
"""The configs whose limits act on which tiles a picture shows, on their names and on their rows."""


DETECTED, FOUND = "detect_in_pieces", "find_candidates"
"""Functions of `pipeline` of which the answers stay what they are where only something after them is switched off."""
NAMES_TOGETHER = ("recognition.figure_", "recognition.ink_", "recognition.extra_", "recognition.usual_inks")
"""Limits of recognition that act where the tiles of a table are compared with one another, after all are named."""


@dataclass(frozen=True, slots=True)
class Switch:
    """Something that can be switched off: a `kind` (refinement, naming, sign or limit), and a context without it.

    `stays` is the last function of `pipeline` that answers as it does with everything on (`DETECTED`, `FOUND`), None
    where any may answer otherwise.
    """

    name: str
    kind: str
    off: Callable[[], AbstractContextManager[None]]
    stays: str | None = None


def together(some: Sequence[Switch]) -> Switch:
    """Return a switch that switches several off at once."""

    @contextmanager
    def off() -> Iterator[None]:
        with ExitStack() as stack:
            for one in some:
                stack.enter_context(one.off())
            yield

    return Switch(" + ".join(one.name for one in some), "together", off)


@contextmanager
def replaced(module: str, changes: Mapping[str, Any]) -> Iterator[None]:
    """Let a module of `vision/` have other values for some names, and so all modules that import them from it.

    Raises `AttributeError` for a name that it does not have.
    """
    before = [
        (sys.modules[holder], local, getattr(sys.modules[holder], local), value)
        for name, value in changes.items()
        for holder, local in ((f"{ROOT}.{module}", name), *_importers().get((f"{ROOT}.{module}", name), ()))
    ]
    try:
        for holder, local, _, value in before:
            setattr(holder, local, value)
        yield
    finally:
        for holder, local, value, _ in before:
            setattr(holder, local, value)


@cache
def _importers() -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return which modules of `vision/` import each name, and as what: `(module, name)` to such pairs."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for info in pkgutil.walk_packages(tilekeeper.vision.__path__, f"{ROOT}."):
        module = importlib.import_module(info.name)
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    local = alias.asname or alias.name
                    if hasattr(module, local):
                        found.setdefault((node.module, alias.name), []).append((info.name, local))
    return found


def switches(middles: Mapping[str, np.ndarray]) -> list[Switch]:
    """Return all switches; `middles` are the usual values of the signs, by their module (`calibration`, `tileness`)."""
    return [
        *(_switch(name, "refinement", module, of) for name, (module, of) in _refinements().items()),
        *(_switch(name, "naming", module, of) for name, (module, of) in _namings().items()),
        *_signs(middles),
        *_limits(),
    ]


def _switch(name: str, kind: str, module: str, changes: Mapping[str, Any]) -> Switch:
    """Return a switch that puts other values in a module of `vision/`, or in a config such as `config.layout`."""
    off = (
        partial(_limited, module.removeprefix("config.")) if module.startswith("config.") else partial(replaced, module)
    )
    return Switch(name, kind, partial(off, changes), _stays(module.removeprefix("config."), next(iter(changes))))


def _stays(module: str, changed: str) -> str | None:
    """Return which function of `pipeline` answers as before where a module or a config of a stage has other values."""
    stage = module.partition(".")[0]
    if stage in ("scoring", "layout", "quality") or f"{stage}.{changed}".startswith(NAMES_TOGETHER):
        return FOUND
    if module in ("recognition.glyph_embedding", "recognition.ink_mixture"):
        return FOUND
    return DETECTED if stage in ("recognition", "refinement", "geometry") else None


def _limited(stage: str, changes: Mapping[str, Any]) -> AbstractContextManager[None]:
    return configured(replace(config(), **{stage: replace(getattr(config(), stage), **changes)}))


def _nothing(*_args: Any, **_options: Any) -> None:
    """Stands in for a step that changes what it is handed."""


def _first(one: Any, *_args: Any, **_options: Any) -> Any:
    """Stands in for a step that returns its first argument changed."""
    return one


def _refinements() -> dict[str, tuple[str, dict[str, Any]]]:
    refine, generators = "recognition.refinement.refine", "recognition.refinement.generators"
    neighbours, detector, limits = "recognition.refinement.neighbours", "detection.detector", "config.refinement"
    return {
        "mended corners named again (more than once)": (limits, {"mend_rounds": 1}),
        "mended corners named again unless sure": (limits, {"mend_below": 0.0}),
        **{f"proposals: {one.__name__}": (refine, {"ROUNDS": _without(one)}) for one in dict.fromkeys(sum(ROUNDS, ()))},
        "proposals: only one round": (refine, {"ROUNDS": (tuple(dict.fromkeys(sum(ROUNDS, ()))),)}),
        "proposals: none": (refine, {"ROUNDS": ()}),
        "proposals: jokers turned": (limits, {"joker_certain": 0.0}),
        "proposals: quads on their sides": (
            generators,
            {"_on_their_sides": lambda tiles: np.zeros(len(tiles.quads_px), bool)},
        ),
        "proposals: where a tile was detected": (limits, {"moved_away": 1.0}),
        "straightened": ("geometry.table_plane", {"straightened": _first}),
        "jokers turned as their rows": (refine, {"_turn_jokers": _nothing}),
        "other cuts": (refine, {"_look_closer": _nothing}),
        "look beside": (neighbours, {"add_missed_tiles": lambda namer, image, looked, faint=None: looked}),
        "look beside: faint finds": (neighbours, {"_as_large": lambda faint, quads: (faint[:0], np.zeros(0, int))}),
        "look beside: again beside what was found": (limits, {"beside_rounds": 1}),
        "look beside: mended corners named again": (neighbours, {"mended": name_upright}),
        "look beside: places of ill-sized quads": (
            neighbours,
            {"_ill_sized": lambda quads, sureness, sure: np.zeros(len(quads), bool)},
        ),
        "look beside: half way between two": (limits, {"between": (1.0, 1.0)}),
        "look beside: beside what is less than certain": (limits, {"beside_certain": 0.9}),
        "pale places: pieces": (limits, {"pale_most": 0}),
        "pale places: print": (limits, {"printed_most": 0}),
        "look beside: only whites": (limits, {"beside_light": 2.0, "beside_tint": 2.0}),
        "finder: sized alike": (detector, {"sized_alike": lambda quads_px, _scores, count=None: quads_px[:count]}),
        "finder: figures on large tiles": (
            detector,
            {"_are_figures": lambda quads, scores: np.zeros(len(quads), bool)},
        ),
        "finder: second look at small tiles": ("config.detection", {"small_tile_px": 4.0}),
        "finder: coarse looks left out where all are small": ("config.detection", {"all_small_count": 106}),
        "finder: no coarse looks": (
            "config.detection",
            {"all_small_count": 1, "all_small_px": 200.0, "all_small_score": 0.0},
        ),
        "finder: tiles side by side that share much": ("config.detection", {"beside": 2.0}),
        "finder: figures score": ("config.detection", {"figure_score": 1.0}),
    }


def _without(generator: Callable[..., Any]) -> tuple[tuple[Callable[..., Any], ...], ...]:
    """Return the rounds of proposals without one generator."""
    return tuple(tuple(one for one in some if one is not generator) for some in ROUNDS)


def _namings() -> dict[str, tuple[str, dict[str, Any]]]:
    naming, membership = "scoring.naming", "scoring.membership"

    def none_of(tiles: Any, *_args: Any) -> np.ndarray:
        return np.zeros(len(tiles), bool)

    return {
        "without doubles": (naming, {"without_doubles": _first}),
        "without doubles: covered by a sure one": ("config.scoring", {"covered": 1.0}),
        "of one set": (membership, {"of_one_set": lambda image, tiles, *_args, **_options: (tiles, ~none_of(tiles))}),
        "of one set: sure where found as surely": ("config.scoring", {"peer_score_share": 0.0}),
        "of one set: sizes": (membership, {"are_as_large": lambda quads_px, sure: ~none_of(quads_px)}),
        "of one set: cut off": ("config.scoring", {"least_inside": 0.0, "least_inside_certain": 0.0}),
        "of one set: 6 and 9 cut": ("config.scoring", {"upright_inside": 0.0}),
        "of one set: hardly found": ("config.scoring", {"hardly_found": 0.0}),
        "of one set: tile or not": (membership, {"_are_none": lambda among, *_args: none_of(among.tiles)}),
        "of one set: asked about": ("config.scoring", {"ask_below": 0.0}),
        "of one set: strays": (membership, {"_strays": none_of}),
        "of one set: sure ones not asked": ("config.scoring", {"tile_asked_below": 0.0}),
        "joint numbers": ("recognition.glyph_embedding", {"joint_numbers": _first}),
        "joint inks": ("recognition.ink_mixture", {"joint_inks": _first}),
        "joint inks: copies of the set": ("recognition.ink_mixture", {"_shared": lambda joint, *_args: np.exp(joint)}),
        "decoded together": (naming, {"decoded": _first}),
        "decoded: neighbours": ("scoring.set_decoding", {"beside_neighbours": _first}),
        "decoded: stock": (
            "scoring.set_decoding",
            {"within_stock": lambda odds, *_args: (odds[:, :-1].argmax(axis=1), np.zeros(len(odds), bool))},
        ),
        "usual gaps": ("layout.adjacency", {"usual_gaps": lambda _likely, _gaps, middles: np.zeros(len(middles))}),
        "a picture without colours": ("quality.status", {"is_colourless": lambda image: False}),
        "proofreader": ("recognition.classifier", {"doubt_of": lambda numbers, *_args: np.full(len(numbers), -np.inf)}),
        "proofreader on jokers": ("config.recognition", {"joker_probability": 1.0}),
    }


def _signs(middles: Mapping[str, np.ndarray]) -> Iterator[Switch]:
    """One for each sign that weighs anything, at the value that it usually has."""
    for module in (calibration, tileness):
        short = module.__name__.rpartition(".")[2]
        for at, sign in enumerate(module.SIGNS):
            if short in middles:
                off = partial(_without_sign, module.signs_of, at, middles[short][at])
                yield _switch(f"{short}: {sign}", "sign", f"scoring.{short}", {"signs_of": off})


def _without_sign(signs_of: Callable[..., np.ndarray], at: int, usual: float, *args: Any) -> np.ndarray:
    signs = signs_of(*args)
    signs[:, at] = usual
    return signs


def _limits() -> Iterator[Switch]:
    """Each limit of the configs: halved, and doubled, as far as its range goes."""
    for stage in STAGES:
        part = getattr(config(), stage)
        for one in fields(part):
            least, most, value = one.metadata["least"], one.metadata["most"], getattr(part, one.name)
            for words, factor in (("half", 0.5), ("twice", 2.0)):
                other = _scaled(value, factor, least, most)
                if other != value:
                    yield _switch(f"{stage}.{one.name} {words}", "limit", f"config.{stage}", {one.name: other})


def _scaled(value: Any, factor: float, least: float, most: float) -> Any:
    """Halve or double, within a range; what is an even chance or more is moved as far from one, counts stay whole."""
    if isinstance(value, tuple):
        return tuple(_scaled(part, factor, least, most) for part in value)
    if isinstance(value, int):
        return int(min(max(round(value * factor), least, 1), most))
    return min(max(1 - (1 - value) / factor if 0.5 <= value < 1 else value * factor, least), most)
