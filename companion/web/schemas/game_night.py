"""Answers about a game night: players, turn, clock, score sheet, and the actions that are possible now."""

from collections.abc import Sequence
from typing import Self

from tilekeeper.companion.game_night.commands.failed_turn import count_drawn_if_taken_back
from tilekeeper.companion.game_night.permissions import may
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.settings import GameNightSettings
from tilekeeper.companion.game_night.short_racks import short_racks
from tilekeeper.companion.game_night.state import GameNightState, judged_player
from tilekeeper.companion.session.opening_points import opening_table
from tilekeeper.companion.session.snapshot import Moment
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.text.highlights import highlights
from tilekeeper.companion.text.history import last_event_words, last_laid_words
from tilekeeper.companion.text.scores import alarm_sentence, standing_sentence
from tilekeeper.companion.text.undo import undo_words
from tilekeeper.companion.web.schemas.answer import Answer
from tilekeeper.companion.web.schemas.edition import EditionJson
from tilekeeper.companion.web.schemas.failed_turn import ExceededJson, FailingJson
from tilekeeper.companion.web.schemas.round_start import FindingJson, StartingJson
from tilekeeper.companion.web.schemas.score_sheet import SheetJson
from tilekeeper.companion.web.schemas.tiles import TileJson, melds_json
from tilekeeper.engine.game.ledger import Alarm, AlarmCode
from tilekeeper.engine.game.rounds import is_rack_known
from tilekeeper.engine.game.scoring import rack_left
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext

_PLAYED = (Phase.TURNS, Phase.RACKS)


class SettingsJson(Answer):
    """The settings of the game night, with the fields and values of `POST /api/evening/settings`."""

    timer: str
    tournament: bool
    penalty_at_once: bool
    notices_done: bool
    control: str
    limits_s: list[int]
    end_points: int
    ends_at: str
    hints: bool

    @classmethod
    def from_settings(cls, settings: GameNightSettings) -> Self:
        """Return the settings for the page."""
        return cls(
            timer=settings.timer.value,
            tournament=settings.tournament,
            penalty_at_once=settings.penalty_at_once,
            notices_done=settings.notices_done,
            control=settings.control.value,
            limits_s=list(settings.limits_s),
            end_points=settings.end_points,
            ends_at=settings.ends_at,
            hints=settings.hints,
        )


class PlayerJson(Answer):
    """A player's seat; the index in the list is the seat's number, clockwise."""

    name: str
    people: list[str]
    """The people at the seat; several if they share a rack."""
    away: bool
    """Whether the player has left."""
    waits: bool
    """Whether the player came late and plays from the next round on."""
    rack: int | None
    """The number of tiles on the rack by the ledger; null before the first deal."""
    opened: bool
    """Whether the player has opened in this round."""
    drawn: int
    """How many tiles the player has drawn in this round, without penalty tiles."""
    penalties: int
    """How many penalty tiles the player has drawn in this round."""
    turns: int
    """How many turns of this round the player has finished."""
    stars: int | None
    """The star coins, including those that the bank owes; null in editions without stars."""
    owed: int
    """How many star coins the bank owes the player; 0 in editions without stars."""
    known: bool
    """Whether the rack needs no more entry at the end of the round: it is empty, its tiles, points or count are known,
    or the player has handed it in."""
    handed_in: bool
    """Whether the player has counted the rack on the own phone; its tiles are shown once all racks are known."""
    shown: list[TileJson] | None
    """The tiles of the rack at the end of the round; null until they are entered."""
    rack_points: int | None
    """The points of the rack at the end of the round; null until they are known."""

    @classmethod
    def from_state(cls, night: GameNightState, at: int) -> Self:
        """Return the player at the seat with the index `at`."""
        state, play = night.state, night.state.round
        seat = None if play is None else play.seats[at]
        bank = state.finding.bank if state.finding is not None else None if play is None else play.bank
        shown = None if seat is None else seat.shown
        points = None if seat is None else seat.points
        people = night.recorded.people
        handed_in = any(rack.player == at for rack in night.handed_in)
        return cls(
            name=state.players[at],
            people=list(people[at]) if at < len(people) else [state.players[at]],
            away=at in state.away,
            waits=seat is not None and seat.away and at not in state.away,
            rack=None if seat is None else seat.rack,
            opened=seat is not None and seat.opened,
            drawn=0 if seat is None else seat.drawn,
            penalties=0 if seat is None else seat.penalties,
            turns=0 if seat is None else seat.turns,
            stars=None if bank is None else bank.stars(at),
            owed=0 if bank is None else bank.debt_to(at),
            known=handed_in or (seat is not None and is_rack_known(seat, needs_points=False)),
            handed_in=handed_in,
            shown=None if shown is None else [TileJson.from_tile(tile) for tile in shown],
            rack_points=points if shown is None else rack_left(shown, state.rules.scoring).points,
        )


