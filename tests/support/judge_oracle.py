"""A slow judge that tries everything: every identity of every tile, every release of every joker, every opening.

It shares no code with the judge except the data of rules, tables and tiles. It takes turns from a legal table, and
returns only whether they are legal.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import combinations, pairwise, permutations, product
from math import perm, prod

from tests.support.moves_by_hand import ByHand, depends_on_moves, joker_choices
from tests.support.single_moves import reached
from tilekeeper.engine.rules.policies import FreedJoker, JokerSets, OpeningTable, Regrouping
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Place, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

RACK = Place(-1, -1)
Origins = dict[Place, Place]
"""The origin of the tile at each place after the turn: a place before the turn, or `RACK`."""


@lru_cache(maxsize=200_000)
def fillings(meld: Meld, rules: RuleSet) -> frozenset[Meld]:
    """Return every choice of tiles for the jokers of a row that makes it a run or a group."""
    if len(meld) < rules.melds.shortest or all(tile == JOKER for tile in meld):
        return frozenset()
    if rules.joker.most_in_set is not None and meld.count(JOKER) > rules.joker.most_in_set:
        return frozenset()
    choices = (*_runs(len(meld), rules), *_groups(len(meld), rules))
    return frozenset(
        choice for choice in choices if all(tile in (JOKER, filled) for tile, filled in zip(meld, choice, strict=True))
    )


@lru_cache(maxsize=10_000)
def _runs(size: int, rules: RuleSet) -> tuple[Meld, ...]:
    """Return every run of a size, from either side."""
    numbers = range(1, rules.stock.numbers + 1)
    lines = [[Tile(ink, number) for number in numbers] for ink in rules.stock.inks]
    rising = [tuple(line[at : at + size]) for line in lines for at in range(len(line) - size + 1)]
    return (*rising, *(run[::-1] for run in rising))


@lru_cache(maxsize=10_000)
def _groups(size: int, rules: RuleSet) -> tuple[Meld, ...]:
    """Return every group of a size, in any order."""
    if size > (rules.melds.largest_group or 0):
        return ()
    numbers = range(1, rules.stock.numbers + 1)
    return tuple(
        tuple(Tile(ink, number) for ink in inks) for number in numbers for inks in permutations(rules.stock.inks, size)
    )


def _is_run(tiles: Meld) -> bool:
    steps = {(following.number or 0) - (tile.number or 0) for tile, following in pairwise(tiles)}
    return len({tile.colour for tile in tiles}) == 1 and steps in ({1}, {-1})


def _is_group(tiles: Meld, rules: RuleSet) -> bool:
    if rules.melds.largest_group is None or len(tiles) > rules.melds.largest_group:
        return False
    return len({tile.number for tile in tiles}) == 1 and len({tile.colour for tile in tiles}) == len(tiles)


def value(meld: Meld, rules: RuleSet) -> int:
    fixed = rules.opening.joker_points
    return max(
        sum(
            fixed if fixed is not None and tile == JOKER else stands_for.number or 0
            for tile, stands_for in zip(meld, filling, strict=True)
        )
        for filling in fillings(meld, rules)
    )


def same_set(meld: Meld, rules: RuleSet) -> tuple[object, ...]:
    """Return a key of equal sets: a run in either direction, a group in any order."""
    if any(_is_group(filling, rules) for filling in fillings(meld, rules)):
        return ("group", *sorted(map(str, meld)))
    return min(tuple(map(str, meld)), tuple(map(str, meld[::-1])))


def count_identities(before: Table, after: Table) -> int:
    """Return in how many ways the tiles of the table before can be matched to equal tiles of the table after."""
    was, now = before.counts, after.counts
    return prod(perm(max(was[tile], now[tile]), min(was[tile], now[tile])) for tile in was | now)


def is_legal(before: Table, after: Table, rules: RuleSet, opened: bool, most_tables: int = 200_000) -> bool:
    """Return whether a turn from a legal table is legal.

    Raises:
        TooManyMoves: where single moves are tried, if they lead to more than `most_tables` tables.
    """
    was, now = before.counts, after.counts
    placed = now - was
    if any(now[tile] > rules.stock.copies_of(tile) for tile in now) or placed.total() < rules.turn.least_tiles:
        return False
    if not all(fillings(meld, rules) for meld in after.melds):
        return False
    if set(was - now) - ({JOKER} if rules.joker.freed is FreedJoker.RACK else set()):
        return False
    if rules.joker.sets is JokerSets.JOKER_MOVES:
        return reached(before, after, rules, most_tables)
    if opened or rules.opening.minimum_points == 0:
        return has_legal_identity(before, after, rules, most_tables)
    if rules.opening.table is OpeningTable.LEFT_ALONE:
        laid = list(after.melds)
        for meld in before.melds:
            key = same_set(meld, rules)
            found = next((row for row in laid if same_set(row, rules) == key), None)
            if found is None:
                return False
            laid.remove(found)
        return sum(value(meld, rules) for meld in laid) >= rules.opening.minimum_points
    return any(
        has_legal_identity(Table((*before.melds, *sets)), after, rules, most_tables) for sets in openings(placed, rules)
    )


def openings(rack: Counter[Tile], rules: RuleSet) -> Iterator[tuple[Meld, ...]]:
    """Yield every choice of sets from the rack with enough points."""
    rows = {}
    for size in range(rules.melds.shortest, min(rack.total(), rules.stock.numbers) + 1):
        for tiles in set(combinations(sorted(rack.elements(), key=lambda tile: tile.order), size)):
            if len({tile.number for tile in tiles} - {None}) > 1 and len({tile.colour for tile in tiles} - {None}) > 1:
                continue
            for row in set(permutations(tiles)) if JOKER in tiles or len(tiles) < 6 else [tiles]:
                if fillings(row, rules):
                    rows[same_set(row, rules)] = row
    all_rows = list(rows.values())

    def choose(start: int, chosen: tuple[Meld, ...], remaining: Counter[Tile]) -> Iterator[tuple[Meld, ...]]:
        if sum(value(row, rules) for row in chosen) >= rules.opening.minimum_points:
            yield chosen
        for index in range(start, len(all_rows)):
            if Counter(all_rows[index]) <= remaining:
                yield from choose(index, (*chosen, all_rows[index]), remaining - Counter(all_rows[index]))

    yield from choose(0, (), rack)


def has_legal_identity(before: Table, after: Table, rules: RuleSet, most_tables: int) -> bool:
    """Return whether some identity of all tiles, jokers included, breaks no rule of manipulation.

    Unchanged sets keep their tiles, because exchanging copies would not change them.

    Raises:
        TooManyMoves: where single moves are tried, if they lead to more than `most_tables` tables in all.
    """
    before, after = _without_unchanged(before, after, rules)
    places: dict[Tile, list[Place]] = {}
    origins: dict[Tile, list[Place]] = {}
    for place, tile in after.places():
        places.setdefault(tile, []).append(place)
    for place, tile in before.places():
        origins.setdefault(tile, []).append(place)
    for tile, count in (after.counts - before.counts).items():
        origins.setdefault(tile, []).extend([RACK] * count)
    orders = [set(permutations(origins[tile], len(places[tile]))) for tile in places]
    filled = partial(fillings, rules=rules)
    jokers_stand_for = joker_choices(before, filled) if depends_on_moves(rules) else []
    for choice in product(*orders):
        origins_of = {
            place: origin
            for tile, order in zip(places, choice, strict=True)
            for place, origin in zip(places[tile], order, strict=True)
        }
        if depends_on_moves(rules):
            goals = {origin: place for place, origin in origins_of.items() if origin != RACK}
            for stood_for in jokers_stand_for:
                search = ByHand(before, after, goals, stood_for, filled, rules)
                if search.reaches(most_tables):
                    return True
                most_tables -= search.tried
        elif any(
            _Identity(before, after, origins_of, rules, releases).is_legal()
            for releases in _releases(before, after, origins_of, rules)
        ):
            return True
    return False


def _without_unchanged(before: Table, after: Table, rules: RuleSet) -> tuple[Table, Table]:
    changed, new = [], list(after.melds)
    for meld in before.melds:
        # An identical row is preferred to an equal one.
        found = [row for row in new if row == meld] or [
            row for row in new if same_set(row, rules) == same_set(meld, rules)
        ]
        if found:
            new.remove(found[0])
        else:
            changed.append(meld)
    return Table(tuple(changed)), Table(tuple(new))


Releases = dict[Place, Tile | str]
"""The outcome of the joker at each place before: "stayed", "free", or the tile that replaced it."""


def _releases(before: Table, after: Table, origins_of: Origins, rules: RuleSet) -> Iterator[Releases]:
    jokers = [place for place, tile in before.places() if tile == JOKER]
    goals = {origin: place for place, origin in origins_of.items()}
    spare = Counter(after.tile_at(place) for place, origin in origins_of.items() if origin == RACK)
    options: list[list[Tile | str]] = []
    for joker in jokers:
        stood_for = {filling[joker.position] for filling in fillings(before.melds[joker.meld], rules)}
        goal = goals.get(joker)
        if rules.joker.sets is JokerSets.LIKE_OTHERS:
            options.append(["free"])
            continue
        if _only_end_counts(rules):
            stood_for |= _colours_that_may_leave(before.melds[joker.meld], after, rules)
        mine: list[Tile | str] = [tile for tile in stood_for if spare[tile]]
        if goal is not None:
            stands_for = {filling[goal.position] for filling in fillings(after.melds[goal.meld], rules)}
            stayed = any(
                origin.meld == joker.meld and place.meld == goal.meld and origin != joker
                for place, origin in origins_of.items()
                if before.melds and origin != RACK and before.tile_at(origin) != JOKER
            )
            if _only_end_counts(rules):
                stayed = stayed or _keeps_its_place(joker, goal, before, after, rules)
            elif not stood_for & stands_for:
                stayed = False
            if stayed:
                mine.append("stayed")
        options.append(mine)
    for choice in product(*options):
        replacing = [(joker, tile) for joker, tile in zip(jokers, choice, strict=True) if isinstance(tile, Tile)]
        if Counter(tile for _, tile in replacing) <= spare and _fit_one_reading(replacing, before, rules):
            yield dict(zip(jokers, choice, strict=True))


def _fit_one_reading(replacing: list[tuple[Place, Tile]], before: Table, rules: RuleSet) -> bool:
    """Return whether the tiles that replaced jokers of one set fit one reading of it; in a group any colour fits."""
    return all(
        any(
            all(
                tile is filling[joker.position] or (_is_group(filling, rules) and tile.number == filling[0].number)
                for joker, tile in replacing
                if joker.meld == meld
            )
            for filling in fillings(before.melds[meld], rules)
        )
        for meld in {joker.meld for joker, _ in replacing}
    )


def _only_end_counts(rules: RuleSet) -> bool:
    """Return whether jokers stay with a card of their set or in their place, however the cards lay in between."""
    return rules.joker.sets is JokerSets.JOKER_STAYS and rules.manipulation.regrouping is Regrouping.ANY


def _colours_that_may_leave(meld: Meld, after: Table, rules: RuleSet) -> set[Tile]:
    """Return the cards of a group that may leave it before another copy of them replaces the joker."""
    groups = [filling for filling in fillings(meld, rules) if _is_group(filling, rules)]
    plain = {tile for tile in meld if tile != JOKER}
    if not groups:
        return set()
    number = groups[0][0].number
    gained = {tile for row in after.melds for tile in row if tile.number == number and fillings(row, rules)}
    return plain if len(meld) > rules.melds.shortest or gained - plain else set()


def _keeps_its_place(joker: Place, goal: Place, before: Table, after: Table, rules: RuleSet) -> bool:
    """Return whether a joker left alone by its set stands for the same tile of a run, or the same number of a group."""

    def places(meld: Meld, at: int) -> set[tuple[bool, object]]:
        found = fillings(meld, rules)
        return {(_is_run(filling), filling[at] if _is_run(filling) else filling[at].number) for filling in found}

    return bool(places(before.melds[joker.meld], joker.position) & places(after.melds[goal.meld], goal.position))


class _Identity:
    """One identity of all tiles and one release of each joker, checked by every rule."""

    def __init__(self, before: Table, after: Table, origins_of: Origins, rules: RuleSet, releases: Releases) -> None:
        self.before, self.after, self.origins_of, self.rules, self.releases = before, after, origins_of, rules, releases
        self.goals = {origin: place for place, origin in origins_of.items() if origin != RACK}
        self.parts = [self._parts(meld) for meld in range(len(before.melds))]

    def _parts(self, meld: int) -> dict[int, list[Place]]:
        """Return the places of an old set's tiles by new meld; a tile that replaced its joker is one of them."""
        parts: dict[int, list[Place]] = {}
        for position, tile in enumerate(self.before.melds[meld]):
            origin = Place(meld, position)
            release = self.releases.get(origin, "stayed")
            if origin in self.goals and (tile != JOKER or release == "stayed"):
                parts.setdefault(self.goals[origin].meld, []).append(self.goals[origin])
        for origin, release in self.releases.items():
            if origin.meld == meld and isinstance(release, Tile):
                for place, source in self.origins_of.items():
                    if source == RACK and self.after.tile_at(place) == release and place.meld in parts:
                        parts[place.meld].append(place)
                        break
        # A joker that is free to leave counts if it is with other tiles of its set.
        for origin, release in self.releases.items():
            if origin.meld == meld and release == "free" and origin in self.goals and self.goals[origin].meld in parts:
                parts[self.goals[origin].meld].append(self.goals[origin])
        return parts

    def is_legal(self) -> bool:
        return all(self._set_is_legal(meld) for meld in range(len(self.before.melds))) and all(
            self._joker_is_legal(joker, release) for joker, release in self.releases.items()
        )

    def _set_is_legal(self, meld: int) -> bool:
        mine = {joker: release for joker, release in self.releases.items() if joker.meld == meld}
        if self.rules.manipulation.regrouping is Regrouping.EXTEND_ONLY:
            old = [Place(meld, position) for position in range(len(self.before.melds[meld]))]
            numbered = [place for place in old if place in self.goals and self.before.tile_at(place) != JOKER]
            if len({self.goals[place].meld for place in numbered}) > 1:
                return False
        if self.rules.joker.sets is JokerSets.LOCKED and "stayed" in mine.values() and len(self.parts[meld]) > 1:
            return False
        parts = self.parts[meld]
        if not self.rules.manipulation.staying_together or len(parts) < 2:
            return True
        is_used_up = all(len(part) == 1 and self.after.tile_at(part[0]) != JOKER for part in parts.values())
        return is_used_up or any(
            self._together(meld, goal, part) >= self.rules.manipulation.staying_together for goal, part in parts.items()
        )

    def _together(self, old: int, goal: int, part: list[Place]) -> int:
        """Return how many tiles of an old set, and new ones beside them, are together in a new meld of its kind."""
        row, new = self.after.melds[goal], self.after.counts - self.before.counts
        counts = "".join(
            "x" if Place(goal, at) in part or (tile != JOKER and new[tile]) else " " for at, tile in enumerate(row)
        )
        is_group, was_group = (
            {_is_group(filling, self.rules) for filling in fillings(meld, self.rules)}
            for meld in (row, self.before.melds[old])
        )
        if True in is_group & was_group:
            return counts.count("x")
        return max(map(len, counts.split()), default=0) if False in is_group & was_group else 1

    def _joker_is_legal(self, joker: Place, release: Tile | str) -> bool:
        goal = self.goals.get(joker)
        policy = self.rules.joker.freed
        if release == "stayed":
            return True
        if goal is None:
            return policy is FreedJoker.RACK and isinstance(release, Tile)
        if policy is FreedJoker.NEW_COMBINATION and self._is_old(goal.meld):
            return False
        if release == "free" and any(
            origin.meld == joker.meld and self.before.tile_at(origin) != JOKER
            for place, origin in self.origins_of.items()
            if place.meld == goal.meld and origin != RACK
        ):
            return True
        return self._lies_well(goal.meld, policy)

    def _lies_well(self, meld: int, policy: FreedJoker) -> bool:
        origins = [(place, origin) for place, origin in self.origins_of.items() if place.meld == meld]
        numbered = [origin for place, origin in origins if self.after.tile_at(place) != JOKER]
        from_rack = sum(origin == RACK for _, origin in origins)
        if from_rack < self.rules.joker.rack_tiles:
            return False
        match policy:
            case FreedJoker.ANY_MELD | FreedJoker.RACK:
                return True
            case FreedJoker.SET_FROM_RACK:
                return all(origin == RACK for origin in numbered) and not any(
                    self._goes_on(parts, meld) for parts in self.parts
                )
            case FreedJoker.NEW_SET:
                return not any(self._goes_on(parts, meld) for parts in self.parts)
            case FreedJoker.NEW_COMBINATION:
                return True

    def _is_old(self, meld: int) -> bool:
        """Return whether a row looks like an old set to which only jokers of other sets were put."""
        row = self.after.melds[meld]
        numbered = sorted(str(tile) for tile in row if tile != JOKER)
        jokers = [self.origins_of[Place(meld, at)] for at, tile in enumerate(row) if tile == JOKER]
        return RACK not in jokers and any(
            sorted(str(tile) for tile in old if tile != JOKER) == numbered
            and old.count(JOKER) == sum(joker.meld == number for joker in jokers) < len(jokers)
            for number, old in enumerate(self.before.melds)
        )

    def _goes_on(self, parts: dict[int, list[Place]], meld: int) -> bool:
        large = [goal for goal, part in parts.items() if len(part) >= self.rules.melds.shortest]
        freed_in = {
            self.goals[joker].meld
            for joker, release in self.releases.items()
            if (isinstance(release, Tile) or release == "free") and joker in self.goals
        }
        return meld in large and set(large) <= freed_in
