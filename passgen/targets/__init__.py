"""The targets of passgen, and the values that their templates need."""

from passgen.targets.lines import Line, Listing
from passgen.targets.origin import Origin, origin_of, portable_path
from passgen.targets.table import (
    DEFAULT_TARGETS,
    TARGETS,
    Target,
    TargetError,
    chosen_targets,
    user_targets,
)

__all__ = [
    "DEFAULT_TARGETS",
    "TARGETS",
    "Line",
    "Listing",
    "Origin",
    "Target",
    "TargetError",
    "chosen_targets",
    "origin_of",
    "portable_path",
    "user_targets",
]
