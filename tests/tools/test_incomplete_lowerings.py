"""MLIR's lowering of linear algebra without one of its passes: the errors.

`form_verdicts/lowerings.yaml` has a row for each pass that is left out, with short
sentences that say what errors must name. `form_verdicts/lowerings` has the whole texts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from passgen import Options, SpecsError, generate
from passgen.generation import read_groups
from passgen_runtime import PassRegistry
from passgen_tools.opt import main
from tests.cases.reader import read_yaml
from tests.tools.form_verdicts.sentences import sentences_before, sentences_running

FOLDER = Path(__file__).parent / "form_verdicts"
SPEC = Path(__file__).parents[2] / "specs/mlir-forms.yaml"
PASSES = read_yaml(SPEC)["pipelines"]["LinalgToLlvm"]["elements"]
ROWS = read_yaml(FOLDER / "lowerings.yaml")
Golden = Callable[[Path, str], None]
of_each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row["missing"])


@pytest.fixture(scope="module")
def registry() -> Iterator[PassRegistry]:
    """Return a registry of the passes of the spec, which MLIR has."""
    from passgen_runtime.ir.mlir import use_mlir_passes  # noqa: PLC0415 - if installed

    [file] = generate([str(SPEC)], Options(targets=("python",))).files
    module = ModuleType("mlir_forms_passes")
    registry = PassRegistry()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, module.__name__, module)
        exec(file.text, vars(module))  # noqa: S102 - the text that passgen wrote
        module.registerMlirFormsPasses(registry)
        use_mlir_passes(registry)
        yield registry


def test_the_table_leaves_out_each_of_eleven_passes() -> None:
    assert [row["missing"] for row in ROWS] == PASSES[:11]


@of_each_row
def test_a_missing_pass_is_found_before_a_run(
    row: dict[str, Any], tmp_path: Path, golden: Golden
) -> None:
    missing = row["missing"]
    spec = tmp_path / "mlir-forms.yaml"
    text = SPEC.read_text("utf-8").replace(f"      - {missing}\n", "", 1)
    spec.write_text(text, "utf-8")

    with pytest.raises(SpecsError) as raised:
        read_groups([str(spec)])

    errors = str(raised.value).replace(f"{tmp_path}/", "")
    assert sorted(sentences_before(errors, "linalg-to-llvm")) == sorted(row["before"])
    golden(FOLDER / "lowerings" / f"{missing}-before.txt", f"{errors}\n")


@pytest.mark.bindings
@of_each_row
def test_a_missing_pass_is_found_while_running(
    row: dict[str, Any],
    registry: PassRegistry,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    golden: Golden,
) -> None:
    missing = row["missing"]
    elements = ",".join(argument for argument in PASSES if argument != missing)
    arguments = ["--ir=mlir", "--verify-forms", "-o", str(tmp_path / "out.mlir")]
    arguments.append(f"--pass-pipeline=builtin.module({elements})")
    code = main([str(FOLDER / "kernel.mlir"), *arguments], registry=registry)

    output = capsys.readouterr().err.replace(f"{FOLDER}/", "")
    assert code == 1
    assert sentences_running(output)[0] == row["running"]
    golden(FOLDER / "lowerings" / f"{missing}-running.txt", output)
