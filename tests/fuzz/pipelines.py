"""Textual pipelines and flags of passes with random changes, for `passgen-opt`."""

from __future__ import annotations

from random import Random
from typing import Final

from passgen_tools.opt import main
from tests.fuzz.harness import Case, Fuzzer, mutated
from tests.fuzz.ir import load_libraries

_MODULE: Final = b"func.func @f(%x: i32) -> i32 {\n  func.return %x : i32\n}\n"
_SEEDS: Final = (
    "builtin.module(func.func(cse,canonicalize{max-iterations=2 top-down=false}),cse)",
    "any(canonicalize{max-iterations=0x1f top-down}, symbol-dce)",
    "builtin.module(composite-fixed-point-pass{name=x pipeline=any(cse)})",
    "builtin.module(symbol-privatize{exclude=a,b,c},func.func(loop-invariant-code-motion))",
    "func.func(affine-loop-unroll{unroll-factor=4 unroll-up-to-factor})",
    "builtin.module(affine-optimize{unroll-factor=-1}, any(any(any(cse))))",
    "builtin.module(convert-scf-to-cf,test-lower-linalg{a={b={c=1 d} e}})",
    "cse,canonicalize,func.func(print-ir{label='a b'},print-op-stats{json=true})",
)
_WORDS: Final = (
    "builtin.module", "func.func", "any", "cse", "canonicalize", "print-ir", "label=",
    "affine-loop-unroll", "composite-fixed-point-pass", "max-iterations=", "pipeline=",
    "unroll-factor=", "exclude=", "region-simplify=aggressive", "inline", "symbol-dce",
    "topological-sort", "strip-debuginfo", "affine-optimize", "cleanup", "test.op",
    "(", ")", "{", "}", "{{", "}}", ",", "=", "'", '"', " ", "any(", "any(cse),",
    "{a={", "cse{", "99999999999999999999", "0x", "0b1", "1e999", "-0", "true", "\\",
    "\u202e", "é", "\n", "\t",
)  # fmt: skip
_FLAGS: Final = (
    (), (), (), ("--dump-pass-pipeline",), ("--dump-pass-pipeline=pretty",),
    ("--mlir-print-ir-after-all",), ("--mlir-timing",), ("--mlir-pass-statistics",),
    ("--audit",), ("--mlir-disable-threading=false",), ("--verify-each=false",),
    ("--mlir-generate-reproducer=r.mlir",), ("--run-reproducer",),
)  # fmt: skip
_FLAGS_WITH_TEXT: Final = (
    "--canonicalize=", "--affine-loop-unroll=", "--symbol-privatize=", "--help-pass=",
    "--mlir-print-ir-before=", "--complete=passgen-opt --", "--verify-diagnostics=",
    "--mlir-elide-elementsattrs-if-larger=", "--timeout=", "--ir=", "--",
    "--composite-fixed-point-pass=", "--output-split-marker=", "--split-input-file=",
)  # fmt: skip


def _make(random: Random) -> Case:
    text = mutated(random, random.choice(_SEEDS), _SEEDS, _WORDS).replace("\0", "")
    if random.random() < 0.1:
        text = _nested(random)
    flags = random.choice(_FLAGS)
    if random.random() < 0.8:
        arguments = (f"--pass-pipeline={text}", *flags)
    else:
        arguments = (f"{random.choice(_FLAGS_WITH_TEXT)}{text}", *flags)
    return Case(("f.mlir", *arguments), {"f.mlir": _MODULE})


def _nested(random: Random) -> str:
    opening, closing = random.choice(
        (("any(", ")"), ("cse{a=", "}"), ("{", "}"), ("cse,", ""), ("'", "'"))
    )
    depth = random.choice((10, 100, 1_000, 10_000))
    return opening * depth + random.choice(("cse", "")) + closing * depth


load_libraries()
FUZZER: Final = Fuzzer(
    "pipelines",
    "passgen_tools.opt",
    main,
    _make,
    time_s=5,  # `--audit` starts four interpreters
    time_per_kib_s=0.05,
)
