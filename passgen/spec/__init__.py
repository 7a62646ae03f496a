"""Specs as files: read, judged by the schema, resolved to the model, and written."""

from passgen.spec.files import STDIN, UnreadableError
from passgen.spec.includes import Reader
from passgen.spec.located import shortened, text_at
from passgen.spec.schema import PartError
from passgen.spec.writer import Alias, Data, Note, Shared, write
from passgen.spec.yaml_scalars import MAX_NUMBER_LENGTH, scalar_value

__all__ = [
    "MAX_NUMBER_LENGTH",
    "STDIN",
    "Alias",
    "Data",
    "Note",
    "PartError",
    "Reader",
    "Shared",
    "UnreadableError",
    "scalar_value",
    "shortened",
    "text_at",
    "write",
]
