"""Reproducers: IR with the pipeline to run on it, in one file.

Implements the external resource `mlir_reproducer` of "Crash and Failure Reproduction"
of MLIR's PassManagement page: written after the IR, read by `--run-reproducer`.

    {-#
      external_resources: {
        mlir_reproducer: {
          pipeline: "builtin.module(func.func(cse))",
          disable_threading: true,
          verify_each: true
        }
      }
    #-}
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial

from passgen_runtime.errors import IRError
from passgen_runtime.instrumentations.file_metadata import (
    MetadataEntry,
    append_external_resources,
    external_resources,
    metadata_error,
)

RESOURCE = "mlir_reproducer"


@dataclass(frozen=True, slots=True)
class Reproducer:
    """The settings of a run that a reproducer stores after its IR."""

    pipeline: str
    disable_threading: bool
    verify_each: bool

    def append_to(self, text: str) -> str:
        """Return a reproducer of the IR in `text`, with a line end.

        Other resources in the text are kept.
        """
        return append_external_resources(text, [(RESOURCE, asdict(self))])


def read_reproducer(text: str, name: str) -> Reproducer | None:
    """Return the reproducer in `text`; `None` if there is none.

    Args:
        text: IR, perhaps followed by resources.
        name: the file name for diagnostics.

    Raises:
        IRError: the resource is damaged.
    """
    for resource in external_resources(text, name):
        if resource.key == RESOURCE:
            return _reproducer(resource, partial(metadata_error, text, name))
    return None


def _reproducer(
    resource: MetadataEntry, error_at: Callable[[int, str], IRError]
) -> Reproducer:
    pipeline: str | None = None
    flags = {"disable_threading": False, "verify_each": True}
    for entry in resource.children:
        key = entry.key
        if key == "pipeline":
            pipeline = entry.string
            if pipeline is None:
                message = "expected string value for key 'pipeline'"
                raise error_at(entry.value_start, message)
        elif key not in flags:
            message = f"unknown '{RESOURCE}' resource key '{key}'"
            raise error_at(entry.start, message)
        elif entry.word not in ("true", "false"):
            message = f"expected 'true' or 'false' value for key '{key}'"
            raise error_at(entry.value_start, message)
        else:
            flags[key] = entry.word == "true"
    if pipeline is None:
        raise error_at(resource.start, f"'{RESOURCE}' has no key 'pipeline'")
    return Reproducer(pipeline, **flags)
