"""Passes under xDSL's own pass manager: in `xdsl-opt`, and in a `PassPipeline`."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import Builtin, ModuleOp, StringAttr
from xdsl.parser import Parser
from xdsl.passes import PassPipeline, get_pass_option_infos
from xdsl.utils.exceptions import PassFailedException

from passgen.cli import main as passgen
from passgen_runtime import (
    OperationPass,
    OpPassManager,
    PassOptions,
    PassRegistry,
    list_option,
    option,
    parse_pass_pipeline,
)
from passgen_runtime.ir.xdsl.module_passes import register_xdsl_passes
from passgen_runtime.ir.xdsl.universe import as_module_pass
from passgen_runtime.pass_options import (
    BOOL,
    DOUBLE,
    INT64,
    PIPELINE,
    REQUIRED,
    STRING,
    enum_type,
)
from passgen_runtime.pass_statistics import statistic
from passgen_runtime.passes import universe_of
from passgen_runtime.textual_pipeline import TextualPipeline


class Mode(StrEnum):
    """A mode."""

    FAST = "fast"
    SLOW = "slow"


@dataclass(kw_only=True)
class NoteOptions(PassOptions):
    """One option of each kind; two have names that an xDSL pass has for itself."""

    num_times: int = option("num-times", INT64, default=1)
    label: str = option("label", STRING, default="x")
    entry: bool = option("entry", BOOL)
    name_: str = option("name", STRING)
    factor: float = option("factor", DOUBLE, default=1.5)
    mode: Mode = option("mode", enum_type(Mode))
    kinds: list[str] = list_option("kinds", STRING)
    then: TextualPipeline = option("then", PIPELINE)


@dataclass(kw_only=True)
class TileOptions(PassOptions):
    """An option that must be given, and two that need not have a value."""

    sizes: list[int] = list_option("sizes", INT64, default=REQUIRED)
    limit: int | None = option("limit", INT64, default=None)
    order: list[str] | None = list_option("order", STRING, default=None)


class Tile(OperationPass[TileOptions]):
    """Note the options."""

    argument = "tile"
    anchor = "func.func"

    def run_on_operation(self) -> None:
        self.operation.attributes["note"] = StringAttr(str(self.options))


class Note(OperationPass[NoteOptions]):
    """Note the options.

    At length.
    """

    argument = "note"
    summary = "Note the options"
    anchor = "func.func"
    num_notes = statistic("num-notes", "Notes written")

    def run_on_operation(self) -> None:
        if self.options.num_times < 0:
            self.emit_warning("it will fail")
            self.emit_error("negative")
            self.signal_pass_failure()
        elif self.options.num_times == 0:
            raise KeyError("zero")
        self.num_notes += 1
        self.operation.attributes["note"] = StringAttr(str(self.options))


def register(registry: PassRegistry) -> None:
    registry.register_pass(Note)
    registry.register_pass(Tile)


def register_pipeline(registry: PassRegistry) -> None:
    def build(manager: OpPassManager) -> None:
        manager.nest("func.func").add_pass(Note(NoteOptions(label="of a pipeline")))

    registry.register_pipeline("notes", "Note", build)


UNIVERSE = universe_of(register, register_pipeline)
DEFAULTS = "entry=false factor=1.5 label=x mode=fast name= num-times=1 then="


@pytest.fixture
def context() -> Context:
    context = Context()
    for dialect in (Builtin, func.Func, arith.Arith):
        context.load_dialect(dialect)
    return context


@pytest.fixture
def module(context: Context) -> ModuleOp:
    text = "func.func @f() { func.return }"
    return Parser(context, text).parse_module()


def run(pipeline: str, context: Context, module: ModuleOp) -> str:
    """Return the note that xDSL's `pipeline` leaves."""
    PassPipeline.parse_spec(UNIVERSE.all_passes, pipeline).apply(context, module)
    first = module.body.block.first_op
    assert first is not None
    note = first.attributes["note"]
    assert isinstance(note, StringAttr)
    return note.data


def changed(**options: str) -> str:
    given = dict(each.split("=") for each in DEFAULTS.split()) | options
    return " ".join(f"{key}={value}" for key, value in sorted(given.items()))


