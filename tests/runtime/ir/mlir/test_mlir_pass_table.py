"""The table of MLIR's passes agrees with the bindings and with LLVM's `.td` files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from passgen import read_group
from passgen_runtime import (
    PassFailure,
    PassRegistry,
    PipelineError,
    parse_pass_manager,
)
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.mlir import known_passes as known_passes_module
from passgen_runtime.ir.mlir.bindings import Bindings, bindings_of
from passgen_runtime.ir.mlir.known_passes import known_passes
from passgen_runtime.ir.mlir.native_options import refusal
from passgen_runtime.ir.mlir.native_passes import NativePassEntry, mlir_registry
from passgen_runtime.operation_pass import outside_access_of
from passgen_tools.opt import main
from tests.llvm_tools import find_include, missing
from tests.mlir_bindings_needed import require_bindings

SOURCES = Path(__file__).parents[4] / "specs" / "known-passes" / "Passes.td"

TABLE = Path(known_passes_module.__file__).with_suffix(".yaml")

OF_MLIR_REDUCE = Path("mlir/Reducer/Passes.td")
"""Passes that are registered nowhere else."""

ANCHORS = {info.anchor for info in known_passes().values() if info.anchor is not None}


def opt(flag: str, *, package: str = "mlir") -> int:
    """Run a driver that has MLIR's passes alone."""
    require_bindings(package)
    return main([f"--ir=mlir:{package}", flag], registry=PassRegistry())


@pytest.fixture
def bindings() -> Bindings:
    require_bindings("mlir")
    return bindings_of("mlir")


def test_every_file_that_declares_passes_is_included() -> None:
    include = find_include()
    if include is None:
        missing("Passes.td")
    found = {path.relative_to(include) for path in include.glob("mlir/**/Passes.td")}
    lines = SOURCES.read_text(encoding="utf-8").splitlines()
    included = {
        Path(line.split('"')[1]) for line in lines if line.startswith("include")
    }
    assert included == found - {OF_MLIR_REDUCE}


def test_the_table_is_a_spec_with_the_same_passes_and_options() -> None:
    passes = {pass_.argument: pass_ for pass_ in read_group(str(TABLE)).passes}
    assert passes.keys() == known_passes().keys()
    for argument, info in known_passes().items():
        declared = passes[argument]
        assert (declared.name, declared.summary) == (info.name, info.summary)
        assert [option.argument for option in declared.options] == list(info.options)
        for expected in declared.options:
            option = info.options[expected.argument]
            assert option.type.name == expected.type.name
            assert option.is_list == expected.is_list
            if option.type.name == "enum":
                values = tuple(value.value for value in expected.type.values)
                assert option.type.choices == values


def test_the_table_has_no_text_of_llvm_but_summaries() -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert not re.findall(r'"(?:description|flags|tablegen)"', text)


def test_each_anchor_is_an_operation_of_mlir(context: MLIRContext) -> None:
    context.mlir.load_all_available_dialects()
    assert {"builtin.module", "func.func", "gpu.module", "spirv.module"} <= ANCHORS
    unknown = {
        anchor for anchor in ANCHORS if not context.mlir.is_registered_operation(anchor)
    }
    assert not unknown


def test_mlir_has_each_pass(bindings: Bindings) -> None:
    assert not [each for each in known_passes() if refusal(bindings, each) is not None]


def test_mlir_refuses_a_pass_on_all_operations_but_its_anchor(
    bindings: Bindings,
) -> None:
    wrong = []
    for argument, info in known_passes().items():
        for anchor in (*ANCHORS, "llvm.func"):
            is_refused = refusal(bindings, f"{anchor}({argument})") is not None
            if is_refused != (info.anchor not in {None, anchor}):
                wrong.append((argument, anchor))
    assert not wrong


def test_a_wrong_operation_for_a_pass_that_is_not_in_the_table_names_the_pass() -> None:
    require_bindings("jaxlib.mlir")
    context = MLIRContext("jaxlib.mlir")
    pipeline = "builtin.module(func.func(stablehlo-refine-shapes))"
    manager = parse_pass_manager(pipeline, context, mlir_registry("jaxlib.mlir"))

    refusal = "'StablehloRefineShapesPass' restricted to 'builtin.module'"
    with pytest.raises(PassFailure, match=refusal):
        manager.run(context.parse("func.func @f() { return }", "input.mlir"))


