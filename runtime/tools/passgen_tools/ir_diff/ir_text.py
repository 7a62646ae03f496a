"""Texts of IR by lines, with the values and blocks that each line defines and uses."""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from typing import Final

_NAME: Final = re.compile(r"([%^][\w$.-]+)", re.ASCII)
"""The name of a value or block."""

_STRING_OR_NAME: Final = re.compile(rf'"(?:[^"\\]|\\.)*"?|{_NAME.pattern}', re.ASCII)

_OPERATION: Final = re.compile(r'(?:[%:\d, ]*= )?"?([\w$.]+)', re.ASCII)

_RESULTS: Final = re.compile(
    r"\s*%[\w$.-]+(?::\d+)?(?:, %[\w$.-]+(?::\d+)?)* = ", re.ASCII
)


class IRText:
    """The lines of a text, in which values and blocks are known by numbers."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Read `lines`."""
        self.names: list[list[str]] = []
        """The names in each line."""

        self.values: list[list[int | None]] = []
        """The values and blocks they name; `None` if no line defines it."""

        self.defined: list[list[int]] = []
        """The values and blocks that each line defines."""

        self.value_names: list[str] = []
        """The name of each value or block."""

        self.origins: list[int] = []
        """The line that defines it."""

        self._arguments: list[str | None] = []
        """What it is known as if it is no result: how deep its region is nested."""

        self._parts: list[list[str]] = []
        """The texts of each line, and the names between them."""

        self._around = [0]
        """The region around each region; the first one is the whole text."""

        self._known: list[dict[str, int]] = [{}, {}]
        """Values and blocks of each region by name, and of the next one to open."""

        for line, place, region in self._read(lines):
            self.values[line][place] = self._find(self.names[line][place], region)
        self.nameless = [
            _join(parts, [name[0] for name in names]).strip()
            for parts, names in zip(self._parts, self.names, strict=True)
        ]
        """Each line without the names."""

        self.operations = [
            found[1] if (found := _OPERATION.match(nameless)) else nameless
            for nameless in self.nameless
        ]
        """The name of the operation in each line; the line if it has none."""

        self._unknown: dict[str, int] = {}
        """Numbers of the names that no line defines, after those of values."""

        self._uses = [
            [self._use(line, *use) for use in zip(names, values, strict=True)]
            for line, (names, values) in enumerate(
                zip(self.names, self.values, strict=True)
            )
        ]
        """What `keys` knows of each name, by place."""

    def _read(self, lines: Sequence[str]) -> list[tuple[int, int, int]]:
        """Read the lines; return which names were not known yet, with their regions."""
        late: list[tuple[int, int, int]] = []
        region = depth = 0
        for number, line in enumerate(lines):
            content = line.strip()
            if content.startswith("}") and region:
                region, depth = self._around[region], depth - 1
            self._add_line(line)
            results = _RESULTS.match(line)
            num_results = results[0].count("%") if results else 0
            is_label, opens = content.startswith("^"), content.endswith("{")
            inner = len(self._around)
            for place, name in enumerate(self.names[number]):
                value = None
                if place < num_results:
                    value = self._define(name, region, number)
                elif is_label and (place == 0 or name[0] == "%"):
                    value = self._define(name, region, number, depth)
                else:
                    value = self._find(name, region)
                    if value is None and opens and name[0] == "%":
                        # An operation names the arguments of its region.
                        value = self._known[inner].get(name)
                        if value is None:
                            value = self._define(name, inner, number, depth + 1)
                if value is None:
                    late.append((number, place, region))
                self.values[number].append(value)
            if opens:
                self._around.append(region)
                self._known.append({})
                region, depth = inner, depth + 1
        return late

    def _add_line(self, line: str) -> None:
        """Add a line."""
        if '"' not in line:
            parts = _NAME.split(line)
        else:
            parts, end = [], 0
            for name in _STRING_OR_NAME.finditer(line):
                if name[1]:
                    parts += line[end : name.start()], name[1]
                    end = name.end()
            parts.append(line[end:])
        self._parts.append(parts)
        self.names.append(parts[1::2])
        self.values.append([])
        self.defined.append([])

    def _define(
        self, name: str, region: int, line: int, depth: int | None = None
    ) -> int:
        """Add a value or block; return its number."""
        value = self._known[region][name] = len(self.origins)
        argument = f"argument {depth} {len(self.defined[line])}"
        self._arguments.append(None if depth is None else argument)
        self.value_names.append(name)
        self.origins.append(line)
        self.defined[line].append(value)
        return value

    def _find(self, name: str, region: int) -> int | None:
        """Return the value `name` of `region`, or else of one around it."""
        while (value := self._known[region].get(name)) is None and region:
            region = self._around[region]
        return value

    def _use(self, line: int, name: str, value: int | None) -> int:
        """Return the place at which `keys` finds the meaning of a name in `line`."""
        if value is None:
            own = len(self.origins)
            return self._unknown.setdefault(name, own + 1 + len(self._unknown))
        return value if self.origins[value] != line else len(self.origins)

    def keys(
        self, ids: Sequence[str | None], numbers: MutableMapping[str, int]
    ) -> list[int]:
        """Return a number for each line, which is equal for equal computations.

        Args:
            ids: what each value or block is, where that is known.
            numbers: those given so far, in both texts.
        """
        known = [id_ or self._arguments[value] or "?" for value, id_ in enumerate(ids)]
        known += ["", *self._unknown]  # a value in its own line, and names
        keys = []
        for nameless, own, uses in zip(
            self.nameless, self.defined, self._uses, strict=True
        ):
            key = "\0".join([nameless, *[known[use] for use in uses]])
            number = numbers.setdefault(key, len(numbers))
            for place, value in enumerate(own):
                if known[value] == "?":
                    known[value] = f"result {number} {place}"
            keys.append(number)
        return keys

    def rename(self, names: Sequence[str]) -> list[str]:
        """Return the lines with other names of all values and blocks."""
        lines = []
        for parts, own, used in zip(self._parts, self.names, self.values, strict=True):
            pairs = zip(own, used, strict=True)
            renamed = [name if value is None else names[value] for name, value in pairs]
            lines.append(_join(parts, renamed))
        return lines


def _join(parts: Sequence[str], names: Sequence[str]) -> str:
    """Return a line with other names."""
    texts = list(parts)
    texts[1::2] = names
    return "".join(texts)
