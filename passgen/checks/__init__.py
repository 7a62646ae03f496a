"""Rules about a whole group: the phase between `resolve` and the targets."""

from passgen.checks.group import check
from passgen.checks.pipelines import KnownPass, known_passes, needed_groups

__all__ = ["KnownPass", "check", "known_passes", "needed_groups"]
