"""The label of the undo button: the step that it would undo."""

from collections.abc import Mapping
from types import MappingProxyType

from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.state import GameNightState
from tilekeeper.companion.text.narration import whose
from tilekeeper.engine.game.events import (
    Corrected,
    Dealt,
    Entry,
    GameEnded,
    LotsDrawn,
    Passed,
    PlayerJoined,
    PlayerLeft,
    PlayerOpened,
    PoolCounted,
    RackCounted,
    RackShown,
    RackSummed,
    RedealClaimed,
    StarterChosen,
    TableCorrected,
    TileDrawn,
    TileFound,
    TileLost,
    TilePointed,
    TileReturned,
    TilesLaid,
    TurnFailed,
    TurnGiven,
)
from tilekeeper.engine.language import gettext, gettext_noop, pgettext

_NAMES: Mapping[type, str] = MappingProxyType(
    {
        Corrected: gettext_noop("the change"),
        Dealt: gettext_noop("the deal"),
        GameEnded: gettext_noop("the end of the evening"),
        LotsDrawn: gettext_noop("the draw for the first player"),
        Passed: gettext_noop("{name}'s pass"),
        PlayerJoined: gettext_noop("{name} joined"),
        PlayerLeft: gettext_noop("{name} left"),
        PlayerOpened: gettext_noop("{name}'s opening"),
        PoolCounted: gettext_noop("the pool's count"),
        RackCounted: gettext_noop("{name}'s count"),
        RackShown: gettext_noop("{name}'s rack"),
        RackSummed: gettext_noop("{name}'s points"),
        RedealClaimed: gettext_noop("{name}'s new deal"),
        StarterChosen: gettext_noop("who begins"),
        TableCorrected: gettext_noop("the corrected table"),
        TileDrawn: gettext_noop("{name}'s draw"),
        TileFound: gettext_noop("the tile found"),
        TileLost: gettext_noop("a lost tile"),
        TilePointed: gettext_noop("the tile pointed at"),
        TileReturned: gettext_noop("the tile that is back"),
        TilesLaid: gettext_noop("{name}'s turn"),
        TurnFailed: gettext_noop("{name}'s failed turn"),
        TurnGiven: gettext_noop("whose turn it is"),
    }
)
"""The label for each kind of event."""


def undo_words(night: GameNightState) -> str:
    """Return the step that undo would take back, such as `Ada's draw`; empty if there is nothing to undo."""
    if night.failing is not None:
        return gettext("the end of the turn")
    if night.pending:
        return pgettext("what undo takes back", "Done")
    recorded = night.recorded
    if not recorded.steps_back:
        return ""
    records = recorded.valid_records()
    step = max(record.note.step for record in records[1:])
    entry = next(record.entry for record in records[1:] if record.note.step == step)
    return _entry_words(recorded, entry)


def _entry_words(recorded: RecordedGame, entry: Entry) -> str:
    place = next(at for at in range(len(recorded.records) - 1, -1, -1) if recorded.records[at].entry is entry)
    if type(entry) not in _NAMES:
        return gettext("the last step")
    return gettext(_NAMES[type(entry)], name=whose(recorded.states[place - 1], entry, recorded.states[place]))
