"""Textual pipelines are read, or refused, as `mlir-opt` does.

The parsed pipelines are compared in MLIR's printed form. PASSGEN_EXAMPLES sets the number
of random pipelines.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
from pathlib import Path

import pytest

from passgen_runtime import PassManager, PipelineError, parse_pass_pipeline
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_registry.resolution import add_pass_from_flag
from tests import mlir_test_passes

EXAMPLES = int(os.environ.get("PASSGEN_EXAMPLES", "150"))

KEYS = [
    "string=",
    "string-list=",
    "list=",
    "enum=one",
    "enum={two}",
    "'enum'=two",
    "=x",
]
TEXTS = [
    *("a", "b c", "'b c'", '"x,y"', "{a,b}", "{a b}", "[a,b]", "f(a,b)", "it's", "''"),
    *('""', "{}", "a=b", "'a", "a'b'", "{'a','b'}", "'a','b'", "a,b", "a, b", "{a, b}"),
    *("{{a,b},c}", "$", "\\", "(", "[a", "a)", "x]", ",", "a,", ",a", "{a,}", '"a\'b"'),
    *("{ a , b }", "'{a}'", "é", "{[a,{b c}],d}", "f( string=a)", "' a '"),
]
NUMBERS = [
    *("1", "1,2", "{1,2}", "{1, 2}", "{ 1 ,2}", "", "{}", "-1", "0x1f", "010", "0b11"),
    *("0o17", "'1'", "'1','2'", "1,", "{{1},2}", "{'1',2}", "+1", "08", "2147483648"),
]
PIECES = [
    *(
        "string=",
        "string-list=",
        "list=",
        "enum=one",
        " ",
        " ",
        "'",
        '"',
        "{",
        "}",
        ",",
    ),
    *("a", "1", "[", "]", "it", "=", "string", "''", "{}", '"x y"', "'p,q'", "$", "\\"),
]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("syntax") / "empty.mlir"
    path.write_text("module {}\n")
    return path


def theirs(text: str, source: Path) -> tuple[str, str]:
    """Return the pipeline that `mlir-opt` reads, and its standard error."""
    mlir_opt = mlir_test_passes.mlir_opt_with_test_passes()
    dumped, said = mlir_test_passes.dumped(
        mlir_opt, [f"--pass-pipeline={text}"], source
    )
    return normal(dumped), said


def ours(text: str) -> tuple[str, list[str]]:
    """Return the pipeline that we read, and the messages of all errors."""
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            manager = parse_pass_pipeline(text, mlir_test_passes.registry())
        except PipelineError as error:
            return "", [each.message for each in (error, *error.others)]
    return normal(mlir_test_passes.mlir_form(manager)), []


def normal(printed: str) -> str:
    """Remove differences of form: empty lists, and blanks between options."""
    printed = re.sub(r"(?<![\w=])(?:string-)?list=\{\}", "", printed)
    return re.sub(r" +", " ", printed).replace("{ ", "{").replace(" }", "}")


def assert_same(text: str, source: Path) -> None:
    read, said = theirs(text, source)
    read_by_us, messages = ours(text)

    assert (text, read_by_us) == (text, read)
    # MLIR stops at its first error, which need not be the first in the text.
    assert read or any(message in said for message in messages), (said, messages)


@pytest.mark.parametrize(
    "text",
    [
        "builtin.module()",
        "any()",
        "any(cse)",
        " builtin.module(cse) ",
        "builtin.module(cse,cse)",
        "builtin.module(\n  cse,\n  func.func(\n    cse\n  )\n)",
        "builtin.module( func.func( cse , cse ) , any( cse ) )",
        "builtin.module(func.func(cse),func.func(cse))",
        "builtin.module(cse{})",
        "builtin.module(cse {} , cse)",
        "builtin.module(func.func(test-options-pass{}))",
        "builtin.module(func.func(test-options-pass {\n list=1,2\n string=a }))",
        "builtin.module(func.func(test-options-pass{list=1 list=2,3 string=a string=b}))",
        "builtin.module(func.func(test-options-pass{string-list='a b' string-list={c,d}}))",
        "builtin.module(func.func(test-options-super-pass{list={{list=1,2},{string=a}}}))",
        "builtin.module(func.func(test-options-super-pass{list={list=1},{enum=two}}))",
        "builtin.module(func.func(test-options-super-pass{list={string='a b'}}))",
    ],
)
def test_same_pipeline(text: str, source: Path) -> None:
    assert ours(text)[0]
    assert_same(text, source)


@pytest.mark.parametrize("key", ["string=", "string-list="])
@pytest.mark.parametrize("value", TEXTS)
def test_same_text(key: str, value: str, source: Path) -> None:
    assert_same(
        f"builtin.module(func.func(test-options-pass{{{key}{value} enum=one}}))", source
    )


@pytest.mark.parametrize("value", NUMBERS)
def test_same_numbers(value: str, source: Path) -> None:
    assert_same(
        f"builtin.module(func.func(test-options-pass{{list={value} enum=one}}))", source
    )


def test_made_up_options(source: Path) -> None:
    chance = random.Random(22)  # noqa: S311 - the same texts in each run
    for _ in range(EXAMPLES):
        options = made_up(chance)
        text = chance.choice(
            [
                f"test-options-pass{{{options}}}",
                f"test-options-pass{{{options}}},cse",
                f"test-options-super-pass{{list={{{{{options}}}}}}}",
            ]
        )
        assert_same(f"builtin.module(func.func({text}))", source)


def made_up(chance: random.Random) -> str:
    if chance.random() < 0.3:
        return "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 12)))
    options = []
    for _ in range(chance.randint(1, 4)):
        key = chance.choice(KEYS)
        values = {"string=": TEXTS, "string-list=": TEXTS, "list=": NUMBERS}
        options.append(key + chance.choice(values.get(key, [""])))
    return chance.choice([" ", "  "]).join(options)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        # A line end between options separates them; MLIR takes it for a part of `a`.
        ("string=a\nenum=one", "test-options-pass{enum=one string=a}"),
        # A string with escapes: MLIR keeps the text as it is.
        (r"string=$'\x7b'", "test-options-pass{enum=zero string={}"),
    ],
)
def test_read_otherwise_than_by_mlir(text: str, read: str, source: Path) -> None:
    pipeline = f"builtin.module(func.func(test-options-pass{{{text}}}))"

    assert ours(pipeline)[0] == f"builtin.module(func.func({read}))"
    assert theirs(pipeline, source)[0] != ours(pipeline)[0]


@pytest.mark.parametrize(
    "flags",
    [
        ["--cse"],
        ["-cse", "--cse="],
        ["--test-options-pass=list=1,2", "--cse", "-test-options-pass=string=a"],
        ["--test-options-pass-pipeline=list=1", "--canonicalize=max-iterations=3"],
    ],
)
def test_passes_as_flags(flags: list[str], source: Path) -> None:
    context = XDSLContext()
    manager = PassManager(context, nesting="implicit")
    for flag in flags:
        add_pass_from_flag(manager, flag, mlir_test_passes.registry(), context)
    mlir_opt = mlir_test_passes.mlir_opt_with_test_passes()

    dumped, _ = mlir_test_passes.dumped(mlir_opt, flags, source)

    assert normal(mlir_test_passes.mlir_form(manager)) == normal(dumped)
