"""Coverage of passes: what tests reach of the items that passes declare.

The items are patterns, values of options, remarks and forms. Counts are made by an
instrumentation, and summed over tests, processes and IR libraries.
"""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_tools.coverage.coverage_data import (
    CoverageData as CoverageData,
    DeclaredPass as DeclaredPass,
    Event as Event,
    Item as Item,
    ItemTests as ItemTests,
    PassKey as PassKey,
    THE_PASS as THE_PASS,
)
from passgen_tools.coverage.declarations import (
    declared_passes as declared_passes,
    declaring_classes as declaring_classes,
    key_of as key_of,
)
from passgen_tools.coverage.observation import watching_passes as watching_passes
from passgen_tools.coverage.other_processes import (
    counting_in_program as counting_in_program,
    read_counts as read_counts,
)
from passgen_tools.coverage.page import coverage_page as coverage_page
from passgen_tools.coverage.summary import (
    CoverageSummary as CoverageSummary,
    ItemCoverage as ItemCoverage,
    PassCoverage as PassCoverage,
    is_of_project as is_of_project,
    is_of_source as is_of_source,
    summarize as summarize,
)
from passgen_tools.coverage.text import (
    coverage_lines as coverage_lines,
    total_line as total_line,
)
