"""Patterns on MLIR's IR, which MLIR applies itself."""

from __future__ import annotations

import gc
from typing import Literal

import pytest

from passgen_runtime import (
    PassFailure,
    PassManager,
    parse_pass_manager,
)
from passgen_runtime.context import Operation
from passgen_runtime.ir.mlir import MLIRContext, mlir_registry
from passgen_runtime.ir.mlir.operation_info import MLIROperationInfo
from passgen_runtime.pass_manager import PassExecution
from passgen_runtime.passes import register_pattern_passes
from passgen_runtime.passes.generated.arith_passes import (
    ArithIdentitiesPassBase,
    ArithStrengthReductionPassBase,
)
from passgen_runtime.patterns import (
    DriverName,
    PatternApplication,
    PatternDriver,
    PatternError,
    PatternExplainer,
    Patterns,
    RewritePattern,
    inert_patterns,
)
from passgen_tools.testing import assert_pattern_examples
from tests.mlir_bindings_needed import require_bindings
from tests.pattern_cases import (
    MATCH,
    SQUARE_IF_ALLOWED,
    SQUARE_TO_SELF,
    TWICE,
    WRONG,
    counts_of_a_pass_that_runs_inside_itself,
    ir_after_a_constraint_that_returns,
    ir_after_all_patterns_are_disabled,
    pass_of,
    pattern,
    run_pass,
)
from tests.pattern_example_cases import shown

pytestmark = pytest.mark.bindings


@pytest.mark.parametrize("mistake", WRONG)
def test_wrong_pattern_is_refused_at_its_place_when_the_pass_is_added(
    mistake: str, context: MLIRContext
) -> None:
    pdl, message = WRONG[mistake]

    with pytest.raises(PatternError) as caught:
        PassManager(context, "func.func").add_pass(pass_of(pattern(pdl))())

    assert message in str(caught.value)
    assert str(caught.value).startswith("specs/example.yaml:")


CALLED_TWICE = (
    "%types = pdl.types\n{others}%values = pdl.operands{of_types}\n"
    '%inner = pdl.operation "func.call" (%values : !pdl.range<value>)'
    " -> (%types : !pdl.range<type>)\n"
    "%results = pdl.results of %inner\n%result = pdl.result 0 of %inner\n"
    '%root = pdl.operation "func.call" ({operands}) -> ({types} : !pdl.range<type>)\n'
    "pdl.rewrite %root {{ pdl.replace %root with (%values : !pdl.range<value>) }}"
)
OTHERS = {"others": "%others = pdl.types\n", "types": "%others"}
ALL_RESULTS = "%results : !pdl.range<value>"


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"operands": "%result, %result : !pdl.value, !pdl.value"}, "pdl.result"),
        (
            {
                "operands": "%results, %results"
                " : !pdl.range<value>, !pdl.range<value>"
            },
            "pdl.results",
        ),
        ({"operands": ALL_RESULTS, "others": "", "types": "%types"}, "pdl.types"),
        ({"operands": ALL_RESULTS, "of_types": " : %types"}, "pdl.types"),
    ],
)
def test_what_mlir_would_compare_only_once_is_refused_where_it_is_used_again(
    fields: dict[str, str], kind: str, context: MLIRContext
) -> None:
    pdl = CALLED_TWICE.format(**{"of_types": "", **OTHERS, **fields})
    message = rf"example.yaml:\d+:\d+: .* MLIR compares a '{kind}' only where"

    with pytest.raises(PatternError, match=message):
        PassManager(context, "func.func").add_pass(pass_of(pattern(pdl))())


NEW_OPERATION = (
    "%flag = pdl.type : i1\n%x = pdl.operand\n{attribute}"
    '%root = pdl.operation "arith.cmpi" (%x, %x : !pdl.value, !pdl.value)'
    "{matched} -> (%flag : !pdl.type)\n"
    "pdl.rewrite %root {{ %new = pdl.operation {new} -> (%flag : !pdl.type)\n"
    "pdl.replace %root with %new }}"
)
OPERANDS = "(%x, %x : !pdl.value, !pdl.value)"


