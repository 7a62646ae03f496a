"""Idempotent passes are skipped on operations on which nothing has changed."""

from __future__ import annotations

import sys
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from subprocess import run
from typing import Any

import pytest
from xdsl.dialects.builtin import IntAttr, UnitAttr
from xdsl.ir import Operation

from passgen_runtime import (
    INT64,
    OperationPass,
    OpPassManager,
    Pass,
    PassExecution,
    PassFailure,
    PassInstrumentation,
    PassOptions,
    option,
)
from passgen_runtime.instrumentations.ir_printing import (
    FileTreeDestination,
    IRPrintingConfig,
    enable_ir_printing,
    every_pass,
    passes_called,
)
from passgen_runtime.instrumentations.observers import ir_printing
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.cse import CSE
from passgen_runtime.passes.generated.arith_passes import createArithStrengthReduction
from passgen_runtime.passes.generated.transforms_passes import CanonicalizerOptions
from passgen_runtime.patterns import PatternApplication
from passgen_runtime.runners import Threads
from tests.recording import FUNCTIONS, Log, Session, title


@dataclass(kw_only=True)
class TidyOptions(PassOptions):
    level: int = option("level", INT64, default=0)


class Tidy(OperationPass[TidyOptions]):
    """Changes nothing, or so `outcome` says; logs that it ran."""

    argument = "tidy"
    idempotent = True
    log: Log
    outcome = "unchanged"

    def run_on_operation(self) -> None:
        self.log.add(title(self.context, self.operation))
        self.state.outcome = self.outcome


class Does(OperationPass[PassOptions]):
    """Does what it was made with."""

    argument = "does"

    def __init__(self, do: Callable[[Any], object] = Pass.mark_unchanged) -> None:
        super().__init__()
        self.do = do

    def run_on_operation(self) -> None:
        self.do(self)


def change(_: Pass) -> None:
    """Declare nothing: that counts as a change."""


class Run:
    """A session whose passes `tidy` write into one log."""

    def __init__(self, text: str = FUNCTIONS) -> None:
        self.session = Session(text)
        self.manager = self.session.manager
        self.functions = self.manager.nest("func.func")
        self.log = self.session.log

    def tidy(self, outcome: str = "unchanged", level: int = 0) -> Tidy:
        made = Tidy(TidyOptions(level=level))
        made.log, made.outcome = self.log, outcome
        return made

    def ran_on(self) -> list[str]:
        return self.session.run()


class Watch(PassInstrumentation):
    def __init__(self) -> None:
        self.events: list[str] = []

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        del operation
        self.events.append(f"before {pass_.argument}")

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        del operation
        self.events.append(f"after {pass_.argument}")

    def run_on_skip(self, pass_: Pass, operation: Operation) -> None:
        del operation
        self.events.append(f"skip {pass_.argument}")


ONCE, TWICE = ["@a", "@b"], ["@a", "@a", "@b", "@b"]


@pytest.mark.parametrize(
    ("between", "ran_on"),
    [(Pass.mark_unchanged, ONCE), (change, TWICE), (Pass.mark_unfinished, TWICE)],
)
@pytest.mark.parametrize("verify_each", [False, True, "end", "all"])
def test_a_pass_is_skipped_until_another_one_changes_its_operation(
    between: Callable[[Any], None],
    ran_on: list[str],
    verify_each: Any,  # noqa: ANN401 - of the manager
) -> None:
    run = Run()
    run.manager.verify_each = verify_each
    for pass_ in (run.tidy(), Does(between), run.tidy()):
        run.functions.add_pass(pass_)
    assert run.ran_on() == ran_on
    assert run.ran_on() == ran_on, "a run has forgotten the one before"


@pytest.mark.parametrize(
    ("outcome", "ran_on"), [("unchanged", ONCE), ("", ONCE), ("unfinished", TWICE)]
)
def test_a_pass_that_has_changed_something_is_skipped_unless_it_is_unfinished(
    outcome: str, ran_on: list[str]
) -> None:
    run = Run()
    for _ in range(2):
        run.functions.add_pass(run.tidy(outcome))
    assert run.ran_on() == ran_on


