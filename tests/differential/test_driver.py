"""The same command through `mlir-opt` and through `passgen-test-opt`.

Exit codes, messages and outputs are compared. `said` removes the intended differences,
which docs/driver.md explains:

- Names of operations are printed in full and in the generic form alike, SSA values get
  other numbers, and properties another order: xDSL prints.
- C++ namespaces of passes.
- We name the pass that failed, and its pipeline, and how to get a reproducer.
- Wrong usage ends with 2 instead of 1, and is not said twice.
- A reproducer of a run that succeeds holds the IR before the passes, not after them, and
  says how the verifier and the threads are really set.
- Dynamic pipelines are timed below the pass that runs them.
- A file or tree that cannot be written is refused before any pass runs.
- `test-pass-invalid-parent` fails after the pass on the function.
- Threads fan out by default only in a free-threaded Python.
- Locations of block arguments are not read, and pretty call sites take one line.
- `--mlir-disable-diagnostic-notes` leaves out the notes below diagnostics as well.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from passgen_tools import opt
from passgen_tools.opt.default_parts import DEFAULT_PARTS
from passgen_tools.opt.driver_part import flags_of
from passgen_tools.opt.option_checks import refused_flags
from tests.docs.test_driver_flags import HERE_ONLY
from tests.llvm_tools import missing
from tests.mlir_test_passes import mlir_opt_with_test_passes
from tests.passgen_test_opt.registry import REGISTRY, make_context

FUNCTIONS = """\
module @top {
  func.func @a(%x: i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    %1 = arith.addi %x, %x : i32
    %2 = arith.muli %0, %1 : i32
    return %2 : i32
  }
  func.func @b() {
    return
  }
}
"""
NESTED = """\
module @top {
  module @inner {
    func.func @a() { return }
    func.func @b() { return }
  }
  func.func @c() { return }
  func.func private @"x/y"()
  module { func.func @d() { return } }
}
"""
PARTS = """\
func.func @a() { return }
// -----
// expected-error@+1 {{expected}}
func.func @b( { return }
// -----
func.func @c() { return }
"""
EXPECTING = """\
// expected-remark@+1 {{Executing interface}}
func.func @a() { return }
// -----
func.func @b() { return } // expected-remark {{pass on operation}}
// -----
// expected-remark-re@below {{Exec{{[a-z]+}} interface}}
func.func @c() { return }
// -----
func.func @d() { return }
// expected-remark@above {{Executing}}
"""
DISAPPOINTED = """\
func.func @a() { return } // expected-error {{Executing}}
// -----
func.func @b() { return }
// -----
func.func @c() { return } // expected-remark {{something else}}
"""
LOCATIONS = """\
func.func @a() { return } loc(unknown)
func.func @b() { return } loc("name")
func.func @c() { return } loc("name"("k.mlir":7:8))
func.func @d() { return } loc(fused["g.mlir":1:2, "h.mlir":3:4])
func.func @e() { return } loc(callsite("name" at "f.mlir":3:4))
func.func @f() { return } loc(callsite("z.mlir":1:1 at callsite("y.mlir":2:2 at "f.mlir":3:4)))
func.func @g() { return } loc(fused["a", callsite("name" at "f.mlir":5:6)])
"""
INPUTS = {
    "locations": LOCATIONS,
    "functions": FUNCTIONS,
    "nested": NESTED,
    "parts": PARTS,
    "expecting": EXPECTING,
    "disappointed": DISAPPOINTED,
}

ATTRIBUTES = """\
func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32 loc("add one"("a.mlir":3:4))
  %c = arith.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %s = arith.constant dense<1> : tensor<50xi32> loc(fused["1st", "b.mlir":3:4])
  return %0 : i32 loc(callsite("inner" at "c.mlir":5:6))
}
func.func @g(%x: i32) -> i32 {
  %1 = arith.addi %x, %x : i32
  return %1 : i32
}
"""
INPUTS["attributes"] = ATTRIBUTES

PASSES = "--pass-pipeline=builtin.module(func.func(cse,test-function-pass),symbol-dce)"
FAILS = "--pass-pipeline=builtin.module(func.func(cse,test-pass-failure),symbol-dce)"
BREAKS = "--pass-pipeline=builtin.module(func.func(test-pass-create-invalid-ir))"
DEEP = (
    "--pass-pipeline=builtin.module(symbol-dce,builtin.module(func.func(cse,"
    "test-function-pass)),func.func(cse),symbol-dce,any(cse))"
)
REMARKS = "--pass-pipeline=builtin.module(func.func(test-interface-pass))"
SHOWN = "--mlir-print-op-on-diagnostic"
WITHOUT_OPERATIONS = "--mlir-print-op-on-diagnostic=false"
ONE_THREAD = "--mlir-disable-threading"
GENERIC = "--mlir-print-op-generic"


@dataclass(frozen=True)
class Done:
    """The result of a call: its success, its output, and its standard error."""

    succeeded: bool
    output: str
    said: str


@dataclass
class Drivers:
    """Both drivers, in the same folder with the same inputs."""

    mlir_opt: Path
    folder: Path
    capture: pytest.CaptureFixture[str]

    def theirs(self, *arguments: str) -> Done:
        done = subprocess.run(
            [self.mlir_opt, *self._defaults(arguments)],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(done.returncode == 0, done.stdout, done.stderr)

    def both(self, *arguments: str) -> tuple[Done, Done]:
        """Return the results of `mlir-opt` and of our driver."""
        return self.theirs(*arguments), self.ours(*arguments)

    @staticmethod
    def _defaults(arguments: tuple[str, ...]) -> tuple[str, ...]:
        """Return `arguments`; operations are not shown unless they say so."""
        return arguments if SHOWN in arguments else (*arguments, WITHOUT_OPERATIONS)

    def ours(self, *arguments: str) -> Done:
        code = opt.main(
            self._defaults(arguments),
            registry=REGISTRY,
            make_context=make_context,
        )
        captured = self.capture.readouterr()
        return Done(code == 0, captured.out, captured.err)


@pytest.fixture
def drivers(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Drivers:
    for name, text in INPUTS.items():
        (tmp_path / f"{name}.mlir").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return Drivers(mlir_opt_with_test_passes(), tmp_path, capsys)


_OURS = re.compile(
    r"^(error: pass '|note: (in the pipeline|for a reproducer|it raised)|"
    r"pass-pipeline: warning: ).*\n",
    re.MULTILINE,
)


def said(text: str) -> str:
    """Return the messages of a driver without the intended differences."""
    text = _OURS.sub("", text.replace("(anonymous namespace)::", ""))
    text = re.sub(r"%(arg)?\w+", "%_", text)
    text = re.sub(r"<\{(.*?)\}>", lambda match: _sorted(match[1]), text)
    return re.sub(r" overflowFlags = #arith.overflow<none>,?", "", text)


def _sorted(properties: str) -> str:
    parts = re.split(r", (?=\w+ = )", properties)
    return f"<{{{', '.join(sorted(parts))}}}>"


def times_masked(text: str) -> str:
    return re.sub(r"-? *-?\d+\.\d+ \([- \d.]+%\)", "TIME", text)


PRINTING = [
    ["--mlir-print-ir-before=cse", PASSES],
    ["--mlir-print-ir-before=cse,symbol-dce", PASSES],
    ["--mlir-print-ir-before=cse", "--mlir-print-ir-before=symbol-dce", PASSES],
    ["--mlir-print-ir-before-all", PASSES],
    ["--mlir-print-ir-after=cse", PASSES],
    ["--mlir-print-ir-after-all", PASSES],
    ["--mlir-print-ir-before=cse", "--mlir-print-ir-after=cse", PASSES],
    ["--mlir-print-ir-after-all", "--mlir-print-ir-after-change", PASSES],
    ["--mlir-print-ir-after=cse", "--mlir-print-ir-after-change", PASSES],
    ["--mlir-print-ir-module-scope", PASSES],
    ["--mlir-print-ir-before-all", "--mlir-print-ir-module-scope", PASSES],
    ["--mlir-print-ir-after=cse", "--mlir-print-ir-module-scope", PASSES],
    ["--mlir-print-ir-after-all", "--mlir-print-local-scope", PASSES],
    ["--mlir-print-ir-after-failure", PASSES],
    ["--mlir-print-ir-after-failure", FAILS],
    ["--mlir-print-ir-after-all", FAILS],
    ["--mlir-print-ir-after-all", "--mlir-print-ir-after-failure", FAILS],
    ["--mlir-print-ir-after-failure", "--mlir-print-ir-module-scope", FAILS],
    ["--mlir-print-ir-after-failure", "--verify-each=false", BREAKS],
    ["--cse", "--symbol-dce", "--mlir-print-ir-after-all"],
]


@pytest.mark.parametrize("flags", PRINTING, ids=" ".join)
@pytest.mark.parametrize("spelling", ["--mlir-", "--"])
def test_ir_printing(drivers: Drivers, flags: list[str], spelling: str) -> None:
    common = ["functions.mlir", ONE_THREAD, GENERIC, "-o=-"]
    theirs = drivers.theirs(*common, *flags)
    ours = drivers.ours(*common, *(flag.replace("--mlir-", spelling) for flag in flags))

    assert said(ours.said) == said(theirs.said)
    assert said(ours.output).strip() == said(theirs.output).strip()
    assert ours.succeeded == theirs.succeeded


def test_ir_printing_after_a_pass_that_breaks_the_ir(drivers: Drivers) -> None:
    """Headers agree, in their order; where each is among the errors may differ."""
    arguments = ["functions.mlir", ONE_THREAD, "--mlir-print-ir-after-failure", BREAKS]

    def sorted_lines(done: Done) -> list[str]:
        return sorted(said(done.said).splitlines())

    assert sorted_lines(drivers.ours(*arguments)) == sorted_lines(
        drivers.theirs(*arguments)
    )


def _tree(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): said(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    "flags",
    [
        ["--mlir-print-ir-after-all"],
        ["--mlir-print-ir-before-all"],
        ["--mlir-print-ir-before-all", "--mlir-print-ir-after-all"],
        ["--mlir-print-ir-after-all", "--mlir-print-ir-module-scope"],
        ["--mlir-print-ir-after=cse", "--mlir-print-ir-after-change"],
        ["--mlir-print-ir-before=symbol-dce"],
    ],
    ids=" ".join,
)
def test_ir_printing_to_a_tree_of_files(drivers: Drivers, flags: list[str]) -> None:
    arguments = ["nested.mlir", DEEP, ONE_THREAD, GENERIC, *flags, "-o=/dev/null"]
    theirs = drivers.theirs(*arguments, "--mlir-print-ir-tree-dir=theirs")
    ours = drivers.ours(*arguments, "--mlir-print-ir-tree-dir=ours")

    assert (ours.said, theirs.said) == ("", "")
    assert _tree(drivers.folder / "ours") == _tree(drivers.folder / "theirs")
    assert _tree(drivers.folder / "ours") or "change" in flags[-1]


TIMING = [
    ("functions", [PASSES]),
    ("nested", [DEEP]),
    ("functions", [FAILS]),
    ("functions", []),
    ("functions", ["--cse", "--symbol-dce"]),
    ("functions", ["--pass-pipeline=builtin.module(func.func(cse,canonicalize,cse))"]),
    ("nested", ["--test-pm-nested-pipeline"]),
    ("parts", []),
    ("nested", ["--pass-pipeline=builtin.module(func.func(cse),any(cse))"]),
]
FORMATS = [
    ["--mlir-timing-display=tree"],
    ["--mlir-timing-display=list"],
    ["--mlir-output-format=json"],
    ["--mlir-timing-display=list", "--mlir-output-format=json"],
]


@pytest.mark.parametrize(("name", "flags"), TIMING, ids=str)
@pytest.mark.parametrize("form", FORMATS, ids=" ".join)
def test_timing(drivers: Drivers, name: str, flags: list[str], form: list[str]) -> None:
    arguments = [f"{name}.mlir", "-o=/dev/null", ONE_THREAD, "--mlir-timing", *form]
    theirs = _report(drivers.theirs(*arguments, *flags).said, form)
    ours = _report(drivers.ours(*arguments, *flags).said, form)

    assert ours == theirs
    assert any("Parser" in line for line in ours)


def _report(text: str, form: list[str]) -> list[str]:
    """Return the lines of a report, those of a list in order of name, without times."""
    start = re.search(r"^(===-|\[$)", text, re.MULTILINE)
    assert start is not None, text
    report = text[start.start() :].replace("(anonymous namespace)::", "")
    report = _OURS.sub("", report)
    if "--mlir-output-format=json" in form:
        report, end, _ = report.partition("\n]\n")
        json.loads(f"{report}{end}")
        masked = re.sub(r'(?<=": )[- ]*\d+\.\d+', "N", report)
    else:
        total, _, _ = report.rpartition("%)  Total\n")
        masked = times_masked(f"{total}%)  Total")
        masked = re.sub(r"Total Execution Time: \d+\.\d+", "Total N", masked)
    lines = masked.splitlines()
    return sorted(lines) if "--mlir-timing-display=list" in form else lines


STATISTICS = [
    ["--cse", "--mlir-pass-statistics"],
    ["--cse", "--cse", "--mlir-pass-statistics", "--mlir-pass-statistics-display=list"],
    [
        "--pass-pipeline=builtin.module(func.func(cse),any(cse),symbol-dce)",
        "--mlir-pass-statistics",
    ],
    [
        "--pass-pipeline=builtin.module(func.func(cse),any(cse),symbol-dce)",
        "--mlir-pass-statistics",
        "--mlir-pass-statistics-display=list",
    ],
]


@pytest.mark.parametrize("flags", STATISTICS, ids=" ".join)
def test_statistics(drivers: Drivers, mlir_opt: Path, flags: list[str]) -> None:
    """Descriptions are in words of our own; Debian's `mlir-opt` has no statistics."""
    drivers.mlir_opt = mlir_opt
    arguments = ["functions.mlir", "-o=/dev/null", ONE_THREAD, *flags]
    theirs = drivers.theirs(*arguments).said
    if "(S)" not in theirs:
        missing("an mlir-opt with statistics")
    ours = drivers.ours(*arguments).said

    ours, theirs = (re.sub(r" - .*", "", text) for text in (ours, theirs))
    if "any(" in " ".join(flags):  # mlir-opt loses what is counted there
        ours, theirs = (re.sub(r"\(S\) \d+", "(S)", text) for text in (ours, theirs))
    assert ours == theirs


