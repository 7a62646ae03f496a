"""The flags of remarks and of actions."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from passgen_tools.opt import main
from tests.passgen_test_opt.registry import REGISTRY, make_context

IR = '"test.op"() : () -> () loc("a.py":3:5)\n'
FUNCTIONS = "func.func @f() { return }\nfunc.func @g() { return }\n"


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Return a function that runs the driver; it returns the code and what it says."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, text: str = IR) -> tuple[int, str]:
        Path("in.mlir").write_text(text, "utf-8")
        line = ["in.mlir", "-o", "out.mlir", *arguments]
        code = main(line, registry=REGISTRY, make_context=make_context)
        said = capfd.readouterr()
        return code, said.out + said.err

    return call


Run = Callable[..., tuple[int, str]]


def kinds(said: str) -> list[str]:
    return [
        line.split("[")[1].split("]")[0]
        for line in said.splitlines()
        if "remark: [" in line
    ]


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        ([], []),
        (
            ["--remarks-filter=.*"],
            ["Missed", "Passed", "Passed", "Failure", "Analysis"],
        ),
        (["--remarks-filter=category-1"], []),
        (["--remarks-filter=category-2.*"], ["Failure", "Analysis"]),
        (["--remarks-filter-missed=.*"], ["Missed"]),
        (["--remarks-filter-passed=.*"], ["Passed", "Passed"]),
        (["--remarks-filter-failed=.*"], ["Failure"]),
        (["--remarks-filter-analyse=.*"], ["Analysis"]),
        (
            ["--remarks-filter=category-2.*", "--remarks-filter-missed=a-.*"],
            ["Missed", "Failure", "Analysis"],
        ),
        (
            ["--remarks-filter=.*", "--remark-policy=final"],
            ["Missed", "Passed", "Failure", "Analysis"],
        ),
    ],
)
def test_filters_show_remarks_by_kind_and_category(
    run: Run, flags: list[str], shown: list[str]
) -> None:
    code, said = run("--test-remark", *flags)
    assert code == 0
    assert kinds(said) == shown
    assert "should be dropped" not in said or "--remark-policy=final" not in flags


def test_yaml_is_written_beside_the_call_unless_a_file_is_named(run: Run) -> None:
    flags = ["--test-remark", "--remark-format=yaml", "--remarks-filter-missed=.*"]
    assert run(*flags) == (0, "")
    text = Path("mlir-remarks.yaml").read_text("utf-8")
    assert text.startswith("--- !Missed\nPass:            a-category-1-missed\n")

    run(*flags, "--remarks-output-file=r.yaml", "--split-input-file", text=IR * 2)
    assert Path("r.yaml").read_text("utf-8") == text * 2
    parts = f"{IR}// -----\n{IR}"
    run(*flags, "--remarks-output-file=r.yaml", "--split-input-file", text=parts)
    assert Path("r.yaml").read_text("utf-8").count("--- !Missed") == 2


def test_yaml_is_written_if_a_pass_fails(run: Run) -> None:
    flags = ["--remark-format=yaml", "--remarks-filter=.*", "--test-remark"]
    code, _ = run(*flags, "--test-pass-failure")
    assert code == 1
    assert Path("mlir-remarks.yaml").read_text("utf-8").count("---") == 5


def test_a_location_leads_to_the_source_of_the_front_end(run: Run) -> None:
    places = ['fused["a.py":3:5, "b.py":4:6]', '"x"("a.py":3:5)']
    places.append('callsite("a.py":3:5 at "b.py":4:6)')
    for place in places:
        text = IR.replace('"a.py":3:5', place)
        flags = ["--test-remark", "--remarks-filter-missed=.*"]
        _, said = run(*flags, text=text)
        assert said.startswith("a.py:3:5: remark: [Missed]")
        assert ("b.py:4:6: note: called from" in said) is ("callsite" in place)
        run(*flags, "--remark-format=yaml", text=text)
        assert "{ File: a.py, Line: 3," in Path("mlir-remarks.yaml").read_text("utf-8")


def test_wrong_flags_are_refused_with_what_to_do(run: Run) -> None:
    code, said = run("--test-remark", "--remark-format=bitstream")
    assert code == 2
    assert "llvm-remarkutil yaml2bitstream mlir-remarks.yaml -o FILE" in said

    code, said = run("--test-remark", "--remarks-filter-failed=(")
    assert code == 2
    assert "--remarks-filter-failed option: '(' is no regular expression" in said


def test_actions_are_logged_as_mlir_logs_them(run: Run) -> None:
    nested = "-p=builtin.module(func.func(cse),symbol-dce)"
    code, said = run(nested, "--log-actions-to=-", text=FUNCTIONS)
    assert code == 0
    action = (
        "[thread passgen-opt] begins (no breakpoint) Action `pass-execution` running"
    )
    end = "[thread passgen-opt] completed `pass-execution`"
    module = "Operation `builtin.module` (builtin.module {...})`"
    assert said.splitlines() == [
        f"{action} `mlir::detail::OpToOpPassAdaptor` on {module}",
        f"{action} `CSE` on Operation `func.func` (func.func @f() {{...}})`",
        end,
        f"{action} `CSE` on Operation `func.func` (func.func @g() {{...}})`",
        end,
        end,
        f"{action} `SymbolDCE` on {module}",
        end,
    ]


@pytest.mark.parametrize("flag", ["--log-actions-to=-", "--profile-actions-to=-"])
def test_a_skipped_pass_is_listed_as_skipped(flag: str, run: Run) -> None:
    pipeline = "-p=builtin.module(canonicalize,canonicalize)"
    text = "builtin.module { }"
    _, said = run(pipeline, flag, text=text)
    actions = [line for line in said.splitlines() if "Canonicalizer" in line]
    verbs = ["running" if " running " in line else "skipping" for line in actions]
    assert verbs == ["running", "skipping"]
    _, said = run(pipeline, flag, "--no-skip", text=text)
    assert "skipping" not in said


@pytest.mark.parametrize(
    ("place", "count"),
    [
        ("in.mlir:2:1", 1),
        ("in.mlir:2", 1),
        ("in.mlir", 4),
        ("in.ml", 0),
        ("in.mlir:", 0),
    ],
)
def test_actions_are_logged_at_places(place: str, count: int, run: Run) -> None:
    nested = "-p=builtin.module(func.func(cse),symbol-dce)"
    flag = f"--log-mlir-actions-filter={place}"
    run(nested, "--log-actions-to=log", flag, text=FUNCTIONS)

    log = Path("log").read_text("utf-8")
    assert (log.count(" begins "), log.count(" completed ")) == (count, count)


def test_applications_of_patterns_are_actions(run: Run) -> None:
    text = """
    func.func @f(%x: i32) -> i32 {
      %c = arith.constant 2 : i32
      %0 = arith.muli %x, %c : i32
      return %0 : i32
    }"""
    _, said = run("--arith-strength-reduction", "--log-actions-to=-", text=text)
    pattern = "begins (no breakpoint) Action `apply-pattern pattern: "
    assert said.count(pattern) == said.count("completed `apply-pattern`") >= 1


def test_times_of_actions_are_events(run: Run) -> None:
    run("-p=builtin.module(func.func(cse))", "--profile-actions-to=p", text=FUNCTIONS)
    events = json.loads(Path("p").read_text("utf-8"))
    assert [event["ph"] for event in events] == ["B", "B", "E", "B", "E", "E"]
    assert {event["name"] for event in events} == {"pass-execution"}
    assert events[1]["args"] == {
        "desc": "`pass-execution` running `CSE` on Operation `func.func`"
    }
    times = [event["ts"] for event in events]
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("pipeline", "count"), [("builtin.module(func.func(cse))", 18), ("any()", 0)]
)
def test_the_times_of_all_parts_of_an_input_are_one_list(
    run: Run, pipeline: str, count: int
) -> None:
    text = "// -----\n".join([FUNCTIONS] * 3)
    run("--split-input-file", f"-p={pipeline}", "--profile-actions-to=p", text=text)
    events = json.loads(Path("p").read_text("utf-8"))
    assert len(events) == count
    times = [event["ts"] for event in events]
    assert times == sorted(times)


def test_the_debugger_opens_before_a_pass(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    stops: list[str] = []

    def stop() -> None:
        found: dict[str, Any] = sys._getframe(1).f_locals  # noqa: SLF001 - as pdb
        stops.append(f"{found['pass_'].argument} {found['operation'].sym_name.data}")

    monkeypatch.setattr(sys, "breakpointhook", stop)
    nested = "-p=builtin.module(func.func(cse,canonicalize))"
    assert run(nested, "--break-at=cse@g", text=FUNCTIONS) == (0, "")
    assert run(nested, "--break-at=canonicalize", text=FUNCTIONS) == (0, "")
    assert stops == ["cse g", "canonicalize f", "canonicalize g"]

    _, said = run(nested, "--break-at=cse@h", text=FUNCTIONS)
    assert said == "pass-pipeline: warning: --break-at=cse@h: no such pass has run\n"
    code, said = run(nested, "--break-at=csee", text=FUNCTIONS)
    assert code == 2
    assert "there is no pass 'csee'\npassgen-opt: did you mean 'cse'?" in said
    code = main(["--cse", "--break-at=cse"], registry=REGISTRY)
    assert code == 2