@pytest.mark.parametrize(
    ("attribute", "new", "message"),
    [
        (
            "",
            f'"arith.cmpi" {OPERANDS}',
            "'arith.cmpi' op requires attribute 'predicate'",
        ),
        (
            '%p = pdl.attribute = "eq"\n',
            f'"arith.cmpi" {OPERANDS} {{"predicate" = %p}}',
            "'arith.cmpi' op attribute 'predicate' failed to satisfy constraint",
        ),
        (
            '%p = pdl.attribute = "eq"\n',
            f'"arith.addi" {OPERANDS} {{"tag" = %p, "tag" = %p}}',
            "an attribute is given twice",
        ),
        ("", '"scf.if" (%x : !pdl.value)', "'scf.if' op expected 2 regions"),
        ("", f'"arith.negf" {OPERANDS}', "'arith.negf' op requires a single operand"),
    ],
)
@pytest.mark.parametrize("driver", ["walk", "greedy"])
def test_a_malformed_new_operation_is_refused(
    attribute: str,
    new: str,
    message: str,
    driver: Literal["walk", "greedy"],
    context: MLIRContext,
) -> None:
    pdl = NEW_OPERATION.format(attribute=attribute, matched="", new=new)
    class_ = pass_of(pattern(pdl), pattern_driver=PatternDriver(driver))

    with pytest.raises(PatternError) as caught:
        PassManager(context, "func.func").add_pass(class_())

    assert f"the new operation is malformed: {message}" in str(caught.value)
    assert str(caught.value).startswith("specs/example.yaml:")


def test_an_attribute_of_the_match_is_accepted_in_a_new_operation(
    context: MLIRContext,
) -> None:
    attributes = ' {"predicate" = %p}'
    pdl = NEW_OPERATION.format(
        attribute="%p = pdl.attribute\n",
        matched=attributes,
        new=f'"arith.cmpi" {OPERANDS}{attributes}',
    )

    PassManager(context, "func.func").add_pass(pass_of(pattern(pdl))())


NEW_CONSTANT = (
    "{type}%x = pdl.operand : %type\n"
    '%root = pdl.operation "arith.muli" (%x, %x : !pdl.value, !pdl.value)'
    " -> (%type : !pdl.type)\n"
    "pdl.rewrite %root {{ %value = pdl.attribute = {value}\n"
    '%new = pdl.operation "arith.constant" {{"value" = %value}} -> (%type : !pdl.type)\n'
    "pdl.replace %root with %new }}"
)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("%type = pdl.type : i64\n", "1 : i64"),
        ("%type = pdl.type\n", "1 : i24"),
        ("%type = pdl.type : vector<3xi7>\n", "dense<1> : vector<3xi7>"),
    ],
)
def test_a_new_operation_may_need_the_type_of_its_attribute(
    type_: str, value: str, context: MLIRContext
) -> None:
    pdl = NEW_CONSTANT.format(type=type_, value=value)

    PassManager(context, "func.func").add_pass(pass_of(pattern(pdl))())


def test_a_new_operation_of_a_type_that_its_attribute_lacks_is_refused(
    context: MLIRContext,
) -> None:
    pdl = NEW_CONSTANT.format(type="%type = pdl.type : i64\n", value="1 : i32")

    with pytest.raises(PatternError, match="the new operation is malformed: "):
        PassManager(context, "func.func").add_pass(pass_of(pattern(pdl))())


