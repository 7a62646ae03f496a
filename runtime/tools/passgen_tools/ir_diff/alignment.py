"""The alignment of two sequences: which elements of the old one the new one still has.

An alignment is a list of pairs of equal keys. Both indices increase from pair to pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from passgen_tools.ir_diff.subsequences import (
    Key,
    Pair,
    longest_common,
    longest_increasing,
)

_MAX_CELLS: Final = 250_000
"""The limit on the table of a longest common subsequence in a text."""

_MAX_CELLS_OF_PASSES: Final = 4_000_000
"""The limit for pipelines of 2,000 passes, which take a second."""


class Section(NamedTuple):
    """Neighboring elements of the old sequence, and neighboring ones of the new one."""

    old: range
    """Indices in the old sequence."""

    new: range
    """Indices in the new sequence."""


def align(
    old_keys: Sequence[Key], new_keys: Sequence[Key], section: Section
) -> list[Pair]:
    """Align a section of two sequences by a patience diff.

    Equal elements at both ends of the section are paired first. Then keys that are
    unique in both sequences become anchors, and each gap between anchors is aligned in
    the same way. A gap without anchors is aligned by a longest common subsequence; a
    gap that is too large for one gets no pairs.
    """
    pairs: list[Pair] = []
    gaps = [section]
    while gaps:
        equal_ends, rest = _pair_equal_ends(old_keys, new_keys, gaps.pop())
        pairs += equal_ends
        anchors = longest_increasing(unique_pairs(old_keys, new_keys, rest))
        if anchors:
            pairs += anchors
            gaps += gaps_between(anchors, rest)
        else:
            common = _pair_longest_common(old_keys, new_keys, rest, _MAX_CELLS)
            pairs += common or []
    return sorted(pairs)


def align_by_least_edits(
    old_keys: Sequence[Key], new_keys: Sequence[Key]
) -> list[Pair]:
    """Align two sequences by the first of their longest common subsequences.

    Unlike `align`, it always finds as many pairs as possible, and pairs an element with
    the first equal one that allows that. Sequences that would take too long are aligned
    as `align` does it.
    """
    num_equal = _num_equal_at_begin(old_keys, new_keys)
    equal_begin = [(index, index) for index in range(num_equal)]
    rest = Section(
        range(num_equal, len(old_keys)),
        range(num_equal, len(new_keys)),
    )
    pairs = _pair_longest_common(old_keys, new_keys, rest, _MAX_CELLS_OF_PASSES)
    if pairs is None:
        pairs = align(old_keys, new_keys, rest)
    return equal_begin + pairs


def gaps_between(pairs: Sequence[Pair], section: Section) -> Iterator[Section]:
    """Yield the gaps around the pairs of an alignment, if they can have more pairs.

    Those are the gaps that have elements of both sequences.
    """
    before_section = section.old.start - 1, section.new.start - 1
    behind_section = section.old.stop, section.new.stop
    limits = [before_section, *pairs, behind_section]
    for (old_before, new_before), (old_behind, new_behind) in pairwise(limits):
        old_gap = range(old_before + 1, old_behind)
        new_gap = range(new_before + 1, new_behind)
        if old_gap and new_gap:
            yield Section(old_gap, new_gap)


def unique_pairs(
    old_keys: Sequence[Key], new_keys: Sequence[Key], section: Section
) -> list[Pair]:
    """Return pairs of the keys that each sequence has exactly once in a section.

    Old indices increase; new indices need not.
    """
    old_counts = Counter(old_keys[index] for index in section.old)
    new_counts = Counter(new_keys[index] for index in section.new)
    new_index_of = {new_keys[index]: index for index in section.new}
    pairs: list[Pair] = []
    for old_index in section.old:
        key = old_keys[old_index]
        if old_counts[key] == 1 and new_counts[key] == 1:
            pairs.append((old_index, new_index_of[key]))
    return pairs


def _pair_equal_ends(
    old_keys: Sequence[Key], new_keys: Sequence[Key], section: Section
) -> tuple[list[Pair], Section]:
    """Pair equal elements from both ends of a section; return the rest of it, too."""
    pairs: list[Pair] = []
    old, new = section
    while old and new and old_keys[old[0]] == new_keys[new[0]]:
        pairs.append((old[0], new[0]))
        old, new = old[1:], new[1:]
    while old and new and old_keys[old[-1]] == new_keys[new[-1]]:
        pairs.append((old[-1], new[-1]))
        old, new = old[:-1], new[:-1]
    return pairs, Section(old, new)


def _num_equal_at_begin(old_keys: Sequence[Key], new_keys: Sequence[Key]) -> int:
    """Return the length of the longest common prefix of two sequences."""
    num_equal = 0
    for old_key, new_key in zip(old_keys, new_keys, strict=False):
        if old_key != new_key:
            break
        num_equal += 1
    return num_equal


def _pair_longest_common(
    old_keys: Sequence[Key],
    new_keys: Sequence[Key],
    section: Section,
    max_cells: int,
) -> list[Pair] | None:
    """Return a longest common subsequence of a section; `None` if it is too large."""
    old, new = section
    pairs = longest_common(
        old_keys[old.start : old.stop], new_keys[new.start : new.stop], max_cells
    )
    if pairs is None:
        return None
    return [
        (old.start + old_index, new.start + new_index) for old_index, new_index in pairs
    ]
