"""Rules about a whole group: the phase between `resolve` and the targets."""

from passgen.checks.arguments import check_shared_arguments
from passgen.checks.group import check, find_form_gaps
from passgen.checks.pipelines import (
    KnownPass,
    known_forms,
    known_passes,
    needed_groups,
)

__all__ = [
    "KnownPass",
    "check",
    "check_shared_arguments",
    "find_form_gaps",
    "known_forms",
    "known_passes",
    "needed_groups",
]
