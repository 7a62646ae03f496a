"""Containment: runs in a process that may end, whose parent goes on.

What a process needs that is contained, or contains one, is imported there.
"""

from passgen_runtime.opt.containment.part import ContainmentPart

__all__ = ["ContainmentPart"]