def test_a_registry_without_passes_names_that_of_mlir() -> None:
    require_bindings("mlir")
    with pytest.raises(PipelineError) as raised:
        parse_pass_manager("any(cse)", MLIRContext(), PassRegistry())

    assert raised.value.notes[-1].endswith("mlir_registry() those of MLIR")


def test_mlir_knows_each_option(bindings: Bindings) -> None:
    unknown = [
        (argument, option)
        for argument, info in known_passes().items()
        for option in info.options
        if "no such option" in (refusal(bindings, f"{argument}{{{option}=1}}") or "")
    ]
    assert not unknown


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        (
            "affine-loop-fusion",
            """\
affine-loop-fusion: Fuse affine loop nests

runs on: any operation
defined by: AffineLoopFusion of mlir

options:
  compute-tolerance=double
  fast-mem-space=uint32
  local-buf-threshold=uint64
  maximal=bool
  mode=greedy|producer|sibling
""",
        ),
        (
            "affine-loop-tile",
            """\
affine-loop-tile: Tile affine loop nests

runs on: func.func
defined by: AffineLoopTiling of mlir

options:
  cache-size=uint64
  separate=bool
  tile-size=uint32
  tile-sizes=uint32,...
""",
        ),
        (
            "affine-loop-unroll-jam",
            """\
affine-loop-unroll-jam: Unroll and jam affine loops

runs on: operations with FunctionOpInterface
defined by: AffineLoopUnrollAndJam of mlir

options:
  unroll-jam-factor=uint32
""",
        ),
    ],
)
def test_help_shows_the_anchor_and_the_options(
    argument: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert opt(f"--help-pass={argument}") == 0

    assert capsys.readouterr().out == expected


def test_the_list_of_passes_has_their_summaries(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert opt("--list-passes") == 0

    listed = dict(
        line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()
    )
    assert (
        listed["gpu-kernel-outlining"] == known_passes()["gpu-kernel-outlining"].summary
    )
    assert listed.keys() >= known_passes().keys()


def test_completion_offers_options_and_their_values(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = "passgen-opt --ir=mlir --affine-loop-fusion="

    assert opt(f"--complete={line}ma") == 0
    assert opt(f"--complete={line}mode=p") == 0

    assert capsys.readouterr().out == "ma\nmaximal\np\nproducer\n"


def test_a_note_names_the_bindings_that_lack_a_pass(
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = "convert-vector-to-llvm"

    assert opt(f"--help-pass={name}", package="jaxlib.mlir") == 2

    assert capsys.readouterr().err == (
        f"passgen-opt: '{name}' does not refer to a registered pass or pass pipeline\n"
        f"passgen-opt: '{name}' is a pass of MLIR, but 'jaxlib.mlir' does not have it\n"
    )


OUTSIDE = {
    "gpu-module-to-binary",
    "nvvm-attach-target",  # by `ptxas-cmd-options`, which a program gets later
    "snapshot-op-locations",
    "transform-interpreter",
    "transform-preload-library",
    "xevm-attach-target",  # by `cmd-options`
}
JUDGED_HARMLESS = re.compile(
    r"""
    abi|allowed-dialects|analysis-heuristic|caps|chip|chipset|client[-_]api
    |data-layout|data-layout-str|default-pipeline|device_type|dialect-filter
    |disable-patterns|enable-patterns|exclude|extensions|extra-types|exts|features
    |filter-dialects|l|label|layout-kind|mapping-policy|mnk-order|module|name
    |no-analysis-func-filter|op-pipelines|ops|pipeline|profiles
    |source-types|target-type|triple|vendor|ver
    """,
    re.VERBOSE,
)
"""Options with texts that are no files and no programs to the pass.

`l` of the passes that attach targets stays in the IR, for `gpu-module-to-binary`.
Pipelines are searched for passes that reach beyond the IR.
"""


def test_passes_that_reach_beyond_the_ir_are_known(bindings: Bindings) -> None:
    found: set[str] = set()
    texts: set[str] = set()
    for argument in known_passes():
        pass_class = NativePassEntry(bindings, argument).pass_class
        if outside_access_of(pass_class):
            found.add(argument)
        else:
            texts |= {
                info.argument
                for info in pass_class.options_class.documented_options()
                if info.type.name in ("string", "pipeline")
            }

    assert found == OUTSIDE
    # An option that is new is judged by a person, and added to one of the two.
    assert not [text for text in texts if not JUDGED_HARMLESS.fullmatch(text)]
