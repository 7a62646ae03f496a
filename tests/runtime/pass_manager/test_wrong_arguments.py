"""What is said to who gives another thing than is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from xdsl.context import Context as XDSLIRContext
from xdsl.dialects.func import FuncOp
from xdsl.transforms.common_subexpression_elimination import (
    CommonSubexpressionElimination,
)

import passgen_runtime
import passgen_runtime.extensions.builder
from passgen_runtime import (
    OperationPass,
    OpPassManager,
    PassFailure,
    PassManager,
    PipelineError,
    SchedulingError,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.cse import CSE
from tests.recording import Running, Session

CONTEXT = XDSLContext()
runtime: Any = passgen_runtime
builder: Any = passgen_runtime.extensions.builder


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    # As MLIR's Python bindings have it.
    "PassManager('builtin.module', context)": (
        lambda: runtime.PassManager("builtin.module", CONTEXT),
        "context: expected a Context, found 'builtin.module'\nnote: write XDSLContext(...), of passgen_runtime.ir.xdsl; managers take it first",
    ),
    "parse_pass_manager(context, text)": (
        lambda: runtime.parse_pass_manager(CONTEXT, "builtin.module(cse)"),
        "pipeline: expected a text, found an object of passgen_runtime.ir.xdsl.context.XDSLContext\nnote: pass the pipeline before the context",
    ),
    "parse_pass_pipeline(text, context)": (
        lambda: runtime.parse_pass_pipeline("builtin.module(cse)", CONTEXT),
        "registry: expected a PassRegistry, found an object of passgen_runtime.ir.xdsl.context.XDSLContext\nnote: write context=...",
    ),
    "run('module {}')": (
        lambda: runtime.PassManager(CONTEXT).run("module {}"),
        "run(): expected an operation, found 'module {}'\nnote: context.parse(text, name) makes one from a text",
    ),
    # As xDSL has it.
    "PassManager(Context())": (
        lambda: runtime.PassManager(XDSLIRContext()),
        "context: expected a Context, found an object of xdsl.context.Context\nnote: write XDSLContext(...), of passgen_runtime.ir.xdsl; managers take it first",
    ),
    "parse_pass_manager(text, Context())": (
        lambda: runtime.parse_pass_manager("builtin.module(cse)", XDSLIRContext()),
        "context: expected a Context, found an object of xdsl.context.Context\nnote: write XDSLContext(...), of passgen_runtime.ir.xdsl; managers take it first",
    ),
    "XDSLContext(XDSLContext())": (
        lambda: XDSLContext(CONTEXT),  # type: ignore[arg-type] # wrong
        "XDSLContext(): expected an xdsl.context.Context, found an object of passgen_runtime.ir.xdsl.context.XDSLContext",
    ),
    "nest(FuncOp)": (
        lambda: runtime.PassManager(CONTEXT).nest(FuncOp),
        "anchor: expected an operation's name, found the class FuncOp\nnote: write 'func.func'",
    ),
    # Pass managers.
    "add_pipeline(text)": (
        lambda: runtime.PassManager(CONTEXT).add_pipeline("builtin.module(cse)"),
        "pipeline: expected an OpPassManager, found 'builtin.module(cse)'\nnote: parse_pass_pipeline(text) makes one from a text",
    ),
    "add_instrumentation(PassInstrumentation)": (
        lambda: runtime.PassManager(CONTEXT).add_instrumentation(
            runtime.PassInstrumentation
        ),
        "instrumentation: expected a PassInstrumentation, found the class PassInstrumentation",
    ),
    "enable_multithreading(4)": (
        lambda: runtime.PassManager(CONTEXT).enable_multithreading(4),
        "executor: expected an Executor, found 4\nnote: write max_workers=4",
    ),
    # Registration and declarations.
    "resolve_pipeline(text)": (
        lambda: runtime.resolve_pipeline("cse"),
        "pipeline: expected a TextualPipeline, found 'cse'\nnote: parse_pass_pipeline(text) makes a pass manager from a text",
    ),
    "create_pass('cse')": (
        lambda: runtime.create_pass("cse"),
        "create_pass(): expected a pass class, found 'cse'",
    ),
    "PassPipelineRegistration(argument, summary, text)": (
        lambda: runtime.PassPipelineRegistration("p", "Summary", "cse"),
        "builder of a pipeline: expected a function of a pass manager, found 'cse'",
    ),
    "option(name, int)": (
        lambda: runtime.option("size", int),
        "type of an option: expected an OptionType, found the class int\nnote: write INT64",
    ),
    # Builders.
    "PassManagerBuilder('builtin.module')": (
        lambda: builder.PassManagerBuilder("builtin.module"),
        "context: expected a Context, found 'builtin.module'\nnote: write XDSLContext(...), of passgen_runtime.ir.xdsl; managers take it first",
    ),
    "builder.nest(FuncOp)": (
        lambda: builder.PassManagerBuilder(CONTEXT).nest(FuncOp).__enter__(),
        "anchor: expected an operation's name, found the class FuncOp\nnote: write 'func.func'",
    ),
    "builder.add_bundle('cleanup')": (
        lambda: builder.PassManagerBuilder(CONTEXT).add_bundle("cleanup"),
        "bundle: expected a PassBundle or a function of a builder, found 'cleanup'",
    ),
    "builder.add(CSE, 'n=1')": (
        lambda: builder.PassManagerBuilder(CONTEXT).add(CSE, "n=1"),
        "options of 'cse': expected a mapping or PassOptions, found 'n=1'\nnote: write 'cse{n=1}', all in one text",
    ),
    "builder.add(CSE, ['n'])": (
        lambda: builder.PassManagerBuilder(CONTEXT).add(CSE, ["n"]),
        "options of 'cse': expected a mapping or PassOptions, found ['n']",
    ),
    "PassBundle('cleanup', 'cse')": (
        lambda: builder.PassBundle("cleanup", "cse"),
        "elements of a bundle: expected a tuple of passes, found 'cse'",
    ),
}


NOT_PASSES: list[tuple[object, str]] = [
    ("cse", "'cse'"),
    (CSE, "the class CSE"),
    ([], "[]"),
    (
        OpPassManager(),
        "an object of passgen_runtime.pass_manager.op_pass_manager.OpPassManager",
    ),
    (
        CommonSubexpressionElimination(),
        "an object of xdsl.transforms.common_subexpression_elimination.CommonSubexpressionElimination",
    ),
]


@pytest.mark.parametrize(("given", "found"), NOT_PASSES)
def test_error_on_an_element_that_is_no_pass(given: object, found: str) -> None:
    with pytest.raises(TypeError) as raised:
        runtime.PassManager(CONTEXT).add_pass(given)

    assert (
        str(raised.value)
        == f"add_pass(): expected a pass, found {found}\nnote: write CSE(), or parse_pass_manager('builtin.module(cse)', context)"
    )


@pytest.mark.parametrize("written", WRONG)
def test_error_on_an_argument_of_another_kind(written: str) -> None:
    call, said = WRONG[written]

    with pytest.raises(TypeError) as raised:
        call()

    assert str(raised.value) == said


DECLARED: dict[str, tuple[dict[str, object], str]] = {
    "a text where a tuple is wanted": (
        {"dependent_dialects": "arith"},
        "dependent_dialects of Wrong: expected a tuple, found 'arith'\nnote: write ('arith',)",
    ),
    "a list": (
        {"tags": ["cleanup"]},
        "tags of Wrong: expected a tuple, found ['cleanup']\nnote: write ('cleanup',)",
    ),
    "an analysis alone": (
        {"preserved_analyses": CSE},
        "preserved_analyses of Wrong: expected a tuple, found the class CSE",
    ),
    "a generator": (
        {"run_on_operation": lambda _: (yield)},
        "run_on_operation of Wrong is a generator or a coroutine: calling it would do nothing",
    ),
    "an interface that would not be read": (
        {"interface": "FunctionOpInterface"},
        "Wrong names an interface: derive it from InterfacePass",
    ),
}


@pytest.mark.parametrize("kind", DECLARED)
def test_error_on_a_declaration_of_a_pass(kind: str) -> None:
    attributes, said = DECLARED[kind]

    with pytest.raises(TypeError) as raised:
        type("Wrong", (OperationPass,), attributes)

    assert str(raised.value) == said


def test_error_on_work_that_would_have_to_be_awaited() -> None:
    with pytest.raises(TypeError, match="of Later is a generator or a coroutine"):
        type("Later", (OperationPass,), {"run_on_operation": Later.run_on_operation})


class Later:
    async def run_on_operation(self) -> None:
        """Never run."""


WITHIN: dict[str, tuple[Callable[[Running], None], str]] = {
    "run_pipeline(text, operation)": (
        lambda pass_: pass_.run_pipeline("any(cse)", pass_.operation),
        "pipeline: expected an OpPassManager, found 'any(cse)'\nnote: parse_pass_pipeline(text) makes one from a text",
    ),
    "run_pipeline(CSE(), operation)": (
        lambda pass_: pass_.run_pipeline(CSE(), pass_.operation),
        "pipeline: expected an OpPassManager, found an object of passgen_runtime.passes.cse.CSE\nnote: parse_pass_pipeline(text) makes one from a text",
    ),
}


@pytest.mark.parametrize("written", WITHIN)
def test_error_on_an_argument_in_a_pass(written: str) -> None:
    call, said = WITHIN[written]
    session = Session()
    session.manager.add_pass(session.step("P", call))

    with pytest.raises(PassFailure) as raised:
        session.run()

    assert str(raised.value.__cause__) == said


def test_error_on_a_manager_that_holds_itself() -> None:
    session = Session()
    session.manager.elements.append(session.manager)

    with pytest.raises(SchedulingError) as raised:
        session.run()

    assert (
        str(raised.value) == "pipelines nest at most 128 deep, and none contains itself"
    )


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: PassManager(CONTEXT, nesting="deep"),  # type: ignore[arg-type] # wrong
            "nesting: expected 'explicit' or 'implicit', found 'deep'",
        ),
        (
            lambda: runtime.PassManager(CONTEXT).enable_multithreading(max_workers=0),
            "max_workers: expected 1 or more, found 0",
        ),
        (
            lambda: runtime.PassManager(CONTEXT).statistics_report("table"),
            "display: expected 'list' or 'pipeline', found 'table'",
        ),
    ],
)
def test_error_on_a_value_that_there_is_not(
    call: Callable[[], object], said: str
) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - compared below
        call()

    assert str(raised.value) == said


def test_error_on_falsy_options_of_another_kind() -> None:
    with pytest.raises(
        runtime.PassOptionError, match="expected options of class PassOptions"
    ):
        CSE({})  # type: ignore[arg-type] # wrong


def test_error_on_a_pass_where_nothing_was_registered() -> None:
    with pytest.raises(PipelineError) as raised:
        runtime.parse_pass_manager("any(cse)", CONTEXT, runtime.PassRegistry())

    assert raised.value.notes == (
        "nothing is registered",
        "shipped_registry() returns the shipped passes",
    )


def test_the_default_registry_says_where_the_shipped_passes_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registry = runtime.PassRegistry()
    registry.register_pass(CSE)
    monkeypatch.setattr(
        "passgen_runtime.pass_registry.mistakes.default_registry", registry
    )
    with pytest.raises(PipelineError) as raised:
        runtime.parse_pass_manager("any(symbol-dce)", CONTEXT, registry)

    assert raised.value.notes[-1] == ("shipped_registry() returns the shipped passes")


def test_error_on_a_context_of_xdsl_without_dialects() -> None:
    with pytest.raises(PipelineError) as raised:
        runtime.parse_pass_manager("builtin.module()", XDSLContext(XDSLIRContext()))

    assert raised.value.notes == (
        "the context has no dialect 'builtin': register it there",
    )


def test_bundle_may_be_made_of_any_iterable() -> None:
    bundle = builder.PassBundle("cleanup", (each for each in ["cse", CSE]))
    pipeline = builder.PassManagerBuilder(CONTEXT)
    for _ in range(2):
        pipeline.add(builder.PassBundle("twice", [CSE]))

    assert bundle.elements == ("cse", CSE)
    assert str(pipeline) == "builtin.module(cse,cse)"
