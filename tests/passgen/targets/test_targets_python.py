from __future__ import annotations

import pytest

from passgen.model.group import Option, PassGroup
from passgen.targets import DEFAULT_TARGETS, TARGETS
from passgen.targets.origin import Origin
from passgen.targets.python import Module, docstring, values
from tests.model_groups import group, interface, operation, option, pass_, statistic


def module(made: PassGroup) -> Module:
    result = values(made, Origin("a.yaml", "passgen a.yaml"))["module"]
    assert isinstance(result, Module)
    return result


def imported(*options: Option) -> list[str]:
    made = module(group(pass_("A", "a", options=options)))
    return [
        f"{import_.module}: {', '.join(import_.names)} {import_.alias}".strip()
        for section in made.imports
        for import_ in section
    ]


ALWAYS = "PassRegistry, create_pass"


@pytest.mark.parametrize(
    ("summary", "description", "text"),
    [
        ("Unroll loops", "", "Unroll loops."),
        ("Unroll loops?", "", "Unroll loops?"),
        ("Unroll loops.", "All.\n\nOf them.", "Unroll loops.\n\nAll.\n\nOf them."),
        ("", "All.", "All."),
        ("", "", ""),
    ],
)
def test_docstring(summary: str, description: str, text: str) -> None:
    assert docstring(summary, description) == text


def test_imports_of_a_pass_without_options() -> None:
    assert imported() == [
        f"passgen_runtime: OperationPass, PassOptions, {ALWAYS}, register_pass"
    ]


def test_imports_are_those_in_use_in_order() -> None:
    options = (
        option("a", "a", "uint32"),
        option("b", "b", "int8"),
        option("c", "c", "int16", is_list=True),
        option("d", "d", "pipeline"),
        option("e", "e", "enum", enum_name="AE", values=(("x", ""),)),
        option("f", "f", "foreign", python="my.types:SHAPE"),
    )

    runtime = (
        "INT8, INT16, PIPELINE, UINT32, OperationPass, PassOptions, PassRegistry, "
        "TextualPipeline, create_pass, enum_type, list_option, option, register_pass"
    )
    assert imported(*options) == [
        "dataclasses: dataclass",
        "enum: StrEnum",
        "typing: Any",
        f"passgen_runtime: {runtime}",
        "my.types: SHAPE",
    ]


def test_imports_of_statistics_and_interfaces() -> None:
    counting = pass_("A", "a", statistics=(statistic("n", "n"),))
    anchored = pass_("B", "b", anchor=interface("LoopLike"))

    ((only,),) = module(group(counting, anchored)).imports
    assert only.names == (
        "InterfacePass", "OperationPass", "PassOptions", "PassRegistry", "create_pass",
        "register_pass", "statistic",
    )  # fmt: skip


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

    assert imported(*options)[3:] == imports


@pytest.mark.parametrize(
    ("given", "type_", "default"),
    [
        (option("a", "a", "bool", default=True), "bool", True),
        (option("a", "a", "double", default=1), "float", 1.0),
        (option("a", "a", "uint8", default=1), "int", 1),
        (option("a", "a", "pipeline", default="cse"), "TextualPipeline", "cse"),
        (option("a", "a", "foreign", default="x", python="m:T"), "Any", "x"),
        (option("a", "a", "string"), "str", None),
    ],
)
def test_field(given: Option, type_: str, default: object) -> None:
    (made,) = module(group(pass_("A", "a", options=(given,)))).passes
    (options,) = made.own_options
    (field,) = options.fields

    assert (field.type, field.default, type(field.default)) == (
        type_,
        default,
        type(default),
    )
    assert field.has_default == (default is not None)


def test_an_enum_that_options_share_is_made_once() -> None:
    def user(name: str) -> Option:
        values_ = (("low", "Little."), ("2d", ""))
        return option(
            name, name, "enum", enum_name="Effort", values=values_, default="2d"
        )

    made = module(
        group(
            pass_("A", "a", options=(user("x"),)), pass_("B", "b", options=(user("y"),))
        )
    )

    (enum,) = made.enums
    assert (enum.name, enum.is_shared) == ("Effort", True)
    assert [(each.option, each.owner) for each in enum.users] == [
        ("x", "a"),
        ("y", "b"),
    ]
    assert [(each.name, each.description) for each in enum.members] == [
        ("LOW", "Little."),
        ("VALUE_2D", ""),
    ]
    assert [each.own_options[0].fields[0].default_member for each in made.passes] == [
        "VALUE_2D"
    ] * 2


def test_anchor_and_interface_exclude_each_other() -> None:
    made = module(
        group(
            pass_("A", "a", anchor=operation("func.func")),
            pass_("B", "b", anchor=interface("LoopLike")),
            pass_("C", "c"),
        )
    )

    assert [
        (each.runtime_class, each.anchor, each.interface) for each in made.passes
    ] == [
        ("OperationPass", "func.func", ""),
        ("InterfacePass", "", "LoopLike"),
        ("OperationPass", "", ""),
    ]


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("Affine", ["affine_passes.py", "affine_passes.md"]),
        ("SCFLoops", ["scf_loops_passes.py", "scf_loops_passes.md"]),
    ],
)
def test_file_names(name: str, files: list[str]) -> None:
    made = group(name=name)

    assert [TARGETS[target].file_name(made) for target in DEFAULT_TARGETS] == files
