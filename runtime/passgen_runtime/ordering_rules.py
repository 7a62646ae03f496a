"""Ordering rules: the requirements of a pass on the pipeline around it.

A pass declares its rules; a builder of pipelines checks them:

    class BufferHoisting(OperationPass[PassOptions]):
        argument = "buffer-hoisting"
        tags = ("memref",)
        ordering = (
            after(tag("bufferization")),    # strong: at least one runs earlier
            before_if_present("lower-all"), # soft: if there is any, one runs later
            cleanup("canonicalize", "cse"), # weak: one of them runs later
        )
"""

from passgen_rules.ordering_rules import (
    OrderingRule,
    Partner,
    RuleKind,
    Tag,
    after,
    after_if_present,
    before,
    before_if_present,
    cleanup,
    tag,
)

__all__ = [
    "OrderingRule",
    "Partner",
    "RuleKind",
    "Tag",
    "after",
    "after_if_present",
    "before",
    "before_if_present",
    "cleanup",
    "tag",
]
