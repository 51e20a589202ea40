"""Whether a word that the vocabulary lacks is a slip or another form of one that it has."""

SHORTEST_GUESSABLE = 5
TWO_SLIPS_FROM = 9
CONFUSED_LETTERS = ("aeiouy", "sz", "ck", "cs")


def is_close_spelling(asked: str, known: str) -> bool:
    """Whether `asked` reads like `known`: one slip (two if long), or one begins the other."""
    if len(asked) < SHORTEST_GUESSABLE or len(known) < SHORTEST_GUESSABLE or asked[0] != known[0]:
        return False
    shorter, longer = sorted((asked, known), key=len)
    if longer.startswith(shorter) and len(longer) <= 2 * len(shorter):
        return True
    slips_allowed = 2 if len(shorter) >= TWO_SLIPS_FROM else 1
    return count_slips(asked, known, slips_allowed) <= slips_allowed


def count_slips(first: str, second: str, at_most: int) -> int:
    """Letters added, left out, taken for another or swapped with their neighbour (Damerau 1964).

    Gives `at_most + 1` for anything above `at_most`.
    """
    if abs(len(first) - len(second)) > at_most:
        return at_most + 1
    row_above: list[int] = list(range(len(second) + 1))
    row_before_that = row_above
    for row in range(1, len(first) + 1):
        current = [row]
        for column in range(1, len(second) + 1):
            replacement_cost = _replacement_cost(first[row - 1], second[column - 1])
            cost = min(
                row_above[column] + 1,
                current[column - 1] + 1,
                row_above[column - 1] + replacement_cost,
            )
            if _is_swapped(first, row, second, column):
                cost = min(cost, row_before_that[column - 2] + 1)
            current.append(cost)
        if min(current) > at_most:
            return at_most + 1
        row_before_that, row_above = row_above, current
    return row_above[-1]


def _is_swapped(first: str, row: int, second: str, column: int) -> bool:
    """Whether the two letters before these places are each other's."""
    if row < 2 or column < 2:
        return False
    return first[row - 1] == second[column - 2] and first[row - 2] == second[column - 1]


def _replacement_cost(letter: str, other: str) -> int:
    """1 for letters that are taken for each other; `marker` is no slip of `market`."""
    if letter == other:
        return 0
    for group in CONFUSED_LETTERS:
        if letter in group and other in group:
            return 1
    return 2