def test_a_pass_with_other_options_is_another_pass() -> None:
    run = Run()
    for level in (0, 1, 0, 1):
        run.functions.add_pass(run.tidy(level=level))
    assert run.ran_on() == TWICE


class Slotted(Tidy):
    __slots__ = ("given",)
    given: object


class Tables(Tidy):
    given: object


class OtherTables(Tidy):
    given: object


class RaisesOnComparison:
    __hash__ = None  # type: ignore[assignment] # compared by value

    def __eq__(self, other: object) -> bool:
        raise ValueError


class EqualArrays:
    """As arrays of numpy, its `==` returns no truth value."""

    __hash__ = None  # type: ignore[assignment] # compared by value

    def __eq__(self, other: object) -> Any:  # noqa: ANN401 - an array
        return EqualArrays()

    def __bool__(self) -> bool:
        raise ValueError


def factor(number: int) -> Callable[[], int]:
    return lambda: number


@dataclass
class Config:
    level: int
    names: list[str]


@dataclass
class Hidden:
    level: int = field(compare=False)


def owned(level: int) -> OpPassManager:
    """Return a pipeline of one text whose pass has an attribute that is no option."""
    manager = OpPassManager("func.func")
    made = Tables()
    made.log, made.given = Log(), level
    manager.add_pass(made)
    return manager


SHARED_LOG, SHARED_OBJECT = Log(), RaisesOnComparison()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 2),
        (1, True),
        (0.0, -0.0),
        ([0.0], [-0.0]),
        ([1], (1,)),
        ([[1]], [[2]]),
        ({"a": [1]}, {"a": [2]}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({1}, {True}),
        ({0.0}, {-0.0}),
        ({(1,)}, {(True,)}),
        (defaultdict(list), defaultdict(set)),
        (deque([1], maxlen=1), deque([1], maxlen=5)),
        (Config(1, []), Config(level=True, names=[])),
        (Hidden(1), Hidden(2)),
        (IntAttr(1), IntAttr.new(bool(1))),
        (Decimal("1.0"), Decimal("1.00")),
        (factor(1), factor(2)),
        (factor(1), factor(1)),
        (object(), object()),
        (Config(1, ["a"]), Config(1, ["b"])),
        (RaisesOnComparison(), RaisesOnComparison()),
        (EqualArrays(), EqualArrays()),
        (TidyOptions(level=1), TidyOptions(level=2)),
        (owned(1), owned(2)),
    ],
)
@pytest.mark.parametrize("pass_class", [Tables, Slotted])
def test_a_pass_with_other_attributes_is_another_pass(
    pass_class: Any,  # noqa: ANN401 - a class with `given`
    one: object,
    other: object,
) -> None:
    run = Run()
    for given in (one, other):
        made = pass_class()
        made.log, made.given = run.log, given
        run.functions.add_pass(made)
    assert run.ran_on() == TWICE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (float("nan"), float("nan")),
        ([[1.5], {"a": (1, b"c")}], [[1.5], {"a": (1, b"c")}]),
        (Config(1, ["a"]), Config(1, ["a"])),
        (SHARED_LOG, SHARED_LOG),
        (factor, factor),
        (TidyOptions(level=1), TidyOptions(level=1)),
    ],
)
@pytest.mark.parametrize("num_threads", [0, 2])
def test_a_pass_with_equal_attributes_is_the_same_pass(
    one: object, other: object, num_threads: int
) -> None:
    run = Run()
    for given in (one, other):
        made = Tables()
        made.log, made.given = run.log, given
        run.functions.add_pass(made)
    if num_threads:
        run.manager.runner = Threads(max_workers=num_threads)
    assert sorted(run.ran_on()) == ONCE


def test_a_pass_of_another_class_with_the_same_argument_is_another_pass() -> None:
    run = Run()
    for made in (Tables(), OtherTables()):
        made.log, made.given = run.log, 1
        run.functions.add_pass(made)
    assert run.ran_on() == TWICE


class Learns(Tables):
    """Changes an attribute, as no pass may, to that of another instance."""

    given: Config

    def run_on_operation(self) -> None:
        super().run_on_operation()
        self.given.level = 2


