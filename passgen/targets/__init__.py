"""The targets of passgen, and the values that their templates need."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen.targets.origin import (
    Origin as Origin,
    origin_of as origin_of,
    portable_path as portable_path,
)
from passgen.targets.table import (
    DEFAULT_TARGETS as DEFAULT_TARGETS,
    TARGETS as TARGETS,
    Target as Target,
    TargetError as TargetError,
    chosen_targets as chosen_targets,
    user_targets as user_targets,
)
