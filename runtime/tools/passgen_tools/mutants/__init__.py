"""Mutants of what specs declare: does a test notice if it is declared otherwise?"""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_tools.mutants.mutant import (
    Mutant as Mutant,
    mutants_of as mutants_of,
    unread_patterns as unread_patterns,
)
from passgen_tools.mutants.mutant_results import (
    MutantResult as MutantResult,
    MutantVerdict as MutantVerdict,
    is_equivalent as is_equivalent,
    result_lines as result_lines,
    share_noticed as share_noticed,
)
from passgen_tools.mutants.mutated_runs import MutantName as MutantName
