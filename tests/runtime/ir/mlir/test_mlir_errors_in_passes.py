"""Exceptions of MLIR's bindings have their errors in passes, as outside of them.

MLIR's own passes and the verifier of the infrastructure report to the context instead.
"""

from __future__ import annotations

import pytest

from tests.runtime.ir.mlir.mlir_trial import Native, Trial, first_function

WRONG = "func.func @p( {"
MESSAGE = "expected non-function type"
INVALID = "'func.func' op requires attribute 'function_type'"


def parsed_wrong(operation: Native, bindings: Native) -> list[str]:
    """Return the errors in the exception that `bindings` raise about a text."""
    with pytest.raises(bindings.ir.MLIRError) as raised:
        bindings.ir.Operation.parse(WRONG, context=operation.context)
    return [each.message for each in raised.value.error_diagnostics]


def found_by(trial: Trial) -> list[str]:
    """Return the errors in an exception that a pass handles."""
    found: list[str] = []
    trial.run(
        "builtin.module(cse,do,cse)",
        lambda pass_: found.extend(
            parsed_wrong(pass_.operation, pass_.context.bindings)
        ),
    )
    return found


def test_an_error_that_a_pass_handles_is_in_the_exception_alone(trial: Trial) -> None:
    outside = parsed_wrong(trial.module, trial.context.bindings)
    assert (found_by(trial), trial.said) == (outside, []) == ([MESSAGE], [])


def test_it_is_reported_where_the_context_asks_for_that(trial: Trial) -> None:
    trial.context.mlir.emit_error_diagnostics = True
    assert found_by(trial) == []
    assert trial.said == [f"-:1:14: error: {MESSAGE}"]
    assert trial.context.mlir.emit_error_diagnostics is True


def test_one_that_a_pass_does_not_handle_is_in_its_failure(trial: Trial) -> None:
    def parse(pass_: Native) -> None:
        pass_.context.bindings.ir.Operation.parse(WRONG, context=pass_.context.mlir)

    assert trial.failure("builtin.module(do)", parse) == [
        "pass 'do' failed on 'builtin.module' operation at in.mlir:0:0",
        "note: it raised MLIRError: Unable to parse operation assembly:",
        f'error: "-":1:14: {MESSAGE}',
    ]
    assert trial.said == []


def test_what_a_pass_manager_of_a_pass_reports_is_in_the_exception(
    trial: Trial,
) -> None:
    found: list[str] = []

    def work(pass_: Native) -> None:
        bindings = pass_.context.bindings
        function = first_function(pass_)
        del function.attributes["function_type"]
        parse = bindings.passmanager.PassManager.parse
        manager = parse("builtin.module(cse)", pass_.context.mlir)
        with pytest.raises(bindings.ir.MLIRError) as raised:
            manager.run(pass_.operation)
        found.extend(each.message for each in raised.value.error_diagnostics)

    trial.failure("builtin.module(do)", work)
    assert found == [INVALID]


def test_what_a_pass_reports_arrives(trial: Trial) -> None:
    def report(pass_: Native) -> None:
        parsed_wrong(pass_.operation, pass_.context.bindings)
        first_function(pass_).location.emit_error("so")

    trial.run("builtin.module(do)", report)
    assert trial.said == ["in.mlir:1:1: error: so"]


def test_the_verifier_reports_after_such_a_pass(trial: Trial) -> None:
    def leave_invalid(pass_: Native) -> None:
        parsed_wrong(pass_.operation, pass_.context.bindings)
        del first_function(pass_).attributes["function_type"]

    trial.failure("builtin.module(do)", leave_invalid)
    assert trial.said == [f"in.mlir:1:1: error: {INVALID}"]