WRONG = [
    ["functions.mlir", "--mlir-print-ir-before=csx", PASSES],
    ["functions.mlir", "--mlir-print-ir-module-scope", "--mlir-print-ir-after-all"],
    ["functions.mlir", "--mlir-print-ir-module-scope"],
    [
        "functions.mlir",
        "--mlir-pass-pipeline-crash-reproducer=r.mlir",
        "--mlir-pass-pipeline-local-reproducer",
        PASSES,
    ],
    ["functions.mlir", "--mlir-timing-display=tabular"],
    ["functions.mlir", "--mlir-timing=perhaps"],
    ["functions.mlir", "--no-such-flag-at-all"],
    ["functions.mlir", "--pass-pipeline=builtin.module()", "--cse"],
    ["functions.mlir", "-o=no/such/folder/out.mlir"],
    ["no-such-file.mlir"],
    ["functions.mlir", "nested.mlir"],
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_error_before_any_pass(drivers: Drivers, arguments: list[str]) -> None:
    theirs, ours = drivers.both(*arguments)

    assert (ours.succeeded, ours.output) == (theirs.succeeded, theirs.output)
    assert not ours.succeeded
    words = re.sub(r"^(mlir-opt|<unknown>:0: error): |See: \S+", "", said(theirs.said))
    first = words.splitlines()[0].partition("  Try:")[0].strip()
    assert first in ours.said


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("parts", ["--split-input-file"]),
        ("parts", ["--split-input-file", "--cse"]),
        ("functions", ["--split-input-file"]),
        ("expecting", ["--split-input-file", "--verify-diagnostics", REMARKS]),
        ("disappointed", ["--split-input-file", "--verify-diagnostics", REMARKS]),
        ("disappointed", ["--verify-diagnostics=only-expected", REMARKS]),
        (
            "disappointed",
            ["--split-input-file", "--verify-diagnostics=only-expected", REMARKS],
        ),
        ("functions", ["--verify-each=false", BREAKS]),
        ("functions", [BREAKS]),
        ("functions", [FAILS]),
        ("functions", [REMARKS]),
        ("locations", [REMARKS]),
        ("locations", [REMARKS, "--verify-diagnostics"]),
        ("functions", ["--verify-each=0", GENERIC]),
    ],
    ids=str,
)
def test_parts_and_diagnostics(drivers: Drivers, name: str, flags: list[str]) -> None:
    arguments = [f"{name}.mlir", ONE_THREAD, *flags]
    theirs, ours = drivers.both(*arguments)

    assert ours.succeeded == theirs.succeeded
    assert _symbols(ours.output) == _symbols(theirs.output)
    if name != "parts":  # the parsers have words of their own
        assert sorted(said(ours.said).splitlines()) == sorted(
            said(theirs.said).splitlines()
        )