@pytest.mark.parametrize(
    ("pipeline", "note"),
    [
        ("note", DEFAULTS),
        ("note{num-times=3}", changed(**{"num-times": "3"})),
        ("note{num_times=3}", changed(**{"num-times": "3"})),
        ("note{entry}", changed(entry="true")),
        ("note{entry=true}", changed(entry="true")),
        ("note{factor=2}", changed(factor="2.0")),
        ("note{mode=slow}", changed(mode="slow")),
        ("note{name=me}", changed(name="me")),
        ('note{label="a b, {c}"}', changed(label="'a b, {c}'")),
        ("note{label=3}", changed(label="3")),
        ("note{kinds=a,b}", changed(kinds="{a,b}")),
        ('note{kinds="a b,c"}', changed(kinds="{'a b,c'}")),
        ('note{kinds="a b","c,d"}', changed(kinds="{'a b','c,d'}")),
        ('note{then="note,any(note)"}', changed(then="{note,any(note)}")),
        ("notes", changed(label="'of a pipeline'")),
        ("note{num-times=2},note", DEFAULTS),
        ("tile{sizes=1,2}", "sizes={1,2}"),
        ("tile{sizes=1 limit order}", "sizes={1}"),
        ("tile{sizes=1 limit=2 order=a}", "limit=2 order={a} sizes={1}"),
    ],
)
def test_xdsl_runs_a_pass_with_its_options(
    pipeline: str, note: str, context: Context, module: ModuleOp
) -> None:
    assert run(pipeline, context, module) == note


def test_a_pass_prints_as_xdsl_parses_it(context: Context, module: ModuleOp) -> None:
    text = 'note{num-times=3 entry=true kinds="a","b c"}'
    made = PassPipeline.parse_spec(UNIVERSE.all_passes, text).passes[0]

    assert str(made) == 'note{num-times=3 entry=true kinds="a","b c"}'
    assert run(str(made), context, module).startswith("entry=true")


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        (
            "note{num-tims=3}",
            "note: no such option num-tims; note: did you mean 'num-times'?",
        ),
        ("note{num-times=x}", "note: for the --num-times option: 'x' value invalid"),
        (
            "note{num-times=1,2}",
            "note: for the --num-times option: '1,2' value invalid",
        ),
        ("note{num-times}", "note: for the --num-times option: "),
        (
            "note{mode=slwo}",
            "note: for the --mode option: Cannot find option named 'slwo'!",
        ),
    ],
)
def test_a_wrong_option_is_refused_as_xdsl_refuses_it(
    pipeline: str, message: str
) -> None:
    with pytest.raises(ValueError, match=r"^note: ") as caught:
        PassPipeline.parse_spec(UNIVERSE.all_passes, pipeline)

    assert str(caught.value).startswith(message)


def test_a_required_option_is_required_by_xdsl_too() -> None:
    with pytest.raises(ValueError, match=r'^Pass tile requires argument "sizes"$'):
        PassPipeline.parse_spec(UNIVERSE.all_passes, "tile")


def test_a_pass_without_some_values_prints_as_xdsl_parses_it() -> None:
    made = PassPipeline.parse_spec(UNIVERSE.all_passes, "tile{sizes=1}").passes[0]

    assert str(made) == "tile{sizes=1}"
    spec = made.spec(include_default=True)
    assert str(spec) == "tile{sizes=1 limit order}"
    assert type(made).from_spec(spec) == made


def test_a_pass_shows_its_options_to_xdsl() -> None:
    made = UNIVERSE.all_passes["note"]()

    assert {
        str(each.name): each.expected_type for each in get_pass_option_infos(made)
    } == {
        "num_times": "int",
        "label": "str",
        "option_entry": "bool",
        "option_name": "str",
        "factor": "float",
        "mode": "str",
        "kinds": "tuple[str, ...]",
        "then": "str",
    }
    assert made.__doc__ is not None
    assert "At length." in made.__doc__


