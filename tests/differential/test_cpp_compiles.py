"""The C++ of a spec without `cpp:` entries: compiled, linked with MLIR, and run."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from passgen.generation import Options, generate
from passgen.model import PassGroup
from passgen.source import SourceFile
from tests.cpp_compiler import CppCompiler, run

SPEC = Path(__file__).parents[2] / "specs" / "affine.yaml"

# The passes are MLIR's, too; a pipeline over passes on xDSL's IR has no C++.
TEXT = SPEC.read_text("utf-8").replace("\nir: xdsl\n", "\n")

HEAD = """\
#include "mlir/Pass/Pass.h" // first: it is precompiled
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include <limits>
// The dialects alone: headers with their operations take seconds to compile.
#include "mlir/Dialect/Affine/IR/AffineOpsDialect.h.inc"
#include "mlir/Dialect/Arith/IR/ArithOpsDialect.h.inc"
#include "mlir/Dialect/MemRef/IR/MemRefOpsDialect.h.inc"
#include "mlir/Dialect/SCF/IR/SCFOpsDialect.h.inc"
#include "mlir/Dialect/Vector/IR/VectorDialect.h.inc"

namespace mlir::ours {
#define GEN_PASS_DECL
#include "affine_passes.h.inc"
"""

IMPLEMENTATION = """\
struct {name} : impl::{name}Base<{name}> {{
  using Base::Base;
  void runOnOperation() override {{ {body} }}
}};
"""

BODIES = {
    "AffineLoopUnroll": """
    getOperation()->walk([&](Operation *loop) {
      if (loop->getName().getStringRef() != "affine.for")
        return;
      loop->setAttr("factor", Builder(&getContext()).getI64IntegerAttr(unrollFactor));
    });
  """,
    "AffineLoopFusion": """
    getOperation()->walk([&](Operation *loop) {
      if (loop->getName().getStringRef() != "affine.for")
        return;
      loop->setAttr("sibling", Builder(&getContext()).getBoolAttr(
          affineFusionMode == FusionMode::Sibling));
    });
  """,
}

TAIL = """\
#define GEN_PASS_REGISTRATION
#include "affine_passes.h.inc"
} // namespace mlir::ours

int main() {
  mlir::ours::registerAffinePasses();
  mlir::DialectRegistry registry;
  registry.insert<mlir::affine::AffineDialect, mlir::func::FuncDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @f() { affine.for %i = 0 to 8 {} return }", &context);
  auto pipeline = mlir::parsePassPipeline(
      "builtin.module(func.func(our-affine-loop-unroll{unroll-factor=8},"
      "our-affine-loop-fusion{mode=sibling},"
      "our-affine-loop-tile{tile-sizes=2,4}))");
  mlir::PassManager manager(&context, "builtin.module");
  if (!module || failed(pipeline))
    return 2;
  static_cast<mlir::OpPassManager &>(manager) = *pipeline;
  manager.printAsTextualPipeline(llvm::outs());
  llvm::outs() << "\\n";
  if (failed(manager.run(*module)))
    return 3;
  module->print(llvm::outs());
  return 0;
}
"""


EXPECTED = """\
builtin.module(func.func(our-affine-loop-unroll{cleanup-unroll=false unroll-factor=8 \
unroll-full-threshold=1 unroll-num-reps=1 unroll-up-to-factor=false},\
our-affine-loop-fusion{compute-tolerance=3.000000e-01 fast-mem-space=0 \
local-buf-threshold=0 maximal=false mode=sibling},\
our-affine-loop-tile{cache-size=512 separate=false tile-size=0 tile-sizes={2,4}}))
module {
  func.func @f() {
    affine.for %arg0 = 0 to 8 {
    } {factor = 8 : i64, sibling = true}
    return
  }
}
"""


def program(group: PassGroup) -> str:
    """Return C++ that implements every pass of `group` and runs three of them."""
    parts = [HEAD]
    for pass_ in group.passes:
        body = BODIES.get(pass_.name, "")
        parts += [
            f"#define GEN_PASS_DEF_{pass_.name.upper()}\n",
            '#include "affine_passes.h.inc"\n',
            IMPLEMENTATION.format(name=pass_.name, body=body),
        ]
    return "".join([*parts, TAIL])


def test_a_spec_without_cpp_compiles_and_runs(tmp_path: Path, cpp: CppCompiler) -> None:
    text = TEXT
    assert not re.search(r"^ *cpp:", text, re.MULTILINE)
    arguments = "|".join(re.findall(r"^    argument: (.*)", text, re.MULTILINE))
    renamed = re.sub(  # where passes are named, not where texts speak of them
        r"^(    \w+: |.* elements: \[|.* - pass: ).*",
        lambda line: re.sub(
            rf"(?<![\w-])(?=(?:{arguments})(?![\w-]))", "our-", line[0]
        ),
        text,
        flags=re.MULTILINE,
    )
    source = SourceFile("affine.yaml", renamed)
    generated = generate([source], Options(targets=("cpp",)))
    (tmp_path / "affine_passes.h.inc").write_text(generated.files[0].text, "utf-8")
    (tmp_path / "main.cpp").write_text(program(generated.groups[0]), "utf-8")
    built = cpp.link(tmp_path / "main.cpp")

    assert run(str(built)) == EXPECTED


LISTS_SPEC = """\
passes:
  Tile:
    argument: tile
    summary: Tile loops
    options:
      - {name: sizes, argument: sizes, listOf: int64, default: [32, 32]}
      - {name: names, argument: names, listOf: string, default: [one]}
