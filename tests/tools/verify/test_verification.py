from __future__ import annotations

import json
import sys
from collections.abc import Callable
from errno import ENOSPC
from time import sleep
from typing import Any, TypeAlias

import pytest

from passgen_runtime.context import Context
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_registry import PassRegistry
from passgen_runtime.passes import shipped_registry
from passgen_runtime.patterns import Patterns, RewritePattern
from passgen_tools.testing import assert_patterns_verified
from passgen_tools.verify import cli, main, report, verify_patterns
from tests.pattern_cases import (
    MATCH,
    SQUARE_TO_SELF,
    WRONG,
    pass_of,
    pattern,
)
from tests.tools.verify.planted_patterns import Planted

Attribute: TypeAlias = Any

CONSTANT = """\
%type = pdl.type{type}
%x = pdl.operand : %type
%value = pdl.attribute
pdl.apply_native_constraint "isIt" (%value : !pdl.attribute)
%constant = pdl.operation "arith.constant" {{"value" = %value}} -> (%type : !pdl.type)
%y = pdl.result 0 of %constant
%root = pdl.operation "arith.divsi" (%x, %y : !pdl.value, !pdl.value) -> (%type : !pdl.type)
pdl.rewrite %root {{
  %made = pdl.apply_native_rewrite "make" (%value : !pdl.attribute) : !pdl.attribute
  %new = pdl.operation "arith.constant" {{"value" = %made}} -> (%type : !pdl.type)
  %z = pdl.result 0 of %new
  %result = pdl.operation "arith.shrsi" (%x, %z : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.replace %root with %result
}}
"""


def number_of(attribute: Attribute) -> int:
    return int(
        str(attribute).partition(" ")[0].replace("true", "-1").replace("false", "0")
    )


def same_type(attribute: Attribute, number: int) -> Attribute:
    return type(attribute)(number, attribute.type)


def division(
    is_it: Callable[[Any], bool], make: Callable[..., Any], type_: str = " : i8"
) -> type[Patterns]:
    return pass_of(
        pattern(CONSTANT.format(type=type_)),
        native_constraints=(("isIt", is_it),),
        native_rewrites=(("make", make),),
    )


def text(class_: type[Patterns], context: Context | None = None) -> str:
    return report(verify_patterns(class_, context))


@pytest.mark.slow
@pytest.mark.parametrize(
    "make_context", [XDSLContext, pytest.param(MLIRContext, marks=pytest.mark.bindings)]
)
def test_the_shipped_patterns_are_proved_but_for_floats(
    make_context: Callable[[], Context],
) -> None:
    verdicts: dict[str, set[str]] = {}
    for entry in shipped_registry().passes():
        # Drivers of other tests in this process have registered theirs, too.
        is_shipped = entry.pass_class.__module__.startswith("passgen_runtime.")
        if is_shipped and issubclass(entry.pass_class, Patterns):
            for judged in verify_patterns(entry.pass_class, make_context()):
                verdicts.setdefault(judged.pattern, set()).add(judged.verdict)
    proved = {"proved", "proved-for-constants"}
    assert verdicts == {
        "mulToAdd": {"proved"},
        "mulToShift": proved,
        "divToShift": proved,
        "addZero": {"proved"},
        "mulByOne": {"proved"},
        "doubleNegation": {"not-checked"},
    }


def test_a_wrong_pattern_has_a_counterexample_as_ir() -> None:
    planted = Planted(
        is_right=False,
        type="i8",
        text="c = constant 2; divsi x c exact => d = constant 2; shrsi x d exact",
    )
    (judged,) = verify_patterns(pass_of(pattern(planted.pdl())))
    assert (judged.types, judged.verdict) == ("i8", "wrong")
    module = XDSLContext().parse(judged.reason, "counterexample")
    XDSLContext().verify(module)
    assert '"arith.divsi"' in judged.reason
    assert "{isExact = unit}" in judged.reason


def test_an_attribute_without_a_value_says_that_an_operation_is_exact() -> None:
    planted = Planted(
        is_right=True,
        type="i8",
        text="c = constant 2; divsi x c exact => d = constant 1; shrsi x d exact",
    )
    pdl = planted.pdl().replace("pdl.attribute = unit", "pdl.attribute", 1)
    assert text(pass_of(pattern(pdl))) == "  squareToSelf: proved: i8\n"


