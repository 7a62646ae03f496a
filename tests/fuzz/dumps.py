"""Dumps of `llvm-tblgen` with random changes, given to `import`, `lint` and `diff`."""

from __future__ import annotations

import json
from random import Random
from typing import Final

from passgen import cli
from passgen.tablegen import importer  # noqa: F401 - the command imports it
from tests.fuzz.harness import Case, Fuzzer, Value, mutated, mutated_value


def _item(key: str, *classes: str, **fields: Value) -> Value:
    return {
        "!anonymous": True,
        "!locs": ["P.td:4"],
        "!name": key,
        "!superclasses": list(classes),
        **fields,
    }


def _option(key: str, *classes: str, **fields: Value) -> Value:
    defaults = {
        "additionalOptFlags": "",
        "argument": "count",
        "cppName": "count",
        "defaultValue": "1",
        "description": "How many.",
        "type": "unsigned",
    }
    return _item(key, "Option", *classes, **{**defaults, **fields})


def _pass(name: str, **fields: Value) -> Value:
    defaults: dict[str, Value] = {
        "!anonymous": False,
        "!locs": ["P.td:3"],
        "!name": name,
        "!superclasses": ["PassBase", "Pass"],
        "argument": name.lower(),
        "baseClass": "::mlir::OperationPass<func::FuncOp>",
        "constructor": "",
        "dependentDialects": ["scf::SCFDialect"],
        "description": "\n    Count.\n\n    - `x`\n  ",
        "extra": ["a", "b"],
        "number": 7,
        "options": [_reference("a0"), _reference("a1"), _reference("a3")],
        "statistics": [_reference("a2")],
        "summary": "Count operations",
    }
    return {**defaults, **fields}


def _reference(name: str) -> Value:
    return {"def": name, "kind": "def", "printable": name}


_DUMP: Final = {
    "!instanceof": {
        "PassBase": ["A", "B"],
        "Option": ["a0", "a1", "a3"],
        "ListOption": ["a1"],
        "Statistic": ["a2"],
    },
    "!dump_json_version": 1,
    "A": _pass("A"),
    "B": _pass("B", baseClass="::mlir::Pass", constructor="::mlir::createB()"),
    "Other": {"!anonymous": False, "!locs": [], "!name": "Other", "!superclasses": []},
    "a0": _option("a0"),
    "a1": _option("a1", "ListOption", cppName="sizes", argument="sizes"),
    "a2": _item("a2", "Statistic", cppName="n", name="n", description="N"),
    "a3": _option(
        "a3",
        cppName="mode",
        argument="mode",
        type="::a::Mode",
        defaultValue="::a::Mode::one",
        additionalOptFlags=(
            'llvm::cl::values(clEnumValN(::a::Mode::one, "one", "One"), '
            'clEnumValN(::a::Mode::two, "two", "Two"))'
        ),
    ),
}
TEXT: Final = json.dumps(_DUMP)
WORDS: Final = (
    "a0", "a2", "A", "none", "!name", "!superclasses", "!instanceof", "!locs", "def",
    "printable", "PassBase", "Pass", "Option", "ListOption", "Statistic", "options",
    "description", "summary", "argument", "cppName", "type", "P.td:9", "unsigned",
    "int64_t", "std::string", "::llvm::cl::ZeroOrMore", "::mlir::OperationPass<",
    "::mlir::InterfacePass<::a::B>", "::mlir::OpPassManager", "llvm::cl::values(",
    'clEnumValN(X, "x", "y")', "(", ")", "<", ">", "{", "}", "[", '"', "\\", "\\ud800",
    "true", "null", "NaN", "-Infinity", "1e999", ",", "\n    ", "static_cast<int>(1)",
)  # fmt: skip


def _make(random: Random) -> Case:
    if random.random() < 0.7:
        value = mutated_value(random, json.loads(TEXT), WORDS)
        text = json.dumps(value)
    else:
        text = mutated(random, TEXT, (TEXT,), WORDS)
    if random.random() < 0.05:
        text = random.choice(("[", '{"a":', '{"!instanceof":[')) * 50_000
    command = random.choice(
        (("import",), ("import", "-o", "x.yaml"), ("lint",), ("diff", "old.json"))
    )
    files = {"new.json": text.encode("utf-8", "replace"), "old.json": TEXT.encode()}
    return Case((*command, "new.json"), files)


FUZZER: Final = Fuzzer("dumps", "passgen.cli", cli.main, _make)
