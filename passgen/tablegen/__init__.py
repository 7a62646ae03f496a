"""The passes of a `.td` file, or of the dump of one, and their import as a spec."""

from passgen.tablegen.dump import Dump
from passgen.tablegen.files import read_dump
from passgen.tablegen.importer import (
    ImportedGroup,
    import_dump,
    is_imported,
    read_group,
)
from passgen.tablegen.tool import TOOL, TablegenError

__all__ = [
    "TOOL",
    "Dump",
    "ImportedGroup",
    "TablegenError",
    "import_dump",
    "is_imported",
    "read_dump",
    "read_group",
]
