"""`split-file` writes the parts of a file, as LLVM's does."""

from __future__ import annotations

from pathlib import Path

import pytest

from passgen_tools.testing.split_file import main


def split(folder: Path, text: str, *flags: str) -> dict[str, str]:
    source, parts = folder / "case.mlir", folder / "parts"
    source.write_bytes(text.encode())
    assert main([*flags, str(source), str(parts)]) == 0
    return {
        path.relative_to(parts).as_posix(): path.read_bytes().decode()
        for path in parts.rglob("*")
        if path.is_file()
    }


def test_lines_begin_parts(tmp_path: Path) -> None:
    text = "none\n//--- a/b.mlir\none\r\n // --- no\n;--- c\n//---\n#--- last\ntwo"

    assert split(tmp_path, text) == {
        "a/b.mlir": "one\r\n // --- no\n",
        "c": "//---\n",
        "last": "two",
    }


def test_parts_may_keep_the_numbers_of_lines(tmp_path: Path) -> None:
    text = "\n//--- a\none\n"

    assert split(tmp_path, text, "--leading-lines") == {"a": "\n\none\n"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n", "case.mlir:1: error: no line such as '//--- NAME' begins a part"),
        ("//--- a\n//--- a\n", "case.mlir:2: error: 'a' is no new name"),
        ("//---  a\n", "case.mlir:1: error: ' a' is no new name"),
    ],
)
def test_error_in_the_file(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as error:
        split(tmp_path, text)

    assert str(error.value) == f"{tmp_path}/{message}"


def test_error_arguments() -> None:
    with pytest.raises(SystemExit, match=r"usage: split-file \[--leading-lines\] FILE"):
        main(["case.mlir"])


def test_error_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"split-file: error: .*No such file"):
        main([str(tmp_path / "none"), str(tmp_path)])
