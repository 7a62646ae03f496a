"""Reproducers do not start programs and touch no files, unless they are trusted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from passgen_runtime import OperationPass, PassOptions, PassRegistry
from passgen_runtime.errors import UntrustedPassError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl.module_passes import register_xdsl_passes
from passgen_runtime.operation_pass import outside_access_of
from passgen_runtime.pass_registry import parse_pass_manager
from passgen_tools.opt import main
from passgen_tools.opt.help import pass_text
from tests.mlir_bindings_needed import require_bindings

pytestmark = pytest.mark.process  # importing all of xDSL's passes starts one, too

START = "mlir-opt{executable=/bin/sh arguments=-c,'echo started > FILE'}"
OUTSIDE_OF_XDSL = {
    "apply-eqsat-pdl": "its option 'pdl-file' names a file, a program or a host",
    "apply-eqsat-pdl-interp": "its option 'pdl-interp-file' names a file, a program or a host",
    "apply-pdl": "its option 'pdl-file' names a file, a program or a host",
    "apply-pdl-interp": "its option 'pdl-interp-file' names a file, a program or a host",
    "eqsat-add-costs": "its option 'cost-file' names a file, a program or a host",
    "mlir-opt": "its option 'executable' names a file, a program or a host",
    "transform-interpreter": "it runs the passes that the IR names",
}
JUDGED_HARMLESS = re.compile(
    "allocation-strategy|arch|entry-point|flags|operation-name|pattern-name|strategy"
)
"""Options of xDSL's passes with texts that are neither files nor programs."""


def reproducer(path: Path, pipeline: str) -> str:
    text = pipeline.replace('"', '\\"')
    path.write_text(
        "module {}\n{-# external_resources: { mlir_reproducer: {\n"
        f'  pipeline: "builtin.module({text})"\n}} }} #-}}\n'
    )
    return str(path)


@pytest.mark.parametrize(
    "pipeline",
    [START, f"composite-fixed-point-pass{{pipeline={START}}}"],
    ids=["pass", "nested"],
)
def test_a_reproducer_starts_no_program(
    pipeline: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started = tmp_path / "started"
    pipeline = pipeline.replace("FILE", str(started))
    file = reproducer(tmp_path / "a.mlir", pipeline)

    assert main([file, "--run-reproducer"]) == 1

    assert not started.exists()
    error = capsys.readouterr().err
    assert (
        "error: 'mlir-opt' is refused in a pipeline that is not trusted: its option "
        "'executable' names a file, a program or a host"
    ) in error
    assert "note: --trust-reproducer lets the passes of a reproducer do that\n" in error

    main([file, "--run-reproducer", "--trust-reproducer"])
    assert started.exists()


def test_a_pipeline_of_the_user_in_place_of_the_reproducers_is_trusted(
    tmp_path: Path,
) -> None:
    started = tmp_path / "started"
    pipeline = START.replace("FILE", str(started))
    file = reproducer(tmp_path / "a.mlir", pipeline)

    main([file, "--run-reproducer", f"--pass-pipeline=builtin.module({pipeline})"])

    assert started.exists()


class ReadsSettings(OperationPass[PassOptions]):
    argument = "test-reads-settings"
    outside_access = "it reads the settings of the user"

    def run_on_operation(self) -> None:
        """Do nothing."""


def test_a_pass_says_by_itself_what_it_reaches() -> None:
    registry = PassRegistry()
    registry.register_pass(ReadsSettings)
    text = "builtin.module(test-reads-settings)"

    parse_pass_manager(text, XDSLContext(), registry)
    with pytest.raises(UntrustedPassError, match="it reads the settings of the user"):
        parse_pass_manager(text, XDSLContext(), registry, is_trusted=False)


def test_help_shows_what_a_pass_reaches() -> None:
    registry = PassRegistry()
    register_xdsl_passes(registry)

    assert (
        "beyond the IR: its option 'pdl-file' names a file, a program or a host\n"
        in pass_text("apply-pdl", registry)
    )


def test_the_passes_of_xdsl_that_reach_beyond_the_ir_are_known() -> None:
    registry = PassRegistry()
    register_xdsl_passes(registry)
    found: dict[str, str] = {}
    texts: set[str] = set()
    for entry in registry.passes():
        if reason := outside_access_of(entry.pass_class):
            found[entry.argument] = reason
        else:
            texts |= {
                info.argument
                for info in entry.options_class.documented_options()
                if info.type.name == "string"
            }

    assert found == OUTSIDE_OF_XDSL
    # An option that is new is judged by a person, and added to one of the two.
    assert not [text for text in texts if not JUDGED_HARMLESS.fullmatch(text)]


@pytest.mark.bindings
@pytest.mark.parametrize(
    ("pipeline", "refused"),
    [
        ("gpu-module-to-binary{toolkit=/opt}", "'gpu-module-to-binary'"),
        ("snapshot-op-locations{filename=a}", "'snapshot-op-locations'"),
        ("inline{op-pipelines=func.func(gpu-module-to-binary)}", "'inline'"),
        ("composite-fixed-point-pass{pipeline='gpu-module-to-binary'}", "'composite"),
        ("gpu-lower-to-nvvm-pipeline", "'gpu-lower-to-nvvm-pipeline'"),
        ("transform-interpreter", "'transform-interpreter'"),
    ],
)
def test_a_reproducer_runs_no_native_pass_that_reaches_beyond_the_ir(
    pipeline: str, refused: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    require_bindings("mlir")
    file = reproducer(tmp_path / "a.mlir", pipeline)

    assert main(["--ir=mlir", file, "--run-reproducer"]) == 1

    error = capsys.readouterr().err
    assert f"error: {refused}" in error
    assert "is refused in a pipeline that is not trusted" in error


@pytest.mark.bindings
def test_other_native_passes_run_from_reproducers(tmp_path: Path) -> None:
    require_bindings("mlir")
    pipeline = "inline{default-pipeline=canonicalize},symbol-dce"
    file = reproducer(tmp_path / "a.mlir", pipeline)

    assert main(["--ir=mlir", file, "--run-reproducer"]) == 0
