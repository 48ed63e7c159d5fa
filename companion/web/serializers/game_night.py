"""The evening as the page gets it: the fold, and what lives between two records, as plain data for JSON."""

from __future__ import annotations

from collections.abc import Sequence

from tilekeeper.companion.game_night.commands.failed_turn import WayBack, way_back
from tilekeeper.companion.game_night.permissions import may
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.settings import GameNightSettings
from tilekeeper.companion.game_night.state import FailureCause, GameNightState, Press, RackExceeded
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.session.opening_points import opening_table
from tilekeeper.companion.session.snapshot import Moment
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.text.boxes import BOXES
from tilekeeper.companion.text.highlights import highlights
from tilekeeper.companion.text.history import last_event_words
from tilekeeper.companion.text.lots import draw_again_words, undecided_lots
from tilekeeper.companion.text.names import edition_words
from tilekeeper.companion.text.scores import (
    alarm_sentence,
    balance_sentences,
    leaders_sentence,
    points_words,
    rack_exceeded_sentence,
    standing,
)
from tilekeeper.companion.text.undo import undo_words
from tilekeeper.companion.web.schemas.game_night import (
    AlarmJson,
    ClockJson,
    EditionJson,
    EveningJson,
    ExceededJson,
    FailingJson,
    FindingJson,
    HighlightJson,
    OpeningJson,
    PlayerJson,
    PointsJson,
    SettingsJson,
    SheetJson,
    StartingJson,
)
from tilekeeper.companion.web.serializers.tiles import melds_json, moves_json, tile_json
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.scoring import Points, rack_left
from tilekeeper.engine.game.setup import dealing, may_choose_starter
from tilekeeper.engine.game.state import GameState, Phase
from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.engine.rules.editions import RULE_SETS, TITLES
from tilekeeper.engine.rules.house_rules import changed_fields
from tilekeeper.engine.rules.policies import Restore, Starter, Totals
from tilekeeper.engine.rules.ruleset import RuleSet, Stock
from tilekeeper.engine.tiles.tile import JOKER, Colour, Tile


def game_night_json(night: GameNight, state: TableState, moment: Moment, steering: Sequence[str]) -> EveningJson:
    """Return a game night as it stands.

    Args:
        night: the game night.
        state: the state of the table, with what the camera shows.
        moment: the present time, for the clock.
        steering: the ids of the tablets that may press buttons where not all may.
    """
    return _game_night_json(night, night.press(state.snapshot, moment, by=""), _opening_json(night, state), steering)


def _game_night_json(
    played: GameNight, press: Press, opening: OpeningJson | None, steering: Sequence[str]
) -> EveningJson:
    night = played.state
    state, play = night.state, night.state.round
    return {
        "id": played.id,
        "revision": played.revision,
        "phase": str(state.phase),
        "standing": standing(night.recorded.game),
        "last": last_event_words(night.recorded),
        "may": may(night),
        "steering": None if played.all_tablets_control else list(steering),
        "edition": edition_json(state.rules),
        "settings": _settings_json(night.settings),
        "players": [_player_json(night, seat) for seat in range(len(state.players))],
        "first_acquaintance": state.finding is not None,
        "rounds_agreed": state.rounds_agreed,
        "round": play.number if play is not None and state.phase in _PLAYED else len(state.sheet.rounds) + 1,
        "player": play.turn if play is not None and state.phase is Phase.TURNS else None,
        "pool": None if play is None else play.pool,
        "last_turns": None if play is None else play.last_turns,
        "drew": play is not None and play.drew is not None,
        "table": [] if play is None else melds_json(play.table),
        "table_text": "" if play is None else str(play.table),
        "clock": _clock_json(night, press),
        "opening": opening,
        "judged": _judged_player(night),
        "wrong": play is not None and play.claim is not None,
        "exceeded": None if night.exceeded is None else _exceeded_json(night, night.exceeded),
        "failing": None if night.failing is None else _failing_json(night, way_back(night, press), press),
        "starting": _starting_json(night.recorded) if state.phase in (Phase.STARTER, Phase.DEAL) else None,
        "out": None if play is None else play.out,
        "finding": _finding_json(state),
        "sheet": sheet_json(state.sheet),
        "result": night.shows_result,
        "lost": [None if tile is None else tile_json(tile) for tile in state.lost],
        "alarms": _alarms_json(night),
        "highlights": _highlights_json(night.recorded) if state.phase is Phase.OVER else [],
        "undo": night.recorded.steps_back + night.pending_steps,
        "undoes": undo_words(night),
    }


def _judged_player(night: GameNightState) -> int | None:
    """Whose turn the verdict is about; the turn has passed on once it was legal."""
    play = night.state.round
    if play is None or night.judged is None:
        return None
    laid = play.turns[-1] if play.turns and play.turns[-1].verdict is not None else None
    passed_on = play.claim is None and laid is not None and laid.verdict == night.judged.weighed.verdict
    return laid.player if laid is not None and passed_on else play.turn


