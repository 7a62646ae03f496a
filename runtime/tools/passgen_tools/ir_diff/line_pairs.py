"""Pairs of lines of two texts of IR: which line of the new text an old line became."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from passgen_tools.ir_diff.alignment import Section, align, gaps_between, unique_pairs
from passgen_tools.ir_diff.ir_text import IRText
from passgen_tools.ir_diff.subsequences import Key

LinePairs: TypeAlias = Mapping[int, int]
"""The indices of lines of the new text by those of the old text."""


def pair_lines(
    old: IRText,
    new: IRText,
    keys: tuple[Sequence[int], Sequence[int]],
    hints: LinePairs,
) -> LinePairs:
    """Pair lines that compute the same, then lines that may have replaced each other.

    Args:
        old: the old text.
        new: the new text.
        keys: the keys of the lines of both texts; those that compute the same have
            equal ones.
        hints: pairs of lines whose values are used alike.
    """
    pairing = _Pairing(old, new)
    pairing.pair_unique(*keys)
    pairing.pair_by_hints(hints)
    pairing.pair_in_order(_nameless_lines(old), _nameless_lines(new))
    pairing.pair_in_order(_operations(old), _operations(new))
    pairing.pair_replaced()
    return pairing.pairs


class _Pairing:
    """Pairs of lines, of which each step adds some."""

    def __init__(self, old: IRText, new: IRText) -> None:
        """Begin without pairs."""
        self._old = old
        self._new = new
        self._everything = Section(range(len(old.lines)), range(len(new.lines)))
        self._gaps = [self._everything]
        """The sections of both texts that no pair has divided yet."""

        self.pairs: dict[int, int] = {}
        self._paired_new: set[int] = set()
        """The lines of the new text that are paired."""

    def pair_unique(self, old_keys: Sequence[Key], new_keys: Sequence[Key]) -> None:
        """Pair lines with equal keys that both texts have once, wherever they are.

        An operation that has moved still computes the same.
        """
        for pair in unique_pairs(old_keys, new_keys, self._everything):
            self._add(*pair)

    def pair_by_hints(self, hints: LinePairs) -> None:
        """Pair the free lines of `hints` that are equal but for names."""
        for old_index, new_index in hints.items():
            is_free = old_index not in self.pairs and new_index not in self._paired_new
            old_line = self._old.lines[old_index]
            new_line = self._new.lines[new_index]
            if is_free and old_line.nameless == new_line.nameless:
                self._add(old_index, new_index)

    def pair_in_order(self, old_forms: Sequence[str], new_forms: Sequence[str]) -> None:
        """Pair free lines of the same form, without crossing each other or other pairs.

        Each gap is aligned on its own, and divided by the pairs that are found in it.

        Args:
            old_forms: the form of each line of the old text.
            new_forms: the form of each line of the new text.
        """
        # A free line has its form as a key. A line that is paired already has the index
        # of its partner in the new text, or its own if it is there: so the two have
        # equal keys, and no other line has.
        old_keys: list[Key] = [
            self.pairs.get(index, form) for index, form in enumerate(old_forms)
        ]
        new_keys: list[Key] = [
            index if index in self._paired_new else form
            for index, form in enumerate(new_forms)
        ]
        smaller_gaps: list[Section] = []
        for gap in self._gaps:
            aligned = align(old_keys, new_keys, gap)
            for pair in aligned:
                self._add(*pair)
            smaller_gaps += gaps_between(aligned, gap)
        self._gaps = smaller_gaps

    def pair_replaced(self) -> None:
        """Pair the free lines of a gap in order if both texts have as many of them."""
        for gap in self._gaps:
            free_old = [index for index in gap.old if index not in self.pairs]
            free_new = [index for index in gap.new if index not in self._paired_new]
            if len(free_old) == len(free_new):
                for pair in zip(free_old, free_new, strict=True):
                    self._add(*pair)

    def _add(self, old_index: int, new_index: int) -> None:
        """Add a pair."""
        self.pairs[old_index] = new_index
        self._paired_new.add(new_index)


def _nameless_lines(text: IRText) -> list[str]:
    """Return the lines of a text without names."""
    return [line.nameless for line in text.lines]


def _operations(text: IRText) -> list[str]:
    """Return the names of the operations in the lines of a text."""
    return [line.operation for line in text.lines]
