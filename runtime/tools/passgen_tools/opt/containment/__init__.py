"""Containment: runs in a child process, whose crash the driver survives.

The driver imports these modules only where a run is contained.

"""

from passgen_tools.opt.containment.part import ContainmentPart

__all__ = ["ContainmentPart"]