@pytest.mark.parametrize(
    ("num_times", "message"),
    [
        (
            -1,
            r"error: negative\n(.|\n)*pass 'note' failed on 'func.func' operation: @f",
        ),
        (0, r"^pass 'note' failed (.|\n)*note: it raised KeyError: 'zero'"),
    ],
)
def test_a_failure_is_one_of_xdsl_with_the_errors_of_the_pass(
    num_times: int,
    message: str,
    context: Context,
    module: ModuleOp,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(PassFailedException, match=message) as caught:
        run(f"note{{num-times={num_times}}}", context, module)

    assert str(caught.value).count("error: negative") == (num_times < 0)

    assert ("warning: it will fail" in capsys.readouterr().err) == (num_times < 0)


def test_statistics_are_those_of_the_last_run(
    context: Context, module: ModuleOp
) -> None:
    made = UNIVERSE.all_passes["note"]()()

    assert made.statistics_report() == ""  # type: ignore[attr-defined]
    made.apply(context, module)
    assert "(S) 1 num-notes - Notes written" in made.statistics_report()  # type: ignore[attr-defined]


def test_xdsl_takes_one_pass_and_counts_its_statistics(
    context: Context, module: ModuleOp
) -> None:
    note = Note(NoteOptions(label="one"))

    PassPipeline((as_module_pass(note), as_module_pass(note))).apply(context, module)

    assert note.num_notes.value == 2


def test_xdsl_takes_a_pipeline(context: Context, module: ModuleOp) -> None:
    registry = PassRegistry()
    register(registry)
    for text in ("builtin.module(func.func(note))", "func.func(note)"):
        made = as_module_pass(parse_pass_pipeline(text, registry))
        made.apply(context, module)
        assert text.partition("(note")[0] in str(made)


def test_xdsl_takes_nothing_else() -> None:
    with pytest.raises(TypeError, match="a pass or an OpPassManager"):
        as_module_pass("cse")  # type: ignore[arg-type]


def test_passgen_opt_offers_such_a_pass_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xdsl.universe.Universe.get_multiverse", lambda: UNIVERSE)
    registry = PassRegistry()

    register_xdsl_passes(registry)

    assert registry.lookup("note").pass_class is Note  # type: ignore[union-attr]
    assert registry.arguments() == ["note", "notes", "tile"]


def test_a_universe_may_also_have_dialects() -> None:
    universe = universe_of(register, all_dialects={"func": lambda: func.Func})

    assert universe.all_dialects["func"]() is func.Func
    assert "note" in universe.all_passes


PACKAGE = """\
from tests.runtime.ir.xdsl.test_xdsl_universe import register
from passgen_runtime.passes import universe_of
from cleaning_passes import registerCleaningPipelines
UNIVERSE = universe_of(register, registerCleaningPipelines)
"""
SPEC = """\
name: Cleaning
externalPasses: [cse, reconcile-unrealized-casts, symbol-dce]
pipelines:
  CleanUp:
    argument: clean-up
    summary: Clean up
    elements: [cse, symbol-dce, reconcile-unrealized-casts]
"""
FUNCTION = "func.func @f() {\n  func.return\n}\n"
UNUSED = "func.func private @unused()\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a folder with an installed package, and `in.mlir`."""
    (tmp_path / "cleaning.yaml").write_text(SPEC)
    assert passgen(["-o", str(tmp_path), str(tmp_path / "cleaning.yaml")]) == 0
    (tmp_path / "noting.py").write_text(PACKAGE)
    (tmp_path / "in.mlir").write_text(FUNCTION + UNUSED)
    metadata = tmp_path / "noting-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: noting\nVersion: 1\n"
    )
    entry = "[xdsl.universe]\nnoting = noting:UNIVERSE\n"
    (metadata / "entry_points.txt").write_text(entry)
    return tmp_path


def run_with_package(
    package: Path, program: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[4]
    paths = os.pathsep.join(map(str, (root, root / "runtime", package)))
    return subprocess.run(
        [program, "in.mlir", *arguments],
        cwd=package,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.process
def test_xdsl_opt_finds_the_passes_of_an_installed_package(package: Path) -> None:
    done = run_with_package(package, "xdsl-opt", "-p", "note{num-times=3},cse")

    assert (done.returncode, done.stderr) == (0, "")
    assert "num-times=3" in done.stdout


@pytest.mark.process
@pytest.mark.parametrize(
    "command", [("xdsl-opt", "-p", "clean-up"), ("passgen-opt", "--clean-up")]
)
def test_a_pipeline_of_a_package_may_name_shipped_passes(
    package: Path, command: tuple[str, ...]
) -> None:
    done = run_with_package(package, *command)

    assert (done.returncode, done.stderr) == (0, "")
    assert "@f" in done.stdout
    assert "@unused" not in done.stdout


@pytest.mark.process
@pytest.mark.parametrize("arguments", [(), ("--note",)])
def test_a_broken_package_is_named(package: Path, arguments: tuple[str, ...]) -> None:
    (package / "noting.py").write_text("import missing")
    (package / "in.mlir").write_text('"mine.op"() : () -> ()')

    done = run_with_package(package, "passgen-opt", *arguments)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "error: xDSL's plugin 'noting' (noting:UNIVERSE) is broken: "
        "ModuleNotFoundError: No module named 'missing'\n"
    )
