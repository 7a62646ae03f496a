"""Names in each case, the names that generated Python defines, and reserved names.

`checks` and the Python target use the same functions, so they cannot disagree.
`fooBarIR` is `foo_bar_ir` in Python; pass `Foo` gives `FooPassBase`, `FooOptions`,
`createFoo` and `registerFoo`, which are the names of MLIR's generator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Final

from passgen import resources
from passgen.model import OPTION_TYPES, OPTIONAL_BOOL
from passgen.passgen_rules.ordering_rules import RULE_MEANINGS
from passgen.passgen_rules.pipeline_text import NAME_PATTERN, OPTION_NAME_PATTERN

_WORD: Final = re.compile(
    r"""
      [KMGTPE]iB (?![a-z])      # KiB, MiB: one word although it looks like two
    | [A-Z]{2,}s (?![a-z])      # IDs, CSEs: the plural of an acronym
    | [A-Z]+ (?=[A-Z][a-z])     # the SCF of SCFLoop
    | [A-Z]? [a-z0-9]+          # tile, Size, int32
    | [A-Z]+ [0-9]*             # JSON, O2
    """,
    re.VERBOSE,
)
"""One word of a name; other characters than letters and digits separate words."""

_PASCAL_CASE: Final = re.compile("[A-Z][A-Za-z0-9]*")
_GROUP_NAME: Final = re.compile("[A-Za-z][A-Za-z0-9_]*")

_DIALECT: Final = re.compile("[A-Za-z_][A-Za-z0-9_$]*")
_INTERFACE: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_OPERATION: Final = re.compile(rf"{_DIALECT.pattern}(\.[A-Za-z0-9_$-]+)+")


def is_dialect(name: str) -> bool:
    """Return whether `name` can be the namespace of a dialect."""
    return _DIALECT.fullmatch(name) is not None


def is_interface(name: str) -> bool:
    """Return whether `name` can be the class of an interface, without its scope."""
    return _INTERFACE.fullmatch(name) is not None


def is_operation(name: str) -> bool:
    """Return whether `name` can be the name of an operation, with its dialect."""
    return _OPERATION.fullmatch(name) is not None


def is_pascal_case(name: str) -> bool:
    """Return whether `name` can be the name of a pass."""
    return _PASCAL_CASE.fullmatch(name) is not None


def is_group_name(name: str) -> bool:
    """Return whether `name` can be the name of a group, as the stem of functions."""
    return _GROUP_NAME.fullmatch(name) is not None


def find_by_class(names: Mapping[str, str], class_name: str) -> str | None:
    """Return the name of a C++ class, `None` if there is no or more than one.

    Args:
        names: by qualified classes.
        class_name: the class, whose outer scopes may be left out.
    """
    ending = f"::{class_name.removeprefix('::').removeprefix('mlir::')}"
    found = {
        name
        for qualified, name in names.items()
        if f"::{qualified.removeprefix('::')}".endswith(ending)
    }
    return found.pop() if len(found) == 1 else None


def words(name: str) -> list[str]:
    """Return the words of `name`: `printAsJSON` has `print`, `As` and `JSON`."""
    return _WORD.findall(name)


def snake_case(name: str) -> str:
    """Return a Python attribute: `cacheSizeInKiB` becomes `cache_size_in_kib`."""
    return "_".join(words(name)).lower()


def kebab_case(name: str) -> str:
    """Return an argument, or the name of a tag: `tileSize` becomes `tile-size`."""
    return "-".join(words(name)).lower()


def pass_stem(name: str) -> str:
    """Return the name of a pass without the word `Pass` at its end."""
    return name.removesuffix("Pass") or name


def pass_argument(name: str) -> str:
    """Return the default argument of a pass: `tile-loops` of `TileLoops`."""
    return kebab_case(pass_stem(name))


def pipeline_argument(name: str) -> str:
    """Return the default argument of a pipeline: `lowering` of `LoweringPipeline`."""
    return kebab_case(name.removesuffix("Pipeline") or name)


def pascal_case(name: str) -> str:
    """Return the name of a class: `my-dialect` becomes `MyDialect`.

    Capitals inside a part stay: `printAsJSON` becomes `PrintAsJSON`.
    """
    parts = re.findall(r"[A-Za-z0-9]+", name)
    return "".join(part[0].upper() + part[1:] for part in parts)


def group_name(path: str) -> str:
    """Return the default name of the group in the spec file at `path`.

    `specs/my-dialect.yaml` gives `MyDialect`, a file name without letters and digits
    the empty name. `checks` decides whether the name is valid.
    """
    return pascal_case(PurePath(path).name.split(".")[0])


def options_class(pass_name: str) -> str:
    """Return the options dataclass of a pass: `FooOptions`."""
    return f"{pass_name}Options"


def base_class(pass_name: str) -> str:
    """Return the class that an implementation derives from: `FooPassBase`.

    Pass `FooPass` has `FooPassBase` too: the word `Pass` is not repeated.
    """
    return f"{pass_name.removesuffix('Pass')}PassBase"


def remark_method(remark_name: str) -> str:
    """Return the method that emits a remark: `remark_not_unrolled`."""
    return f"remark_{snake_case(remark_name)}"


def form_constant(form_name: str) -> str:
    """Return the constant that holds a form: `NO_LINALG_FORM` of `noLinalg`."""
    return f"{snake_case(form_name).upper()}_FORM"


def create_function(pass_name: str) -> str:
    """Return the function that makes a pass: `createFoo`."""
    return f"create{pass_name}"


def register_function(pass_name: str) -> str:
    """Return the function that registers a pass: `registerFoo`."""
    return f"register{pass_name}"


def register_group_function(group: str) -> str:
    """Return the function that registers a group: `registerAffinePasses`.

    A group without a name has `registerPasses`, as in MLIR.
    """
    return f"register{group}Passes"


def pipeline_stem(pipeline: str) -> str:
    """Return the stem of the names of a pipeline: `LoweringPipeline`.

    Pipeline `LoweringPipeline` has the same: the word `Pipeline` is not repeated.
    """
    return f"{pipeline.removesuffix('Pipeline')}Pipeline"


def bundle_function(bundle: str) -> str:
    """Return the function that adds a bundle: `addCleanupPasses` of `cleanup`."""
    return f"add{pascal_case(bundle)}Passes"


def build_pipeline_function(pipeline: str) -> str:
    """Return the function that adds a pipeline: `buildLoweringPipeline`."""
    return f"build{pipeline_stem(pipeline)}"


def register_pipelines_function(group: str) -> str:
    """Return the function that registers all of a group: `registerAffinePipelines`."""
    return f"register{group}Pipelines"


def enum_class(pass_name: str, option_name: str) -> str:
    """Return the Python enum of an option without `enumName` in the spec."""
    return pass_name + pascal_case(option_name)


def enum_member(value: str) -> str:
    """Return the member of a Python enum for `value`.

    It is empty if `value` has no letter or digit, which `checks` refuses.
    """
    member = snake_case(value).upper()
    return f"VALUE_{member}" if member[:1].isdigit() else member


_RESERVED: Final = resources.reserved_names()

PASS_MEMBERS: Final = _RESERVED["passMembers"]
"""Members of `OperationPass` and `InterfacePass`: no statistic may have such a name."""

ARGUMENT_PATTERN: Final = f"(?!-){NAME_PATTERN}"
"""The arguments of passes in specs: names in pipelines that are no flags."""

OPTION_ARGUMENT_PATTERN: Final = f"(?!-){OPTION_NAME_PATTERN}"
"""The arguments of options in specs."""

ARGUMENTS: Final = frozenset({"any"})
"""Arguments that the runtime refuses: in textual pipelines they are anchors."""

OPTIONS_MEMBERS: Final = _RESERVED["optionsMembers"]
"""Members of `PassOptions`: no option may have such a name."""

CPP_MEMBERS: Final = _RESERVED["cppMembers"]
"""Functions of the C++ class of a pass: options and statistics may clash with them."""

CPP_PIPELINE_MEMBERS: Final = _RESERVED["cppPipelineMembers"]
"""Members of a pipeline's options in C++ that generated code uses."""

CPP_MACROS: Final = _RESERVED["cppMacros"]
"""Macros of C's headers and of compilers, except those with parameters."""

CPP_NO_NAMES: Final = _RESERVED["cppKeywords"] | CPP_MACROS
"""What no variable can be called in C++."""

STATISTIC_SCOPE: Final = frozenset({"statistic"})
"""The names that the body of a generated pass class uses after its first statistic."""

PATTERN_SCOPE: Final = _RESERVED["patternScope"]
"""The same of a pass with patterns, and the members that only such a class has."""

REMARK_SCOPE: Final = _RESERVED["remarkScope"]
"""The same of a pass with remarks."""

RESERVED_FIELDS: Final = frozenset({"advice", "operation", "self"})
"""The names that no field of a remark may have."""

OPTION_SCOPE: Final = _RESERVED["optionScope"]
"""The names that the body of a generated options class uses after its first option."""

IMPORTS: Final = _RESERVED["imports"].union(
    (row.python_option_type for row in (*OPTION_TYPES.values(), OPTIONAL_BOOL)),
    map(snake_case, RULE_MEANINGS),
)
"""The names that a generated file may import."""
