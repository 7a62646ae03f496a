"""Messages about malformed pipelines: those of `mlir-opt`, and ours.

This test writes the table in docs/malformed-pipelines.md from both programs.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from passgen_runtime import PassOptionError, PipelineError, parse_pass_manager
from passgen_runtime.ir.xdsl import XDSLContext
from tests import mlir_test_passes

TABLE = Path(__file__).parents[2] / "docs" / "malformed-pipelines.md"

HEAD = """\
<!-- search: malformed pipelines and their error messages -->
# Errors of malformed pipelines

The error messages of `mlir-opt` of LLVM 22 and of passgen for malformed pipelines.
Where MLIR has a message for a mistake, passgen's begins with the same words.
The numbers are the columns that passgen underlines in the text.
A test runs both programs and writes this page.
To renew it: `pytest --update-golden tests/differential/test_malformed_pipelines.py`.
[Textual pipelines](textual-pipelines.md) lists the texts that both accept and read differently.

The passes are MLIR's own, among them `test-options-pass` with the options `enum`
(`zero`, `one`, `two`), `list` (of integers), `string` and `string-list`.

| pipeline | mlir-opt 22 | passgen |
|---|---|---|
"""


class Mistake(NamedTuple):
    text: str
    own_words: str = ""
    """The reason for a message of our own, if it is not MLIR's."""


ACCEPTED = "MLIR accepts it"
AT_RUN = "MLIR says so only when it runs the pipeline"


def func(text: str) -> str:
    return f"builtin.module(func.func({text}))"


def options(text: str) -> str:
    return func(f"test-options-pass{{{text}}}")


