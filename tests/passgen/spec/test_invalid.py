"""Wrong specs, `invalid/<rule>.yaml`, and their diagnostics, `invalid/<rule>.err`.

The listing of that folder is the list of rules. Each spec has one mistake, which gets
one diagnostic, and states the rule in its first line; those that begin with `_` show
how mistakes go together. `valid keys: ...` stands for a list that a file called
`*-unknown-key` shows in full. Specs in `warned/` have warnings alone, and those in
`allowed/` only look wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from passgen import checks
from passgen.diagnostics import Diagnostic, SpecError
from passgen.spec import loader, read
from tests.passgen.conftest import without_long_lists

FOLDER = Path(__file__).parents[1]
SPECS = sorted([*FOLDER.glob("invalid/*.yaml"), *FOLDER.glob("warned/*.yaml")])


def diagnostics(path: Path) -> Sequence[Diagnostic]:
    try:
        return checks.check(read(loader.decode(path.name, path.read_bytes())))
    except SpecError as error:
        return error.diagnostics


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_what_is_said(path: Path, golden: Callable[[Path, str], None]) -> None:
    found = diagnostics(path)

    messages = "".join(f"{each}\n" for each in found)
    is_about_lists = path.stem.endswith(("unknown-key", "type-key", "type-unknown"))
    shown = messages if is_about_lists else without_long_lists(messages)
    golden(path.with_suffix(".err"), shown)
    severity = "warning" if path.parent.name == "warned" else "error"
    assert {each.severity for each in found} == {severity}
    assert (len(found) > 1) == path.stem.startswith("_")
    rule = path.read_bytes().split(b"\n", 1)[0].decode()
    assert rule.startswith("# ")
    assert rule.rstrip("\r").endswith(".")


@pytest.mark.parametrize(
    "path", sorted(FOLDER.glob("allowed/*.yaml")), ids=lambda path: path.stem
)
def test_what_only_looks_wrong_is_allowed(path: Path) -> None:
    assert diagnostics(path) == ()


def test_every_expectation_has_its_spec() -> None:
    expectations = {path.stem for path in FOLDER.glob("[iw]*/*.err")}

    assert {path.stem for path in SPECS} == expectations
