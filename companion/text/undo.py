"""What the button that takes back would take back, in two or three words."""

from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.state import GameNightState
from tilekeeper.engine.game.events import (
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
from tilekeeper.engine.game.state import GameState

_OF_NOBODY: dict[type, str] = {
    Dealt: "the deal",
    GameEnded: "the end of the evening",
    LotsDrawn: "the lots",
    PoolCounted: "the pool’s count",
    StarterChosen: "who begins",
    TableCorrected: "the table as it lay",
    TileFound: "the tile found",
    TileLost: "a lost tile",
    TilePointed: "the tile pointed at",
    TileReturned: "a lost tile’s return",
    TurnGiven: "whose turn it is",
}
_OF_WHOSE_TURN_IT_WAS: dict[type, str] = {
    Passed: "{name}’s pass",
    TileDrawn: "{name}’s draw",
    TilesLaid: "{name}’s turn",
    TurnFailed: "{name}’s failed turn",
}
_OF_A_PLAYER: dict[type, str] = {
    PlayerJoined: "{name}’s joining",
    PlayerLeft: "{name}’s leaving",
    PlayerOpened: "{name}’s opening",
    RackCounted: "{name}’s count",
    RackShown: "{name}’s rack",
    RackSummed: "{name}’s points",
    RedealClaimed: "{name}’s demand",
}


def undo_words(night: GameNightState) -> str:
    """What one step back takes back, such as `Ada’s draw`; empty where there is nothing to take back."""
    if night.failing is not None:
        return "the end of the turn"
    if night.pending:
        return "Done"
    recorded = night.recorded
    if not recorded.steps_back:
        return ""
    standing = recorded.standing()
    step = max(record.note.step for record in standing[1:])
    entry = next(record.entry for record in standing[1:] if record.note.step == step)
    return _entry_words(recorded, entry)


def _entry_words(recorded: RecordedGame, entry: Entry) -> str:
    place = next(at for at in range(len(recorded.records) - 1, -1, -1) if recorded.records[at].entry is entry)
    before, after = recorded.states[place - 1], recorded.states[place]
    kind = type(entry)
    if kind in _OF_WHOSE_TURN_IT_WAS:
        return _OF_WHOSE_TURN_IT_WAS[kind].format(name=_name(before))
    if kind in _OF_A_PLAYER:
        player = getattr(entry, "player", None)
        name = after.players[-1] if player is None else after.players[player]
        return _OF_A_PLAYER[kind].format(name=name)
    return _OF_NOBODY.get(kind, "the last step")


def _name(state: GameState) -> str:
    return "" if state.round is None else state.players[state.round.turn]
