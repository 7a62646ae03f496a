"""Pairs of passes: which pass of one run corresponds to which pass of another run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from passgen_tools.ir_diff import align_by_least_edits

Pair: TypeAlias = tuple[int | None, int | None]
"""Indices in a list of the data, of run A and of run B; `None` where a run has none."""

_Passes: TypeAlias = Sequence[Mapping[str, Any]]
"""The passes of all runs, as rows of the data."""

_OCCURRENCE: Final = re.compile(r"\[\d+\]")
"""The number of an element in a path; a pass that is inserted before it changes it."""


class _Stretch(NamedTuple):
    """Passes that only one of the runs has, and the pair of passes behind them."""

    only_old: Sequence[int]
    only_new: Sequence[int]
    pair: Pair | None
    """The pair; `None` at the end of the runs."""


def pass_pairs(passes: _Passes, runs: Pair) -> Iterator[Pair]:
    """Yield all passes of two runs, in an order that suits both.

    Passes with equal options are paired first. Between such pairs, passes that differ
    only in their options are paired.
    """

    def with_options(index: int) -> str:
        row = passes[index]
        return f"{_anchors(row)}/{row['text']}"

    def without_options(index: int) -> str:
        row = passes[index]
        return f"{_anchors(row)}/{row['argument'] or row['name']}"

    old_run, new_run = runs
    old_passes = _passes_of(passes, old_run)
    new_passes = _passes_of(passes, new_run)
    for outer in _align(old_passes, new_passes, with_options):
        for inner in _align(outer.only_old, outer.only_new, without_options):
            yield from ((old, None) for old in inner.only_old)
            yield from ((None, new) for new in inner.only_new)
            if inner.pair is not None:
                yield inner.pair
        if outer.pair is not None:
            yield outer.pair


def _passes_of(passes: _Passes, run: int | None) -> list[int]:
    """Return the indices of the passes of a run."""
    return [index for index, row in enumerate(passes) if row["run"] == run]


def _anchors(row: Mapping[str, Any]) -> str:
    """Return the path of the pipeline around a pass, without numbers."""
    pipeline, _, _ = row["path"].rpartition("/")
    return _OCCURRENCE.sub("", pipeline)


def _align(
    old: Sequence[int], new: Sequence[int], key: Callable[[int], str]
) -> Iterator[_Stretch]:
    """Pair the passes of two sequences that have equal keys, in order."""
    old_keys = [key(index) for index in old]
    new_keys = [key(index) for index in new]
    old_begin = new_begin = 0
    for old_end, new_end in align_by_least_edits(old_keys, new_keys):
        yield _Stretch(
            only_old=old[old_begin:old_end],
            only_new=new[new_begin:new_end],
            pair=(old[old_end], new[new_end]),
        )
        old_begin = old_end + 1
        new_begin = new_end + 1
    yield _Stretch(old[old_begin:], new[new_begin:], pair=None)
