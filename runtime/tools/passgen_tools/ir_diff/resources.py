"""The resources that operations refer to, below their texts in differences."""

from __future__ import annotations

from passgen_runtime.context import Context, Operation
from passgen_runtime.instrumentations.file_metadata import (
    DIALECT_RESOURCES,
    metadata_text,
)
from passgen_tools.ir_libraries import inspector_of


def resources_not_shown(context: Context, operation: Operation) -> str:
    """Return the resources of an operation if its text does not show them.

    That of an operation inside another one does not, nor any in local scope.
    """
    is_alone = context.parent(operation) is None
    if is_alone and not context.printing_flags.local_scope:
        return ""
    resources = inspector_of(context).resources(operation)
    return metadata_text({DIALECT_RESOURCES: resources})
