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

from dataclasses import dataclass

from passgen_runtime.errors import IRError
from passgen_runtime.instrumentations.file_metadata import (
    MetadataEntry,
    append_external_resource,
    external_resources,
    metadata_error,
)

RESOURCE = "mlir_reproducer"

_MODULE = "builtin.module"


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
        values: dict[str, str | bool] = {
            "pipeline": self.pipeline,
            "disable_threading": self.disable_threading,
            "verify_each": self.verify_each,
        }
        return append_external_resource(text, RESOURCE, values)


def read_reproducer(text: str, name: str) -> Reproducer | None:
    """Return the reproducer in `text`; `None` if there is none.

    Args:
        text: IR, perhaps followed by resources.
        name: the file name for diagnostics.

    Raises:
        IRError: the resource is damaged.
    """
    found = _Values(text, name)
    for resource in external_resources(text, name):
        if resource.key == RESOURCE:
            for entry in resource.children:
                found.add(entry)
            return found.reproducer(resource)
    return None


class _Values:
    """The values of a reproducer's keys, checked one by one."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._pipeline: str | None = None
        self._flags = {"disable_threading": False, "verify_each": True}

    def add(self, entry: MetadataEntry) -> None:
        if entry.key == "pipeline":
            if entry.string is None:
                raise self._error(
                    entry.value_start, "expected string value for key 'pipeline'"
                )
            self._pipeline = entry.string
        elif entry.key in self._flags:
            if entry.word not in ("true", "false"):
                raise self._error(
                    entry.value_start,
                    f"expected 'true' or 'false' value for key '{entry.key}'",
                )
            self._flags[entry.key] = entry.word == "true"
        else:
            message = f"unknown '{RESOURCE}' resource key '{entry.key}'"
            raise self._error(entry.start, message)

    def reproducer(self, resource: MetadataEntry) -> Reproducer:
        if self._pipeline is None:
            message = f"'{RESOURCE}' has no key 'pipeline'"
            raise self._error(resource.start, message)
        return Reproducer(self._pipeline, **self._flags)

    def _error(self, position: int, message: str) -> IRError:
        return metadata_error(self._text, self._name, position, message)
