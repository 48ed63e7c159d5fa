"""A game as a list of events: start, undo, correction, replay and differences."""

import pytest

from tests.support.games import NAMES, deal_game, playing, rack, racks, start_game, tiles_laid
from tilekeeper.engine.game.events import (
    Commanded,
    Corrected,
    Dealt,
    GameStarted,
    LotsDrawn,
    PoolCounted,
    RackCounted,
    RackShown,
    StarterChosen,
    TileDrawn,
    Undone,
)
from tilekeeper.engine.game.game import Game, effective_events
from tilekeeper.engine.game.state import EventRefused, Phase
from tilekeeper.engine.solver.position import Position
from tilekeeper.engine.tiles.errors import ArgumentError
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table
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
def test_impossible_start_is_refused_with_a_reason(event: GameStarted, message: str) -> None:
    """An unknown edition, wrong numbers of players or rounds, names twice."""
    with pytest.raises(EventRefused, match=message):
        Game.start(event)


def test_second_start_is_refused() -> None:
    """The first event must be the start."""
    with pytest.raises(EventRefused, match="has already started"):
        start_game().record(GameStarted(NAMES[:2], "travel"))
    for entries in ((), (StarterChosen(0),)):
        with pytest.raises(EventRefused, match="event 0: the first event of a game must be its start"):
            Game.replay(entries)


def test_round_and_context_do_not_exist_before_the_first_deal() -> None:
    """Afterwards the context is that of the player in turn."""
    for look in (lambda game: game.round, lambda game: game.state.context):
        with pytest.raises(EventRefused, match="no round has begun yet"):
            look(start_game())
    game = deal_game().record(tiles_laid("K10 B10 O10")).record(TileDrawn())
    assert game.round is game.state.round
    assert (game.round.turn, game.state.context.opened, game.state.context.rules) == (0, True, game.state.rules)


def test_house_rules_are_part_of_the_game_and_its_file() -> None:
    """They change the rules, and survive a round trip."""
    game = deal_game("large-numbers", "opening.minimum_points=20").record(tiles_laid("R6 R7 R8"))
    assert playing(game).seats[0].opened
    assert game.state.rules.opening.minimum_points == 20


def some_game() -> Game:
    game = deal_game(players=3).record(tiles_laid("K10 B10 O10")).record(TileDrawn()).record(tiles_laid("R1 R2"))
    return game.record(tiles_laid("K10 B10 O10 | R9 R10 R11")).record(tiles_laid("K10 B10 O10 R10 | R9 R10 R11"))


def test_prefix_of_the_list_replays_to_the_state_of_that_moment() -> None:
    """With corrections and undone events."""
    game = some_game().undo(2).record(TileDrawn()).correct(4, TileDrawn()).undo().record(PoolCounted(70))
    for length in range(1, len(game.entries) + 1):
        prefix = Game.replay(game.entries[:length])
        replayed = Game.replay(game.entries[:1])
        for entry in game.entries[1:length]:
            replayed = replayed.record(entry)
        assert prefix == replayed
    assert Game.replay(game.entries) == game


def test_undone_event_has_no_effect_but_stays_in_the_list() -> None:
    """Undoing restores the earlier state."""
    game = some_game()
    back = game.undo(2)
    assert back.state == Game.replay(game.entries[:-2]).state
    assert back.entries == (*game.entries, Undone(2))
    assert back.undo().state == Game.replay(game.entries[:-3]).state


@pytest.mark.parametrize("events", [0, -1, 3, 99])
def test_undoing_the_start_or_no_event_is_refused(events: int) -> None:
    """The start can only be corrected."""
    game = deal_game()
    with pytest.raises(EventRefused, match=f"event 3: {events} events can't be taken back; only 2 can"):
        game.undo(events)


def test_corrected_event_replays_the_later_ones() -> None:
    """Undoing the correction brings back the state before it."""
    game = deal_game().record(tiles_laid("K10 B10 O10")).record(TileDrawn())
    right = game.correct(3, tiles_laid("K10 B10 O10 R10"))
    assert racks(right) == (10, 15)
    assert right.round.table == parse_table("K10 B10 O10 R10")
    assert right.round.turn == game.round.turn
    assert right.undo().state == game.state


def test_corrected_start_changes_the_players() -> None:
    """The start is an event like any other."""
    game = deal_game().correct(0, GameStarted(("Ada", "Bea"), "travel"))
    assert (game.state.players, game.state.rules.name) == (("Ada", "Bea"), "travel")


