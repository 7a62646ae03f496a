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
    before_all = part.start - 1, new_part.start - 1
    behind_all = part.stop, new_part.stop
    for pair, next_pair in pairwise([before_all, *pairs, behind_all]):
        gap = range(pair[0] + 1, next_pair[0])
        new_gap = range(pair[1] + 1, next_pair[1])
        if gap and new_gap:
            yield gap, new_gap


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
    """`ends[n]`: the least second place of the last pair in a chain of n + 1 pairs."""

    chains: list[tuple[Pair, object]] = []
    """`chains[n]`: the last pair of that chain, linked to the chain before it."""

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
    shared = {old[place] for place in part} & {new[place] for place in new_part}
    left = [place for place in part if old[place] in shared]
    right = [place for place in new_part if new[place] in shared]
    if len(left) * len(right) > max_cells:
        return None
    left_keys = [old[place] for place in left]
    right_keys = [new[place] for place in right]
    most = _subsequence_lengths(left_keys, right_keys)
    pairs: list[Pair] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left_keys[i] == right_keys[j]:
            pairs.append((left[i], right[j]))
            i, j = i + 1, j + 1
        elif most[i + 1][j] >= most[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _subsequence_lengths(left: Sequence[Key], right: Sequence[Key]) -> list[list[int]]:
    """Return the lengths of longest common subsequences of all pairs of ends.

    Row i, column j is about `left[i:]` and `right[j:]`.
    """
    lengths = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in reversed(range(len(left))):
        row, next_row = lengths[i], lengths[i + 1]
        key = left[i]
        length = 0
        for j in reversed(range(len(right))):
            if key == right[j]:
                length = next_row[j + 1] + 1
            elif length < next_row[j]:
                length = next_row[j]
            row[j] = length
    return lengths
