"""The audit: each rule for pass authors, broken once."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count
from random import Random
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import StringAttr, UnitAttr, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Block, Operation

from passgen_runtime import (
    OperationPass,
    OpPassManager,
    Pass,
    PassFailure,
    PassManager,
    PassOptions,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_registry.resolution import parse_pass_manager
from passgen_runtime.printing_flags import PrintingFlags
from passgen_runtime.runners import Threads
from passgen_tools.adaptors import Inspector
from passgen_tools.audit import (
    AuditError,
    Violation,
    enable_audit,
)
from passgen_tools.ir_libraries import (
    Adaptors,
    XDSLLibrary,
    inspector_of,
    register_ir_library,
)
from passgen_tools.opt import shipped_registry
from tests.recording import FUNCTIONS, NESTED, Running, Session

ON_A = "input.mlir:1:1: error: pass 'p' on 'func.func' operation: @a at input.mlir:1:1 "
RULES = {
    "inside": "a pass changes only its operation, and those nested in it",
    "attributes": "of its operation itself, a pass changes the attributes only",
    "state": "a pass keeps no state from one operation to the next",
    "dialects": "a pass declares the dialects whose entities it may create",
    "claims": "a pass preserves only those analyses that are still right",
    "repeat": "an idempotent pass has no effect on its own result",
    "copy": "a pass can be copied, and its copy has the same options",
}


class Size:
    def __init__(self, operation: Operation) -> None:
        self.value = sum(1 for _ in operation.walk())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Size) and self.value == other.value

    __hash__ = None  # type: ignore[assignment] # equal by value


class Doing(OperationPass[PassOptions]):
    """Calls the function that it was made with."""

    def __init__(self, do: Callable[[Any], None]) -> None:
        super().__init__()
        self.do = do

    def run_on_operation(self) -> None:
        self.do(self)


def doing(argument: str, do: Callable[[Any], None], **attributes: object) -> Pass:
    """Return a pass of a class of its own that does `do`."""
    made = type("Doing", (Doing,), {"argument": argument, **attributes})
    return cast("Pass", made(do))


def violations_of(do: Callable[[Any], None], text: str = FUNCTIONS) -> list[str]:
    """Return the messages of the audit about a pass that does `do` on `@a`."""
    session = Session(text)
    audit = enable_audit(session.manager)
    session.manager.verify_each = False

    def only_on_a(pass_: Running) -> None:
        if pass_.operation.sym_name.data == "a":
            do(pass_)

    session.manager.nest("func.func").add_pass(doing("p", only_on_a))
    session.run()
    found = [str(violation) for violation in audit.violations]
    assert found == session.diagnostics
    return found


def test_a_pass_at_fault_on_many_functions_is_reported_once() -> None:
    functions = "".join(
        f"func.func @f{number}() {{ return }}\n" for number in range(30)
    )
    session = Session(functions)
    audit = enable_audit(session.manager)

    def count_runs(pass_: Running) -> None:
        pass_.runs = getattr(pass_, "runs", 0) + 1

    session.manager.nest("func.func").add_pass(doing("p", count_runs))
    session.run()

    [violation] = audit.violations
    assert len(violation.others) == 29
    assert "note: also on 29 other operations, the first of them" in str(violation)


def audited(pass_: Pass, text: str = "func.func @a() { return }") -> list[Violation]:
    """Return the violations that the audit finds when `pass_` runs on functions."""
    session = Session(text)
    audit = enable_audit(session.manager)
    session.manager.nest("func.func").add_pass(pass_)
    session.run()
    return audit.violations


def violation(rule: str, found: str) -> str:
    return f"{ON_A}{found}\ninput.mlir:1:1: note: the rule: {RULES[rule]}"


def sibling(pass_: Running) -> Any:  # noqa: ANN401 - a function of xDSL
    return list(pass_.operation.parent_op().ops)[1]


def change_sibling(pass_: Running) -> None:
    sibling(pass_).attributes["touched"] = UnitAttr()


def change_inside_sibling(pass_: Running) -> None:
    sibling(pass_).body.block.first_op.attributes["touched"] = UnitAttr()


def erase_sibling(pass_: Running) -> None:
    sibling(pass_).detach()


def add_sibling(pass_: Running) -> None:
    copy = pass_.operation.clone()
    copy.properties["sym_name"] = StringAttr("c")
    pass_.operation.parent.add_op(copy)


def change_parent(pass_: Running) -> None:
    pass_.operation.parent_op().attributes["touched"] = UnitAttr()


def leave(pass_: Running) -> None:
    pass_.operation.detach()


def remember(pass_: Running) -> None:
    pass_.seen = pass_.operation.sym_name.data


def remember_in_class(pass_: Running) -> None:
    type(pass_).seen = pass_.operation.sym_name.data


@dataclass(kw_only=True)
class OtherOptions(PassOptions):
    """Options that a pass was not made with."""


def change_options(pass_: Running) -> None:
    pass_.options = OtherOptions()


def create_operation(pass_: Running) -> None:
    block = pass_.operation.body.block
    block.insert_op_before(test.TestOp(), block.first_op)


def create_type(pass_: Running) -> None:
    pass_.operation.attributes["type"] = LLVMPointerType()


def lie(pass_: Running) -> None:
    pass_.operation.attributes["touched"] = UnitAttr()
    pass_.mark_all_analyses_preserved()


def preserve_what_is_wrong(pass_: Running) -> None:
    pass_.get_analysis(Size)
    pass_.operation.body.block.last_op.detach()
    pass_.mark_analyses_preserved(Size)


def preserve_what_is_wrong_inside(pass_: Running) -> None:
    inner = pass_.operation.body.block.first_op
    pass_.get_child_analysis(Size, inner)
    inner.regions[0].block.first_op.detach()
    pass_.mark_analyses_preserved(Size)


def preserve_what_is_erased(pass_: Running) -> None:
    inner = pass_.operation.body.block.first_op
    pass_.get_child_analysis(Size, inner)
    inner.detach()
    pass_.mark_analyses_preserved(Size)


FUNCTION_B = "'func.func' operation: @b at input.mlir:2:1"


@pytest.mark.parametrize(
    ("do", "rule", "found"),
    [
        (change_sibling, "inside", f"changed {FUNCTION_B}"),
        (change_inside_sibling, "inside", f"changed {FUNCTION_B}"),
        (erase_sibling, "inside", f"erased or moved {FUNCTION_B}"),
        (
            add_sibling,
            "inside",
            "added 'func.func' operation: @c at input.mlir:1:1",
        ),
        (
            change_parent,
            "inside",
            "changed 'builtin.module' operation at input.mlir:0:0",
        ),
        (leave, "attributes", "changed its operands, its results or its place"),
        (remember, "state", "changed its attribute 'seen'"),
        (remember_in_class, "state", "changed its class attribute 'seen'"),
        (change_options, "state", "changed its attribute 'options'"),
        (
            create_operation,
            "dialects",
            "created entities of the dialect 'test', which it does not declare",
        ),
        (
            create_type,
            "dialects",
            "created entities of the dialect 'llvm', which it does not declare",
        ),
        (lie, "claims", "preserved all analyses, and changed its operation"),
        (
            preserve_what_is_wrong,
            "claims",
            "preserved 'Size', which is no longer right",
        ),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_each_broken_rule_is_found(
    do: Callable[[Any], None], rule: str, found: str
) -> None:
    assert violation(rule, found) in violations_of(do)


THREE = "\n".join(f"func.func @{name}() {{ return }}" for name in "abc")
MOVED_ITSELF = violation("attributes", "changed its operands, its results or its place")


def at(line: int, name: str) -> str:
    return f"'func.func' operation: @{name} at input.mlir:{line}:1"


def swap_siblings(pass_: Running) -> None:
    _, second, third = pass_.operation.parent.ops
    third.detach()
    pass_.operation.parent.insert_op_before(third, second)


def move_to_the_end(pass_: Running) -> None:
    block = pass_.operation.parent
    pass_.operation.detach()
    block.add_op(pass_.operation)


def move_to_another_block(pass_: Running) -> None:
    moved = pass_.operation.next_op
    moved.detach()
    block = Block([moved])
    pass_.operation.parent.parent.add_block(block)


def move_into_itself(pass_: Running) -> None:
    moved = pass_.operation.next_op
    moved.detach()
    block = pass_.operation.body.block
    block.insert_op_before(moved, block.first_op)


def test_siblings_that_were_moved_are_found() -> None:
    assert violations_of(swap_siblings, THREE) == [
        violation("inside", f"moved {at(3, 'c')}")
    ]
    assert violations_of(move_to_another_block)[-1] == violation(
        "inside", f"changed {at(2, 'b')}"
    )
    assert violations_of(move_into_itself)[0] == violation(
        "inside", f"erased or moved {at(2, 'b')}"
    )


def test_an_operation_that_its_pass_moved_is_found() -> None:
    assert violations_of(move_to_the_end, THREE) == [MOVED_ITSELF]


def test_siblings_of_what_is_around_are_looked_at_too() -> None:
    def do(pass_: Running) -> None:
        around = pass_.operation.parent_op()
        around.detach()
        module.body.block.add_op(around)

    session = Session(
        "module @m { func.func @a() { return } }\nfunc.func @b() { return }"
    )
    module = session.module
    audit = enable_audit(session.manager)
    session.manager.nest("builtin.module").nest("func.func").add_pass(doing("p", do))
    session.run()

    assert [(each.rule, each.found) for each in audit.violations] == [
        (RULES["inside"], "moved 'builtin.module' operation: @m at input.mlir:1:1")
    ]


HOLDS_MORE = """\
func.func @a() {
  "test.op"() ({ "test.op"() : () -> () }) : () -> ()
  return
}
"""


def test_false_claims_about_what_is_inside_are_found() -> None:
    assert violations_of(preserve_what_is_wrong_inside, HOLDS_MORE) == [
        violation(
            "claims",
            "preserved 'Size' of 'test.op' operation at input.mlir:2:3, which is no "
            "longer right",
        )
    ]
    assert violations_of(preserve_what_is_erased, HOLDS_MORE) == []


class Slotted:
    __slots__ = ("inner", "number")

    def __init__(self, inner: Slotted | None = None) -> None:
        self.inner = inner
        self.number = 0


KEPT_BY_THE_MODULE: list[str] = []


class Keeper(OperationPass[PassOptions]):
    """Keeps state wherever there is room."""

    argument = "p"

    def __init__(self) -> None:
        super().__init__()
        self.array = array("i", [0])
        self.bytes = bytearray(1)
        self.counter = count()
        self.iterator = iter([1, 2])
        self.namespace = SimpleNamespace(number=0)
        self.random = Random(0)  # noqa: S311 - no secret
        self.innermost = Slotted()
        self.slotted = Slotted(self.innermost)
        self.unchanged = [self.slotted, self.random, iter([1]), count()]

    def run_on_operation(self) -> None:
        self.array[0] += 1
        self.bytes[0] += 1
        next(self.counter)
        next(self.iterator)
        self.namespace.number += 1
        self.random.random()
        self.innermost.number += 1
        KEPT_BY_THE_MODULE.append("seen")


def test_state_is_found_wherever_it_is_kept() -> None:
    assert [each.found for each in audited(Keeper())] == [
        *(
            f"changed its attribute '{name}'"
            for name in (
                *("array", "bytes", "counter", "iterator", "namespace", "random"),
                *("innermost", "slotted", "unchanged"),
            )
        ),
        "changed its module's variable 'KEPT_BY_THE_MODULE'",
    ]


def test_what_a_pass_inside_keeps_is_not_blamed_on_the_one_around_it() -> None:
    inner = OpPassManager()
    inner.add_pass(doing("q", lambda _: KEPT_BY_THE_MODULE.append("seen")))

    def do(pass_: Running) -> None:
        assert pass_.run_pipeline(inner, pass_.operation)

    assert {each.pass_name for each in audited(doing("p", do))} == {"q"}


def test_operands_and_results_are_not_the_passs_to_change() -> None:
    session = Session("builtin.module {}")
    frames = []
    owner = test.TestOp(result_types=[i32])
    user = test.TestOp([owner.results[0]])
    for _ in range(2):
        frames.append(inspector_of(session.context).frame(user))
        user.operands = ()
    assert frames[0] != frames[1]


def what_is_allowed(pass_: Running) -> None:
    pass_.operation.attributes["touched"] = UnitAttr()
    pass_.operation.body.block.first_op.attributes["touched"] = UnitAttr()
    size = pass_.get_analysis(Size)
    assert size.value == 2
    pass_.mark_analyses_preserved(Size)
    pass_.seen = 1
    del pass_.seen


def test_what_the_rules_allow_is_not_reported() -> None:
    assert violations_of(what_is_allowed) == []


def test_a_declared_dialect_may_be_used() -> None:
    pass_ = doing("p", create_operation, dependent_dialects=("test",))

    assert audited(pass_, FUNCTIONS) == []


def test_a_pass_may_create_what_the_ir_holds_elsewhere() -> None:
    text = f'{FUNCTIONS} "test.op"() : () -> ()'
    assert violations_of(create_operation, text) == []


class Uncopyable(OperationPass[PassOptions]):
    argument = "p"
    lock: ClassVar[int] = 0

    def clone(self) -> Any:  # noqa: ANN401 - there is none
        message = "there is one of me"
        raise TypeError(message)

    def run_on_operation(self) -> None:
        pass


def test_a_pass_that_cannot_be_copied_is_found_once() -> None:
    assert [str(each) for each in audited(Uncopyable(), FUNCTIONS)] == [
        violation("copy", "cannot be copied: TypeError: there is one of me")
    ]


def test_a_pass_that_fails_is_audited_too() -> None:
    session = Session(FUNCTIONS)
    audit = enable_audit(session.manager)

    def do(pass_: Running) -> None:
        change_parent(pass_)
        pass_.signal_pass_failure()

    session.manager.nest("func.func").add_pass(doing("p", do))
    with pytest.raises(PassFailure):
        session.run()

    assert len(audit.violations) == 1
    with pytest.raises(AuditError) as error:
        audit.check()
    assert str(error.value).splitlines()[0] == (
        f"{ON_A}changed 'builtin.module' operation at input.mlir:0:0"
    )


def test_a_dynamic_pipeline_is_audited_on_its_own_operation() -> None:
    session = Session(NESTED)
    audit = enable_audit(session.manager)
    inner = OpPassManager()
    inner.add_pass(doing("q", change_parent))

    def do(pass_: Running) -> None:
        assert pass_.run_pipeline(inner, next(iter(pass_.operation.ops)))

    session.manager.add_pass(doing("p", do))
    session.run()

    assert [(each.pass_name, each.found) for each in audit.violations] == [
        ("q", "changed 'builtin.module' operation at input.mlir:0:0")
    ]


def test_an_audited_manager_has_one_thread() -> None:
    session = Session(FUNCTIONS)
    session.manager.runner = Threads(max_workers=2)
    enable_audit(session.manager)
    session.manager.nest("func.func").add_pass(session.step("P"))

    assert session.run() == ["P @a", "P @b"]


SHIPPED = """
func.func private @unused() { return }
func.func @f(%a: i32) -> (i32, i32) {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.constant 0 : i32
  %3 = arith.addi %1, %2 : i32
  affine.for %i = 0 to 8 step 2 {
    %4 = arith.addi %a, %a : i32
    "test.op"(%i, %4) : (index, i32) -> ()
  }
  return %0, %3 : i32, i32
}
"""


@pytest.mark.parametrize(
    "pipeline",
    [
        "func.func(affine-loop-invariant-code-motion)",
        "func.func(affine-loop-normalize)",
        "func.func(affine-loop-unroll)",
        "canonicalize",
        "composite-fixed-point-pass{pipeline=any(canonicalize,cse)}",
        "func.func(cse,loop-invariant-code-motion,topological-sort)",
        "print-op-stats",
        "strip-debuginfo",
        "symbol-dce",
        "symbol-privatize",
    ],
)
def test_the_shipped_passes_break_no_rule(pipeline: str) -> None:
    session = Session(SHIPPED)
    manager = parse_pass_manager(
        f"builtin.module({pipeline})", session.context, shipped_registry()
    )
    audit = enable_audit(manager)
    manager.run(session.module)

    assert [str(each) for each in audit.violations] == []


class Narrow(XDSLContext):
    """A context of a library without adaptors, which prints all regions."""

    library = "narrow"

    def print(
        self,
        operation: Operation,
        *,
        generic: bool = False,
        flags: PrintingFlags | None = None,
    ) -> str:
        flags = replace(flags or PrintingFlags(), skip_regions=False)
        return super().print(operation, generic=generic, flags=flags)


class Unhashable(Narrow):
    """A context whose operations are other objects each time."""

    library = "unhashable"


class UnhashableInspector(Inspector):
    has_lasting_objects = False


class UnhashableLibrary(XDSLLibrary):
    name = "unhashable"

    def adaptors(self) -> Adaptors:
        return Adaptors(inspector=UnhashableInspector)


def audit_without_adaptors(
    context: XDSLContext, do: Callable[[Any], None]
) -> tuple[list[str], dict[str, str]]:
    """Return the rules that a pass breaks on `@a`, and those that are not checked."""
    context.diagnostic_handler = lambda _: None
    manager = PassManager(context)
    manager.nest("func.func").add_pass(doing("p", do))
    audit = enable_audit(manager)
    manager.verify_each = False
    manager.run(context.parse(FUNCTIONS, "input.mlir"))
    return [violation.rule for violation in audit.violations], audit.unchecked


def touch(pass_: Running) -> None:
    pass_.operation.attributes["touched"] = UnitAttr()


@pytest.fixture
def _with_unhashable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("passgen_tools.ir_libraries._ROWS", {})
    register_ir_library(UnhashableLibrary)


@pytest.mark.usefixtures("_with_unhashable")
@pytest.mark.parametrize("make", [Narrow, Unhashable])
def test_honest_passes_are_not_accused_on_ir_without_adaptors(
    make: type[XDSLContext],
) -> None:
    violations, _ = audit_without_adaptors(make(), touch)

    assert violations == []


def test_what_can_be_checked_without_adaptors_is_checked() -> None:
    for do, rule in [
        (remember, "state"),
        (change_inside_sibling, "inside"),
        (add_sibling, "inside"),
        (lie, "claims"),
    ]:
        violations, _ = audit_without_adaptors(Narrow(), do)
        assert RULES[rule] in violations, do


@pytest.mark.usefixtures("_with_unhashable")
def test_rules_that_cannot_be_checked_are_named() -> None:
    _, in_part = audit_without_adaptors(Narrow(), touch)
    _, at_all = audit_without_adaptors(Unhashable(), touch)

    reason = "the IR of Unhashable has no lasting objects of operations"
    assert at_all == {RULES["inside"]: reason, RULES["attributes"]: reason}
    assert in_part == {
        RULES["inside"]: "the IR of Narrow is not printed without regions, so changes "
        "of the operations around it are not seen"
    }


def test_an_audited_run_may_follow_one_that_was_interrupted() -> None:
    """In another thread too: the run that was interrupted has left nothing behind."""
    session = Session(FUNCTIONS)
    interrupts = [KeyboardInterrupt()]

    def do(_: Running) -> None:
        if interrupts:
            raise interrupts.pop()

    session.manager.add_pass(Doing(do))
    audit = enable_audit(session.manager)
    with pytest.raises(KeyboardInterrupt):
        session.run()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(session.run).result()

    audit.check()


def mark_twice(pass_: Running) -> None:
    """Add an attribute that is not there yet."""
    attributes = pass_.operation.attributes
    attributes["second" if "first" in attributes else "first"] = UnitAttr()


def mark_once(pass_: Running) -> None:
    pass_.operation.attributes["first"] = UnitAttr()


def mark_half(pass_: Any) -> None:  # noqa: ANN401 - the pass
    mark_twice(pass_)
    pass_.mark_unfinished()


def fail_on_own_result(pass_: Running) -> None:
    if "first" in pass_.operation.attributes:
        pass_.signal_pass_failure()
    mark_once(pass_)


@pytest.mark.parametrize(
    ("do", "found"),
    [
        (mark_once, []),
        (mark_half, []),
        (mark_twice, ["changes its own result"]),
        (fail_on_own_result, ["fails on its own result"]),
    ],
)
def test_an_idempotent_pass_has_no_effect_on_its_own_result(
    do: Callable[[Running], None], found: list[str]
) -> None:
    violations = audited(doing("p", do, idempotent=True))
    assert [each.found for each in violations] == found
    assert all(each.rule == RULES["repeat"] for each in violations)


def test_other_passes_may_have_an_effect_on_their_own_result() -> None:
    assert audited(doing("p", mark_twice)) == []


def test_a_pass_that_says_it_changed_nothing_has_changed_nothing() -> None:
    def lie(pass_: Any) -> None:  # noqa: ANN401 - the pass
        mark_once(pass_)
        pass_.mark_unchanged()

    (found,) = audited(doing("p", lie))
    assert found.rule == RULES["claims"]


@pytest.mark.parametrize("level", ["disabled", "normal", "aggressive"])
def test_canonicalize_is_idempotent_as_it_declares(level: str) -> None:
    session = Session("""
        func.func @f(%a: i32, %b: i1) -> i32 {
          cf.cond_br %b, ^then(%a : i32), ^else
        ^then(%c: i32):
          %0 = arith.constant 0 : i32
          %1 = arith.addi %c, %0 : i32
          cf.br ^end(%1 : i32)
        ^else:
          cf.br ^end(%a : i32)
        ^end(%d: i32):
          %2 = arith.muli %d, %d : i32
          return %d : i32
        }
    """)
    audit = enable_audit(session.manager)
    text = f"builtin.module(canonicalize{{region-simplify={level}}})"
    session.manager.add_pipeline(
        parse_pass_manager(text, session.context, shipped_registry())
    )
    session.run()
    assert audit.violations == []
