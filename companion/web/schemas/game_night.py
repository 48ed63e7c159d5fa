"""Answers about an evening: who plays, whose turn it is, the clock, the score sheet, and what may be done now."""

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.table import (
    DESCRIBED,
    HallJson,
    MoveJson,
    PictureJson,
    ReadingJson,
    SourceJson,
    StorageJson,
    TileJson,
    TurnJson,
    VerdictJson,
)


@with_config(DESCRIBED)
class InkJson(TypedDict):
    """A colour of the edition."""

    letter: str
    ink: str


@with_config(DESCRIBED)
class EditionJson(TypedDict):
    """The edition in play, with house rules: what a page needs to know of it, for a tile pad for one."""

    key: str
    name: str
    """What people call its box: `Standard box`."""
    look: str
    """What that looks like, in one or two short sentences."""
    samples: list[TileJson]
    """Some of its tiles: one of each colour, from the lowest number to the highest, and the joker."""
    title: str
    """What it is, in a few words."""
    house: list[str]
    """House rules, each `part.field=value`."""
    inks: list[InkJson]
    numbers: int
    """The highest number."""
    copies: int
    jokers: int
    tiles: int
    """How many tiles the box holds."""
    dealt: int
    opening_points: int
    """How many points an opening needs at least; 0 where there is none."""
    joker_left: int
    """What a joker counts that is left on a rack."""
    limit_s: int | None
    penalty: int
    """How many tiles a failed turn costs."""
    stars: bool
    """Whether star coins are counted, not points."""


@with_config(DESCRIBED)
class SettingsJson(TypedDict):
    """What was agreed upon; see `POST /api/evening/settings`."""

    timer: str
    tournament: bool
    penalty_at_once: bool
    notices_done: bool
    control: str


@with_config(DESCRIBED)
class PlayerJson(TypedDict):
    """A seat; its place in the list is its number, clockwise."""

    name: str
    people: list[str]
    """Who sits there; several where they share a rack."""
    away: bool
    """Whether they have left."""
    waits: bool
    """Whether they came late and play from the next round on."""
    rack: int | None
    """How many tiles by the ledger; null before the first deal."""
    opened: bool
    drawn: int
    penalties: int
    turns: int
    stars: int | None
    """Stars owned, those that the bank owes counted in; null in editions without."""
    owed: int
    known: bool
    """Whether the rack at the end of the round is known."""
    shown: list[TileJson] | None
    """The rack at the end of the round, once shown."""
    rack_points: int | None
    """What it counts."""


@with_config(DESCRIBED)
class ClockJson(TypedDict):
    """The clock of the turn, at the moment of this answer."""

    running: bool
    used_s: float
    left_s: float | None
    """Null without a limit; below 0 once the time is up in a friendly game."""
    limit_s: float | None
    extra_s: float
    warning: int | None
    """15 or 10, once no more seconds than that are left."""
    banks_s: list[float]
    """What each player of a tournament has left; empty without."""


@with_config(DESCRIBED)
class OpeningJson(TypedDict):
    """How far a player who has not opened has come, as the table lies now."""

    points: int
    needed: int
    enough: bool


@with_config(DESCRIBED)
class PlaceOnMapJson(TypedDict):
    """Where a meld lay on the picture, for a map of the table."""

    tiles: list[TileJson]
    quads: list[list[list[float]]]
    """The corners of each tile, as in a reading; an empty list where nobody saw it."""


@with_config(DESCRIBED)
class FailingJson(TypedDict):
    """A turn that has failed: how the table should lie again, and what is still to be moved."""

    why: str
    """`time-up` or `wrong`."""
    text: str
    """What to do, in one sentence."""
    wanted: list[PlaceOnMapJson]
    """The map of the table as it should lie."""
    moves: list[MoveJson]
    """Moves from the table as the camera sees it; empty where it lies so, or nobody sees it."""
    there: bool | None
    """Whether it lies so again; null where no camera sees it."""
    penalty: int


