"""Passes and options that not all versions of LLVM have."""

from __future__ import annotations

import json
import runpy
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from passgen_runtime import PassRegistry, PipelineError, parse_pass_manager
from passgen_runtime.ir.mlir import BindingsError, MLIRContext, bindings, mlir_registry
from passgen_runtime.ir.mlir.bindings import Bindings, bindings_of
from passgen_runtime.ir.mlir.known_passes import llvm_passes
from passgen_runtime.ir.mlir.native_options import refusal
from passgen_runtime.ir.mlir.pass_versions import version_note
from passgen_runtime.ir.mlir.passes import (
    AsyncParallelForPass,
    Canonicalizer,
    ConvertVectorToLLVMPass,
    LinalgDetensorizePass,
)
from passgen_tools.opt import main
from tests.mlir_bindings_needed import OF_LLVM_24, require_bindings

SCRIPT = Path(__file__).parents[4] / "specs" / "known-passes" / "names.py"

TABLE = Path(bindings.__file__).with_name("pass_versions.json")

HELP = """
OVERVIEW: MLIR modular optimizer driver
  --color                                  - Use colors in output
      --cse                                -   Eliminate common sub-expressions
      --nvvm-attach-target                 -   Attaches an NVVM target attribute
        -O <uint>                          - Optimization level.
        --chip=<string>                    - Target chip.
        --fast                             - Enable fast math mode.
"""


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """The functions of the script that makes the table."""
    return runpy.run_path(str(SCRIPT))


def test_the_help_of_mlirs_driver_is_read(names: dict[str, Any]) -> None:
    found = names["names_in_help"](HELP)

    assert found["cse"] == set()
    assert found["nvvm-attach-target"] == {"O", "chip", "fast"}


def test_names_of_llvm_are_in_all_lists(names: dict[str, Any]) -> None:
    one = {"cse": {"a"}, "inline": {"b", "own"}, "torch-x": {"c"}}
    other = {"inline": {"b", "d"}, "cse": set()}

    found = names["common_names"](iter([one, other]))

    assert found == {"cse": set(), "inline": {"b"}}


def test_versions_are_given_where_they_differ(names: dict[str, Any]) -> None:
    lists = {
        "22": {"cse": set(), "inline": {"a", "b"}, "old": {"c"}},
        "24": {"cse": set(), "inline": {"b", "d"}, "new": {"e"}},
    }

    assert names["versions_of"](lists, {"inline": {"b", "own"}, "jir": {"f"}}) == {
        "versions": ["22", "24"],
        "passes": {"jir": [], "new": ["24"], "old": ["22"]},
        "options": {"inline": {"a": ["22"], "d": ["24"], "own": []}},
    }


@pytest.mark.parametrize(
    ("version", "installed"),
    [("22", "mlir"), *(("24", package) for package in OF_LLVM_24)],
)
def test_the_table_agrees_with_the_bindings(version: str, installed: str) -> None:
    if installed not in OF_LLVM_24:
        require_bindings(installed)
    these, table = bindings_of(installed), json.loads(TABLE.read_bytes())

    for argument, having in table["passes"].items():
        if having:
            is_refused = refusal(these, argument) is not None
            assert (argument, is_refused) == (argument, version not in having)
    for argument, options in table["options"].items():
        # An option of no version may be in one build.
        for option, having in filter(itemgetter(1), options.items()):
            text = f"{argument}{{{option}=1}}"
            is_unknown = "no such option" in (refusal(these, text) or "")
            assert (text, is_unknown) == (text, version not in having)


def test_default_values_are_accepted(package: str) -> None:
    """Defaults of options that this version lacks are not in the text."""
    these = bindings_of(package)

    assert refusal(these, str(Canonicalizer())) is None
    if refusal(these, "async-parallel-for") is None:
        assert refusal(these, str(AsyncParallelForPass())) is None
    if refusal(these, "convert-vector-to-llvm") is None:
        assert refusal(these, str(ConvertVectorToLLVMPass())) is None


