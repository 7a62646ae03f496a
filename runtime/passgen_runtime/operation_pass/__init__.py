"""Passes: their declarations, their state, and the state of their runs."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_runtime.operation_pass.configuration import (
    PassConfiguration as PassConfiguration,
    attributes_of as attributes_of,
)
from passgen_runtime.operation_pass.operation_pass import (
    RUN_ATTRIBUTES as RUN_ATTRIBUTES,
    InterfacePass as InterfacePass,
    OperationPass as OperationPass,
    Pass as Pass,
    PassExecutionState as PassExecutionState,
    bind_all as bind_all,
    initialization_of as initialization_of,
    initialize_pass as initialize_pass,
    misspelt_method_notes as misspelt_method_notes,
    unbind_all as unbind_all,
)
from passgen_runtime.operation_pass.ownership import (
    PassSequence as PassSequence,
    owned_sequences as owned_sequences,
)
from passgen_runtime.operation_pass.pass_declaration import (
    description_of as description_of,
    outside_access_by as outside_access_by,
    outside_access_of as outside_access_of,
)
