"""Answers about turns that a page draws step by step: what players could have laid, and puzzles."""

from collections.abc import Iterable
from typing import Self

from tilekeeper.companion.adjudication.play_steps import PlayStep, play_steps
from tilekeeper.companion.game_night.review import FoundPlay, Review
from tilekeeper.companion.text.review import hint_words, missed_note, missed_words, opening_note, puzzle_words
from tilekeeper.companion.web.schemas.answer import Answer
from tilekeeper.companion.web.schemas.tiles import TileJson, melds_json
from tilekeeper.engine.game.state import Round
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.best_play import Play
from tilekeeper.engine.tiles.tile import Tile


class PlayStepJson(Answer):
    """One step of a turn: the tiles that go to one set."""

    from_rack: list[TileJson]
    from_table: list[TileJson]
    melds: list[list[TileJson]]
    """The table after the step; during the turn sets may be incomplete."""
    moved: list[list[int]]
    """The places of the step's tiles in `melds`: the index of the set, and the tile's index in it."""

    @classmethod
    def from_steps(cls, steps: Iterable[PlayStep]) -> list[Self]:
        """Return the steps of a turn."""
        return [
            cls(
                from_rack=_tiles(step.from_rack),
                from_table=_tiles(step.from_table),
                melds=[_tiles(meld) for meld in step.melds],
                moved=[[place.meld, place.position] for place in step.moved],
            )
            for step in steps
        ]


class PossibleTurnJson(Answer):
    """A turn that a player could have played."""

    round: int
    """The round's number, from 1."""
    player: int
    text: str
    """The turn in one sentence."""
    note: str
    """What else a person must know, in one sentence; empty if there is nothing."""
    table: list[list[TileJson]]
    """The table before the turn."""
    rack: list[TileJson]
    """The rack before the turn."""
    laid: list[TileJson]
    """The tiles of the rack that the turn lays."""
    steps: list[PlayStepJson]

    @classmethod
    def _from_found(cls, found: FoundPlay, text: str, note: str) -> Self:
        turn = found.turn
        return cls(
            round=turn.round,
            player=turn.player,
            text=text,
            note=note,
            table=melds_json(turn.before),
            rack=_tiles(turn.rack),
            laid=_tiles(found.play.laid),
            steps=PlayStepJson.from_steps(play_steps(turn.before, found.play.after, turn.context)),
        )

    @classmethod
    def from_missed(cls, found: FoundPlay, name: str) -> Self:
        """Return a turn in which the player could have laid more."""
        return cls._from_found(found, missed_words(found, name), missed_note(found))

    @classmethod
    def from_puzzle(cls, found: FoundPlay, name: str) -> Self:
        """Return a turn as a puzzle."""
        note = opening_note(found, found.turn.rules.opening.minimum_points)
        return cls._from_found(found, puzzle_words(found, name), note)

    @classmethod
    def from_hint(cls, play: Play, played: Round, rack: tuple[Tile, ...], context: TurnContext) -> Self:
        """Return a turn that the player in turn can play now."""
        return cls(
            round=played.number,
            player=played.turn,
            text=hint_words(play, len(rack)),
            note="" if play.proved else gettext("Perhaps even more is possible."),
            table=melds_json(played.table),
            rack=_tiles(rack),
            laid=_tiles(play.laid),
            steps=PlayStepJson.from_steps(play_steps(played.table, play.after, context)),
        )


class ReviewJson(Answer):
    """What players could have laid, in the rounds that are scored and whose racks were shown."""

    missed: list[PossibleTurnJson]
    """At most one turn of each player in each round."""
    puzzles: list[PossibleTurnJson]
    """The most interesting turns, the most interesting one first."""

    @classmethod
    def from_review(cls, review: Review, names: tuple[str, ...]) -> Self:
        """Return a review; `names` are those of the seats."""
        return cls(
            missed=[PossibleTurnJson.from_missed(found, names[found.turn.player]) for found in review.missed],
            puzzles=[PossibleTurnJson.from_puzzle(found, names[found.turn.player]) for found in review.puzzles],
        )


def _tiles(tiles: Iterable[Tile]) -> list[TileJson]:
    return [TileJson.from_tile(tile) for tile in tiles]