MISTAKES = [
    # Anchors.
    Mistake(""),
    Mistake("  "),
    Mistake("cse"),
    Mistake("cse,canonicalize"),
    Mistake("(cse)"),
    Mistake(" (cse)"),
    Mistake("builtin.module"),
    Mistake("builtin.module(cse) canonicalize"),
    Mistake("builtin.module(cse);"),
    Mistake("builtin.module(cse"),
    Mistake("builtin.module{cse}"),
    Mistake("func.func[cse]"),
    Mistake("builtin.module{func.func{cse},canonicalize}"),
    Mistake("'builtin.module(cse)'"),
    Mistake("cse)),cse"),
    Mistake("cse;canonicalize"),
    Mistake("cse,"),
    Mistake("--cse --canonicalize=top-down=true"),
    Mistake("canonicalize[max-iterations=3]"),
    Mistake("canonicalize[x=1]"),
    Mistake("canonicalize{top-down"),
    Mistake("builtin.modul(cse)", AT_RUN),
    Mistake("cse,builtin.module(cse)", AT_RUN),
    Mistake("builtin.module(func.fun(cse))", ACCEPTED),
    Mistake("builtin.module(foo(cse))", ACCEPTED),
    Mistake("builtin.module(cse(canonicalize))", ACCEPTED),
    Mistake("builtin.module((cse))", ACCEPTED),
    Mistake("builtin.module(func.func)"),
    # Parentheses and commas.
    Mistake("builtin.module(cse))"),
    Mistake("builtin.module(cse),func.func(cse)"),
    Mistake("builtin.module(func.func(cse)"),
    Mistake("builtin.module(func.func(cse),any(cse)"),
    Mistake("builtin.module(func.func(cse)))"),
    Mistake("builtin.module(func.func(cse)canonicalize)"),
    Mistake("builtin.module(canonicalize{top-down}cse)"),
    Mistake("builtin.module(canonicalize{top-down}{top-down})"),
    Mistake("builtin.module(cse{}(canonicalize))"),
    Mistake("builtin.module(cse canonicalize)"),
    Mistake("builtin.module(cse;canonicalize)"),
    # Elements.
    Mistake("builtin.module(,)"),
    Mistake("builtin.module(cse,)"),
    Mistake("builtin.module(,cse)"),
    Mistake("builtin.module(cse,,canonicalize)"),
    Mistake("builtin.module(cse, ,canonicalize)"),
    Mistake("builtin.module(func.func(cse,))"),
    Mistake("builtin.module({top-down})"),
    Mistake("builtin.module(csee)"),
    Mistake("builtin.module(CSE)"),
    Mistake("builtin.module(canonicalise)"),
    Mistake("builtin.module(no-such-pass-at-all)"),
    Mistake("builtin.module('cse')"),
    Mistake("builtin.module(-cse)"),
    Mistake("builtin.module(cse=1)"),
    Mistake("builtin.module(canonicalize=top-down)"),
    Mistake("builtin.module(canonicalize<max-iterations=3>)"),
    Mistake("builtin.module(canonicalize[x=1])"),
    Mistake("builtin.module(cse})"),
    # Scheduling.
    Mistake("builtin.module(test-options-pass)"),
    Mistake("builtin.module(test-options-pass{list=1})"),
    # Braces and quotes.
    Mistake("builtin.module(canonicalize{top-down)"),
    Mistake("builtin.module(canonicalize{top-down}})"),
    Mistake(options("string={a")),
    Mistake(options("string='{'")),
    Mistake(options("string='}'")),
    # Names of options.
    Mistake("builtin.module(cse{top-down})"),
    Mistake("builtin.module(cse{a=1 b=2})"),
    Mistake("builtin.module(canonicalize{max-iteration=3})"),
    Mistake("builtin.module(canonicalize{max_iterations=3})"),
    Mistake("builtin.module(canonicalize{--top-down})"),
    Mistake("builtin.module(canonicalize{top-down,max-iterations=3})"),
    Mistake("builtin.module(canonicalize{top-down;})"),
    Mistake("builtin.module(canonicalize{max-iterations=3,test-convergence})"),
    Mistake("builtin.module(canonicalize{max-iterations:3})"),
    Mistake("builtin.module(canonicalize{max-iterations 3})"),
    Mistake("builtin.module(canonicalize{max-iterations=3; --top-down: true})"),
    Mistake(options("list=[1,2]")),
    Mistake(options("list=1 2")),
    Mistake(options("string=a b")),
    Mistake(options("strin=a")),
    Mistake(func("test-options-pass-pipeline{lost=1}")),
    # Values.
    Mistake("builtin.module(canonicalize{max-iterations})"),
    Mistake("builtin.module(canonicalize{max-iterations =3})"),
    Mistake("builtin.module(canonicalize{max-iterations= 3})"),
    Mistake("builtin.module(canonicalize{max-iterations=})"),
    Mistake("builtin.module(canonicalize{max-iterations=ten})"),
    Mistake("builtin.module(canonicalize{max-iterations=+1})"),
    Mistake("builtin.module(canonicalize{max-iterations=1.5})"),
    Mistake("builtin.module(canonicalize{max-iterations=1_000})"),
    Mistake("builtin.module(canonicalize{max-iterations=08})"),
    Mistake("builtin.module(canonicalize{max-iterations=0xg})"),
    Mistake("builtin.module(canonicalize{max-iterations=9223372036854775808})"),
    Mistake("builtin.module(canonicalize{top-down=yes})"),
    Mistake("builtin.module(canonicalize{top-down=tRUE})"),
    Mistake("builtin.module(canonicalize{top-down=2})"),
    Mistake("builtin.module(affine-loop-fusion{compute-tolerance=much})"),
    Mistake("builtin.module(affine-loop-fusion{compute-tolerance=1_0})"),
    Mistake("builtin.module(affine-loop-fusion{fast-mem-space=-1})"),
    Mistake("builtin.module(affine-loop-fusion{fast-mem-space=4294967296})"),
    Mistake(options("enum=three")),
    Mistake(options("enum=ONE")),
    Mistake(options("enum")),
    Mistake(options("string")),
    Mistake(options("list")),
    Mistake(options("list=1,two,3")),
    Mistake(options("list=1,,2")),
    Mistake(options("list=1,")),
    Mistake(options("list={1,2")),
    Mistake(options("list={1;2}")),
    Mistake(options("list=2147483648")),
    Mistake(options("list={{1,2}}")),
    # Options and pipelines in options.
    Mistake(func("test-options-super-pass{list={{lost=1}}}")),
    Mistake(func("test-options-super-pass{list={{list=1},{list=x}}}")),
    Mistake(func("test-options-super-pass{list=1}")),
    Mistake("builtin.module(inline{op-pipelines=func.func(csee)})"),
    Mistake("builtin.module(inline{op-pipelines=func.func(cse{a=1})})"),
    Mistake("builtin.module(inline{op-pipelines={func.func(cse),func.func(,)}})"),
]