@with_config(DESCRIBED)
class ExceededJson(TypedDict):
    """More tiles were laid than the player can have had: Done waits until people say what is wrong."""

    laid: int
    rack: int
    """How many tiles were on the rack by the ledger; below 0 where it was wrong before."""
    text: str
    """Both in one sentence."""


@with_config(DESCRIBED)
class DealingJson(TypedDict):
    """What everybody takes before a round."""

    each: int
    stacks: list[int]
    """The sizes of all stacks, the one to be drawn from first at the front; empty where tiles are not stacked."""
    stacks_each: int
    loose_each: int
    pool: int
    stars: int | None
    """Star coins that each takes; null in editions without any."""


@with_config(DESCRIBED)
class StartingJson(TypedDict):
    """Finding out who begins, and the deal."""

    starter: int | None
    contenders: list[int]
    """Who draws a tile now; empty where no lots are drawn."""
    draws: int
    """How often lots were drawn for this round that decided nothing."""
    again: str
    """Who draws again and why, in words; empty where nobody has drawn yet."""
    may_choose: bool
    """Whether the players may say who begins; else that is an overrule."""
    oldest: bool
    """Whether the edition lets the oldest begin."""
    dealing: DealingJson
    redeal: str
    """What came of the last demand for a redeal, in words; empty where there was none."""


@with_config(DESCRIBED)
class PointsJson(TypedDict):
    """Points as on a sheet."""

    value: float
    text: str
    """`+24`, `-5`, `+7 1/2`."""


@with_config(DESCRIBED)
class RoundJson(TypedDict):
    """A round on the sheet."""

    points: list[PointsJson]
    winners: list[int]


@with_config(DESCRIBED)
class SheetJson(TypedDict):
    """The score sheet."""

    rounds: list[RoundJson]
    totals: list[PointsJson]
    running: list[list[float]]
    """For a line chart: the totals after each round, by seats."""
    leaders: list[int]
    counts: str
    """`highest-total` or `rounds-won`."""
    leads: str
    """Who leads, in words."""
    balance: list[str]
    """Whether plus equals minus, in words; empty where it need not."""
    balanced: bool


@with_config(DESCRIBED)
class HighlightJson(TypedDict):
    """What stands out of an evening."""

    title: str
    text: str
    tiles: list[TileJson]
    """The tiles that it is about; empty where it is about none."""


@with_config(DESCRIBED)
class FindingJson(TypedDict):
    """The first-acquaintance game."""

    leader: int | None
    done: list[list[TileJson]]
    run: list[TileJson]
    """The run that is searched for; empty while a tile is to be pointed at."""
    next: list[TileJson]
    """The tiles that would be right."""
    fault: str | None
    """What was wrong with the last tile: `other-colour`, `not-next` or `leader-found`."""


@with_config(DESCRIBED)
class AlarmJson(TypedDict):
    """Something that can't be, or was counted otherwise."""

    code: str
    text: str
    player: int | None
    tile: TileJson | None


