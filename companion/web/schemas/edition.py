"""Answers about an edition and its rules."""

from typing import Self

from tilekeeper.companion.text.boxes import BOXES, plays_with_cards
from tilekeeper.companion.text.names import edition_words
from tilekeeper.companion.web.schemas.answer import Answer
from tilekeeper.companion.web.schemas.tiles import TileJson
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.editions import RULE_SETS, TITLES
from tilekeeper.engine.rules.house_rules import changed_fields
from tilekeeper.engine.rules.ruleset import RuleSet, Stock
from tilekeeper.engine.tiles.tile import JOKER, Tile


class InkJson(Answer):
    """A colour of the edition: its letter in the notation, and its name."""

    letter: str
    ink: str


class EditionJson(Answer):
    """An edition with house rules: the facts that a page needs, for example to show its tiles."""

    key: str
    name: str
    """The name of the box: `Standard box`."""
    look: str
    """A description of the box's appearance, in one or two short sentences."""
    sign: str
    """What its picture shows beside the samples: `none`, `sheet`, `small`, `coins` or `cards`."""
    cards: bool
    """Whether people play with cards, so that pages say so instead of tiles and racks."""
    samples: list[TileJson]
    """Sample tiles: one of each colour, from the lowest number to the highest, and a joker if there is one."""
    title: str
    """A title for the edition, in a few words."""
    house: list[str]
    """The house rules, each as `part.field=value`."""
    inks: list[InkJson]
    numbers: int
    """The highest number on a tile."""
    copies: int
    """How many copies of each tile the box has, apart from jokers."""
    jokers: int
    tiles: int
    """How many tiles the box has."""
    dealt: int
    """How many tiles each player takes at the start of a round."""
    opening_points: int
    """The minimum of an opening; 0 in editions without an opening."""
    joker_left: int
    """The points that a joker costs if it remains on a rack at the end of a round."""
    limit_s: int | None
    """The limit of a turn in seconds; null without a limit."""
    penalty: int
    """How many tiles a failed turn costs."""
    stars: bool
    """Whether star coins are counted instead of points."""
    must_lay: bool
    """Whether a player who can lay a tile must lay when the pool is empty."""

    @classmethod
    def from_rules(cls, rules: RuleSet) -> Self:
        """Return the edition of `rules`, with their house rules."""
        stock = rules.stock
        return cls(
            key=rules.name,
            name=edition_words(rules.name),
            look=BOXES[rules.name].look,
            sign=BOXES[rules.name].sign.value,
            cards=plays_with_cards(rules),
            samples=[TileJson.from_tile(tile) for tile in _samples(stock)],
            title=gettext(TITLES[rules.name]),
            house=list(changed_fields(rules, RULE_SETS[rules.name])),
            inks=[InkJson(letter=ink.letter, ink=ink.word) for ink in stock.inks],
            numbers=stock.numbers,
            copies=stock.copies,
            jokers=stock.jokers,
            tiles=stock.size,
            dealt=rules.setup.dealt,
            opening_points=rules.opening.minimum_points,
            joker_left=rules.scoring.joker_points,
            limit_s=rules.turn.limit_s,
            penalty=rules.penalty.tiles,
            stars=rules.stars is not None,
            must_lay=rules.ending.must_lay,
        )


def _samples(stock: Stock) -> list[Tile]:
    """Return one tile of each colour, from the lowest number to the highest, and a joker if the stock has one."""
    last = max(1, len(stock.inks) - 1)
    numbers = [1 + round(place * (stock.numbers - 1) / last) for place in range(len(stock.inks))]
    tiles = [Tile(ink, number) for ink, number in zip(stock.inks, numbers, strict=True)]
    return [*tiles, *([JOKER] if stock.jokers else [])]
