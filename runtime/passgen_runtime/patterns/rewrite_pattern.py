"""The declaration of a rewrite pattern, and of the driver that applies patterns."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

from passgen_runtime.diagnostics import visible
from passgen_runtime.errors import (
    PassOptionError,
    SchedulingError,
    ShownNote,
    nearest_note,
)

DriverName = Literal["walk", "greedy"]

_PLACE: Final = re.compile(r":(\d+):(\d+)$")
_PATTERN_LINE: Final = re.compile(r"^[^/\n]*\bpdl\.pattern\b", re.MULTILINE)


class PatternError(SchedulingError):
    """A pattern is wrong, or the IR library of the context cannot apply it."""

    place: str = ""
    """`file:line:column` of the mistake, if it is in the text of a pattern."""

    message: str = ""
    """What is wrong there."""

    notes: tuple[str, ...] = ()

    @property
    def has_own_place(self) -> bool:
        """Whether the mistake is in the text of a pattern."""
        return bool(self.place)


@dataclass(frozen=True, kw_only=True, slots=True)
class PatternVariable:
    """The type or attribute that `$name` stands for in `before` and `after`."""

    name: str
    examples: tuple[str, ...]
    """Texts in its place: all types that match, or two of many if it is open."""

    any: Literal["", "integer", "float", "type"] = ""
    """`integer`, `float` or `type`: what matches if it is an open type."""

    is_attribute: bool = False
    where: str = ""
    """The constraint, if there is one: `isPowerOfTwo`, `narrower(S, T)`."""

    make: str = ""
    """The rewrite that makes an attribute of `after`: `log2(c)`."""

    @property
    def is_open(self) -> bool:
        """Whether its examples are two of many."""
        return bool(self.any) or (self.is_attribute and not self.is_flag)

    @property
    def is_flag(self) -> bool:
        """Whether it is a flag that is there or not, `exact`, for one."""
        return self.is_attribute and "" in self.examples


@dataclass(frozen=True, kw_only=True)
class RewritePattern:
    """A rewrite pattern: in PDL, or as the IR `before` and `after` it.

    Dialect 'pdl' of MLIR's documentation has the language.
    """

    name: str
    """The label for `disable-patterns`, unique in the pass."""

    pdl: str = ""
    """A `pdl.pattern`, or what stands in its braces; empty if the IR is the pattern."""

    summary: str = ""
    description: str = ""
    """Markdown."""

    benefit: int = 1
    """The pattern of the highest benefit is applied if several match."""

    before: str = ""
    """IR that the pattern changes to that of `after`; with `pdl`, an example of it."""

    after: str = ""
    variables: tuple[PatternVariable, ...] = ()
    unused: tuple[str, ...] = ()
    """Results in `before` that no operation may use."""

    one_use: tuple[str, ...] = ()
    """Results in `before` that must have one use."""

    file: str = ""
    """The file of the text, if it is not the one that declares the pass."""

    line: int = 1
    column: int = 1
    """The place in that file at which the PDL, or `before`, begins; its lines are
    indented so."""

    after_line: int = 1
    after_column: int = 1

    def module(self) -> str:
        """Return the text of a module with the pattern, at its lines and columns."""
        margin = " " * (self.column - 1)
        lines = "\n".join(margin + line for line in self.pdl.split("\n"))
        if _PATTERN_LINE.search(self.pdl):
            return "\n" * (self.line - 1) + lines
        header = f"pdl.pattern @{self.name} : benefit({self.benefit}) {{"
        above = "\n" * (self.line - 2) + f"{header}\n" if self.line > 1 else header
        return f"{above}{lines}\n}}"


@dataclass(frozen=True)
class PatternDriver:
    """The order in which patterns are applied, and when to stop.

    `walk` visits each operation once, inner ones first, and no new ones. `greedy` also
    visits changed and new operations until nothing matches any more, and folds: MLIR's
    "Greedy Pattern Rewrite Driver".
    """

    name: DriverName = "walk"
    max_iterations: int = 10
    """How often the greedy driver walks over the IR; the last walk changes nothing."""

    max_rewrites: int | None = None
    """The limit of rewrites: in MLIR for each iteration, in xDSL for all.

    By default 1,000,000 in MLIR; in xDSL 10,000, and 10 for each operation.
    """

    def __post_init__(self) -> None:
        """Check the name.

        Raises:
            ValueError: there is no such driver.
        """
        if self.name not in get_args(DriverName):
            message = f"expected the driver 'walk' or 'greedy', found {self.name!r}"
            raise ValueError(message)


def select_patterns(
    patterns: Iterable[RewritePattern],
    disabled: Collection[str],
    enabled: Collection[str],
) -> tuple[RewritePattern, ...]:
    """Return the patterns to apply, in decreasing order of benefit.

    Args:
        patterns: all patterns of a pass.
        disabled: the names of those to leave out.
        enabled: the names of those to keep; if there is none, all.

    Raises:
        PassOptionError: there is no pattern of such a name.
    """
    known = {pattern.name: pattern for pattern in patterns}
    options = {"disable-patterns": disabled, "enable-patterns": enabled}
    for argument, names in options.items():
        for name in names:
            if name not in known:
                message = f"option '{argument}': there is no pattern '{name}'"
                listed = (f"patterns: {', '.join(known)}",)
                raise PassOptionError(message, nearest_note(name, known) or listed)
    kept = [
        pattern
        for name, pattern in known.items()
        if name not in disabled and (not enabled or name in enabled)
    ]
    return tuple(sorted(kept, key=lambda pattern: -pattern.benefit))


def pattern_error(
    pattern: RewritePattern, place: str, message: str, notes: Iterable[str] = ()
) -> PatternError:
    """Return an error at a place in the text of `pattern`, which it shows."""
    notes = tuple(notes)
    headline = f"{place}: error: pattern '{pattern.name}': {message}"
    excerpt = "\n".join(_excerpt(pattern, place))
    lines = (headline, *([excerpt] if excerpt else []), *(f"note: {n}" for n in notes))
    error = PatternError("\n".join(map(visible, lines)))
    error.place, error.message, error.notes = place, message, notes
    return error


def note_patterns(error: Exception, patterns: Collection[RewritePattern]) -> None:
    """Add a note to the exception of a function that names the patterns that call it.

    Args:
        error: the exception.
        patterns: those that may have called the function, not empty.
    """
    first, *others = dict.fromkeys(patterns)
    text = f"in pattern '{first.name}' at {first.file}:{first.line}:{first.column}"
    if others:
        names = ", ".join(f"'{pattern.name}'" for pattern in (first, *others))
        text = f"in one of the patterns {names}"
    error.add_note(ShownNote(text))


def _excerpt(pattern: RewritePattern, place: str) -> Iterator[str]:
    """Yield the line of the text at `file:line:column`, and a caret below it."""
    found = _PLACE.search(place)
    if found is None:
        return
    line, column = map(int, found.groups())
    texts = [(pattern.pdl or pattern.before, pattern.line, pattern.column)]
    if pattern.after_line > pattern.line:  # else the lines of both are the same
        texts.append((pattern.after, pattern.after_line, pattern.after_column))
    for text, first_line, first_column in texts:
        lines = text.split("\n")
        if first_line <= line < first_line + len(lines):
            yield " " * (first_column - 1) + lines[line - first_line]
            yield " " * (column - 1) + "^"
            return
