"""What the bindings must be able to do, tried rather than read from a version."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

BindingsObject: TypeAlias = Any
"""An object or a module of the bindings."""

_MEMBERS: Final[Mapping[str, Sequence[str]]] = {
    "": ("WalkOrder", "WalkResult"),
    "Context": (
        *("append_dialect_registry", "attach_diagnostic_handler"),
        *("get_dialect_descriptor", "get_num_threads", "is_registered_operation"),
    ),
    "Module": ("parseFile",),
    "Operation": ("clone", "get_asm", "parse", "verify", "walk"),
    "SymbolTable": ("walk_symbol_tables",),
}
"""The members that this package uses, by class in the module `ir`.

Those that all bindings have are not listed.
"""


def missing_capabilities(
    ir: BindingsObject, passmanager: BindingsObject, context: BindingsObject
) -> list[str]:
    """Return what bindings cannot do that this package needs, as words of a message.

    Args:
        ir: their module `ir`.
        passmanager: their module `passmanager`.
        context: a context of MLIR, in which pass managers are made.
    """
    return [
        *_missing_members(ir),
        *(name for name, try_ in _trials(passmanager, context) if not _works(try_)),
    ]


def _missing_members(ir: BindingsObject) -> Iterator[str]:
    for class_name, members in _MEMBERS.items():
        owner = getattr(ir, class_name, None) if class_name else ir
        for member in members:
            if not hasattr(owner, member):
                yield f"{class_name}.{member}".lstrip(".")


def _trials(
    passmanager: BindingsObject, context: BindingsObject
) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what the members themselves do not show, and what tries it."""
    yield "a readable Context.emit_error_diagnostics", lambda: (
        context.emit_error_diagnostics
    )
    yield "PassManager.add(callable)", lambda: (
        passmanager.PassManager("any", context).add(_do_nothing)
    )
    yield "PassManager.enable_ir_printing(tree_printing_dir_path=...)", lambda: (
        passmanager.PassManager("any", context).enable_ir_printing(
            print_after_all=True, print_after_failure=True, tree_printing_dir_path=""
        )
    )


def _works(try_: Callable[[], object]) -> bool:
    try:
        try_()
    except (AttributeError, TypeError):
        return False
    return True


def _do_nothing(operation: object, external_pass: object) -> None:
    """Be a pass of the bindings."""
