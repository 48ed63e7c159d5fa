"""The sentences about what players could have laid."""

from tilekeeper.companion.game_night.review import FoundPlay
from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.engine.solver.best_play import Play


def missed_words(found: FoundPlay, name: str) -> str:
    """Return how many tiles the player could have laid, such as "Bo could have laid 3 of 5 tiles."."""
    turn, count = found.turn, len(found.play.laid)
    if turn.had_to_lay:
        return ngettext(
            "{name} passed, but the pool was empty and {count} tile fitted: {name} had to lay.",
            "{name} passed, but the pool was empty and {count} tiles fitted: {name} had to lay.",
            count,
            name=name,
        )
    if turn.laid:
        return ngettext(
            "{name} laid {laid} tile and could have laid {count}.",
            "{name} laid {laid} tiles and could have laid {count}.",
            turn.laid,
            name=name,
            laid=turn.laid,
            count=count,
        )
    return ngettext(
        "{name} could have laid {laid} of {count} tile.",
        "{name} could have laid {laid} of {count} tiles.",
        len(turn.rack) - turn.drew,
        name=name,
        laid=count,
    )


def missed_note(found: FoundPlay) -> str:
    """Return what the app does not know about the turn; empty if it knows all."""
    if not found.turn.drew:
        return ""
    return gettext(
        "One of these tiles was drawn in this turn. We don't know which one. With any of them, this many was possible."
    )


def puzzle_words(found: FoundPlay, name: str) -> str:
    """Return the task of a puzzle."""
    return gettext("{name}'s tiles in round {round}: lay as many as you can.", name=name, round=found.turn.round)


def opening_note(found: FoundPlay, points: int) -> str:
    """Return that the player must open first; empty if the player has opened."""
    if found.turn.opened:
        return ""
    return gettext("The opening is still to come: new sets of at least {points} points.", points=points)


def hint_words(play: Play, rack: int) -> str:
    """Return how many tiles of a rack a player can lay."""
    if play.opens:
        return ngettext(
            "You can open with {laid} of {count} tile.",
            "You can open with {laid} of {count} tiles.",
            rack,
            laid=len(play.laid),
        )
    return ngettext(
        "You can lay {laid} of {count} tile.", "You can lay {laid} of {count} tiles.", rack, laid=len(play.laid)
    )
