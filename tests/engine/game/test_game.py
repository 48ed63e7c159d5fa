"""A game as a list of events: its start, undoing, correcting, replaying, and what a correction changed."""

import pytest

from tests.support.games import NAMES, dealt, laid, playing, rack, racks, started
from tilekeeper.engine.game.events import (
    Commanded,
    Corrected,
    Dealt,
    GameStarted,
    PoolCounted,
    RackCounted,
    RackShown,
    StarterChosen,
    TileDrawn,
    Undone,
)
from tilekeeper.engine.game.game import Difference, Game, effective
from tilekeeper.engine.game.state import EventRefused, Phase
from tilekeeper.engine.tiles.errors import ArgumentError
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.tile import Tile


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (GameStarted(NAMES[:2], "klingon"), "there is no edition 'klingon'"),
        (GameStarted(NAMES[:2], "travel", ("opening.points=3",)), "travel has no rule 'opening.points'"),
        (GameStarted(NAMES[:1], "travel"), "2 to 4 people can play this, not 1"),
        (GameStarted(("A", "B", "C", "D", "E"), "travel"), "2 to 4 people can play this, not 5"),
        (GameStarted(("A", "A"), "travel"), "every player needs a name of their own"),
        (GameStarted(("A", ""), "travel"), "every player needs a name of their own"),
        (GameStarted(NAMES[:2], "travel", rounds=0), "at least one round"),
    ],
)
def test_a_game_that_cannot_be_played(event: GameStarted, message: str) -> None:
    """The start says why not."""
    with pytest.raises(EventRefused, match=message):
        Game.start(event)


def test_a_game_starts_once() -> None:
    """It begins with its start, and has no other."""
    with pytest.raises(EventRefused, match="has already started"):
        started().record(GameStarted(NAMES[:2], "travel"))
    for entries in ((), (StarterChosen(0),)):
        with pytest.raises(EventRefused, match="event 0: a game begins with its start"):
            Game.replay(entries)


def test_before_the_first_round() -> None:
    """There is no round yet, and so nobody's turn; afterwards the context is that of the player whose turn it is."""
    for look in (lambda game: game.round, lambda game: game.state.context):
        with pytest.raises(EventRefused, match="no round has begun yet"):
            look(started())
    game = dealt().record(laid("K10 B10 O10")).record(TileDrawn())
    assert game.round is game.state.round
    assert (game.round.turn, game.state.context.opened, game.state.context.rules) == (0, True, game.state.rules)


def test_house_rules_hold() -> None:
    """They are part of the game, and so of its file."""
    game = dealt("large-numbers", "opening.minimum_points=20").record(laid("R6 R7 R8"))
    assert playing(game).seats[0].opened
    assert game.state.rules.opening.minimum_points == 20


def some_game() -> Game:
    game = dealt(players=3).record(laid("K10 B10 O10")).record(TileDrawn()).record(laid("R1 R2"))
    return game.record(laid("K10 B10 O10 | R9 R10 R11")).record(laid("K10 B10 O10 R10 | R9 R10 R11"))


def test_every_prefix_replays_to_the_state_of_then() -> None:
    """The state is nothing but the events, corrections and undone events among them."""
    game = some_game().undo(2).record(TileDrawn()).correct(4, TileDrawn()).undo().record(PoolCounted(70))
    for length in range(1, len(game.entries) + 1):
        prefix = Game.replay(game.entries[:length])
        again = Game.replay(game.entries[:1])
        for entry in game.entries[1:length]:
            again = again.record(entry)
        assert prefix == again
    assert Game.replay(game.entries) == game


def test_undoing() -> None:
    """What was taken back has not happened; the list keeps it."""
    game = some_game()
    back = game.undo(2)
    assert back.state == Game.replay(game.entries[:-2]).state
    assert back.entries == (*game.entries, Undone(2))
    assert back.undo().state == Game.replay(game.entries[:-3]).state


@pytest.mark.parametrize("events", [0, -1, 3, 99])
def test_undoing_too_much(events: int) -> None:
    """The start stays, and fewer than one event is none."""
    game = dealt()
    with pytest.raises(EventRefused, match=f"event 3: {events} events can't be taken back; only 2 can"):
        game.undo(events)


