"""The table in its hall: a thread that tells what happens, and the answers to what the hall wants.

The game waits for none of this. While the hall can't be reached everything is kept in the table's own database, and a
quiet line on the page says so.
"""

from __future__ import annotations

import base64
import logging
import threading
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from tilekeeper.companion.broker.broker import Link, Receipt
from tilekeeper.companion.broker.messages import (
    Acknowledgement,
    Dispute,
    Message,
    MessageRefused,
    Presence,
    Resend,
    SeatCommand,
    TableState,
    read_command,
    read_message,
)
from tilekeeper.companion.broker.topics import RETAINED, Branch, TableName
from tilekeeper.companion.game_night.commands.clock import pause
from tilekeeper.companion.hall.orders import OBEYED, AnyCommand, Obey, agreement, decided, has_obeyed, seated
from tilekeeper.companion.hall.outbox import Outbox, RaisedHand
from tilekeeper.companion.hall.table_report import is_same, table_report, verdict_reasons, verdict_words
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.commands import Act, PlayGameNight, UpdateGameNight, playing
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.session.repository import GameNights
from tilekeeper.companion.session.session import Session
from tilekeeper.companion.session.table_state import TableState as State
from tilekeeper.companion.text.kept import kept, told
from tilekeeper.engine.game.events import TilesLaid, TurnFailed
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import KEPT, gettext, lazy_gettext, speaking

log = logging.getLogger(__name__)

_LOOKS_EVERY_S: Final = 0.25
_SAVES_EVERY_S: Final = 1.0
_QUIET_AFTER_S: Final = 3.0
"""So long nobody may be reached before the page says so: a broker that is started anew is there sooner."""
_LETS_GO_AFTER_S: Final = 60.0
"""A table that was halted goes on by itself once nobody was reached for so long: a hub may be gone for good."""
_FLUSHES_FOR_S: Final = 1.0
_TAKEN_WITHIN_S: Final = 5.0
"""What is not taken by then, on a connection that stands, was lost on the way, and is sent again."""


