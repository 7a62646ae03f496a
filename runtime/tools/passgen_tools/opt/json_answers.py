"""The answers to `--list-passes` and `--help-pass` as JSON, for programs.

The keys are those of `passgen list --json`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from passgen_runtime.operation_pass import Pass, description_of
from passgen_runtime.pass_options import OptionInfo, PassOptions
from passgen_runtime.pass_registry import (
    PassEntry,
    PassRegistry,
    PipelineEntry,
    RegistryEntry,
    has_implementation,
)
from passgen_runtime.pass_statistics import statistic
from passgen_runtime.remarks import declared_remarks
from passgen_tools.json_output import json_text

Json: TypeAlias = dict[str, Any]


def passes_json(registry: PassRegistry) -> str:
    """Return the passes and pass pipelines of `registry`, with name and summary."""
    return json_text(
        {
            "passes": [_head(entry) for entry in registry.passes()],
            "pipelines": [_head(entry) for entry in registry.pipelines()],
        }
    )


def entry_json(entry: RegistryEntry | PipelineEntry) -> str:
    """Return all facts about a pass or a pass pipeline for those who run it."""
    options = _options(entry.options_class)
    if isinstance(entry, PipelineEntry):
        return json_text(
            {**_head(entry), "options": options, "definedBy": entry.origin}
        )
    pass_class = entry.pass_class
    anchor, interface = pass_class.anchor, pass_class.interface
    place = entry.implementation if isinstance(entry, PassEntry) else entry.origin
    remarks = [
        {
            "name": remark.name,
            "kind": remark.kind,
            "message": remark.message,
            "advice": remark.advice,
        }
        for remark in declared_remarks(pass_class)
    ]
    return json_text(
        {
            **_head(entry),
            "description": description_of(pass_class),
            **({"anchor": anchor} if anchor else {}),
            **({"interface": interface} if interface else {}),
            "tags": list(pass_class.tags),
            "dependentDialects": list(pass_class.dependent_dialects),
            "ordering": [str(rule) for rule in pass_class.ordering],
            "options": options,
            "statistics": _statistics(pass_class),
            "remarks": remarks,
            "definedBy": str(place),
        }
    )


def _head(entry: RegistryEntry | PipelineEntry) -> Json:
    head: Json = {"argument": entry.argument, "summary": entry.summary}
    if isinstance(entry, PassEntry):
        head["deprecated"] = entry.pass_class.deprecated or ""
        head["isImplemented"] = has_implementation(entry.pass_class)
    return {key: value for key, value in head.items() if value != ""}


def _options(options_class: type[PassOptions]) -> list[Json]:
    return [_option(info) for info in options_class.documented_options()]


def _option(info: OptionInfo) -> Json:
    """Return an option; its default is spelled as in a pipeline."""
    found: Json = {
        "argument": info.argument,
        "listOf" if info.is_list else "type": info.type.name,
    }
    if info.type.choices:
        found["values"] = list(info.type.choices)
    if info.is_required:
        found["required"] = True
    elif info.cpp_default:
        found["cppDefault"] = info.cpp_default
    elif info.default is not None:
        found["default"] = info.print(info.default)
    found["description"] = info.description.strip()
    if info.deprecated:
        found["deprecated"] = info.deprecated
    return found


def _statistics(pass_class: type[Pass]) -> list[Json]:
    return [
        {"displayName": member.display_name, "description": member.description}
        for cls in reversed(pass_class.__mro__)
        for member in vars(cls).values()
        if isinstance(member, statistic) and cls is not Pass
    ]
