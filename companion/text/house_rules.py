"""The house rules as questions that a family would ask, in groups, with the units of their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from tilekeeper.engine.language import gettext, gettext_noop


class Unit(StrEnum):
    """The unit of a rule's number."""

    NONE = "none"
    TILES = "tiles"
    POINTS = "points"
    SECONDS = "seconds"
    STARS = "stars"
    PLAYERS = "players"


@dataclass(frozen=True, slots=True)
class Group:
    """A group of questions."""

    _title: str
    questions: Mapping[str, Question]
    """The questions by the names of their rules."""

    @property
    def title(self) -> str:
        """The title in the current language."""
        return gettext(self._title)


@dataclass(frozen=True, slots=True)
class Question:
    """The question that a rule answers."""

    _asks: str
    unit: Unit = Unit.NONE
    _none: str = gettext_noop("none")

    @property
    def asks(self) -> str:
        """The question in the current language."""
        return gettext(self._asks)

    @property
    def none(self) -> str:
        """The answer `none` in the current language."""
        return gettext(self._none)


GROUPS: Final = (
    Group(
        gettext_noop("The opening: your first sets"),
        {
            "opening.minimum_points": Question(gettext_noop("How many points do your first sets need?"), Unit.POINTS),
            "opening.several_sets": Question(gettext_noop("May the points of your first sets come from several sets?")),
            "opening.joker_points": Question(
                gettext_noop("What does a joker count in your first sets?"),
                Unit.POINTS,
                gettext_noop("as its tile"),
            ),
            "opening.table": Question(gettext_noop("What may you do with the table in the turn of your first sets?")),
            "opening.needs_empty_table": Question(gettext_noop("Must the table be empty for your first sets?")),
        },
    ),
    Group(
        gettext_noop("Jokers"),
        {
            "joker.sets": Question(gettext_noop("What may you do with a set that has a joker?")),
            "joker.replaced_from": Question(gettext_noop("Where may the tile come from that replaces a joker?")),
            "joker.freed": Question(gettext_noop("Where must a joker go that you have freed?")),
            "joker.rack_tiles": Question(
                gettext_noop("How many tiles of your rack must be in the new set of a freed joker?"), Unit.TILES
            ),
            "joker.most_in_set": Question(
                gettext_noop("How many jokers may be in one set?"), _none=gettext_noop("no limit")
            ),
            "joker.alone": Question(gettext_noop("May a set have nothing but jokers?")),
            "joker.past_end": Question(
                gettext_noop("What does a joker stand for after the highest number of a run?"),
            ),
        },
    ),
    Group(
        gettext_noop("Runs, groups and changes on the table"),
        {
            "melds.shortest": Question(gettext_noop("How many tiles must a set have at least?"), Unit.TILES),
            "melds.largest_group": Question(
                gettext_noop("How many tiles may a group have at most?"), Unit.TILES, gettext_noop("no groups")
            ),
            "melds.wraps": Question(gettext_noop("May a run go on with 1 after the highest number?")),
            "manipulation.regrouping": Question(gettext_noop("How may you change sets on the table?")),
            "manipulation.staying_together": Question(
                gettext_noop("If you take a part of a set: how many of its tiles must stay together in a valid set?"),
                Unit.TILES,
            ),
            "manipulation.take_back": Question(gettext_noop("May you take tiles from the table onto your rack?")),
        },
    ),
    Group(
        gettext_noop("A turn"),
        {
            "turn.limit_s": Question(gettext_noop("How long may a turn last?"), Unit.SECONDS, gettext_noop("no limit")),
            "turn.timed_before_opening": Question(gettext_noop("Is there a time limit before your first sets, too?")),
            "turn.least_tiles": Question(
                gettext_noop("If you lay tiles: how many must come from your rack at least?"), Unit.TILES
            ),
            "turn.drawn": Question(gettext_noop("How many tiles do you draw if you lay none?"), Unit.TILES),
            "turn.plays_on_after_draw": Question(gettext_noop("May you lay a tile that you have just drawn?")),
        },
    ),
    Group(
        gettext_noop("Penalties"),
        {
            "penalty.tiles": Question(gettext_noop("How many tiles do you draw as a penalty?"), Unit.TILES),
            "penalty.tiles_before_opening": Question(
                gettext_noop("How many tiles do you draw as a penalty before your first sets?"), Unit.TILES
            ),
            "penalty.for_wrong_layout": Question(
                gettext_noop("Is there a penalty for a wrong turn, not only when the time is up?")
            ),
            "penalty.restore": Question(gettext_noop("Where do the tiles go after a failed turn?")),
            "penalty.forgotten_to_pool": Question(
                gettext_noop("If nobody remembers where a tile was: does it go into the pool?")
            ),
        },
    ),
    Group(
        gettext_noop("Points"),
        {
            "scoring.joker_points": Question(gettext_noop("What does a joker left on a rack count?"), Unit.POINTS),
            "scoring.tile_value": Question(gettext_noop("What does a tile left on a rack count?")),
            "scoring.totals": Question(gettext_noop("Who wins over several rounds?")),
        },
    ),
    Group(
        gettext_noop("Stars"),
        {
            "stars.bank": Question(gettext_noop("How many stars are there in all?"), Unit.STARS),
            "stars.dealt": Question(gettext_noop("How many stars does everybody get at the start?"), Unit.STARS),
            "stars.tile": Question(gettext_noop("What do you get for each tile that you lay?"), Unit.STARS),
            "stars.replacing": Question(gettext_noop("What do you get for a tile that replaces a joker?"), Unit.STARS),
            "stars.new_run": Question(gettext_noop("What do you also get for each new run?"), Unit.STARS),
            "stars.empty_rack": Question(gettext_noop("What do you get for emptying your rack?"), Unit.STARS),
            "stars.passing": Question(gettext_noop("What do you pay if you lay nothing?"), Unit.STARS),
            "stars.free_pass": Question(gettext_noop("Is passing free if the pool is empty and no tile fits?")),
            "stars.draw_unpaid": Question(gettext_noop("Do you still draw a tile if you have no star to pay?")),
            "stars.tile_left": Question(
                gettext_noop("What do you pay at the end for each tile on your rack?"), Unit.STARS
            ),
            "stars.tiles_left_cost": Question(
                gettext_noop("Do tiles on your rack also cost stars if the pool is empty at the end?")
            ),
            "stars.finisher_wins_tie": Question(
                gettext_noop("If two players have equally many stars: does an empty rack win?")
            ),
            "stars.debt_noted": Question(gettext_noop("If the bank has no stars left: do you note what it owes?")),
            "stars.found": Question(gettext_noop("What do you get for each tile found in the first game?"), Unit.STARS),
        },
    ),
    Group(
        gettext_noop("When the pool is empty"),
        {
            "ending.pool_empty": Question(gettext_noop("What happens when the pool is empty?")),
            "ending.drawer_plays_last": Question(
                gettext_noop("Does the player who drew the last tile also have a last turn?")
            ),
            "ending.must_lay": Question(gettext_noop("Must you lay when the pool is empty and you can lay?")),
            "scoring.empty_pool": Question(gettext_noop("How do you count if nobody has emptied the rack?")),
            "scoring.lowest": Question(gettext_noop("What must be lowest to win if nobody has emptied the rack?")),
            "scoring.fewer_tiles_win": Question(
                gettext_noop("If nobody has emptied the rack and two have the same result: do fewer tiles win?")
            ),
        },
    ),
    Group(
        gettext_noop("Players and dealing"),
        {
            "setup.most_players": Question(gettext_noop("How many may play at most?"), Unit.PLAYERS),
            "setup.least_players": Question(gettext_noop("How many must play at least?"), Unit.PLAYERS),
            "setup.dealt": Question(gettext_noop("How many tiles does everybody get at the start?"), Unit.TILES),
            "setup.stack_size": Question(
                gettext_noop("If you deal stacks of tiles: how many tiles has a stack?"),
                Unit.TILES,
                gettext_noop("no stacks"),
            ),
            "setup.starter": Question(gettext_noop("Who begins the first round?")),
            "setup.joker_drawn": Question(
                gettext_noop("If you draw for who begins: what does a joker count?"),
                _none=gettext_noop("there is no rule for it"),
            ),
            "setup.next_round": Question(gettext_noop("Who begins the next rounds?")),
            "setup.redeal_pairs": Question(
                gettext_noop("With how many pairs among your first tiles may you ask for a new deal?"),
                _none=gettext_noop("no new deal"),
            ),
            "setup.jokers_pair": Question(gettext_noop("Are two jokers a pair for a new deal?")),
        },
    ),
    Group(
        gettext_noop("The tiles in the box"),
        {
            "stock.inks": Question(gettext_noop("Which colours does your box have?")),
            "stock.numbers": Question(gettext_noop("What is the highest number?")),
            "stock.copies": Question(gettext_noop("How many of each tile are there?")),
            "stock.jokers": Question(gettext_noop("How many jokers are there?")),
        },
    ),
)
"""All groups, those that families change most often first."""

QUESTIONS: Final[Mapping[str, tuple[int, Question]]] = MappingProxyType(
    {name: (place, question) for place, group in enumerate(GROUPS) for name, question in group.questions.items()}
)
"""The question of each rule with the place of its group in `GROUPS`, by the name of the rule and in their order."""