def _symbols(text: str) -> list[str]:
    return re.findall(r'^// -----|@\w+|sym_name = "\w+"', text, re.MULTILINE)


# Reproducers.

REPRODUCING = [
    ("functions", [FAILS]),
    ("functions", [FAILS, ONE_THREAD]),
    ("functions", [FAILS, ONE_THREAD, "--mlir-pass-pipeline-local-reproducer"]),
    ("functions", [BREAKS, ONE_THREAD, "--mlir-pass-pipeline-local-reproducer"]),
    ("functions", [PASSES]),
    ("functions", [FAILS, "--verify-each=false", ONE_THREAD]),
]


@pytest.mark.parametrize(("name", "flags"), REPRODUCING, ids=str)
def test_reproducer_of_a_failure(drivers: Drivers, name: str, flags: list[str]) -> None:
    arguments = [f"{name}.mlir", *flags, GENERIC, "-o=/dev/null"]
    path = drivers.folder / "r.mlir"
    found = []
    for run in (drivers.theirs, drivers.ours):
        done = run(*arguments, f"--mlir-pass-pipeline-crash-reproducer={path}")
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        path.unlink(missing_ok=True)
        found.append((done.succeeded, _resource(text), "r.mlir`" in done.said))

    assert found[1] == found[0]


def _resource(text: str) -> str:
    """Return the metadata; MLIR puts a blank behind the comma after a nested pipeline."""
    _, mark, resource = text.partition("\n\n{-#\n")
    return f"{mark}{resource}".replace("), ", "),")


