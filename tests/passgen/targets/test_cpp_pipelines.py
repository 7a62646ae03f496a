"""What pipelines in C++ cannot say is an error at its place; other targets ignore it."""

from __future__ import annotations

import pytest

from passgen.diagnostics import SpecError
from passgen.generation import Options, generate
from passgen.source import SourceFile

SPEC = """\
name: Group
externalPasses: [cse, {argument: sccp, cpp: {constructor: mlir::createSCCPPass()}}]
passes:
  Tile:
    argument: tile
    summary: Tile
    options:
      - {name: mode, argument: mode, type: enum, values: [fast, slow], default: fast}
      - {name: foreign, argument: foreign, type: {cpp: "my::Type"}}
      - {name: size, argument: size, type: int64}
      - {name: sizes, argument: sizes, listOf: int64, default: [4, 4]}
pipelines:
  Lower:
    argument: lower
    summary: Lower
"""


def text_of(pipeline: str, *others: str) -> str:
    """Return the C++ of a spec with a pipeline that has these further lines."""
    lines = "".join(f"    {line}\n" for line in pipeline.splitlines())
    sources = [SourceFile("group.yaml", SPEC + lines)]
    sources += [SourceFile("other.yaml", other) for other in others]
    return generate(sources, Options(targets=("cpp",))).files[0].text


XDSL = "ir: xdsl\npasses: {Mine: {argument: mine, summary: Mine}}\n"

WRONG = {
    "elements: [tile, mine]": (
        "16:22: error: pass 'mine' of pipeline 'lower' in C++: it is for xDSL's IR"
    ),
    "elements: [{pass: cse, options: {a: 'x{'}}]": (
        "16:41: error: option 'a' of pipeline 'lower' in C++: MLIR reads no such value"
    ),
    "options: [{name: a, argument: a, listOf: bool}]\n"
    "elements: [{pass: cse, options: {a: {option: a}}}]": (
        "16:46: error: option 'a' of pipeline 'lower' in C++: MLIR reads no list of bool"
    ),
    "options: [{name: a, argument: a, type: {cpp: 'my::Type'}}]\n"
    "elements: [{pass: cse, options: {a: {option: a}}}]": (
        "17:50: error: option 'a' of pipeline 'lower' in C++: MLIR has no text of its"
    ),
    "options: [{name: a, argument: a, listOf: string, default: [b, '']}]\n"
    "elements: [{pass: cse, options: {a: {option: a}}}]": (
        "17:50: error: option 'a' of pipeline 'lower' in C++: MLIR has no text of a list"
    ),
    "options: [{name: a, argument: a, type: string, default: '{x y'}]\n"
    "elements: [{pass: cse, options: {a: {option: a}}}]": (
        "17:50: error: option 'a' of pipeline 'lower' in C++: MLIR reads no such text as"
    ),
    "options: [{name: parseFromString, type: bool}]\nelements: [cse]": (
        "16:22: error: option 'parseFromString' of pipeline 'lower' in C++: generated"
    ),
    "options: [{name: a, type: bool, cpp: {name: Option}}]\nelements: [cse]": (
        "16:22: error: option 'a' of pipeline 'lower' in C++: generated code needs the"
    ),
    "options: [{name: a, type: bool, cpp: {name: errno}}]\nelements: [cse]": (
        "16:22: error: option 'a' of pipeline 'lower' in C++: 'errno' is a keyword or a"
    ),
    "options: [{name: a, type: bool, cpp: {name: class}}]\nelements: [cse]": (
        "16:22: error: option 'a' of pipeline 'lower' in C++: 'class' is a keyword or a"
    ),
}


@pytest.mark.parametrize("pipeline", WRONG)
def test_what_cpp_cannot_say_is_an_error_at_its_place(pipeline: str) -> None:
    with pytest.raises(SpecError) as caught:
        text_of(pipeline, XDSL)

    (found,) = caught.value.diagnostics
    assert str(found).startswith(f"group.yaml:{WRONG[pipeline]}")


@pytest.mark.parametrize("name", ["Option", "errno"])
def test_an_error_about_a_name_in_cpp_says_what_to_write(name: str) -> None:
    with pytest.raises(SpecError) as caught:
        text_of(
            f"options: [{{name: a, type: bool, cpp: {{name: {name}}}}}]\nelements: [cse]"
        )

    note = f"note: give it another name in C++: 'cpp: {{name: {name}_}}'"
    assert str(caught.value.diagnostics[0]).endswith(note)


def test_other_targets_accept_what_cpp_cannot_say() -> None:
    source = SourceFile("group.yaml", SPEC + "    elements: [mine]\n")
    targets = Options(targets=("python", "markdown", "tablegen", "capi-header"))

    assert len(generate([source, SourceFile("other.yaml", XDSL)], targets).files) == 8


def body(pipeline: str) -> str:
    _, _, rest = text_of(pipeline).partition("errorHandler) {")
    return rest


def test_a_struct_gets_the_defaults_of_lists_that_mlir_tblgen_leaves_out() -> None:
    text = body("elements: [{pass: tile, options: {size: 1}}]")

    assert "elementOptions.size = 1;" in text
    assert "elementOptions.sizes = ::llvm::SmallVector<int64_t>({4, 4});" in text


def test_an_option_of_a_foreign_type_is_set_by_text() -> None:
    text = body("elements: [{pass: tile, options: {foreign: x, mode: slow}}]")

    assert '.addToPipeline(pm, "foreign=x mode=slow", fail)' in text


def test_a_constructor_makes_an_external_pass() -> None:
    assert "return mlir::createSCCPPass();" in body("elements: [sccp]")


def test_nested_managers_have_names_of_their_own() -> None:
    text = body(
        "elements: [{nest: func.func, elements: [{nest: func.func, elements: [cse]}, "
        "{nest: gpu.func, elements: [cse]}]}, {nest: x.2d, elements: [cse]}]"
    )

    for name, outer, operation in (
        ("funcPM", "pm", "func.func"),
        ("funcPM2", "funcPM", "func.func"),
        ("funcPM2", "funcPM", "gpu.func"),
        ("nested2dPM", "pm", "x.2d"),
    ):
        assert f'OpPassManager &{name} = {outer}.nest("{operation}");' in text


def test_a_group_without_pipelines_has_no_text_about_them() -> None:
    spec = SPEC[: SPEC.index("pipelines:")]
    files = generate([SourceFile("group.yaml", spec)], Options(targets=("cpp",))).files

    assert "PIPELINE" not in files[0].text
