"""The assignment problem: pair rows and columns one to one for the greatest total worth."""

from __future__ import annotations

from collections.abc import Sequence


def best_pairs(worth: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Hungarian method: return pairs of a row and a column with the greatest total worth, each in one pair at most.

    The worth of a pair is 0 or more.
    """
    width = max(map(len, worth), default=0)
    size = max(len(worth), width)
    cost = [[0] * (size + 1) for _ in range(size + 1)]
    for row, values in enumerate(worth, start=1):
        for column, value in enumerate(values, start=1):
            cost[row][column] = -value
    row_price, column_price, row_of = [0] * (size + 1), [0] * (size + 1), [0] * (size + 1)
    for row in range(1, size + 1):
        _add_row(row, cost, row_price, column_price, row_of)
    return sorted((row_of[column] - 1, column - 1) for column in range(1, width + 1) if row_of[column] <= len(worth))


def _add_row(
    row: int, cost: Sequence[Sequence[int]], row_price: list[int], column_price: list[int], row_of: list[int]
) -> None:
    """Pair one more row by the cheapest augmenting path; change the prices and `row_of` in place.

    `row_of` has the row of each column, 0 for none. Index 0 of each list is a sentinel.
    """
    size = len(row_of) - 1
    row_of[0] = row
    came_from, slack, done = [0] * (size + 1), [10**9] * (size + 1), [False] * (size + 1)
    column = 0
    while row_of[column]:
        done[column] = True
        current, step, nearest = row_of[column], 10**9, 0
        for other in range(1, size + 1):
            if not done[other]:
                reduced = cost[current][other] - row_price[current] - column_price[other]
                if reduced < slack[other]:
                    slack[other], came_from[other] = reduced, column
                if slack[other] < step:
                    step, nearest = slack[other], other
        for other in range(size + 1):
            if done[other]:
                row_price[row_of[other]] += step
                column_price[other] -= step
            else:
                slack[other] -= step
        column = nearest
    while column:
        row_of[column] = row_of[came_from[column]]
        column = came_from[column]