@pytest.mark.parametrize(
    ("rewritten", "result"),
    [
        ("c = constant 0; divui x c", "// undefined behavior"),
        ("c = constant 8; shli x c", "// poison"),
    ],
)
def test_undefined_behavior_and_poison_are_named(rewritten: str, result: str) -> None:
    planted = Planted(is_right=False, type="i8", text=f"xori x y => {rewritten}")
    assert result in text(pass_of(pattern(planted.pdl())))


def test_a_function_gets_all_constants_of_few_bits() -> None:
    given: list[int] = []

    def is_it(attribute: Attribute) -> bool:
        given.append(number_of(attribute))
        return given[-1] == 1

    class_ = division(is_it, lambda _, attribute: same_type(attribute, 0))
    assert text(class_) == "  squareToSelf: proved: i8\n"
    assert sorted(given) == list(range(-128, 128))


def test_a_function_gets_some_constants_of_many_bits() -> None:
    given: list[int] = []

    def is_it(attribute: Attribute) -> bool:
        given.append(number_of(attribute))
        return given[-1] == 1

    class_ = division(is_it, lambda _, attribute: same_type(attribute, 0), " : i64")
    assert text(class_) == "  squareToSelf: proved for constants: i64\n"
    powers = {1 << bit for bit in range(63)}
    assert {0, -1, -(1 << 63), (1 << 63) - 1} | powers <= {*given}


