"""What modules of the target native-python do: a project ships them, and we need not."""

from __future__ import annotations

import dataclasses
import importlib.util
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.generated_python import mypy_strict

GENERATED = Path(__file__).parents[1] / "golden/native-python/toy_native_passes.py"


@pytest.fixture(scope="module")
def toy() -> ModuleType:
    spec = importlib.util.spec_from_file_location("toy_native_passes", GENERATED)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["toy_native_passes"] = module
    spec.loader.exec_module(module)
    return module


def test_text_has_all_options_in_order_of_argument(toy: ModuleType) -> None:
    assert str(toy.ToyLower()) == (
        "toy-lower{entry=main fast-math=true mode=lazy nested='cse,canonicalize' "
        "offset=0 tolerance=0.5 width=8}"
    )
    assert str(toy.ToyAnything()) == "toy-anything"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "masked=false"),
        ({"level": 3, "scalable": True}, "level=3 masked=false scalable=true"),
        ({"mode": "eager", "policy": "lazy one"}, "masked=false mode=eager policy='lazy one'"),
        ({"sizes": []}, "masked=false sizes={}"),
        ({"sizes": (1, 2)}, "masked=false sizes={1,2}"),
    ],
)  # fmt: skip
def test_options_that_only_cpp_knows_are_left_out_until_they_are_given(
    toy: ModuleType, options: dict[str, Any], text: str
) -> None:
    assert str(toy.ToyLeftToCpp(**options)) == f"toy-left-to-cpp{{{text}}}"


def test_a_required_option_is_given_and_an_optional_one_may_be(toy: ModuleType) -> None:
    assert str(toy.ToyTile(target="gpu")) == "toy-tile{target=gpu}"
    given = toy.ToyTile(target="gpu", limit=2, tiles=[])
    assert str(given) == "toy-tile{limit=2 target=gpu tiles={}}"
    with pytest.raises(TypeError, match="argument: 'target'"):
        toy.ToyTile()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"sizes": [4, 8]}, None),
        ({"sizes": [16]}, "sizes={16}"),
        ({"names": ["a", "b c", ""]}, "names={a,'b c',''}"),
        ({"names": ["it's"]}, 'names={"it\'s"}'),
        ({"modes": ["lazy", "eager"]}, "modes={lazy,eager}"),
    ],
)
def test_lists_are_printed_unless_they_are_defaults(
    toy: ModuleType, options: dict[str, Any], text: str | None
) -> None:
    printed = str(toy.ToyLower(**options))

    assert (text is None) == (printed == str(toy.ToyLower()))
    assert text is None or f" {text}" in printed


MISTAKES = [
    ("ToyLower(fast_mth=True)", "TypeError", "ToyLower has no option 'fast_mth'; did you mean 'fast_math'?"),
    ("ToyLower(1)", "TypeError", "ToyLower.__init__() takes 1 positional argument but 2 were given"),
    ("ToyLower(fast_math=1)", "TypeError", "option 'fast_math' of ToyLower: found 1, expected a value of type bool"),
    ("ToyLower(width='8')", "TypeError", "option 'width' of ToyLower: found '8', expected a value of type uint32"),
    ("ToyLower(width=None)", "TypeError", "option 'width' of ToyLower: found None, expected a value of type uint32"),
    ("ToyLower(tolerance='a')", "TypeError", "option 'tolerance' of ToyLower: found 'a', expected a value of type double"),
    ("ToyLower(mode='lasy')", "ValueError", "option 'mode' of ToyLower: found 'lasy', expected one of 'eager', 'lazy'; did you mean 'lazy'?"),
    ("ToyLower(sizes=4)", "TypeError", "option 'sizes' of ToyLower: found 4, expected a list"),
    ("ToyLower(names='ab')", "TypeError", "option 'names' of ToyLower: found 'ab', expected a list"),
    ("ToyLower(modes=['lasy'])", "ValueError", "option 'modes' of ToyLower: found 'lasy', expected one of 'eager', 'lazy'; did you mean 'lazy'?"),
    ("ToyAnything(width=8)", "TypeError", "ToyAnything has no option 'width'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "message"), MISTAKES)
def test_a_mistake_is_an_error_at_construction(
    toy: ModuleType, call: str, kind: str, message: str
) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        eval(call, vars(toy))  # noqa: S307 - a constant of this file

    assert (type(caught.value).__name__, str(caught.value)) == (kind, message)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"width": -1}, "an integer of 0 to 4294967295"),
        ({"width": 2**32}, "an integer of 0 to 4294967295"),
        ({"sizes": [2**63]}, f"an integer of {-(2**63)} to {2**63 - 1}"),
        ({"entry": 'it\'s "both"'}, "a text that pipelines can spell"),
        ({"entry": "a\nb"}, "a text that pipelines can spell"),
        ({"entry": " a"}, "a text that pipelines can spell"),
        ({"nested": "cse}{"}, "a text that pipelines can spell"),
    ],
)
def test_a_value_that_a_pipeline_cannot_hold_is_refused(
    toy: ModuleType, options: dict[str, Any], expected: str
) -> None:
    with pytest.raises(ValueError, match=expected):
        toy.ToyLower(**options)


