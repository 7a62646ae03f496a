"""A dump with random changes is refused, or is imported as a spec with its records."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passgen.cpp import group_records
from passgen.diagnostics import SpecError
from passgen.generate import Options, generate
from passgen.source import SourceFile
from passgen.tablegen import import_dump, read_group
from passgen.tablegen.dump import read_records
from passgen.targets import TARGETS

SOURCE = SourceFile("p.json", "")


def item(key: str, **fields: object) -> dict[str, object]:
    return {"!anonymous": True, "!locs": ["P.td:4"], "!name": key, **fields}


def reference(name: str) -> dict[str, object]:
    return {"def": name, "kind": "def", "printable": name}


OPTION = {
    "additionalOptFlags": "",
    "argument": "count",
    "cppName": "count",
    "defaultValue": "1",
    "description": "How many.",
    "type": "unsigned",
}
PASS = {
    "!anonymous": False,
    "!locs": ["P.td:3"],
    "!superclasses": ["PassBase", "Pass"],
    "baseClass": "::mlir::OperationPass<func::FuncOp>",
    "constructor": "",
    "dependentDialects": ["scf::SCFDialect"],
    "description": "\n    Count.\n  ",
    "extra": ["a", "b"],
    "number": 7,
    "options": [reference("a0"), reference("a1")],
    "statistics": [reference("a2")],
    "summary": "Count operations",
}
DUMP = {
    "!instanceof": {
        "PassBase": ["A", "B"],
        "Option": ["a0", "a1"],
        "Statistic": ["a2"],
    },
    "!dump_json_version": 1,
    "A": {**PASS, "!name": "A", "argument": "a"},
    "B": {**PASS, "!name": "B", "argument": "b"},
    "Other": {"!anonymous": False, "!locs": [], "!name": "Other", "!superclasses": []},
    "a0": item("a0", **OPTION, **{"!superclasses": ["Option"]}),
    "a1": item("a1", **OPTION, **{"!superclasses": ["Option", "ListOption"]}),
    "a2": item(
        "a2", cppName="n", name="n", description="N", **{"!superclasses": ["Statistic"]}
    ),
}


def paths(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, each in value.items():
            yield from paths(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from paths(each, (*path, index))


PATHS = list(paths(DUMP))
TEXTS = st.one_of(
    st.sampled_from(
        ["", "a", "A", "a0", "a2", "P.td:9", "!name", "\ud800", "\0", "²:²"]
    ),
    st.text(max_size=8),
)
VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), TEXTS,
        st.sampled_from([reference("a0"), reference("a2"), reference("none")]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)
    ),
    max_leaves=4,
)  # fmt: skip


@st.composite
def dumps(draw: st.DrawFn) -> str:
    data: Any = copy.deepcopy(DUMP)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(PATHS))
        inner = data
        try:
            for key in path[:-1]:
                inner = inner[key]
            change = draw(st.sampled_from(["replace", "remove", "add"]))
            if change == "replace":
                inner[path[-1]] = copy.deepcopy(draw(VALUES))
            elif change == "remove":
                del inner[path[-1]]
            else:
                inner[draw(TEXTS)] = copy.deepcopy(draw(VALUES))
        except (KeyError, IndexError, TypeError):
            pass  # an earlier change has removed the place
    return json.dumps(data)


@pytest.mark.slow
@settings(max_examples=3 * settings().max_examples, report_multiple_bugs=False)
@given(dumps())
def test_a_changed_dump_is_refused_or_imported(text: str) -> None:
    try:
        dump = read_records(text, SOURCE)
    except SpecError as refused:
        str(refused).encode()  # raises where no terminal can show it
        return

    imported = import_dump(dump, "p.json", "Group")

    spec = SourceFile("p.yaml", imported.text)
    (group,) = generate([spec], Options(targets=tuple(TARGETS))).groups
    records = tuple(each.record for each in dump.passes)
    assert group_records(group) == records
    assert group_records(read_group(dump, "p.json")) == records