def test_options_that_are_set_are_in_the_text() -> None:
    text = str(ConvertVectorToLLVMPass(enable_amx=True))

    assert "enable-amx=true" in text
    assert "enable-x86vector" not in text


@pytest.fixture
def only_jaxlib(monkeypatch: pytest.MonkeyPatch) -> Bindings:
    """The bindings that are loaded; they lack most passes of MLIR."""
    require_bindings("jaxlib.mlir")
    loaded = bindings_of("jaxlib.mlir")
    monkeypatch.setattr(bindings, "_imported", {"jaxlib.mlir": loaded})
    return loaded


@pytest.mark.usefixtures("only_jaxlib")
def test_a_class_that_loaded_bindings_lack_says_so() -> None:
    with pytest.raises(BindingsError) as error:
        LinalgDetensorizePass()

    assert str(error.value) == (
        "LinalgDetensorizePass: the loaded bindings of MLIR do not have "
        "linalg-detensorize: 'jaxlib.mlir'\n"
        "note: LLVM 22 has the pass 'linalg-detensorize', LLVM 24 not"
    )


@pytest.mark.usefixtures("only_jaxlib")
def test_an_option_that_loaded_bindings_lack_says_so() -> None:
    with pytest.raises(BindingsError, match=r"do not have async-parallel-for\{memref-"):
        AsyncParallelForPass(memref_noalias=True)


def test_a_class_is_made_without_bindings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bindings, "_imported", {})

    assert str(LinalgDetensorizePass()).startswith("linalg-detensorize")


def test_a_docstring_has_the_versions() -> None:
    assert str(LinalgDetensorizePass.__doc__).endswith(
        "LLVM 22 has the pass 'linalg-detensorize', LLVM 24 not"
    )


def test_what_all_versions_have_gets_no_note() -> None:
    assert version_note("canonicalize") is None
    assert version_note("canonicalize", "max-iterations") is None


def test_passes_of_one_build_are_known() -> None:
    notes = {name: version_note(name) or "" for name in llvm_passes()}

    assert {name for name, note in notes.items() if "is not LLVM's" in note} == {
        "gpu-register-host-buffers",
        "jir-affine-transform",
        "jir-terminal-subview-eliminate",
    }


def test_a_pass_of_another_version_is_explained(
    capsys: pytest.CaptureFixture[str],
) -> None:
    require_bindings("mlir")
    flags = ["--ir=mlir:mlir", "--help-pass=trivial-dce"]

    assert main(flags, registry=PassRegistry()) == 2

    assert capsys.readouterr().err == (
        "passgen-opt: 'trivial-dce' does not refer to a registered pass or pass "
        "pipeline\n"
        "passgen-opt: 'trivial-dce' is a pass of MLIR, but 'mlir' does not have it\n"
        "passgen-opt: LLVM 24 has the pass 'trivial-dce', LLVM 22 not\n"
    )


def test_an_option_of_another_version_is_explained() -> None:
    require_bindings("mlir")
    text = "builtin.module(canonicalize{cse-between-iterations=true})"

    with pytest.raises(PipelineError) as error:
        parse_pass_manager(text, MLIRContext("mlir"), mlir_registry("mlir"))

    assert error.value.notes[0] == (
        "LLVM 24 has the option 'cse-between-iterations' of 'canonicalize', LLVM 22 not"
    )


@pytest.mark.parametrize(
    ("installed", "is_listed"),
    [("mlir", False), *((package, True) for package in OF_LLVM_24)],
)
def test_passes_of_newer_versions_are_listed_where_bindings_have_them(
    installed: str, *, is_listed: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    if installed not in OF_LLVM_24:
        require_bindings(installed)

    main([f"--ir=mlir:{installed}", "--list-passes"], registry=PassRegistry())

    line = "LLVM 24 has the pass 'trivial-dce', LLVM 22 not\n"
    assert (line in capsys.readouterr().out) == is_listed
