"""The specs in specs/ state MLIR's facts, in words of their own.

Facts are compared with what `llvm-tblgen --dump-json` makes of MLIR's `Passes.td`, and
defaults also with what `mlir-opt` starts a pass with. The specs are read by PyYAML
alone, so that no mistake of passgen's loader can hide one of a spec.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.cases.reader import read_yaml

# What a JSON or YAML reader returns has no better type: wrong shapes fail the test.
Facts: TypeAlias = dict[str, Any]

SPECS = Path(__file__).parents[2] / "specs"


@dataclass(frozen=True)
class Group:
    """A spec and the file that declares the same passes in MLIR."""

    spec: str
    td: str

    def passes(self) -> Facts:
        passes: Facts = read_yaml(SPECS / self.spec)["passes"]
        return passes


AFFINE = Group("affine.yaml", "mlir/Dialect/Affine/Transforms/Passes.td")
TRANSFORMS = Group("transforms.yaml", "mlir/Transforms/Passes.td")

GROUPS = [AFFINE, TRANSFORMS]
PASSES = [
    pytest.param(group, name, id=name) for group in GROUPS for name in group.passes()
]

TYPES = {
    "bool": "bool",
    "int": "int32",
    "int64_t": "int64",
    "unsigned": "uint32",
    "uint64_t": "uint64",
    "double": "double",
    "std::string": "string",
}
OPERATIONS = {"func::FuncOp": "func.func"}
DIALECTS = {
    "affine::AffineDialect": "affine",
    "arith::ArithDialect": "arith",
    "memref::MemRefDialect": "memref",
    "vector::VectorDialect": "vector",
}
ZEROS: Facts = {"uint32": 0, "string": "", "pipeline": ""}

OURS_INSTEAD = {
    # Text to MLIR, which learns only while running whether it is a pipeline at all.
    ("CompositeFixedPointPass", "pipelineStr"): {"string": "pipeline"},
}
"""Types that differ on purpose: pass and option, then MLIR's type and ours."""

STARTS_OTHERWISE = {
    # Its C++ constructor has a default argument, which overrides the declaration.
    ("affine-loop-normalize", "promote-single-iter"): "false",
}
"""Defaults which `mlir-opt` does not take from the declaration."""


ADDED_BY_XTC = {"JirAffineTransform", "JirTerminalSubviewEliminate"}
"""Affine passes that the packages of the extra `llvm` add to LLVM's own."""


class Records:
    """The records of one `.td` file, read as the facts that a spec states."""

    def __init__(self, tblgen: Path, include: Path, td: str) -> None:
        command: list[str | Path] = [tblgen, "--dump-json", "-I", include, include / td]
        run = subprocess.run(command, capture_output=True, check=True, text=True)
        self._records: Facts = json.loads(run.stdout)

    def names(self) -> set[str]:
        return set(self._records["!instanceof"]["PassBase"])

    def facts(self, name: str) -> Facts:
        record = self._records[name]
        return {
            "argument": record["argument"],
            **_anchor(record["baseClass"]),
            "dependentDialects": [
                DIALECTS[each] for each in record["dependentDialects"]
            ],
            "options": [
                _option(name, each) for each in self._listed(record, "options")
            ],
            "statistics": [
                {"name": each["cppName"], "displayName": each["name"]}
                for each in self._listed(record, "statistics")
            ],
        }

    def texts(self) -> Iterator[str]:
        """Yield everything that MLIR's authors wrote for people."""
        for record in self._records.values():
            if isinstance(record, dict):
                for key in ("summary", "description", "additionalOptFlags"):
                    yield record.get(key) or ""

    def _listed(self, record: Facts, key: str) -> list[Facts]:
        return [self._records[each["def"]] for each in record[key]]


def _anchor(base_class: str) -> Facts:
    match = re.fullmatch(r"::mlir::(Operation|Interface)Pass<(.*)>", base_class)
    assert match, base_class
    kind, name = match.groups()
    if kind == "Interface":
        return {"anchor": None, "interface": name}
    return {"anchor": OPERATIONS[name] if name else None, "interface": None}


def _option(pass_name: str, record: Facts) -> Facts:
    flags = record["additionalOptFlags"]
    # Spelling in C++ and in a pipeline, of each value that the command line accepts.
    values = dict(re.findall(r'clEnumValN\(\s*([\w:]+),\s*"([^"]+)"', flags))
    is_list = "ListOption" in record["!superclasses"]
    cpp_type = record["type"]
    type_ = "enum" if values else TYPES[cpp_type]
    return {
        "name": record["cppName"],
        "argument": record["argument"],
        "isList": is_list,
        "type": OURS_INSTEAD.get((pass_name, record["cppName"]), {}).get(type_, type_),
        "enumName": re.split(r"\W+", cpp_type)[-1] if values else None,
        "values": list(values.values()),
        "default": _default(record["defaultValue"], values),
    }


