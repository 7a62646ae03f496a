"""Texts of IR, in which names are resolved to the values and blocks they stand for."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from passgen_tools.ir_diff.ir_lines import IRLine, is_value_name

_UNKNOWN: Final = "?"
"""Stands in keys for a result that is used before the line that defines it."""

_OF_SAME_LINE: Final = ""
"""Stands in keys for a value that the line itself defines."""


class Definition(NamedTuple):
    """A value or block that a text defines."""

    name: str
    line: int
    """The index of the line that defines it."""

    argument: str | None
    """What keys call it if it is an argument or a block; `None` for a result.

    `argument 2 0` is the first one that its line defines, in a region of depth 2.
    """


@dataclass(slots=True, eq=False)
class _Region:
    """A region, as a scope of names; the outermost one is the whole text."""

    around: _Region | None = None
    depth: int = 0
    values: dict[str, int] = field(default_factory=dict)
    """The values and blocks that are defined in it, by name."""

    def find(self, name: str) -> int | None:
        """Return the value or block called `name` here, or else in a region around."""
        region: _Region | None = self
        while region is not None:
            value = region.values.get(name)
            if value is not None:
                return value
            region = region.around
        return None


class _UnresolvedName(NamedTuple):
    """A name that no earlier line defines, such as that of a block further below."""

    line: IRLine
    place: int
    """The index of the name among those of the line."""

    region: _Region


class IRText:
    """The lines of a text, and the values and blocks that they define.

    Values and blocks have numbers, their indices in `definitions`.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        """Read the lines `texts`."""
        self.lines: list[IRLine] = []
        self.definitions: list[Definition] = []
        self._region = _Region()
        """The region that the line to read next is in."""

        self._unresolved: list[_UnresolvedName] = []
        for text in texts:
            self._read_line(IRLine(text))
        for line, place, region in self._unresolved:
            line.values[place] = region.find(line.names[place])
        self._uses = [
            self._uses_of(index, line) for index, line in enumerate(self.lines)
        ]
        """What each name of each line stands for.

        It is the number of a value or block that another line defines. Else it is a
        text, which `keys` takes as it is: for a value of the same line, or for a name
        that no line defines.
        """

    def keys(
        self, identities: Sequence[str | None], numbers: MutableMapping[str, int]
    ) -> list[int]:
        """Return a number for each line; lines that compute the same have equal ones.

        Two lines compute the same if they are equal but for names, and if their
        operands are identical, or are results of lines that compute the same. So the
        key of `%1 = arith.addi %0, %x` stands for the line `% = arith.addi %, %`, for
        the key of the line that defines `%0`, and for what identifies `%x`.

        Args:
            identities: what identifies each value or block in both texts; `None` if it
                is not known to be in both.
            numbers: the numbers of all descriptions of lines so far, in both texts; new
                ones are added.
        """
        descriptions = [
            identity or definition.argument or _UNKNOWN
            for identity, definition in zip(identities, self.definitions, strict=True)
        ]
        """How keys describe each value; results become known with their lines."""

        keys: list[int] = []
        for line, uses in zip(self.lines, self._uses, strict=True):
            operands = [
                use if isinstance(use, str) else descriptions[use] for use in uses
            ]
            description_of_line = "\0".join([line.nameless, *operands])
            key = numbers.setdefault(description_of_line, len(numbers))
            keys.append(key)
            for place, value in enumerate(line.defined):
                if descriptions[value] == _UNKNOWN:
                    descriptions[value] = f"result {key} {place}"
        return keys

    def with_names(self, names: Sequence[str]) -> list[str]:
        """Return the lines with `names` as the names of all values and blocks."""
        renamed: list[str] = []
        for line in self.lines:
            new_names = [
                name if value is None else names[value]
                for name, value in zip(line.names, line.values, strict=True)
            ]
            renamed.append(line.with_names(new_names))
        return renamed

    def _read_line(self, line: IRLine) -> None:
        """Add the next line; define and resolve its names."""
        self.lines.append(line)
        if line.closes_region and self._region.around is not None:
            self._region = self._region.around
        inner = None
        if line.opens_region:
            inner = _Region(self._region, self._region.depth + 1)
        num_results = line.num_results
        is_label = line.is_label
        for place, name in enumerate(line.names):
            value: int | None
            if place < num_results:
                value = self._define(name, self._region, is_result=True)
            elif is_label and (place == 0 or is_value_name(name)):
                # The block itself, then its arguments.
                value = self._define(name, self._region)
            else:
                value = self._resolve(name, place, inner)
            line.values.append(value)
        if inner is not None:
            self._region = inner

    def _resolve(self, name: str, place: int, inner: _Region | None) -> int | None:
        """Return the value or block that a name of the last line stands for.

        The arguments of the region that the line opens, such as `%i` of a loop, are
        defined when the line first mentions them.

        Args:
            name: the name.
            place: the index of the name among those of its line.
            inner: the region that the line opens, if it opens one.
        """
        value = self._region.find(name)
        if value is None and inner is not None and is_value_name(name):
            value = inner.values.get(name)
            if value is None:
                value = self._define(name, inner)
        if value is None:
            unresolved = _UnresolvedName(self.lines[-1], place, self._region)
            self._unresolved.append(unresolved)
        return value

    def _define(self, name: str, region: _Region, *, is_result: bool = False) -> int:
        """Add a value or block that the last line defines; return its number."""
        line = self.lines[-1]
        argument = None
        if not is_result:
            argument = f"argument {region.depth} {len(line.defined)}"
        value = len(self.definitions)
        self.definitions.append(Definition(name, len(self.lines) - 1, argument))
        region.values[name] = value
        line.defined.append(value)
        return value

    def _uses_of(self, index: int, line: IRLine) -> list[int | str]:
        """Return the uses of a line, which has the place `index`; see `_uses`."""
        uses: list[int | str] = []
        for name, value in zip(line.names, line.values, strict=True):
            if value is None:
                uses.append(name)
            elif self.definitions[value].line == index:
                uses.append(_OF_SAME_LINE)
            else:
                uses.append(value)
        return uses