class ClockJson(Answer):
    """The clock of the turn, at the moment of this answer."""

    running: bool
    used_s: float
    """How many seconds the clock has run in this turn."""
    left_s: float | None
    """The remaining seconds; below 0 once the time is up in a friendly game, null without a limit."""
    limit_s: float | None
    """The limit of the turn in seconds; null without a limit."""
    extra_s: float
    """The seconds that were granted beyond the limit."""
    warning: int | None
    """15 when at most 15 seconds remain, 10 when at most 10 remain; otherwise null."""
    banks_s: list[float]
    """The seconds in each player's time bank; empty without a tournament."""

    @classmethod
    def from_state(cls, night: GameNightState, now_s: float) -> Self:
        """Return the clock at the time `now_s`."""
        clock, left_s = night.clock, night.clock.left(now_s)
        return cls(
            running=clock.running,
            used_s=round(clock.used(now_s), 2),
            left_s=None if left_s is None else round(left_s, 2),
            limit_s=clock.limit_s,
            extra_s=clock.extra_s,
            warning=clock.warning(now_s),
            banks_s=[round(bank, 2) for bank in clock.banks_left(now_s)],
        )


class OpeningJson(Answer):
    """The opening points of the current table, if the player in turn has not opened."""

    points: int
    """The points of the new sets on the table."""
    needed: int
    """The minimum of points for an opening."""
    enough: bool

    @classmethod
    def from_state(cls, state: TableState) -> Self | None:
        """Return the opening points of the current table; None if the player has opened or they are not counted yet."""
        night, table = state.activity.game_night, opening_table(state)
        count = None if table is None or night is None else night.opening_count(table)
        if count is None or night is None:
            return None
        needed = night.rules.opening.minimum_points
        return cls(points=count.points, needed=needed, enough=count.points >= needed)


class HighlightJson(Answer):
    """A highlight of a finished game night, such as its best turn."""

    title: str
    text: str
    tiles: list[TileJson]
    """The tiles of the highlight."""

    @classmethod
    def from_recorded(cls, recorded: RecordedGame) -> list[Self]:
        """Return the highlights of a finished game night."""
        return [
            cls(
                title=highlight.title,
                text=highlight.text,
                tiles=[TileJson.from_tile(tile) for tile in highlight.tiles],
            )
            for highlight in highlights(recorded)
        ]


class AlarmJson(Answer):
    """An alarm of the ledger: an impossible number of tiles, or a count that does not agree with it."""

    code: str
    text: str
    player: int | None
    tile: TileJson | None

    @classmethod
    def from_state(cls, night: GameNightState) -> list[Self]:
        """Return the alarms of the ledger; of racks that were too short only with the missing tiles of the box."""
        game = night.recorded.game
        short = _short_players(night) if any(alarm.code is AlarmCode.UNACCOUNTED for alarm in game.alarms) else set()
        return [
            cls(
                code=str(alarm.code),
                text=_alarm_text(alarm, night),
                player=alarm.player,
                tile=None if alarm.tile is None else TileJson.from_tile(alarm.tile),
            )
            for alarm in game.alarms
            if alarm.code is not AlarmCode.RACK_DIFFERS or alarm.player not in short
        ]


def _short_players(night: GameNightState) -> set[int]:
    return {player for player, _ in short_racks(night.recorded)}


def _alarm_text(alarm: Alarm, night: GameNightState) -> str:
    """Return an alarm in words; for missing tiles also the racks that had too few."""
    players = night.state.players
    short = short_racks(night.recorded) if alarm.code is AlarmCode.UNACCOUNTED else ()
    racks = ", ".join(f"{players[player]} {count}" for player, count in short)
    where = [gettext("Missing on the racks: {racks}.", racks=racks)] if racks else []
    return " ".join([alarm_sentence(alarm, players), *where])


