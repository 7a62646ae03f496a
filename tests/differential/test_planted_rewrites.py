"""Declarative rewrites are proved if they are right: import and proof together."""

from __future__ import annotations

import importlib.util
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from passgen import cli
from passgen_runtime import PassManager
from passgen_runtime.errors import PassError
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.patterns import PatternDriver, Patterns, RewritePattern
from passgen_tools.verify import verify_patterns
from passgen_tools.verify.counterexample_tests import counterexample_tests
from passgen_tools.verify.pattern_verdicts import verdicts_of_pass
from passgen_tools.verify.written_cases import written_cases
from tests.differential.rewrite_oracle import Rewrite, is_right, read_rewrites
from tests.filecheck_runs import is_accepted
from tests.pattern_cases import pass_of

pytestmark = pytest.mark.bindings

FOLDER: Final = Path(__file__).parent / "rewrites"
REWRITES: Final = {
    name: read_rewrites((FOLDER / f"{name}.td").read_text(encoding="utf-8"))
    for name in ("PlantedRight", "PlantedWrong")
}
WIDTH: Final = 3
NEVER_APPLIED: Final = {"RemainderForZero", "TruncateTwiceKeepsOuterFlags"}
"""What these match folds, whatever the values: in the second, as wrongly."""

TYPES: Final = tuple(f"i{width}" for width in range(1, WIDTH + 1))


@pytest.fixture(scope="module")
def patterns(
    tmp_path_factory: pytest.TempPathFactory, llvm_tblgen: Path, mlir_include: Path
) -> dict[str, RewritePattern]:
    """Return the patterns that are imported, by the names of the rewrites."""
    folder = tmp_path_factory.mktemp("planted")
    found = {}
    for name in REWRITES:
        spec = folder / f"{name}.yaml"
        argv = ["import", "--patterns", str(FOLDER / f"{name}.td"), "-o", str(spec)]
        argv += ["-I", str(FOLDER), "-I", str(mlir_include)]
        assert cli.main([*argv, "--llvm-tblgen", str(llvm_tblgen)]) == 0
        assert cli.main(["--target=python", "-o", str(folder), str(spec)]) == 0
        for pattern in _generated(folder, name).patterns:
            found[pattern.summary.partition(",")[0]] = _on_few_bits(pattern)
    return found


@pytest.fixture(scope="module")
def context() -> MLIRContext:
    return MLIRContext()


def _generated(folder: Path, name: str) -> type[Patterns]:
    """Return the generated pass."""
    (path,) = folder.glob(f"*{name.removeprefix('Planted').lower()}_passes.py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    generated: type[Patterns] = getattr(module, f"{name}PassBase")
    return generated


def _on_few_bits(pattern: RewritePattern) -> RewritePattern:
    """Return a pattern on a list of short integers in place of all."""
    variables = tuple(
        replace(variable, any="", examples=TYPES) if variable.any else variable
        for variable in pattern.variables
    )
    return replace(pattern, variables=variables)


@pytest.mark.parametrize(
    ("rewrite", "file"),
    [
        pytest.param(rewrite, name, id=rewrite.name)
        for name, rewrites in REWRITES.items()
        for rewrite in rewrites
    ],
)
def test_a_rewrite_is_proved_if_it_is_right_for_all_values(
    rewrite: Rewrite,
    file: str,
    patterns: dict[str, RewritePattern],
    context: MLIRContext,
) -> None:
    expected = file == "PlantedRight"
    assert is_right(rewrite, WIDTH) == expected

    verdicts = defaultdict(set)
    judged = verify_patterns(pass_of(patterns[rewrite.name]), context)
    for judgement in judged:
        if judgement.types:  # others are about the end of rewrites
            widths = map(int, re.findall(r"\d+", judgement.types))
            verdicts[max(widths, default=WIDTH)].add(judgement.verdict)

    for width, found in verdicts.items():
        is_wrong = not is_right(rewrite, width)
        assert ("wrong" in found) == is_wrong, (width, found)
        assert found <= {"proved", "wrong"}
    assert expected or "wrong" in verdicts[max(verdicts)]


@pytest.mark.process
@pytest.mark.parametrize("rewrite", REWRITES["PlantedWrong"], ids=lambda one: one.name)
def test_a_written_test_fails_where_mlir_applies_the_wrong_rewrite(
    rewrite: Rewrite,
    patterns: dict[str, RewritePattern],
    context: MLIRContext,
    tmp_path: Path,
) -> None:
    class_ = pass_of(
        patterns[rewrite.name], pattern_driver=PatternDriver("greedy", max_rewrites=256)
    )
    verdicts = verdicts_of_pass("example", class_, context, 60)
    case = next(written_cases(verdicts, context, 60))
    test = tmp_path / "wrong.mlir"
    test.write_text(counterexample_tests([case], "passgen-opt %s"))
    module = context.parse(test.read_text(), test.name)
    manager = PassManager(context, nesting="implicit")
    manager.add_pass(class_())

    assert bool(case.note) == (rewrite.name in NEVER_APPLIED)
    if rewrite.name == "AbsoluteKeepsFlags":
        with pytest.raises(PassError, match="did not converge"):
            manager.run(module)
        return
    manager.run(module)
    fails = not is_accepted(context.print(module), test)
    assert fails == (rewrite.name != "RemainderForZero"), case.text


def test_at_least_twenty_rewrites_are_right_and_twenty_wrong() -> None:
    assert {name: len(rewrites) for name, rewrites in REWRITES.items()} == {
        "PlantedRight": 21,
        "PlantedWrong": 22,
    }