def _opening_json(night: GameNight, state: TableState) -> OpeningJson | None:
    table = opening_table(state)
    count = None if table is None else night.opening_count(table)
    if count is None:
        return None
    needed = night.rules.opening.minimum_points
    return {"points": count.points, "needed": needed, "enough": count.points >= needed}


def _settings_json(settings: GameNightSettings) -> SettingsJson:
    return {
        "timer": settings.timer.value,
        "tournament": settings.tournament,
        "penalty_at_once": settings.penalty_at_once,
        "notices_done": settings.notices_done,
        "control": settings.control.value,
    }


_PLAYED = (Phase.TURNS, Phase.RACKS)


def edition_json(rules: RuleSet) -> EditionJson:
    """What a page needs to know of the rules in play."""
    return {
        "key": rules.name,
        "name": edition_words(rules.name),
        "look": BOXES[rules.name].look,
        "samples": [tile_json(tile) for tile in _samples(rules.stock)],
        "title": gettext(TITLES[rules.name]),
        "house": list(changed_fields(rules, RULE_SETS[rules.name])),
        "inks": [{"letter": ink.letter, "ink": ink.word} for ink in rules.stock.inks],
        "numbers": rules.stock.numbers,
        "copies": rules.stock.copies,
        "jokers": rules.stock.jokers,
        "tiles": rules.stock.size,
        "dealt": rules.setup.dealt,
        "opening_points": rules.opening.minimum_points,
        "joker_left": rules.scoring.joker_points,
        "limit_s": rules.turn.limit_s,
        "penalty": rules.penalty.tiles,
        "stars": rules.stars is not None,
    }


def _samples(stock: Stock) -> list[Tile]:
    """Return one tile of each colour, from the lowest number to the highest, and the joker where there is one."""
    last = max(1, len(stock.inks) - 1)
    numbers = [1 + round(place * (stock.numbers - 1) / last) for place in range(len(stock.inks))]
    tiles = [Tile(ink, number) for ink, number in zip(stock.inks, numbers, strict=True)]
    return [*tiles, *([JOKER] if stock.jokers else [])]


def _player_json(night: GameNightState, at: int) -> PlayerJson:
    state, play = night.state, night.state.round
    seat = None if play is None else play.seats[at]
    bank = state.finding.bank if state.finding is not None else None if play is None else play.bank
    shown = None if seat is None else seat.shown
    points = None if seat is None else seat.points
    people = night.recorded.people
    return {
        "name": state.players[at],
        "people": list(people[at]) if at < len(people) else [state.players[at]],
        "away": at in state.away,
        "waits": seat is not None and seat.away and at not in state.away,
        "rack": None if seat is None else seat.rack,
        "opened": seat is not None and seat.opened,
        "drawn": 0 if seat is None else seat.drawn,
        "penalties": 0 if seat is None else seat.penalties,
        "turns": 0 if seat is None else seat.turns,
        "stars": None if bank is None else bank.stars(at),
        "owed": 0 if bank is None else bank.owed(at),
        "known": seat is not None and (seat.rack == 0 or shown is not None or seat.points is not None or seat.counted),
        "shown": None if shown is None else [tile_json(tile) for tile in shown],
        "rack_points": points if shown is None else rack_left(shown, state.rules.scoring).points,
    }


def _clock_json(night: GameNightState, press: Press) -> ClockJson:
    clock, now_s = night.clock, press.now_s
    left_s = clock.left(now_s)
    return {
        "running": clock.running,
        "used_s": round(clock.used(now_s), 2),
        "left_s": None if left_s is None else round(left_s, 2),
        "limit_s": clock.limit_s,
        "extra_s": clock.extra_s,
        "warning": clock.warning(now_s),
        "banks_s": [round(bank, 2) for bank in clock.banks_left(now_s)],
    }


def _failing_json(night: GameNightState, way: WayBack, press: Press) -> FailingJson:
    assert night.failing is not None  # there is a way back
    before = night.before()
    quads = dict(zip(before.table.melds, before.quads_px, strict=True))
    rows = () if way.lies is None else way.lies.rows
    return {
        "why": str(night.failing.why),
        "text": _failing_words(night, way),
        "wanted": [
            {
                "tiles": [tile_json(tile) for tile in meld],
                "quads": [[list(corner) for corner in quad] for quad in quads.get(meld, ((),) * len(meld))],
            }
            for meld in way.wanted.melds
        ],
        "moves": moves_json(way.moves, way.wanted, rows),
        "there": way.there,
        "penalty": way.penalty,
    }


