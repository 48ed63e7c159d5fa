"""All clutter on a table, by name: `CLUTTER[name](rng, px_per_mm)`, and hands, racks and shadows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from tilekeeper.datasets.synthesis.clutter import gear, paper, table
from tilekeeper.datasets.synthesis.clutter.canvas import soft_shadow
from tilekeeper.datasets.synthesis.clutter.hands import hand
from tilekeeper.datasets.synthesis.clutter.racks import RackSprite, empty_rack, rack

__all__ = ["CLUTTER", "Clutter", "RackSprite", "hand", "rack", "soft_shadow"]

Clutter = Callable[[np.random.Generator, float], np.ndarray]
"""Function f(rng, px_per_mm) that draws an object from above: BGRA `(h, w, 4) uint8`, straight alpha, clear edges."""

CLUTTER: Mapping[str, Clutter] = MappingProxyType(
    {
        "cup": table.cup,
        "glass": table.glass,
        "plate": table.plate,
        "bowl": table.bowl,
        "candle": table.candle,
        "coins": table.coins,
        "dice": table.dice,
        "dominoes": table.dominoes,
        "blocks": table.blocks,
        "chips": table.chips,
        "rulebook": paper.rulebook,
        "playing-cards": paper.playing_cards,
        "notepad": paper.notepad,
        "calendar": paper.calendar,
        "sticky-notes": paper.sticky_notes,
        "paper-scraps": paper.paper_scraps,
        "tissue": paper.tissue,
        "box-lid": paper.box_lid,
        "box-open": paper.box_open,
        "book": paper.book,
        "phone": gear.phone,
        "keyboard": gear.keyboard,
        "remote": gear.remote,
        "calculator": gear.calculator,
        "pens": gear.pens,
        "cable": gear.cable,
        "spectacles": gear.spectacles,
        "watch": gear.watch,
        "ruler": gear.ruler,
        "empty-rack": empty_rack,
    }
)
"""All clutter by name. No object shows a tile; keyboards, lids, calendars, dominoes and blocks resemble tiles."""
