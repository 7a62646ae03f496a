"""A `.td` file, or a dump of one: its records, and its passes as a spec."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen.tablegen.dump import Dump as Dump
from passgen.tablegen.dump_json import (
    JsonDump as JsonDump,
    JsonRecord as JsonRecord,
    is_text as is_text,
    read_dump_text as read_dump_text,
    reference_of as reference_of,
)
from passgen.tablegen.files import read_dump as read_dump, read_json as read_json
from passgen.tablegen.importer import (
    ImportedGroup as ImportedGroup,
    import_dump as import_dump,
    is_imported as is_imported,
    read_group as read_group,
)
from passgen.tablegen.tool import TOOL as TOOL, TablegenError as TablegenError
