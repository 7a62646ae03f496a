"""Spec files: parsed, validated, resolved to the model, formatted and written."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen.spec.files import (
    UnreadableError as UnreadableError,
    mistakes as mistakes,
    read as read,
    read_data as read_data,
    read_source as read_source,
)
from passgen.spec.format import layout as layout
from passgen.spec.includes import Reader as Reader, is_spec as is_spec
from passgen.spec.loader import decode as decode, load as load
from passgen.spec.located import (
    Entry as Entry,
    Mapping as Mapping,
    Node as Node,
    Scalar as Scalar,
    Sequence as Sequence,
    describe as describe,
    shorten as shorten,
    text_at as text_at,
)
from passgen.spec.schema import PartError as PartError, SchemaError as SchemaError
from passgen.spec.writer import (
    Alias as Alias,
    Commented as Commented,
    Data as Data,
    Shared as Shared,
    write as write,
    yaml_scalar as yaml_scalar,
)
from passgen.spec.yaml_scalars import (
    MAX_NUMBER_LENGTH as MAX_NUMBER_LENGTH,
    scalar_value as scalar_value,
)
