"""Message models of a hall: strict pydantic models with a version, and functions that validate payloads."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tilekeeper.companion.messaging.topics import VERSION
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import lazy_gettext
from tilekeeper.engine.rules.violations import Violation

Name: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,40}$")]
"""The name of a table."""
Words: TypeAlias = Annotated[str, Field(max_length=300)]
"""A person's name, or a short text written by a person."""
Sentence: TypeAlias = Annotated[str, Field(max_length=2000)]
Id: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+(\.[0-9]+)?$", max_length=64)]
"""An id; it is used in URLs, so it has no slash, and is never `.` or `..`."""
Digest: TypeAlias = Annotated[str, Field(pattern=r"^([0-9a-f]{32})?$")]
_MOST: Final = 2**31 - 1
"""The largest number that fits into an integer column of any database."""
Number: TypeAlias = Annotated[int, Field(ge=1, le=_MOST)]
Count: TypeAlias = Annotated[int, Field(ge=0, le=_MOST)]
Whole: TypeAlias = Annotated[int, Field(ge=-_MOST, le=_MOST)]
Seconds: TypeAlias = Annotated[float, Field(ge=-1e7, le=1e7)]
Bank: TypeAlias = Annotated[float, Field(ge=10, le=36_000)]
"""The seconds on a player's clock."""
MOST_JPEG_BYTES: Final = 1_500_000
"""The largest size of a picture in a message."""
Jpeg: TypeAlias = Annotated[str, Field(max_length=MOST_JPEG_BYTES * 4 // 3, pattern=r"^[A-Za-z0-9+/]*={0,2}$")]
"""A JPEG picture in base64."""
_JOIN: Final = r"^(https?://(\[[0-9a-fA-F:.]+\]|[0-9A-Za-z._-]+)(:[0-9]{1,5})?/join\?code=[A-Z0-9]+)?$"
MOST_PAYLOAD_BYTES: Final = 4_200_000
"""The largest size of any message; a raised hand with two pictures needs it."""
MOST_PARTS: Final = 10_000
"""The largest number of fields and items in a message; each takes the parser 300 bytes, a raised hand has 1,000."""
MOST_PLAYERS: Final = 8
MOST_PAST_LOGS: Final = 50
"""A table plays ten games on a long day."""
TOO_MANY: Final = lazy_gettext("It sends more than a table needs.")
"""The reason for which messages beyond a limit are refused."""


class MessageRefused(ValueError):  # noqa: N818 - says what happened, as it reads in an except
    """A payload is not a valid message.

    Args:
        reason: what is wrong, as a sentence for the organiser.
        id: the id in the payload, by which the refusal names the message; None if it can't be read.
    """

    def __init__(self, reason: str, id: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.id = id


class Message(BaseModel):
    """The fields that all messages share."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    MOST_BYTES: ClassVar[int] = 64_000
    """The largest payload that is parsed."""

    version: Literal[1] = VERSION
    table: Name
    """The table that sends or receives the message."""
    sent_at: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC))
    """When the message was sent, by the sender's clock, which may be wrong."""

    def payload(self) -> bytes:
        """Return the message as JSON in UTF-8."""
        return self.model_dump_json().encode()


class Event(Message):
    """One entry of a table's log."""

    MOST_BYTES: ClassVar[int] = 20_000
    """The longest entry begins a game night with all house rules, in half of this."""
    log: Id
    """The log's name, usually the game night's id."""
    seq: Number
    """The number of the entry in its log, from 1 without gaps."""
    kind: Annotated[str, Field(max_length=40)]
    """The kind of event as in a game file, such as `tiles-laid`."""
    data: dict[str, Any]
    """The event as the table stores it."""
    at: Annotated[str, Field(max_length=40)]
    """When the event happened, in UTC by the table's clock."""
    by: Words = ""
    """Who pressed the button at the table."""
    reason: Words = ""
    """A person's reason for overruling the judge."""
    digest: Digest = ""
    """The running digest of the log after this entry; empty if it is unknown."""


class PlayerStatus(BaseModel):
    """One player in the status of a table."""

    model_config = Message.model_config

    name: Words
    rack: Whole | None
    """The number of tiles on the rack, counted from the game's events; null before the deal."""
    opened: bool
    total: float
    """The sum of the points in the scored rounds."""


class TableStatus(Message):
    """The status of a table; the broker retains it, so that a new subscriber gets it at once."""

    log: Id | None = None
    """The log of the current game night; null if none is played."""
    last_seq: Count = 0
    """The number of entries of this log; a hub with fewer asks for the rest."""
    digest: Digest = ""
    """The running digest after entry `last_seq`; a hub with another digest asks for a new log."""
    phase: Phase | None = None
    """The phase of the game; null if no game night is played."""
    round: Count = 0
    players: Annotated[list[PlayerStatus], Field(max_length=MOST_PLAYERS)] = []
    player: Annotated[int, Field(ge=0, lt=MOST_PLAYERS)] | None = None
    """The index of the player whose turn it is, from 0."""
    clock_runs: bool = False
    left_s: Seconds | None = None
    """Seconds left for the turn at the time of sending, by the turn's limit and the player's own clock."""
    banks_s: Annotated[list[Seconds], Field(max_length=MOST_PLAYERS)] = []
    """Seconds left on each player's own clock; empty if the players have none."""
    pool: Whole | None = None
    """The number of tiles in the pool; null before the deal."""
    doubt: bool = False
    """Whether the verdict depends on an open question, or the players must decide about the turn."""
    wrong: bool = False
    """Whether the judge has called the turn illegal and nobody has reacted yet."""
    verdict: Sentence = ""
    """The last verdict in words, as lines in the form of `Acknowledgement.said`; empty if no turn was judged."""
    trouble: Sentence = ""
    """A sentence about a problem of the camera; empty if there is none."""
    disputes: Annotated[list[Id], Field(max_length=20)] = []
    """The ids of the undecided raised hands."""


class PastLog(BaseModel):
    """The log of a past game night."""

    model_config = Message.model_config

    log: Id
    last_seq: Count
    """The number of its entries."""


class Presence(Message):
    """Whether a table is connected; `gone` is also the last will, which the broker sends for a lost table."""

    presence: Literal["here", "gone"]
    join: Annotated[str, Field(max_length=300, pattern=_JOIN)] = ""
    """The address with the join code at which tablets join the table's app; empty if they can't."""
    past_logs: Annotated[list[PastLog], Field(max_length=MOST_PAST_LOGS)] = []
    """The latest logs of past game nights; a hub with fewer entries of one asks for the rest."""


class Dispute(Message):
    """A raised hand: somebody at the table calls the arbiter."""

    MOST_BYTES: ClassVar[int] = MOST_PAYLOAD_BYTES
    id: Id
    log: Id
    seq: Number
    """The number of the last log entry when the hand was raised."""
    raised_by: Words = ""
    verdict: Sentence = ""
    """The verdict at that time, as in `TableStatus`; empty if no turn was judged."""
    reasons: Annotated[list[Sentence], Field(max_length=50)] = []
    """The reasons of the verdict in the table's language, one sentence per violation."""
    faults: Annotated[list[Violation], Field(max_length=50)] = []
    """The violations, from which a hub makes the reasons in its reader's language."""
    before: Annotated[str, Field(max_length=2000)] = ""
    """The table at the start of the turn, in the notation."""
    after: Annotated[str, Field(max_length=2000)] = ""
    """The table at the end of the turn, in the notation."""
    edition: Annotated[str, Field(max_length=40)] = ""
    """The edition in play; empty if no turn was judged."""
    rules: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=60)] = []
    """The broken rules with their values in play, each `part.field=value`."""
    before_jpeg: Jpeg | None = None
    """The table at the start of the turn."""
    after_jpeg: Jpeg | None = None
    """The table when the hand was raised; never a rack."""


class Acknowledgement(Message):
    """The answer to a command."""

    command: Id
    done: bool
    refusal: Sentence = ""
    """Why the command was refused, in English; empty if it was carried out."""
    said: Annotated[str, Field(max_length=4000)] = ""
    """The refusal for other languages: JSON with the `message` to translate and its `values`."""
    log: Id | None = None
    """The log that contains the command; null if there is none."""


class Resend(Message):
    """A request to send the entries of a log again, from entry `seq` on."""

    log: Id
    seq: Number
    begin_new: bool = False
    """Whether to send all entries as a new log, since the hub has different entries under this name."""


class CommandBase(Message):
    """The fields that all commands share; a command that arrives twice is carried out once."""

    id: Id
    by: Words
    """The name of the person who gives the command."""
    role: Annotated[str, Field(max_length=40)]
    """The person's role at the hub; a table obeys only `arbiter` and `organiser`."""
    why: Words = ""


class Player(BaseModel):
    """A player who takes a seat."""

    model_config = Message.model_config

    id: Id
    name: Annotated[str, Field(min_length=1, max_length=100)]
    bank_s: Bank | None = None
    """The seconds of a player with more or less time than others; null for the usual time."""


class SeatCommand(CommandBase):
    """Play a round with these players; the table begins a new game night for it."""

    kind: Literal["seat"] = "seat"
    round: Number
    """The number of the hall's round."""
    players: Annotated[list[Player], Field(min_length=2, max_length=MOST_PLAYERS)]
    """The players, clockwise."""
    edition: Annotated[str, Field(max_length=40)]
    house: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=60)] = []
    """House rules, each `part.field=value`."""
    timer: Literal["off", "friendly", "strict"] = "strict"
    tournament: bool = True
    """Whether each player also has a clock for the whole game."""
    bank_s: Bank = 600.0
    """The seconds on each player's clock."""
    added_s: Annotated[float, Field(ge=0, le=600)] = 10.0
    """The seconds that each player gets for each turn."""
    increment: Literal["bronstein", "fischer"] = "bronstein"
    """Whether a turn's time is given back up to `added_s`, or `added_s` is added after each turn."""
    games: Annotated[int, Field(ge=1, le=12)] = 1
    """The number of games of this round at the table."""
    waits: bool = False
    """Whether the first turn waits until the hall starts the round; lots and deal come before."""


