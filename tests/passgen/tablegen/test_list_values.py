"""Defaults of list options, found in C++ flags."""

from __future__ import annotations

import pytest

from passgen.cpp import list_values


@pytest.mark.parametrize(
    ("flags", "values"),
    [
        ("llvm::cl::list_init<int64_t>({32, 64})", ["32", "64"]),
        ("llvm::cl::ZeroOrMore, ::llvm::cl::list_init<int64_t>({1})", ["1"]),
        ("llvm::cl::ZeroOrMore", None),
        # A text, a comment and a choice are no defaults.
        ('llvm::cl::desc("like llvm::cl::list_init<int64_t>({1})")', None),
        ("/*llvm::cl::list_init<int64_t>({1})*/ llvm::cl::ZeroOrMore", None),
        ("c ? llvm::cl::list_init<int>({1}) : llvm::cl::list_init<int>({2})", None),
    ],
)
def test_list_values(flags: str, values: list[str] | None) -> None:
    assert list_values(flags) == values
