"""Inspection: queries of audit and record about operations of any IR library."""

from __future__ import annotations

from collections.abc import Hashable

from passgen_runtime.context import Context, Operation
from passgen_runtime.ir.digests import Resources
from passgen_runtime.operation_pass import Pass
from passgen_runtime.printing_flags import PrintingFlags


class Inspector:
    """Looks at operations of one context; an IR library may know more, or be faster."""

    can_be_audited = True
    """Whether operations are the same objects, and hash alike, whenever looked at."""

    def __init__(self, context: Context) -> None:
        """Look at operations of `context`."""
        self.context = context

    def is_native(self, _pass: Pass) -> bool:
        """Return whether the IR library runs a pass itself, in this process alone."""
        return False

    def snapshot(self, operation: Operation) -> object:
        """Return an object that equals a later one while `operation` stays as it is.

        It counts everything that is printed, and holds in this process only.
        """
        return self.context.fingerprint(operation)

    def shallow_fingerprint(self, operation: Operation) -> bytes:
        """Return a digest of `operation` without its regions.

        Operands and successors may count by identity: it holds in this process only.
        """
        flags = PrintingFlags(debug_info=True, skip_regions=True)
        text = self.context.print(operation, generic=True, flags=flags)
        resources = self.resources(operation, recursive=False)
        return f"{text}\0{sorted(resources.items())}".encode()

    def resources(self, operation: Operation, *, recursive: bool = True) -> Resources:
        """Return the resources that `operation` refers to and that have a content.

        The text of an operation inside another one has only their keys.

        Args:
            operation: the operation.
            recursive: whether the operations inside it count.
        """
        del operation, recursive
        return {}

    def frame(self, operation: Operation) -> Hashable:
        """Return the parts of its operation that a pass must leave unchanged.

        These are its operands, results, successors and parent; its attributes, location
        and regions may change.
        """
        context = self.context
        parent = context.parent(operation)
        return context.name(operation), None if parent is None else context.key(parent)

    def used_dialects(self, operation: Operation) -> set[str]:
        """Return the dialects of the operations in `operation`, and itself.

        Those of types and attributes too, where the IR library tells.
        """
        dialects = {self.context.name(operation).partition(".")[0]}
        for child in self.context.children(operation):
            dialects |= self.used_dialects(child)
        return dialects

    def first_operations(self, operation: Operation) -> dict[str, Operation]:
        """Return the first operation of each name in `operation`, and itself."""
        context = self.context
        first: dict[str, Operation] = {}
        pending = [operation]
        while pending:
            inner = pending.pop()
            first.setdefault(context.name(inner), inner)
            pending += reversed(context.children(inner))
        return first