class ClockCommand(CommandBase):
    """Start, pause or resume the round, together with the clock of the current turn.

    While the round is paused, the buttons at the table can't continue the turn.
    """

    kind: Literal["start", "pause", "resume"]


class TimeCommand(CommandBase):
    """More time for the current turn, without a dispute, such as after tiles have toppled."""

    kind: Literal["time"] = "time"
    seconds: Annotated[float, Field(gt=0, le=3600)]


class DecideCommand(CommandBase):
    """An arbiter's decision about a dispute."""

    kind: Literal["decide"] = "decide"
    dispute: Id
    decision: Literal["stands", "taken_back", "time_given", "goes_on"]
    """The turn stands, it fails and is taken back, the player gets more time, or the turn goes on as it is."""
    seconds: Annotated[float, Field(gt=0, le=3600)] | None = None
    """The extra time of `time_given`, in seconds; null for other decisions."""


HallCommand: TypeAlias = SeatCommand | ClockCommand | TimeCommand | DecideCommand
COMMAND: Final[TypeAdapter[HallCommand]] = TypeAdapter(Annotated[HallCommand, Field(discriminator="kind")])

_PART_SIGNS: Final = (b",", b"[", b"{")
"""A JSON text has as many of these as fields and items; the pictures in a message have none."""
_ID: Final[TypeAdapter[str]] = TypeAdapter(Id)