def creation_of(operation: Operation) -> str:
    """Return PDL that creates an operation, of types that only a match knows."""
    operands = [f"%x{at}" for at in range(len(operation.operands))]
    types = [f"%t{at}" for at in range(len(operation.results))]
    lines = [f"{name} = pdl.operand" for name in operands]
    lines += [f"{name} = pdl.type" for name in types]
    given = f"({', '.join(operands)} : {', '.join(['!pdl.value'] * len(operands))})"
    results = f"-> ({', '.join(types)} : {', '.join(['!pdl.type'] * len(types))})"
    ends = f"{given if operands else ''} {{}} {results if types else ''}"
    lines.append(f'%root = pdl.operation "t.old" {ends.format("")}')
    lines.append("pdl.rewrite %root {")
    attributes = dict(operation.attributes.items())
    lines += [f"%{name} = pdl.attribute = {it}" for name, it in attributes.items()]
    named = ", ".join(f'"{name}" = %{name}' for name in attributes)
    shown = f"{{{named}}}" if named else ""
    lines.append(f'%new = pdl.operation "{operation.name}" {ends.format(shown)}')
    lines.append("pdl.replace %root with %new\n}")
    return "\n".join(lines)


VALID = """\
%0 = memref.load %m[%i] : memref<4xf32>
memref.store %f, %m[%i] : memref<4xf32>
%0 = tensor.extract %t[%i] : tensor<4xf32>
%0 = vector.extract %v[0] : f32 from vector<4xf32>
%0 = vector.reduction <add>, %v : vector<4xf32> into f32
%0 = complex.create %f, %f : complex<f32>
%0 = arith.select %c, %x, %x : i32
%0 = arith.cmpi eq, %x, %x : i32
%0 = arith.constant dense<1.0> : tensor<4xf32>
%0 = llvm.load %p : !llvm.ptr -> i32
%0 = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, i32
%0 = index.constant 4
%0 = memref.cast %m : memref<4xf32> to memref<?xf32>
%0 = vector.broadcast %f : f32 to vector<4xf32>
%0 = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
"""


