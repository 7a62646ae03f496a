"""The spec of an imported pass has the same record, whatever the record holds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passgen.cpp import group_records
from passgen.generate import Options, generate
from passgen.model.tablegen_records import (
    LIST_OPTION_CLASSES,
    OptionRecord,
    PassRecord,
    StatisticRecord,
)
from passgen.source import Location, SourceFile
from passgen.tablegen import import_dump, read_group
from passgen.tablegen.dialects import Dialects
from passgen.tablegen.dump import Dump, DumpedItem, DumpedPass

SOURCE = SourceFile("Passes.td", "")

TEXTS = st.one_of(
    st.sampled_from(
        ["", " ", "a", "a b", "\n  a\n    b\n  ", "x: y # z", "é 🙂", "'\""]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.lists(st.sampled_from(["", "  ", "a", "  b  ", "---", "\tc"]), max_size=6).map(
        "\n".join
    ),
)
NAMES = st.one_of(
    st.sampled_from(["a", "b_", "name", "options", "class", "TileSize", "tile_size"]),
    st.text("aB_1", min_size=1, max_size=4),
)
TYPES = st.one_of(
    st.sampled_from(["int", "unsigned", "uint32_t", "bool", "std::string", "double"]),
    st.sampled_from(["float", "my::Enum", "OpPassManager", "std::pair<int, int>"]),
    TEXTS,
)
DEFAULTS = st.one_of(
    st.sampled_from(["", "0", "1", "true", "-1u", '"a"', "my::Enum::A", "1.5f", " 4 "]),
    TEXTS,
)
FLAGS = st.one_of(
    st.sampled_from(["", "llvm::cl::Hidden", "llvm::cl::values()"]),
    st.sampled_from(
        [
            'llvm::cl::values(clEnumValN(my::Enum::A, "a", "A"))',
            'llvm::cl::values(clEnumValN(my::Enum::A, "a", ""), clEnumVal(B, "b"))',
        ]
    ),
    st.builds(
        lambda blanks, count, text: "llvm::cl::values("
        + ",".join(
            f"{blanks}clEnumValN(my::Enum::{name}, {text or value},{blanks} {value})"
            for name, value in list(
                {"A": '"a"', "kB": '"b" "c"', "C": '"$name"'}.items()
            )[:count]
        )
        + f"{blanks})",
        st.sampled_from(["", " ", "\n  ", "/* $name */"]),
        st.integers(1, 3),
        st.sampled_from(["", '"a"']),
    ),
    TEXTS,
)
FIELDS = st.sampled_from([(), (("extra", None),), (("extra", "x"), ("n", 1))])


@st.composite
def options(draw: st.DrawFn) -> OptionRecord:
    is_list = draw(st.booleans())
    regular = OptionRecord("", "", "", "", "", "", is_list).classes
    return OptionRecord(
        cpp_name=draw(NAMES),
        argument=draw(st.one_of(NAMES, TEXTS)),
        type=draw(TYPES),
        default=draw(DEFAULTS),
        description=draw(TEXTS),
        flags=draw(FLAGS),
        is_list=is_list,
        classes=LIST_OPTION_CLASSES if is_list else regular,
        fields=draw(FIELDS),
    )


STATISTICS = st.builds(
    StatisticRecord, cpp_name=NAMES, name=TEXTS, description=TEXTS, fields=FIELDS
)
BASES = st.one_of(
    st.sampled_from(["", "ModuleOp", "mlir::func::FuncOp", "hw::HWModuleOp"]).map(
        lambda name: f"::mlir::OperationPass<{name}>"
    ),
    st.sampled_from(["my::Interface", "FunctionOpInterface"]).map(
        lambda name: f"::mlir::InterfacePass<{name}>"
    ),
    TEXTS,
)
DIALECTS = st.one_of(
    st.sampled_from(["scf::SCFDialect", "mlir::scf::SCFDialect", "my::YourDialect"]),
    st.sampled_from(["scf::SCFDialect, a::ADialect", ""]),
    TEXTS,
)
PASSES = st.builds(
    PassRecord,
    name=NAMES,
    argument=st.one_of(NAMES, TEXTS),
    base_class=BASES,
    summary=TEXTS,
    description=TEXTS,
    constructor=TEXTS,
    dependent_dialects=st.lists(DIALECTS, max_size=3).map(tuple),
    options=st.lists(options(), max_size=3).map(tuple),
    statistics=st.lists(STATISTICS, max_size=2).map(tuple),
    classes=st.sampled_from([("PassBase",), ("PassBase", "Pass"), ("X", "PassBase")]),
    fields=FIELDS,
)
GROUPS = st.lists(PASSES, min_size=1, max_size=3, unique_by=lambda each: each.name)


def dumped(record: PassRecord, line: int) -> DumpedPass:
    place = Location(SOURCE, line, 1)

    def items(kind: str, count: int) -> tuple[DumpedItem, ...]:
        keys = [f"{record.name}.{kind}{number}" for number in range(count)]
        return tuple(DumpedItem(key, is_named=False, location=place) for key in keys)

    options, statistics = len(record.options), len(record.statistics)
    return DumpedPass(record, place, items("o", options), items("s", statistics))


@pytest.mark.slow
@settings(report_multiple_bugs=False)
@given(GROUPS)
def test_records_come_back(records: list[PassRecord]) -> None:
    passes = tuple(dumped(each, line) for line, each in enumerate(records, 1))
    places = tuple((each.record.name, each.location) for each in passes)

    dump = Dump(passes, (), places, Dialects({}), ())
    imported = import_dump(dump, "x.td", "Group")

    source = SourceFile("x.yaml", imported.text)
    targets = ("python", "markdown", "cpp")
    generated = generate([source], Options(targets=targets))
    assert list(group_records(generated.groups[0])) == records
    assert list(group_records(read_group(dump, "x.td"))) == records
