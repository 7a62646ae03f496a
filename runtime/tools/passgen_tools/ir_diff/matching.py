"""The matching of two texts of IR: the lines that stayed, whatever values are called.

A printer numbers values anew when an operation before them is removed. So each value of
the old text is looked for in the new one: by its operation, by what its operands are
computed from, and by what uses it. A line is the same if nothing but the names of such
values, and of blocks, has changed in it.

`matching.js` does the same in the pages of reports; `tests/cases/ir_diffs.yaml` holds
both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from passgen_tools.ir_diff.alignment import Key, Pair, align, gaps_between, unique_pairs
from passgen_tools.ir_diff.ir_text import IRText

_NUM_ROUNDS: Final = 3
"""How often lines are paired; each time, more is known of what they use."""

_Pairs: TypeAlias = Mapping[int, int]
"""Lines of the new text by those of the old one."""


def match_ir(
    before: Sequence[str], after: Sequence[str]
) -> tuple[list[str], list[Pair]]:
    """Match the lines of two texts.

    Returns:
        The lines of `before` with the names that their values have in `after`, and the
        pairs of lines that are the same.
    """
    old, new = IRText(before), IRText(after)
    pairs: _Pairs = {}
    hints: _Pairs = {}
    for _ in range(_NUM_ROUNDS):
        numbers: dict[str, int] = {}
        ids, new_ids = _identities(old, new, pairs)
        keys, new_keys = old.keys(ids, numbers), new.keys(new_ids, numbers)
        earlier, pairs = pairs, _pair_lines(old, new, keys, new_keys, hints)
        if pairs == earlier:
            break
        hints = _pairs_by_use(old, new, pairs)
    ids, new_ids = _identities(old, new, pairs)
    lines = old.rename([id_ or f"old {value}" for value, id_ in enumerate(ids)])
    new_lines = new.rename([id_ or f"new {value}" for value, id_ in enumerate(new_ids)])
    same = align(lines, new_lines, range(len(lines)), range(len(new_lines)))
    name_of = dict(zip(new_ids, new.value_names, strict=True))
    taken = {name for names in new.names for name in names}
    names = (
        _free_name(name, taken) if id_ is None else name_of[id_]
        for name, id_ in zip(old.value_names, ids, strict=True)
    )
    return old.rename(list(names)), same


def _free_name(name: str, taken: set[str]) -> str:
    """Return the name of a removed value, which none of the new text may have."""
    return f"{name[0]}old_{name[1:]}" if name in taken else name


def _identities(
    old: IRText, new: IRText, pairs: _Pairs
) -> tuple[list[str | None], list[str | None]]:
    """Return for the values of both texts what they are, if they are in both."""
    ids: list[str | None] = [None] * len(old.origins)
    new_ids: list[str | None] = [None] * len(new.origins)
    for line, new_line in pairs.items():
        own, new_own = old.defined[line], new.defined[new_line]
        if len(own) == len(new_own):
            for value, new_value in zip(own, new_own, strict=True):
                ids[value] = new_ids[new_value] = f"value {new_value}"
    return ids, new_ids


def _pairs_by_use(old: IRText, new: IRText, pairs: _Pairs) -> _Pairs:
    """Return pairs of lines whose values are used in the same place of paired lines."""
    found: dict[int, int] = {}
    taken = set()
    for line, new_line in sorted(pairs.items()):
        uses, new_uses = old.values[line], new.values[new_line]
        if len(uses) != len(new_uses):
            continue
        for value, new_value in zip(uses, new_uses, strict=True):
            if value is not None and new_value is not None:
                origin, new_origin = old.origins[value], new.origins[new_value]
                is_own = origin == line or new_origin == new_line
                if not is_own and origin not in found and new_origin not in taken:
                    found[origin] = new_origin
                    taken.add(new_origin)
    return found


def _pair_lines(
    old: IRText,
    new: IRText,
    keys: Sequence[Key],
    new_keys: Sequence[Key],
    hints: _Pairs,
) -> _Pairs:
    """Return pairs of lines that compute the same, or else stand for one another."""
    everything = range(len(keys)), range(len(new_keys))
    # Wherever they are: an operation that has moved computes the same values.
    found = dict(unique_pairs(keys, new_keys, *everything))
    taken = set(found.values())
    for line, new_line in hints.items():
        is_free = line not in found and new_line not in taken
        if is_free and old.nameless[line] == new.nameless[new_line]:
            found[line] = new_line
            taken.add(new_line)
    gaps = [everything]
    for forms, new_forms in (
        (old.nameless, new.nameless),
        (old.operations, new.operations),
    ):
        tags: list[Key] = [found.get(line, form) for line, form in enumerate(forms)]
        new_tags: list[Key] = [
            line if line in taken else form for line, form in enumerate(new_forms)
        ]
        narrower: list[tuple[range, range]] = []
        for part, new_part in gaps:
            same = align(tags, new_tags, part, new_part)
            found.update(same)
            taken.update(new_line for _, new_line in same)
            narrower += gaps_between(same, part, new_part)
        gaps = narrower
    for part, new_part in gaps:
        rest = [line for line in part if line not in found]
        new_rest = [line for line in new_part if line not in taken]
        if len(rest) == len(new_rest):  # operations in the place of others
            found.update(zip(rest, new_rest, strict=True))
    return found
