"""Names of notions that both the schema and the import know."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from passgen import naming, resources


@pytest.mark.parametrize(
    ("definition", "accepts"),
    [
        ("dialectName", naming.is_dialect),
        ("interfaceName", naming.is_interface),
        ("operationName", naming.is_operation),
    ],
)
def test_the_schema_and_the_import_have_one_pattern_for_a_notion(
    definition: str, accepts: Callable[[str], bool]
) -> None:
    schema = json.loads(resources.schema().read_text("utf-8"))
    pattern = schema["$defs"][definition]["pattern"]
    names = ["a", "RTLx", "money$v2", "_x", "My_Interface", "a.b", "RTLx.a-b", "a$.b.c"]
    wrong = ["", "1a", "$a", "a b", "a::B", "a.", ".a", "é", "a\n"]

    assert [name for name in names if accepts(name)]
    for name in names + wrong:
        is_matched = re.search(pattern, name) is not None and "\n" not in name
        assert accepts(name) == is_matched
