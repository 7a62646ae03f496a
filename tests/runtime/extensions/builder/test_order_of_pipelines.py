"""The rules of passes hold however the passes are put in line, in texts and flags too."""

from __future__ import annotations

from pathlib import Path

import pytest

from passgen_runtime import (
    Diagnostic,
    OperationPass,
    OpPassManager,
    Pass,
    PassManager,
    PassRegistry,
    after,
    before,
    cleanup,
    parse_pass_manager,
    parse_pass_pipeline,
)
from passgen_runtime.extensions.builder import (
    PassManagerBuilder,
    PipelineConstraintError,
    check_order,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.opt import main


class Loops:
    """An analysis."""


def pass_class(argument: str, **attributes: object) -> type[Pass]:
    attributes |= {
        "__module__": __name__,
        "argument": argument,
        "run_on_operation": lambda _: None,
    }
    return type(argument.title(), (OperationPass,), attributes)


PASSES = (
    pass_class("lower", ordering=(after("raise"),)),
    pass_class("raise"),
    pass_class("early", ordering=(before("raise"),)),
    pass_class("dirty", ordering=(cleanup("raise"),)),
    pass_class("find", provided_analyses=(Loops,), preserved_analyses=(Loops,)),
    pass_class("use", required_analyses=(Loops,)),
)
BEFORE_IT = "pass 'lower' must come after 'raise', but comes before it"


@pytest.fixture
def registry() -> PassRegistry:
    registry = PassRegistry()
    for each in PASSES:
        registry.register_pass(each)
    return registry


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def context(said: list[str]) -> XDSLContext:
    context = XDSLContext()

    def keep(diagnostic: Diagnostic) -> None:
        said.append(str(diagnostic))

    context.diagnostic_handler = keep
    return context


def test_a_text_that_breaks_declared_order_is_warned_of(
    context: XDSLContext, registry: PassRegistry, said: list[str]
) -> None:
    manager = parse_pass_manager("builtin.module(lower, raise)", context, registry)
    check_order(manager)

    assert str(manager) == "builtin.module(lower,raise)"
    (warning,) = said
    assert warning.splitlines() == [
        f"pass-pipeline:1:16: warning: {BEFORE_IT}",
        "builtin.module(lower,raise)",
        "               ^~~~~",
        f"note: the rule is declared in {__name__}.Lower.ordering",
    ]


def test_a_warning_quotes_the_pipeline_as_it_was_written(
    context: XDSLContext, registry: PassRegistry, said: list[str]
) -> None:
    text = "builtin.module( lower,  raise )"
    manager = parse_pass_manager(text, context, registry)

    check_order(manager, written=text)

    assert said[0].splitlines()[:3] == [
        f"pass-pipeline:1:17: warning: {BEFORE_IT}",
        text,
        "                ^~~~~",
    ]


def test_a_warning_about_a_pass_of_a_named_pipeline_quotes_its_passes(
    context: XDSLContext, registry: PassRegistry, said: list[str]
) -> None:
    def add_both(manager: OpPassManager) -> None:
        for pass_class in PASSES[:2]:
            manager.add_pass(pass_class())

    registry.register_pipeline("both", "A pipeline", add_both)
    text = "builtin.module(both)"
    manager = parse_pass_manager(text, context, registry)

    check_order(manager, written=text)

    assert said[0].splitlines()[1] == "builtin.module(lower,raise)"


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("any(lower)", "pass 'lower' must come after 'raise', which the pipeline does"),
        ("any(func.func(raise),early)", "pass 'early' must come before 'raise', but"),
        ("any(raise,dirty)", "pass 'dirty' must be cleaned up by 'raise', which does"),
        ("any(find,raise,use)", "pass 'raise' does not preserve analysis 'Loops', wh"),
        ("any(func.func(find),raise,func.func(use))", "pass 'raise' ends the 'func.f"),
    ],
)
def test_each_rule_is_checked(
    context: XDSLContext,
    registry: PassRegistry,
    said: list[str],
    text: str,
    warning: str,
) -> None:
    manager = parse_pass_manager(text, context, registry)
    check_order(manager)

    assert [warning in each for each in said] == [True]
    with pytest.raises(PipelineConstraintError, match=warning):
        check_order(manager, strict=True)


@pytest.mark.parametrize(
    "text",
    [
        "any(raise,func.func(lower))",
        "any(early,raise)",
        "any(find,use)",
        "any(func.func(find),func.func(use))",
        "any(use,raise,find)",
    ],
)
def test_pipelines_that_builders_accept_are_not_warned_of(
    context: XDSLContext, registry: PassRegistry, said: list[str], text: str
) -> None:
    manager = parse_pass_manager(text, context, registry)
    check_order(manager, strict=True)

    builder = PassManagerBuilder(context, registry=registry, anchor="any")
    builder.add(text.removeprefix("any(").removesuffix(")"))
    assert builder.build() == manager
    assert said == []


def test_a_part_of_a_pipeline_is_not_judged_alone(
    context: XDSLContext, registry: PassRegistry, said: list[str]
) -> None:
    part = parse_pass_pipeline("builtin.module(lower)", registry, context)
    manager = parse_pass_manager("builtin.module(raise)", context, registry)
    manager.add_pipeline(part)

    check_order(manager, strict=True)

    assert said == []


def test_a_manager_made_by_hand_can_be_checked(
    context: XDSLContext, registry: PassRegistry, said: list[str]
) -> None:
    del registry
    lower, raise_, *_ = PASSES
    manager = PassManager(context)
    manager.nest("func.func").add_pass(lower())
    manager.add_pass(raise_())

    check_order(manager)

    assert len(said) == 1
    assert BEFORE_IT in said[0]


def test_of_many_broken_rules_the_first_are_shown(
    context: XDSLContext, registry: PassRegistry, said: list[str]
) -> None:
    check_order(
        parse_pass_manager(f"any({','.join(['lower'] * 30)})", context, registry)
    )

    assert len(said) == 21
    assert said[-1].endswith("warning: and 10 more")


@pytest.mark.parametrize(
    "pipeline",
    [["--pass-pipeline=builtin.module(lower,raise)"], ["--lower", "--raise"]],
)
def test_the_driver_warns_or_refuses(
    tmp_path: Path,
    registry: PassRegistry,
    capsys: pytest.CaptureFixture[str],
    pipeline: list[str],
) -> None:
    source = tmp_path / "in.mlir"
    source.write_text("func.func @f() { return }", encoding="utf-8")

    assert main([str(source), *pipeline], registry=registry) == 0
    shown = capsys.readouterr()
    assert shown.err.startswith(f"pass-pipeline:1:16: warning: {BEFORE_IT}\n")
    assert "func.func @f" in shown.out

    assert main([str(source), *pipeline, "--strict-order"], registry=registry) == 1
    shown = capsys.readouterr()
    assert shown.err.startswith(f"pass-pipeline:1:16: error: {BEFORE_IT}\n")
    assert shown.out == ""
