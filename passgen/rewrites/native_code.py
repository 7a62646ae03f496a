"""The table of what C++ in rewrites means: that of passgen, and rows of a project."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from passgen.diagnostics import Diagnostic, Note, SpecError, suggest
from passgen.passgen_rules.pattern_functions import (
    CONSTANT_FUNCTIONS,
    WIDTH_DIFFERENCE,
    WIDTH_RELATIONS,
)
from passgen.resources import native_code
from passgen.rewrites.predicates import stripped
from passgen.source import SourceFile
from passgen.spec import Node, Scalar, describe, load, read_source

IDENTITY: Final = ""
"""The function that returns its argument."""

_RELATIONS: Final = {**dict.fromkeys(WIDTH_RELATIONS, 2), "indexOrInteger": 2}
"""What rows for operations may say, with the number of types that it compares."""

_FUNCTIONS: Final = {
    **dict.fromkeys(WIDTH_RELATIONS, 2),
    **{name: known.num_arguments for name, known in CONSTANT_FUNCTIONS.items()},
    WIDTH_DIFFERENCE: 3,
    "absent": 1,
    "constant": 1,
    "equals": 2,
    "hasWidth": 1,
    "number": 1,
    "oneUse": 1,
    "positive": 1,
    "sameType": 2,
    "unused": 1,
    "zero": 1,
}
"""What rows for C++ may say, with the numbers of arguments."""

_OPERATION: Final = re.compile(r"[a-z_]\w*(?:\.\w+)+")
_CALL: Final = re.compile(
    r"(?:(?P<module>[\w.]+):)?(?P<function>\w+)\((?P<arguments>[^()]*)\)"
)
_PYTHON: Final = Note("one in Python is written 'my_dialect.patterns:is_odd($0)'")
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
            try:
                meaning = _meaning(code, entry.value)
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


def _meaning(code: str, node: Node) -> Meaning:
    """Return what a row says that `code` means.

    Raises:
        SpecError: it is no call, or of a function that is not known.
    """
    text, place = "", node.location
    if isinstance(node, Scalar) and isinstance(node.value, str):
        text = node.value.strip()
    if _ARGUMENT.fullmatch(text):
        return Meaning(IDENTITY, (text,))
    found = _CALL.fullmatch(text)
    if found is None:
        note = Note("a row is, for one: 'sumOf($_builder, $0, $1)': add($0, $1)")
        given = f"the meaning of '{code}' is {describe(node)}"
        message = f"{given}, expected a call or an argument"
        raise SpecError([Diagnostic(message, place, (note,))])
    listed = (argument.strip() for argument in found["arguments"].split(","))
    arguments = tuple(filter(None, listed))
    for argument in arguments:
        if argument.startswith("$") and not _ARGUMENT.fullmatch(argument):
            message = f"found '{argument}', expected a number behind '$', as in '$0'"
            raise SpecError([Diagnostic(message, place)])
    is_operation = _OPERATION.fullmatch(code) is not None
    known = _RELATIONS if is_operation else _FUNCTIONS
    name, module = found["function"], found["module"] or ""
    if module and not is_operation:
        return Meaning(name, arguments, module)
    if name not in known:
        message = f"'{name}' is no function that this can mean"
        notes = suggest(name, sorted(known)) or (() if is_operation else (_PYTHON,))
        raise SpecError([Diagnostic(message, place, notes)])
    if len(arguments) != known[name]:
        message = f"'{name}' has {len(arguments)} arguments, expected {known[name]}"
        raise SpecError([Diagnostic(message, place)])
    return Meaning(name, arguments)
