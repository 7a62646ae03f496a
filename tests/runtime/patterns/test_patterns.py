"""Patterns on xDSL's IR, and what is the same on both."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import pytest

from passgen_runtime import (
    STRING,
    OperationPass,
    OpPassManager,
    PassError,
    PassFailure,
    PassManager,
    PassOptionError,
    PassOptions,
    create_pass,
    list_option,
    parse_pass_manager,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_manager import PassExecution
from passgen_runtime.pass_registry import PassRegistry
from passgen_runtime.passes.generated.arith_passes import (
    ArithIdentitiesPassBase,
    ArithStrengthReductionOptions,
    ArithStrengthReductionPassBase,
)
from passgen_runtime.patterns import (
    DriverName,
    PatternApplication,
    PatternDriver,
    PatternError,
    Patterns,
    inert_patterns,
    inert_patterns_report,
)
from passgen_runtime.runners import Threads
from passgen_tools.processes import ProcessPool
from passgen_tools.testing import (
    assert_no_pattern_applies,
    assert_pattern_examples,
    assert_rewrites,
)
from passgen_tools.workers import Workers
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

Selection = ArithStrengthReductionOptions

MULTIPLICATIONS = """\
func.func @multiply(%x: i32, %y: i64) -> (i32, i64) {
  %two = arith.constant 2 : i32
  %eight = arith.constant 8 : i64
  %0 = arith.muli %x, %two : i32
  %1 = arith.muli %y, %eight : i64
  func.return %0, %1 : i32, i64
}
"""


@dataclass(kw_only=True)
class _Options(PassOptions):
    disabled_patterns: list[str] = list_option("disable-patterns", STRING)


@pytest.mark.parametrize("mistake", WRONG)
def test_wrong_pattern_is_refused_at_its_place_when_the_pass_is_added(
    mistake: str,
) -> None:
    pdl, message = WRONG[mistake]
    manager = PassManager(XDSLContext(), "func.func")

    with pytest.raises(PatternError) as caught:
        manager.add_pass(pass_of(pattern(pdl))())

    assert message in str(caught.value)
    assert str(caught.value).startswith("specs/example.yaml:")
    assert "squareToSelf" in str(caught.value)


def test_an_empty_rewrite_which_mlir_does_not_parse_is_refused() -> None:
    class_ = pass_of(pattern(f"{MATCH}pdl.rewrite %root {{ }}"))

    with pytest.raises(PatternError, match="the rewrite changes nothing"):
        PassManager(XDSLContext(), "func.func").add_pass(class_())


UNTYPED = (
    f'{MATCH}pdl.rewrite %root {{ %sum = pdl.operation "arith.addi" '
    "(%x, %x : !pdl.value, !pdl.value)\npdl.replace %root with %sum }"
)
INFERRED = (
    f"{MATCH}pdl.rewrite %root {{ %inferred = pdl.type\n"
    '%sum = pdl.operation "arith.addi" (%x, %x : !pdl.value, !pdl.value)'
    " -> (%inferred : !pdl.type)\npdl.replace %root with %sum }"
)
RANGE = (
    "%values = pdl.operands\n"
    '%root = pdl.operation "arith.muli" (%values : !pdl.range<value>)\n'
    "pdl.rewrite %root { pdl.erase %root }"
)
IS_ALLOWED = 'pdl.apply_native_constraint "isAllowed" ({})\n'
USER = (
    f"{MATCH}%square = pdl.result 0 of %root\n"
    '%user = pdl.operation "arith.negf" (%square : !pdl.value)\n'
    "pdl.rewrite %root { pdl.erase %user }"
)


@pytest.mark.parametrize(
    ("pdl", "message"),
    [
        (UNTYPED, "xDSL needs the types of the results"),
        (RANGE, "'pdl.operands' is not supported here on xDSL's IR"),
        (USER, "xDSL only finds operations that the root uses"),
        (INFERRED, "37:43: .* xDSL does not infer types: write a constant"),
    ],
)
def test_pattern_that_only_mlir_can_apply_is_refused(pdl: str, message: str) -> None:
    class_ = pass_of(pattern(pdl), pattern_driver=PatternDriver("greedy"))

    with pytest.raises(PatternError, match=message):
        PassManager(XDSLContext(), "func.func").add_pass(class_())


def test_an_operand_that_the_root_does_not_use_is_refused() -> None:
    unused = f'{MATCH}%y = pdl.operand\n{IS_ALLOWED.format("%y : !pdl.value")}'
    class_ = pass_of(
        pattern(
            f"{unused}pdl.rewrite %root {{ pdl.replace %root with (%x : !pdl.value) }}"
        ),
        native_constraints=(("isAllowed", bool),),
    )

    with pytest.raises(PatternError, match=r"37:16: .* only finds operations"):
        PassManager(XDSLContext(), "func.func").add_pass(class_())


def test_a_constraint_may_get_a_constant_that_nothing_uses() -> None:
    seen: list[str] = []

    def note(*subjects: object) -> bool:
        seen.extend(map(str, subjects))
        return False

    constants = "%c = pdl.attribute = 3 : i8\n%t = pdl.type : i16\n"
    call = IS_ALLOWED.format("%c, %t : !pdl.attribute, !pdl.type")
    class_ = pass_of(
        pattern(SQUARE_TO_SELF.replace("pdl.rewrite", f"{constants}{call}pdl.rewrite")),
        native_constraints=(("isAllowed", note),),
    )

    assert "muli" in run_pass(class_(), XDSLContext())
    assert seen == ["3 : i8", "i16"] * 2


def test_an_unregistered_operation_is_matched_by_its_name() -> None:
    class_ = pass_of(pattern(SQUARE_TO_SELF.replace("arith.muli", "toy.square")))
    ir = TWICE.replace(
        "arith.muli %x, %x : i32", '"toy.square"(%x, %x) : (i32, i32) -> i32'
    )

    text = run_pass(class_(), XDSLContext(allow_unregistered=True), ir)

    assert "toy.square" not in text


@pytest.mark.process
def test_patterns_start_no_program() -> None:
    run = """if True:
        import sys
        from passgen_runtime import PassManager
        from passgen_runtime.ir.xdsl import XDSLContext
        from passgen_runtime.passes.generated.arith_passes import (
            ArithIdentitiesPassBase,
        )

        starts = {"subprocess.Popen", "os.fork", "os.posix_spawn", "os.system"}
        sys.addaudithook(lambda event, _: event not in starts or sys.exit(event))
        context = XDSLContext()
        manager = PassManager(context)
        manager.add_pass(ArithIdentitiesPassBase())
        manager.run(context.parse("func.func @f() { func.return }", "input.mlir"))
        assert "xdsl.interpreter" not in sys.modules
        """

    subprocess.run([sys.executable, "-c", run], check=True)


def test_each_operation_is_visited_once_by_default() -> None:
    chain = pass_of(
        pattern(
            MATCH + "pdl.rewrite %root {\n"
            '%sum = pdl.operation "arith.muli" (%x, %x : !pdl.value, !pdl.value)'
            " -> (%type : !pdl.type)\npdl.replace %root with %sum }"
        )
    )
    pass_ = chain()

    run_pass(pass_, XDSLContext())

    assert pass_.pattern_counts() == {"squareToSelf": 2}


def test_patterns_that_never_end_fail_the_pass_at_the_limit() -> None:
    forever = pass_of(
        pattern(
            MATCH + "pdl.rewrite %root {\n"
            '%same = pdl.operation "arith.muli" (%x, %x : !pdl.value, !pdl.value)'
            " -> (%type : !pdl.type)\npdl.replace %root with %same }"
        ),
        pattern_driver=PatternDriver("greedy", max_rewrites=50),
    )

    with pytest.raises(PassFailure, match="did not converge in 50 rewrites"):
        run_pass(forever(), XDSLContext())


SUM = (
    '%sum = pdl.operation "arith.addi" (%x, %x : !pdl.value, !pdl.value)'
    " -> (%type : !pdl.type)\npdl.replace %root with %sum"
)
UNDO = pattern(
    f"{MATCH.replace('muli', 'addi')}pdl.rewrite %root {{ {SUM.replace('addi', 'muli')} }}",
    "undo",
)


@pytest.mark.slow
def test_patterns_that_undo_one_another_end_at_the_default_limit() -> None:
    there_and_back = pass_of(
        pattern(f"{MATCH}pdl.rewrite %root {{ {SUM} }}"),
        UNDO,
        pattern_driver=PatternDriver("greedy"),
    )

    # 10,000, and 10 for each of the function's four operations.
    with pytest.raises(PassFailure, match="did not converge in 10040 rewrites"):
        run_pass(there_and_back(), XDSLContext())


@pytest.mark.parametrize("max_rewrites", [1, 2])
def test_patterns_may_need_as_many_rewrites_as_the_limit_allows(
    max_rewrites: int,
) -> None:
    class_ = pass_of(
        pattern(SQUARE_TO_SELF),
        pattern_driver=PatternDriver("greedy", max_rewrites=max_rewrites),
    )

    if max_rewrites == 1:
        with pytest.raises(PassFailure, match="did not converge in 1 rewrites"):
            run_pass(class_(), XDSLContext())
    else:
        assert "muli" not in run_pass(class_(), XDSLContext())


@pytest.mark.parametrize("max_iterations", [1, 2])
def test_the_last_iteration_changes_nothing(max_iterations: int) -> None:
    class_ = pass_of(
        pattern(SQUARE_TO_SELF),
        pattern_driver=PatternDriver("greedy", max_iterations=max_iterations),
    )

    if max_iterations == 1:
        with pytest.raises(PassFailure, match="did not converge in 1 iterations"):
            run_pass(class_(), XDSLContext())
    else:
        assert "muli" not in run_pass(class_(), XDSLContext())


def test_the_benefit_in_the_text_of_a_whole_pattern_counts() -> None:
    low = pattern(SQUARE_TO_SELF, "low", benefit=2)
    high = pattern(f"pdl.pattern : benefit(9) {{\n{SQUARE_TO_SELF}\n}}", "high")
    pass_ = pass_of(low, high)()

    run_pass(pass_, XDSLContext())

    assert pass_.pattern_counts() == {"low": 0, "high": 2}


@pytest.mark.parametrize("benefit", [32768, 65535, -1])
def test_a_benefit_that_mlir_refuses_is_refused(benefit: int) -> None:
    text = f"pdl.pattern : benefit({benefit}) {{\n{SQUARE_TO_SELF}\n}}"

    with pytest.raises(PatternError, match="the benefit is -"):
        run_pass(pass_of(pattern(text))(), XDSLContext())


def test_an_operation_without_results_is_replaced_by_another_one() -> None:
    class_ = pass_of(
        pattern(
            "%x = pdl.operand\n%y = pdl.operand\n"
            '%root = pdl.operation "memref.store" (%x, %y : !pdl.value, !pdl.value)\n'
            "pdl.rewrite %root {\n%true = pdl.attribute = true\n"
            '%new = pdl.operation "memref.store" (%x, %y : !pdl.value, !pdl.value)'
            ' {"nontemporal" = %true}\npdl.replace %root with %new }'
        )
    )
    ir = (
        "func.func @f(%x: i32, %m: memref<i32>) {\n"
        "  memref.store %x, %m[] : memref<i32>\n  func.return\n}\n"
    )

    assert "nontemporal = true" in run_pass(class_(), XDSLContext(), ir)


def test_an_operation_is_not_replaced_by_nothing() -> None:
    class_ = pass_of(pattern(f"{MATCH}pdl.rewrite %root {{ pdl.replace %root with }}"))

    with pytest.raises(PatternError):
        PassManager(XDSLContext(), "func.func").add_pass(class_())


def test_patterns_run_in_a_dynamic_pipeline() -> None:
    class Outer(OperationPass[PassOptions]):
        def run_on_operation(self) -> None:
            pipeline = OpPassManager("func.func")
            pipeline.add_pass(pass_of(pattern(SQUARE_TO_SELF))())
            for function in self.operation.body.block.ops:
                assert self.run_pipeline(pipeline, function)

    context = XDSLContext()
    module = context.parse(TWICE, "input.mlir")
    manager = PassManager(context)
    manager.add_pass(Outer())

    manager.run(module)

    assert "muli" not in context.print(module)


def test_the_highest_benefit_goes_first() -> None:
    low = pattern(SQUARE_TO_SELF, "low")
    high = pattern(SQUARE_TO_SELF, "high", benefit=2)
    pass_ = pass_of(low, high)()

    run_pass(pass_, XDSLContext())

    assert pass_.pattern_counts() == {"low": 0, "high": 2}


def test_new_operations_have_the_location_of_the_root() -> None:
    context = XDSLContext()
    manager = PassManager(context)
    manager.add_pass(create_pass(ArithStrengthReductionPassBase))
    module = context.parse(MULTIPLICATIONS, "input.mlir")

    manager.run(module)

    function = context.children(module)[0]
    sums = [
        operation
        for operation in context.children(function)
        if operation.name == "arith.addi"
    ]
    assert [context.location(operation) for operation in sums] == ["input.mlir:4:8"]


def test_a_constant_of_the_greedy_driver_has_the_location_of_what_it_folds() -> None:
    context = XDSLContext()
    manager = PassManager(context)
    manager.add_pass(create_pass(ArithIdentitiesPassBase))
    module = context.parse(
        "func.func @f(%x: i32) -> i32 {\n  %two = arith.constant 2 : i32\n"
        "  %four = arith.addi %two, %two : i32\n  func.return %four : i32\n}\n",
        "input.mlir",
    )

    manager.run(module)

    constant, _ = context.children(context.children(module)[0])
    assert (constant.name, context.location(constant)) == (
        "arith.constant",
        "input.mlir:3:11",
    )


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        (Selection(), {"mulToAdd": 1, "mulToShift": 1, "divToShift": 0}),
        (
            Selection(disabled_patterns=["mulToAdd"]),
            {"mulToShift": 2, "divToShift": 0},
        ),
        (Selection(enabled_patterns=["mulToAdd"]), {"mulToAdd": 1}),
    ],
)
def test_options_select_patterns_by_name(
    options: Selection, counts: dict[str, int]
) -> None:
    context = XDSLContext()
    manager = PassManager(context)
    pass_ = create_pass(ArithStrengthReductionPassBase, options)
    manager.add_pass(pass_)

    manager.run(context.parse(MULTIPLICATIONS, "input.mlir"))

    assert pass_.pattern_counts() == counts


def test_selection_of_an_unknown_pattern_is_refused() -> None:
    pass_ = create_pass(
        ArithStrengthReductionPassBase, Selection(disabled_patterns=["mulToAd"])
    )

    with pytest.raises(PassOptionError, match="no pattern 'mulToAd'") as caught:
        PassManager(XDSLContext()).add_pass(pass_)

    assert caught.value.notes == ("did you mean 'mulToAdd'?",)


def test_a_wrong_pattern_can_be_disabled() -> None:
    base = pass_of(pattern(WRONG["syntax"][0], "wrong"), pattern(SQUARE_TO_SELF))

    class Selecting(base, OperationPass[_Options]):  # type: ignore[misc, valid-type]
        pass

    pass_ = Selecting(_Options(disabled_patterns=["wrong"]))

    assert "muli" not in run_pass(pass_, XDSLContext())


def test_all_patterns_that_fail_are_named_with_the_option_that_leaves_them_out() -> (
    None
):
    base = pass_of(
        pattern(WRONG["syntax"][0], "first"),
        pattern(SQUARE_TO_SELF),
        pattern(WRONG["syntax"][0], "second"),
    )

    class Selecting(base, OperationPass[_Options]):  # type: ignore[misc, valid-type]
        pass

    with pytest.raises(PatternError) as caught:
        PassManager(XDSLContext(), "func.func").add_pass(Selecting(_Options()))

    assert str(caught.value).startswith("specs/example.yaml:")
    assert str(caught.value).endswith(
        "\nnote: on this IR, 2 of 3 patterns fail: 'first', 'second'\n"
        "note: the option 'disable-patterns' leaves patterns out"
    )


def test_two_patterns_of_a_name_are_refused() -> None:
    with pytest.raises(TypeError, match="has two patterns 'squareToSelf'"):
        pass_of(pattern(SQUARE_TO_SELF), pattern(SQUARE_TO_SELF))


def test_functions_get_what_pdl_gives_them() -> None:
    seen: list[object] = []

    def is_odd(operation: object, value: object) -> bool:
        seen.extend((type(operation).__name__, type(value).__name__))
        return len(seen) == 2

    class_ = pass_of(
        pattern(
            f'{MATCH}pdl.apply_native_constraint "isOdd"'
            "(%root, %x : !pdl.operation, !pdl.value)\n"
            "pdl.rewrite %root { pdl.replace %root with (%x : !pdl.value) }"
        ),
        native_constraints=(("isOdd", is_odd),),
    )
    pass_ = class_()

    run_pass(pass_, XDSLContext())

    assert pass_.pattern_counts() == {"squareToSelf": 1}
    assert seen[:2] == ["MuliOp", "BlockArgument"]


NATIVE_REWRITE = (
    f'{MATCH}pdl.rewrite %root {{\n%y = pdl.apply_native_rewrite "make"'
    "(%x : !pdl.value) : !pdl.value\npdl.replace %root with (%y : !pdl.value) }"
)


@pytest.mark.parametrize(
    ("returned", "shown"), [(None, "None"), (3, "3"), ((1, 2), r"\(1, 2\)")]
)
def test_wrong_results_of_functions_are_errors(returned: object, shown: str) -> None:
    class_ = pass_of(
        pattern(NATIVE_REWRITE), native_rewrites=(("make", lambda *_: returned),)
    )

    with pytest.raises(PassFailure) as caught:
        run_pass(class_(), XDSLContext())

    text = f"rewrite 'make' returned {returned!r}, expected !pdl.value"
    assert text in str(caught.value.__cause__), shown
    place = "at specs/example.yaml:34:11"
    assert f"note: in pattern 'squareToSelf' {place}\n" in caught.value.summary


def test_an_exception_of_a_condition_names_the_pattern() -> None:
    def fail(_: object) -> bool:
        raise ValueError("no luck")

    class_ = pass_of(
        pattern(SQUARE_TO_SELF.replace("muli", "subi"), "other"),
        pattern(SQUARE_IF_ALLOWED, "second"),
        native_constraints=(("isAllowed", fail),),
    )

    with pytest.raises(PassFailure) as caught:
        run_pass(class_(), XDSLContext())

    _, *notes, _ = caught.value.summary.splitlines()
    assert notes == [
        "note: it raised ValueError: no luck",
        "note: in pattern 'second' at specs/example.yaml:34:11",
    ]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("no_such_module:f", "does not import"),
        ("passgen_runtime.passes.arith.integer_attributes:log3", "has no function"),
        ("math:pi", "'math:pi' is no function, but of type 'float'$"),
    ],
)
def test_missing_functions_are_refused_when_the_pass_is_added(
    function: str, message: str
) -> None:
    class_ = pass_of(pattern(NATIVE_REWRITE), native_rewrites=(("make", function),))

    with pytest.raises(PatternError, match=message):
        PassManager(XDSLContext(), "func.func").add_pass(class_())


def test_an_implementation_applies_the_patterns_when_it_wants() -> None:
    class Example(pass_of(pattern(SQUARE_TO_SELF))):  # type: ignore[misc]
        def run_on_operation(self) -> None:
            if self.operation.sym_name.data == "twice":
                self.apply_patterns()

    other = TWICE.replace("twice", "other")

    text = run_pass(Example(), XDSLContext(), TWICE + other)

    assert text.count("muli") == 2


def test_an_implementation_that_changes_more_is_not_unchanged() -> None:
    class Example(pass_of(pattern(SQUARE_TO_SELF))):  # type: ignore[misc]
        def run_on_operation(self) -> None:
            self.operation.attributes["seen"] = self.operation.sym_name
            self.apply_patterns()

    before = "func.func @f() { func.return }"
    after = 'func.func @f() attributes {seen = "f"} { func.return }'
    assert_rewrites(Example(), before, after)


def test_create_pass_prefers_an_implementation() -> None:
    declared = pass_of(pattern(SQUARE_TO_SELF))
    assert type(create_pass(declared)) is declared

    class Example(declared):  # type: ignore[misc, valid-type]
        pass

    assert type(create_pass(declared)) is Example


@pytest.mark.process
@pytest.mark.parametrize("has_workers", [False, True])
def test_counts_are_those_of_all_threads_and_workers(*, has_workers: bool) -> None:
    context = XDSLContext()
    functions = [TWICE.replace("twice", f"f{number}") for number in range(20)]
    manager = PassManager(context)
    multiplications = [
        MULTIPLICATIONS.replace("multiply", f"g{number}") for number in range(20)
    ]
    module = context.parse("".join(functions + multiplications), "input.mlir")
    pass_ = create_pass(ArithStrengthReductionPassBase)
    manager.nest("func.func").add_pass(pass_)
    if has_workers:
        with ProcessPool(2) as pool:
            manager.run(module, Workers(pool, sends_always=True))
    else:
        manager.runner = Threads(max_workers=2)
        manager.run(module)

    assert pass_.pattern_counts() == {"mulToAdd": 20, "mulToShift": 20, "divToShift": 0}
    assert inert_patterns(manager.passes()) == {
        "ArithStrengthReduction": ["divToShift"]
    }


def test_patterns_without_an_effect_are_listed() -> None:
    context = XDSLContext()
    manager = PassManager(context)
    manager.add_pass(create_pass(ArithStrengthReductionPassBase))
    manager.add_pass(create_pass(ArithIdentitiesPassBase))

    manager.run(context.parse(MULTIPLICATIONS, "input.mlir"))

    assert inert_patterns_report(manager.passes()) == (
        "Patterns that were never applied:\n"
        "  ArithIdentities: addZero, mulByOne, doubleNegation\n"
        "  ArithStrengthReduction: divToShift\n\n"
    )


class _Skipping:
    """A handler that skips all but some applications."""

    tags = frozenset({"apply-pattern"})

    def __init__(self, num_allowed: int) -> None:
        self.seen: list[str] = []
        self._num_allowed = num_allowed

    def __call__(self, action: PassExecution, run: object) -> None:
        if isinstance(action, PatternApplication):
            self.seen.append(f"{action.tag} {action.pattern.name} in {action.path}")
            if len(self.seen) > self._num_allowed:
                return
        assert callable(run)
        run()


def test_handlers_may_skip_each_application() -> None:
    context = XDSLContext()
    manager = PassManager(context)
    pass_ = pass_of(pattern(SQUARE_TO_SELF))()
    manager.nest("func.func").add_pass(pass_)
    handler = _Skipping(num_allowed=1)
    manager.add_action_handler(handler)

    manager.run(context.parse(TWICE, "input.mlir"))

    place = "builtin.module/func.func[0]/example[0]"
    assert handler.seen == [f"apply-pattern squareToSelf in {place}"] * 2
    assert pass_.pattern_counts() == {"squareToSelf": 1}


@pytest.mark.parametrize(
    "class_", [ArithStrengthReductionPassBase, ArithIdentitiesPassBase]
)
def test_examples_of_the_shipped_patterns_hold(class_: type[Patterns]) -> None:
    assert_pattern_examples(class_)


def test_an_example_that_does_not_hold_is_shown() -> None:
    wrong = pattern(
        SQUARE_TO_SELF,
        before="%0 = arith.muli %x, %x : i32\n%1 = arith.addi %0, %y : i32",
        after="%1 = arith.addi %y, %x : i32",
    )

    with pytest.raises(AssertionError) as caught:
        assert_pattern_examples(pass_of(wrong))

    assert "does not do what its example says" in str(caught.value)
    assert "-    %0 = arith.addi %y, %x : i32" in str(caught.value)


def test_two_operations_that_may_be_one_are_not_both_replaced() -> None:
    squares = "".join(
        f'%{name} = pdl.operation "arith.muli" (%x, %x : !pdl.value, !pdl.value)'
        f" -> (%type : !pdl.type)\n%{name}_value = pdl.result 0 of %{name}\n"
        for name in ("a", "b")
    )
    pdl = (
        f"%type = pdl.type\n%x = pdl.operand : %type\n{squares}"
        '%root = pdl.operation "arith.addi" (%a_value, %b_value : !pdl.value, '
        "!pdl.value) -> (%type : !pdl.type)\npdl.rewrite %root {\n"
        "pdl.replace %a with (%x : !pdl.value)\n"
        "pdl.replace %b with (%x : !pdl.value) }"
    )
    class_ = pass_of(pattern(pdl), pattern_driver=PatternDriver("greedy"))

    with pytest.raises(PatternError, match="two operations besides the root are gone"):
        PassManager(XDSLContext(), "func.func").add_pass(class_())


@pytest.mark.parametrize("value", [False, None, 0, []])
def test_what_a_constraint_returns_is_true_or_false_as_in_python(
    value: object,
) -> None:
    assert "muli" in ir_after_a_constraint_that_returns(value, XDSLContext())


def test_a_pass_may_run_inside_itself() -> None:
    assert counts_of_a_pass_that_runs_inside_itself(XDSLContext()) == [2, 2]


@pytest.mark.parametrize("driver", ["walk", "greedy"])
def test_a_pass_whose_patterns_are_all_disabled_changes_nothing(
    driver: DriverName,
) -> None:
    assert ir_after_all_patterns_are_disabled(XDSLContext(), driver).count("muli") == 2


def test_a_run_after_a_failed_one_touches_its_own_operations_alone() -> None:
    seen: list[object] = []

    def fail_once(operation: object) -> bool:
        seen.append(operation)
        if not seen[1:]:
            raise ValueError
        return True

    functions = (("isAllowed", fail_once),)
    class_ = pass_of(pattern(SQUARE_IF_ALLOWED), native_constraints=functions)
    context, second = XDSLContext(), class_()
    with pytest.raises(PassFailure):
        run_pass(class_(), context)

    run_pass(second, context)

    assert second.pattern_counts() == {"squareToSelf": 2}


def test_a_comment_in_pdl_ends_with_its_line_alone() -> None:
    wrong = SQUARE_TO_SELF.replace("muli", "mulli")
    class_ = pass_of(pattern(wrong.replace("\n", " // a\fb\u2028c\n", 1)))

    with pytest.raises(PatternError, match=r"36:19: .* 'arith\.mulli'"):
        PassManager(XDSLContext(), "func.func").add_pass(class_())


def test_a_block_of_a_pattern_has_no_arguments() -> None:
    body = SQUARE_TO_SELF.replace("%x = pdl.operand : %type\n", "")
    generic = '"pdl.pattern"() <{benefit = 1 : i16}> ({\n^body(%x: !pdl.value):\n'
    class_ = pass_of(
        pattern(f"module {{ {generic}{body} }}) : () -> () }} // pdl.pattern")
    )

    with pytest.raises(PatternError, match="uses an argument of a block"):
        PassManager(XDSLContext(), "func.func").add_pass(class_())


@pytest.mark.parametrize(
    ("pdl", "rewrites", "named"),
    [
        (f"{MATCH}pdl.rewrite %rot {{ }}", (), "specs/example.yaml"),
        (NATIVE_REWRITE, (("make", "math:pi"),), "'math:pi' is no function"),
    ],
)
def test_an_error_of_a_pattern_advises_no_nesting(
    pdl: str, rewrites: tuple[tuple[str, str], ...], named: str
) -> None:
    registry = PassRegistry()
    registry.register_pass(pass_of(pattern(pdl), native_rewrites=rewrites))
    text = "builtin.module(func.func(example))"
    with pytest.raises(PassError) as raised:
        parse_pass_manager(text, XDSLContext(), registry=registry)
    assert named in str(raised.value)
    assert "nests it" not in str(raised.value)


def test_a_division_by_no_power_of_two_stays() -> None:
    ir = """
    func.func @f(%x: i32) -> i32 {
      %six = arith.constant 6 : i32
      %0 = arith.divui %x, %six : i32
      func.return %0 : i32
    }
    """
    assert_no_pattern_applies(ArithStrengthReductionPassBase, ir)


@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_two_negations_of_each_float_are_removed(type_: str) -> None:
    before = f"""
    func.func @f(%x: {type_}) -> {type_} {{
      %0 = arith.negf %x : {type_}
      %1 = arith.negf %0 : {type_}
      func.return %1 : {type_}
    }}
    """
    after = f"func.func @f(%x: {type_}) -> {type_} {{\nfunc.return %x : {type_}\n}}"
    assert_rewrites("builtin.module(arith-identities)", before, after)
