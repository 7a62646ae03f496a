"""The alignment of two sequences of keys: a long common subsequence, found fast."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, TypeAlias

Pair: TypeAlias = tuple[int, int]
"""Places in both sequences."""

Key: TypeAlias = str | int

_MAX_CELLS: Final = 250_000
"""The limit on the table of a longest common subsequence in a text."""

_MAX_CELLS_OF_PASSES: Final = 4_000_000
"""The limit for pipelines of 2,000 passes, which take a second."""


def align(
    old: Sequence[Key], new: Sequence[Key], part: range, new_part: range
) -> list[Pair]:
    """Return pairs of equal keys in two parts, whose places increase in both.

    Keys that are there once are paired first, then those between them.
    """
    pairs: list[Pair] = []
    gaps = [(part, new_part)]
    while gaps:
        some, others = gaps.pop()
        while some and others and old[some[0]] == new[others[0]]:
            pairs.append((some[0], others[0]))
            some, others = some[1:], others[1:]
        while some and others and old[some[-1]] == new[others[-1]]:
            pairs.append((some[-1], others[-1]))
            some, others = some[:-1], others[:-1]
        anchors = longest_increasing(unique_pairs(old, new, some, others))
        if anchors:
            pairs += anchors
            gaps += gaps_between(anchors, some, others)
        else:
            pairs += _common_subsequence(old, new, some, others) or ()
    return sorted(pairs)


def align_by_least_edits(old: Sequence[Key], new: Sequence[Key]) -> list[Pair]:
    """Return the most pairs of equal keys whose places increase in both, early ones.

    Each part before an edit is paired with its equal: an end that both share is not
    paired first, nor a key that both have once. Sequences that would take long are
    paired as `align` does.
    """
    begin = 0
    while begin < min(len(old), len(new)) and old[begin] == new[begin]:
        begin += 1
    same = [(place, place) for place in range(begin)]
    rest = range(begin, len(old)), range(begin, len(new))
    found = _common_subsequence(old, new, *rest, _MAX_CELLS_OF_PASSES)
    return same + (align(old, new, *rest) if found is None else found)


def gaps_between(
    pairs: Sequence[Pair], part: range, new_part: range
) -> Iterator[tuple[range, range]]:
    """Yield the gaps between pairs in which both sequences have elements."""
    begin, end = (part.start - 1, new_part.start - 1), (part.stop, new_part.stop)
    for (i, j), (next_i, next_j) in pairwise([begin, *pairs, end]):
        if next_i > i + 1 and next_j > j + 1:
            yield range(i + 1, next_i), range(j + 1, next_j)


def unique_pairs(
    old: Sequence[Key], new: Sequence[Key], part: range, new_part: range
) -> list[Pair]:
    """Return pairs of the keys that both parts have once."""
    counts = Counter(old[place] for place in part)
    new_counts = Counter(new[place] for place in new_part)
    places = {new[place]: place for place in new_part}
    return [
        (place, places[old[place]])
        for place in part
        if counts[old[place]] == new_counts[old[place]] == 1
    ]


def longest_increasing(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the most pairs that increase in both places; they do in the first."""
    ends: list[int] = []
    """The least second place in which so many pairs, and one more, end."""

    chains: list[tuple[Pair, object]] = []
    """The last of these pairs, with the chain before it."""

    for pair in pairs:
        length = bisect_left(ends, pair[1])
        chain = pair, chains[length - 1] if length else None
        ends[length : length + 1] = [pair[1]]
        chains[length : length + 1] = [chain]
    found: list[Pair] = []
    rest: Any = chains[-1] if chains else None
    while rest:
        pair, rest = rest
        found.append(pair)
    return found[::-1]


def _common_subsequence(
    old: Sequence[Key],
    new: Sequence[Key],
    part: range,
    new_part: range,
    max_cells: int = _MAX_CELLS,
) -> list[Pair] | None:
    """Return pairs of the longest common subsequence; `None` if it would take long."""
    shared = {old[i] for i in part} & {new[j] for j in new_part}
    left = [i for i in part if old[i] in shared]
    right = [j for j in new_part if new[j] in shared]
    if len(left) * len(right) > max_cells:
        return None
    # most[i][j]: the most pairs in `left` from i on and in `right` from j on.
    most = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    keys = [new[j] for j in right]
    for i in reversed(range(len(left))):
        row, below, key = most[i], most[i + 1], old[left[i]]
        count = 0
        for j in reversed(range(len(right))):
            if key == keys[j]:
                count = below[j + 1] + 1
            elif count < below[j]:
                count = below[j]
            row[j] = count
    pairs: list[Pair] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if old[left[i]] == new[right[j]]:
            pairs.append((left[i], right[j]))
            i, j = i + 1, j + 1
        elif most[i + 1][j] >= most[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs
