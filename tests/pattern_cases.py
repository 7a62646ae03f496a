"""Patterns for tests on both IR libraries, right and wrong ones."""

from __future__ import annotations

from dataclasses import dataclass
from types import new_class
from typing import Any

from passgen_runtime import (
    STRING,
    OperationPass,
    PassManager,
    PassOptions,
    list_option,
)
from passgen_runtime.context import Context
from passgen_runtime.patterns import (
    DriverName,
    PatternDriver,
    Patterns,
    RewritePattern,
)

MATCH = """\
%type = pdl.type : i32
%x = pdl.operand : %type
%root = pdl.operation "arith.muli" (%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
"""
SQUARE_TO_SELF = (
    f"{MATCH}pdl.rewrite %root {{ pdl.replace %root with (%x : !pdl.value) }}"
)
"""Wrong arithmetic, and a short pattern."""

TWICE = """\
func.func @twice(%x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  %1 = arith.muli %0, %0 : i32
  func.return %1 : i32
}
"""

WRONG = {
    "syntax": ("%x = pdl.operandd", "34:16: error: "),
    "undefined value": (f"{MATCH}pdl.rewrite %rot {{ }}", "use of undeclared"),
    "no root": (f"{MATCH}pdl.rewrite {{ pdl.erase %root }}", "which names the root"),
    "two patterns": (
        f"pdl.pattern : benefit(1) {{\n{SQUARE_TO_SELF}\n}}\n" * 2,
        "expected one pdl.pattern, found pdl.pattern, pdl.pattern",
    ),
    "unknown operation": (
        SQUARE_TO_SELF.replace("muli", "mulli"),
        "36:19: error: pattern 'squareToSelf': there is no operation 'arith.mulli'",
    ),
    "unknown dialect": (
        SQUARE_TO_SELF.replace("arith.", "arithh."),
        "there is no operation 'arithh.muli'",
    ),
    "unknown function": (
        (
            f'{MATCH}pdl.apply_native_constraint "isSmall" (%x : !pdl.value)\n'
            "pdl.rewrite %root { pdl.replace %root with (%x : !pdl.value) }"
        ),
        "no constraint 'isSmall' is declared",
    ),
    "erasure with results": (
        f"{MATCH}pdl.rewrite %root {{ pdl.erase %root }}",
        "erases an operation with results, which may be used",
    ),
    "use after replacement": (
        (
            f"{MATCH}pdl.rewrite %root {{ pdl.replace %root with (%x : !pdl.value)\n"
            "pdl.erase %root }"
        ),
        "an operation is used after it was replaced or erased",
    ),
    "number of values": (
        (
            f"{MATCH}pdl.rewrite %root {{\n"
            "pdl.replace %root with (%x, %x : !pdl.value, !pdl.value) }"
        ),
        "replaces 1 results by 2 values",
    ),
    "result that does not exist": (
        (
            f"{MATCH}%square = pdl.result 1 of %root\n"
            "pdl.rewrite %root { pdl.replace %root with (%square : !pdl.value) }"
        ),
        "result 1 of an operation with 1 results",
    ),
    "replacement by itself": (
        f"{MATCH}pdl.rewrite %root {{ pdl.replace %root with %root }}",
        "replaces an operation by itself",
    ),
    "constraint with results": (
        (
            f'{MATCH}%flag = pdl.apply_native_constraint "isSmall" '
            "(%x : !pdl.value) : !pdl.attribute\n"
            "pdl.rewrite %root { pdl.replace %root with (%x : !pdl.value) }"
        ),
        "a constraint has no results",
    ),
    "type without a value": (
        (
            f"{MATCH}%new = pdl.type\n"
            'pdl.rewrite %root { %sum = pdl.operation "arith.addi" '
            "(%x, %x : !pdl.value, !pdl.value) -> (%new : !pdl.type)\n"
            "pdl.replace %root with %sum }"
        ),
        "37:18: error: pattern 'squareToSelf': ",
    ),
    "replacement of another operation": (
        (
            f"{MATCH}%square = pdl.result 0 of %root\n"
            '%outer = pdl.operation "arith.negf" (%square : !pdl.value)'
            " -> (%type : !pdl.type)\n"
            "pdl.rewrite %outer { pdl.replace %root with (%x : !pdl.value) }"
        ),
        "the driver 'walk' allows to replace or erase the root alone",
    ),
}
"""PDL that no library may apply, and a part of the error, by the mistake."""

SQUARE_IF_ALLOWED = SQUARE_TO_SELF.replace(
    "pdl.rewrite",
    'pdl.apply_native_constraint "isAllowed" (%root : !pdl.operation)\npdl.rewrite',
)


@dataclass(kw_only=True)
class SelectionOptions(PassOptions):
    """The option that disables patterns."""

    disabled_patterns: list[str] = list_option("disable-patterns", STRING)


def pass_of(
    *patterns: RewritePattern,
    options: type[PassOptions] = PassOptions,
    **members: object,
) -> type[Patterns]:
    """Return a new class of passes on functions with `patterns`."""
    declared: dict[str, Any] = {
        "name": "Example",
        "argument": "example",
        "anchor": "func.func",
        "declared_in": "specs/example.yaml",
        "patterns": patterns,
        **members,
    }
    bases = (Patterns, OperationPass[options])  # type: ignore[valid-type]
    return new_class(
        "ExamplePassBase", bases, exec_body=lambda body: body.update(declared)
    )


def pattern(
    pdl: str, name: str = "squareToSelf", **fields: str | int
) -> RewritePattern:
    """Return a pattern that stands at line 34 and column 11 of its spec."""
    return RewritePattern(name=name, pdl=pdl, line=34, column=11, **fields)  # type: ignore[arg-type]


def run_pass(pass_: Patterns, context: Context, ir: str = TWICE) -> str:
    """Return the IR after `pass_`."""
    manager = PassManager(context)
    manager.counts_optional = True
    manager.nest("func.func").add_pass(pass_)
    module = context.parse(ir, "input.mlir")
    manager.run(module)
    return context.print(module)


def counts_of_a_pass_that_runs_inside_itself(context: Context) -> list[int]:
    """Return how often a pattern is applied in two runs, one inside the other."""
    counts: list[int] = []

    def run_once_more(_operation: object) -> bool:
        if not passes_begun[1:]:
            count()
        return True

    def count() -> None:
        pass_ = class_()
        passes_begun.append(pass_)
        run_pass(pass_, context)
        counts.extend(pass_.pattern_counts().values())

    passes_begun: list[Patterns] = []
    functions = (("isAllowed", run_once_more),)
    class_ = pass_of(pattern(SQUARE_IF_ALLOWED), native_constraints=functions)
    count()
    return counts


def ir_after_all_patterns_are_disabled(context: Context, driver: DriverName) -> str:
    """Return the IR after a pass whose only pattern is disabled."""
    class_ = pass_of(
        pattern(SQUARE_TO_SELF),
        options=SelectionOptions,
        pattern_driver=PatternDriver(driver),
    )
    options = SelectionOptions(disabled_patterns=["squareToSelf"])
    return run_pass(class_(options), context)


def ir_after_a_constraint_that_returns(value: object, context: Context) -> str:
    """Return the IR after a pass whose pattern has a constraint in Python."""
    functions = (("isAllowed", lambda _operation: value),)
    class_ = pass_of(pattern(SQUARE_IF_ALLOWED), native_constraints=functions)
    return run_pass(class_(), context)
