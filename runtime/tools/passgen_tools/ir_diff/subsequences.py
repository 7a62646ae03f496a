"""Longest increasing, and longest common subsequences."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TypeAlias

Key: TypeAlias = str | int
"""What an element of a sequence is compared by."""

Pair: TypeAlias = tuple[int, int]
"""The index of an element of the old sequence, and of one of the new sequence."""


def longest_increasing(pairs: Sequence[Pair]) -> list[Pair]:
    """Return a longest subsequence of `pairs` whose new indices increase.

    It is found by patience sorting: a chain is a subsequence that increases, and of all
    chains of a length, the one with the least end is kept, since most pairs can follow
    it.

    Args:
        pairs: pairs whose old indices increase.
    """
    least_ends: list[int] = []
    """`least_ends[n]`: the least new index at the end of a chain of n + 1 pairs."""

    last_pairs: list[int] = []
    """`last_pairs[n]`: where the last pair of that chain is in `pairs`."""

    previous_pairs: list[int | None] = []
    """For each pair, where the one before it in its chain is in `pairs`."""

    for number, (_, new_index) in enumerate(pairs):
        num_before = bisect_left(least_ends, new_index)
        previous_pairs.append(last_pairs[num_before - 1] if num_before else None)
        if num_before == len(least_ends):
            least_ends.append(new_index)
            last_pairs.append(number)
        else:
            least_ends[num_before] = new_index
            last_pairs[num_before] = number

    longest: list[Pair] = []
    current = last_pairs[-1] if last_pairs else None
    while current is not None:
        longest.append(pairs[current])
        current = previous_pairs[current]
    longest.reverse()
    return longest


def longest_common(
    old_keys: Sequence[Key], new_keys: Sequence[Key], max_cells: int
) -> list[Pair] | None:
    """Return the index pairs of a longest common subsequence of two sequences.

    Of several, it is the one whose pairs come first. It is found by dynamic
    programming; `None` if the table would have more than `max_cells`.
    """
    # Keys that only one sequence has cannot be paired: they need no cells.
    common_keys = set(old_keys) & set(new_keys)
    old_indices = _indices_of(common_keys, old_keys)
    new_indices = _indices_of(common_keys, new_keys)
    if len(old_indices) * len(new_indices) > max_cells:
        return None
    old_common = [old_keys[index] for index in old_indices]
    new_common = [new_keys[index] for index in new_indices]
    return [
        (old_indices[row], new_indices[column])
        for row, column in _longest_common(old_common, new_common)
    ]


def _indices_of(wanted: set[Key], keys: Sequence[Key]) -> list[int]:
    """Return the indices of the keys that are `wanted`."""
    return [index for index, key in enumerate(keys) if key in wanted]


def _longest_common(old_keys: Sequence[Key], new_keys: Sequence[Key]) -> list[Pair]:
    """Return the index pairs of the first longest common subsequence."""
    lengths = _common_lengths(old_keys, new_keys)
    pairs: list[Pair] = []
    row = column = 0
    while row < len(old_keys) and column < len(new_keys):
        if old_keys[row] == new_keys[column]:
            pairs.append((row, column))
            row += 1
            column += 1
        elif lengths[row + 1][column] >= lengths[row][column + 1]:
            row += 1
        else:
            column += 1
    return pairs


def _common_lengths(
    old_keys: Sequence[Key], new_keys: Sequence[Key]
) -> list[list[int]]:
    """Return the table of the lengths of longest common subsequences.

    The cell in row r and column c is about `old_keys[r:]` and `new_keys[c:]`.
    """
    num_columns = len(new_keys) + 1
    lengths = [[0] * num_columns for _ in range(len(old_keys) + 1)]
    for row_index in reversed(range(len(old_keys))):
        old_key = old_keys[row_index]
        row = lengths[row_index]
        next_row = lengths[row_index + 1]
        length = 0
        for column in reversed(range(len(new_keys))):
            if old_key == new_keys[column]:
                length = next_row[column + 1] + 1
            elif length < next_row[column]:  # `max` would be slower
                length = next_row[column]
            row[column] = length
    return lengths