def _failing_words(night: GameNightState, way: WayBack) -> str:
    assert night.failing is not None  # there is a way back
    if way.there:
        what = gettext("The table is as it should be.")
    elif night.state.rules.penalty.restore is Restore.LOOSE_TO_RACK:
        what = gettext("Cards that are in no valid set go onto the player's rack.")
    else:
        what = gettext("Put everything back as shown here.")
    why = "" if night.failing.why is FailureCause.TIME_UP else gettext("This turn was not allowed.")
    draws = (
        ngettext("Then draw {count} tile as a penalty.", "Then draw {count} tiles as a penalty.", way.penalty)
        if way.penalty
        else ""
    )
    return " ".join(filter(None, (why, what, draws)))


def _exceeded_json(night: GameNightState, exceeded: RackExceeded) -> ExceededJson:
    name = night.state.players[night.round.turn]
    return {
        "laid": exceeded.laid,
        "rack": exceeded.rack,
        "text": rack_exceeded_sentence(name, exceeded.laid, exceeded.rack),
    }


def _starting_json(recorded: RecordedGame) -> StartingJson:
    state = recorded.state
    wanted = dealing(len(state.present), state.rules, len(state.lost))
    return {
        "starter": state.starter,
        "contenders": list(state.contenders),
        "draws": len(undecided_lots(recorded)),
        "again": draw_again_words(recorded),
        "may_choose": may_choose_starter(state.rules.setup),
        "oldest": state.rules.setup.starter is Starter.OLDEST,
        "dealing": {
            "each": wanted.each,
            "stacks": list(wanted.stacks),
            "stacks_each": wanted.stacks_each,
            "loose_each": wanted.loose_each,
            "pool": wanted.pool,
            "stars": None if state.rules.stars is None else state.rules.stars.dealt,
        },
        "redeal": "" if state.redeal is None else _redeal_words(state),
    }


def _redeal_words(state: GameState) -> str:
    assert state.redeal is not None  # there was a demand
    name, pairs = state.players[state.redeal.player], state.redeal.pairs
    if state.redeal.granted:
        return ngettext(
            "{name} showed {count} pair: mix the tiles again.",
            "{name} showed {count} pairs: mix the tiles again.",
            pairs,
            name=name,
        )
    return ngettext(
        "{name} showed {count} pair: that is not enough.",
        "{name} showed {count} pairs: that is not enough.",
        pairs,
        name=name,
    )


def _finding_json(state: GameState) -> FindingJson | None:
    finding = state.finding
    if finding is None:
        return None
    following: list[Tile] = []
    if finding.run:
        colour: Colour | None = finding.run[0].colour
        numbers = ((finding.run[0].number or 0) - 1, (finding.run[-1].number or 0) + 1)
        following = [Tile(colour, number) for number in numbers if number > 0]
    return {
        "leader": finding.leader,
        "done": [[tile_json(tile) for tile in run] for run in finding.done],
        "run": [tile_json(tile) for tile in finding.run],
        "next": [tile_json(tile) for tile in following if state.rules.stock.copies_of(tile)],
        "fault": None if finding.fault is None else str(finding.fault),
    }


def sheet_json(sheet: ScoreSheet) -> SheetJson:
    """The score sheet, with what a chart of it needs."""
    signed = sheet.counts is Totals.HIGHEST_TOTAL
    partial = [ScoreSheet(sheet.players, sheet.counts, sheet.rounds[: at + 1]) for at in range(len(sheet.rounds))]
    return {
        "rounds": [
            {"points": [points_json(points, signed) for points in score.points], "winners": list(score.winners)}
            for score in sheet.rounds
        ],
        "totals": [points_json(points, signed) for points in sheet.totals],
        "running": [[float(points) for points in upto.totals] for upto in partial],
        "leaders": list(sheet.leaders),
        "counts": sheet.counts.value,
        "leads": leaders_sentence(sheet),
        "balance": balance_sentences(sheet),
        "balanced": not sheet.unbalanced_rounds and sheet.imbalance == 0,
    }


def _highlights_json(recorded: RecordedGame) -> list[HighlightJson]:
    return [
        {"title": one.title, "text": one.text, "tiles": [tile_json(tile) for tile in one.tiles]}
        for one in highlights(recorded)
    ]


def points_json(points: Points, signed: bool) -> PointsJson:
    """Points as a number, and as they are printed: with a true minus."""
    return {"value": float(points), "text": points_words(points, signed).replace("-", "\N{MINUS SIGN}")}


def _alarms_json(night: GameNightState) -> list[AlarmJson]:
    names = night.state.players
    return [
        {
            "code": str(alarm.code),
            "text": alarm_sentence(alarm, names),
            "player": alarm.player,
            "tile": None if alarm.tile is None else tile_json(alarm.tile),
        }
        for alarm in night.recorded.game.alarms
    ]
