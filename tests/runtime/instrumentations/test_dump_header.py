"""The header of a dump is read as it was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passgen_runtime.instrumentations.dump_header import (
    DumpHeader,
    OperationName,
    parse_dump_header,
)

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*", fullmatch=True)
ARGUMENTS = st.from_regex(r"[a-z][a-z0-9-]*", fullmatch=True)
OPERATIONS = st.builds(OperationName, ARGUMENTS, st.none() | NAMES)
HEADERS = st.builds(
    DumpHeader,
    is_after=st.booleans(),
    pass_name=NAMES,
    pass_text=ARGUMENTS,
    has_failed=st.booleans(),
    operation=st.none() | OPERATIONS,
)
WITH_OPTIONS = st.builds(
    DumpHeader,
    is_after=st.booleans(),
    pass_name=NAMES,
    pass_text=st.sampled_from(["cse", "a{b=1}", "a{b={c: (d)} e=(f)}"]),
    has_options=st.just(value=True),
    operation=st.none() | OPERATIONS,
)


@given(HEADERS | WITH_OPTIONS)
def test_a_header_is_read_as_it_was_written(header: DumpHeader) -> None:
    assert parse_dump_header(header.line()) == header


@pytest.mark.parametrize(
    "line",
    [
        "",
        "// -----// IR Dump here //----- //",
        "// -----// IR Diff After CSE (cse) //----- //",
        " // -----// IR Dump After CSE (cse) //----- //",
        "// -----// IR Dump After CSE (cse) //----- // ",
    ],
)
def test_another_line_is_no_header(line: str) -> None:
    assert parse_dump_header(line) is None
