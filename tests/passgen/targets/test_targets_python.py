"""What the Python target decides beyond the cases in `golden/`."""

from __future__ import annotations

import importlib

import pytest
from xdsl.traits import IsolatedFromAbove

import passgen_runtime
from passgen.model import IR_LIBRARIES, OPTION_TYPES, PassGroup
from passgen.targets.python import PythonModule, values
from tests.model_groups import group, option, pass_


def module(made: PassGroup) -> PythonModule:
    result = values(made)["module"]
    assert isinstance(result, PythonModule)
    return result


@pytest.mark.parametrize(
    ("types", "imports"),
    [
        (("b.c:T", "a:T"), ["a: T", "b.c: T B_C_T"]),
        (("a:PassOptions",), ["a: PassOptions a_PassOptions"]),
        (("a:AOptions",), ["a: AOptions a_AOptions"]),
        (("a:x0",), ["a: x0 a_x0"]),
        (("a:dataclass",), ["a: dataclass a_dataclass"]),
        (("a:Z", "a:Y", "a:Z"), ["a: Y, Z"]),
    ],
)
def test_foreign_types_never_hide_another_name(
    types: tuple[str, ...], imports: list[str]
) -> None:
    options = [
        option(f"x{index}", f"x{index}", "foreign", python=type_)
        for index, type_ in enumerate(types)
    ]

    *_, foreign = module(group(pass_("A", "a", options=options))).imports

    assert imports == [
        f"{each.module}: {', '.join(each.names)} {each.alias}".strip()
        for each in foreign
    ]


def test_types_of_options_are_those_that_the_runtime_exports() -> None:
    rows = [row for row in OPTION_TYPES.values() if row.name != "enum"]
    exported = [getattr(passgen_runtime, row.python_option_type) for row in rows]

    assert [each.name for each in exported] == [row.name for row in rows]
    assert hasattr(passgen_runtime, OPTION_TYPES["enum"].python_option_type)


@pytest.mark.parametrize(
    ("operation", "python"), [*IR_LIBRARIES["xdsl"].classes.items()]
)
def test_types_of_operations_are_classes_of_xdsl(operation: str, python: str) -> None:
    module_, _, name = python.partition(":")

    class_ = getattr(importlib.import_module(module_), name)

    assert class_.name == operation
    assert class_.has_trait(IsolatedFromAbove)
