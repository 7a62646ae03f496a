"""Specs with random changes, given to every command that reads specs.

Half of the cases change the text of a spec, a quarter its data, and a quarter makes one
text of it long: the time of a command is linear in the length of every text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import yaml

from passgen import cli, hatch_plugin  # noqa: F401 - imports what commands need
from passgen.targets import TARGETS
from tests.fuzz.harness import Case, Fuzzer, Value, mutated, mutated_value, places

_TESTS: Final = Path(__file__).parents[1]
_FILES: Final = sorted(
    [
        *_TESTS.glob("passgen/golden/*/*.yaml"),
        *_TESTS.glob("passgen/invalid/*.yaml"),
        *_TESTS.glob("passgen/warned/*.yaml"),
        *_TESTS.glob("passgen/allowed/*.yaml"),
        *(
            path
            for path in (_TESTS.parent / "specs").glob("*.yaml")
            if "include:" not in path.read_text("utf-8")  # a spec by itself
        ),
    ]
)
_SEEDS: Final = tuple(path.read_text("utf-8", "replace") for path in _FILES)
_GOLDEN: Final = tuple(
    yaml.load(path.read_text("utf-8"), yaml.CBaseLoader)  # noqa: S506 - makes texts
    for path in _FILES
    if "invalid" not in path.parts
)
_SCHEMA: Final = json.loads(
    (_TESTS.parent / "schemas/pass-group.schema.json").read_text("utf-8")
)


def _keys(schema: object) -> set[str]:
    if isinstance(schema, list):
        return set().union(*map(_keys, schema))
    if not isinstance(schema, dict):
        return set()
    here = schema.get("properties")
    found = set(here) if isinstance(here, dict) else set()
    found |= {each for each in schema.get("enum", []) if isinstance(each, str)}
    return found.union(*map(_keys, schema.values()))


_WORDS: Final = (
    *sorted(_keys(_SCHEMA)),
    "a: ", "- ", "  - ", "? ", ": ", "&a ", "*a", "!!int ", "!x ", "<<: ", "---\n",
    "...\n", "|\n  ", ">2-\n", "# c\n", "[", "]", "{", "}", ", ", "'", '"', "\\u0000",
    "include: [other.yaml]\n", "include: spec.yaml\n", "%YAML 1.1\n", "null", "true",
    "func.func", "builtin.module", "a.b:C", ")PD", "*/", '"""', "-->", "{{", "{%",
)  # fmt: skip

_UNITS: Final = (
    "> - x\n y\n", "> ", "- ", "1. ", "- a\n  - b\n", "    x\n", "#", "# x\n", "===\n",
    "`", "``` \n", "~~~\nx\n", "*", "**a", "_a", "[", "[a](", "![", "]", "[a]: /u\n",
    "[a][b]", "<", "<a ", "<!-- ", "<!--\n", "&amp;", "&", "\\", "\n", "\n\n", " ",
    "\t", "a", "a ", "aA", "A", "-a", ".a", "::a", "a<", "a,", "(", "{", '"', "'",
    '"""', "|", "| a | b |\n|---|---|\n", ')PD"', "é", "\u202e", "\x07", "%", "$",
    "  \n", "x\n> y\n", "- x\n\n  y\n", "<div>\n", "http://a.b ", "\r\n", "a\\\n",
    "func.func @f(", "%a = b.c %d : ", "^bb0\n",
)  # fmt: skip

_COMMANDS: Final = (
    *((f"--target={target}",) for target in TARGETS),
    ("format",),
    ("format", "--check"),
    ("lint",),
    ("lint", "--format=sarif"),
    ("list",),
    ("list", "--json"),
    ("diff", "other.yaml"),
    ("--check",),
    ("--depfile=x.d",),
)


def _make(random: Random) -> Case:
    kind = random.randrange(4)
    if kind == 0:
        data = json.loads(json.dumps(random.choice(_GOLDEN)))
        _lengthen_one(random, data)
        text = json.dumps(data, ensure_ascii=False)
    elif kind == 1:
        data = json.loads(json.dumps(random.choice(_GOLDEN)))
        text = json.dumps(mutated_value(random, data, _WORDS), ensure_ascii=False)
    else:
        text = mutated(random, random.choice(_SEEDS), _SEEDS, _WORDS)
    other = random.choice(_SEEDS)
    if random.random() < 0.3:
        other = mutated(random, other, _SEEDS, _WORDS)
    files = {"spec.yaml": text, "other.yaml": other}
    return Case(
        (*random.choice(_COMMANDS), "spec.yaml"),
        {name: each.encode("utf-8", "replace") for name, each in files.items()},
    )


def _lengthen_one(random: Random, data: Value) -> None:
    """Make one text of `data` long."""
    around, key = random.choice(list(_texts(data)))
    long = "".join(random.choice(_UNITS) for _ in range(random.choice((1, 1, 2, 3))))
    length = random.choice((2_000, 10_000, 40_000))
    long = (long * (length // len(long)))[:length]
    around[key] = f"{around[key]}{long}" if random.random() < 0.5 else long


def _texts(data: Value) -> Iterator[tuple[Any, object]]:
    """Yield the list or mapping around each text in `data`, and its place there."""
    return (each for each in places(data) if isinstance(each[0][each[1]], str))


FUZZER: Final = Fuzzer("specs", "passgen.cli", cli.main, _make)
