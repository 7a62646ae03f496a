"""Declared passes without a Python class, and the passes that projects announce."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from passgen_runtime import (
    BOOL,
    MissingImplementationError,
    OperationPass,
    OpPassManager,
    PassManager,
    PassOptions,
    PassRegistry,
    PipelineError,
    after,
    create_pass,
    option,
    parse_pass_manager,
    register_pass,
)
from passgen_runtime.forms import Form, FormRules
from passgen_runtime.ir.mlir import MLIRContext, use_mlir_passes
from passgen_runtime.ir.mlir.native_pipeline import NativePass
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools import run
from tests.mlir_bindings_needed import require_bindings

DEAD = "func.func @f() { %0 = arith.constant 1 : i32 return }"


@dataclass(kw_only=True)
class PrintOptions(PassOptions):
    skip_regions: bool = option("skip-regions", BOOL)


class CSEPassBase(OperationPass[PassOptions]):
    """Declares MLIR's `cse`, which has no options."""

    argument = "cse"
    declared_in = "spec.yaml"


class OwnCSEPassBase(OperationPass[PrintOptions]):
    """Declares a pass with an option that MLIR's `cse` does not have."""

    argument = "cse"
    declared_in = "spec.yaml"


class UnknownPassBase(OperationPass[PassOptions]):
    argument = "no-pass-of-mlir"
    declared_in = "spec.yaml"


class NativeStatsPassBase(OperationPass[PassOptions]):
    """Declares that MLIR has the pass, whatever the table says of its options."""

    argument = "print-op-stats"
    declared_in = "spec.yaml"
    native = True


def test_a_pass_with_the_options_of_mlirs_is_mlirs(context: MLIRContext) -> None:
    manager = PassManager(context)
    manager.add_pass(create_pass(CSEPassBase))
    module = context.parse(DEAD, "f.mlir")

    manager.run(module)

    assert "arith.constant" not in str(module)


def test_the_context_decides_whether_a_declared_pass_is_mlirs(
    context: MLIRContext,
) -> None:
    made = create_pass(CSEPassBase)
    assert isinstance(made, CSEPassBase)

    manager = PassManager(context)
    manager.add_pass(made)
    assert [type(pass_).__base__ for pass_ in manager.passes()] == [NativePass]

    with pytest.raises(MissingImplementationError, match="XDSLContext does not have"):
        PassManager(XDSLContext()).add_pass(made)


def test_run_takes_a_text_as_mlirs_if_a_pass_is() -> None:
    result = run(create_pass(CSEPassBase), DEAD)

    assert isinstance(result.context, MLIRContext)
    assert "arith.constant" not in str(result)


def test_a_pass_added_without_a_context_is_mlirs_in_the_run(
    context: MLIRContext,
) -> None:
    detached = OpPassManager("func.func")
    detached.add_pass(create_pass(CSEPassBase))
    manager = PassManager(context)
    manager.elements.append(detached)
    module = context.parse(DEAD, "f.mlir")

    manager.run(module)

    assert "arith.constant" not in str(module)


def test_a_pass_with_other_options_does_not_become_mlirs(context: MLIRContext) -> None:
    with pytest.raises(MissingImplementationError) as caught:
        PassManager(context).add_pass(create_pass(OwnCSEPassBase))

    assert str(caught.value) == (
        "pass 'cse' has no implementation, and MLIR's pass of this name has other "
        "options\nnote: 'native: true' in the spec runs it"
    )


def test_nor_does_it_in_a_textual_pipeline(context: MLIRContext) -> None:
    registry = PassRegistry()
    register_pass(OwnCSEPassBase, registry)
    use_mlir_passes(registry)

    with pytest.raises(PipelineError, match="has other options"):
        parse_pass_manager("builtin.module(cse)", context, registry)


def test_a_declaration_can_say_that_the_pass_is_native(context: MLIRContext) -> None:
    manager = PassManager(context)
    manager.add_pass(create_pass(NativeStatsPassBase))

    manager.run(context.parse(DEAD, "f.mlir"))

    assert str(manager) == "builtin.module(print-op-stats)"


