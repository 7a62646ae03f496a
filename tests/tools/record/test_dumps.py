"""Logs of IR dumps, read into records."""

from __future__ import annotations

from pathlib import Path

import pytest

from passgen_tools.opt import main as passgen_opt
from passgen_tools.record import RecordError, RunRecord, record_dumps
from tests.passgen_test_opt.registry import REGISTRY

MODULE = """\
func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  cf.br ^bb1
^bb1:
  %2 = arith.muli %0, %1 : i32
  func.return %2 : i32
}
func.func private @unused()
module @inner {
  func.func @g(%x: i32) {
    %0 = arith.addi %x, %x : i32
    func.return
  }
}
"""
PIPELINE = (
    "builtin.module(func.func(cse,canonicalize),builtin.module(func.func(canonicalize)"
    ",symbol-dce),symbol-dce)"
)


def read(log: str | bytes, folder: Path) -> RunRecord:
    """Return the record of a log."""
    data = log.encode() if isinstance(log, str) else log
    path = folder / "log.db"
    record_dumps(data.splitlines(keepends=True), path)
    return RunRecord(path)


def calls(run: RunRecord) -> list[tuple[str, str]]:
    return [(each.path, each.operation) for each in run.executions]


def changes(run: RunRecord) -> list[tuple[str, str]]:
    return [(each.path, each.operation) for each in run.changed]


def texts(run: RunRecord) -> list[tuple[str | None, str | None]]:
    """Return the IR before and after each execution."""

    def text(ir: int | None) -> str | None:
        return None if ir is None else run.ir(ir)

    return [(text(each.before_id), text(each.after_id)) for each in run.executions]


def dump(header: str, *lines: str, is_outermost: bool = False) -> str:
    end = "\n\n\n" if is_outermost else "\n\n"
    return f"// -----// IR Dump {header} //----- //\n" + "\n".join(lines) + end


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.mlir"
    path.write_text(MODULE, encoding="utf-8")
    return path


def logged(
    source: Path, capsys: pytest.CaptureFixture[str], *flags: str, code: int = 0
) -> str:
    """Return what the driver prints to standard error."""
    output = source.with_suffix(".out")
    arguments = [str(source), "-o", str(output), *flags]
    assert passgen_opt(arguments, registry=REGISTRY) == code
    return capsys.readouterr().err


# What a log tells is what a record of the same run tells.


@pytest.mark.parametrize("flag", ["--mlir-print-ir-pass-options", "--use-color=false"])
def test_dumps_before_and_after_tell_what_a_record_tells(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], flag: str
) -> None:
    flags = ["--mlir-print-ir-before-all", "--mlir-print-ir-after-all"]
    flags += [f"--pass-pipeline={PIPELINE}", f"--record={tmp_path / 'run.db'}"]
    if flag == "--mlir-print-ir-pass-options":
        flags.append(flag)
    log = logged(source, capsys, *flags)

    recorded, found = RunRecord(tmp_path / "run.db"), read(log, tmp_path)

    assert sorted(calls(found)) == sorted(calls(recorded))
    assert sorted(changes(found)) == sorted(changes(recorded))
    assert len(changes(found)) > 3
    assert set(texts(found)) == set(texts(recorded))
    assert found.introduced("cf.br") == []
    assert [each.operation for each in found.removed("@unused")] == ["@unused"]