def test_attributes_count_as_they_are_at_the_begin_of_the_run() -> None:
    run = Run("func.func @a() { return }")
    for level in (1, 2):
        made = Learns()
        made.log, made.given = run.log, Config(level, [])
        run.functions.add_pass(made)
    assert run.ran_on() == ["@a", "@a"]
    assert run.ran_on() == ["@a"]


def test_a_pass_that_is_not_idempotent_is_never_skipped() -> None:
    run = Run()
    for _ in range(2):
        pass_ = run.tidy()
        pass_.idempotent = False  # type: ignore[misc] # of this object alone
        run.functions.add_pass(pass_)
    assert run.ran_on() == TWICE


DEEPER = """
module {
  module @outer {
    func.func @a() { return }
    module @inner {
      func.func @b() { return }
    }
  }
}
"""


@pytest.mark.parametrize("num_threads", [0, 2])
@pytest.mark.parametrize(
    ("change_on", "ran_on"),
    [
        ("", ["@a", "@b"]),
        ("@b", ["@a", "@b", "@b"]),
        ("@inner", ["@a", "@b", "@b"]),
        ("builtin.module", ["@a", "@b", "@a", "@b"]),
    ],
)
def test_a_change_counts_for_its_operation_and_all_that_are_nested_in_it(
    change_on: str, ran_on: list[str], num_threads: int
) -> None:
    run = Run(DEEPER)

    def change_some(pass_: Any) -> None:  # noqa: ANN401 - the pass
        if title(pass_.context, pass_.operation) != change_on:
            pass_.mark_unchanged()

    manager = run.manager
    manager.clear()
    if num_threads:
        manager.runner = Threads(max_workers=num_threads)
    outer = manager.nest("builtin.module")
    outer.nest("func.func").add_pass(run.tidy())
    outer.nest("builtin.module").nest("func.func").add_pass(run.tidy())
    middle = [outer.nest("builtin.module"), outer, manager]
    middle[0].nest("func.func").add_pass(Does(change_some))
    for place in middle:
        place.add_pass(Does(change_some))
    last = manager.nest("builtin.module")
    last.nest("func.func").add_pass(run.tidy())
    last.nest("builtin.module").nest("func.func").add_pass(run.tidy())
    # In threads, the function and the module beside it are run on in any order.
    assert sorted(run.ran_on()) == sorted(ran_on)


@pytest.mark.parametrize(("do", "times"), [(Pass.mark_unchanged, 1), (change, 2)])
def test_a_change_inside_counts_for_the_operation_around(
    do: Callable[[Any], None], times: int
) -> None:
    run = Run("func.func @a() { return }")
    run.manager.clear()
    run.manager.add_pass(run.tidy())
    run.manager.nest("func.func").add_pass(Does(do))
    run.manager.add_pass(run.tidy())
    assert run.ran_on() == ["builtin.module"] * times


def test_a_dynamic_pipeline_skips_within_a_run_but_not_across_runs() -> None:
    run = Run("func.func @a() { return }")
    inner = OpPassManager("func.func")
    inner.add_pass(run.tidy())
    inner.add_pass(run.tidy())

    def run_twice(pass_: Any) -> None:  # noqa: ANN401 - the pass
        for _ in range(2):
            assert pass_.run_pipeline(pass_.inner, pass_.operation)
            pass_.operation.attributes["touched"] = UnitAttr()

    runs = Does(run_twice)
    runs.inner = inner  # type: ignore[attr-defined] # copied with the pass
    for pass_ in (run.tidy(), runs, run.tidy()):
        run.functions.add_pass(pass_)
    assert run.ran_on() == ["@a"] * 4


def test_a_dynamic_pipeline_runs_with_the_attributes_that_its_passes_have_then() -> (
    None
):
    run = Run("func.func @a() { return }")
    seen: list[object] = []
    inner = OpPassManager("func.func")
    reads = Does(lambda pass_: seen.append(pass_.given))
    inner.add_pass(reads)

    def run_twice(pass_: Any) -> None:  # noqa: ANN401 - the pass
        for given in (1, 2):
            pass_.inner.elements[0].given = given
            assert pass_.run_pipeline(pass_.inner, pass_.operation)

    runs = Does(run_twice)
    runs.inner = inner  # type: ignore[attr-defined] # copied with the pass
    run.functions.add_pass(runs)
    run.ran_on()
    assert seen == [1, 2]


