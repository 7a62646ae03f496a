"""Outputs on disk: written, compared, listed, and searched for orphans."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen.output.depfile import (
    depfile_text as depfile_text,
    tool_inputs as tool_inputs,
)
from passgen.output.files import (
    OutputError as OutputError,
    OutputFile as OutputFile,
    StaleFile as StaleFile,
    compare as compare,
    json_text as json_text,
    write as write,
)
from passgen.output.orphans import (
    FileRemark as FileRemark,
    find_remarks as find_remarks,
    write_outputs as write_outputs,
)