def test_correcting() -> None:
    """What came after is replayed, and the changes can be told."""
    game = dealt().record(laid("K10 B10 O10")).record(TileDrawn())
    right = game.correct(3, laid("K10 B10 O10 R10"))
    assert racks(right) == (10, 15)
    changes = {change.path: change for change in right.changes_from(game)}
    assert changes["round.seats[0].rack"] == Difference("round.seats[0].rack", 11, 10)
    assert changes["round.table"].after == parse_table("K10 B10 O10 R10")
    placed = "round.turns[0].verdict.placed[3]"
    assert changes[placed] == Difference(placed, None, Tile.from_label("red-10"))
    assert "round.turn" not in changes
    assert right.changes_from(right) == ()
    assert right.undo().state == game.state


def test_a_correction_changes_the_players() -> None:
    """Even the start can have been recorded wrongly."""
    game = dealt().correct(0, GameStarted(("Ada", "Bea"), "travel"))
    assert (game.state.players, game.state.rules.name) == (("Ada", "Bea"), "travel")


def test_corrections_that_cannot_be() -> None:
    """Nothing is there to be corrected, or what came after can't follow any more."""
    game = dealt().record(laid("K10 B10 O10")).undo()
    for place in (-1, 3, 4, 99):
        with pytest.raises(EventRefused, match=f"event 5: there is no event {place} to correct"):
            game.correct(place, TileDrawn())
    with pytest.raises(EventRefused, match=r"event 1: the player with the highest number begins"):
        Game.replay((*dealt("finnish").entries, Corrected(1, StarterChosen(0))))


def test_effective_events() -> None:
    """Undone events are gone, corrected ones stand in their old places."""
    entries = (*started().entries, StarterChosen(0), Corrected(1, StarterChosen(1)), Dealt(), Undone())
    assert effective(entries) == ((0, entries[0]), (1, StarterChosen(1)))


def test_the_ledger() -> None:
    """Tiles of table, racks and pool, and none before the first deal."""
    game = some_game()
    ledger = game.ledger
    assert ledger is not None
    assert (ledger.racks, ledger.pool, ledger.table.counts.total(), ledger.unaccounted) == ((10, 15, 11), 63, 7, 0)
    assert started().ledger is None


def test_the_printed_sheet_is_played() -> None:
    """The example of four rulebooks, from the racks that four players show in three rounds."""
    game = started(players=4, rounds=3)
    for out, left in (
        (0, {1: "R5", 2: "K13 B3", 3: "R3"}),
        (2, {0: "R6", 1: "K11", 3: "R5"}),
        (3, {0: "J B2", 1: "K13", 2: "R2"}),
    ):
        game = game.record(StarterChosen(out)).record(Dealt()).record(RackCounted(out, 0))
        for player, tiles in left.items():
            game = game.record(RackShown(player, rack(tiles)))
    sheet = game.state.sheet
    assert [score.points for score in sheet.rounds] == [(24, -5, -16, -3), (-6, -11, 22, -5), (-32, -13, -2, 47)]
    assert (sheet.totals, sheet.imbalance) == ((-14, -29, 4, 39), 0)
    assert (game.state.phase, sheet.leaders) == (Phase.OVER, (3,))


def test_what_the_hall_wanted_changes_nothing_and_stays() -> None:
    """It stands in the list wherever it came, and what is taken back or corrected is what it would be without it."""
    wanted = Commanded("c1", "pause", "Kim", "arbiter", "lunch")
    game = dealt()
    with_it = game.record(wanted).record(laid("K10 B10 O10")).record(wanted)
    assert with_it.state == game.record(laid("K10 B10 O10")).state
    back = with_it.undo()
    assert back.state == game.state
    assert back.entries == (*game.entries, wanted, laid("K10 B10 O10"), wanted, Undone(1))
    assert Game.parse(back.format()) == back
    with pytest.raises(EventRefused, match="no event 3 to correct"):
        with_it.correct(3, StarterChosen(0))
    with pytest.raises(ArgumentError, match="an event that can stand for another"):
        game.correct(1, wanted)  # type: ignore[arg-type]