def test_a_default_that_no_pipeline_can_hold_is_left_to_cpp(toy: ModuleType) -> None:
    assert "spelled" not in str(toy.ToyNames())
    assert "spelled=x" in str(toy.ToyNames(spelled="x"))


def test_a_pass_cannot_have_the_name_of_the_base_class(
    run: Callable[..., tuple[int, str, str]],
) -> None:
    Path("x.yaml").write_text(
        "name: X\npasses:\n  NativePassBase: {argument: x, summary: X}\n"
    )

    assert run("--target", "native-python", "x.yaml")[2].splitlines()[0] == (
        "x.yaml:3:3: error: pass 'NativePassBase' has the name of the base class of all "
        "passes"
    )


@pytest.mark.slow
@pytest.mark.process
def test_type_checkers_find_the_same_mistakes(tmp_path: Path) -> None:
    # The values that only a run can find are of the right type.
    calls = [call for call, _, _ in MISTAKES]
    shutil.copy(GENERATED, tmp_path)
    lines = ["from toy_native_passes import ToyAnything, ToyLower", *calls]
    (tmp_path / "uses_them.py").write_text("\n".join(lines) + "\n")

    found = {
        int(line.split(":")[1])
        for line in mypy_strict(tmp_path).splitlines()
        if ": error:" in line
    }

    assert found == {*range(2, 2 + len(calls))}


def test_passes_are_values(toy: ModuleType) -> None:
    made = toy.ToyLower(sizes=[1])

    assert made == toy.ToyLower(sizes=(1,)) != toy.ToyLower()
    assert {made: 1}[toy.ToyLower(sizes=[1])] == 1
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301 - its own bytes
    assert dataclasses.replace(made, width=4).sizes == (1,)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.width = 4


@pytest.mark.llvm
@pytest.mark.process
def test_a_project_ships_its_passes_without_any_package_of_ours(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    Path("Passes.td").write_text(
        'include "mlir/Pass/PassBase.td"\n'
        'def ProjectTile : Pass<"project-tile", "func::FuncOp"> {\n'
        '  let summary = "Tile loops";\n'
        "  let options = [\n"
        '    Option<"size", "tile-size", "int64_t", "32", "Size of a tile.">,\n'
        '    ListOption<"only", "only-loops", "std::string", "Names of loops.">,\n'
        "  ];\n"
        "}\n"
    )
    assert run("import", "Passes.td", "-o", "project.yaml")[0] == 0
    assert run("--target", "native-python", "project.yaml")[0] == 0
    assert run("--check", "--target", "native-python", "project.yaml")[0] == 0
    code = (
        "import project_native_passes as project, sys\n"
        "print(project.ProjectTile(tile_size=8, only_loops=['a']))\n"
        "print([pass_.anchor for pass_ in project.passes])\n"
        "print([name for name in sys.modules if 'passgen' in name])\n"
    )

    # Isolated: without installed packages.
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip

    assert done.stderr == ""
    assert done.stdout == (
        "project-tile{only-loops={a} tile-size=8}\n['func.func']\n[]\n"
    )
