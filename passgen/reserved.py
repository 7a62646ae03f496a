"""Names that a spec cannot give away, because generated Python or pipelines have them.

A spec is refused for one of these, rather than turned into code that fails on import
or, worse, hides a member of the runtime. A test compares the members with those of the
runtime.
"""

from __future__ import annotations

from typing import Final

PASS_MEMBERS: Final = frozenset(
    {
        "anchor",
        "argument",
        "bind",
        "can_schedule_on",
        "check_options",
        "clone",
        "constructor",
        "context",
        "declared_in",
        "dependent_dialects",
        "description",
        "dynamic_pipelines",
        "emit_error",
        "emit_remark",
        "emit_warning",
        "fused_by",
        "get_analysis",
        "get_cached_analysis",
        "get_cached_child_analysis",
        "get_cached_parent_analysis",
        "get_child_analysis",
        "get_dependent_dialects",
        "initialize",
        "is_bound",
        "interface",
        "mark_all_analyses_preserved",
        "mark_analyses_preserved",
        "name",
        "operation",
        "options",
        "options_class",
        "ordering",
        "preserved_analyses",
        "provided_analyses",
        "required_analyses",
        "run_on_operation",
        "run_pipeline",
        "signal_pass_failure",
        "state",
        "summary",
        "tags",
    }
)
"""Members of `OperationPass` and `InterfacePass`, where statistics are members too."""

ARGUMENTS: Final = frozenset({"any"})
"""Anchors of textual pipelines, which the runtime registers no pass or pipeline as."""

OPTIONS_MEMBERS: Final = frozenset(
    {
        "declared",
        "described",
        "from_textual",
        "is_mutable_inside",
        "option_info",
        "parse",
    }
)
"""Members of `PassOptions`, where options are members too."""

CPP_MEMBERS: Final = frozenset(
    {
        *("classof", "clonePass", "getArgument", "getArgumentName"),
        *("getDependentDialects", "getDescription", "getName", "getPassName"),
    }
)
"""Functions of the class that `mlir-tblgen` generates, which options are members of."""

STATISTIC_SCOPE: Final = frozenset({"statistic"})
"""What the body of a generated pass class calls after its first statistic."""

OPTION_SCOPE: Final = frozenset(
    {"bool", "enum_type", "float", "int", "list", "list_option", "option", "str"}
)
"""What the body of a generated options class names after its first option."""

IMPORTS: Final = frozenset(
    {
        *("TYPE_CHECKING", "Any", "StrEnum", "dataclass"),
        *("BOOL", "DOUBLE", "FLOAT", "INT8", "INT16", "INT32", "INT64"),
        *("PIPELINE", "STRING", "UINT8", "UINT16", "UINT32", "UINT64"),
        *("InterfacePass", "OperationPass", "PassOptions", "PassRegistry"),
        *("PassManagerBuilder", "TextualPipeline"),
        *("create_pass", "enum_type", "list_option", "option", "register_pass"),
        *("register_pipeline_builder", "statistic"),
        *("ALL_ANALYSES", "after", "after_if_present", "analysis", "before"),
        *("before_if_present", "cleanup", "tag"),
    }
)
"""What a generated file may import."""
