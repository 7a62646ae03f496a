"""`passgen import --xdsl`: passes of xDSL become passes of a spec that apply them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.passes import ModulePass, PassPipeline
from xdsl.transforms import get_all_passes
from xdsl.universe import Universe

from passgen import cli
from passgen.module_passes import importer
from passgen_runtime import PassFailure, PassRegistry, parse_pass_manager
from passgen_runtime.ir.xdsl import XDSLContext
from tests.generated_python import mypy_strict
from tests.passgen.commands import new_passes

pytestmark = pytest.mark.process

AllPasses: TypeAlias = dict[str, Callable[[], type[ModulePass]]]

SHAPES = '''\
"""Passes of a compiler, with a field of each kind."""

from dataclasses import dataclass, field
from typing import Literal, Optional

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException


class NotePass(ModulePass):
    """The base of passes here, which is none itself."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fields = {key: value for key, value in vars(self).items()}
        op.attributes["note"] = StringAttr(repr(fields))


@dataclass(frozen=True)
class PlaceLoopsPass(NotePass):
    """Place loops on a machine. Each loop has
    a core.

    It is fast.
    """

    name = "place-loops"

    machine: str
    sizes: tuple[int, ...]
    kind: Literal["cpu", "gpu"]
    limit: int | None = None
    mode: Optional[Literal["fast", "small"]] = None
    cores: tuple[int, ...] | None = None
    names: tuple[str, ...] = ("a", "b")
    ratio: float = 0.5
    num_2d: int = 3
    parse: bool = field(default_factory=lambda: True)
    table_file: str | None = None
    to_file: bool = False


@dataclass(frozen=True)
class Fail(NotePass):
    name = "always_fail"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise PassFailedException("it never works")
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def run(*arguments: str) -> int:
    return cli.main(["import", *arguments])


def test_passes_become_a_spec_and_what_implements_it(
    folder: Path,
    golden: Callable[[Path, str], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "shapes").mkdir()
    (folder / "shapes/__init__.py").write_text("print('loaded')")
    (folder / "shapes/loops.py").write_text(SHAPES, "utf-8")

    assert run("--xdsl", "shapes", "-o", "placing.yaml") == 0
    streams = capsys.readouterr()
    assert streams.out == "placing.yaml\nplacing_implementations.py\nplacing_opt.py\n"
    assert streams.err == """\
place-loops  shapes.loops:PlaceLoopsPass  machine: required string, sizes: required \
list of int64, kind: required enum, limit: optional int64, mode: optional enum, \
cores: optional list of int64, names: list of string, ratio: double, num_2d: int64, \
parse: bool, table_file: optional string, to_file: bool
always_fail  shapes.loops:Fail
"""
    expected = Path(__file__).parent / "import_xdsl"
    for name in streams.out.split():
        golden(expected / f"{name}.txt", (folder / name).read_text("utf-8"))


def converted(ir: str, pipeline: str, registry: PassRegistry) -> str:
    """Return the IR after passes of a spec."""
    context = XDSLContext()
    module = context.parse(ir, "ir.mlir")
    parse_pass_manager(f"builtin.module({pipeline})", context, registry).run(module)
    return str(module)


def original(ir: str, pipeline: str, passes: AllPasses) -> str:
    """Return the IR after passes of xDSL."""
    context = Context()
    for name, load in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, load)
    module = Parser(context, ir).parse_module()
    PassPipeline.parse_spec(passes, pipeline).apply(context, module)
    return str(module)


def test_passes_apply_those_that_they_were(folder: Path) -> None:
    (folder / "applied_shapes.py").write_text(SHAPES, "utf-8")
    assert run("--xdsl", "applied_shapes", "-o", "applied.yaml") == 0
    assert cli.main(["applied.yaml"]) == 0
    registry = PassRegistry()
    importlib.import_module("applied_passes").registerAppliedPasses(registry)
    old = importlib.import_module("applied_shapes").PlaceLoopsPass
    ir, options = "builtin.module {}", "machine=m sizes=1,2 kind=gpu mode=small names=c"

    for spelled in ("", " num_2d=5", " num-2d=5"):
        given = f"place-loops{{{options}{spelled}}}"
        assert converted(ir, given, registry) == original(
            ir, given, {"place-loops": lambda: old}
        )
    with pytest.raises(PassFailure, match="it never works"):
        converted(ir, "always_fail", registry)


