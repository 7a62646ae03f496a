"""Verdicts about the patterns of a pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from textwrap import indent

from passgen_runtime.context import Context
from passgen_runtime.errors import PassError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.patterns import (
    Patterns,
    check_pattern,
    import_functions,
    own_functions,
    written_patterns,
)
from passgen_tools.verify.pattern_check import (
    CALLS,
    JudgedError,
    Judgement,
    PatternCheck,
)


def verify_patterns(
    pass_class: type[Patterns], context: Context | None = None, timeout_s: float = 10
) -> Iterator[Judgement]:
    """Yield a judgement for each pattern and type; after a wrong one, no more types.

    Args:
        pass_class: a generated class, or an implementation of it.
        context: of the IR library; by default, a new context of xDSL.
        timeout_s: the time limit of each question to z3.

    Raises:
        PassError: a function is missing, or z3 is.
    """
    context = context or XDSLContext()
    if context.pattern_applier is None:
        raise PassError(f"the IR of '{context.library}' has no patterns")
    if find_spec("z3") is None:
        raise PassError("z3 is not installed: install 'mlir-passgen-tools[verify]'")
    declared = pass_class.native_constraints, pass_class.native_rewrites
    functions = {
        kind: import_functions(named, pass_class.declared_in)
        for kind, named in zip(CALLS, declared, strict=True)
    }
    library = context.pattern_applier()
    for pattern in pass_class.patterns:
        try:
            for written in written_patterns(context, library, pattern):
                parsed = library.parse(context, written)
                check_pattern(parsed, context, functions, pass_class.pattern_driver)
                calls = {call.text for call in parsed.of_kind(*CALLS)}
                own = own_functions(context, calls)
                known = {kind: named | own for kind, named in functions.items()}
                judged = [*PatternCheck(context, parsed, known, timeout_s).run()]
                reason = "it matches nothing that was tried"
                missed = Judgement(pattern.name, "", "not-checked", reason)
                yield from judged or [missed]
        except JudgedError as error:
            yield Judgement(pattern.name, "", *error.args)
        except PassError as error:
            yield Judgement(pattern.name, "", "not-checked", str(error))


def report(judgements: Iterable[Judgement]) -> str:
    """Return lines with the verdicts, one for all types that have the same."""
    found: dict[tuple[str, str], list[str]] = {}
    for pattern, types, verdict, reason in judgements:
        title = f"  {pattern}: {verdict.replace('-', ' ')}"
        note = reason and indent(f"{reason}\n", "    ")
        found.setdefault((title, note), []).append(types)
    return "".join(
        f"{title}{': ' * any(types)}{', '.join(types)}\n{note}"
        for (title, note), types in found.items()
    )
