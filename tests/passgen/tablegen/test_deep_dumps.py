"""Dumps with values that are nested too deeply for Python's reader of JSON."""

from __future__ import annotations

import pytest

from passgen.diagnostics import SpecError
from passgen.source import SourceFile
from passgen.tablegen import read_dump_text

DEPTH = 100_000


def test_the_deepest_tree_of_the_file_is_the_place() -> None:
    dump = f'{{"!instanceof": {{}}, "Deep": {"[" * DEPTH}{"]" * DEPTH}}}'
    source = SourceFile(
        "Deep.td", "def Flat : Pat<(A), (B)>;\ndef Deep : Pat<(A (B))>;"
    )

    with pytest.raises(SpecError) as caught:
        read_dump_text(dump, source)

    (found,) = caught.value.diagnostics
    assert str(found.location) == "Deep.td:2:19"
    assert found.message == "found values that are nested too deeply to be read"
