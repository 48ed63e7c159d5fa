"""What tables and the hall say to each other: models of the messages, strict, each with a version.

Whoever reads one gets it checked or a sentence that says what is wrong with it; nothing is taken half.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tilekeeper.companion.broker.topics import VERSION
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import lazy_gettext

Name: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,40}$")]
Words: TypeAlias = Annotated[str, Field(max_length=300)]
"""A name of a person, or a short text of theirs."""
Sentence: TypeAlias = Annotated[str, Field(max_length=2000)]
Id: TypeAlias = Annotated[str, Field(min_length=1, max_length=64)]
_MOST: Final = 2**31 - 1
"""No database keeps larger numbers in a column of whole ones."""
Number: TypeAlias = Annotated[int, Field(ge=1, le=_MOST)]
Count: TypeAlias = Annotated[int, Field(ge=0, le=_MOST)]
Seconds: TypeAlias = Annotated[float, Field(ge=-1e7, le=1e7)]
Jpeg: TypeAlias = Annotated[str, Field(max_length=4_000_000, pattern=r"^[A-Za-z0-9+/]*={0,2}$")]
"""A picture as JPEG in base64."""
MOST_PLAYERS: Final = 8


class MessageRefused(ValueError):  # noqa: N818 - says what happened, as it reads in an except
    """Something that came over the wire and is no message; its text is a sentence for people.

    Args:
        reason: the sentence.
        id: the id that it bears, where it can be read, so that it can be answered.
    """

    def __init__(self, reason: str, id: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.id = id


class Message(BaseModel):
    """What all messages have."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    version: Literal[1] = VERSION
    table: Name
    """The table that sends it, or that it is for."""
    sent_at: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC))
    """When, by the sender's clock, which may be wrong; nothing is reckoned from it."""

    def payload(self) -> bytes:
        """Return the message as it goes over the wire: JSON in UTF-8."""
        return self.model_dump_json().encode()


class Event(Message):
    """One entry of a table's log."""

    log: Id
    """Which evening of the table; its numbers begin with 1 and have no holes."""
    seq: Number
    kind: Annotated[str, Field(max_length=40)]
    """The event's name as in a game's file, such as `tiles-laid`."""
    data: dict[str, Any]
    """The event as it stands in the table's own log."""
    at: Annotated[str, Field(max_length=40)]
    """When, in UTC by the table's clock."""
    by: Words = ""
    """Who pressed at the table."""
    reason: Words = ""
    """Why, in a person's words, where the table overruled the judge."""


class Seat(BaseModel):
    """A player as the table shows one in its state."""

    model_config = Message.model_config

    name: Words
    rack: int | None
    """How many tiles are on the rack by the ledger; null before the deal."""
    opened: bool
    total: float
    """The points of the rounds that are scored."""


class TableState(Message):
    """How a table stands; retained, so that whoever comes late has it at once."""

    log: Id | None = None
    """The evening that is played; null where none is."""
    last_seq: Count = 0
    """How many entries its log has; whoever has fewer asks for the rest."""
    phase: Phase | None = None
    """What the game waits for; null where none is played."""
    round: Count = 0
    players: Annotated[list[Seat], Field(max_length=MOST_PLAYERS)] = []
    player: Annotated[int, Field(ge=0, lt=MOST_PLAYERS)] | None = None
    """Whose turn it is, from 0."""
    clock_runs: bool = False
    left_s: Seconds | None = None
    """What is left of the turn by the limit and the player's own clock, in seconds, when this was sent."""
    banks_s: Annotated[list[Seconds], Field(max_length=MOST_PLAYERS)] = []
    """What each player of a tournament has left; empty without one."""
    pool: int | None = None
    doubt: bool = False
    """Whether a question is open at the table: its verdict turns on it."""
    wrong: bool = False
    """Whether a layout lies there that the judge calls wrong."""
    verdict: Sentence = ""
    """The last verdict in a sentence; empty where there is none."""
    trouble: Sentence = ""
    """What is wrong with the camera; empty where all is well."""
    disputes: Annotated[list[Id], Field(max_length=20)] = []
    """The hands that are raised and not decided about."""


class Presence(Message):
    """Whether a table is there; `gone` is also its last will."""

    presence: Literal["here", "gone"]
    join: Annotated[str, Field(max_length=300, pattern=r"^(https?://[^/\s]+/join\?code=[A-Z0-9]+)?$")] = ""
    """Where a tablet gets into the table's app, with the join code; empty where only its own machine may."""