@pytest.mark.process
@pytest.mark.parametrize("name", [[], ["--name", ""], ["--name", "Others"]])
def test_a_driver_runs_them(folder: Path, name: list[str]) -> None:
    (folder / "shapes.py").write_text(SHAPES, "utf-8")
    assert run("--xdsl", "shapes", "-o", "driven.yaml", *name) == 0
    assert cli.main(["driven.yaml"]) == 0
    Path("a.mlir").write_text("builtin.module {}\n")
    [driver] = folder.glob("*_opt.py")

    passes = "--place-loops=machine=m sizes=1,2 kind=gpu"
    code, text = new_passes.run("python", driver.name, "a.mlir", passes)

    assert (code, text.split("{")[0]) == (0, "builtin.module attributes "), text


def test_a_driver_that_is_there_stays(folder: Path) -> None:
    (folder / "kept_shapes.py").write_text(SHAPES, "utf-8")
    (folder / "kept_opt.py").write_text("mine")

    assert run("--xdsl", "kept_shapes", "-o", "kept.yaml") == 0
    assert Path("kept_opt.py").read_text() == "mine"


@pytest.mark.slow
def test_mypy_strict_accepts_what_implements_the_spec(folder: Path) -> None:
    (folder / "typed_shapes.py").write_text(SHAPES, "utf-8")
    assert run("--xdsl", "typed_shapes", "-o", "typed.yaml") == 0
    assert cli.main(["typed.yaml"]) == 0

    assert mypy_strict(folder) == ""


LOOPS = """
"func.func"() <{sym_name = "f", function_type = (index, index, index) -> ()}> ({
^bb0(%a: index, %b: index, %c: index):
  "scf.parallel"(%a, %a, %b, %b, %c, %c)
      <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb1(%i: index, %j: index):
    "test.op"(%i, %j) : (index, index) -> ()
    "scf.reduce"() : () -> ()
  }) : (index, index, index, index, index, index) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"""
EXPONENT = """
func.func @f(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  func.return %0 : f32
}
"""
REAL = [
    ("scf-parallel-loop-tiling{parallel-loop-tile-sizes=2,4}", LOOPS),
    ("scf-parallel-loop-tiling{parallel_loop_tile_sizes=2,4}", LOOPS),
    ("convert-scf-to-openmp{schedule=dynamic chunk=4}", LOOPS),
    ("convert-scf-to-openmp{collapse=1}", LOOPS),
    ("expand-math-to-polynomials{terms=3}", EXPONENT),
]


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_of_the_passes_of_xdsl_all_are_imported_but_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    passes = get_all_passes()

    assert run("--xdsl", "xdsl.transforms:get_all_passes", "-o", "own.yaml") == 1
    message = capsys.readouterr().err
    assert "arith_add_fastmath.py:58:5: error: field 'flags' of pass " in message
    assert message.count(": error: ") == 1
    assert cli.main(["own.yaml"]) == 0
    registry = PassRegistry()
    importlib.import_module("own_passes").registerOwnPasses(registry)
    assert {*registry.arguments()} == {*passes} - {"arith-add-fastmath"}
    importlib.import_module("own_implementations")
    for pipeline, ir in REAL:
        expected = original(ir, pipeline, passes)
        assert converted(ir, pipeline, registry) == expected != original(ir, "", passes)


UNUSABLE = {
    "missing": "'missing' cannot be imported: ModuleNotFoundError: No module named "
    "'missing'",
    "nothing": "'nothing' has no passes of xDSL",
    "nothing:other": "'nothing:other' cannot be imported: AttributeError: module "
    "'nothing' has no attribute 'other'",
    "deadly": "importing 'deadly.inner' ended the process with exit code 3",
}


@pytest.mark.parametrize("module", UNUSABLE)
def test_what_has_no_passes_is_an_error(
    module: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "nothing.py").write_text("")
    (folder / "deadly").mkdir()
    (folder / "deadly/__init__.py").write_text("")
    (folder / "deadly/inner.py").write_text("import os; os._exit(3)")

    assert run("--xdsl", module, "-o", "passes.yaml") == 1
    expected = f"passgen import: error: {UNUSABLE[module]}\n"
    assert capsys.readouterr().err == expected
    assert not Path("passes.yaml").exists()


WRONG_FIELDS = """\
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from xdsl.passes import ModulePass

if TYPE_CHECKING:
    from pathlib import Path

@dataclass(frozen=True)
class A(ModulePass):
    name = "a"
    pair: tuple[int, str] = (1, "")
    blank: Literal["a b"] = "a b"
    number: Literal[1, 2] = 1
    either: int | str = 1
    def apply(self, ctx, op): ...

@dataclass(frozen=True)
class B(ModulePass):
    name = "b"
    limit: int | None = 4
    def apply(self, ctx, op): ...

@dataclass(frozen=True)
class C(ModulePass):
    name = "c"
    path: "Path"
    def apply(self, ctx, op): ...

@dataclass(frozen=True)
class D(ModulePass):
    '''Goes.'''
    name = "d"
    def apply(self, ctx, op): ...

@dataclass(frozen=True)
class E(ModulePass):
    name = "e"
    ratio: float = float("inf")
    ratios: tuple[float, ...] = (1.5, float("nan"))
    def apply(self, ctx, op): ...
"""


