"""The style of descriptions and the IR that they show: a part of `spec_lint`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from passgen.diagnostics import Note
from passgen.findings.finding import Finding
from passgen.model.group import Pass
from passgen.model.model_ignores import Ignore
from passgen.rules import LINT_RULES

_EXAMPLE: Final = re.compile(
    r"^ *(?P<fence>`{3,}|~{3,})mlir\b[^\n]*\n(?P<ir>.*?)^ *(?P=fence)",
    re.MULTILINE | re.DOTALL,
)
_COMMENT: Final = re.compile(r"//[^\n]*")
_OPERATION: Final = re.compile(
    r"""
    ^ \s* (?:%[^=\n]*=\s*)?              # its results
    (?: (?P<plain>[a-z_][a-z0-9_]*) \. [a-z_]
      | "(?P<generic>[a-z_][a-z0-9_]*) \. [^"\n]+" \s* \( )
    """,
    re.VERBOSE | re.MULTILINE,
)


def lint_description(pass_: Pass, ignores: tuple[Ignore, ...]) -> Iterator[Finding]:
    """Yield what could be better about the description of `pass_`."""
    what, name = f"pass '{pass_.argument}'", pass_.argument
    place = pass_.location
    if not pass_.description:
        rule = LINT_RULES["description-missing"]
        message = f"{what} has no description"
        yield Finding(rule, message, place, ignores, name=name)
        return
    examples = [match["ir"] for match in _EXAMPLE.finditer(pass_.description)]
    if not examples:
        rule = LINT_RULES["description-without-example"]
        message = f"description of {what} shows no example"
        note = Note("IR stands in a code block that begins with ```mlir")
        yield Finding(rule, message, place, ignores, (note,), name)
        return
    rule = LINT_RULES["dialect-not-declared"]
    before, *after = map(_dialects, examples)
    declared = {*before, "builtin", *(each.name for each in pass_.dependent_dialects)}
    for dialect in dict.fromkeys(each for example in after for each in example):
        if dialect not in declared:
            message = (
                f"the example of {what} creates operations of dialect '{dialect}', "
                "which 'dependentDialects' does not name"
            )
            yield Finding(rule, message, place, ignores, name=dialect)


def _dialects(ir: str) -> list[str]:
    """Return the dialects whose operations stand in `ir`."""
    code = _COMMENT.sub("", ir)
    return [match["plain"] or match["generic"] for match in _OPERATION.finditer(code)]
