"""Specs that are refused: `invalid/<rule>.yaml` and, in `<rule>.err`, what is said.

The listing of that folder is the list of rules. Each file makes one mistake and is
answered by one diagnostic; its first line states the rule.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from passgen import checks
from passgen.diagnostics import SpecError
from passgen.spec import loader, resolve, schema

INVALID = Path(__file__).parents[1] / "invalid"
SPECS = sorted(INVALID.glob("*.yaml"))


def judge(path: Path) -> None:
    data = loader.load(loader.decode(path.name, path.read_bytes()))
    schema.validate(data)
    checks.check(resolve.resolve(data))


def refusal(path: Path) -> SpecError:
    with pytest.raises(SpecError) as caught:
        judge(path)
    return caught.value


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_invalid(path: Path, golden: Callable[[Path, str], None]) -> None:
    golden(path.with_suffix(".err"), f"{refusal(path)}\n")


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_one_mistake_is_one_diagnostic(path: Path) -> None:
    assert len(refusal(path).diagnostics) == 1


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_first_line_states_the_rule(path: Path) -> None:
    first = path.read_bytes().split(b"\n", 1)[0].decode()

    assert first.startswith("# ")
    assert first.endswith(".")


def test_every_expectation_has_its_spec() -> None:
    expectations = {path.stem for path in INVALID.glob("*.err")}

    assert {path.stem for path in SPECS} == expectations
