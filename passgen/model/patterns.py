"""Rewrite patterns in PDL, and how a pass applies them.

The text of a pattern is looked at here as far as names go; only an IR library can parse
it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from passgen.model.constraints import Ignore
from passgen.passgen_rules.pattern_functions import CONSTANT_FUNCTIONS, CONSTRAINTS
from passgen.source import Location

DriverName: TypeAlias = Literal["walk", "greedy"]
NativeKind: TypeAlias = Literal["constraint", "rewrite"]

_COMMENT: Final = re.compile(r"//[^\n]*")
_PATTERN: Final = re.compile(
    r"\bpdl\.pattern\b(?:\s*@(?P<label>[\w$.-]+))?"
    r"(?:\s*:\s*benefit\(\s*(?P<benefit>-?\d+)\s*\))?"
)
_REWRITE: Final = re.compile(r"\bpdl\.rewrite\b\s*(?P<root>%[\w$.-]+)?")
_NATIVE: Final = re.compile(r'\bpdl\.apply_native_(constraint|rewrite)\s*"([^"\n]*)"')

_VARIABLE: Final = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|//.*|[%@^#][\w$.-]+|[A-Za-z_][\w$.]*|[\w?*\]]+|\$(?P<name>\w+)'
)
"""A variable, or what may have a `$` that is text."""

_SHOWN: Final = re.compile(r'^(?:[^"\n=]*=)?\s*"?(\w+\.[\w.]+)', re.MULTILINE)
_DOTTED: Final = re.compile(r"(?<![\w%@#!^.$-])[A-Za-z_][\w$]*(?:\.[\w$-]+)+")
_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_VALUE: Final = re.compile(r"%[\w$.-]+")
_DECLARATION: Final = re.compile(
    r"%[\w$.-]+(?:\s*:\s*\d+)?(?:\s*,\s*%[\w$.-]+(?:\s*:\s*\d+)?)*\s*=|\^[\w$.-]+\([^)]*\)"
)
"""The results of an operation, or the arguments of a block."""


OWN_FUNCTIONS: Final[Mapping[str, Collection[str]]] = {
    "constraint": CONSTRAINTS,
    "rewrite": CONSTANT_FUNCTIONS.keys(),
}
"""The functions of the pattern language, which no pass declares."""


@dataclass(frozen=True)
class NativeFunction:
    """A function in Python, and the name by which patterns call it or its operation."""

    name: str
    function: str
    """`module:function`."""

    location: Location
    cpp: str = ""
    """The function in C++ that does the same; empty if the spec names none."""


@dataclass(frozen=True)
class PatternVariable:
    """The types or attributes that `$name` stands for in the IR of a pattern."""

    name: str
    location: Location = field(compare=False)
    examples: tuple[str, ...]
    any: str = ""
    is_attribute: bool = False
    where: str = ""
    make: str = ""

    @property
    def flag(self) -> str:
        """The flag that it stands for, which may be absent; empty if it is none."""
        is_flag = self.is_attribute and "" in self.examples
        return "".join(self.examples) if is_flag else ""

    @property
    def arguments(self) -> set[str]:
        """The names of variables that `where` and `make` list in brackets."""
        calls = (call.partition("(")[2] for call in (self.where, self.make))
        return {name for call in calls for name in re.findall(r"\w+", call)}


@dataclass(frozen=True)
class PatternDriver:
    """The driver of the patterns of a pass; `None` is the default of a limit."""

    name: DriverName = "walk"
    max_iterations: int | None = None
    max_rewrites: int | None = None

    def __str__(self) -> str:
        """Return it as reports write it."""
        limits = {"iterations": self.max_iterations, "rewrites": self.max_rewrites}
        given = [f"{limit} {what}" for what, limit in limits.items() if limit]
        return f"'{self.name}'" + (f" ({', '.join(given)})" if given else "")

    @property
    def is_given(self) -> bool:
        """Whether it differs from the default."""
        return self != DEFAULT_DRIVER


DEFAULT_DRIVER: Final = PatternDriver()


@dataclass(frozen=True)
class RewritePattern:
    """A rewrite pattern of a pass."""

    name: str
    """The label for users, unique in the pass."""

    pdl: str
    """A `pdl.pattern`, or what stands in its braces; empty if the IR is the pattern."""

    location: Location
    """The place of the name."""

    pdl_location: Location
    """The place of the first character of the PDL, or of `before` if there is none."""

    pdl_file: str
    """The path of the file with the PDL from the folder of the spec; empty if it is the
    spec."""

    given_benefit: int | None
    benefit_location: Location
    after_location: Location
    variables: tuple[PatternVariable, ...] = ()
    unused: tuple[str, ...] = ()
    one_use: tuple[str, ...] = ()
    summary: str = ""
    description: str = ""
    """Markdown."""

    before: str = ""
    after: str = ""
    ignores: tuple[Ignore, ...] = ()

    @property
    def benefit(self) -> int:
        """The benefit in the spec, or in the PDL, or 1."""
        if self.given_benefit is None:
            return next((b for _, b, _ in self.headers() if b is not None), 1)
        return self.given_benefit

    @property
    def benefit_text(self) -> str:
        """The benefit in digits."""
        return str(self.benefit)

    @property
    def root(self) -> str:
        """The name of the operation that it starts from; empty if it is not known."""
        for value, _ in self.rewrites():
            operation = rf'{re.escape(value)}\s*=\s*pdl\.operation\s*"([^"\n]+)"'
            if value and (found := re.search(operation, self._code)):
                return found[1]
        shown: list[str] = _SHOWN.findall("" if self.pdl else self.before)
        return shown[-1] if shown else ""

    def headers(self) -> Iterator[tuple[str, int | None, Location]]:
        """Yield label, benefit and place of each `pdl.pattern` in the text."""
        for found in _PATTERN.finditer(self._code):
            benefit = found["benefit"]
            number = None if benefit is None else int(benefit)
            yield found["label"] or "", number, self._place(found.start())

    def rewrites(self) -> Iterator[tuple[str, Location]]:
        """Yield root and place of each `pdl.rewrite`; a root may be missing."""
        for found in _REWRITE.finditer(self._code):
            yield found["root"] or "", self._place(found.start())

    def natives(self) -> Iterator[tuple[str, str, Location]]:
        """Yield kind, name and place of each function that the text calls."""
        for found in _NATIVE.finditer(self._code):
            place = replace(self._place(found.start(2)), length=len(found[2]) or 1)
            yield found[1], found[2], place
        for variable in self.variables:
            calls = {
                "constraint": variable.where,
                "rewrite": variable.make,
            }
            for kind, call in calls.items():
                name = call.partition("(")[0]
                if call and name not in OWN_FUNCTIONS[kind]:
                    yield kind, name, variable.location

    def operations(self) -> set[str]:
        """Return the names of its operations, among other names with a dot."""
        text = self.pdl or f"{self.before}\n{self.after}"
        return {*_DOTTED.findall(_COMMENT.sub("", text))}

    def values(self) -> Iterator[tuple[str, bool, Location]]:
        """Yield name and place of each value, and whether it is declared there."""
        code = _STRING.sub(lambda found: " " * len(found[0]), self._code)
        declared = {
            declaration.start() + value.start()
            for declaration in _DECLARATION.finditer(code)
            for value in _VALUE.finditer(declaration[0])
        }
        for found in _VALUE.finditer(code):
            place = replace(self._place(found.start()), length=len(found[0]))
            yield found[0], found.start() in declared, place

    def used_variables(self) -> Iterator[tuple[str, Location]]:
        """Yield each `$name` in `before` and `after`, and its place."""
        for text in (self.before, self.after):
            for found in _VARIABLE.finditer(text):
                if found["name"]:
                    is_after = text is self.after
                    yield found["name"], self._place(found.start(), is_after=is_after)

    @property
    def matched_variables(self) -> set[str]:
        """The names of the variables in `before`."""
        found = (variable["name"] for variable in _VARIABLE.finditer(self.before))
        return {name for name in found if name}

    @property
    def _code(self) -> str:
        """The text with blanks in place of comments."""
        return _COMMENT.sub(lambda found: " " * len(found[0]), self.pdl)

    def location_at(self, line: int, column: int) -> Location:
        """Return the location of a place whose lines are those of a text."""
        texts = [(self.pdl, self.pdl_location)]
        if not self.pdl:
            texts = [
                (self.before, self.pdl_location),
                (self.after, self.after_location),
            ]
        for text, start in texts:
            if start.line <= line <= start.line + text.count("\n"):
                return _located(text, start, line, column)
        return replace(self.pdl_location, line=line, column=column, length=1)

    def _place(self, offset: int, *, is_after: bool = False) -> Location:
        start = self.after_location if is_after else self.pdl_location
        text = self.after if is_after else self.pdl or self.before
        before = text[:offset]
        line = start.line + before.count("\n")
        column = start.column + offset - (before.rfind("\n") + 1)
        return _located(text, start, line, column)


def _located(text: str, start: Location, line: int, column: int) -> Location:
    """Return the location of a place in a text.

    It is the beginning if the file has the text otherwise, folded or with escapes.
    """
    shown = text.split("\n")[line - start.line].rstrip()
    written = start.source.line_text(line)[start.column - 1 :]
    if not written.startswith(shown):
        return start
    return replace(start, line=line, column=column, length=1)
