"""Builds the status that a table sends its hall: whose turn it is, the clock, open questions, the last verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilekeeper.companion.hub_link.outbox import RaisedHand
from tilekeeper.companion.messaging.messages import PlayerStatus, Presence, TableStatus
from tilekeeper.companion.messaging.topics import Branch, TableName
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.session.snapshot import Moment
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.text.fault_rules import broken_rules
from tilekeeper.companion.text.kept import to_stored
from tilekeeper.companion.text.verdict_card import VerdictKind, turn_verdict_words, verdict_kind
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.judge.sentences import sentence
from tilekeeper.engine.language import STORED, as_sentence, translate, use_language

_MOST_CHARACTERS = 2000
_MOST_FAULTS = 50


def table_report(
    table: str, state: TableState, moment: Moment, log: str | None, last_seq: int, disputes: Sequence[str]
) -> TableStatus:
    """Return the status of a table.

    Args:
        table: the table's name in the hall.
        state: the table's state.
        moment: the current time, for the clock.
        log: the name of the current game night's log; None if none is played.
        last_seq: the number of entries of this log that were sent.
        disputes: the ids of undecided raised hands.
    """
    night, snapshot = state.activity.game_night, state.snapshot
    trouble = as_sentence(translate(snapshot.trouble))[:_MOST_CHARACTERS] if snapshot.trouble else ""
    if night is None:
        return TableStatus(table=table, trouble=trouble)
    game, play, clock = night.state.state, night.state.state.round, night.state.clock
    left_s = clock.left(moment.now_s)
    totals = game.sheet.totals
    judged = night.judged
    return TableStatus(
        table=table,
        log=log,
        last_seq=last_seq,
        phase=game.phase,
        round=0 if play is None else play.number,
        players=[
            PlayerStatus(
                name=name,
                rack=None if play is None else play.seats[index].rack,
                opened=play is not None and play.seats[index].opened,
                total=float(totals[index]) if index < len(totals) else 0.0,
            )
            for index, name in enumerate(game.players)
        ],
        player=play.turn if play is not None and game.phase is Phase.TURNS else None,
        clock_runs=clock.running,
        left_s=None if left_s is None else round(left_s, 1),
        banks_s=[round(bank, 1) for bank in clock.banks_left(moment.now_s)],
        pool=None if play is None else play.pool,
        doubt=judged is not None and verdict_kind(judged) in (VerdictKind.UNSURE, VerdictKind.UNDECIDED),
        wrong=play is not None and play.claim is not None and not play.claim.verdict.undecided,
        verdict=verdict_words(night),
        trouble=trouble,
        disputes=list(disputes),
    )


def verdict_words(night: GameNight) -> str:
    """Return the last verdict in a few words, as lines for `translate_lines`; empty if no turn was judged."""
    if night.judged is None:
        return ""
    with use_language(STORED):
        return "\n".join(to_stored(words) for words in turn_verdict_words(night.judged) if words)


def raised_hand(id_: str, night: GameNight, by: str, before: str | None, after: str | None) -> RaisedHand:
    """Return a raised hand about the last verdict.

    Args:
        id_: the id of the raised hand.
        night: the game night.
        by: who raises the hand.
        before: the name of the picture of the table at the start of the turn.
        after: the name of the picture of the table now.
    """
    hand = RaisedHand(id_, night.id, len(night.state.recorded.records), by, verdict_words(night), (), before, after)
    judged, rules = night.judged, night.state.state.rules
    if judged is None:
        return hand
    faults, tables = judged.weighed.certain[:_MOST_FAULTS], (judged.before.table, judged.weighed.observed.table)
    return replace(
        hand,
        reasons=tuple(sentence(fault, *tables)[:_MOST_CHARACTERS] for fault in faults),
        edition=rules.name,
        rules=broken_rules(rules, [fault.code for fault in faults]),
        faults=faults,
        tables=(str(tables[0]), str(tables[1])),
    )


def is_same(one: TableStatus, other: TableStatus) -> bool:
    """Return whether two statuses are equal, apart from the time of sending and the time passed on a running clock."""
    if not one.clock_runs or one.left_s is None or other.left_s is None:
        return one.model_copy(update={"sent_at": other.sent_at}) == other
    passed_s = (other.sent_at - one.sent_at).total_seconds()
    clock = {"sent_at": other.sent_at, "left_s": other.left_s, "banks_s": other.banks_s}
    return one.model_copy(update=clock) == other and abs(one.left_s - passed_s - other.left_s) < 1.5


def last_will(name: TableName) -> tuple[str, bytes]:
    """Return topic and payload of the MQTT last will, which the broker publishes if a table's connection breaks."""
    return name.topic(Branch.PRESENCE), Presence(table=name.table, presence="gone").payload()