class Hall:
    """The link of this table to its hall."""

    def __init__(self, session: Session, game_nights: GameNights, link: Link, join: Callable[[], str | None]) -> None:
        """Take the parts of a table; nothing is sent before `start`.

        Args:
            session: what is played.
            game_nights: how it is kept.
            link: the way to the hall.
            join: gives where tablets get in, for the hall to send them there; None where none does.
        """
        self.name = name = link.name
        self._session = session
        self._game_nights = game_nights
        self._broker = link.broker
        self._outbox = Outbox(game_nights.database, f"{name.club}/{name.table}")
        self._closed = threading.Event()
        self._connection = 0
        self._connected_s = 0.0
        self._begins_anew = True
        """Whether what the hall may lack is to be told before anything else."""
        self._on_the_way: deque[tuple[Receipt, float]] = deque()
        """What was sent and not taken yet, with when."""
        self._hands_told: set[str] = set()
        self._told: TableState | None = None
        self._away_since_s: float | None = None
        self._away_told = False
        self._saved_s = 0.0
        self._join = join
        self._thread = threading.Thread(target=self._run, name="hall", daemon=True)

    @property
    def notice(self) -> str:
        """That the hall can't be reached, in a sentence for the page; empty while it is."""
        since_s = self._away_since_s
        if since_s is None or self._session.moment().now_s - since_s < _QUIET_AFTER_S:
            return ""
        return lazy_gettext("No connection to the tournament. Play on: everything is sent later.")

    @property
    def hands(self) -> tuple[RaisedHand, ...]:
        """The hands that are raised in the evening that is played, and not decided about."""
        night = self._session.state.activity.game_night
        if night is None:
            return ()
        answered = decided(night) if self._outbox.hands else frozenset()
        return tuple(hand for hand in self._outbox.hands if hand.log == night.id and hand.id not in answered)

    def start(self) -> None:
        """Connect as soon as it can be, and tell what happens."""
        self._broker.start(
            {self.name.topic(Branch.COMMANDS): self._commanded, self.name.topic(Branch.RESEND): self._asked}
        )
        self._thread.start()

    def close(self) -> None:
        """Send what can be sent in a moment, and say goodbye."""
        self._closed.set()
        if self._thread.ident is not None:
            self._thread.join(_FLUSHES_FOR_S + 1)
        self._broker.close()
        self._outbox.settle()
        self._outbox.save()

    def call_arbiter(self, by: str) -> None:
        """Raise a hand: the clock stands, and the hall gets the verdict with the table before and after.

        Raises:
            Refused: where no turn is played or was, or a hand is raised already.
        """
        state = self._session.state
        night = playing(state)
        if night.state.state.phase not in (Phase.TURNS, Phase.RACKS):
            raise Refused(gettext("Nobody is playing a turn now."))
        if self.hands:
            raise Refused(gettext("The referee was already called."), "called")
        hand = self._hand(state, night, by)
        if night.state.state.phase is Phase.TURNS and night.state.clock.running:
            self._session.handle(Act(night.revision, pause, by))
        self._outbox.raise_hand(hand)
        self._session.announce()

    def _hand(self, state: State, night: GameNight, by: str) -> RaisedHand:
        """The hand with the pictures of the turn that it is about: the one that was judged last."""
        records = night.state.recorded.records
        id_ = str(uuid.uuid4())
        last = next(reversed(night.state.recorded.standing()))
        before = after = None
        if isinstance(last.entry, TilesLaid | TurnFailed):
            before, after = last.note.picture_before, last.note.picture
        elif night.state.state.phase is Phase.TURNS:
            # Between the turns of a round the camera may see racks, and those are nobody's business.
            before, after = night.state.start_picture, self._kept_picture(state, night, f"dispute-{id_[:8]}")
        return RaisedHand(id_, night.id, len(records), by, verdict_words(night), verdict_reasons(night), before, after)

    def _kept_picture(self, state: State, night: GameNight, name: str) -> str | None:
        """Keep what the camera shows, and return its name; None where that is nothing, or the disk refuses it."""
        if state.snapshot.picture is None or state.snapshot.trouble:
            return None
        try:
            self._game_nights.pictures.keep(night.id, name, state.snapshot.picture.jpeg)
        except OSError:
            return None
        return name

    # What goes out.

    def _run(self) -> None:
        version = -1
        while not self._closed.is_set():
            state = self._session.wait(version, _LOOKS_EVERY_S)
            if self._session.closed:
                self._closed.wait(_LOOKS_EVERY_S)
            if state is not None:
                version = state.version
            self._bring_safely(self._session.state)
        until_s = self._session.moment().now_s + _FLUSHES_FOR_S
        while self._broker.connected and self._session.moment().now_s < until_s:
            if not self._bring_safely(self._session.state):
                return

    def _bring_safely(self, state: State) -> bool:
        try:
            return self._bring(state)
        except (SQLAlchemyError, OSError) as error:  # what the disk refuses now it may give in a moment
            log.warning("The hall is told nothing: %s", error)
            self._closed.wait(_LOOKS_EVERY_S)
            return False

    def _bring(self, state: State) -> bool:
        """Send what is news; returns whether anything was."""
        self._watch_connection()
        night = state.activity.game_night
        entries = 0 if night is None else len(night.state.recorded.records)
        played = None if night is None else self._outbox.watch(night.id, entries)
        self._outbox.settle()
        now_s = self._session.moment().now_s
        told = False
        if self._broker.connected and self._is_clear(now_s):
            events = self._outbox.next_events(self.name.table, played, entries)
            for event in events:
                self._outbox.on_the_way(event, self._send(Branch.EVENTS, event))
            self._tell_hands()
            told = self._tell_state(state) or bool(events)
        # Once what is news is on its way: nobody waits for the disk to note what the hall has.
        if now_s - self._saved_s > _SAVES_EVERY_S:
            self._saved_s = now_s
            self._outbox.save()
        return told

    def _watch_connection(self) -> None:
        connection, connected = self._broker.connections, self._broker.connected
        now_s = self._session.moment().now_s
        self._away_since_s = None if connected else now_s if self._away_since_s is None else self._away_since_s
        if connected and connection != self._connection:
            self._connection = connection
            self._connected_s, self._begins_anew = now_s, True
        night = self._session.state.activity.game_night
        long_away = self._away_since_s is not None and now_s - self._away_since_s > _LETS_GO_AFTER_S
        if long_away and night is not None and night.state.halt is not None:
            self._session.handle(UpdateGameNight(night.id, _let_go))
            self._session.announce()
        if self._away_told != bool(self.notice):
            self._away_told = bool(self.notice)
            self._session.announce()

    def _is_clear(self, now_s: float) -> bool:
        """Whether what was sent before has come through, or is lost: then all is told anew that may be lacking.

        What was on its way when a connection broke is sent again by the broker's client by itself: a newer state is not
        to overtake it.
        """
        while self._on_the_way and self._on_the_way[0][0].taken:
            self._on_the_way.popleft()
        oldest_s = max(self._on_the_way[0][1], self._connected_s) if self._on_the_way else now_s
        lost = now_s - oldest_s > _TAKEN_WITHIN_S
        if not lost and not self._begins_anew:
            return True
        if not lost and self._on_the_way:
            return False
        self._begins_anew = False
        self._on_the_way.clear()
        self._outbox.send_again()
        self._told = None
        self._hands_told.clear()
        self._send(Branch.PRESENCE, Presence(table=self.name.table, presence="here", join=self._join() or ""))
        return True

    def _tell_hands(self) -> None:
        hands = self.hands
        for hand in hands:
            if hand.id not in self._hands_told:
                self._send(Branch.DISPUTES, self._dispute(hand))
                self._hands_told.add(hand.id)

    def _tell_state(self, state: State) -> bool:
        night = state.activity.game_night
        log_ = None if night is None else self._outbox.log_of(night.id)
        sent = 0 if log_ is None else self._outbox.sent(log_)
        hands = [hand.id for hand in self.hands]
        told = table_report(self.name.table, state, self._session.moment(), log_, sent, hands)
        if self._told is not None and is_same(self._told, told):
            return False
        self._told = told
        self._send(Branch.STATE, told)
        return True

    def _dispute(self, hand: RaisedHand) -> Dispute:
        return Dispute(
            table=self.name.table,
            id=hand.id,
            log=self._outbox.log_of(hand.log),
            seq=hand.seq,
            raised_by=hand.raised_by,
            verdict=hand.verdict,
            reasons=list(hand.reasons),
            before_jpeg=self._picture(hand.log, hand.before),
            after_jpeg=self._picture(hand.log, hand.after),
        )

    def _picture(self, night: str, name: str | None) -> str | None:
        jpeg = None if name is None else self._game_nights.picture(night, name)
        return None if jpeg is None else base64.b64encode(jpeg).decode()

    def _send(self, branch: Branch, message: Message) -> Receipt:
        """Publish something in the thread that tells what happens, and look after it."""
        receipt = self._broker.publish(self.name.topic(branch), message.payload(), retain=branch in RETAINED)
        self._on_the_way.append((receipt, self._session.moment().now_s))
        return receipt

    # What comes in.

    def _asked(self, messages: Sequence[tuple[str, bytes]]) -> None:
        for _, payload in messages:
            try:
                wanted = read_message(Resend, payload)
            except MessageRefused as error:
                log.warning("The hall asks for what is not understood: %s", error.reason)
                continue
            if not self._outbox.send_again(wanted.log, wanted.seq):
                log.warning("The hall asks for an evening that this table does not have: %s", wanted.log)
            self._told = None

    def _commanded(self, messages: Sequence[tuple[str, bytes]]) -> None:
        for _, payload in messages:
            try:
                command = read_command(payload)
            except MessageRefused as error:
                log.warning("The hall wants what is not understood: %s", error.reason)
                if error.id is not None:
                    self._publish_answer(error.id, (False, kept(error.reason), None))
                continue
            answer = self._outbox.answer(command.id)
            if answer is None:
                answer = self._obeyed(command)
                self._outbox.answered(command.id, answer)
            self._publish_answer(command.id, answer)

    def _obeyed(self, command: AnyCommand) -> tuple[bool, str, str | None]:
        night = self._session.state.activity.game_night
        if night is not None and has_obeyed(night, command.id):
            return True, "", night.id
        try:
            with speaking(KEPT):  # it is read in the hall, in other languages
                self._obey(command)
        except Refused as why:
            return False, kept(str(why)), None if night is None else night.id
        night = self._session.state.activity.game_night
        if night is not None:
            self._outbox.lower_hands(decided(night))
        return True, "", None if night is None else night.id

    def _obey(self, command: AnyCommand) -> None:
        if command.table != self.name.table:
            raise Refused(gettext("This is table {name}.", name=self.name.table))
        if command.role not in OBEYED:
            raise Refused(gettext("Only the referee or the organiser may give a table orders."), "no-control")
        if isinstance(command, SeatCommand):
            moment = self._session.moment()
            begun = self._game_nights.begin(agreement(command), moment, command.by)
            self._session.handle(PlayGameNight(seated(begun, command, self._session.state, moment)))
        else:
            self._session.handle(Obey(command, self._outbox.hands))

    def _publish_answer(self, command: str, answer: tuple[bool, str, str | None]) -> None:
        done, refusal, evening = answer
        said = Acknowledgement(
            table=self.name.table,
            command=command,
            done=done,
            refusal=told(refusal)[:2000],
            said=refusal,
            log=None if evening is None else self._outbox.log_of(evening),
        )
        self._broker.publish(self.name.topic(Branch.ANSWERS), said.payload())


def _let_go(night: GameNight) -> GameNight:
    return replace(night, state=replace(night.state, halt=None))


def last_will(name: TableName) -> tuple[str, bytes]:
    """What the broker says of a table that breaks off: topic and payload."""
    return name.topic(Branch.PRESENCE), Presence(table=name.table, presence="gone").payload()