def test_reproducer_of_ours_runs_in_theirs(drivers: Drivers) -> None:
    pipeline = "--pass-pipeline=builtin.module(func.func(cse),symbol-dce)"
    ours = drivers.ours(
        "functions.mlir", pipeline, "--mlir-generate-reproducer=r.mlir", GENERIC
    )
    theirs = drivers.theirs("r.mlir", "--run-reproducer", GENERIC)

    assert (theirs.succeeded, theirs.said) == (True, "")
    assert said(theirs.output).strip() == said(ours.output).strip()


@pytest.mark.parametrize("flags", [[], ["--symbol-dce"]], ids=str)
def test_reproducer_of_theirs_runs_in_ours(drivers: Drivers, flags: list[str]) -> None:
    """A failing run's reproducer: those of runs that succeed hold the IR after them."""
    drivers.theirs(
        "functions.mlir", FAILS, "--mlir-pass-pipeline-crash-reproducer=r.mlir"
    )
    path = drivers.folder / "r.mlir"
    path.write_text(
        path.read_text(encoding="utf-8").replace(
            "test-pass-failure{gen-diagnostics=false}", "test-function-pass"
        ),
        encoding="utf-8",
    )
    arguments = ["r.mlir", "--run-reproducer", GENERIC, *flags]
    theirs, ours = drivers.both(*arguments, "--mlir-print-ir-before-all", ONE_THREAD)

    assert said(ours.said) == said(theirs.said)
    assert said(ours.output).strip() == said(theirs.output).strip()
    assert "IR Dump Before CSE (cse)" in ours.said


