"""Rules about a whole group: the phase between `resolve` and the targets."""

from passgen.checks.group import check
from passgen.checks.pipelines import needed_groups

__all__ = ["check", "needed_groups"]
