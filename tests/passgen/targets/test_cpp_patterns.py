"""Patterns in C++: what is refused, and what depends on them."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from passgen import resources
from passgen.diagnostics import SpecError
from passgen.generation import Options, generate
from passgen.source import SourceFile
from passgen_runtime.patterns import Native, RewriteFunction, Test

SPEC = """\
passes:
  Identities:
    argument: identities
    summary: Remove operations that return an operand
    patterns:
      - name: mulByOne
        before: |
          %one = arith.constant $one : i32
          %0 = arith.muli %x, %one : i32
        after: "%0 = %x"
        attributes: {one: {example: 1, where: isOne}}
    constraints:
      isOne: FUNCTION
"""
IN_PYTHON = "my.patterns:is_one"
IN_BOTH = "{python: 'my.patterns:is_one', cpp: my::isOne}"


def cpp(function: str = IN_BOTH, spec: str = SPEC) -> str:
    source = SourceFile("spec.yaml", spec.replace("FUNCTION", function))
    (file,) = generate([source], Options(targets=("cpp",))).files
    return file.text


def refusal(function: str = IN_BOTH, spec: str = SPEC) -> str:
    with pytest.raises(SpecError) as caught:
        cpp(function, spec)
    return str(caught.value)


def test_a_function_in_python_alone_is_refused_with_what_to_write() -> None:
    assert refusal(IN_PYTHON) == """\
spec.yaml:13:14: error: constraint 'isOne' of pass 'Identities' has no function in C++
      isOne: my.patterns:is_one
             ^~~~~~~~~~~~~~~~~~
note: write `isOne: {python: my.patterns:is_one, cpp: my::isOne}`"""


@pytest.mark.process
def test_patterns_need_the_runtime(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "passgen_runtime.py").write_text("# no package\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    assert refusal() == """\
spec.yaml:6:15: error: patterns of pass 'Identities' in C++: the package \
passgen_runtime is not installed
      - name: mulByOne
              ^~~~~~~~
note: MLIR writes them in PDL: install the runtime with its extra 'mlir'"""


@pytest.mark.process
@pytest.mark.bindings
def test_a_pattern_that_does_not_parse_is_refused_at_its_place() -> None:
    found = refusal(spec=SPEC.replace("muli %x", "mull %x"))

    assert found.startswith(
        "spec.yaml:9:16: error: pattern 'mulByOne' of pass 'Identities' in C++: "
    )
    assert "          %0 = arith.mull %x, %one : i32\n" in found


@pytest.mark.process
@pytest.mark.bindings
def test_operations_of_dialects_that_only_c_plus_plus_knows_are_accepted() -> None:
    spec = SPEC.replace(
        "%0 = arith.muli %x, %one : i32",
        '%0 = "mine.multiply"(%x, %one) : (i32, i32) -> i32',
    )

    assert 'pdl.operation "mine.multiply"' in cpp(spec=spec)


@pytest.mark.process
@pytest.mark.bindings
def test_the_custom_form_of_such_an_operation_is_refused_with_what_to_write() -> None:
    found = refusal(spec=SPEC.replace("arith.muli", "mine.multiply"))

    assert "Dialect `mine' not found for custom op 'mine.multiply'" in found
    assert found.endswith(
        "note: write operations that the bindings do not know in the generic form, as "
        """in '%0 = "my.op"(%x) : (i32) -> i32'"""
    )


@pytest.mark.process
@pytest.mark.bindings
def test_properties_of_operations_that_only_c_plus_plus_knows_belong_to_a_pattern() -> (
    None
):
    spec = SPEC.replace(
        "%0 = arith.muli %x, %one : i32",
        """%0 = "mine.multiply"(%x, %one) <{mode = "}>", "a b" =
          affine_map<(d0) -> (d0)>}> {tag} : (i32, i32) -> i32""",
    )

    (matched,) = (line for line in cpp(spec=spec).splitlines() if "mine.mult" in line)

    assert '{"a b" = ' in matched
    assert '"mode" = ' in matched
    assert '"tag" = ' in matched


IN_PDL = """\
passes:
  Identities:
    argument: identities
    summary: Remove operations that return an operand
    patterns:
      - name: self
        pdl: |
          %type = pdl.type
          %x = pdl.operand : %type
          %root = pdl.operation "OPERATION" (%x : !pdl.value) -> (%type : !pdl.type)
          pdl.rewrite %root { pdl.replace %root with (%x : !pdl.value) }
"""


@pytest.mark.process
@pytest.mark.bindings
def test_a_dialect_that_mlir_knows_has_no_other_operations() -> None:
    found = refusal(spec=IN_PDL.replace("OPERATION", "arith.neggf"))

    assert "there is no operation 'arith.neggf'" in found
    assert "did you mean 'arith.negf'?" in found
    assert 'pdl.operation "mine.neggf"' in cpp(
        spec=IN_PDL.replace("OPERATION", "mine.neggf")
    )


def test_each_function_of_the_language_has_a_counterpart_in_cpp() -> None:
    template = resources.templates() / "cpp" / "_pattern_functions.h.j2"
    text = template.read_text("utf-8")
    classes = {*get_args(Test), *get_args(RewriteFunction)} - {Native}

    names = [name.__name__[:1].lower() + name.__name__[1:] for name in classes]

    assert names
    assert [name for name in names if f" {name}(" not in text] == []


@pytest.mark.process
@pytest.mark.bindings
def test_a_pass_with_a_class_of_its_author_gets_its_patterns_alone() -> None:
    class_ = "    constructor: my.passes:Identities\n    patterns:"

    own = cpp(spec=SPEC.replace("    patterns:", class_))

    assert "#ifdef GEN_PATTERNS_DEF_IDENTITIES\n" in own
    assert "GEN_PATTERNS_PASS_IDENTITIES" not in own
    assert "#ifdef GEN_PATTERNS_PASS_IDENTITIES\n" in cpp()


@pytest.mark.process
@pytest.mark.bindings
def test_what_mlir_tblgen_writes_stays_in_front() -> None:
    bare = SPEC.partition("    patterns:")[0]
    options = """\
    options:
      - {name: disabledPatterns, argument: disable-patterns, listOf: string, description: Labels of patterns that are not applied}
      - {name: enabledPatterns, argument: enable-patterns, listOf: string, description: "Labels of the patterns that are applied, and no others"}
"""

    assert cpp().startswith(cpp(spec=bare + options))
