"""When the IR is verified: after passes with an effect, after all, or at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest
from xdsl.dialects.builtin import UnitAttr

from passgen_runtime import OperationPass, PassFailure, PassOptions
from tests.recording import Session

VerifyEach = bool | Literal["end", "all"]
TEXT = "func.func @f() { return }"


class Does(OperationPass[PassOptions]):
    argument = "does"

    def __init__(self, do: Callable[[Any], object]) -> None:
        super().__init__()
        self.do = do

    def run_on_operation(self) -> None:
        self.do(self)


def break_ir(pass_: Any) -> None:  # noqa: ANN401 - the pass
    """Remove the terminator."""
    pass_.operation.body.block.last_op.detach()


def mend_ir(pass_: Any) -> None:  # noqa: ANN401 - the pass
    from xdsl.dialects.func import ReturnOp  # noqa: PLC0415

    pass_.operation.body.block.add_op(ReturnOp())


def break_and_say_unchanged(pass_: Any) -> None:  # noqa: ANN401 - the pass
    break_ir(pass_)
    pass_.mark_unchanged()


def break_and_preserve(pass_: Any) -> None:  # noqa: ANN401 - the pass
    break_ir(pass_)
    pass_.mark_all_analyses_preserved()


def failure(verify_each: VerifyEach, *does: Callable[[Any], object]) -> str:
    """Return the failed pass of a run on a function, or `fine`."""
    session = Session(TEXT)
    session.manager.verify_each = verify_each
    nested = session.manager.nest("func.func")
    for number, do in enumerate(does):
        pass_ = Does(do)
        pass_.argument = f"p{number}"  # type: ignore[misc] # of this object
        nested.add_pass(pass_)
    try:
        session.run()
    except PassFailure as error:
        assert len(session.diagnostics) == 1
        return error.argument or "verifier"
    assert session.diagnostics == []
    return "fine"


@pytest.mark.parametrize(
    ("verify_each", "found"),
    [(True, "p0"), ("all", "p0"), ("end", "verifier"), (False, "fine")],
)
def test_invalid_ir_is_found(verify_each: VerifyEach, found: str) -> None:
    assert failure(verify_each, break_ir, Does.mark_unchanged) == found


@pytest.mark.parametrize("break_", [break_and_say_unchanged, break_and_preserve])
@pytest.mark.parametrize(
    ("verify_each", "found"),
    [(True, "fine"), ("all", "p0"), ("end", "verifier"), (False, "fine")],
)
def test_a_false_claim_is_found_by_all_and_at_the_end(
    verify_each: VerifyEach, found: str, break_: Callable[[Any], object]
) -> None:
    # The pipeline around, which nests the pass, is verified without what is inside.
    assert failure(verify_each, break_) == found


@pytest.mark.parametrize(
    ("verify_each", "found"), [(True, "p0"), ("all", "p0"), ("end", "fine")]
)
def test_ir_may_be_invalid_on_the_way_to_the_end(
    verify_each: VerifyEach, found: str
) -> None:
    assert failure(verify_each, break_ir, mend_ir) == found


def test_the_failure_at_the_end_names_the_operation_and_the_pipeline() -> None:
    session = Session(TEXT)
    session.manager.verify_each = "end"
    session.manager.nest("func.func").add_pass(Does(break_ir))
    with pytest.raises(PassFailure) as raised:
        session.run()
    assert "'builtin.module' operation" in str(raised.value)
    assert "in the pipeline builtin.module(func.func(does))" in str(raised.value)


def test_a_pass_that_says_it_changed_nothing_is_not_verified() -> None:
    session = Session(TEXT)
    verified: list[Any] = []

    def count(operation: object, *, recursive: bool = True) -> None:
        del recursive
        verified.append(operation)

    session.context.verify = count  # type: ignore[method-assign]
    nested = session.manager.nest("func.func")
    for do in (Does.mark_unchanged, Does.mark_all_analyses_preserved):
        nested.add_pass(Does(do))
    session.run()
    assert [operation.name for operation in verified] == ["builtin.module"]
    nested.add_pass(Does(lambda pass_: pass_.operation.attributes.update(a=UnitAttr())))
    verified.clear()
    session.run()
    assert [each.name for each in verified] == ["func.func", "builtin.module"]
