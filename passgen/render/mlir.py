"""The filters for IR in MLIR's generic form, and for words of RUN lines."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

_WORD: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_FLAG: Final = re.compile(rf"--{_WORD.pattern}(='[\w.()-]+')?")


@dataclass(frozen=True)
class AttributeEntry:
    """An attribute of an operation."""

    name: str
    form: Literal["typed", "wrapped", "plain", "unit", "entry"]
    """`8 : i32`, `#arith.overflow<nsw>`, `"text"`, a name alone; `entry` if the value
    stands for the name as well."""

    value: str
    type: str = ""
    wrapper: str = ""
    """The name before the brackets: `arith.overflow`."""


def mlir_word(text: str) -> str:
    """Return `text`, a word of a RUN line that needs no quotes in a shell.

    Raises:
        ValueError: it is no such word.
    """
    if not _WORD.fullmatch(text):
        raise ValueError(f"'{text}' is no plain word of a RUN line")
    return text


def mlir_words(texts: Sequence[str]) -> str:
    """Return `texts` as words of a shell, such as folders in settings of pytest."""
    return shlex.join(texts)


def mlir_flag(text: str) -> str:
    """Return `text`, a flag of a RUN line, whose value stands in quotes.

    Raises:
        ValueError: it is no such flag.
    """
    if not _FLAG.fullmatch(text):
        raise ValueError(f"'{text}' is no flag of a RUN line")
    return text


def mlir_part(text: str) -> str:
    """Return `text`, a part of a line.

    Raises:
        ValueError: it has several lines.
    """
    if len(text.splitlines()) != 1:
        raise ValueError(f"'{text}' is no part of a line of IR")
    return text


def mlir_list(parts: Sequence[str]) -> str:
    """Return values or types with commas between them."""
    return ", ".join(map(mlir_part, parts))


def mlir_results(names: Sequence[str]) -> str:
    """Return the results that an operation defines, before its name."""
    return f"{mlir_list(names)} = " if names else ""


def mlir_types(types: Sequence[str]) -> str:
    """Return the types of results: in brackets, unless there is one."""
    return mlir_list(types) if len(types) == 1 else f"({mlir_list(types)})"


def mlir_properties(entries: Sequence[AttributeEntry]) -> str:
    """Return the attributes of an operation behind its operands."""
    listed = mlir_list([mlir_attribute(entry) for entry in entries])
    return f" <{{{listed}}}>" if entries else ""


def mlir_attribute(entry: AttributeEntry) -> str:
    """Return an attribute with its name."""
    written = {
        "typed": f" = {entry.value} : {entry.type}",
        "wrapped": f" = #{entry.wrapper}<{entry.value}>",
        "plain": f" = {entry.value}",
        "unit": "",
    }
    is_named = entry.form in written
    text = f"{entry.name}{written[entry.form]}" if is_named else entry.value
    return mlir_part(text)
