"""A dump with random changes is refused, or is imported as a spec with its records."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passgen.cpp import group_records
from passgen.diagnostics import SpecError
from passgen.generation import Options, generate
from passgen.source import SourceFile
from passgen.tablegen import import_dump, read_group
from passgen.tablegen.dump import read_records
from passgen.targets import TARGETS
from tests.fuzz.dumps import TEXT, WORDS
from tests.fuzz.harness import mutated_value


@pytest.mark.slow
@settings(max_examples=5 * settings().max_examples, report_multiple_bugs=False)
@given(st.integers(0, 2**32).map(Random))
def test_a_changed_dump_is_refused_or_imported(random: Random) -> None:
    text = json.dumps(mutated_value(random, json.loads(TEXT), WORDS))
    try:
        dump = read_records(text, SourceFile("p.json", ""))
    except SpecError as refused:
        str(refused).encode()  # raises where no terminal can show it
        return

    imported = import_dump(dump, "p.json", "Group")

    spec = SourceFile("p.yaml", imported.text)
    (group,) = generate([spec], Options(targets=tuple(TARGETS))).groups
    records = tuple(pass_.record for pass_ in dump.passes)
    assert group_records(group) == records
    assert group_records(read_group(dump, "p.json")) == records
