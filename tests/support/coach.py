"""An example of a typed program on the engine: for a recorded game, the laid tiles and the best possible turn.

    python coach.py game.jsonl

It uses the engine alone, as `docs/engine.md` describes it, and is no part of Tilekeeper.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tilekeeper.engine import Code, EventRefused, Game, GameLogError, TurnContext, TurnRecord, explain, find_best_play


def advice(game: Game, turn: TurnRecord, opened: bool) -> Iterator[str]:
    """Yield sentences about one turn, and the best turn that was possible."""
    context = TurnContext(game.state.rules, opened)
    yield f"{game.state.players[turn.player]}: {turn.kind.value}"
    if turn.verdict is not None:
        yield from explain(turn.before, turn.after, context).sentences
        yield str(find_best_play(turn.before, turn.verdict.placed, context))


def main(path: str) -> int:
    """Print the advice on every turn of a game; return 1 if the file can't be read."""
    try:
        game, lost = Game.read(Path(path).read_bytes())
    except (GameLogError, EventRefused) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 1
    if lost is not None:
        print(f"line {lost.number} is incomplete")
    opened: set[int] = set()
    faults: Counter[Code] = Counter()
    for turn in game.round.turns:
        print("\n".join(advice(game, turn, turn.player in opened)))
        if turn.verdict is not None:
            faults.update(fault.code for fault in turn.verdict.violations)
            opened |= {turn.player} if turn.verdict.opens else set()
    print(f"on the table: {game.round.table}; faults: {dict(faults)}; wrong counts: {len(game.alarms)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
