"""Why a pattern does not match: the operations that it nearly matches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import nearest_note
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import PassInstrumentation
from passgen_runtime.patterns.library import NearMiss
from passgen_runtime.patterns.pattern_pass import Patterns
from passgen_runtime.patterns.rewrite_pattern import RewritePattern

MAX_SHOWN: Final = 5
"""The number of near misses in a report."""


@dataclass
class PatternExplainer(PassInstrumentation):
    """Collects the operations that a pattern nearly matches, just before its pass runs.

    explainer = PatternExplainer(context, "mulToAdd", "main")
    manager.add_instrumentation(explainer)
    manager.run(module)
    print(explainer.report())
    """

    context: Context
    pattern: str
    """The name of the pattern."""

    symbol: str = ""
    """The symbol of the operation in which to look; empty for everywhere."""

    near_misses: list[NearMiss] = field(default_factory=list)
    num_matches: int = 0
    declaration: RewritePattern | None = None
    """The pattern, once its pass has run."""

    symbols: set[str] = field(default_factory=set)
    """The symbols that were met: those around the operations of passes, and in them."""

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Look for near misses if the pass has the pattern.

        Raises:
            PatternError: the IR library matches patterns itself.
        """
        declared = pass_.patterns if isinstance(pass_, Patterns) else ()
        found = [known for known in declared if known.name == self.pattern]
        if not isinstance(pass_, Patterns) or not found:
            return
        self.declaration = found[0]
        for root in self._roots(operation, is_inside=self._is_symbol(operation)):
            is_match, near_miss = pass_.explain_pattern(self.pattern, root)
            self.num_matches += is_match
            self.near_misses += [] if near_miss is None else [near_miss]

    def _is_symbol(self, operation: Operation) -> bool:
        around = self.context.ancestors(operation)
        names = {self.context.symbol_name(ancestor) for ancestor in around}
        self.symbols |= {name for name in names if name is not None}
        return not self.symbol or self.symbol in names

    def _roots(self, operation: Operation, *, is_inside: bool) -> Iterator[Operation]:
        """Yield the operations inside `operation` that are to be looked at."""
        for child in self.context.children(operation):
            name = self.context.symbol_name(child)
            if name is not None:
                self.symbols.add(name)
            is_shown = is_inside or name == self.symbol
            yield from self._roots(child, is_inside=is_shown)
            if is_shown:
                yield child

    def nearest(self) -> list[NearMiss]:
        """Return the near misses, those that hold longest first."""
        return sorted(self.near_misses, key=lambda miss: -miss.num_steps)[:MAX_SHOWN]

    def report(self) -> str:
        """Return the near misses as text, as diagnostics are printed."""
        where = f" in @{self.symbol}" if self.symbol else ""
        if self.declaration is None:
            return f"pattern '{self.pattern}': no pass that has it ran\n"
        if self.symbol and self.symbol not in self.symbols:
            message = f"pattern '{self.pattern}': its pass ran on no @{self.symbol}"
            notes = nearest_note(self.symbol, self.symbols)
            return "".join((f"{message}\n", *(f"note: {note}\n" for note in notes)))
        shown, num_misses = self.nearest(), len(self.near_misses)
        title = f"pattern '{self.pattern}'{where}: matches: {self.num_matches}"
        lines = [f"{title}, near misses: {num_misses}"]
        if len(shown) < num_misses:
            lines[0] += f", of which the nearest {len(shown)} are shown"
        lines += [str(self._diagnostic(miss)) for miss in shown]
        return "\n".join(lines) + "\n"

    def _diagnostic(self, miss: NearMiss) -> Diagnostic:
        name = self.context.name(miss.root)
        place = self.context.location(miss.root)
        notes = [Diagnostic("note", f"it should match: {self._line(miss)}", miss.place)]
        if miss.operation is not miss.root:
            stood = f"in '{self.context.name(miss.operation)}'"
            location = self.context.location(miss.operation)
            notes.insert(0, Diagnostic("note", stood, location))
        return Diagnostic("remark", f"'{name}': {miss.problem}", place, tuple(notes))

    def _line(self, miss: NearMiss) -> str:
        """Return the line of the pattern at which a miss failed."""
        pattern = self.declaration
        line = miss.place.rsplit(":", 2)[1:2]
        if pattern is None or not line or not line[0].isdecimal():
            return ""
        lines = (pattern.pdl or pattern.before).split("\n")
        at = int(line[0]) - pattern.line
        return lines[at].strip() if 0 <= at < len(lines) else ""