"""

LISTS_PROGRAM = """\
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace mlir::ours {
#define GEN_PASS_DECL
#include "lists_passes.h.inc"
#define GEN_PASS_DEF_TILE
#include "lists_passes.h.inc"
struct Tile : impl::TileBase<Tile> {
  using Base::Base;
  void runOnOperation() override {}
};
#define GEN_PASS_REGISTRATION
#include "lists_passes.h.inc"
} // namespace mlir::ours

int main(int, char **arguments) {
  mlir::ours::registerListsPasses();
  while (*++arguments) {
    auto pipeline = mlir::parsePassPipeline(*arguments);
    if (failed(pipeline))
      return 2;
    pipeline->printAsTextualPipeline(llvm::outs());
    llvm::outs() << "\\n";
  }
  return 0;
}
"""

LISTS_OPTIONS = ("", "sizes=1", "sizes=1 names=a,b sizes=2,3", "sizes={}")


def test_a_pipeline_replaces_the_default_of_a_list_as_in_cpp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cpp: CppCompiler
) -> None:
    source = SourceFile("lists.yaml", LISTS_SPEC)
    generated = generate([source], Options(targets=("cpp", "python")))
    header, module = generated.files
    (tmp_path / "lists_passes.h.inc").write_text(header.text, "utf-8")
    (tmp_path / "main.cpp").write_text(LISTS_PROGRAM, "utf-8")
    built = cpp.link(tmp_path / "main.cpp")
    (tmp_path / "generated_lists.py").write_text(module.text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    options = importlib.import_module("generated_lists").TileOptions
    given = [f"any(tile{{{each}}})" for each in LISTS_OPTIONS]

    printed = run(str(built), *given).splitlines()

    # MLIR prints a blank for each list that has its default.
    assert [re.sub(r"(?<=\{) | (?=\})", "", each) for each in printed] == [
        f"any(tile{{{options.parse(each)}}})" for each in LISTS_OPTIONS
    ]


OPTIONAL_SPEC = """\
passes:
  Tile:
    argument: tile
    summary: Tile loops
    options:
      - {name: limit, argument: limit, type: int64, optional: true}
      - {name: label, argument: label, type: string, optional: true}
      - {name: full, argument: full, type: bool, optional: true}
      - {name: order, argument: order, type: enum, values: [rows, columns], optional: true}
      - {name: sizes, argument: sizes, listOf: int64, optional: true}
      - {name: target, argument: target, type: string, required: true}
"""

# Enums need no such function, but an author may have one.
PRINT_ORDER = """\
inline llvm::raw_ostream &operator<<(llvm::raw_ostream &stream, TileOrder order) {
  return stream << (order == TileOrder::Rows ? "rows" : "columns");
}
#define GEN_PASS_DEF_TILE
"""


def test_optional_options_are_parsed_and_printed_as_the_docs_say(
    tmp_path: Path, cpp: CppCompiler
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "tablegen.md").read_text("utf-8")
    block = re.search(r"```cpp\n([^`]*?GEN_OPTIONAL_PARSER\n[^`]*)```", page)
    assert block is not None
    parser = block[1].replace("loops_passes", "lists_passes")
    source = SourceFile("lists.yaml", OPTIONAL_SPEC)
    header = generate([source], Options(targets=("cpp",))).files[0]
    (tmp_path / "lists_passes.h.inc").write_text(header.text, "utf-8")
    own = LISTS_PROGRAM.replace("#define GEN_PASS_DEF_TILE\n", PRINT_ORDER)
    (tmp_path / "main.cpp").write_text(parser + own, "utf-8")
    built = cpp.link(tmp_path / "main.cpp")
    given = "full label=a limit=4 order=columns sizes={1,2} target=x"
    unset = "full=None label=None limit=None order=None"

    printed = run(str(built), f"any(tile{{{given}}})", f"any(tile{{{unset}}})")

    assert printed.splitlines() == [
        f"any(tile{{{given.replace('full', 'full=1')}}})",
        f"any(tile{{{unset}  target=}})",
    ]


CAPI_HEADER = """\
#include "mlir-c/Pass.h"
#include "affine_passes.capi.h.inc"
"""

CAPI_IMPL = """\
#include "mlir/Pass/Pass.h"
#include "mlir/CAPI/Pass.h"
#include "affine_passes.capi.h.inc"
namespace mlir {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "affine_passes.h.inc"
} // namespace mlir
using namespace mlir;
#include "affine_passes.capi.cpp.inc"
"""


@pytest.mark.parametrize(
    ("compiler", "file", "text"),
    [
        ("gcc", "header.c", CAPI_HEADER),
        ("g++", "header.cpp", CAPI_HEADER),
        ("g++", "impl.cpp", CAPI_IMPL),
    ],
    ids=["header-as-c", "header-as-cpp", "impl"],
)
def test_bindings_compile(
    compiler: str, file: str, text: str, tmp_path: Path, cpp: CppCompiler
) -> None:
    source = SourceFile("affine.yaml", TEXT)
    targets = ("cpp", "capi-header", "capi-impl")
    generated = generate([source], Options(targets=targets))
    for each in generated.files:
        (tmp_path / each.path.name).write_text(each.text, "utf-8")
    (tmp_path / file).write_text(text, "utf-8")

    cpp.compile(compiler, tmp_path / file, "-fsyntax-only")
