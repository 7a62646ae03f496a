"""`--explain-pattern`: the operations that a declared pattern nearly matches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from passgen_runtime.errors import nearest_note
from passgen_runtime.pass_manager import Runner
from passgen_runtime.pass_registry import PassRegistry
from passgen_tools.opt.command_line import text
from passgen_tools.opt.driver_part import DriverPart, DriverRun


class ExplanationsPart(DriverPart):
    """Explains why a pattern does not match, on xDSL's IR."""

    pattern = text(
        "explain-pattern",
        "say why a declared pattern does not match, with the nearest misses in the IR "
        "before its pass, or in a symbol; on xDSL's IR",
        "NAME[@SYMBOL]",
    )

    def check(self, passes: Callable[[], PassRegistry]) -> None:
        """Check that a pass has the pattern.

        Raises:
            UsageError: none has.
        """
        if self.pattern is None:
            return
        from passgen_runtime.patterns import Patterns

        name, _ = self._name_and_symbol(self.pattern)
        known = {
            pattern.name
            for entry in passes().passes()
            if issubclass(entry.pass_class, Patterns)
            for pattern in entry.pass_class.patterns
        }
        if name not in known:
            flag, notes = type(self).pattern, nearest_note(name, known)
            raise flag.error(f"no pass has a pattern '{name}'", *notes)

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Report the near misses, also if a pass fails.

        Raises:
            UsageError: the IR library matches patterns itself.
        """
        if self.pattern is None:
            yield
            return
        from passgen_runtime.patterns import PatternExplainer, library_of

        library = library_of(run.context)
        reason = "its IR has no patterns" if library is None else library.why_no_misses
        if reason:
            raise type(self).pattern.error(reason)
        explainer = PatternExplainer(run.context, *self._name_and_symbol(self.pattern))
        run.manager.add_instrumentation(explainer)
        run.manager.runner = Runner()
        try:
            yield
        finally:
            run.report(explainer.report())

    def _name_and_symbol(self, value: str) -> tuple[str, str]:
        name, _, symbol = value.partition("@")
        return name, symbol
