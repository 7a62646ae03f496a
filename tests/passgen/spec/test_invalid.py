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
from passgen.spec import loader, read

INVALID = Path(__file__).parents[1] / "invalid"
SPECS = sorted(INVALID.glob("*.yaml"))


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_invalid(path: Path, golden: Callable[[Path, str], None]) -> None:
    data = path.read_bytes()
    rule = data.split(b"\n", 1)[0].decode()
    with pytest.raises(SpecError) as caught:
        checks.check(read(loader.decode(path.name, data)))

    golden(path.with_suffix(".err"), f"{caught.value}\n")
    assert len(caught.value.diagnostics) == 1
    assert rule.startswith("# ")
    assert rule.rstrip("\r").endswith(".")


def test_every_expectation_has_its_spec() -> None:
    expectations = {path.stem for path in INVALID.glob("*.err")}

    assert {path.stem for path in SPECS} == expectations