class EveningJson(Answer):
    """The state of the game night in progress."""

    id: str
    demo: bool
    """Whether it is the demo: a recorded table with invented players, of which nothing is stored."""
    revision: int
    """The number that actions must send; it increases with each action, and when the time is up."""
    phase: str
    """`starter`, `deal`, `turns`, `racks`, `finding` or `over`."""
    standing: str
    """The phase in one sentence."""
    last: str
    """The last event in one sentence; empty at the start."""
    laid: str
    """The last turn with laid tiles in one sentence; empty without a verdict."""
    may: list[str]
    """The actions that are possible now, each by the last part of its path."""
    steering: list[str] | None
    """The ids of the tablets that may press buttons, including `host`; null if all may.

    A tablet compares its own id (`you.id` of `GET /api/access`) and greys its buttons if it is not among them.
    """
    edition: EditionJson
    settings: SettingsJson
    players: list[PlayerJson]
    first_acquaintance: bool
    """Whether the first-acquaintance game is played."""
    rounds_agreed: int | None
    """The agreed number of rounds; null for an open end."""
    round: int
    """The number of the current round, or of the next one between rounds, from 1."""
    player: int | None
    """The seat of the player in turn; null outside a turn."""
    pool: int | None
    """How many tiles the pool has by the ledger; null before the first deal."""
    last_turns: int | None
    """How many turns remain once the pool is empty; null before that."""
    drew: bool
    """Whether the player has drawn and, by a house rule, may still lay or pass."""
    table: list[list[TileJson]]
    """The table at the start of the turn, by the ledger."""
    table_text: str
    """The same table in the notation."""
    clock: ClockJson
    opening: OpeningJson | None
    """Null if the player has opened, the edition needs no points, or there is no table to count."""
    judged: int | None
    """The seat of the player whose turn `verdict` judges; null without a verdict."""
    wrong: bool
    """Whether the turn was judged illegal or undecided, so that players correct the table, take it back or overrule."""
    taking_back_draws: int | None
    """How many tiles the player must draw to take the turn back (`stand`); null unless `wrong`."""
    exceeded: ExceededJson | None
    """The question on which Done waits, or null. There are four answers: correct tiles; send how many tiles remain
    on the rack (`left`) to `POST /api/evening/done`; take the current table as the start of the turn with `POST
    /api/evening/table`; or play on with `POST /api/evening/cancel`."""
    failing: FailingJson | None
    """The failed turn whose table must be restored; null if no turn has failed."""
    starting: StartingJson | None
    """Null except in the phases `starter` and `deal`."""
    out: int | None
    """The seat of the player who ended the round with an empty rack; otherwise null."""
    finding: FindingJson | None
    """The state of the first-acquaintance game; null if another game is played."""
    sheet: SheetJson
    result: bool
    """Whether pages show the result of the last round, until `POST /api/evening/next-round`."""
    lost: list[TileJson | None]
    """The lost tiles; null for a tile that was lost face down, so that nobody knows it."""
    alarms: list[AlarmJson]
    undo: int
    """How many actions can be undone."""
    highlights: list[HighlightJson]
    """The highlights, such as the best turn, the longest run and the longest think; empty until the end."""
    undoes: str
    """The action that undo takes back, in two or three words, such as `Ada's draw`; empty if there is none."""

    @classmethod
    def from_state(cls, table: TableState, moment: Moment, steering: Sequence[str]) -> Self | None:
        """Return the state of the game night; None if none is in progress.

        Args:
            table: the state of the table, with the camera's snapshot.
            moment: the current time, for the clock.
            steering: the ids of the tablets that may press buttons if not all may.
        """
        played = table.activity.game_night
        if played is None:
            return None
        night = played.state
        state, play = night.state, night.state.round
        return cls(
            id=played.id,
            demo=played.demo,
            revision=played.revision,
            phase=str(state.phase),
            standing=standing_sentence(night.recorded.game),
            last=last_event_words(night.recorded),
            laid="" if night.judged is None else last_laid_words(night.recorded),
            may=may(night),
            steering=None if played.all_tablets_control else list(steering),
            edition=EditionJson.from_rules(state.rules),
            settings=SettingsJson.from_settings(night.settings),
            players=[PlayerJson.from_state(night, seat) for seat in range(len(state.players))],
            first_acquaintance=state.finding is not None,
            rounds_agreed=state.rounds_agreed,
            round=play.number if play is not None and state.phase in _PLAYED else len(state.sheet.rounds) + 1,
            player=play.turn if play is not None and state.phase is Phase.TURNS else None,
            pool=None if play is None else play.pool,
            last_turns=None if play is None else play.last_turns,
            drew=play is not None and play.drew is not None,
            table=[] if play is None else melds_json(play.table),
            table_text="" if play is None else str(play.table),
            clock=ClockJson.from_state(night, moment.now_s),
            opening=OpeningJson.from_state(table),
            judged=judged_player(night),
            wrong=play is not None and play.claim is not None,
            taking_back_draws=count_drawn_if_taken_back(night),
            exceeded=ExceededJson.from_state(night),
            failing=FailingJson.from_state(night, played.press(table.snapshot, moment, by="")),
            starting=StartingJson.from_recorded(night.recorded) if state.phase in (Phase.STARTER, Phase.DEAL) else None,
            out=None if play is None else play.out,
            finding=FindingJson.from_state(state),
            sheet=SheetJson.from_sheet(state.sheet),
            result=night.shows_result,
            lost=[None if tile is None else TileJson.from_tile(tile) for tile in state.lost],
            alarms=AlarmJson.from_state(night),
            highlights=HighlightJson.from_recorded(night.recorded) if state.phase is Phase.OVER else [],
            undo=night.recorded.steps_back + night.pending_steps,
            undoes=undo_words(night),
        )
