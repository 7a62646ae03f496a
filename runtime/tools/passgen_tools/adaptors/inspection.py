"""Inspection: queries of audit and record about operations of any IR library."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from passgen_runtime.context import Context, Operation
from passgen_runtime.ir.digests import Resources
from passgen_runtime.operation_pass import Pass
from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools.adaptors.pattern_checks import PatternChecks


class Inspector:
    """Looks at operations of one context; an IR library may know more, or be faster."""

    has_lasting_objects = True
    """Whether operations are the same objects whenever they are looked at."""

    def __init__(self, context: Context) -> None:
        """Look at operations of `context`."""
        self.context = context

    def is_native(self, _pass: Pass) -> bool:
        """Return whether the IR library runs a pass itself, in this process alone."""
        return False

    def pattern_checks(self) -> PatternChecks | None:
        """Return new checks around patterns; `None` if the library shows none."""
        return None

    def snapshot(self, operation: Operation) -> object:
        """Return an object that equals a later one while `operation` stays as it is.

        It counts everything that is printed, and holds in this process only.
        """
        return self.context.fingerprint(operation)

    def first_difference(self, one: Operation, other: Operation) -> Operation | None:
        """Return the first operation of `one` that `other` has not; locations aside.

        It may be `one` itself where the library does not say more.
        """
        fingerprints = (
            self.context.fingerprint(each, with_locations=False)
            for each in (one, other)
        )
        return one if len(set(fingerprints)) > 1 else None

    def shallow_fingerprint(self, operation: Operation) -> bytes | None:
        """Return a digest of `operation` without its regions; `None` if none is known.

        Operands and successors may count by identity: it holds in this process only.
        By default, it is known where the printer of the context can skip regions.
        """
        context, flags = self.context, PrintingFlags(debug_info=True)
        try:
            text = context.print(
                operation, generic=True, flags=replace(flags, skip_regions=True)
            )
        except NotImplementedError:
            return None
        has_skipped = not context.children(operation) or text != context.print(
            operation, generic=True, flags=flags
        )
        if not has_skipped:
            return None
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
        """Return the dialects that operations in `operation`, and itself, are named by.

        Those of types and attributes too, where the IR library tells.
        """
        dialect, dot, _ = self.context.name(operation).partition(".")
        dialects = {dialect} if dot else set()
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
