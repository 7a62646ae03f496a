"""Outputs on disk: written, compared, listed, and searched for orphans."""

from passgen.output.depfile import depfile_text, tool_inputs
from passgen.output.files import (
    OutputError,
    OutputFile,
    StaleFile,
    compare,
    json_text,
    write,
)
from passgen.output.orphans import FileRemark, find_remarks, write_outputs

__all__ = [
    "FileRemark",
    "OutputError",
    "OutputFile",
    "StaleFile",
    "compare",
    "depfile_text",
    "find_remarks",
    "json_text",
    "tool_inputs",
    "write",
    "write_outputs",
]
