"""The table of what C++ in rewrites means: that of passgen, and rows of a project."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from passgen.diagnostics import Diagnostic, Note, SpecError, suggest
from passgen.model import OWN_FUNCTIONS
from passgen.passgen_rules.pattern_functions import WIDTH_DIFFERENCE, WIDTH_RELATIONS
from passgen.resources import native_code
from passgen.source import Location, SourceFile
from passgen.spec import Scalar, load, read_source
from passgen.tablegen.rewrites.predicates import stripped

IDENTITY: Final = ""
"""The function that returns its argument."""

_ATTRIBUTES: Final = {*OWN_FUNCTIONS["rewrite"], "zero"}
_CONDITIONS: Final = {
    *WIDTH_RELATIONS,
    WIDTH_DIFFERENCE,
    "absent",
    "constant",
    "equals",
    "hasWidth",
    "number",
    "positive",
    "sameType",
    "unused",
}
_RELATIONS: Final = {*WIDTH_RELATIONS, "indexOrInteger"}

_OPERATION: Final = re.compile(r"[a-z_]\w*(?:\.\w+)+")
_CALL: Final = re.compile(
    r"(?:(?P<module>[\w.]+):)?(?P<function>\w+)\((?P<arguments>[^()]*)\)"
)
_ARGUMENT: Final = re.compile(r"\$\d+")
_PLACEHOLDER: Final = re.compile(r"\\\{(\w+)\\\}")
_ANYTHING: Final = r"(?P<{}>-?[\w:]+)"


@dataclass(frozen=True)
class Meaning:
    """A call in the language of patterns, or of a function in Python."""

    function: str
    arguments: tuple[str, ...]
    """`$0` for the first argument of the C++, or a number or the case of an enum; names
    of operands and results for operations."""

    module: str = ""
    """The module of a function in Python."""


class NativeCode:
    """Meanings of C++ texts and of verifiers of operations."""

    def __init__(self, files: tuple[str, ...] = ()) -> None:
        """Read the table of passgen, and then files that add rows.

        Raises:
            UnreadableError: a file cannot be read.
            SpecError: a file is no mapping from code to calls.
        """
        self._exact: dict[str, Meaning] = {}
        self._templates: list[tuple[re.Pattern[str], Meaning]] = []
        self._operations: dict[str, Meaning] = {}
        for name in (*files, str(native_code())):
            self._add(read_source(name))

    def _add(self, source: SourceFile) -> None:
        errors: list[Diagnostic] = []
        for code, entry in load(source).entries.items():
            text = entry.value.value if isinstance(entry.value, Scalar) else None
            try:
                meaning = _meaning(code, str(text), entry.value.location)
            except SpecError as error:
                errors.extend(error.diagnostics)
                continue
            if _OPERATION.fullmatch(code):
                self._operations.setdefault(code, meaning)
                continue
            plain = _plain(code)
            pattern, count = _PLACEHOLDER.subn(
                lambda found: _ANYTHING.format(found[1]), re.escape(plain)
            )
            if count:
                self._templates.append((re.compile(pattern), meaning))
            else:
                self._exact.setdefault(plain, meaning)
        if errors:
            raise SpecError(errors)

    def find(self, code: str) -> Meaning | None:
        """Return the meaning of C++; `None` if it is not known."""
        plain = _plain(code)
        if plain in self._exact:
            return self._exact[plain]
        for pattern, meaning in self._templates:
            if found := pattern.fullmatch(plain):
                arguments = tuple(
                    found[argument[1:-1]] if argument.startswith("{") else argument
                    for argument in meaning.arguments
                )
                return replace(meaning, arguments=arguments)
        return None

    def relation(self, operation: str) -> Meaning | None:
        """Return what the verifier of an operation demands of its types."""
        return self._operations.get(operation)


def _plain(code: str) -> str:
    """Return C++ as the table has it."""
    return stripped(code).replace("$_self", "$0")


def _meaning(code: str, text: str, place: Location) -> Meaning:
    """Return what a row says that `code` means.

    Raises:
        SpecError: it is no call, or of a function that is not known.
    """
    if _ARGUMENT.fullmatch(text):
        return Meaning(IDENTITY, (text,))
    found = _CALL.fullmatch(text)
    if found is None:
        note = Note("a row is, for one: 'sumOf($_builder, $0, $1)': add($0, $1)")
        message = f"the meaning of '{code}' is '{text}', expected a call or an argument"
        raise SpecError([Diagnostic(message, place, (note,))])
    listed = (argument.strip() for argument in found["arguments"].split(","))
    arguments = tuple(filter(None, listed))
    is_operation = _OPERATION.fullmatch(code) is not None
    known = _RELATIONS if is_operation else _ATTRIBUTES | _CONDITIONS
    if not found["module"] and found["function"] not in known:
        message = f"'{found['function']}' is no function that C++ can mean"
        name = found["function"]
        notes = (*suggest(name, sorted(known)), *_ways_out(is_operation=is_operation))
        raise SpecError([Diagnostic(message, place, notes)])
    return Meaning(found["function"], arguments, found["module"] or "")


def _ways_out(*, is_operation: bool) -> Iterator[Note]:
    if not is_operation:
        yield Note("a function in Python is written 'my_dialect.patterns:is_odd($0)'")
