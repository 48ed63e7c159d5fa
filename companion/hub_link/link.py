"""The table's link to its hall: a thread that reports what happens, and handlers that carry out commands.

The game never waits for the hall. Without a connection all messages wait in the table's own database, and a line on the
page says that there is no connection.
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

from tilekeeper.companion.game_night.commands.clock import Pause
from tilekeeper.companion.hub_link.orders import OBEYED, Obey, agreement, begin_for_hall, decided_disputes, has_obeyed
from tilekeeper.companion.hub_link.outbox import Outbox, RaisedHand
from tilekeeper.companion.hub_link.table_report import is_same, raised_hand, table_report
from tilekeeper.companion.messaging.broker import Link, Receipt
from tilekeeper.companion.messaging.messages import (
    MOST_JPEG_BYTES,
    Acknowledgement,
    Dispute,
    HallCommand,
    Message,
    MessageRefused,
    Presence,
    Resend,
    SeatCommand,
    TableStatus,
    read_command,
    read_message,
)
from tilekeeper.companion.messaging.topics import RETAINED, Branch
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.commands import Act, PlayGameNight, UpdateGameNight, playing
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.session.repository import GameNights
from tilekeeper.companion.session.session import Session
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.text.kept import to_stored, translate_stored
from tilekeeper.engine.game.events import TilesLaid, TurnFailed
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import STORED, gettext, lazy_gettext, use_language

log = logging.getLogger(__name__)

_CHECK_EVERY_S: Final = 0.25
_SAVE_EVERY_S: Final = 1.0
_NOTICE_AFTER_S: Final = 3.0
"""A connection must be lost for this time before the page mentions it; a restarted broker is back sooner."""
_RELEASE_AFTER_S: Final = 60.0
"""After this time without a connection a halted table continues by itself, since the hub may never come back."""
_FLUSH_FOR_S: Final = 1.0
_LOST_AFTER_S: Final = 5.0
"""While connected, a message without an acknowledgement after this time counts as lost and is sent again."""


class Hall:
    """Sends a table's log, status and raised hands to its hall, and carries out the hall's commands."""

    def __init__(self, session: Session, game_nights: GameNights, link: Link, join: Callable[[], str | None]) -> None:
        """Prepare a link; nothing is sent before `start`.

        Args:
            session: the session of the table.
            game_nights: the table's stored game nights.
            link: the table's name, and the connection to the broker.
            join: returns the address at which tablets join this table; None if they can't.
        """
        self.name = name = link.name
        self._session = session
        self._game_nights = game_nights
        self._broker = link.broker
        self._outbox = Outbox(game_nights.database, f"{name.club}/{name.table}")
        self._closed = threading.Event()
        self._connection = 0
        self._connected_s = 0.0
        self._must_repeat = True
        """Whether messages that the hall may lack must be repeated before new ones are sent."""
        self._on_the_way: deque[tuple[Receipt, float]] = deque()
        """The receipts of unacknowledged messages, each with the time of sending."""
        self._sent_hands: set[str] = set()
        self._last_status: TableStatus | None = None
        self._last_presence: Presence | None = None
        self._away_since_s: float | None = None
        self._notice_shown = False
        self._saved_s = 0.0
        self._join = join
        self._thread = threading.Thread(target=self._run, name="hall", daemon=True)

    @property
    def notice(self) -> str:
        """A sentence for the page while there is no connection to the hall; empty otherwise."""
        since_s = self._away_since_s
        if since_s is None or self._session.moment().now_s - since_s < _NOTICE_AFTER_S:
            return ""
        return lazy_gettext("No connection to the tournament. Play on: everything is sent later.")

    @property
    def hands(self) -> tuple[RaisedHand, ...]:
        """The undecided raised hands of the current game night."""
        night = self._session.state.activity.game_night
        if night is None:
            return ()
        decided = decided_disputes(night) if self._outbox.hands else frozenset()
        return tuple(hand for hand in self._outbox.hands if hand.log == night.id and hand.id not in decided)

    def start(self) -> None:
        """Connect as soon as possible, and start the thread that reports."""
        handlers = {
            self.name.topic(Branch.COMMANDS): self._take_commands,
            self.name.topic(Branch.RESEND): self._take_resend,
        }
        self._broker.start(handlers, self._refuse)
        self._thread.start()

    def close(self) -> None:
        """Send waiting messages for at most one second, then disconnect."""
        self._closed.set()
        if self._thread.ident is not None:
            self._thread.join(_FLUSH_FOR_S + 1)
        self._broker.close()
        self._outbox.settle()
        self._outbox.save()

    def call_arbiter(self, by: str) -> None:
        """Raise a hand for the player `by`: stop the clock, and send the hall the verdict with pictures of the table.

        Raises:
            Refused: if nobody is playing a turn or counting racks, or a hand is raised already.
        """
        state = self._session.state
        night = playing(state)
        if night.state.state.phase not in (Phase.TURNS, Phase.RACKS):
            raise Refused(gettext("Nobody is playing a turn now."))
        if self.hands:
            raise Refused(gettext("The referee was already called."), "called")
        hand = self._hand(state, night, by)
        if night.state.state.phase is Phase.TURNS and night.state.clock.running:
            self._session.handle(Act(night.revision, Pause().apply, by))
        self._outbox.raise_hand(hand)
        self._session.announce()

    def _hand(self, state: TableState, night: GameNight, by: str) -> RaisedHand:
        """Return a new raised hand with pictures of the table at the start and the end of the turn.

        The turn is the one that was judged last, or else the current turn.
        """
        id_ = str(uuid.uuid4())
        last = next(reversed(night.state.recorded.valid_records()))
        before = after = None
        if isinstance(last.entry, TilesLaid | TurnFailed):
            before, after = last.note.picture_before, last.note.picture
        elif night.state.state.phase is Phase.TURNS:
            # Pictures are taken only during turns: otherwise racks may be in view, which nobody else may see.
            before, after = night.state.start_picture, self._kept_picture(state, night, f"dispute-{id_[:8]}")
        return raised_hand(id_, night, by, before, after)

    def _kept_picture(self, state: TableState, night: GameNight, name: str) -> str | None:
        """Store the current picture under a name and return the name.

        Return None if there is no usable picture, or if it can't be stored.
        """
        if state.snapshot.picture is None or state.snapshot.trouble:
            return None
        try:
            self._game_nights.pictures.keep(night.id, name, state.snapshot.picture.jpeg)
        except OSError:
            return None
        return name

    # Messages to the hall.

    def _run(self) -> None:
        version = -1
        while not self._closed.is_set():
            state = self._session.wait(version, _CHECK_EVERY_S)
            if self._session.closed:
                self._closed.wait(_CHECK_EVERY_S)
            if state is not None:
                version = state.version
            self._send_news_safely(self._session.state)
        until_s = self._session.moment().now_s + _FLUSH_FOR_S
        while self._broker.connected and self._session.moment().now_s < until_s:
            if not self._send_news_safely(self._session.state):
                return

    def _send_news_safely(self, state: TableState) -> bool:
        try:
            return self._send_news(state)
        except (SQLAlchemyError, OSError) as error:  # the disk may work again in a moment
            log.warning("Nothing could be sent to the hall: %s", error)
            self._closed.wait(_CHECK_EVERY_S)
            return False

    def _send_news(self, state: TableState) -> bool:
        """Send new entries, raised hands and the status; return whether an entry or a new status was sent."""
        self._watch_connection()
        night = state.activity.game_night
        entries = 0 if night is None else len(night.state.recorded.records)
        played = None if night is None else self._outbox.watch(night.id, entries)
        self._outbox.settle()
        now_s = self._session.moment().now_s
        has_sent = False
        if self._broker.connected and self._prepare_to_send(now_s):
            self._send_presence(played)
            events = self._outbox.next_events(self.name.table, played, entries)
            for event in events:
                self._outbox.note_sent(event, self._send(Branch.EVENTS, event))
            self._send_hands()
            has_sent = self._send_status(state) or bool(events)
        # After sending, so that no message waits for the disk.
        if now_s - self._saved_s > _SAVE_EVERY_S:
            self._saved_s = now_s
            self._outbox.save()
        return has_sent

    def _watch_connection(self) -> None:
        connection, connected = self._broker.connections, self._broker.connected
        now_s = self._session.moment().now_s
        self._away_since_s = None if connected else now_s if self._away_since_s is None else self._away_since_s
        if connected and connection != self._connection:
            self._connection = connection
            self._connected_s, self._must_repeat = now_s, True
        night = self._session.state.activity.game_night
        is_abandoned = self._away_since_s is not None and now_s - self._away_since_s > _RELEASE_AFTER_S
        if is_abandoned and night is not None and night.state.halt is not None:
            self._session.handle(UpdateGameNight(night.id, _release))
            self._session.announce()
        if self._notice_shown != bool(self.notice):
            self._notice_shown = bool(self.notice)
            self._session.announce()

    def _prepare_to_send(self, now_s: float) -> bool:
        """Return whether new messages may be sent; if earlier ones were lost, first arrange that they are repeated.

        After a reconnection the MQTT client repeats unacknowledged messages by itself. No newer status may be sent
        until these have arrived.
        """
        while self._on_the_way and self._on_the_way[0][0].taken:
            self._on_the_way.popleft()
        oldest_s = max(self._on_the_way[0][1], self._connected_s) if self._on_the_way else now_s
        is_lost = now_s - oldest_s > _LOST_AFTER_S
        if not is_lost and not self._must_repeat:
            return True
        if not is_lost and self._on_the_way:
            return False
        self._must_repeat = False
        self._on_the_way.clear()
        self._outbox.send_again()
        self._last_status = self._last_presence = None
        self._sent_hands.clear()
        return True

    def _send_presence(self, played: str | None) -> None:
        """Send the table's presence if it was not sent since connecting, or lacks a log."""
        past, last = self._outbox.past_logs(played), self._last_presence
        if last is None or not set(past) <= set(last.past_logs):
            last = Presence(table=self.name.table, presence="here", join=self._join() or "", past_logs=list(past))
            self._last_presence = last
            self._send(Branch.PRESENCE, last)

    def _send_hands(self) -> None:
        for hand in self.hands:
            if hand.id not in self._sent_hands:
                self._send(Branch.DISPUTES, self._dispute(hand))
                self._sent_hands.add(hand.id)

    def _send_status(self, state: TableState) -> bool:
        night = state.activity.game_night
        log_id = None if night is None else self._outbox.log_of(night.id)
        sent = 0 if log_id is None else self._outbox.sent_count(log_id)
        hands = [hand.id for hand in self.hands]
        digest = "" if log_id is None else self._outbox.digest(log_id, sent)
        status = table_report(self.name.table, state, self._session.moment(), log_id, sent, hands)
        status = status.model_copy(update={"digest": digest})
        if self._last_status is not None and is_same(self._last_status, status):
            return False
        self._last_status = status
        self._send(Branch.STATE, status)
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
            edition=hand.edition,
            rules=list(hand.rules),
            faults=list(hand.faults),
            before=hand.tables[0],
            after=hand.tables[1],
            before_jpeg=self._picture(hand.log, hand.before),
            after_jpeg=self._picture(hand.log, hand.after),
        )

    def _picture(self, night: str, name: str | None) -> str | None:
        jpeg = None if name is None else self._game_nights.picture(night, name)
        return None if jpeg is None or len(jpeg) > MOST_JPEG_BYTES else base64.b64encode(jpeg).decode()

    def _send(self, branch: Branch, message: Message) -> Receipt:
        """Publish a message and remember its receipt; call this only in the reporting thread."""
        receipt = self._broker.publish(self.name.topic(branch), message.payload(), retain=branch in RETAINED)
        self._on_the_way.append((receipt, self._session.moment().now_s))
        return receipt

    # Messages from the hall.

    def _take_resend(self, messages: Sequence[tuple[str, bytes]]) -> None:
        for _, payload in messages:
            try:
                request = read_message(Resend, payload)
            except MessageRefused as error:
                log.warning("A request of the hall can't be read: %s", error.reason)
                continue
            if request.begin_new:
                self._outbox.begin_new_log(request.log)
            elif not self._outbox.send_again(request.log, request.seq):
                log.warning("The hall asks for a log that this table does not have: %s", request.log)
            self._sent_hands.clear()  # the hall may lack them as well
            self._last_status = None

    def _take_commands(self, messages: Sequence[tuple[str, bytes]]) -> None:
        for _, payload in messages:
            try:
                command = read_command(payload)
            except MessageRefused as error:
                log.warning("A command of the hall can't be read: %s", error.reason)
                if error.id is not None:
                    self._publish_answer(error.id, (False, to_stored(error.reason), None))
                continue
            answer = self._outbox.answer(command.id)
            if answer is None:
                answer = self._answer_to(command)
                self._outbox.store_answer(command.id, answer)
            self._publish_answer(command.id, answer)

    def _refuse(self, _: str, payload: bytes, error: Exception) -> None:
        """Send the hall a refusal of a command that was set aside because the table failed with it."""
        try:
            id_: str | None = read_command(payload).id
        except MessageRefused as why:
            id_ = why.id
        if id_ is not None:
            refusal = lazy_gettext("The table can't follow this order ({reason}).", reason=type(error).__name__)
            self._publish_answer(id_, (False, to_stored(refusal), None))

    def _answer_to(self, command: HallCommand) -> tuple[bool, str, str | None]:
        night = self._session.state.activity.game_night
        if night is not None and has_obeyed(night, command.id):
            return True, "", night.id
        try:
            with use_language(STORED):  # readers in the hall use other languages
                self._obey(command)
        except Refused as why:
            return False, to_stored(str(why)), None if night is None else night.id
        night = self._session.state.activity.game_night
        if night is not None:
            self._outbox.lower_hands(decided_disputes(night))
        return True, "", None if night is None else night.id

    def _obey(self, command: HallCommand) -> None:
        if command.table != self.name.table:
            raise Refused(gettext("This is table {name}.", name=self.name.table))
        if command.role not in OBEYED:
            raise Refused(gettext("Only the referee or the organiser may give a table orders."), "no-control")
        if isinstance(command, SeatCommand):
            moment = self._session.moment()
            night = self._game_nights.begin(agreement(command), moment, command.by)
            self._session.handle(PlayGameNight(begin_for_hall(night, command, self._session.state, moment)))
        else:
            self._session.handle(Obey(command, self._outbox.hands))

    def _publish_answer(self, command: str, answer: tuple[bool, str, str | None]) -> None:
        done, refusal, night_id = answer
        acknowledgement = Acknowledgement(
            table=self.name.table,
            command=command,
            done=done,
            refusal=translate_stored(refusal)[:2000],
            said=refusal,
            log=None if night_id is None else self._outbox.log_of(night_id),
        )
        self._broker.publish(self.name.topic(Branch.ANSWERS), acknowledgement.payload())


def _release(night: GameNight) -> GameNight:
    return replace(night, state=replace(night.state, halt=None))
