from __future__ import annotations

from dataclasses import dataclass

import pytest

from passgen_runtime import (
    INT64,
    Context,
    InterfacePass,
    OperationPass,
    OpPassManager,
    PassOptions,
    PassRegistry,
    PipelineError,
    list_option,
    option,
    parse_pass_pipeline,
    resolve_pipeline,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_registry.resolution import add_elements
from passgen_runtime.textual_pipeline.grammar import parse_elements


@dataclass(kw_only=True)
class UnrollOptions(PassOptions):
    factor: int = option("factor", INT64, default=4)
    depths: list[int] = list_option("depths", INT64)


class Unroll(OperationPass[UnrollOptions]):
    argument = "unroll"
    anchor = "func.func"

    def run_on_operation(self) -> None:
        """Do nothing."""


@pytest.fixture
def registry() -> PassRegistry:
    made = PassRegistry()
    made.register_pass(Unroll)
    return made


def error_of(
    text: str, registry: PassRegistry, context: Context | None = None
) -> PipelineError:
    with pytest.raises(PipelineError) as raised:
        parse_pass_pipeline(text, registry, context)
    return raised.value


def test_all_mistakes_are_reported_at_once(registry: PassRegistry) -> None:
    assert (
        str(error_of("any(unrol,any(unroll{factor=x}),unroll{f=1})", registry)) == """\
pass-pipeline:1:5: error: 'unrol' does not refer to a registered pass or pass pipeline
any(unrol,any(unroll{factor=x}),unroll{f=1})
    ^~~~~
note: did you mean 'unroll'?
pass-pipeline:1:29: error: for the --factor option: 'x' value invalid for long argument!
any(unrol,any(unroll{factor=x}),unroll{f=1})
                            ^
note: expected an integer of -9223372036854775808 to 9223372036854775807, decimal or prefixed 0x, 0b, 0o or 0
note: failed to add `unroll` with options `factor=x`
pass-pipeline:1:40: error: no such option f
any(unrol,any(unroll{factor=x}),unroll{f=1})
                                       ^
note: valid options are depths, factor
note: failed to add `unroll` with options `f=1`"""
    )


def test_pass_on_another_anchor_says_how_to_nest_it(registry: PassRegistry) -> None:
    assert str(error_of("builtin.module(unroll{factor=2})", registry)) == """\
pass-pipeline:1:16: error: Can't add pass 'Unroll' restricted to 'func.func' on a PassManager intended to run on 'builtin.module', did you intend to nest?
builtin.module(unroll{factor=2})
               ^~~~~~
note: 'func.func(unroll{factor=2})' nests it"""


def test_pass_that_refuses_an_anchor_says_how_to_nest_it(
    registry: PassRegistry,
) -> None:
    class OfFunctions(InterfacePass[PassOptions]):
        argument = "of-functions"
        interface = "FunctionOpInterface"

        def run_on_operation(self) -> None:
            """Do nothing."""

    registry.register_pass(OfFunctions)

    assert (
        str(error_of("builtin.module(of-functions)", registry, XDSLContext())) == """\
pass-pipeline:1:16: error: unable to schedule pass 'OfFunctions' on a PassManager intended to run on 'builtin.module'!
builtin.module(of-functions)
               ^~~~~~~~~~~~
note: 'any(of-functions)' nests it"""
    )


def test_exception_of_a_pass_is_chained() -> None:
    class Fussy(OperationPass[PassOptions]):
        argument = "fussy"

        def __init__(self) -> None:
            raise ValueError("not today")

        def run_on_operation(self) -> None:
            """Do nothing."""

    registry = PassRegistry()
    registry.register_pass(Fussy)

    error = error_of("any(fussy)", registry)

    assert (
        error.message
        == "'fussy' cannot be constructed: it raised ValueError: not today"
    )
    assert isinstance(error.__cause__, ValueError)


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("", "func.func()"),
        ("unroll", "func.func(unroll{factor=4})"),
        ("any(unroll),unroll", "func.func(any(unroll{factor=4}),unroll{factor=4})"),
        ("any(unroll)", "any(unroll{factor=4})"),
    ],
)
def test_pipeline_of_an_option_is_resolved(
    text: str, resolved: str, registry: PassRegistry
) -> None:
    pipeline = parse_elements(text)

    assert str(resolve_pipeline(pipeline, "func.func", registry)) == resolved


def test_only_some_of_many_mistyped_names_are_explained(registry: PassRegistry) -> None:
    distinct = ",".join(f"unrol{index}" for index in range(20_000))

    message = str(error_of(f"any(unrol,unrol,{distinct},a.b(unrool))", registry))

    assert message.count("note: did you mean 'unroll'?") == 20
    assert message.endswith("\nerror: and 19983 more")
    assert len(message) < 10_000


def test_only_some_of_many_mistyped_options_are_explained(
    registry: PassRegistry,
) -> None:
    wrong = ",".join(f"unroll{{factr{index}=1}}" for index in range(100))

    message = str(error_of(f"any({wrong})", registry))

    assert message.count("note: did you mean 'factor'?") == 20
    assert message.endswith("error: and 80 more")


def test_only_some_of_many_warnings_are_shown(
    registry: PassRegistry, capsys: pytest.CaptureFixture[str]
) -> None:
    parse_pass_pipeline(f"any(unroll{{{'factor=1 ' * 5000}}})", registry)

    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4 * 20 + 1
    assert lines[-1] == "pass-pipeline:1:201: warning: and 4979 more"

    UnrollOptions.parse("factor=1 " * 5000)

    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "pass-options:1:190: warning: and 4979 more"


def test_long_name_is_shown_in_part(registry: PassRegistry) -> None:
    for name in ("x" * 100_000, "x y " * 25_000):
        message = str(error_of(f"any({name},unroll{{{name}=1}})", registry))
        assert len(message) < 6000
    assert str(error_of(f"any({'x' * 200})", registry)).startswith(
        f"pass-pipeline:1:5: error: '{'x' * 79}...{'x' * 19}' does not refer to"
    )


def test_pipeline_that_holds_itself_is_told_once(registry: PassRegistry) -> None:
    def build(manager: OpPassManager) -> None:
        add_elements(manager, "again", registry)

    registry.register_pipeline("again", "Adds itself", build)
    error = error_of("any(again)", registry)

    assert "it raised RecursionError: " in error.message
    assert error.notes == ("failed to add `again` with options ``",)
