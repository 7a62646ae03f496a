"""Specs as they were at a git revision, through the command `git`."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen.findings.git.groups import read_group_at as read_group_at
from passgen.findings.git.versions import (
    Versions as Versions,
    versions_since as versions_since,
)
