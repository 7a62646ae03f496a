"""The table of what C++ in rewrites means, and rows that projects add."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from passgen.diagnostics import SpecError
from passgen.rewrites.native_code import Meaning, NativeCode

MEANINGS: Final = {
    "$0.getType() == $1.getType()": Meaning("sameType", ("$0", "$1")),
    "( $0.getType()\n   == $1.getType() )": Meaning("sameType", ("$0", "$1")),
    "$_self.use_empty()": Meaning("unused", ("$0",)),
    "$0.hasOneUse()": Meaning("oneUse", ("$0",)),
    "*getIntOrSplatIntValue($0) == -7": Meaning("equals", ("$0", "-7")),
    "$0.getValue() == arith::CmpIPredicate::eq": Meaning(
        "equals", ("$0", "arith::CmpIPredicate::eq")
    ),
    "::mlir::cast<TypedAttr>($0)": Meaning("", ("$0",)),
}


@pytest.mark.parametrize("code", MEANINGS)
def test_code_has_a_meaning(code: str) -> None:
    assert NativeCode().find(code) == MEANINGS[code]


@pytest.mark.parametrize(
    "code", ["isNice($0)", "$0.getType() == $1.getType() && isNice($0)", ""]
)
def test_other_code_has_none(code: str) -> None:
    assert NativeCode().find(code) is None


def rows(folder: Path, text: str) -> NativeCode:
    file = folder / "code.yaml"
    file.write_text(text)
    return NativeCode((str(file),))


def test_rows_of_a_project_come_first(tmp_path: Path) -> None:
    code = rows(
        tmp_path,
        '"isNice($0, {size})": my.patterns:is_nice($0)\n'
        '"$0 == nullptr": my.patterns:is_null($0)\n'
        "toy.widen: wider(result, operand)\n",
    )

    assert code.find("isNice($0, 8)") == Meaning("is_nice", ("$0",), "my.patterns")
    assert code.find("$0 == nullptr") == Meaning("is_null", ("$0",), "my.patterns")
    assert code.find("!$0") == Meaning("absent", ("$0",))
    assert code.relation("toy.widen") == Meaning("wider", ("result", "operand"))
    assert code.relation("arith.extsi") == Meaning("wider", ("out", "in"))
    assert code.relation("arith.addi") is None


WRONG: Final = {
    "f($0): sum $0": "is 'sum $0', expected a call or an argument",
    "f($0): [add]": "is a list, expected a call or an argument",
    "f($0): ad($0, $1)": "did you mean 'add'?",
    "f($0): isNice($0)": "one in Python is written",
    "f($0): add($0)": "'add' has 1 arguments, expected 2",
    "f($0): zero($x)": "found '$x', expected a number behind '$'",
    "f($0): my.module:f($0, $x)": "found '$x', expected a number behind '$'",
    "toy.widen: wide(result, operand)": "did you mean 'wider'?",
    "toy.widen: 'my:widen(result, operand)'": "'widen' is no function",
}


@pytest.mark.parametrize("row", WRONG)
def test_a_row_that_says_nothing_is_refused(row: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError) as found:
        rows(tmp_path, f"{row}\n")

    assert WRONG[row] in str(found.value)
    assert f"{tmp_path}/code.yaml:1:" in str(found.value)
