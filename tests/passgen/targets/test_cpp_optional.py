"""Options whose C++ type LLVM neither parses nor prints, or does not compile.

Printed by MLIR 22 without a parser, an optional option ends the process ("unknown data
value for option"), or is `limit=` where assertions are off; see "Optional options in
C++" of docs/tablegen.md. The target `cpp` writes the parser, and `tablegen` warns.
"""

from __future__ import annotations

import pytest

from passgen.generation import Options, generate
from passgen.source import SourceFile

SPEC = """\
passes:
  Tile:
    argument: tile
    summary: Tile loops
    options:
      - {name: limit, argument: limit, OPTION}
"""

WARNING = """\
spec.yaml:6:16: warning: option 'limit' of pass 'Tile' is a TYPE in C++, which LLVM \
neither parses nor prints
      - {name: limit, argument: limit, OPTION}
               ^~~~~
note: without a parser in the program, printing a pipeline ends the process or writes \
'limit='
note: the output of '--target cpp' has the parser: see docs/tablegen.md, section \
'Optional options in C++'\
"""


def warnings(option: str, *targets: str) -> list[str]:
    source = SourceFile("spec.yaml", SPEC.replace("OPTION", option))
    made = generate([source], Options(targets=targets))
    return [warning.render() for warning in made.warnings]


def cpp_of(option: str) -> str:
    source = SourceFile("spec.yaml", SPEC.replace("OPTION", option))
    return generate([source], Options(targets=("cpp",))).files[0].text


@pytest.mark.parametrize(
    ("option", "type_"),
    [
        ("type: int64, optional: true", "std::optional<int64_t>"),
        ("type: bool, optional: true", "std::optional<bool>"),
        ("type: enum, values: [a, b], optional: true", "std::optional<TileLimit>"),
        ("type: {cpp: 'my::Size'}, optional: true", "std::optional<my::Size>"),
        ("type: {cpp: 'std::optional<bool>'}", "std::optional<bool>"),
    ],
)
def test_an_optional_that_is_no_string_is_warned_of(option: str, type_: str) -> None:
    expected = WARNING.replace("OPTION", option).replace("TYPE", type_)

    assert warnings(option, "tablegen") == [expected]
    assert "#ifdef GEN_OPTIONAL_PARSER" in cpp_of(option)
    assert '#error "define GEN_OPTIONAL_PARSER, and include' in cpp_of(option)


@pytest.mark.parametrize(
    "option",
    [
        "type: string, optional: true",
        "type: pipeline, optional: true",
        "listOf: int64, optional: true",
        "type: int64",
    ],
)
def test_what_llvm_parses_is_not(option: str) -> None:
    assert warnings(option, "tablegen") == []
    assert "GEN_OPTIONAL_PARSER" not in cpp_of(option)


def test_other_targets_do_not_warn() -> None:
    option = "type: int64, optional: true"

    assert (
        warnings(option, "cpp", "python", "markdown", "capi-header", "capi-impl") == []
    )


@pytest.mark.parametrize("option", ["listOf: bool", "listOf: {cpp: bool}"])
def test_a_list_of_booleans_does_not_compile(option: str) -> None:
    expected = f"""\
spec.yaml:6:16: warning: option 'limit' of pass 'Tile' is a list of bool in C++, which \
MLIR does not compile
      - {{name: limit, argument: limit, {option}}}
               ^~~~~
note: a list of an integer type compiles, such as 'listOf: uint8'\
"""

    assert warnings(option, "cpp") == [expected]
    assert warnings(option, "tablegen") == [expected]
    assert warnings(option, "python", "markdown", "capi-header", "capi-impl") == []