RERUN = [
    [],
    ["--symbol-dce"],
    ["--symbol-dce", "--test-module-pass"],
    ["--pass-pipeline=builtin.module(func.func(test-function-pass))"],
    ["--pass-pipeline=any(symbol-dce)"],
    ["--pass-pipeline=builtin.module()"],
]


@pytest.mark.parametrize("flags", RERUN, ids=str)
@pytest.mark.parametrize("parts", [[], ["--split-input-file"]], ids=str)
def test_pipeline_of_a_reproducer_and_of_flags(
    drivers: Drivers, flags: list[str], parts: list[str]
) -> None:
    """Passes of flags come after it; `--pass-pipeline` replaces it."""
    held = "--pass-pipeline=builtin.module(func.func(cse),test-module-pass)"
    drivers.theirs("functions.mlir", held, "--mlir-generate-reproducer=r.mlir")
    path = drivers.folder / "r.mlir"
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}// -----\nfunc.func @last() {{ return }}\n", "utf-8")
    if not parts:
        path.write_text(text, "utf-8")
    arguments = ["r.mlir", "--run-reproducer", "--dump-pass-pipeline", *parts, *flags]
    watch = ["--mlir-print-ir-before-all", "--mlir-print-ir-after-all", ONE_THREAD]
    theirs, ours = drivers.both(*arguments, *watch, GENERIC, "-o=/dev/null")

    assert theirs.said.startswith("Pass Manager with ")
    assert said(ours.said) == said(theirs.said)
    assert ours.succeeded == theirs.succeeded


def test_pipeline_of_a_reproducer_that_is_replaced_must_be_right(
    drivers: Drivers,
) -> None:
    drivers.theirs("functions.mlir", PASSES, "--mlir-generate-reproducer=r.mlir")
    path = drivers.folder / "r.mlir"
    path.write_text(DAMAGE["unknown pass"](path.read_text(encoding="utf-8")), "utf-8")
    replaced = ["--run-reproducer", "--pass-pipeline=builtin.module(cse)"]
    theirs, ours = drivers.both("r.mlir", *replaced, "--dump-pass-pipeline")

    assert (ours.succeeded, theirs.succeeded) == (False, False)
    assert "Pass Manager" not in ours.said + theirs.said