M = TypeVar("M", bound=Message)


def read_message(kind: type[M], payload: bytes) -> M:
    """Return the message of a payload after validation.

    Raises:
        MessageRefused: if the payload is not a message of this kind and version, or is too long.
    """
    if len(payload) > kind.MOST_BYTES or sum(map(payload.count, _PART_SIGNS)) > MOST_PARTS:
        raise MessageRefused(lazy_gettext("This message is too long."))
    try:
        return kind.model_validate_json(payload)
    except ValidationError as error:
        raise _refused(payload, error) from None


def read_command(payload: bytes) -> HallCommand:
    """Return the command of a payload after validation.

    Raises:
        MessageRefused: if the payload is not a command of this version.
    """
    try:
        return COMMAND.validate_json(payload)
    except ValidationError as error:
        raise _refused(payload, error) from None


def _id_in(content: dict[str, Any]) -> str | None:
    try:
        return _ID.validate_python(content.get("id"))
    except ValidationError:
        return None


def _refused(payload: bytes, error: ValidationError) -> MessageRefused:
    try:
        content = json.loads(payload)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        return MessageRefused(lazy_gettext("This is not a message: it is not a JSON object."))
    known = _id_in(content)
    if content.get("version") != VERSION:
        version = json.dumps(content.get("version"))[:40]
        return MessageRefused(
            lazy_gettext(
                "This message has version {found}, but this Tilekeeper knows version {version}. "
                "Install the same Tilekeeper on both.",
                found=version,
                version=VERSION,
            ),
            known,
        )
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    return MessageRefused(
        lazy_gettext("This message can't be understood: {where}: {what}.", where=where[:80], what=first["msg"]),
        known,
    )