class Dispute(Message):
    """A raised hand: somebody at the table calls the arbiter."""

    id: Id
    log: Id
    seq: Number
    """The entry of the log that the hand was raised about: the last one then."""
    raised_by: Words = ""
    verdict: Sentence = ""
    """The judge's verdict then; empty where there was none."""
    reasons: Annotated[list[Sentence], Field(max_length=50)] = []
    """Why the judge said so, a sentence a fault."""
    before_jpeg: Jpeg | None = None
    """The table at the start of the turn."""
    after_jpeg: Jpeg | None = None
    """The table as it lay when the hand was raised; never a rack."""


class Acknowledgement(Message):
    """What became of a command."""

    command: Id
    done: bool
    refusal: Sentence = ""
    """Why it was not obeyed, in English; empty where it was."""
    said: Annotated[str, Field(max_length=4000)] = ""
    """The same for readers of other languages: JSON with `message`, as it stands in the code, and its `values`."""
    log: Id | None = None
    """The evening that it stands in."""


class Resend(Message):
    """Send the entries of a log again, from one on."""

    log: Id
    seq: Number


class CommandBase(Message):
    """What all commands have; one may come twice and is obeyed once."""

    id: Id
    by: Words
    """Who says so."""
    role: Annotated[str, Field(max_length=40)]
    """As what they are signed in at the hub; a table obeys `arbiter` and `organiser`."""
    why: Words = ""


class Player(BaseModel):
    """Who is to sit at a table."""

    model_config = Message.model_config

    id: Id
    name: Annotated[str, Field(min_length=1, max_length=100)]


class SeatCommand(CommandBase):
    """Play a round with these people: the table begins a new evening for it."""

    kind: Literal["seat"] = "seat"
    round: Number
    """Which round of the hall."""
    players: Annotated[list[Player], Field(min_length=2, max_length=MOST_PLAYERS)]
    """Clockwise."""
    edition: Annotated[str, Field(max_length=40)]
    house: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=60)] = []
    """House rules, each `part.field=value`."""
    timer: Literal["off", "friendly", "strict"] = "strict"
    tournament: bool = True
    """Whether each player has ten minutes, and ten seconds a turn, as well."""
    waits: bool = False
    """Whether turns wait until the hall starts the round; lots are drawn and tiles dealt before."""


class ClockCommand(CommandBase):
    """The round starts, pauses or goes on; where a turn is played its clock does the same.

    While it is paused no press at the table goes on with the turn.
    """

    kind: Literal["start", "pause", "resume"]


class DecideCommand(CommandBase):
    """What an arbiter decides about a dispute."""

    kind: Literal["decide"] = "decide"
    dispute: Id
    decision: Literal["stands", "taken_back", "time_given"]
    """The turn stands, or has failed and is taken back, or time is given for it."""
    seconds: Annotated[float, Field(gt=0, le=3600)] | None = None
    """How much time is given."""


Command: TypeAlias = Annotated[SeatCommand | ClockCommand | DecideCommand, Field(discriminator="kind")]
COMMAND: Final[TypeAdapter[SeatCommand | ClockCommand | DecideCommand]] = TypeAdapter(Command)

M = TypeVar("M", bound=Message)


def read_message(kind: type[M], payload: bytes) -> M:
    """Return the message that came over the wire.

    Raises:
        MessageRefused: if it is none of this kind and version.
    """
    try:
        return kind.model_validate_json(payload)
    except ValidationError as error:
        raise _refused(payload, error) from None


def read_command(payload: bytes) -> SeatCommand | ClockCommand | DecideCommand:
    """Return the command that came over the wire.

    Raises:
        MessageRefused: if it is none of this version.
    """
    try:
        return COMMAND.validate_json(payload)
    except ValidationError as error:
        raise _refused(payload, error) from None


def _refused(payload: bytes, error: ValidationError) -> MessageRefused:
    try:
        content = json.loads(payload)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        return MessageRefused(lazy_gettext("This is not a message: it is not a JSON object."))
    id_ = content.get("id")
    known = id_ if isinstance(id_, str) and 0 < len(id_) <= 64 else None
    if content.get("version") != VERSION:
        found = json.dumps(content.get("version"))[:40]
        return MessageRefused(
            lazy_gettext(
                "This message has version {found}, but this Tilekeeper knows version {version}. "
                "Install the same Tilekeeper on both.",
                found=found,
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
