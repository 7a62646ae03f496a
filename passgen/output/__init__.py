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
from passgen.output.orphans import (
    Remark,
    damaged_manifests,
    find_orphans,
    write_outputs,
)

__all__ = [
    "OutputError",
    "OutputFile",
    "Remark",
    "StaleFile",
    "compare",
    "damaged_manifests",
    "depfile_text",
    "find_orphans",
    "json_text",
    "tool_inputs",
    "write",
    "write_outputs",
]