@pytest.mark.parametrize("line", VALID.splitlines())
def test_a_valid_new_operation_is_accepted_whatever_its_types(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    context = MLIRContext(allow_unregistered=True)
    arguments = "%m: memref<4xf32>, %i: index, %f: f32, %t: tensor<4xf32>, "
    arguments += "%v: vector<4xf32>, %c: i1, %x: i32, %p: !llvm.ptr"
    text = f"func.func @f({arguments}) {{\n{line}\nfunc.return\n}}"
    module = context.parse(text, "input.mlir")
    (function,) = context.children(module)
    pdl = creation_of(context.children(function)[0])

    PassManager(context, "func.func").add_pass(pass_of(pattern(pdl))())

    assert capsys.readouterr().err == ""


def test_bindings_without_pdl_say_so() -> None:
    require_bindings("jaxlib.mlir")
    manager = PassManager(MLIRContext("jaxlib.mlir"), "func.func")

    with pytest.raises(PatternError) as caught:
        manager.add_pass(pass_of(pattern(SQUARE_TO_SELF))())

    assert str(caught.value) == (
        "specs/example.yaml:34: error: pattern 'squareToSelf': the bindings 'jaxlib.mlir' have "
        "no PDL"
    )


class WithoutDialect(MLIRContext):
    """A context of bindings that have MLIR's drivers, but not the dialect."""

    def lookup(self, name: str) -> MLIROperationInfo | None:
        return None if name.startswith("pdl.") else super().lookup(name)


@pytest.mark.parametrize(
    "known", [pattern(SQUARE_TO_SELF), shown("%0 = arith.andi %x, %x : i8", "%0 = %x")]
)
def test_bindings_without_the_dialect_say_so(known: RewritePattern) -> None:
    manager = PassManager(WithoutDialect(), "func.func")

    with pytest.raises(
        PatternError, match=r"the bindings '[a-z.]+' have no PDL"
    ) as error:
        manager.add_pass(pass_of(known)())

    assert str(error.value).startswith("specs/example.yaml:")
    assert "\n" not in str(error.value)


def test_patterns_that_never_end_fail_the_pass_at_the_limit(
    context: MLIRContext,
) -> None:
    forever = pass_of(
        pattern(
            MATCH + "pdl.rewrite %root {\n"
            '%same = pdl.operation "arith.muli" (%x, %x : !pdl.value, !pdl.value)'
            " -> (%type : !pdl.type)\npdl.replace %root with %same }"
        ),
        pattern_driver=PatternDriver("greedy", max_iterations=3, max_rewrites=50),
    )

    with pytest.raises(PassFailure, match="did not converge in 3 iterations or 50"):
        run_pass(forever(), context)


def test_frozen_patterns_outlive_the_objects_that_made_them(
    context: MLIRContext,
) -> None:
    class_ = pass_of(pattern(SQUARE_TO_SELF))
    manager = PassManager(context)
    manager.nest("func.func").add_pass(class_())
    gc.collect()

    for _ in range(3):
        module = context.parse(TWICE, "input.mlir")
        manager.run(module)
        gc.collect()
        assert "muli" not in context.print(module)


def test_an_exception_of_a_function_fails_the_pass(context: MLIRContext) -> None:
    def fail(*_: object) -> bool:
        raise ValueError("no luck")

    class_ = pass_of(
        pattern(
            f'{MATCH}pdl.apply_native_constraint "fail"(%root : !pdl.operation)\n'
            "pdl.rewrite %root { pdl.replace %root with (%x : !pdl.value) }"
        ),
        native_constraints=(("fail", fail),),
    )

    with pytest.raises(PassFailure) as caught:
        run_pass(class_(), context)

    assert str(caught.value.__cause__) == "no luck"
    place = "at specs/example.yaml:34:11"
    assert f"note: in pattern 'squareToSelf' {place}\n" in caught.value.summary


def test_an_exception_of_a_shared_function_names_the_patterns_that_call_it(
    context: MLIRContext,
) -> None:
    def fail(*_: object) -> bool:
        raise ValueError

    class_ = pass_of(
        pattern(SQUARE_IF_ALLOWED, "first"),
        pattern(SQUARE_TO_SELF.replace("muli", "subi"), "second"),
        pattern(SQUARE_IF_ALLOWED.replace("muli", "addi"), "third"),
        native_constraints=(("isAllowed", fail),),
    )

    with pytest.raises(PassFailure) as caught:
        run_pass(class_(), context)

    noted = "note: in one of the patterns 'first', 'third'\n"
    assert noted in caught.value.summary


@pytest.mark.parametrize("driver", ["walk", "greedy"])
def test_a_runtime_error_of_a_function_is_not_taken_for_a_limit(
    driver: DriverName, context: MLIRContext
) -> None:
    def fail(*_: object) -> bool:
        raise RuntimeError("pattern application failed to converge")

    class_ = pass_of(
        pattern(SQUARE_IF_ALLOWED),
        native_constraints=(("isAllowed", fail),),
        pattern_driver=PatternDriver(driver),
    )

    with pytest.raises(PassFailure) as caught:
        run_pass(class_(), context)

    assert isinstance(caught.value.__cause__, RuntimeError)


NATIVE_REWRITE = (
    f'{MATCH}pdl.rewrite %root {{\n%y = pdl.apply_native_rewrite "make"'
    "(%x : !pdl.value) : !pdl.value\npdl.replace %root with (%y : !pdl.value) }"
)


@pytest.mark.parametrize("returned", [None, 3, (1, 2)])
def test_wrong_results_of_functions_are_errors(
    returned: object, context: MLIRContext
) -> None:
    class_ = pass_of(
        pattern(NATIVE_REWRITE), native_rewrites=(("make", lambda *_: returned),)
    )

    with pytest.raises(PassFailure) as caught:
        run_pass(class_(), context)

    assert str(caught.value.__cause__) == (
        f"rewrite 'make' returned {returned!r}, expected !pdl.value"
    )


def test_results_of_functions_are_used(context: MLIRContext) -> None:
    class_ = pass_of(
        pattern(NATIVE_REWRITE),
        native_rewrites=(("make", lambda _rewriter, value: value),),
    )

    assert "muli" not in run_pass(class_(), context)


def test_applications_are_counted_where_somebody_looks(context: MLIRContext) -> None:
    pass_ = pass_of(pattern(SQUARE_TO_SELF))()
    manager = PassManager(context)
    manager.nest("func.func").add_pass(pass_)
    manager.run(context.parse(TWICE, "input.mlir"))
    assert "squareToSelf" not in manager.statistics_report()

    manager.counts_optional = True
    manager.run(context.parse(TWICE, "input.mlir"))

    assert "(S) 2 squareToSelf" in manager.statistics_report()


def test_patterns_without_an_effect_are_listed(context: MLIRContext) -> None:
    registry = mlir_registry()
    register_pattern_passes(registry)
    pipeline = "builtin.module(arith-strength-reduction,canonicalize,arith-identities)"
    manager = parse_pass_manager(pipeline, context, registry)
    manager.counts_optional = True

    manager.run(context.parse(TWICE, "input.mlir"))

    assert inert_patterns(manager.passes()) == {
        "ArithIdentities": ["addZero", "mulByOne", "doubleNegation"],
        "ArithStrengthReduction": ["mulToAdd", "mulToShift", "divToShift"],
    }


def test_matches_are_not_explained_on_mlirs_ir(context: MLIRContext) -> None:
    registry = mlir_registry()
    register_pattern_passes(registry)
    pipeline = "builtin.module(arith-strength-reduction)"
    manager = parse_pass_manager(pipeline, context, registry)
    manager.add_instrumentation(PatternExplainer(context, "mulToShift"))

    reason = "MLIR matches patterns itself: use --ir=xdsl"
    with pytest.raises(PatternError, match=f"'mulToShift' cannot .*: {reason}"):
        manager.run(context.parse(TWICE, "input.mlir"))


class _Skipping:
    """A handler that skips all but the first application."""

    tags = frozenset({"apply-pattern"})

    def __init__(self) -> None:
        self.num_seen = 0

    def __call__(self, action: PassExecution, run: object) -> None:
        self.num_seen += isinstance(action, PatternApplication)
        if self.num_seen <= 1:
            assert callable(run)
            run()


def test_handlers_may_skip_each_application(context: MLIRContext) -> None:
    manager = PassManager(context)
    manager.nest("func.func").add_pass(pass_of(pattern(SQUARE_TO_SELF))())
    handler = _Skipping()
    manager.add_action_handler(handler)
    module = context.parse(TWICE, "input.mlir")

    manager.run(module)

    assert handler.num_seen == 2
    assert context.print(module).count("muli") == 1


@pytest.mark.parametrize(
    "class_", [ArithStrengthReductionPassBase, ArithIdentitiesPassBase]
)
def test_examples_of_the_shipped_patterns_hold(
    class_: type[Patterns], context: MLIRContext
) -> None:
    assert_pattern_examples(class_, context)


@pytest.mark.parametrize("value", [False, None, 0, []])
def test_what_a_constraint_returns_is_true_or_false_as_in_python(
    value: object, context: MLIRContext
) -> None:
    assert "muli" in ir_after_a_constraint_that_returns(value, context)


def test_a_pass_may_run_inside_itself(context: MLIRContext) -> None:
    assert counts_of_a_pass_that_runs_inside_itself(context) == [2, 2]


@pytest.mark.parametrize("driver", ["walk", "greedy"])
def test_a_pass_whose_patterns_are_all_disabled_changes_nothing(
    driver: DriverName, context: MLIRContext
) -> None:
    assert ir_after_all_patterns_are_disabled(context, driver).count("muli") == 2
