"""Declarative rewrites of a `.td` file, imported as patterns by example.

A record of the class `Pattern` is read by steps: its trees (`records`), the operations
and conditions that it matches (`source_reader`), what it creates (`result_reader`), the
types of all of it (`types`), and at last the entries of a spec (`pattern_writer`).
"""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen.rewrites.importer import (
    ImportedRewrites as ImportedRewrites,
    import_rewrites as import_rewrites,
)
from passgen.rewrites.native_code import NativeCode as NativeCode
