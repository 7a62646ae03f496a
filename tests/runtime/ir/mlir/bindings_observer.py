"""Reports changes to MLIR's bindings while `passgen_runtime` uses them.

    python -m tests.runtime.ir.mlir.bindings_observer mlir [class|module]

Imports the bindings, uses them once without `passgen_runtime` (they set some globals
then), and compares them with a context, inside passes and instrumentations, and after
runs. Prints the differences at each of these moments as JSON. The second argument lets
a pass replace a method or a class, so that a test can see that the change is found.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stderr
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

from passgen_runtime.context import Operation
from passgen_runtime.errors import PassFailure
from passgen_runtime.instrumentations.ir_printing import (
    IRPrintingConfig,
    enable_ir_printing,
)
from passgen_runtime.instrumentations.pass_timing import enable_timing
from passgen_runtime.ir.mlir import MLIRContext, use_mlir_passes
from passgen_runtime.operation_pass.operation_pass import OperationPass, Pass
from passgen_runtime.pass_instrumentation import PassInstrumentation
from passgen_runtime.pass_options.pass_options import PassOptions
from passgen_runtime.pass_registry.pass_registry import PassRegistry
from passgen_runtime.pass_registry.resolution import parse_pass_manager

Attributes: TypeAlias = Mapping[str, object]

SOURCE = "func.func @f(%a: i32) -> i32 {\n  return %a : i32\n}\n"
PIPELINE = "builtin.module(func.func(cse,look,canonicalize),symbol-dce)"


class Bindings:
    """The modules and classes of a package as they were, and the differences since."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.old_modules = {
            name: (module, dict(vars(module))) for name, module in self._modules()
        }
        self.old_classes = [
            (cls, dict(vars(cls)), cls.__bases__) for cls in self._classes()
        ]

    def differences(self) -> Iterator[str]:
        """Yield what was replaced, added or removed in these modules and classes."""
        for name, (module, attributes) in self.old_modules.items():
            if sys.modules.get(name) is not module:
                yield f"sys.modules[{name!r}]"
            yield from _changes(name, attributes, vars(module))
        for cls, attributes, bases in self.old_classes:
            if cls.__bases__ != bases:
                yield f"{cls.__qualname__}.__bases__"
            yield from _changes(cls.__qualname__, attributes, vars(cls))

    def _modules(self) -> Iterator[tuple[str, ModuleType]]:
        for name, module in list(sys.modules.items()):
            if self._has(name):
                yield name, module

    def _classes(self) -> Iterable[type]:
        """Return the classes of the package, of all that exist."""
        found: set[type] = set()
        waiting: list[type] = [object]
        while waiting:
            new: set[type] = set(type.__subclasses__(waiting.pop())) - found
            found |= new
            waiting += new
        return [cls for cls in found if self._has(str(cls.__module__))]

    def _has(self, module: str) -> bool:
        """Return whether `module` is one of the package, or of nanobind."""
        return f"{module}.".startswith((f"{self.package}.", "nanobind"))


def _changes(owner: str, old: Attributes, new: Attributes) -> Iterator[str]:
    """Yield the attributes that changed, except new submodules of a module."""
    for name in old.keys() | new.keys():
        if name not in old:
            is_same = new[name] is sys.modules.get(f"{owner}.{name}", sys)
        else:
            is_same = name in new and new[name] is old[name]
        if not is_same:
            yield f"{owner}.{name}"


class Look(PassInstrumentation):
    """Notes the differences at each moment."""

    def __init__(self, bindings: Bindings) -> None:
        self.bindings = bindings
        self.seen: dict[str, list[str]] = {}

    def at(self, moment: str) -> None:
        self.seen[moment] = sorted(self.bindings.differences())

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        del pass_, operation
        self.at("before a pass")

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        del pass_, operation
        self.at("after a pass")

    def run_after_pass_failed(self, pass_: Pass, operation: Operation) -> None:
        del pass_, operation
        self.at("after a pass that failed")


def registry_of(package: str, look: Look, meddling: str) -> PassRegistry:
    """Return the passes of the package, and two that call `look`."""

    class LookPass(OperationPass[PassOptions]):
        argument = "look"

        def run_on_operation(self) -> None:
            ir = import_module(f"{package}.ir")
            if meddling == "class":
                ir.Operation.verify = lambda _self: True
            if meddling == "module":
                vars(ir)["Module"] = type("Module", (), {})
            look.at("in a pass")
            first = self.operation.regions[0].blocks[0].operations[0]
            first.operation.clone().erase()

    class FailPass(OperationPass[PassOptions]):
        argument = "fail"

        def run_on_operation(self) -> None:
            look.at("in a pass that fails")
            self.operation.regions[0].blocks[0].operations[0].operation.erase()

    registry = PassRegistry()
    registry.register_pass(LookPass)
    registry.register_pass(FailPass)
    use_mlir_passes(registry, package)
    return registry


def let_them_work_alone(package: str) -> None:
    """Let the bindings set the globals that they set when they are first used."""
    ir: Any = import_module(f"{package}.ir")
    managers: Any = import_module(f"{package}.passmanager")
    import_module(f"{package}.dialects.func")
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse("module {}")
        managers.PassManager.parse("builtin.module()").run(module.operation)


def observe(package: str, meddling: str) -> dict[str, list[str]]:
    """Return the differences at each moment."""
    let_them_work_alone(package)
    look = Look(Bindings(package))
    registry = registry_of(package, look, meddling)
    context = MLIRContext(package)
    context.diagnostic_handler = lambda _diagnostic: None
    module = context.parse(SOURCE, "in.mlir")
    look.at("with a context")
    parse_pass_manager(PIPELINE, context, registry).run(module)
    look.at("after a run")
    with redirect_stderr(io.StringIO()):
        for pipeline in (PIPELINE, "builtin.module(func.func(fail))"):
            manager = parse_pass_manager(pipeline, context, registry)
            enable_timing(manager)
            enable_ir_printing(manager, IRPrintingConfig())
            manager.add_instrumentation(look)
            try:
                manager.run(module)
            except PassFailure:
                look.at("after a run that failed")
    del manager, module, context
    look.at("at the end")
    return look.seen


if __name__ == "__main__":
    sys.stdout.write(json.dumps(observe(sys.argv[1], " ".join(sys.argv[2:]))))