@pytest.mark.parametrize(
    "flags",
    [
        ["--mlir-print-ir-after-all"],
        ["--mlir-print-ir-before-all"],
        ["--mlir-print-ir-before-all", "--mlir-print-ir-after-change"],
        ["--mlir-print-ir-initial", "--mlir-print-ir-after-all"],
        [
            "--mlir-print-ir-after-all",
            "--mlir-print-ir-module-scope",
            "--mlir-disable-threading",
        ],
        ["--mlir-print-ir-after-all", "--mlir-timing", "--mlir-print-op-generic"],
    ],
    ids=" ".join,
)
def test_other_dumps_tell_the_same_passes(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: list[str]
) -> None:
    run = [f"--pass-pipeline={PIPELINE}", f"--record={tmp_path / 'run.db'}"]
    log = logged(source, capsys, *run, *flags)

    recorded, found = RunRecord(tmp_path / "run.db"), read(log, tmp_path)

    assert sorted(calls(found)) == sorted(calls(recorded))
    # What a pass did is not known where its dumps and those around do not show it.
    known = [
        each for each in found.executions if None not in (each.before_id, each.after_id)
    ]
    assert {(each.path, each.operation) for each in known if each.has_changed} == {
        (each.path, each.operation)
        for each in recorded.changed
        if (each.path, each.operation) in {(one.path, one.operation) for one in known}
    }
    assert len(known) >= 2


