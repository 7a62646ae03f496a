"""The C++ functions that verify forms: compiled, run, and compared with the driver."""

from __future__ import annotations

import subprocess
from typing import Final

import pytest

from passgen.generation import Options, generate
from passgen.source import SourceFile
from passgen_runtime import OperationPass, PassOptions
from passgen_runtime.forms import Form, FormRules
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_manager import PassManager
from passgen_tools.forms import verify_forms
from tests.cpp_compiler import CppCompiler

SPEC: Final = """\
forms:
  noKernels: {summary: No kernels, absent: [kernels, tensors.pad]}
  onlyLoops: {only: [loops, builtin.module, numbers.constant]}
  checked: {check: "my_dialect.forms:check"}
passes:
  Lower: {summary: Lower, needs: [checked], gives: [noKernels, onlyLoops], creates: []}
"""

PROGRAM: Final = """\
#include "mlir/Pass/Pass.h" // first: it is precompiled
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

namespace mlir::ours {
#define GEN_PASS_DECL
#define GEN_FORM_DECL
#include "loops_passes.h.inc"
#define GEN_PASS_DEF_LOWER
#define GEN_FORM_DEF
#include "loops_passes.h.inc"
struct Lower : impl::LowerBase<Lower> {
  using Base::Base;
  void runOnOperation() override {}
};
} // namespace mlir::ours

int main(int, char **arguments) {
  mlir::MLIRContext context;
  context.allowUnregisteredDialects();
  auto ir = mlir::parseSourceString<mlir::ModuleOp>(arguments[1], &context);
  mlir::ScopedDiagnosticHandler handler(&context, [](mlir::Diagnostic &found) {
    llvm::outs() << found.getLocation() << " " << found << "\\n";
  });
  if (!ir)
    return 2;
  llvm::outs() << succeeded(mlir::ours::verifyNoKernels(&ir->getBody()->front()));
  llvm::outs() << " of the first operation alone\\n";
  (void)mlir::ours::verifyNoKernels(*ir);
  (void)mlir::ours::verifyOnlyLoops(*ir);
  return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, cpp: CppCompiler) -> str:
    """Return the path of the program."""
    folder = tmp_path_factory.mktemp("forms")
    source = SourceFile("loops.yaml", SPEC)
    header = generate([source], Options(targets=("cpp",))).files[0].text
    assert "verifyChecked" not in header
    (folder / "loops_passes.h.inc").write_text(header, "utf-8")
    (folder / "main.cpp").write_text(PROGRAM, "utf-8")
    return str(cpp.link(folder / "main.cpp"))


class NeedsAll(OperationPass[PassOptions]):
    """A pass that needs the forms of the spec which C++ verifies."""

    argument = "needs-all"
    forms = FormRules(
        needs=(
            Form("noKernels", absent=("kernels", "tensors.pad")),
            Form("onlyLoops", only=("loops", "builtin.module", "numbers.constant")),
        )
    )

    def run_on_operation(self) -> None:
        """Do nothing."""


def generic(names: str) -> str:
    """Return an operation of the first name, with operations of the others inside."""
    name, *inner = names.split()
    region = f"({{ {' '.join(map(generic, inner))} }}) " if inner else ""
    return f'"{name}"() {region}: () -> ()'


def found_by_driver(ir: str) -> list[str]:
    """Return the operations at which `--verify-forms` reports each form."""
    context = XDSLContext(allow_unregistered=True)
    manager = PassManager(context)
    manager.add_pass(NeedsAll())
    verifier = verify_forms(manager)
    module = context.parse(ir, "in.mlir")
    context.diagnostic_handler = lambda _: None
    manager.run(module)
    return [
        " ".join(str(violation).split("'")[index] for index in (3, 7))
        for violation in verifier.violations
    ]


def found_by_cpp(program: str, ir: str) -> tuple[str, list[str]]:
    """Return what C++ says of the first operation, and what it finds in the module."""
    done = subprocess.run([program, ir], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    first, _, found = done.stdout.partition(" of the first operation alone\n")
    return first[-1:], [" ".join(line.split("'")[1::2]) for line in found.splitlines()]


KERNEL: Final = ["noKernels kernels.fill", "onlyLoops kernels.fill"]
PAD: Final = ["noKernels tensors.pad", "onlyLoops tensors.pad"]


@pytest.mark.parametrize(
    ("names", "expected", "first"),
    [
        (["loops.for"], [], "1"),
        (["kernels.fill"], KERNEL, "0"),
        (["loops.for", "kernels.fill", "kernels.copy"], KERNEL, "1"),
        (["loops.for tensors.pad"], PAD, "0"),
        (["tensors.padded", "kernelss.fill"], ["onlyLoops tensors.padded"], "1"),
        (["numbers.constant"], [], "1"),
        (["numbers.constants"], ["onlyLoops numbers.constants"], "1"),
        (["numbers.add"], ["onlyLoops numbers.add"], "1"),
    ],
    ids=str,
)
def test_cpp_finds_what_the_driver_finds(
    program: str, names: list[str], expected: list[str], first: str
) -> None:
    ir = "\n".join(map(generic, names))

    assert found_by_cpp(program, ir) == (first, expected)
    assert found_by_driver(ir) == expected