@with_config(DESCRIBED)
class EveningJson(TypedDict):
    """An evening as it stands."""

    id: str
    revision: int
    """What every action must carry; it changes with every action, and when the time is up."""
    phase: str
    """What it waits for: `starter`, `deal`, `turns`, `racks`, `finding` or `over`."""
    standing: str
    """The same in one sentence."""
    last: str
    """What happened last, in one sentence; empty at the start."""
    may: list[str]
    """The actions that are possible now, by the last word of their path."""
    steering: list[str] | None
    """The ids of the tablets that may press buttons, `host` among them; null while all may.

    `GET /api/access` says which of them asks (`you.id`); the others show the game and grey their buttons.
    """
    edition: EditionJson
    settings: SettingsJson
    players: list[PlayerJson]
    first_acquaintance: bool
    rounds_agreed: int | None
    round: int
    """The number of the round that is played or is to be, from 1."""
    player: int | None
    """Whose turn it is."""
    pool: int | None
    last_turns: int | None
    """How many turns are left in the last round; null where it has not come."""
    drew: bool
    """Whether the player has drawn and may still lay or pass, where a house rule lets them."""
    table: list[list[TileJson]]
    """The table at the start of the turn, by the ledger."""
    table_text: str
    clock: ClockJson
    opening: OpeningJson | None
    """Null where the player has opened, or nobody sees the table."""
    judged: int | None
    """Whose turn the verdict is about: that of the present player, or the one before; null where there is none."""
    wrong: bool
    """Whether a wrong layout lies there and is to be mended, taken back, stood by, or overruled."""
    exceeded: ExceededJson | None
    """Why Done waits for an answer: tiles are corrected, `POST /api/evening/done` says how many are `left` on the rack,
    `POST /api/evening/table` starts from the table as it lies, or `POST /api/evening/cancel` plays on."""
    failing: FailingJson | None
    starting: StartingJson | None
    """In the phases `starter` and `deal`."""
    out: int | None
    """Who has emptied the rack."""
    finding: FindingJson | None
    sheet: SheetJson
    result: bool
    """Whether the result of the last round is shown until `POST /api/evening/next-round`."""
    lost: list[TileJson | None]
    """Tiles that are in the box no more; null for one of which nobody knows what it was."""
    alarms: list[AlarmJson]
    undo: int
    """How many steps can be taken back."""
    highlights: list[HighlightJson]
    """Once the evening is over: best turn, longest run, longest think."""
    undoes: str
    """What one step back takes back, in two or three words, such as `Ada’s draw`; empty where there is nothing."""


@with_config(DESCRIBED)
class StateJson(TypedDict):
    """All that a page shows; the stream `/events` sends the same."""

    version: int
    """Counts every change, pictures as well."""
    boot: str
    """Another after each start of the app; versions begin anew then."""
    rules: str
    """The edition in play."""
    source: SourceJson
    storage: StorageJson
    hall: HallJson | None
    """The hall that the table plays in; null where it plays alone."""
    picture: PictureJson | None
    settled: bool
    """Whether the reading is of the present picture."""
    frame: str | None
    """What the newest frame shows: `still`, `moving`, `hidden` where something covers a part of the table, `lost` where
    all of the picture moves; null before the first, and for photos."""
    reading: ReadingJson | None
    turn: TurnJson
    verdict: VerdictJson | None
    evening: EveningJson | None
    """Null where no evening is being played."""


@with_config(DESCRIBED)
class ErrorJson(TypedDict):
    """Why something was refused; nothing has changed."""

    error: str
    """One line for people."""
    code: str
    """For pages: `stale`, `not-now`, `bad-input`, `bad-name`, `bad-table`, `table-differs`, `doubtful-tiles`,
    `impossible-tiles`, `no-picture`, `moving`, `failing`, `reason`, `no-control`, `join-first`, `too-large`,
    `not-found`, `other-site`, `not-encrypted`, `disk`."""
    details: dict[str, object]
    """What a page needs to offer a way on."""


@with_config(DESCRIBED)
class HistoryItemJson(TypedDict):
    """One thing that happened."""

    place: int
    """Its place in the evening's records, from 0."""
    step: int
    at: str
    by: str
    kind: str
    """The event's name, as in the game's file."""
    round: int | None
    player: int | None
    text: str
    reason: str
    seconds: float | None
    undone: bool
    """Whether it was taken back since."""
    legal: bool | None
    """The verdict, where there was one."""
    tiles: list[TileJson]
    """The tiles that it is about: laid, drawn as lots, or shown on a rack."""
    table: str
    """The table after it."""
    picture: str | None
    """Where the picture of the table then is fetched; null where there was no camera."""
    picture_before: str | None