def test_impossible_correction_is_refused() -> None:
    """No such event, or a later event can not follow the new one."""
    game = deal_game().record(tiles_laid("K10 B10 O10")).undo()
    for place in (-1, 3, 4, 99):
        with pytest.raises(EventRefused, match=f"event 5: there is no event {place} to correct"):
            game.correct(place, TileDrawn())
    with pytest.raises(EventRefused, match=r"event 1: the player with the highest number begins"):
        Game.replay((*deal_game("finnish").entries, Corrected(1, StarterChosen(0))))


def test_effective_events_leave_out_undone_and_replace_corrected_ones() -> None:
    """They keep their index in the list."""
    entries = (*start_game().entries, StarterChosen(0), Corrected(1, StarterChosen(1)), Dealt(), Undone())
    assert effective_events(entries) == ((0, entries[0]), (1, StarterChosen(1)))


def test_ledger_counts_the_tiles_of_table_racks_and_pool() -> None:
    """There is none before the first deal."""
    game = some_game()
    ledger = game.ledger
    assert ledger is not None
    assert (ledger.racks, ledger.pool, ledger.table.counts.total(), ledger.unaccounted) == ((10, 15, 11), 63, 7, 0)
    assert start_game().ledger is None


def test_score_sheet_printed_in_the_rulebooks_comes_out_of_a_played_game() -> None:
    """Four players show their racks in three rounds."""
    game = start_game(players=4, rounds=3)
    for out, shown_racks in (
        (0, {1: "R5", 2: "K13 B3", 3: "R3"}),
        (2, {0: "R6", 1: "K11", 3: "R5"}),
        (3, {0: "J B2", 1: "K13", 2: "R2"}),
    ):
        game = game.record(StarterChosen(out)).record(Dealt()).record(RackCounted(out, 0))
        for player, tiles in shown_racks.items():
            game = game.record(RackShown(player, rack(tiles)))
    sheet = game.state.sheet
    assert [score.points for score in sheet.rounds] == [(24, -5, -16, -3), (-6, -11, 22, -5), (-32, -13, -2, 47)]
    assert (sheet.totals, sheet.imbalance) == ((-14, -29, 4, 39), 0)
    assert (game.state.phase, sheet.leaders) == (Phase.OVER, (3,))


def test_command_of_the_hall_changes_no_state_and_can_not_be_undone() -> None:
    """Undo and corrections work as if it were not there."""
    wanted = Commanded("c1", "pause", "Kim", "arbiter", "lunch")
    game = deal_game()
    with_it = game.record(wanted).record(tiles_laid("K10 B10 O10")).record(wanted)
    assert with_it.state == game.record(tiles_laid("K10 B10 O10")).state
    back = with_it.undo()
    assert back.state == game.state
    assert back.entries == (*game.entries, wanted, tiles_laid("K10 B10 O10"), wanted, Undone(1))
    assert Game.parse(back.format()) == back
    with pytest.raises(EventRefused, match="no event 3 to correct"):
        with_it.correct(3, StarterChosen(0))
    with pytest.raises(ArgumentError, match="an event that can stand for another"):
        game.correct(1, wanted)  # type: ignore[arg-type]


def test_lists_in_an_event_become_tuples() -> None:
    """The recorded events stay immutable and can be compared."""
    game = Game.start(GameStarted(["Ada", "Bo"], "travel"))  # type: ignore[arg-type]
    game = game.record(LotsDrawn([Tile("R5"), Tile("R7")])).correct(1, LotsDrawn([Tile("R9"), Tile("R7")]))  # type: ignore[arg-type]
    assert game.entries[:2] == (GameStarted(("Ada", "Bo"), "travel"), LotsDrawn((Tile("R5"), Tile("R7"))))
    assert game.entries[2] == Corrected(1, LotsDrawn((Tile("R9"), Tile("R7"))))
    assert game.state.starter == 0


def test_player_in_turn_may_draw_only_from_a_pool() -> None:
    """And only in a turn; the position is that of the player in turn."""
    game = deal_game()
    assert game.may_draw
    assert not game.record(PoolCounted(0)).may_draw
    assert game.position(rack("R5")) == Position(Table(), rack("R5"), game.state.rules, opened=False)
    with pytest.raises(EventRefused, match="no round has begun"):
        start_game().position(())
    assert not start_game().may_draw
