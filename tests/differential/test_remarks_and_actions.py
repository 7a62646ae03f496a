"""Remarks and actions beside those of `mlir-opt`."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from passgen_tools import opt
from tests.llvm_tools import find_tool, missing
from tests.mlir_test_passes import mlir_opt_with_test_passes
from tests.passgen_test_opt.registry import REGISTRY, make_context

PLACES = """\
"test.op"() : () -> () loc("a.py":3:5)
"test.op"() : () -> () loc("a/long/path/to/the/source/of/some/front/end/module.py":30:5)
"test.op"() : () -> () loc(unknown)
"""
FUNCTIONS = """\
func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
module @inner {
  func.func private @g() { return }
  func.func @h() { return }
}
"""
PIPELINES = [
    "builtin.module(cse)",
    "builtin.module(func.func(cse))",
    "builtin.module(func.func(cse),symbol-dce)",
    "builtin.module(func.func(cse,cse))",
    "builtin.module(func.func(cse),func.func(cse))",
    "builtin.module(builtin.module(func.func(cse)))",
    "builtin.module(builtin.module(symbol-dce,func.func(cse)),cse)",
    "builtin.module(any(cse))",
    "builtin.module(func.func(cse),builtin.module(symbol-dce),symbol-privatize)",
    "builtin.module()",
]
"""Without greedy patterns: in C++, each try of one is an action."""


def theirs(*arguments: str) -> str:
    """Return what `mlir-opt` writes to standard output and error."""
    command = [str(mlir_opt_with_test_passes()), *arguments, "-o", "out.mlir"]
    ran = subprocess.run(
        [*command, "--allow-unregistered-dialect", "--mlir-disable-threading"],
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout + ran.stderr


@pytest.fixture
def ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """Return a function that calls our driver, in a folder of the test."""
    monkeypatch.chdir(tmp_path)
    Path("places.mlir").write_text(PLACES, "utf-8")
    Path("functions.mlir").write_text(FUNCTIONS, "utf-8")

    def call(*arguments: str) -> str:
        line = [*arguments, "-o", "out.mlir"]
        assert opt.main(line, registry=REGISTRY, make_context=make_context) == 0
        said = capfd.readouterr()
        return said.out + said.err

    return call


@pytest.mark.parametrize(
    "flags",
    [
        ["--remarks-filter=.*"],
        ["--remarks-filter=category.*"],
        ["--remarks-filter=category"],
        ["--remarks-filter-missed=.*", "--remarks-filter-failed=category-2.*"],
        ["--remarks-filter-passed=.*", "--remarks-filter-analyse=.*"],
    ],
)
def test_same_remarks(ours: Callable[..., str], flags: list[str]) -> None:
    flags = ["places.mlir", "--test-remark", *flags]
    assert ours(*flags) == theirs(*flags)

    flags += ["--remark-format=yaml", "--remarks-output-file=r.yaml"]
    assert ours(*flags) == theirs(*flags) == ""
    theirs(*flags)
    expected = Path("r.yaml").read_bytes()
    ours(*flags)
    assert Path("r.yaml").read_bytes() == expected


def test_the_final_policy_shows_the_same_remarks_in_another_order(
    ours: Callable[..., str],
) -> None:
    """MLIR shows them in the order of a hash table, and writes its YAML twice."""
    flags = ["places.mlir", "--test-remark", "--remarks-filter=.*"]
    flags += ["--remark-policy=final"]
    said = ours(*flags)
    assert sorted(said.splitlines()) == sorted(theirs(*flags).splitlines())

    flags += ["--remark-format=yaml", "--remarks-output-file=r.yaml"]
    theirs(*flags)
    expected = Path("r.yaml").read_text("utf-8").split("--- ")
    ours(*flags)
    found = Path("r.yaml").read_text("utf-8").split("--- ")
    assert sorted(found[1:] * 2) == sorted(expected[1:])


def test_llvms_tools_read_our_yaml(ours: Callable[..., str]) -> None:
    tool = find_tool("llvm-remarkutil") or missing("llvm-remarkutil")
    flags = ["--remark-format=yaml", "--remarks-output-file=r.yaml"]
    ours("places.mlir", "--test-remark", "--remarks-filter=.*", *flags)

    counted = subprocess.run(
        [tool, "count", "--group-by=function", "--count-by=remark-name", "r.yaml"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert counted.stdout == "Function,Count\n<unknown function>,15\n"


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_same_actions(ours: Callable[..., str], pipeline: str) -> None:
    flags = ["functions.mlir", f"--pass-pipeline={pipeline}"]
    logged = theirs(*flags, "--log-actions-to=-")
    assert comparable(ours(*flags, "--log-actions-to=-")) == comparable(logged)

    place = "--log-mlir-actions-filter=functions.mlir:1:1"
    logged = theirs(*flags, "--log-actions-to=-", place)
    found = ours(*flags, "--log-actions-to=-", place)
    assert comparable(found) == comparable(logged)

    theirs(*flags, "--profile-actions-to=p.json")
    expected = events(Path("p.json"))
    ours(*flags, "--profile-actions-to=p.json")
    assert events(Path("p.json")) == expected


def comparable(said: str) -> list[str]:
    """Return the lines of a log without names of threads, and IR as MLIR prints it."""
    lines = [line for line in said.splitlines() if not line.startswith("Execution")]
    lines = [re.sub(r"\[thread [\w-]+\]", "[thread]", line) for line in lines]
    lines = [re.sub(r"\((builtin\.)?module", "(module", line) for line in lines]
    lines = [line.replace("%x:", "%arg0:") for line in lines]
    return [re.sub(r"\(anonymous namespace\)::", "", line) for line in lines]


def events(path: Path) -> list[dict[str, object]]:
    """Return the events of a profile without times and threads."""
    text = re.sub(r"\(anonymous namespace\)::", "", path.read_text("utf-8"))
    found = json.loads(text or "[]")
    return [
        {key: value for key, value in event.items() if key not in {"ts", "tid"}}
        for event in found
    ]