@pytest.fixture(scope="module")
def context() -> XDSLContext:
    return XDSLContext()


class Said(NamedTuple):
    """The messages of `mlir-opt` about a pipeline."""

    message: str
    """The first line, without its prefixes; empty if the pipeline is accepted."""

    not_added: list[str]
    """The passes that it names below an error, with their options, in order."""


def mlir_said(text: str, source: Path) -> Said:
    command = [mlir_test_passes.mlir_opt_with_test_passes()]
    run = subprocess.run(
        [*command, f"--pass-pipeline={text}", source],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode == 0:
        return Said("", [])
    # What is about a nested pipeline is said behind what is about the one around it.
    prefixes = (
        r"^(?:<unknown>:0: error: |mlir-opt: |<Pass-Options-Parser>: |"
        r"MLIR Textual PassPipeline Parser:\d+:\d+: error: |.*?\.mlir:1:1: error: )+"
    )
    message = re.sub(prefixes, "", run.stderr.splitlines()[0])
    # Anchors around the pass are named too, without options.
    return Said(message, re.findall(r"^failed to add .*`$", run.stderr, re.MULTILINE))


def our_error(text: str, context: XDSLContext) -> PipelineError:
    with pytest.raises(PipelineError) as raised:
        parse_pass_manager(text, context, mlir_test_passes.registry())
    return raised.value


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("malformed") / "empty.mlir"
    path.write_text("module {}\n")
    return path


def test_table_of_malformed_pipelines(
    source: Path, context: XDSLContext, golden: Callable[[Path, str], None]
) -> None:
    rows = []
    for mistake in MISTAKES:
        theirs, not_added = mlir_said(mistake.text, source)
        ours = our_error(mistake.text, context)
        every = (ours, *ours.others)
        if not mistake.own_words:
            assert theirs in [each.message for each in every], (mistake, theirs)
        if any(isinstance(each.__cause__, PassOptionError) for each in every):
            notes = [note for each in every for note in each.notes]
            assert not_added[:1] == [note for note in notes if note in not_added][:1]
        cells = "<br>".join(map(cell, every))
        said = cell_text(theirs) if theirs else "accepted"
        rows.append(f"| {code(mistake.text)} | {said} | {cells} |\n")

    golden(TABLE, HEAD + "".join(rows))

    assert len(MISTAKES) >= 60


def test_lines_and_prefixes_that_are_left_out(
    source: Path, context: XDSLContext
) -> None:
    """docs/textual-pipelines.md gives the reasons."""
    text = func("cse,test-options-pass{bogus=1}")
    mlir_opt = mlir_test_passes.mlir_opt_with_test_passes()
    run = subprocess.run(
        [mlir_opt, f"--pass-pipeline={text}", source],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr.split("\n") == [
        "<unknown>:0: error: <Pass-Options-Parser>: no such option bogus",
        "",
        "failed to add `test-options-pass` with options `bogus=1`",
        "failed to add `func.func` with options `` to inner pipeline",
        *("", ""),
    ]
    assert str(our_error(text, context)).splitlines() == [
        "pass-pipeline:1:48: error: no such option bogus",
        text,
        "^~~~~".rjust(52),
        "note: valid options are enum, list, string, string-list",
        "note: failed to add `test-options-pass` with options `bogus=1`",
    ]


def cell(error: PipelineError) -> str:
    place = f"{error.span.start + 1}"
    if error.span.end - error.span.start > 1:
        place += f"-{error.span.end}"
    lines = (error.message, *(f"note: {note}" for note in error.notes))
    return f"**{place}**: " + "<br>".join(map(cell_text, lines))


def cell_text(text: str) -> str:
    for char in ("\\", "|", "*", "_", "<", "`"):
        text = text.replace(char, f"\\{char}")
    return text


def code(text: str) -> str:
    return f"`` {text} ``" if text.strip() else f"{len(text)} blanks"
