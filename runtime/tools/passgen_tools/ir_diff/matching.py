"""The matching of two texts of IR: the lines that stayed, whatever values are called.

A printer numbers values anew when an operation before them is removed. So each value of
the old text is looked for in the new one: by its operation, by what its operands are
computed from, and by what uses it. A line is the same if nothing but the names of such
values, and of blocks, has changed in it.

`matching.js` does the same in the pages of reports; `tests/cases/ir_diffs.yaml` holds
both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from passgen_tools.ir_diff.alignment import Section, align
from passgen_tools.ir_diff.ir_lines import IRLine
from passgen_tools.ir_diff.ir_text import IRText
from passgen_tools.ir_diff.line_pairs import LinePairs, pair_lines
from passgen_tools.ir_diff.subsequences import Pair

_NUM_ROUNDS: Final = 3
"""How often lines are paired; each time, more is known of what they use."""


class _Identities(NamedTuple):
    """What identifies each value and block of two texts; `None` if only one has it.

    A value of the old text and one of the new text are the same if they are identified
    by the same string.
    """

    old: list[str | None]
    new: list[str | None]


def match_ir(
    before: Sequence[str], after: Sequence[str]
) -> tuple[list[str], list[Pair]]:
    """Match the lines of two texts.

    Returns:
        The lines of `before` with the names that their values have in `after`, and the
        pairs of lines that are the same.
    """
    old = IRText(before)
    new = IRText(after)
    identities = _identities(old, new, _pairs_after_rounds(old, new))
    renamed = old.with_names(_names_in_new(old, new, identities))
    return renamed, _equal_lines(old, new, identities)


def _pairs_after_rounds(old: IRText, new: IRText) -> LinePairs:
    """Pair the lines of two texts, until a further round changes nothing.

    Pairs of lines show which values are in both texts. With that, the next round finds
    more lines that compute the same.
    """
    pairs: LinePairs = {}
    hints: LinePairs = {}
    for _ in range(_NUM_ROUNDS):
        earlier_pairs = pairs
        identities = _identities(old, new, pairs)
        numbers: dict[str, int] = {}
        old_keys = old.keys(identities.old, numbers)
        new_keys = new.keys(identities.new, numbers)
        pairs = pair_lines(old, new, (old_keys, new_keys), hints)
        if pairs == earlier_pairs:
            break
        hints = _pairs_by_use(old, new, pairs)
    return pairs


def _identities(old: IRText, new: IRText, pairs: LinePairs) -> _Identities:
    """Identify the values that paired lines define, if they define as many."""
    identities = _Identities(
        old=[None] * len(old.definitions),
        new=[None] * len(new.definitions),
    )
    for old_index, new_index in pairs.items():
        old_defined = old.lines[old_index].defined
        new_defined = new.lines[new_index].defined
        if len(old_defined) != len(new_defined):
            continue
        for old_value, new_value in zip(old_defined, new_defined, strict=True):
            identity = f"value {new_value}"
            identities.old[old_value] = identity
            identities.new[new_value] = identity
    return identities


def _pairs_by_use(old: IRText, new: IRText, pairs: LinePairs) -> LinePairs:
    """Pair lines that define values which paired lines use in the same place."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    for old_index, new_index in sorted(pairs.items()):
        old_used = _origins_of_uses(old, old.lines[old_index])
        new_used = _origins_of_uses(new, new.lines[new_index])
        if len(old_used) != len(new_used):
            continue
        for old_origin, new_origin in zip(old_used, new_used, strict=True):
            if old_origin is None or new_origin is None:
                continue
            is_used_where_defined = old_origin == old_index or new_origin == new_index
            is_free = old_origin not in found and new_origin not in taken
            if is_free and not is_used_where_defined:
                found[old_origin] = new_origin
                taken.add(new_origin)
    return found


def _origins_of_uses(text: IRText, line: IRLine) -> list[int | None]:
    """Return for each name of a line the line that defines it, if one does."""
    return [
        None if value is None else text.definitions[value].line for value in line.values
    ]


def _equal_lines(old: IRText, new: IRText, identities: _Identities) -> list[Pair]:
    """Align the lines that are equal if a value of both texts has one name in both."""
    old_lines = old.with_names(_unique_names("old", identities.old))
    new_lines = new.with_names(_unique_names("new", identities.new))
    everything = Section(range(len(old_lines)), range(len(new_lines)))
    return align(old_lines, new_lines, everything)


def _unique_names(prefix: str, identities: Sequence[str | None]) -> list[str]:
    """Return a name for each value of a text: its identity, or else a name of its own.

    Args:
        prefix: the begin of the names that no value of the other text may have.
        identities: what identifies the values of the text.
    """
    return [
        identity or f"{prefix} {value}" for value, identity in enumerate(identities)
    ]


def _names_in_new(old: IRText, new: IRText, identities: _Identities) -> list[str]:
    """Return the names of the values of the old text in the new text.

    A value that is gone has its old name, or another one if that is taken.
    """
    new_names = [definition.name for definition in new.definitions]
    name_of = dict(zip(identities.new, new_names, strict=True))
    taken = {name for line in new.lines for name in line.names}
    names: list[str] = []
    for definition, identity in zip(old.definitions, identities.old, strict=True):
        if identity is None:
            names.append(_free_name(definition.name, taken))
        else:
            names.append(name_of[identity])
    return names


def _free_name(name: str, taken: set[str]) -> str:
    """Return `name`, with `old_` behind its first character if it is taken."""
    return f"{name[0]}old_{name[1:]}" if name in taken else name
