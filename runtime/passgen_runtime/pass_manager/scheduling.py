"""Scheduling: merging of adjacent pass managers, and the operations they accept.

Implements the part of MLIR's scheduling that is done before anything runs
(`OpToOpPassAdaptor::tryMergeInto` and `OpPassManagerImpl::finalizePassList` in
mlir/lib/Pass/Pass.cpp). The pass managers themselves stay as they were written.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeAlias

from passgen_runtime.context import (
    OPTIONAL_INTERFACES,
    Context,
    Operation,
    OperationInfo,
)
from passgen_runtime.operation_pass import (
    InterfacePass,
    Pass,
    PassSequence,
    owned_sequences,
)
from passgen_runtime.pass_manager.op_pass_manager import OpPassManager

NOT_REGISTERED = "trying to schedule a pass on an unregistered operation"
NOT_ISOLATED = (
    "trying to schedule a pass on an operation not marked as 'IsolatedFromAbove'"
)

_Group: TypeAlias = list[OpPassManager]


def merge_adjacent(manager: OpPassManager, context: Context) -> list[Pass | _Group]:
    """Return the elements of `manager`, with adjacent nested managers in groups.

    The managers of a group share one walk over the operations directly inside. Op-
    specific ones come first, by anchor, and at most one of them is op-agnostic.
    """
    elements: list[Pass | _Group] = []
    for element in manager.elements:
        if isinstance(element, Pass):
            elements.append(element)
            continue
        last = elements[-1] if elements else None
        if isinstance(last, list) and not (
            _may_conflict(last, [element], context)
            or _may_conflict([element], last, context)
        ):
            _merge_into(last, element)
        else:
            elements.append([element])
    for group in elements:
        if isinstance(group, list):
            group.sort(key=lambda nested: (nested.is_op_agnostic, nested.anchor))
    return elements


def _may_conflict(group: _Group, other: _Group, context: Context) -> bool:
    """Return whether an op-agnostic manager of `group` accepts an anchor of `other`."""
    agnostic = next((manager for manager in group if manager.is_op_agnostic), None)
    return agnostic is not None and any(
        manager.is_op_agnostic
        or schedule_error(agnostic.elements, context.lookup(manager.anchor)) is None
        for manager in other
    )


def _merge_into(group: _Group, following: OpPassManager) -> None:
    for index, manager in enumerate(group):
        if manager.anchor == following.anchor:
            joined = group[index] = OpPassManager(manager.anchor)
            joined.elements = manager.elements + following.elements
            return
    group.append(following)


def schedule_error(
    elements: Iterable[object], info: OperationInfo | None
) -> str | None:
    """Return the reason why operations of a type cannot anchor `elements`, if any.

    A pass that cannot run on a type excludes it for the whole pipeline.
    """
    if info is None:
        return NOT_REGISTERED
    if not info.is_isolated_from_above:
        return NOT_ISOLATED
    for element in elements:
        if isinstance(element, Pass) and not element.can_schedule_on(info):
            return _unsupported_text(element)
    return None


def optional_interface(element: object) -> str | None:
    """Return the interface of a pass that only some operations of a type have."""
    if isinstance(element, InterfacePass) and element.interface in OPTIONAL_INTERFACES:
        return element.interface
    return None


def schedule_error_on(
    element: object, operation: Operation, context: Context
) -> str | None:
    """Return the reason why `element` cannot run on `operation`, if any."""
    error = schedule_error([element], context.info(operation))
    interface = optional_interface(element)
    if error is None and interface and not context.has_interface(operation, interface):
        assert isinstance(element, Pass)
        return _unsupported_text(element)
    return error


def _unsupported_text(pass_: Pass) -> str:
    return f"trying to schedule pass '{pass_.name}' on an unsupported operation"


def structure_key(manager: OpPassManager) -> Hashable:
    """Return a key that is equal for as long as `manager` holds the same passes.

    Different managers may have equal keys if passes were deleted in between.
    """
    return (
        manager.anchor,
        *map(id, manager.elements),
        *[
            structure_key(element)
            for element in manager.elements
            if isinstance(element, PassSequence)
        ],
    )


def dialects_of(manager: OpPassManager) -> dict[str, None]:
    """Return the dialects that the passes of `manager` depend on, each once."""
    dialects: dict[str, None] = {}
    for pass_ in manager.passes():
        dialects.update(dict.fromkeys(pass_.get_dependent_dialects()))
    return dialects


def is_repeatable(passes: Iterable[Pass]) -> bool:
    """Return whether a pipeline of `passes` may be finalized once for several runs.

    The result of an overridden method may depend on anything, such as an option. And a
    pass that another one stands for is not held: its identity may become another's.
    """
    schedules = (Pass.can_schedule_on, InterfacePass.can_schedule_on)
    return all(
        type(pass_).in_context is Pass.in_context
        and type(pass_).can_schedule_on in schedules
        and type(pass_).get_dependent_dialects is Pass.get_dependent_dialects
        and not any(owned_sequences(pass_))
        for pass_ in passes
    )
