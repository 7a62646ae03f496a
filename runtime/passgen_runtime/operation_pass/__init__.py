"""Passes: their declarations, their state, and the state of their runs."""

from passgen_runtime.operation_pass.operation_pass import (
    RUN_ATTRIBUTES,
    InterfacePass,
    OperationPass,
    Pass,
    PassExecutionState,
    are_initialized,
    bind_all,
    description_of,
    mark_initialized,
    outside_access_of,
    unbind_all,
)
from passgen_runtime.operation_pass.ownership import PassSequence, owned_sequences

__all__ = [
    "RUN_ATTRIBUTES",
    "InterfacePass",
    "OperationPass",
    "Pass",
    "PassExecutionState",
    "PassSequence",
    "are_initialized",
    "bind_all",
    "description_of",
    "mark_initialized",
    "outside_access_of",
    "owned_sequences",
    "unbind_all",
]
