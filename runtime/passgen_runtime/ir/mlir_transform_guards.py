"""Guards of the interpreter of the transform dialect, which passes may call.

It does with the payload what native passes do, and with the symbols around a sequence
that is not in the module given, where it takes declarations out.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import children_of, is_inside, parent_of
from passgen_runtime.ir.mlir_guard_checks import (
    Guard,
    Method,
    check_same_context,
    erasures_in,
)
from passgen_runtime.ir.mlir_pattern_matches import check_no_pattern

if TYPE_CHECKING:
    from passgen_runtime.ir.mlir_erasures import Erasures


def transform_guards(bindings: Bindings) -> tuple[Guard, ...]:
    """Return the guards of `bindings` that are for the transform dialect."""
    module = bindings.interpreter
    return (
        (module, "apply_named_sequence", _apply),
        (module, "copy_symbols_and_merge_into", _merge),
    )


def _apply(bindings: Bindings, original: Method) -> Method:
    def apply_named_sequence(
        payload_root: MLIRObject,
        transform_root: MLIRObject,
        transform_module: MLIRObject,
        *args: MLIRObject,
        **named: MLIRObject,
    ) -> None:
        erasures = erasures_in(bindings, payload_root)
        if erasures is None:
            original(payload_root, transform_root, transform_module, *args, **named)
            return
        payload = payload_root.operation
        script = [transform_root.operation, transform_module.operation]
        for each in script:
            check_same_context(each, payload.context)
            erasures.check_alive(each)
        erased_from = [payload]
        if not is_inside(*script) and (table := parent_of(script[0])) is not None:
            erased_from.append(table)
        script = _prepared(erasures, erased_from, script)
        # The payload itself may be replaced.
        with erasures.rewriting(parent_of(payload) or payload):
            original(payload, *script, *args, **named)

    return apply_named_sequence


def _merge(bindings: Bindings, original: Method) -> Method:
    def copy_symbols_and_merge_into(target: MLIRObject, other: MLIRObject) -> None:
        erasures = erasures_in(bindings, target)
        if erasures is not None:
            check_same_context(other.operation, target.context)
            erasures.check_alive(other.operation)
            (other,) = _prepared(erasures, [target.operation], [other.operation])
        original(target, other)

    return copy_symbols_and_merge_into


def _prepared(
    erasures: Erasures, roots: list[MLIRObject], operations: list[MLIRObject]
) -> list[MLIRObject]:
    """Prepare for MLIR erasing anything inside `roots`; return `operations` anew.

    Handles to what is inside become invalid, those of the caller among them.
    """
    outermost = [
        root for root in roots if not any(is_inside(root, each) for each in roots)
    ]
    # What was given first has to stay where it is.
    if outermost[0] != roots[0]:
        outermost = roots[:1]
    for root in outermost:
        check_no_pattern(root, "transformed")
    places = [_place_of(each, outermost) for each in operations]
    with erasures.called_by_pass():
        for root in outermost:
            erasures.prepare_native_run(root)
    return [_at(*place) for place in places]


def _place_of(
    operation: MLIRObject, roots: list[MLIRObject]
) -> tuple[MLIRObject, list[int]]:
    """Return one of `roots` and how to get to `operation`, or that itself."""
    around, steps = operation, list[int]()
    while around not in roots:
        inner, around = around, parent_of(around)
        if around is None:
            return operation, []
        siblings = enumerate(children_of(around))
        steps.append(next(index for index, each in siblings if each == inner))
    return around, steps[::-1]


def _at(root: MLIRObject, steps: list[int]) -> MLIRObject:
    for step in steps:
        root = next(islice(children_of(root), step, None))
    return root