class BoundCSEPassBase(CSEPassBase):
    """Declares rules of MLIR's `cse`."""

    declared_in = "spec.yaml"
    deprecated = "use 'canonicalize'"
    is_required = True
    tags = ("cleanup",)
    ordering = (after("canonicalize"),)
    forms = FormRules(needs=(Form("lowered", only=("llvm",)),))


@pytest.mark.parametrize(
    "rule", ["deprecated", "forms", "is_required", "ordering", "tags"]
)
@pytest.mark.filterwarnings("ignore:pass 'cse' is deprecated")
def test_a_pass_of_mlirs_has_the_declared_rules(
    rule: str, context: MLIRContext
) -> None:
    registry = PassRegistry()
    register_pass(BoundCSEPassBase, registry)
    use_mlir_passes(registry)

    [pass_] = parse_pass_manager("builtin.module(cse)", context, registry).passes()

    assert isinstance(pass_, NativePass)
    assert getattr(pass_, rule) == getattr(BoundCSEPassBase, rule)


def test_a_pass_that_mlir_does_not_have_has_no_implementation(
    context: MLIRContext,
) -> None:
    with pytest.raises(MissingImplementationError, match="no imported class derives"):
        PassManager(context).add_pass(create_pass(UnknownPassBase))


def test_a_pass_that_the_table_lacks_is_as_it_is_declared() -> None:
    class LegalizeBase(OperationPass[PassOptions]):
        name = "Legalize"
        argument = "chlo-legalize-to-stablehlo"
        anchor = "func.func"
        declared_in = "spec.yaml"
        native = True

    require_bindings("jaxlib.mlir")
    manager = PassManager(MLIRContext("jaxlib.mlir"), nesting="implicit")
    manager.add_pass(create_pass(LegalizeBase))

    assert str(manager) == "builtin.module(func.func(chlo-legalize-to-stablehlo))"
    assert [pass_.name for pass_ in manager.passes()] == ["Legalize"]


@pytest.fixture
def announced(tmp_path: Path) -> Path:
    """Install a package that announces a pass which jaxlib's bindings have."""
    require_bindings("jaxlib.mlir")
    metadata = tmp_path / "project-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: project\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(
        "[passgen.native_passes]\nproject = project_native_passes\n"
        "broken = no_such_module\n"
    )
    (tmp_path / "project.yaml").write_text(
        "name: Project\n"
        "passes:\n"
        "  ChloLegalizeToStablehlo:\n"
        "    argument: chlo-legalize-to-stablehlo\n"
        "    summary: Lower CHLO\n"
        "    anchor: func.func\n"
    )
    subprocess.run(
        [
            sys.executable, "-m", "passgen.cli", "--target", "native-python",
            "-o", tmp_path, tmp_path / "project.yaml",
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    return tmp_path


def opt(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "passgen_tools.opt", "--ir=mlir:jaxlib.mlir"]
    return subprocess.run(
        [*command, *arguments],
        env={"PYTHONPATH": str(path)}, capture_output=True, text=True, check=False,
        input="module {}",
    )  # fmt: skip


@pytest.mark.process
def test_the_driver_knows_the_passes_that_a_project_announces(announced: Path) -> None:
    listed = opt(announced, "--list-passes")

    assert "chlo-legalize-to-stablehlo" in listed.stdout
    assert "Lower CHLO" in listed.stdout
    assert listed.stderr == (
        "passgen.native_passes: warning: the native passes 'broken' (no_such_module) "
        "do not import: ModuleNotFoundError: No module named 'no_such_module'\n"
    )


@pytest.mark.process
def test_and_checks_their_anchors_before_they_run(announced: Path) -> None:
    done = opt(announced, "--pass-pipeline=builtin.module(chlo-legalize-to-stablehlo)")

    assert done.returncode == 1
    assert "restricted to 'func.func'" in done.stderr