def _default(cpp: str, values: dict[str, str]) -> object:
    """Return the value of `cpp`, a C++ expression of one of the forms in use."""
    fixed: dict[str, object] = {
        "": None,
        "true": True,
        "false": False,
        "std::numeric_limits<uint64_t>::max()": 2**64 - 1,
        **values,
    }
    if cpp in fixed:
        return fixed[cpp]
    if match := re.fullmatch(r"(-?\d+)u", cpp):
        return int(match[1]) % 2**32
    if match := re.fullmatch(r"(\d+\.\d+)f", cpp):
        return float(match[1])
    if match := re.fullmatch(r'"(\w*)"', cpp):
        return match[1]
    return int(cpp)


def _stated(spec: Facts) -> Facts:
    """Return the facts that the spec of a pass states, as `Records.facts` does."""
    return {
        "argument": spec["argument"],
        "anchor": spec.get("anchor"),
        "interface": spec.get("interface"),
        "dependentDialects": spec.get("dependentDialects", []),
        "options": [
            {
                "name": option["name"],
                "argument": option["argument"],
                "isList": "listOf" in option,
                "type": option.get("listOf") or option["type"],
                "enumName": option.get("enumName"),
                "values": [each["value"] for each in option.get("values", [])],
                "default": option.get("default"),
            }
            for option in spec.get("options", [])
        ],
        "statistics": [
            {"name": each["name"], "displayName": each["displayName"]}
            for each in spec.get("statistics", [])
        ],
    }


def _prose(spec: Facts) -> Iterator[str]:
    """Yield what the spec of a pass says to people; IR is no prose."""
    yield spec["summary"]
    yield re.sub(r"```.*?```", "", spec["description"], flags=re.DOTALL)
    for option in spec.get("options", []):
        yield option["description"]
        for value in option.get("values", []):
            yield value["description"]
    for statistic in spec.get("statistics", []):
        yield statistic["description"]


def _runs(text: str, length: int = 8) -> set[str]:
    """Return every run of `length` words in `text`, whatever stands between them."""
    words = re.findall(r"\w+", text.lower())
    return {
        " ".join(words[start : start + length])
        for start in range(len(words) - length + 1)
    }


@pytest.fixture(scope="module")
def records(llvm_tblgen: Path, mlir_include: Path) -> dict[Group, Records]:
    return {group: Records(llvm_tblgen, mlir_include, group.td) for group in GROUPS}


def test_every_affine_pass_is_declared(records: dict[Group, Records]) -> None:
    assert set(AFFINE.passes()) == records[AFFINE].names() - ADDED_BY_XTC


def test_every_other_pass_is_one_of_mlir(records: dict[Group, Records]) -> None:
    assert set(TRANSFORMS.passes()) <= records[TRANSFORMS].names()


@pytest.mark.parametrize(("group", "name"), PASSES)
def test_facts(records: dict[Group, Records], group: Group, name: str) -> None:
    assert _stated(group.passes()[name]) == records[group].facts(name)


@pytest.mark.parametrize(("group", "name"), PASSES)
def test_defaults_are_those_that_mlir_opt_starts_with(
    mlir_opt: Path, group: Group, name: str
) -> None:
    spec = group.passes()[name]
    argument = spec["argument"]
    is_nested = "anchor" in spec or "interface" in spec
    element = f"func.func({argument})" if is_nested else argument
    pipeline = f"--pass-pipeline=builtin.module({element})"
    run = subprocess.run(
        [mlir_opt, pipeline, "--dump-pass-pipeline"],
        input="",
        capture_output=True,
        check=True,
        text=True,
    )
    dumped = re.search(rf"^\s*{argument}(?:{{(.*)}})?,?$", run.stderr, re.MULTILINE)
    assert dumped, run.stderr

    assert dict(each.split("=") for each in (dumped[1] or "").split()) == {
        option["argument"]: STARTS_OTHERWISE.get(
            (argument, option["argument"]), _printed(option)
        )
        for option in spec.get("options", [])
        if "listOf" not in option
    }


def _printed(option: Facts) -> str:
    """Return how LLVM prints the value that `option` starts with."""
    default = option.get("default", ZEROS.get(option["type"]))
    if isinstance(default, bool):
        return str(default).lower()
    return f"{default:e}" if isinstance(default, float) else str(default)


@pytest.mark.parametrize(("group", "name"), PASSES)
def test_words_are_our_own(
    records: dict[Group, Records], group: Group, name: str
) -> None:
    theirs = {
        run for each in GROUPS for text in records[each].texts() for run in _runs(text)
    }
    # Without this, a change in what `texts` finds would let everything pass.
    assert "use this unroll factor for all loops being" in theirs
    ours = {run for text in _prose(group.passes()[name]) for run in _runs(text)}

    assert sorted(ours & theirs) == []


def test_every_constructor_names_a_module_and_class_of_its_pass() -> None:
    implemented = {
        spec["argument"]: spec["constructor"].split(":")
        for group in GROUPS
        for spec in group.passes().values()
        if "constructor" in spec
    }

    assert {argument: module for argument, (module, _) in implemented.items()} == {
        argument: "passgen_runtime.passes."
        + argument.replace("affine-", "affine.").replace("-", "_")
        for argument in implemented
    }
    assert {name for _, name in implemented.values()} == {
        pass_name.removesuffix("Pass")
        for group in GROUPS
        for pass_name, spec in group.passes().items()
        if "constructor" in spec
    }
