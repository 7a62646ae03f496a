"""Outputs on disk: written whole, compared, and found again when they are orphans."""

from passgen.output.files import (
    OutputError,
    OutputFile,
    StaleFile,
    compare,
    json_text,
    write,
)
from passgen.output.orphans import Orphan

__all__ = ["Orphan", "OutputError", "OutputFile", "StaleFile", "json_text"]


__all__ = ["OutputError", "OutputFile", "StaleFile", "compare", "json_text", "write"]