DAMAGE: dict[str, Callable[[str], str]] = {
    "pipeline is no string": lambda text: re.sub(r'"builtin.*"', "5", text),
    "flag is no truth value": lambda text: text.replace("false", "3"),
    "unknown key": lambda text: text.replace("verify_each", "verify_ech"),
    "cut off": lambda text: text[:-8],
    "unknown pass": lambda text: text.replace("symbol-dce", "symbol-dec"),
    "broken pipeline": lambda text: text.replace("symbol-dce", "symbol-dce("),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_error_damaged_reproducer(drivers: Drivers, damage: str) -> None:
    drivers.theirs("functions.mlir", PASSES, "--mlir-generate-reproducer=r.mlir")
    path = drivers.folder / "r.mlir"
    text = path.read_text(encoding="utf-8")
    path.write_text(DAMAGE[damage](text), encoding="utf-8")
    arguments = ["r.mlir", "--run-reproducer", "--mlir-print-ir-before-all"]
    theirs, ours = drivers.both(*arguments)

    assert (ours.succeeded, theirs.succeeded) == (False, False)
    assert "IR Dump" not in ours.said
    if damage not in ("cut off", "broken pipeline"):
        message = theirs.said.splitlines()[0].partition(": error: ")[2]
        assert message in ours.said
    if damage not in ("unknown pass", "broken pipeline", "cut off"):
        assert ours.said.splitlines()[0] == theirs.said.splitlines()[0]


def test_input_without_a_reproducer_runs_nothing(drivers: Drivers) -> None:
    theirs, ours = drivers.both("functions.mlir", "--run-reproducer", "-o=/dev/null")

    assert said(ours.said) == said(theirs.said)
    assert ours.succeeded == theirs.succeeded


def test_listings(drivers: Drivers) -> None:
    for flag, start in (
        ("--show-dialects", "Available Dialects: "),
        ("--list-passes", ""),
    ):
        assert drivers.theirs(flag).output.startswith(start)
        assert drivers.ours(flag).output.startswith(start)


# How IR and diagnostics are printed.


@pytest.mark.parametrize(
    "flags",
    [
        ["--mlir-print-skip-regions"],
        ["--mlir-print-debuginfo", "--mlir-print-local-scope"],
        ["--mlir-elide-elementsattrs-if-larger=4"],
        ["--mlir-elide-elementsattrs-if-larger=5"],
        ["--mlir-print-elementsattrs-with-hex-if-larger=4"],
        ["--mlir-print-elementsattrs-with-hex-if-larger=-1"],
        ["--mlir-use-nameloc-as-prefix"],
        ["--mlir-print-assume-verified"],
        ["--mlir-print-ir-after-all", "--mlir-elide-elementsattrs-if-larger=4"],
        ["--verify-roundtrip"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("spelling", ["--mlir-", "--"])
def test_printing(drivers: Drivers, flags: list[str], spelling: str) -> None:
    common = ["attributes.mlir", "--cse", GENERIC]
    theirs = drivers.theirs(*common, *flags)
    ours = drivers.ours(*common, *(flag.replace("--mlir-", spelling) for flag in flags))

    names = "nameloc" in flags[0]
    assert _unlocated(ours.output, names=names) == _unlocated(
        theirs.output, names=names
    )
    assert _unlocated(ours.said) == _unlocated(theirs.said)
    assert ours.succeeded == theirs.succeeded


def _unlocated(text: str, *, names: bool = False) -> str:
    """Return `text` without locations of block arguments, which xDSL does not read."""
    text = re.sub(r"(%\w+: \w+) loc\([^)]*\)", r"\1", text).strip()
    if names:
        return " ".join(re.findall(r"%(?!arg|x|c|\d)\w+", text))
    return said(text)


def test_pretty_locations(drivers: Drivers) -> None:
    """MLIR shows locations by alias; a call site takes two lines there."""
    flags = ["--mlir-print-debuginfo", "--mlir-pretty-debuginfo"]
    ours = drivers.ours("attributes.mlir", *flags).output

    for text in (
        '%x, %x : i32 "add one"(a.mlir:3:4)\n',
        "tensor<5xi32> attributes.mlir:3:8\n",
        'tensor<50xi32> ["1st", b.mlir:3:4]\n',
        'return %0 : i32 "inner" at c.mlir:5:6\n',
    ):
        assert text in ours
    assert "%x, %x : i32\n" in drivers.ours("attributes.mlir", flags[1]).output


def test_unique_names(drivers: Drivers) -> None:
    flag = "--mlir-print-unique-ssa-ids"
    for run in (drivers.theirs, drivers.ours):
        defined = re.findall(
            r"(%\w+) =|(%\w+): i32", run("attributes.mlir", flag).output
        )
        names = [one or other for one, other in defined]

        assert len(names) == len(set(names)) == 6


def test_long_resources_are_left_out(drivers: Drivers) -> None:
    (drivers.folder / "resource.mlir").write_text(
        '"func.func"() <{sym_name = "f", function_type = () -> ()}> ({\n'
        "  %0 = arith.constant dense_resource<short> : tensor<1xi32>\n"
        "  %1 = arith.constant dense_resource<long> : tensor<3xi32>\n"
        '  "func.return"() : () -> ()\n'
        "}) : () -> ()\n"
        "{-# dialect_resources: { builtin: {\n"
        '  short: "0x0400000001000000",\n'
        '  long: "0x04000000010000000200000003000000"\n'
        "} } #-}\n",
        encoding="utf-8",
    )
    for run in (drivers.theirs, drivers.ours):
        output = run("resource.mlir", "--mlir-elide-resource-strings-if-larger=20")

        assert 'short: "0x0400000001000000"' in output.output
        assert "long: " not in output.output


@pytest.mark.parametrize(
    "flags",
    [
        [BREAKS],
        [REMARKS],
        [BREAKS, "--mlir-diagnostic-verbosity-level=errors"],
        [REMARKS, "--mlir-diagnostic-verbosity-level=warnings"],
        [REMARKS, "--mlir-diagnostic-verbosity-level=remarks"],
        [FAILS.replace("-failure", "-failure{gen-diagnostics}")],
    ],
    ids=" ".join,
)
def test_operations_below_diagnostics(drivers: Drivers, flags: list[str]) -> None:
    arguments = ["functions.mlir", ONE_THREAD, GENERIC, *flags]
    theirs, ours = drivers.both(*arguments, SHOWN)

    assert said(ours.said) == said(theirs.said)
    assert ours.succeeded == theirs.succeeded


def test_stacks_below_diagnostics(drivers: Drivers) -> None:
    arguments = ["functions.mlir", REMARKS, "--mlir-print-stacktrace-on-diagnostic"]
    for run in (drivers.theirs, drivers.ours):
        assert "2:3: note: diagnostic emitted with trace:\n" in run(*arguments).said
    assert "run_on_operation" in drivers.ours(*arguments).said


DUMPED = [
    [],
    ["--cse", "--test-function-pass"],
    ["--test-pm-nested-pipeline"],
    [DEEP],
    ["--test-options-super-set-ab-pipeline=foo=true bar=false"],
]


@pytest.mark.parametrize("flags", DUMPED, ids=" ".join)
def test_dumped_pipeline(drivers: Drivers, flags: list[str]) -> None:
    arguments = ["nested.mlir", "-o=/dev/null", "--dump-pass-pipeline", *flags]
    theirs, ours = drivers.both(*arguments)

    assert theirs.said.startswith("Pass Manager with ")
    assert said(ours.said) == theirs.said


@pytest.mark.parametrize(
    "flags",
    [
        [],
        ["--cse", "--strip-debuginfo"],
        ["--symbol-dce"],
        ["--pass-pipeline=any(cse)"],
        ["--pass-pipeline=builtin.module(cse)"],
    ],
    ids=" ".join,
)
def test_passes_begin_at_any_top_level_operation(
    drivers: Drivers, flags: list[str]
) -> None:
    text = "func.func @f() {\n  func.return\n}\n"
    (drivers.folder / "function.mlir").write_text(text)
    arguments = ["function.mlir", "--no-implicit-module", "--dump-pass-pipeline"]

    theirs, ours = drivers.both(*arguments, *flags)

    messages = said(theirs.said).removesuffix("func.func @f() {\n^\n")
    assert said(ours.said).removesuffix("func.func @f() {\n^\n") == messages
    assert ours.succeeded == theirs.succeeded


NEAR_MISSES = """\
module @a {}
// ----
module @b {} // ---
 // -----
module @c {}
// --
// ---- x // -----
module @d {}
"""


@pytest.mark.parametrize("marker", ["", "=// -----"])
@pytest.mark.parametrize("verifies", [[], ["--verify-diagnostics"]])
def test_a_split_marker_without_its_end_is_warned_of(
    drivers: Drivers, marker: str, verifies: list[str]
) -> None:
    (drivers.folder / "misses.mlir").write_text(NEAR_MISSES)
    arguments = ["misses.mlir", f"--split-input-file{marker}", *verifies]

    theirs, ours = drivers.both(*arguments)

    assert (ours.said, ours.succeeded) == (theirs.said, theirs.succeeded)


@pytest.mark.parametrize("text", ["{{{{}}", "{{a {{b}} c{{}}", "{{a}} {{b}}"])
def test_a_pattern_without_its_end_is_said(drivers: Drivers, text: str) -> None:
    path = drivers.folder / "pattern.mlir"
    path.write_text(f"// expected-error-re@+1 {text}\nmodule {{}}\n")

    theirs, ours = drivers.both("pattern.mlir", "--verify-diagnostics")

    assert (ours.said, ours.succeeded) == (theirs.said, theirs.succeeded)


@pytest.mark.parametrize("number", [1, 2])
def test_an_expectation_may_be_met_any_number_of_times(
    drivers: Drivers, number: int
) -> None:
    expected = "".join(
        f"// expected-remark@+{number - i} {{{{interface pass}}}}\n"
        for i in range(number)
    )
    (drivers.folder / "again.mlir").write_text(
        f"{expected}func.func @f() {{\n  return\n}}\n"
    )
    passes = "--pass-pipeline=builtin.module(func.func(test-interface-pass,test-interface-pass))"

    theirs, ours = drivers.both("again.mlir", "--verify-diagnostics", passes)

    assert (ours.said, ours.succeeded) == (theirs.said, theirs.succeeded)
    assert ours.succeeded == (number == 1)


RESOURCES = """\
module {}
{-#
  external_resources: {
    mlir_reproducer: { pipeline: "builtin.module(cse)", verify_each: false },
    other: { key: "text", blob: "0x0400000001", none: "", b: true }
  }
#-}
"""


@pytest.mark.parametrize("library", ["xdsl", "mlir"])
def test_external_resources_stay_in_the_file(drivers: Drivers, library: str) -> None:
    (drivers.folder / "resources.mlir").write_text(RESOURCES)

    theirs = drivers.theirs("resources.mlir")
    code = opt.main(["resources.mlir", f"--ir={library}"])

    captured = drivers.capture.readouterr()
    assert (code, captured.err) == (0, "")
    _, _, kept = captured.out.partition("{-#")
    assert kept.rstrip() == theirs.output.partition("{-#")[2].rstrip()


def test_notes_are_left_out(drivers: Drivers) -> None:
    """`mlir-opt` has the flag, and prints the notes of each diagnostic all the same."""
    arguments = ["functions.mlir", REMARKS, SHOWN]
    without = [*arguments, "--mlir-disable-diagnostic-notes"]

    assert "note:" in drivers.ours(*arguments).said
    assert "note:" not in drivers.ours(*without).said
    assert "note:" in drivers.theirs(*without).said


def test_parts_are_separated_as_asked(drivers: Drivers) -> None:
    flags = ["expecting.mlir", "--split-input-file", "--output-split-marker=// ==="]
    for run in (drivers.theirs, drivers.ours):
        assert re.findall("^// .*", run(*flags).output, re.MULTILINE) == ["// ==="] * 3


def test_input_that_does_not_verify_may_be_let_through(drivers: Drivers) -> None:
    flag = "--mlir-very-unsafe-disable-verifier-on-parsing"
    (drivers.folder / "invalid.mlir").write_text(
        "func.func @f() -> i32 {\n  return\n}\n", encoding="utf-8"
    )
    for run in (drivers.theirs, drivers.ours):
        assert run("invalid.mlir").succeeded is False
        for more in ([], ["--verify-each=false"]):
            let_through = run("invalid.mlir", flag, *more)
            assert (let_through.succeeded, let_through.said) == (True, "")
            assert let_through.output.startswith('"builtin.module"() ({')


OWN_FLAGS = [
    "allow-unregistered-dialect",
    "color",
    "dump-pass-pipeline",
    "elide-resource-data-from-bytecode",
    "emit-bytecode",
    "emit-bytecode-version",
    "help",
    "help-hidden",
    "help-list",
    "info-output-file",
    "irdl-file",
    "list-passes",
    "load-dialect-plugin",
    "load-pass-plugin",
    "log-actions-to",
    "log-mlir-actions-filter",
    "no-implicit-module",
    "output-split-marker",
    "p",
    "pass-pipeline",
    "profile-actions-to",
    "remark-format",
    "remark-policy",
    "remarks-filter",
    "remarks-filter-analyse",
    "remarks-filter-failed",
    "remarks-filter-missed",
    "remarks-filter-passed",
    "remarks-output-file",
    "run-reproducer",
    "show-dialects",
    "split-input-file",
    "verify-diagnostics",
    "verify-each",
    "verify-roundtrip",
    "version",
]
"""Flags of `mlir-opt` that neither LLVM's libraries nor its test passes bring along."""


def test_every_flag_is_there_or_refused_by_name(drivers: Drivers) -> None:
    shown = drivers.theirs("--help-hidden").output
    # Options of passes are further to the right.
    theirs = set(re.findall(r"^ {1,4}--?([a-z][\w-]*)", shown, re.MULTILINE))
    from_mlir = {name for name in theirs if name.startswith("mlir-")}
    names = {
        name for flag in flags_of(DEFAULT_PARTS) for name in (flag.name, *flag.aliases)
    }

    assert set(OWN_FLAGS) <= theirs
    assert sorted((from_mlir | set(OWN_FLAGS)) - names - set(refused_flags())) == []
    assert sorted(set(refused_flags()) & names) == []
    assert {flag.name for flag in flags_of(DEFAULT_PARTS)} - theirs == HERE_ONLY
    for name, reason in refused_flags().items():
        said = drivers.ours("functions.mlir", f"--{name}=x").said
        assert said == f"passgen-opt: --{name} is not supported: {reason}\n"
