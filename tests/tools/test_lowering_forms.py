"""Lowerings of MLIR from which a pass is missing: the forms of the how-to find it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from passgen import Options, checks, generate
from passgen.diagnostics import SpecError
from passgen.source import SourceFile
from passgen.spec import read
from passgen_runtime import PassRegistry
from passgen_tools.opt import main

PAGE = Path(__file__).parents[2] / "docs/how-to/forms.md"
SPEC, IR = (
    re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[0]
    for kind in ("yaml", "mlir")
)
PASSES = re.findall(r"^      - (.*)$", SPEC, re.MULTILINE)
CASTS = "reconcile-unrealized-casts"


def without(missing: str) -> list[str]:
    """Return the diagnostics of the spec whose pipeline lacks a pass."""
    spec = SPEC.replace(f"      - {missing}\n", "")
    try:
        checks.check(read(SourceFile("lowering.yaml", spec)))
    except SpecError as error:
        return [each.message for each in error.diagnostics]
    return []


def test_the_whole_pipeline_breaks_no_form() -> None:
    assert len(PASSES) == 7
    assert without("nothing") == []


@pytest.mark.parametrize("missing", PASSES)
def test_a_missing_pass_is_found_before_running(missing: str) -> None:
    given = re.search(
        rf"{''.join(word.title() for word in missing.split('-'))}:.*?gives: \[(\w+)",
        SPEC,
        re.DOTALL,
    )
    assert given is not None

    found = without(missing)
    assert found
    assert all(f"'{given[1]}'" in message for message in found)


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[PassRegistry]:
    """Return a registry of the passes of the page, which MLIR has."""
    from passgen_runtime.ir.mlir import use_mlir_passes  # noqa: PLC0415 - if installed

    spec = tmp_path / "lowering.yaml"
    spec.write_text(SPEC)
    [file] = generate([str(spec)], Options(targets=("python",))).files
    module = ModuleType("lowering_passes")
    sys.modules[module.__name__] = module
    exec(file.text, vars(module))  # noqa: S102 - the text that passgen has written
    registry = PassRegistry()
    module.registerLoweringPasses(registry)
    use_mlir_passes(registry)
    yield registry
    del sys.modules[module.__name__]


@pytest.mark.bindings
@pytest.mark.parametrize("missing", ["", *PASSES])
def test_a_missing_pass_is_found_while_running(
    missing: str,
    registry: PassRegistry,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = tmp_path / "input.mlir"
    source.write_text(IR)
    pipeline = ",".join(each for each in PASSES if each != missing)
    arguments = [str(source), "--ir=mlir", "--verify-forms"]

    code = main(
        [*arguments, f"--pass-pipeline=builtin.module({pipeline})"], registry=registry
    )

    said = capsys.readouterr().err
    if missing in {"", CASTS}:  # what the last pass gives is needed by the caller
        assert (code, said) == (0, "")
    else:
        assert code == 1
        assert re.search(r"error: pass '[\w-]+' needs 'no\w+' of", said)
