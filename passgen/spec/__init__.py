"""Spec files: parsed, validated, resolved to the model, formatted and written."""

from passgen.spec.files import (
    STDIN,
    UnreadableError,
    mistakes,
    read,
    read_data,
    read_source,
)
from passgen.spec.format import layout
from passgen.spec.includes import Reader
from passgen.spec.loader import decode
from passgen.spec.located import (
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    shorten,
    text_at,
)
from passgen.spec.schema import PartError
from passgen.spec.writer import Alias, Commented, Data, Shared, write, yaml_scalar
from passgen.spec.yaml_scalars import MAX_NUMBER_LENGTH, scalar_value

__all__ = [
    "MAX_NUMBER_LENGTH",
    "STDIN",
    "Alias",
    "Commented",
    "Data",
    "Entry",
    "Mapping",
    "Node",
    "PartError",
    "Reader",
    "Scalar",
    "Sequence",
    "Shared",
    "UnreadableError",
    "decode",
    "layout",
    "mistakes",
    "read",
    "read_data",
    "read_source",
    "scalar_value",
    "shorten",
    "text_at",
    "write",
    "yaml_scalar",
]
