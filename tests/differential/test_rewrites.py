"""Declarative rewrites are imported as patterns that both IR libraries apply."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, new_class
from typing import Final, NamedTuple

import pytest

from passgen import cli
from passgen_runtime import PassManager
from passgen_runtime.context import Context
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.patterns import PatternDriver, Patterns

pytestmark = pytest.mark.bindings

Golden = Callable[[Path, str], None]
WALK: Final = {"pattern_driver": PatternDriver("walk")}
FOLDER: Final = Path(__file__).parent / "rewrites"


class Case(NamedTuple):
    """A function that a pattern changes."""

    arguments: str
    type: str
    """Of the result, `%0`."""

    before: str
    after: str = ""
    """The body by a calculation by hand; empty where MLIR simplifies it so."""

    mlir_only: bool = False
    """Whether xDSL lacks the operations or attributes."""


CASES: Final = {
    "cancel": Case("%x: i8", "i8", "%0 = arith.subi %x, %x : i8"),
    "addZero": Case(
        "%x: vector<2xi8>",
        "vector<2xi8>",
        "%c = arith.constant dense<0> : vector<2xi8>\n"
        "%0 = arith.addi %x, %c : vector<2xi8>",
    ),
    "mulOne": Case(
        "%x: i3", "i3", "%c = arith.constant 1 : i3\n%0 = arith.muli %x, %c : i3"
    ),
    "absorb": Case(
        "%x: i8, %y: i8",
        "i8",
        "%a = arith.andi %x, %y : i8\n%0 = arith.ori %a, %x : i8",
        "%c = arith.constant 0 : i8\n%0 = arith.addi %x, %c : i8",
    ),
    "extendTwice": Case(
        "%x: i8",
        "i64",
        "%a = arith.extui %x : i8 to i32\n%0 = arith.extui %a : i32 to i64",
    ),
    "truncExtended": Case(
        "%x: i8",
        "i8",
        "%a = arith.extsi %x : i8 to i32\n%0 = arith.trunci %a : i32 to i8",
    ),
    "equalToItself": Case("%x: index", "i1", "%0 = arith.cmpi eq, %x, %x : index"),
    "lessThanItself": Case("%x: i8", "i1", "%0 = arith.cmpi ult, %x, %x : i8"),
    "inverted": Case(
        "%x: i8, %y: i8",
        "i1",
        "%a = arith.cmpi sle, %x, %y : i8\n%c = arith.constant true\n"
        "%0 = arith.xori %a, %c : i1",
    ),
    "lowHalf": Case(
        "%x: i8, %y: i8", "i8", "%0, %1 = arith.mului_extended %x, %y : i8"
    ),
    "shiftTwice": Case(
        "%x: i8",
        "i8",
        "%c = arith.constant 2 : i8\n%d = arith.constant 3 : i8\n"
        "%a = arith.shli %x, %c overflow<nsw, nuw> : i8\n"
        "%0 = arith.shli %a, %d overflow<nuw> : i8",
        "%c = arith.constant 5 : i8\n%0 = arith.shli %x, %c overflow<nuw> : i8",
    ),
    "maskTwice": Case(
        "%x: i8",
        "i8",
        "%c = arith.constant 6 : i8\n%d = arith.constant 3 : i8\n"
        "%a = arith.xori %x, %c : i8\n%0 = arith.xori %a, %d : i8",
        "%c = arith.constant 5 : i8\n%0 = arith.xori %x, %c : i8",
    ),
    "distributeOnce": Case(
        "%x: i8, %y: i8",
        "i8",
        "%a = arith.ori %x, %y : i8\n%0 = arith.andi %a, %x : i8",
        "%c = arith.constant 0 : i8\n%0 = arith.addi %x, %c : i8",
    ),
    "selectEqual": Case(
        "%c: i1",
        "f32",
        "%a = arith.constant 1.5 : f32\n%b = arith.constant 1.5 : f32\n"
        "%0 = arith.select %c, %a, %b : f32",
    ),
    "selectEqualInteger": Case(
        "%c: i1",
        "index",
        "%a = arith.constant 3 : index\n%b = arith.constant 3 : index\n"
        "%0 = arith.select %c, %a, %b : index",
    ),
    "shiftExtended": Case(
        "%x: i8",
        "i32",
        "%c = arith.constant 4 : i32\n%a = arith.extui %x : i8 to i32\n"
        "%0 = arith.shrsi %a, %c exact : i32",
        "%c = arith.constant 4 : i32\n%a = arith.extui %x : i8 to i32\n"
        "%0 = arith.shrui %a, %c exact : i32",
        mlir_only=True,
    ),
}


def function(case: Case, body: str) -> str:
    head = f"func.func @f({case.arguments}) -> {case.type} {{"
    return f"{head}\n{body}\nfunc.return %0 : {case.type}\n}}\n"


@pytest.fixture(scope="module")
def spec(
    tmp_path_factory: pytest.TempPathFactory,
    llvm_tblgen: Path,
    mlir_include: Path,
) -> Path:
    """Return the spec of `Simplifications.td`."""
    found = tmp_path_factory.mktemp("rewrites") / "simplifications.yaml"
    argv = ["import", "--patterns", str(FOLDER / "Simplifications.td")]
    argv += ["--native-code", str(FOLDER / "code.yaml"), "-I", str(mlir_include)]
    argv += ["--llvm-tblgen", str(llvm_tblgen), "-o", str(found)]
    assert cli.main(argv) == 0
    return found


def generated(spec: Path) -> ModuleType:
    """Return the module that is generated of a spec."""
    assert cli.main(["--target=python", "-o", str(spec.parent), str(spec)]) == 0
    name = f"{spec.stem}_passes"
    module_spec = importlib.util.spec_from_file_location(
        name, spec.parent / f"{name}.py"
    )
    assert module_spec is not None
    assert module_spec.loader is not None
    module = importlib.util.module_from_spec(module_spec)
    module_spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def patterns(spec: Path) -> type[Patterns]:
    """Return the generated pass."""
    found: type[Patterns] = generated(spec).SimplificationsPassBase
    # The greedy driver also folds, before it looks for patterns.
    return new_class("Walk", (found,), exec_body=lambda members: members.update(WALK))


def test_the_spec_has_patterns_by_example(spec: Path, golden: Golden) -> None:
    golden(FOLDER / "simplifications.yaml", spec.read_text())


def canonical(ir: str) -> str:
    """Return IR as MLIR simplifies it."""
    context = MLIRContext()
    module = context.parse(ir, "printed.mlir")
    with context.mlir:
        manager = context.bindings.passmanager.PassManager.parse(
            "builtin.module(func.func(canonicalize))"
        )
        manager.run(module)
    return context.print(module)


RUNS: Final = [
    (make_context, name)
    for name, case in CASES.items()
    for make_context in (MLIRContext, XDSLContext)
    if not (case.mlir_only and make_context is XDSLContext)
]


@pytest.mark.parametrize(("make_context", "name"), RUNS)
def test_a_rewrite_is_applied(
    make_context: type[Context], name: str, patterns: type[Patterns]
) -> None:
    case, context = CASES[name], make_context()
    pass_ = patterns()
    pass_.options.enabled_patterns = [name]  # type: ignore[attr-defined]
    manager = PassManager(context)
    manager.counts_optional = True
    manager.nest("func.func").add_pass(pass_)
    module = context.parse(function(case, case.before), "input.mlir")

    manager.run(module)

    assert pass_.pattern_counts()[name] == 1
    wanted = function(case, case.after or case.before)
    assert canonical(context.print(module)) == canonical(wanted)


def test_another_dialect_has_constants_of_its_own(
    mlir_include: Path,
    llvm_tblgen: Path,
    golden: Golden,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(FOLDER)
    includes = ["-I", str(mlir_include), "--llvm-tblgen", str(llvm_tblgen)]

    assert cli.main(["import", "--patterns", "Indices.td", *includes]) == 0

    golden(FOLDER / "indices.yaml", capsys.readouterr().out)


def test_what_no_pattern_can_have_is_listed(
    mlir_include: Path,
    llvm_tblgen: Path,
    golden: Golden,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(FOLDER)
    includes = ["-I", str(mlir_include), "--llvm-tblgen", str(llvm_tblgen)]

    assert cli.main(["import", "--patterns", "LeftOut.td", *includes]) == 1

    printed = capsys.readouterr()
    assert not printed.out
    golden(FOLDER / "LeftOut.txt", printed.err)