def test_a_failed_pass_is_not_skipped_in_another_run() -> None:
    run = Run("func.func @a() { return }")
    run.functions.add_pass(run.tidy())
    run.functions.add_pass(Does(Pass.signal_pass_failure))
    for _ in range(2):
        with pytest.raises(PassFailure):
            run.ran_on()
        assert run.log.events == ["@a"]


def test_hooks_are_called_for_a_skip_instead_of_a_run() -> None:
    run, watch = Run("func.func @a() { return }"), Watch()
    run.manager.add_instrumentation(watch)
    run.functions.add_pass(run.tidy())
    run.functions.add_pass(run.tidy())
    run.ran_on()
    assert watch.events == ["before tidy", "after tidy", "skip tidy"]


@pytest.mark.parametrize(
    ("config", "num_dumps"),
    [
        (IRPrintingConfig(before=every_pass), 3),
        (IRPrintingConfig(after=every_pass), 3),
        (IRPrintingConfig(before=passes_called("tidy")), 2),
        (IRPrintingConfig(after=passes_called("does")), 1),
        (IRPrintingConfig(after=every_pass, after_only_on_change=True), 0),
        (IRPrintingConfig(after=every_pass, after_only_on_failure=True), 0),
        (IRPrintingConfig(after=every_pass, diff=lambda _before, _after: ""), 0),
    ],
)
def test_the_ir_is_printed_around_a_skip_as_if_the_pass_had_run(
    config: IRPrintingConfig, num_dumps: int
) -> None:
    run = Run("func.func @a() { return }")
    for pass_ in (run.tidy(), run.tidy(), Does()):
        run.functions.add_pass(pass_)
    with ir_printing(run.manager, config) as skipping:
        assert run.ran_on() == ["@a"]
    run.manager.skips_unchanged = False
    with ir_printing(run.manager, config) as running:
        assert run.ran_on() == ["@a", "@a"]
    assert skipping.dumps == running.dumps
    assert len(skipping.dumps) == num_dumps


def test_a_skip_keeps_its_number_in_a_tree_of_dumps(tmp_path: Path) -> None:
    run = Run("func.func @a() { return }")
    for pass_ in (run.tidy(), run.tidy(), Does()):
        run.functions.add_pass(pass_)
    tree = FileTreeDestination(run.manager.context, tmp_path)
    enable_ir_printing(run.manager, IRPrintingConfig(after=every_pass), tree)
    run.ran_on()
    assert sorted(path.name for path in tmp_path.rglob("*.mlir")) == [
        "0_0_tidy.mlir",
        "0_1_tidy.mlir",
        "0_2_does.mlir",
    ]


def test_optional_statistics_count_skips() -> None:
    run = Run()
    for _ in range(2):
        run.functions.add_pass(run.tidy())
    run.ran_on()
    assert "(S)" not in run.manager.statistics_report()
    run.manager.counts_optional = True
    run.ran_on()
    report = run.manager.statistics_report()
    assert "(S) 2 skipped-unchanged - " in report
    assert report.count("(S)") == 1


def test_nothing_is_skipped_if_not_wanted() -> None:
    run = Run()
    for _ in range(2):
        run.functions.add_pass(run.tidy())
    run.manager.skips_unchanged = False
    assert run.ran_on() == TWICE
    run.manager.skips_unchanged = True
    assert run.ran_on() == ONCE


def test_handlers_of_actions_get_the_passes_that_are_not_skipped() -> None:
    run, watch = Run(), Watch()
    for _ in range(2):
        run.functions.add_pass(run.tidy())
    asked: list[str] = []

    def ask(action: PassExecution, go: Callable[[], bool]) -> None:
        asked.append(action.path)
        go()

    run.manager.add_action_handler(ask)
    run.manager.add_instrumentation(watch)
    assert run.ran_on() == ONCE
    assert asked == ["builtin.module/func.func[0]/tidy[0]"] * 2
    assert watch.events == ["before tidy", "after tidy", "skip tidy"] * 2


