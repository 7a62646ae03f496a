"""Logs of LLVM's `mlir-opt`, read into records, against other logs of the same run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from passgen_tools.record import RunRecord, record_dumps
from tests.mlir_test_passes import mlir_opt_with_test_passes

INPUTS = Path(__file__).parent / "mlir_inputs"

MODULE = """\
func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  cf.br ^bb1
^bb1:
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
func.func private @unused()
module @inner {
  func.func @g(%x: i32) {
    %0 = arith.addi %x, %x : i32
    return
  }
}
"""
PIPELINE = (
    "builtin.module(func.func(cse,canonicalize{max-iterations=2}),"
    "builtin.module(func.func(canonicalize),symbol-dce),inline,symbol-dce)"
)
BOTH = ["--mlir-print-ir-before-all", "--mlir-print-ir-after-all"]


class Tool:
    """An `mlir-opt` that runs the pipeline."""

    def __init__(self, program: Path, folder: Path) -> None:
        self._program = program
        self._folder = folder
        self._source = folder / "in.mlir"
        self._source.write_text(MODULE, encoding="utf-8")

    def log(self, *flags: str, pipeline: str = PIPELINE) -> bytes:
        # A pass may end the process.
        return subprocess.run(
            [
                self._program,
                self._source,
                f"--pass-pipeline={pipeline}",
                *flags,
                "-o",
                self._folder / "out.mlir",
            ],
            capture_output=True,
            check=False,
        ).stderr

    def record(self, *flags: str, pipeline: str = PIPELINE) -> RunRecord:
        log = self.log(*flags, pipeline=pipeline)
        path = self._folder / "log.db"
        record_dumps(log.splitlines(keepends=True), path)
        return RunRecord(path)


@pytest.fixture
def tool(mlir_opt: Path, tmp_path: Path) -> Tool:
    return Tool(mlir_opt, tmp_path)


def changes(run: RunRecord) -> dict[tuple[str, str], bool]:
    """Return whether each pass changed its operation, where that is known."""
    return {
        (each.path, each.operation): each.has_changed
        for each in run.executions
        if None not in {each.before_id, each.after_id}
    }


def test_passes_have_their_places(tool: Tool) -> None:
    found = tool.record(*BOTH)

    assert changes(found) == {
        ("builtin.module/func.func[0]/cse[0]", "@f"): True,
        ("builtin.module/func.func[0]/cse[0]", "@unused"): False,
        ("builtin.module/func.func[0]/canonicalize[1]", "@f"): True,
        ("builtin.module/func.func[0]/canonicalize[1]", "@unused"): False,
        (
            "builtin.module/builtin.module[0]/func.func[0]/canonicalize[0]",
            "@inner/@g",
        ): True,
        ("builtin.module/builtin.module[0]/symbol-dce[1]", "@inner"): False,
        ("builtin.module/inline[1]", "builtin.module"): False,
        ("builtin.module/inline[1]/func.func[0]/canonicalize[0]", "@f"): False,
        (
            "builtin.module/inline[1]/builtin.module[0]/func.func[0]/canonicalize[0]",
            "@inner/@g",
        ): False,
        ("builtin.module/symbol-dce[2]", "builtin.module"): True,
    }
    inside, *_ = [each for each in found.executions if "inline[1]/f" in each.path]
    assert inside.text == "canonicalize"


@pytest.mark.parametrize(
    "flags",
    [
        ["--mlir-print-ir-after-all"],
        ["--mlir-print-ir-before-all"],
        [*BOTH, "--mlir-print-ir-after-change"],
        ["--mlir-print-ir-after-all", "--mlir-print-ir-module-scope"],
        [*BOTH, "--mlir-print-op-generic", "--mlir-timing"],
        [*BOTH, "--mlir-print-debuginfo"],
    ],
    ids=" ".join,
)
def test_other_flags_tell_the_same(tool: Tool, flags: list[str]) -> None:
    if "--mlir-print-ir-module-scope" in flags:
        flags = [*flags, "--mlir-disable-threading"]
    # Without dumps around it, a pass within another one has the place of its operation.
    pipeline = PIPELINE.replace("inline,", "")
    whole, found = (
        changes(tool.record(*each, pipeline=pipeline)) for each in (BOTH, flags)
    )

    assert len(found) >= 2
    assert found == {call: whole[call] for call in found}


def test_a_tree_tells_what_the_log_tells(tool: Tool, tmp_path: Path) -> None:
    in_log = tool.record(*BOTH)
    tool.log(*BOTH, f"--mlir-print-ir-tree-dir={tmp_path / 'tree'}")
    record_dumps(tmp_path / "tree", tmp_path / "tree.db")

    assert changes(RunRecord(tmp_path / "tree.db")) == changes(in_log)


@pytest.fixture
def tool_with_test_passes(tmp_path: Path) -> Tool:
    return Tool(mlir_opt_with_test_passes(), tmp_path)


def test_a_crash_shows_the_pass(tool_with_test_passes: Tool) -> None:
    pipeline = "builtin.module(cse,test-pass-crash,symbol-dce)"

    found = tool_with_test_passes.record(*BOTH, pipeline=pipeline)

    assert [each.text for each in found.running] == ["test-pass-crash"]
    assert [each.text for each in found.changed] == ["cse"]


def test_a_failed_pass_has_failed(tool_with_test_passes: Tool) -> None:
    pipeline = "builtin.module(func.func(cse),test-pass-failure,symbol-dce)"

    found = tool_with_test_passes.record(
        "--mlir-print-ir-after-failure", pipeline=pipeline
    )

    (failed,) = found.executions
    assert (failed.path, failed.status) == (
        "builtin.module/test-pass-failure[0]",
        "failed",
    )


@pytest.mark.parametrize("name", ["linalg", "gpu", "llvm"])
def test_the_ir_is_the_output(mlir_opt: Path, tmp_path: Path, name: str) -> None:
    """The IR after the last pass is the text that the tool writes."""
    source = INPUTS / f"{name}.mlir"
    flags = ["--mlir-print-ir-after-all", "--mlir-print-local-scope"]
    pipeline = "--pass-pipeline=builtin.module(any(cse,canonicalize),symbol-dce)"
    done = subprocess.run(
        [mlir_opt, source, pipeline, *flags, "--mlir-disable-threading"],
        capture_output=True,
        check=True,
    )
    record_dumps(done.stderr.splitlines(keepends=True), tmp_path / "log.db")
    found = RunRecord(tmp_path / "log.db")

    last = found.executions[-1]

    assert last.operation == "builtin.module"
    assert found.ir(last.after_id) == done.stdout.decode().rstrip("\n")
