"""The passes or rewrites of a `.td` file, or of a dump of one, imported as a spec."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen.tablegen.dump import Dump as Dump
from passgen.tablegen.files import read_dump as read_dump, read_json as read_json
from passgen.tablegen.importer import (
    ImportedGroup as ImportedGroup,
    import_dump as import_dump,
    is_imported as is_imported,
    read_group as read_group,
)
from passgen.tablegen.rewrites import (
    NativeCode as NativeCode,
    import_rewrites as import_rewrites,
)
from passgen.tablegen.tool import TOOL as TOOL, TablegenError as TablegenError