def test_a_pass_that_a_handler_keeps_from_running_does_not_count_as_run() -> None:
    run = Run()
    for _ in range(3):
        run.functions.add_pass(run.tidy())
    run.manager.add_action_handler(
        lambda action, go: None if action.path.endswith("[0]") else go()
    )
    assert run.ran_on() == ONCE


def test_a_pass_is_not_skipped_on_what_a_handler_has_changed_after_it() -> None:
    run = Run()
    for _ in range(2):
        run.functions.add_pass(run.tidy())

    def change_after(action: PassExecution, go: Callable[[], bool]) -> None:
        go()
        action.operation.attributes["changed"] = UnitAttr()
        action.pass_.mark_unfinished()

    run.manager.add_action_handler(change_after)
    assert run.ran_on() == TWICE


MULTIPLIED = """
func.func @f(%x: i32) -> i32 {
  %c = arith.constant 2 : i32
  %0 = arith.muli %x, %c : i32
  return %0 : i32
}
"""


@pytest.mark.parametrize(("refuses", "num_asked"), [(False, 1), (True, 4)])
def test_a_pass_with_a_pattern_that_a_handler_refuses_runs_again(
    refuses: bool,  # noqa: FBT001 - of the parameters of the test
    num_asked: int,
) -> None:
    asked: list[str] = []

    class Ask:
        tags = frozenset({PatternApplication.tag})

        def __call__(self, action: PassExecution, go: Callable[[], bool]) -> None:
            if isinstance(action, PatternApplication):
                asked.append(action.pattern.name)
            if not (refuses and isinstance(action, PatternApplication)):
                go()

    run = Run(MULTIPLIED)
    for _ in range(2):
        pass_ = createArithStrengthReduction()
        pass_.idempotent = True  # type: ignore[misc] # of this object alone
        run.functions.add_pass(pass_)
    run.manager.add_action_handler(Ask())
    run.ran_on()
    assert len(asked) == num_asked


@pytest.mark.process
def test_a_pipeline_without_an_idempotent_pass_does_not_load_the_module() -> None:
    program = """
import sys
from passgen_runtime import PassManager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.cse import CSE
from passgen_runtime.passes.generated.arith_passes import createArithStrengthReduction
from passgen_runtime.passes.generated.transforms_passes import CanonicalizerOptions
from passgen_runtime.runners import Threads
from passgen_runtime.runners import Threads

context = XDSLContext()
manager = PassManager(context)
manager.add_pass(CSE())
manager.run(context.parse("", "input.mlir"))
assert "passgen_runtime.pass_manager.skipping" not in sys.modules
"""
    run([sys.executable, "-c", program], check=True)


UNFOLDED = """
func.func @f(%a: i32) -> i32 {
  %0 = arith.constant 0 : i32
  %1 = arith.addi %a, %0 : i32
  return %1 : i32
}
"""


@pytest.mark.parametrize(
    ("text", "max_iterations", "outcome"),
    [
        ("func.func @f() { return }", 10, "unchanged"),
        (UNFOLDED, 10, ""),
        (UNFOLDED, 1, "unfinished"),
    ],
)
def test_canonicalize_says_whether_it_has_changed_anything_and_is_done(
    text: str, max_iterations: int, outcome: str
) -> None:
    session, found = Session(text), []

    class Look(PassInstrumentation):
        def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
            del operation
            found.append(pass_.state.outcome)

    session.manager.add_instrumentation(Look())
    options = CanonicalizerOptions(max_iterations=max_iterations)
    session.manager.nest("func.func").add_pass(Canonicalizer(options))
    session.run()
    assert found == [outcome]


def test_cse_of_xdsl_is_not_idempotent() -> None:
    """A run erases unused operations, and then the next run those that they used."""
    session = Session("""
        func.func @f(%a: i32) {
          %0 = arith.addi %a, %a : i32
          %1 = arith.addi %0, %a : i32
          return
        }
    """)
    sizes = []
    for _ in range(2):
        session.manager.clear()
        session.manager.add_pass(CSE())
        session.run()
        sizes.append(sum(1 for _ in session.module.walk()))
    assert sizes == [4, 3]
    assert not CSE.idempotent