def test_what_no_option_can_be_is_reported_at_its_field(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "wrong").mkdir()
    (folder / "wrong/__init__.py").write_text("")
    (folder / "wrong/fields.py").write_text(WRONG_FIELDS)
    (folder / "wrong/broken.py").write_text("import not_there")

    assert run("--xdsl", "wrong") == 1
    streams = capsys.readouterr()
    assert streams.out.count("summary: ") == 3  # of the group, and of two passes
    file = f"{folder}/wrong/fields.py"
    found = [line for line in streams.err.splitlines() if ": error: " in line]
    fields = enumerate(("pair", "blank", "number", "either"), 12)
    expected = [
        f":{line}:5: error: field '{name}' of pass 'a': no option can have its type"
        for line, name in fields
    ]
    unread = "its annotations cannot be read: NameError: name 'Path' is not defined"
    expected.append(f":25:7: error: pass 'c': {unread}")
    ratio = "field 'ratio' of pass 'e': no option can have the default inf"
    ratios = "field 'ratios' of pass 'e': no option can have the default [1.5, nan]"
    expected += [f":39:5: error: {ratio}", f":40:5: error: {ratios}"]
    assert [line.removeprefix(file) for line in found] == expected
    assert (
        f"{file}:21:5: warning: field 'limit' of pass 'b': only an option without a "
        "default can be None"
    ) in streams.err
    assert "passes of 'wrong.broken' are left out: it cannot be imported" in streams.err


SAME_NAMES = """\
from dataclasses import dataclass

from xdsl.passes import ModulePass

class Base(ModulePass):
    def apply(self, ctx, op): ...

@dataclass(frozen=True)
class A(Base):
    name = "same"

@dataclass(frozen=True)
class B(Base):
    name = "same"

@dataclass(frozen=True)
class C(Base):
    name = "two words"
"""


def test_passes_whose_names_a_spec_cannot_have_are_left_out_at_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "same.py").write_text(SAME_NAMES)

    assert run("--xdsl", "same", "-o", "same.yaml") == 1
    file = f"{folder}/same.py"
    assert capsys.readouterr().err == f"""\
same  same:A
{file}:13:7: error: pass 'same' of class 'B' is left out: another pass has its name
class B(Base):
      ^
{file}:9:7: note: class 'same:A' has it
class A(Base):
      ^
{file}:17:7: error: pass 'two words' of class 'C' is left out: a spec cannot have its \
name
class C(Base):
      ^
note: names are text without spaces and , ( ) {{ }} = " ', not 'any'
"""
    assert cli.main(["same.yaml", "--target", "markdown", "-o", "-"]) == 0


def test_a_module_that_takes_too_long_is_named_with_the_limit(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "lazy").mkdir()
    (folder / "lazy/__init__.py").write_text("")
    (folder / "lazy/inner.py").write_text("import time; time.sleep(60)")
    monkeypatch.setattr(importer, "MAX_IMPORT_S", 2)

    assert run("--xdsl", "lazy") == 1
    assert capsys.readouterr().err == (
        "passgen import: error: importing 'lazy.inner' was ended: the modules of "
        "'lazy' may take 2 s in all\n"
    )


def test_files_of_an_author_are_not_overwritten(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "p_implementations.py").write_text("mine")

    assert run("--xdsl", "missing", "-o", "p.yaml") == 1
    assert capsys.readouterr().err == (
        "p_implementations.py: error: the file exists, and is not overwritten\n"
    )


def test_modules_of_a_package_import_one_another(folder: Path) -> None:
    (folder / "compiler/passes").mkdir(parents=True)
    (folder / "compiler/__init__.py").write_text("")
    (folder / "compiler/passes/__init__.py").write_text("")
    (folder / "compiler/old.py").write_text(SHAPES, "utf-8")

    assert run("--xdsl", "compiler.old", "-o", "compiler/passes/my.yaml") == 0
    assert "constructor: compiler.passes.my_implementations:PlaceLoops" in (
        Path("compiler/passes/my.yaml").read_text()
    )
    assert "from compiler.passes.my_passes import" in (
        Path("compiler/passes/my_implementations.py").read_text()
    )


@pytest.mark.parametrize("arguments", [[], ["a.td", "--xdsl", "b"]])
def test_either_a_file_or_a_module_is_imported(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    assert "FILE or --xdsl is needed, and they exclude each other" in (
        capsys.readouterr().err
    )
