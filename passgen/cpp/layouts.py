"""The layout of an enum's values in C++ flags, as a template that repeats none of them.

    llvm::cl::values(
        clEnumValN(my::Mode::$name, $value, $description),
        ...)

The marks stand for the enumerator, the text and the description of a value, and `...`
for the other values, laid out alike. Without `...`, each value has a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from passgen.cpp.syntax import Enumerator, string_literal

_LITERAL: Final = r'"(?:\\.|[^"\\\n])*"'
_PART: Final = re.compile(
    rf"""
      (?P<literal>R"(?P<end>[^\s()\\]{{0,16}})\(.*?\)(?P=end)"|{_LITERAL})
    | (?P<comment>//[^\n]*|/\*.*?\*/)
    | (?P<call>\bclEnumValN?\s*\()
    | \$(?P<mark>\w+)
    """,
    re.VERBOSE | re.DOTALL,
)
_NAME: Final = r"(?:[\w:]*::)?(?P<name>[A-Za-z_]\w*)\s*"
_DESCRIPTION: Final = rf",\s*(?P<description>{_LITERAL})\s*\)"
_ARGUMENTS: Final = {
    "clEnumValN": re.compile(
        rf"\s*{_NAME}(?:,\s*(?P<value>{_LITERAL})\s*(?:{_DESCRIPTION})?)?"
    ),
    "clEnumVal": re.compile(rf"\s*{_NAME}(?:{_DESCRIPTION})?"),
}
_ITEM: Final = r"clEnumValN?\s*\([^()]*\)"
_REST: Final = re.compile(rf"(?P<item>{_ITEM})(?P<comma>\s*,\s*)\.\.\.")
_ITEMS: Final = re.compile(rf"(?P<item>{_ITEM})(?P<comma>\s*,\s*)(?=clEnumVal)")


MARKS: Final = ("name", "value", "description")


def _spell(value: Enumerator, mark: str) -> str:
    """Return the C++ that a mark stands for; without a description, the text."""
    if mark == "name":
        return value.name
    is_described = mark == "description" and value.description
    return string_literal(value.description if is_described else value.text)


def marks(flags: str) -> set[str]:
    """Return the words after `$` in `flags`; without any, `flags` is no template."""
    return {match["mark"] for match in _PART.finditer(flags) if match["mark"]}


def laid_out_count(flags: str, count: int) -> int:
    """Return the number of values that the template `flags` lays out."""
    written = _written_out(flags, count)
    return sum(bool(match["call"]) for match in _PART.finditer(written))


def with_values(flags: str, values: Sequence[Enumerator]) -> str:
    """Return the C++ of the template `flags`; flags without marks stay."""
    if not values or not marks(flags):
        return flags
    return "".join(_fill(_written_out(flags, len(values)), values))


def _written_out(flags: str, count: int) -> str:
    """Return a template with one line for each of `count` values."""
    return _REST.sub(
        lambda match: match["comma"].join([match["item"]] * count), flags, count=1
    )


def _fill(flags: str, values: Sequence[Enumerator]) -> Iterator[str]:
    number, end = -1, 0
    for match in _PART.finditer(flags):
        yield flags[end : match.start()]
        end = match.end()
        number += bool(match["call"])
        is_of_value = match["mark"] in MARKS and 0 <= number < len(values)
        yield _spell(values[number], match["mark"]) if is_of_value else match[0]
    yield flags[end:]


def enum_layout(flags: str, values: Sequence[Enumerator]) -> str:
    """Return the template that gives `flags` with `values`; without one, `flags`."""
    marked = "".join(_mark(flags, values))
    found = (layout for layout in (_shorten(marked), marked))
    return next(
        (layout for layout in found if with_values(layout, values) == flags), flags
    )


def _shorten(template: str) -> str:
    """Return a template with `...` for all values but one, if they look alike."""
    items = list(_ITEMS.finditer(template))
    if len({match.groups() for match in items}) != 1:
        return template
    item, comma = items[0].groups()
    return _ITEMS.sub("", template).replace(item, f"{item}{comma}...", 1)


def _mark(flags: str, values: Sequence[Enumerator]) -> Iterator[str]:
    """Yield the parts of `flags`, with marks for the spellings of `values`."""
    number, end = -1, 0
    for match in _PART.finditer(flags):
        if match.start() < end or not match["call"]:
            continue
        number += 1
        head = match["call"].rstrip("( \t\n")
        found = _ARGUMENTS[head].match(flags, match.end())
        if found is None or number >= len(values):
            continue
        for mark in MARKS:
            code = found.groupdict().get(mark)
            if code is not None and code == _spell(values[number], mark):
                yield flags[end : found.start(mark)]
                yield f"${mark}"
                end = found.end(mark)
    yield flags[end:]
