"""Passes that record their runs, and contexts that record their diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, cast

from passgen_runtime import (
    Diagnostic,
    InterfacePass,
    OperationPass,
    OpPassManager,
    Pass,
    PassManager,
    PassOptions,
)
from passgen_runtime.context import Context, Operation
from passgen_runtime.ir.xdsl import XDSLContext

Running: TypeAlias = Any
"""A pass of any class while it runs."""


def every_level(*, depth: int, fans_out_above: bool, num_targets: int) -> bool:
    """Fan out wherever there is more than one operation: a policy of threads."""
    del depth, fans_out_above, num_targets
    return True


class Log:
    """Events in order; an object, and so shared by the copies of a pass."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def add(self, event: str) -> None:
        self.events.append(event)


class Step(OperationPass[PassOptions]):
    """Logs its name and that of its operation, then calls its function."""

    def __init__(self, log: Log, do: Callable[[Running], None] | None) -> None:
        super().__init__()
        self.log = log
        self.do = do

    def run_on_operation(self) -> None:
        self.log.add(f"{self.name} {title(self.context, self.operation)}")
        if self.do is not None:
            self.do(self)


def step(
    name: str,
    log: Log | None = None,
    do: Callable[[Running], None] | None = None,
    **attributes: object,
) -> Pass:
    """Return a pass of a class of its own, called `name`, with class `attributes`."""
    bases = (Step, InterfacePass) if "interface" in attributes else (Step,)
    made = type(name, bases, attributes)(log or Log(), do)
    return cast("Pass", made)


def title(context: Context, operation: Operation) -> str:
    """Return `@symbol` of an operation, or else its name."""
    symbol = context.symbol_name(operation)
    return f"@{symbol}" if symbol else context.name(operation)


def add_all(manager: OpPassManager, passes: Iterable[Pass]) -> None:
    for pass_ in passes:
        manager.add_pass(pass_)


class Session:
    """A context that keeps its diagnostics, a module, and a manager to run on it."""

    def __init__(
        self,
        text: str = "",
        *,
        anchor: str = "builtin.module",
        allow_unregistered: bool = False,
        verify_each: bool = True,
    ) -> None:
        self.context = XDSLContext(allow_unregistered=allow_unregistered)
        # Messages and locations are recorded, without the IR that may be shown below.
        self.context.prints_operation_on_diagnostic = False
        self.diagnostics: list[str] = []
        self.context.diagnostic_handler = self._keep
        self.module: Any = self.context.parse(text, "input.mlir")
        self.manager = PassManager(self.context, anchor)
        self.manager.verify_each = verify_each
        self.log = Log()

    def step(
        self,
        name: str,
        do: Callable[[Running], None] | None = None,
        **attributes: object,
    ) -> Pass:
        return step(name, self.log, do, **attributes)

    def run(self) -> list[str]:
        """Run the manager; return the events of the run."""
        self.log.events.clear()
        self.manager.run(self.module)
        return list(self.log.events)

    def _keep(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(str(diagnostic))


FUNCTIONS = """\
func.func @a() { return }
func.func @b() { return }
"""

NESTED = """\
func.func @a() { return }
module @inner {
  func.func @b() { return }
}
"""