def test_a_pass_without_dump_is_missing_and_its_operation_keeps_its_place(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--mlir-print-ir-after-all", "--mlir-print-ir-after-change"]
    flags.append(f"--pass-pipeline={PIPELINE}")

    found = read(logged(source, capsys, *flags), tmp_path)

    assert (
        "builtin.module/builtin.module[0]/func.func[0]/canonicalize[0]",
        "@inner/@g",
    ) in calls(found)
    assert "symbol-dce" in found.executions[-1].path
    assert len(found.executions) < 8


def test_a_tree_of_dumps_tells_what_a_log_tells(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--mlir-print-ir-before-all", "--mlir-print-ir-after-all"]
    flags.append(f"--pass-pipeline={PIPELINE}")
    tree = tmp_path / "tree"
    in_log = read(logged(source, capsys, *flags), tmp_path)
    logged(source, capsys, *flags, f"--mlir-print-ir-tree-dir={tree}")
    record_dumps(tree, tmp_path / "tree.db")

    in_tree = RunRecord(tmp_path / "tree.db")

    assert sorted(calls(in_tree)) == sorted(calls(in_log))
    assert sorted(changes(in_tree)) == sorted(changes(in_log))
    assert set(texts(in_tree)) == set(texts(in_log))


def test_a_failed_pass_has_failed_and_its_error_belongs_to_it(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipeline = "builtin.module(func.func(cse),symbol-dce,test-pass-failure)"
    flags = ["--mlir-print-ir-after-all", f"--pass-pipeline={pipeline}"]

    found = read(logged(source, capsys, *flags, code=1), tmp_path)

    assert [each.status for each in found.executions[-2:]] == ["succeeded", "failed"]
    assert found.executions[-1].path == "builtin.module/test-pass-failure[2]"


# Forms of other tools.


F1 = ["func.func @f() {", "  %0 = test.a", "  return", "}"]
F2 = ["func.func @f() {", "  return", "}"]
F3 = ["func.func @f() {", "  test.b", "  return", "}"]


def module(*functions: list[str], head: str = "module {") -> list[str]:
    return [head, *(f"  {line}" for each in functions for line in each), "}"]


def test_a_pass_is_named_with_its_options_as_in_llvm_23(tmp_path: Path) -> None:
    text = "canonicalize{max-iterations=2 test-pattern=a:b}"
    log = dump(f"Before CanonicalizerPass: {text}", *F1) + dump(
        f"After CanonicalizerPass Failed: {text}", *F2
    )

    (execution,) = read(log, tmp_path).executions

    assert (execution.path, execution.text) == (
        "builtin.module/func.func[0]/canonicalize[0]",
        text,
    )
    assert (execution.status, execution.has_changed) == ("failed", True)


CANONICALIZE = (
    "canonicalize{cse-between-iterations=false    max-iterations=10 "
    "max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true}"
)
INLINE = (
    "inline{default-pipeline=canonicalize inlining-threshold=4294967295 "
    f"max-iterations=4 op-pipelines={{func.func({CANONICALIZE})}}}}"
)


@pytest.mark.parametrize("place", ["", " ('func.func' operation: @f)"])
@pytest.mark.parametrize(
    ("name", "text", "read_text"),
    [
        ("CanonicalizerPass", CANONICALIZE, CANONICALIZE),
        ("InlinerPass", INLINE, INLINE),
        ("CSEPass", "cse", "cse"),
        ("own", "unknown<own>", "own"),
        ("(anonymous namespace)::Own", "own{a=b:c}", "own{a=b:c}"),
    ],
)
def test_headers_of_llvm_24_are_read(
    name: str, text: str, read_text: str, place: str, tmp_path: Path
) -> None:
    heads = f"Before {name}: {text}", f"After {name}: {text}"
    log = "".join(dump(f"{head}{place}", *F1) for head in heads)
    log += dump(f"After {name} Failed: {text}{place}", *F2)

    found = read(log, tmp_path).executions

    assert [each.text for each in found] == [read_text, read_text]
    assert [each.status for each in found] == ["succeeded", "failed"]


def test_a_header_may_have_no_argument_and_a_namespace(tmp_path: Path) -> None:
    log = dump("After Canonicalizer", *F1) + dump(
        "After (anonymous namespace)::Own Failed (own)", *F2
    )

    found = read(log, tmp_path)

    assert [each.text for each in found.executions] == ["Canonicalizer", "own"]
    assert [each.status for each in found.executions] == ["succeeded", "failed"]


def test_modules_without_a_name_inside_of_another_one_are_kept_apart(
    tmp_path: Path,
) -> None:
    # As IREE has them, one in each variant of an executable.
    inner = [module(F1), module([line.replace("@f", "@g") for line in F1])]
    outer = module(*inner, head="module @whole {")
    log = (
        dump("After Outline (outline)", *outer, is_outermost=True)
        + dump("After Lower (lower)", *inner[1])
        + dump("After Lower (lower)", *module(F2))
        + dump("After Link (link)", *outer, is_outermost=True)
    )

    found = read(log, tmp_path)

    assert calls(found) == [
        ("builtin.module/outline[0]", "@whole"),
        ("builtin.module/builtin.module[1]/lower[0]", "@whole/builtin.module[1]"),
        ("builtin.module/builtin.module[1]/lower[0]", "@whole/builtin.module[0]"),
        ("builtin.module/link[2]", "@whole"),
    ]
    assert changes(found) == [calls(found)[2], calls(found)[3]]


@pytest.mark.parametrize("is_before_shown", [False, True])
def test_functions_of_one_name_are_told_apart_by_their_text(
    tmp_path: Path,
    is_before_shown: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    outer = ["func.func @h(%x: i32) {", "  return", "}"]
    inner = ["func.func @h() {", "  return", "}"]
    changed = ["func.func @h() attributes {planted} {", "  return", "}"]
    whole = module(outer, module(inner, head="module @in {"))

    def ran(name: str, old: list[str], new: list[str]) -> str:
        before = dump(f"Before {name} ({name})", *old) if is_before_shown else ""
        return before + dump(f"After {name} ({name})", *new)

    log = (
        dump("After first (first)", *whole, is_outermost=True)
        + ran("cse", outer, outer)
        + ran("cse", inner, inner)
        + ran("plant", outer, outer)
        + ran("plant", inner, changed)
        + ran("cse", changed, changed)
    )

    found = read(log, tmp_path)

    assert [operation for _, operation in calls(found)] == [
        "builtin.module",
        "@h",
        "@in/@h",
        "@h",
        "@in/@h",
        "@in/@h",
    ]
    assert [each.operation for each in found.introduced("planted")] == ["@in/@h"]


def test_a_function_may_become_another_operation(tmp_path: Path) -> None:
    lowered = [line.replace("func.func", "llvm.func") for line in F2]
    log = (
        dump("After A (a)", *F1)
        + dump("After Lower (lower)", *module(lowered), is_outermost=True)
        + dump("After B (b)", *lowered)
    )

    assert calls(read(log, tmp_path)) == [
        ("builtin.module/func.func[0]/a[0]", "@f"),
        ("builtin.module/lower[1]", "builtin.module"),
        ("builtin.module/llvm.func[2]/b[0]", "@f"),
    ]


def test_dumps_before_passes_alone_show_what_each_but_the_last_did(
    tmp_path: Path,
) -> None:
    # As Triton prints them.
    log = "".join(
        dump(
            f"Before {name} ({name}) ('builtin.module' operation)",
            *text,
            is_outermost=True,
        )
        for name, text in [("a", module(F1)), ("b", module(F2)), ("c", module(F2))]
    )

    found = read(log, tmp_path)

    assert [each.text for each in found.changed] == ["a"]
    assert found.executions[1].before_id == found.executions[1].after_id
    assert found.executions[2].after_id is None
    assert {each.status for each in found.executions} == {"succeeded"}


def test_without_the_first_input_a_text_is_first_seen_after_a_pass(
    tmp_path: Path,
) -> None:
    def after(name: str, operation: str) -> str:
        return dump(f"After {name} ({name})", "func.func @f() {", operation, "}")

    found = read(
        after("lower", "  scf.for")
        + after("cse", "  scf.for")
        + after("finish", "  cf.br"),
        tmp_path,
    )

    (first,) = found.introduced("scf.for")
    assert (first.execution.text, first.is_certain) == ("lower", False)
    (last,) = found.removed("scf.for")
    assert (last.execution.text, last.is_certain) == ("finish", True)
    (certain,) = found.introduced("cf.br")
    assert (certain.execution.text, certain.is_certain) == ("finish", True)


def test_another_module_begins_another_run(tmp_path: Path) -> None:
    log = "".join(
        dump("After CSE (cse)", *function)
        + dump("After Inliner (inline)", *module(function), is_outermost=True)
        for function in (F1, F3, [line.replace("@f", "@g") for line in F1])
    )

    found = read(log, tmp_path)

    assert [each.run_id for each in found.executions] == [1, 1, 1, 1, 2, 2]
    assert [each.operation for each in found.executions[-2:]] == [
        "@g",
        "builtin.module",
    ]


def test_a_function_looks_the_same_alone_and_in_a_module_with_aliases(
    tmp_path: Path,
) -> None:
    shared = [
        "#map = affine_map<(d0) -> (d0)>",
        *module(
            [
                'func.func @f() attributes {a = #map, b = "#map", c = #own} {',
                "  return loc(#loc1)",
                "}",
            ]
        ),
        '#loc1 = loc("a":1:2)',
    ]
    alone = [
        'func.func @f() attributes {a = affine_map<(d0) -> (d0)>, b = "#map", c = #own} {',
        '  return loc("a":1:2)',
        "}",
    ]
    log = dump("Before A (a)", *shared, is_outermost=True) + dump("After B (b)", *alone)

    _, execution = read(log, tmp_path).executions

    assert execution.before_id == execution.after_id is not None


def test_resources_belong_to_the_module(tmp_path: Path) -> None:
    resources = ["", "{-#", "  dialect_resources: {", "  }", "#-}"]
    log = dump("After A (a)", *module(F1), *resources, is_outermost=True)

    found = read(log, tmp_path)

    (after,) = [each.after_id for each in found.executions]
    assert found.ir(after) == "\n".join([*module(F1), *resources])


def test_diagnostics_belong_to_the_pass_that_was_running(tmp_path: Path) -> None:
    log = (
        "a.mlir:1:1: warning: of the parser\n"
        + dump("Before A (a)", *F1)
        + "a.mlir:2:3: remark: of the pass\n  return\n  ^\n"
        + "a.mlir:2:3: note: see here\n"
        + dump("After A (a)", *F1)
        + "<unknown>:0: error: of the next one\n"
        + dump("After B Failed (b)", *F1)
    )

    found = read(log, tmp_path)

    assert [
        (each.severity, each.message, each.execution_id) for each in found.diagnostics
    ] == [
        ("warning", "of the parser", None),
        ("remark", "of the pass", 1),
        ("note", "see here", 1),
        ("error", "of the next one", 2),
    ]


def test_other_lines_are_no_ir(tmp_path: Path) -> None:
    noise = (
        "===---===\n   ... Execution time report ...\n  0.1 (100%) Total\nmodule {\n}\n"
    )
    log = noise + dump("After A (a)", *F1) + noise + dump("After B (b)", *F2) + noise

    found = read(log, tmp_path)

    assert texts(found) == [(None, "\n".join(F1)), ("\n".join(F1), "\n".join(F2))]


# Logs that are damaged.


def test_a_killed_process_shows_the_pass_that_was_running(tmp_path: Path) -> None:
    log = (
        dump("Before A (a)", *F1)
        + dump("After A (a)", *F1)
        + dump("Before B (b)", *F1)
        + "PLEASE submit a bug report\nStack dump:\n0.\tProgram arguments: opt\n"
    )

    (running,) = read(log, tmp_path).running

    assert (running.text, running.operation) == ("b", "@f")


def test_a_dump_that_is_cut_off_is_left_out(tmp_path: Path) -> None:
    log = dump("After A (a)", *F1) + dump("After B (b)", *F2)
    path = tmp_path / "log.db"

    for end in range(log.index("IR Dump After B") + 40, log.rindex("}")):
        assert record_dumps(log[:end].encode().splitlines(keepends=True), path) is False
        assert [each.text for each in RunRecord(path).executions] == ["a"]
    assert record_dumps(log.encode().splitlines(keepends=True), path) is True
    assert [each.text for each in RunRecord(path).executions] == ["a", "b"]


def test_bytes_that_are_no_text_and_line_ends_of_windows_are_read(
    tmp_path: Path,
) -> None:
    log = dump("After A (a)", "func.func @f() {", '  test.a "\xff"', "}")

    found = read(log.replace("\n", "\r\n").encode("latin-1"), tmp_path)

    assert texts(found) == [(None, 'func.func @f() {\n  test.a "\ufffd"\n}')]


def test_hostile_text_is_text(tmp_path: Path) -> None:
    deep = [("  " * i) + "module {" for i in range(300)]
    deep += [("  " * i) + "}" for i in reversed(range(300))]
    logs = [
        dump("After </script> (\u202e')", 'func.func @"</script>"() {', "}"),
        dump(
            "After A (a) ('func.func' operation: @\"x y/z\")",
            *module(F1),
            is_outermost=True,
        ),
        dump("After A (a)", *deep, is_outermost=True),
        dump("After A (a)", "x" * 100_000 + "(" * 100_000),
        dump("After A (a)", *("module {", "}", "}", "  a", ")")),
        dump("After A (a)", *module(F1, F2)),  # the same symbol twice
        dump("After " + "('" * 50_000 + " (a)", *F1),
    ]

    for log in logs:
        found = read(log, tmp_path)
        (execution,) = found.executions
        body = log.split("\n", 1)[1].rstrip("\n")
        assert found.ir(execution.after_id) == body


def test_a_log_without_dumps_says_how_to_get_them(tmp_path: Path) -> None:
    log, record = tmp_path / "log.txt", tmp_path / "run.db"
    log.write_text("module {\n}\n// -----// IR Dump After A (a) //----- //\n")

    with pytest.raises(
        RecordError,
        match=r"no IR dump in '.*log.txt'; run the tool with --mlir-print-ir-after-all",
    ):
        record_dumps(log, record)
    with pytest.raises(RecordError, match=r"cannot read '.*missing': No such file"):
        record_dumps(tmp_path / "missing", record)
    assert not record.exists()
