"""A test suite that was written for `lit` runs in pytest, with lit's verdicts."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.inner_pytest import run_inside
from tests.requirements import missing

SUITE = Path(__file__).parent / "lit_suite"
SETTINGS = """\
[pytest]
mlir_tests = suite/**/*.mlir
mlir_features =
    fast
    suite/local/**: local
mlir_requires =
    suite/gpu/**: gpu
mlir_substitutions =
    ROUNDTRIP = passgen-opt %s | passgen-opt | filecheck %s
    %{flags} = --allow-unregistered-dialect
    suite/local/*: %pass = --cse
"""
VERDICTS = {
    "continued": "PASS",
    "expected-failure": "XFAIL",
    "fails": "FAIL",
    "feature": "UNSUPPORTED",
    "gpu/kernel": "UNSUPPORTED",
    "if": "PASS",
    "if-malformed": "UNRESOLVED",
    "if-nested": "PASS",
    "if-not": "PASS",
    "input": "PASS",
    "local/feature": "PASS",
    "no-run-line": "UNRESOLVED",
    "not": "PASS",
    "not-misspelt": "FAIL",
    "not-succeeds": "FAIL",
    "passes": "PASS",
    "requires": "UNSUPPORTED",
    "roundtrip": "PASS",
    "shell": "PASS",
    "split": "PASS",
    "split-none": "FAIL",
    "split-twice": "FAIL",
    "unexpected-success": "XPASS",
    "unsupported": "UNSUPPORTED",
}
IN_PYTEST = {
    "PASS": "PASSED",
    "XFAIL": "XFAIL",
    "UNSUPPORTED": "SKIPPED",
    **dict.fromkeys(("FAIL", "UNRESOLVED", "XPASS"), "FAILED"),
}


@pytest.mark.process
@pytest.mark.usefixtures("modules_stay")
def test_it_is_adopted_by_settings(pytester: pytest.Pytester) -> None:
    shutil.copytree(SUITE, pytester.path / "suite")
    pytester.makeini(SETTINGS)
    ignored = 'collect_ignore = ["broken.mlir"]\n'
    (pytester.path / "suite" / "local" / "conftest.py").write_text(ignored)

    plugin = "passgen_tools.testing.pytest_plugin"
    result = run_inside(pytester, "-p", plugin, "-v")

    found = re.findall(
        r"^suite/(\S+)\.mlir::RUN (\w+)", result.stdout.str(), re.MULTILINE
    )
    assert dict(found) == {name: IN_PYTEST[each] for name, each in VERDICTS.items()}
    result.stdout.fnmatch_lines(["*if-malformed.mlir:1: error: RUN: found '%if', *"])


@pytest.mark.process
@pytest.mark.builds
def test_the_verdicts_are_those_of_lit(tmp_path: Path) -> None:
    if find_spec("lit") is None:
        missing("lit is not installed", "BUILDS")
    shutil.copytree(SUITE, tmp_path / "suite")
    run_lit = "from lit.main import main; main()"
    command = (sys.executable, "-c", run_lit, "-v", "suite")

    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )

    found = re.findall(r"^(\w+): suite :: (\S+)\.mlir \(", done.stdout, re.MULTILINE)
    assert {name: verdict for verdict, name in found} == VERDICTS