def test_an_exception_is_a_verdict_with_its_constant() -> None:
    class_ = division(lambda attribute: 1 // number_of(attribute) == 1, lambda *_: None)
    assert "'isIt' fails for 0 : i8: ZeroDivisionError" in text(class_)


def test_a_constant_of_another_type_is_wrong() -> None:
    def make(_: object, _attribute: Attribute) -> Attribute:
        return (
            XDSLContext()
            .parse("builtin.module attributes {a = 3 : i32} {}", "a")
            .attributes["a"]
        )

    class_ = division(lambda attribute: number_of(attribute) == 8, make)
    assert "a new '3 : i32' is no i8" in text(class_)


@pytest.mark.parametrize(
    ("class_", "reason"),
    [
        (
            division(lambda _: True, lambda rewriter, _: rewriter.insert(None)),
            "a rewrite uses 'insert' of its rewriter",
        ),
        (division(lambda _: False, lambda *_: None), "it matches nothing"),
        (division(lambda _: True, lambda *_: None), "'None' is no integer"),
        (
            pass_of(pattern(SQUARE_TO_SELF.replace("i32", "vector<4xi32>"))),
            "the type 'vector<4xi32>' has no semantics",
        ),
        (
            pass_of(pattern(SQUARE_TO_SELF.replace("arith.muli", "arith.mulf"))),
            "'arith.mulf' has no semantics",
        ),
        (pass_of(pattern(f"{MATCH}pdl.rewrite %rot {{ }}")), "error: "),
    ],
)
def test_what_is_not_checked_has_a_reason(class_: type[Patterns], reason: str) -> None:
    (judged,) = verify_patterns(class_)
    assert judged.verdict == "not-checked"
    assert reason in judged.reason


@pytest.mark.parametrize("mistake", ["unknown function", "erasure with results"])
def test_a_pattern_that_is_refused_is_not_checked(mistake: str) -> None:
    pdl, reason = WRONG[mistake]
    (judged,) = verify_patterns(pass_of(pattern(pdl)))
    assert (judged.pattern, judged.verdict) == ("squareToSelf", "not-checked")
    assert reason in judged.reason


def test_a_question_that_takes_too_long_is_unknown() -> None:
    planted = Planted(
        is_right=True,
        type="i64",
        text="a = divui x y; muli a y => b = remui x y; subi x b",
    )
    (judged,) = verify_patterns(pass_of(pattern(planted.pdl())), timeout_s=0.05)
    assert judged.verdict == "unknown"
    assert judged.reason == "the time limit is met"


def test_types_are_not_tried_once_the_time_limit_of_the_pattern_is_met() -> None:
    commuted = Planted(is_right=True, type="T", text="addi x y => addi y x")
    judged = [*verify_patterns(pass_of(pattern(commuted.pdl())), timeout_s=1e-9)]
    assert [(row.types, row.verdict) for row in judged] == [("i1", "unknown")]


def test_the_time_limit_holds_between_matches_and_inside_of_tables() -> None:
    given: list[int] = []

    def is_it(attribute: Attribute) -> bool:
        given.append(number_of(attribute))
        sleep(0.01)
        return True

    class_ = division(is_it, lambda _, attribute: same_type(attribute, 0))
    (judged,) = verify_patterns(class_, timeout_s=0.05)
    assert (judged.verdict, judged.reason) == ("unknown", "the time limit is met")
    assert len(given) < 256

    planted = Planted(is_right=True, type="i2", text="addi x y => addi y x")
    (judged,) = verify_patterns(pass_of(pattern(planted.pdl())), timeout_s=1e-9)
    assert judged.verdict == "unknown"


NEW_OPERATIONS = {
    "value": '%new = pdl.operation "arith.constant" -> (%type : !pdl.type)',
    "predicate": """\
%bit = pdl.type : i1
%less = pdl.operation "arith.cmpi" (%x, %x : !pdl.value, !pdl.value) -> (%bit : !pdl.type)
%is_less = pdl.result 0 of %less
%new = pdl.operation "arith.select" (%is_less, %x, %x : !pdl.value, !pdl.value, !pdl.value) -> (%type : !pdl.type)""",
}


@pytest.mark.parametrize("attribute", NEW_OPERATIONS)
def test_a_new_operation_without_a_required_attribute_is_wrong(attribute: str) -> None:
    pdl = f"{MATCH}pdl.rewrite %root {{\n{NEW_OPERATIONS[attribute]}\n"
    (judged,) = verify_patterns(
        pass_of(pattern(f"{pdl}pdl.replace %root with %new }}"))
    )
    assert judged.verdict == "wrong"
    assert judged.reason.endswith(f"has no attribute '{attribute}'")


@pytest.mark.parametrize(
    ("attribute", "reason"),
    [
        ("3 : i64", "a new '3 : i64' is no i32"),
        ("#arith.overflow<nsw>", "a new '#arith.overflow<nsw>' is no i32"),
        ("unit", "a new 'unit' is no i32"),
    ],
)
def test_an_attribute_of_another_kind_or_width_is_wrong(
    attribute: str, reason: str
) -> None:
    pdl = f"""{MATCH}pdl.rewrite %root {{
      %value = pdl.attribute = {attribute}
      %new = pdl.operation "arith.constant" {{"value" = %value}} -> (%type : !pdl.type)
      pdl.replace %root with %new
    }}"""
    (judged,) = verify_patterns(pass_of(pattern(pdl)))
    assert (judged.verdict, judged.reason) == ("wrong", reason)


def test_optional_attributes_may_be_left_out() -> None:
    pdl = f"""{MATCH}pdl.rewrite %root {{
      %new = pdl.operation "arith.muli" (%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
      pdl.replace %root with %new
    }}"""
    assert text(pass_of(pattern(pdl))) == "  squareToSelf: proved: i32\n"


def test_the_assertion_shows_the_counterexample() -> None:
    with pytest.raises(AssertionError, match="wrong: i32"):
        assert_patterns_verified(pass_of(pattern(SQUARE_TO_SELF)))
    right = Planted(is_right=True, type="i8", text="addi x y => addi y x")
    assert_patterns_verified(pass_of(pattern(right.pdl())))


@pytest.fixture
def registry() -> PassRegistry:
    registry = PassRegistry()
    registry.register_pass(pass_of(pattern(SQUARE_TO_SELF)))
    return registry


@pytest.mark.parametrize(
    ("arguments", "exit_code"),
    [
        ([], 1),
        (["--fail-on=unknown"], 0),
        (["--fail-on=unknown,wrong", "example"], 1),
        (["exampel"], 2),
    ],
)
def test_the_exit_code_is_that_of_the_verdicts(
    arguments: list[str],
    exit_code: int,
    registry: PassRegistry,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(arguments, registry=registry) == exit_code
    if exit_code == 2:
        errors = capsys.readouterr().err
        assert "error: no pass 'exampel' has patterns\nnote: " in errors
        assert "'example'" in errors


@pytest.mark.parametrize("flag", ["--fail-on=wrongly", "--ir=mlirr"])
def test_a_wrong_flag_says_what_is_expected(
    flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([flag])
    errors = capsys.readouterr().err
    assert "proved-for-constants" in errors or "expected xdsl" in errors


def test_json_has_a_row_for_each_verdict(
    registry: PassRegistry, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--json"], registry=registry)
    (row,) = json.loads(capsys.readouterr().out)
    assert row.pop("reason").startswith("%0 = arith.constant")
    assert row.pop("timeS") > 0
    assert row == {
        "pass": "example",
        "pattern": "squareToSelf",
        "place": "specs/example.yaml:34",
        "types": "i32",
        "flags": "",
        "verdict": "wrong",
    }


def test_without_z3_all_values_of_few_bits_are_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    commuted = Planted(is_right=True, type="T", text="maxsi x y => maxsi y x")
    proved, missing = text(pass_of(pattern(commuted.pdl()))).split("squareToSelf")[1:]
    assert proved.strip() == ": proved: i1 to i4"
    assert missing.startswith(": not checked: i5\n")
    assert "install 'mlir-passgen-tools[verify]'" in missing


def test_what_has_too_many_bits_to_try_is_proved_by_z3() -> None:
    """Four operands with poison, and the flags of three operations, have 26 bits."""
    planted = Planted(
        is_right=True,
        type="i4",
        text="a = addi x y; b = addi z v; addi a b => c = addi y x; d = addi v z; addi d c",
    )
    assert text(pass_of(pattern(planted.pdl()))) == "  squareToSelf: proved: i4\n"


PRODUCT = """\
%type = pdl.type : i8
%x = pdl.operand : %type
%y = pdl.operand : %type
%root = pdl.operation "arith.{name}" (%x, %y : !pdl.value, !pdl.value) -> (%type, %type : !pdl.type, !pdl.type)
pdl.rewrite %root {{
  %swapped = pdl.operation "arith.{name}" (%y, %x : !pdl.value, !pdl.value) -> (%type, %type : !pdl.type, !pdl.type)
  %low = pdl.result 0 of %swapped
  %high = pdl.result 1 of %swapped
  pdl.replace %root with ({values} : !pdl.value, !pdl.value)
}}
"""


@pytest.mark.parametrize("name", ["mulsi_extended", "mului_extended"])
def test_all_results_of_the_root_are_compared(name: str) -> None:
    right = PRODUCT.format(name=name, values="%low, %high")
    assert text(pass_of(pattern(right))) == "  squareToSelf: proved: i8\n"
    as_a_whole = right.replace("(%low, %high : !pdl.value, !pdl.value)", "%swapped")
    assert text(pass_of(pattern(as_a_whole))) == "  squareToSelf: proved: i8\n"
    wrong = pass_of(pattern(PRODUCT.format(name=name, values="%low, %low")))
    (judged,) = verify_patterns(wrong)
    assert judged.verdict == "wrong"
    assert f'%2:2 = "arith.{name}"(%0, %1)' in judged.reason
    XDSLContext().verify(XDSLContext().parse(judged.reason, "counterexample"))


def example(name: str, before: str, after: str) -> RewritePattern:
    return RewritePattern(name=name, before=before, after=after)


COMMUTED = example(
    "commuted", "%0 = arith.addi %x, %y : i8", "%0 = arith.addi %y, %x : i8"
)
TWICE = example(
    "twice",
    "%0 = arith.addi %x, %x : i8",
    "%two = arith.constant 2 : i8\n%0 = arith.muli %x, %two : i8",
)
SUM = example(
    "sum",
    "%two = arith.constant 2 : i8\n%0 = arith.muli %x, %two : i8",
    "%0 = arith.addi %x, %x : i8",
)


@pytest.mark.parametrize(
    ("patterns", "endless"),
    [([COMMUTED], ["commuted"]), ([TWICE, SUM], ["twice", "sum"]), ([TWICE], [])],
)
@pytest.mark.parametrize(
    "make_context", [XDSLContext, pytest.param(MLIRContext, marks=pytest.mark.bindings)]
)
def test_patterns_that_undo_themselves_or_each_other_may_not_end(
    patterns: list[RewritePattern],
    endless: list[str],
    make_context: Callable[[], Context],
) -> None:
    judged = [*verify_patterns(pass_of(*patterns), make_context())]
    assert [row.pattern for row in judged if row.verdict == "proved"] == [
        pattern.name for pattern in patterns
    ]
    unending = [row for row in judged if row.verdict == "may-not-end-by-greedy"]
    assert [row.pattern for row in unending] == endless
    assert all("match its example after " in row.reason for row in unending)


def test_it_is_no_failure_that_greedy_may_not_end() -> None:
    """A pass that walks applies each pattern once."""
    assert_patterns_verified(pass_of(COMMUTED))
    assert "commuted: may not end by greedy\n" in text(pass_of(COMMUTED))


ZERO_EXTENDED = """\
%narrow = pdl.type
%wide = pdl.type : i64
%result = pdl.type : {result}
%x = pdl.operand : %narrow
%extended = pdl.operation "arith.extui" (%x : !pdl.value) -> (%wide : !pdl.type)
%y = pdl.result 0 of %extended
%root = pdl.operation "arith.trunci" (%y : !pdl.value) -> (%result : !pdl.type)
pdl.rewrite %root {{
  {new}
}}
"""


@pytest.mark.parametrize(
    ("new", "types", "problem"),
    [
        (
            (
                '%z = pdl.operation "arith.extui" (%x : !pdl.value) -> (%result : !pdl.type)'
                "  pdl.replace %root with %z"
            ),
            "i32/i64",
            "// the types of the new 'arith.extui' do not fit",
        ),
        (
            "pdl.replace %root with (%x : !pdl.value)",
            "i1/i64/i32",
            "// a value of another type replaces a result",
        ),
    ],
)
def test_what_would_be_invalid_ir_is_wrong(new: str, types: str, problem: str) -> None:
    *proved, wrong = verify_patterns(
        pass_of(pattern(ZERO_EXTENDED.format(result="i32", new=new)))
    )
    assert {row.verdict for row in proved} <= {"proved"}
    assert (wrong.verdict, wrong.types) == ("wrong", types)
    assert wrong.reason.endswith(problem)


def test_one_index_has_one_width() -> None:
    pdl = """\
%narrow = pdl.type : i8
%index = pdl.type : index
%other = pdl.type : index
%x = pdl.operand : %narrow
%root = pdl.operation "arith.index_cast" (%x : !pdl.value) -> (%index : !pdl.type)
pdl.rewrite %root {
  %new = pdl.operation "arith.index_cast" (%x : !pdl.value) -> (%other : !pdl.type)
  pdl.replace %root with %new
}
"""
    found = text(pass_of(pattern(pdl)))
    assert found == "  squareToSelf: proved: i8/index(32), i8/index(64)\n"


def test_the_time_limit_holds_for_patterns_that_may_not_end() -> None:
    swap = RewritePattern(
        name="swap",
        before="%0 = arith.addi %x, %y : i8",
        after="%0 = arith.addi %y, %x : i8",
        after_line=2,
    )

    verdicts = [
        [judged.verdict for judged in verify_patterns(pass_of(swap), timeout_s=limit)]
        for limit in (0.0, 60.0)
    ]

    assert verdicts == [["unknown"], ["proved", "may-not-end-by-greedy"]]


def test_the_time_limit_holds_while_nothing_matches() -> None:
    class_ = division(lambda _: False, lambda *_: None, " : i64")
    (judged,) = verify_patterns(class_, timeout_s=0.0)
    assert judged.verdict == "unknown"


def leave(*_: object) -> bool:
    sys.exit(0)


def test_a_function_that_leaves_the_program_is_a_verdict() -> None:
    assert "'isIt' fails for 0 : i8: SystemExit" in text(division(leave, leave))


def test_what_functions_print_is_no_part_of_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    registry = PassRegistry()
    registry.register_pass(division(lambda _: sys.stdout.write("here") > 0, leave))
    main(["--json"], registry=registry)
    assert json.loads(capsys.readouterr().out)


def test_the_replaced_results_are_named() -> None:
    swapped = PRODUCT.format(name="mulsi_extended", values="%high, %low")
    (judged,) = verify_patterns(pass_of(pattern(swapped)))
    assert judged.reason.endswith("// %4#1 replaces %2#0\n// %4#0 replaces %2#1")


@pytest.mark.parametrize("limit", ["nan", "inf", "0", "-1"])
def test_a_time_limit_is_a_positive_number(
    limit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([f"--timeout={limit}"])
    assert "expected a positive number for --timeout" in capsys.readouterr().err


def test_an_output_that_cannot_be_written_is_an_error(
    registry: PassRegistry,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(_: str) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(cli, "write_stdout", fail)
    assert main([], registry=registry) == 2
    errors = capsys.readouterr().err
    assert "error: cannot write standard output: No space left on device" in errors
